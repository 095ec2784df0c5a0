"""Build the Go oracles and make golden/containers and golden/values/values.jsonl with them, so that every golden text comes from real Go.

An oracle is a small Go program around the v1.Container of one Kubernetes release (scripts/oracle);
it does what HashContainer of pkg/kubelet/container/helpers.go does in that release.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goprogram import COMMON, ERA_VARIABLE, ROOT, Golden, OracleError, Program, Script, files_below
from goprogram import cases as read_cases

VALUES = Path("..", "values", "values.jsonl")
MODULES = ROOT / "scripts" / "oracle"
GOLDEN = Golden(ROOT / "golden" / "containers", frozenset({VALUES}))


@dataclass(frozen=True)
class Oracle:
    """Describe one row of scripts/oracle/releases.json: which types, era and Go make a release.

    `refuses` lists the cases that this release cannot decode. `apimachineryVersion` is empty before 1.6.
    """

    release: str
    module: str
    types: str
    typesVersion: str  # noqa: N815 - the key in releases.json
    apimachineryVersion: str  # noqa: N815 - the key in releases.json
    era: str
    go: str
    refuses: tuple[str, ...] = ()

    @property
    def program(self) -> Program:
        """Name the program, which is built outside of the committed files."""
        folder = MODULES / self.module
        binary = ROOT / ".cache" / "oracle" / self.release
        return Program(binary, folder, self.go, files_below(COMMON, folder), ((ERA_VARIABLE, self.era),))


def oracles() -> dict[str, Oracle]:
    """Load the table of golden releases, oldest first."""
    rows = json.loads((MODULES / "releases.json").read_text(encoding="utf-8"))
    return {row["release"]: Oracle(**row) for row in rows}


def find(release: str) -> Oracle:
    """Look one release up, because a misspelt one must not pass for an empty answer."""
    try:
        return oracles()[release]
    except KeyError:
        raise OracleError(f"no oracle for {release}; there are {', '.join(oracles())}") from None


def build(release: str) -> bool:
    """Build one oracle unless nothing changed since it was last built; tell whether it was built."""
    oracle = find(release)
    _check_versions(oracle)
    return oracle.program.build()


def _check_versions(oracle: Oracle) -> None:
    """Refuse a table that says other versions than go.mod, for golden/README.md relies on it."""
    required = (MODULES / oracle.module / "go.mod").read_text(encoding="utf-8").splitlines()
    modules = {oracle.types: oracle.typesVersion, "k8s.io/apimachinery": oracle.apimachineryVersion}
    for line in (f"\t{module} {version}" for module, version in modules.items() if version):
        if line not in required:
            raise OracleError(f"{oracle.module}/go.mod does not require {line.strip()} as releases.json says")


def ask(release: str, lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Ask one release's oracle for {"text", "hash"} or {"error"} of each request, in order."""
    return find(release).program.ask(lines)


def bench(release: str, lines: Iterable[bytes], *, hash_only: bool = False) -> dict[str, Any]:
    """Time real Go over the requests for about a second: {"containers": count, "seconds": float}."""
    flag = "-bench-hash-only" if hash_only else "-bench"
    result: dict[str, Any] = json.loads(find(release).program.run(flag, data=b"\n".join(lines)))
    return result


def types(release: str) -> dict[str, Any]:
    """Read the type tree of the compiled Container, in the notation of schemas/types, by Go's reflection."""
    return find(release).program.types()


def cases() -> dict[str, bytes]:
    """Read golden/containers/inputs as requests."""
    return read_cases(GOLDEN.directory / "inputs")


def expected(releases: Sequence[str]) -> dict[Path, bytes]:
    """Compute every file that these programs make, by path below golden/containers."""
    newest = list(oracles())[-1]
    files = {VALUES: find(newest).program.run("-values")}
    requests = cases()
    for release in releases:
        build(release)
        answers = dict(zip(requests, ask(release, requests.values()), strict=True))
        _check_refused(release, answers)
        files |= {
            Path(release, f"{case}.txt"): answer["text"].encode()
            for case, answer in answers.items()
            if "text" in answer
        }
        hashes = "".join(f"{answer.get('hash', 'refused')}  {case}\n" for case, answer in answers.items())
        files[Path(release, "HASHES")] = hashes.encode()
    return files


def _check_refused(release: str, answers: dict[str, dict[str, Any]]) -> None:
    """Let a release refuse just the cases that releases.json says: what is refused by mistake has no hash to be wrong."""
    refused = {case: answer["error"] for case, answer in answers.items() if "error" in answer}
    expected = set(find(release).refuses)
    if refused.keys() != expected:
        raise OracleError(f"{release} refuses {refused}, but releases.json says {sorted(expected)}")


def differences(files: dict[Path, bytes]) -> list[str]:
    """List what golden/containers has more, less or other than the given files, in words for a log."""
    return GOLDEN.differences(files)


SCRIPT = Script(
    "oracle.py",
    "Build the Go oracles and make golden/containers with them.",
    oracles,
    build,
    GOLDEN,
    expected,
)

if __name__ == "__main__":
    sys.exit(SCRIPT.main())
