"""Build the Go oracles and make golden/ with them, so that every golden text comes from real Go.

An oracle is a small Go program around the v1.Container of one Kubernetes release (scripts/oracle);
it does what HashContainer of pkg/kubelet/container/helpers.go does in that release.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

ROOT = Path(__file__).resolve().parent.parent
MODULES = ROOT / "scripts" / "oracle"
CACHE = ROOT / ".cache" / "oracle"
GOLDEN = ROOT / "golden"
INPUTS = GOLDEN / "inputs"
ERA_VARIABLE = "hashcompat.io/oracle/common.era"


class OracleError(Exception):
    """Say that an oracle is unknown, cannot be built or refuses a container."""


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
    def binary(self) -> Path:
        """Name the built program, outside of the committed files."""
        return CACHE / self.release


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
    stamp = oracle.binary.with_suffix(oracle.binary.suffix + ".stamp")
    wanted = _fingerprint(oracle)
    if oracle.binary.exists() and stamp.exists() and stamp.read_text() == wanted:
        return False
    _check_versions(oracle)
    CACHE.mkdir(parents=True, exist_ok=True)
    _compile(oracle)
    stamp.write_text(wanted)
    return True


def _compile(oracle: Oracle) -> None:
    flags = f"-s -w -X {ERA_VARIABLE}={oracle.era}"
    unfinished = CACHE / f".{oracle.release}.{os.getpid()}"
    command = ["go", "build", "-trimpath", "-ldflags", flags, "-o", str(unfinished), "."]
    # The caller's GOFLAGS, GOWORK or GOTOOLCHAIN must not decide which Go the golden data is made by.
    environment = {
        **os.environ,
        "GOTOOLCHAIN": oracle.go,
        "GOFLAGS": "-buildvcs=false",
        "GOWORK": "off",
        "CGO_ENABLED": "0",
    }
    done = subprocess.run(command, cwd=MODULES / oracle.module, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise OracleError(f"go build of {oracle.release} failed:\n{done.stderr}")
    unfinished.replace(oracle.binary)  # two test processes may build the same oracle


def _fingerprint(oracle: Oracle) -> str:
    digest = hashlib.sha256(repr(oracle).encode())
    for folder in (MODULES / "common", MODULES / oracle.module):
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                digest.update(f"{path.relative_to(MODULES)}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def _check_versions(oracle: Oracle) -> None:
    """Refuse a table that says other versions than go.mod, for golden/README.md relies on it."""
    required = (MODULES / oracle.module / "go.mod").read_text(encoding="utf-8").splitlines()
    modules = {oracle.types: oracle.typesVersion, "k8s.io/apimachinery": oracle.apimachineryVersion}
    for line in (f"\t{module} {version}" for module, version in modules.items() if version):
        if line not in required:
            raise OracleError(f"{oracle.module}/go.mod does not require {line.strip()} as releases.json says")


def ask(release: str, lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Ask one release's oracle for {"text", "hash"} or {"error"} of each request, in order."""
    build(release)
    with subprocess.Popen([find(release).binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        if process.stdin is None or process.stdout is None:
            raise OracleError("no pipes to the oracle")
        feeder = threading.Thread(target=_feed, args=(process.stdin, lines), daemon=True)
        feeder.start()
        try:
            for answer in process.stdout:
                yield json.loads(answer)
        except GeneratorExit:
            process.kill()
            raise
        finally:
            feeder.join()
    if process.returncode:
        raise OracleError(f"the oracle of {release} ended with exit code {process.returncode}")


def _feed(pipe: IO[bytes], lines: Iterable[bytes]) -> None:
    try:
        with pipe:
            for line in lines:
                pipe.write(line.rstrip(b"\n") + b"\n")
    except BrokenPipeError:
        pass  # the reader stopped early, or the oracle died and its exit code says so


def bench(release: str, lines: Iterable[bytes], *, hash_only: bool = False) -> dict[str, Any]:
    """Time real Go over the requests for about a second: {"containers": count, "seconds": float}."""
    build(release)
    flag = "-bench-hash-only" if hash_only else "-bench"
    done = subprocess.run([find(release).binary, flag], input=b"\n".join(lines), stdout=subprocess.PIPE, check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def types(release: str) -> dict[str, Any]:
    """Read the type tree of the compiled Container, in the notation of schemas/types, by Go's reflection."""
    build(release)
    done = subprocess.run([find(release).binary, "-types"], stdout=subprocess.PIPE, check=True)
    tree: dict[str, Any] = json.loads(done.stdout)
    return tree


def cases() -> dict[str, bytes]:
    """Read golden/inputs as requests: a newline in JSON is never inside a string, so a space will do."""
    inputs = {path.stem: path.read_bytes().replace(b"\n", b" ") for path in INPUTS.glob("*.json")}
    return dict(sorted(inputs.items()))


def expected(releases: Sequence[str]) -> dict[Path, bytes]:
    """Compute every file of golden/ that is made by Go, by path below golden/."""
    files = {Path("values.jsonl"): _values()}
    requests = cases()
    for release in releases:
        answers = dict(zip(requests, ask(release, requests.values()), strict=True))
        _check_refused(release, answers)
        files |= {Path(release, f"{case}.txt"): answer["text"].encode() for case, answer in answers.items() if "text" in answer}
        hashes = "".join(f"{answer.get('hash', 'refused')}  {case}\n" for case, answer in answers.items())
        files[Path(release, "HASHES")] = hashes.encode()
    return files


def _check_refused(release: str, answers: dict[str, dict[str, Any]]) -> None:
    """Let a release refuse just the cases that releases.json says: what is refused by mistake has no hash to be wrong."""
    refused = {case: answer["error"] for case, answer in answers.items() if "error" in answer}
    expected = set(find(release).refuses)
    if refused.keys() != expected:
        raise OracleError(f"{release} refuses {refused}, but releases.json says {sorted(expected)}")


def _values() -> bytes:
    newest = list(oracles())[-1]
    build(newest)
    return subprocess.run([find(newest).binary, "-values"], stdout=subprocess.PIPE, check=True).stdout


def differences(files: dict[Path, bytes]) -> list[str]:
    """List what golden/ has more, less or other than the given files, in words for a log."""
    present = {path.relative_to(GOLDEN) for path in GOLDEN.glob("[0-9]*/*")} | {Path("values.jsonl")}
    found = []
    for path in sorted(present | set(files)):
        on_disk = GOLDEN / path
        if path not in files:
            found.append(f"stale    {path}")
        elif not on_disk.exists():
            found.append(f"missing  {path}")
        elif on_disk.read_bytes() != files[path]:
            found.append(f"changed  {path}")
    return found


def write(files: dict[Path, bytes]) -> None:
    """Make golden/ hold just the given files beside its inputs and README."""
    for path in GOLDEN.glob("[0-9]*/*"):
        if path.relative_to(GOLDEN) not in files:
            path.unlink()
    for name, content in files.items():
        path = GOLDEN / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def run_build(arguments: argparse.Namespace) -> int:
    """Build the asked oracles, all of them by default."""
    for release in arguments.release or oracles():
        print(release, "built" if build(release) else "up to date", flush=True)
    return 0


def run_golden(arguments: argparse.Namespace) -> int:
    """Rewrite golden/, or only compare it; 1 says that --check found a difference."""
    files = expected(list(oracles()))
    found = differences(files)
    print("\n".join(found) or "identical")
    if arguments.check:
        return 1 if found else 0
    write(files)
    return 0


def parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    top = argparse.ArgumentParser(prog="oracle.py", description=__doc__.splitlines()[0])
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    one = commands.add_parser("build", help="build the Go programs into .cache/oracle")
    one.add_argument("release", nargs="*", metavar="RELEASE", help="default: all of releases.json")
    one.set_defaults(run=run_build)
    two = commands.add_parser("golden", help="rewrite every expected file of golden/ from golden/inputs")
    two.add_argument("--check", action="store_true", help="write nothing; exit 1 when anything would change")
    two.set_defaults(run=run_golden)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and turn its failure into exit code 1."""
    arguments = parser().parse_args(argv)
    run: Callable[[argparse.Namespace], int] = arguments.run
    try:
        return run(arguments)
    except OracleError as error:
        print(f"oracle.py: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
