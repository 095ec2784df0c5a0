"""Build the Go oracles of static pods and make golden/staticpods with them.

An oracle is one Go program (scripts/staticpods) around the decoder, the defaults and the internal Pod of
k8s.io/kubernetes; it does what tryDecodeSinglePod and applyDefaults of pkg/kubelet/config/common.go do in its
release.
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

SOURCE = ROOT / "scripts" / "staticpods"
GOLDEN = Golden(ROOT / "golden" / "staticpods")


@dataclass(frozen=True)
class Oracle:
    """Describe one row of scripts/staticpods/releases.json: which module file, eras of the UID and of the hash, and Go make a release."""

    release: str
    modfile: str
    era: str
    containerEra: str  # noqa: N815 - the key in releases.json
    go: str

    @property
    def program(self) -> Program:
        """Name the program, which is built outside of the committed files."""
        modfile = SOURCE / "releases" / self.modfile
        sources = (*SOURCE.glob("*.go"), *files_below(COMMON), modfile, modfile.with_suffix(".sum"))
        arguments = (f"-modfile=releases/{self.modfile}",)
        eras = (("main.era", self.era), (ERA_VARIABLE, self.containerEra))
        return Program(
            ROOT / ".cache" / "staticpods" / self.release, SOURCE, self.go, sources, eras, arguments
        )


def oracles() -> dict[str, Oracle]:
    """Load the table of releases that have an oracle, oldest first."""
    rows = json.loads((SOURCE / "releases.json").read_text(encoding="utf-8"))
    return {row["release"]: Oracle(**row) for row in rows}


def find(release: str) -> Oracle:
    """Look one release up, because a misspelt one must not pass for an empty answer."""
    try:
        return oracles()[release]
    except KeyError:
        raise OracleError(f"no static pod oracle for {release}; there are {', '.join(oracles())}") from None


def build(release: str) -> bool:
    """Build one oracle unless nothing changed since it was last built; tell whether it was built."""
    oracle = find(release)
    _check_version(oracle)
    return oracle.program.build()


def _check_version(oracle: Oracle) -> None:
    """Refuse a module file of another release, or one whose staging modules are not of that release."""
    staging = f"v0.{oracle.release.split('.', 1)[1]}"
    wanted = {
        "k8s.io/kubernetes": f"v{oracle.release}",
        **dict.fromkeys(("k8s.io/api", "k8s.io/apimachinery"), staging),
    }
    required = (SOURCE / "releases" / oracle.modfile).read_text(encoding="utf-8").split("\n")
    lines = [line.removesuffix(" // indirect").strip() for line in required]
    for module, version in wanted.items():
        if f"{module} {version}" not in lines:
            raise OracleError(
                f"releases/{oracle.modfile} does not require {module} {version} as releases.json says"
            )


def ask(release: str, lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Ask one release's oracle for {"uid", "text", "suffix", "uidGiven", "containers"} or {"error"} of each request, in order."""
    return find(release).program.ask(lines)


def types(release: str) -> dict[str, Any]:
    """Read the type tree of the compiled internal Pod, in the notation of schemas/pods, by Go's reflection."""
    return find(release).program.types()


def cases() -> dict[str, bytes]:
    """Read golden/staticpods/inputs as requests."""
    return read_cases(GOLDEN.directory / "inputs")


def expected(releases: Sequence[str]) -> dict[Path, bytes]:
    """Compute every file of golden/staticpods that is made by Go, by path below it."""
    files: dict[Path, bytes] = {}
    requests = cases()
    for release in releases:
        build(release)
        answers = dict(zip(requests, ask(release, requests.values()), strict=True))
        for case, answer in answers.items():
            if "error" in answer:
                raise OracleError(f"{release} refuses {case}: {answer['error']}")
            files[Path(release, f"{case}.txt")] = answer["text"].encode()
            texts = "".join(f"{row['text']}\n" for row in answer["containers"])
            files[Path(release, f"{case}.containers")] = texts.encode()
        uids = "".join(f"{answer['uid']}  {case}\n" for case, answer in answers.items())
        files[Path(release, "UIDS")] = uids.encode()
        files[Path(release, "HASHES")] = "".join(
            f"{row['hash']}  {case}  {index}\n"
            for case, answer in answers.items()
            for index, row in enumerate(answer["containers"])
        ).encode()
    return files


SCRIPT = Script(
    "staticpods.py",
    "Build the oracles of static pods; make golden/staticpods.",
    oracles,
    build,
    GOLDEN,
    expected,
)

if __name__ == "__main__":
    sys.exit(SCRIPT.main())
