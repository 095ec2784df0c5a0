"""Build the Go oracles of static pods and make golden/staticpods with them.

An oracle is one Go program (scripts/staticpods) around the decoder, the defaults and the internal Pod of
k8s.io/kubernetes; it does what tryDecodeSinglePod and applyDefaults of pkg/kubelet/config/common.go do in its release.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "scripts" / "staticpods"
CACHE = ROOT / ".cache" / "staticpods"
GOLDEN = ROOT / "golden" / "staticpods"
INPUTS = GOLDEN / "inputs"


class OracleError(Exception):
    """Say that an oracle is unknown, cannot be built or refuses a manifest."""


@dataclass(frozen=True)
class Oracle:
    """Describe one row of scripts/staticpods/releases.json: which module file, era and Go make a release."""

    release: str
    modfile: str
    era: str
    go: str

    @property
    def binary(self) -> Path:
        """Name the built program, outside of the committed files."""
        return CACHE / self.release


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
    stamp = oracle.binary.with_suffix(oracle.binary.suffix + ".stamp")
    wanted = _fingerprint(oracle)
    if oracle.binary.exists() and stamp.exists() and stamp.read_text() == wanted:
        return False
    _check_version(oracle)
    CACHE.mkdir(parents=True, exist_ok=True)
    _compile(oracle)
    stamp.write_text(wanted)
    return True


def _compile(oracle: Oracle) -> None:
    flags = f"-s -w -X main.era={oracle.era}"
    unfinished = CACHE / f".{oracle.release}.{os.getpid()}"
    modfile = f"-modfile=releases/{oracle.modfile}"
    command = ["go", "build", "-mod=readonly", modfile, "-trimpath", "-ldflags", flags, "-o", str(unfinished), "."]
    # The caller's GOFLAGS, GOWORK or GOTOOLCHAIN must not decide which Go the golden data is made by.
    own = {"GOTOOLCHAIN": oracle.go, "GOFLAGS": "-buildvcs=false", "GOWORK": "off", "CGO_ENABLED": "0"}
    done = subprocess.run(command, cwd=SOURCE, env={**os.environ, **own}, capture_output=True, text=True, check=False)
    if done.returncode:
        raise OracleError(f"go build of {oracle.release} failed:\n{done.stderr}")
    unfinished.replace(oracle.binary)  # two test processes may build the same oracle


def _fingerprint(oracle: Oracle) -> str:
    digest = hashlib.sha256(repr(oracle).encode())
    modfile = SOURCE / "releases" / oracle.modfile
    for path in (*sorted(SOURCE.glob("*.go")), modfile, modfile.with_suffix(".sum")):
        digest.update(f"{path.name}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def _check_version(oracle: Oracle) -> None:
    """Refuse a module file of another release, or one whose staging modules are not of that release."""
    staging = f"v0.{oracle.release.split('.', 1)[1]}"
    wanted = {"k8s.io/kubernetes": f"v{oracle.release}", **dict.fromkeys(("k8s.io/api", "k8s.io/apimachinery"), staging)}
    required = (SOURCE / "releases" / oracle.modfile).read_text(encoding="utf-8").split("\n")
    lines = [line.removesuffix(" // indirect").strip() for line in required]
    for module, version in wanted.items():
        if f"{module} {version}" not in lines:
            raise OracleError(f"releases/{oracle.modfile} does not require {module} {version} as releases.json says")


def ask(release: str, lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Ask one release's oracle for {"uid", "text", "suffix", "uidGiven"} or {"error"} of each request, in order."""
    build(release)
    requests = b"".join(line.rstrip(b"\n") + b"\n" for line in lines)
    done = subprocess.run([find(release).binary], input=requests, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        raise OracleError(f"the oracle of {release} ended with exit code {done.returncode}")
    yield from map(json.loads, done.stdout.splitlines())


def types(release: str) -> dict[str, Any]:
    """Read the type tree of the compiled internal Pod, in the notation of schemas/pods, by Go's reflection."""
    build(release)
    done = subprocess.run([find(release).binary, "-types"], stdout=subprocess.PIPE, check=True)
    tree: dict[str, Any] = json.loads(done.stdout)
    return tree


def cases() -> dict[str, bytes]:
    """Read golden/staticpods/inputs as requests: a newline in JSON is never inside a string, so a space will do."""
    inputs = {path.stem: path.read_bytes().replace(b"\n", b" ") for path in INPUTS.glob("*.json")}
    return dict(sorted(inputs.items()))


def expected(releases: Sequence[str]) -> dict[Path, bytes]:
    """Compute every file of golden/staticpods that is made by Go, by path below it."""
    files: dict[Path, bytes] = {}
    requests = cases()
    for release in releases:
        answers = dict(zip(requests, ask(release, requests.values()), strict=True))
        for case, answer in answers.items():
            if "error" in answer:
                raise OracleError(f"{release} refuses {case}: {answer['error']}")
            files[Path(release, f"{case}.txt")] = answer["text"].encode()
        uids = "".join(f"{answer['uid']}  {case}\n" for case, answer in answers.items())
        files[Path(release, "UIDS")] = uids.encode()
    return files


def differences(files: dict[Path, bytes]) -> list[str]:
    """List what golden/staticpods has more, less or other than the given files, in words for a log."""
    present = {path.relative_to(GOLDEN): path.read_bytes() for path in GOLDEN.glob("[0-9]*/*")}
    stale = [f"stale    {path}" for path in present.keys() - files.keys()]
    missing = [f"missing  {path}" for path in files.keys() - present.keys()]
    changed = [f"changed  {path}" for path in present.keys() & files.keys() if present[path] != files[path]]
    return sorted(stale + missing + changed)


def write(files: dict[Path, bytes]) -> None:
    """Make golden/staticpods hold just the given files beside its inputs."""
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
    """Rewrite golden/staticpods, or only compare it; 1 says that --check found a difference."""
    files = expected(list(oracles()))
    found = differences(files)
    print("\n".join(found) or "identical")
    if arguments.check:
        return 1 if found else 0
    write(files)
    return 0


def parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    top = argparse.ArgumentParser(prog="staticpods.py", description="Build the oracles of static pods; make golden/staticpods.")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    one = commands.add_parser("build", help="build the Go programs into .cache/staticpods")
    one.add_argument("release", nargs="*", metavar="RELEASE", help="default: all of releases.json")
    one.set_defaults(run=run_build)
    two = commands.add_parser("golden", help="rewrite every expected file of golden/staticpods from its inputs")
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
        print(f"staticpods.py: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
