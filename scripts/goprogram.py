"""Build, ask and record the Go programs that make golden data: what oracle.py and staticpods.py have in common."""

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
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

ROOT = Path(__file__).resolve().parent.parent
COMMON = ROOT / "scripts" / "oracle" / "common"
ERA_VARIABLE = "hashcompat.io/oracle/common.era"


class OracleError(Exception):
    """Say that an oracle is unknown, cannot be built or refuses its input."""


@dataclass(frozen=True)
class Program:
    """One release's Go program: the module it is built in, by which Go, with which arguments and linked variables.

    ``sources`` are all files that it is made of; when one of them changes, it is built anew. ``package`` is
    its import path, where that is not the module itself.
    """

    binary: Path
    module: Path
    go: str
    sources: tuple[Path, ...]
    variables: tuple[tuple[str, str], ...]
    arguments: tuple[str, ...] = ()
    package: str = "."

    def build(self) -> bool:
        """Build the program unless nothing changed since it was last built; tell whether it was built."""
        stamp = self.binary.with_suffix(self.binary.suffix + ".stamp")
        wanted = self._fingerprint()
        if self.binary.exists() and stamp.exists() and stamp.read_text() == wanted:
            return False
        self.binary.parent.mkdir(parents=True, exist_ok=True)
        self._compile()
        stamp.write_text(wanted)
        return True

    def _compile(self) -> None:
        flags = " ".join(["-s -w", *(f"-X {name}={value}" for name, value in self.variables)])
        unfinished = self.binary.with_name(f".{self.binary.name}.{os.getpid()}")
        command = [
            "go",
            "build",
            "-mod=readonly",
            *self.arguments,
            "-trimpath",
            "-ldflags",
            flags,
            "-o",
            str(unfinished),
            self.package,
        ]
        # The caller's GOFLAGS, GOWORK or GOTOOLCHAIN must not decide which Go the golden data is made by.
        own = {"GOTOOLCHAIN": self.go, "GOFLAGS": "-buildvcs=false", "GOWORK": "off", "CGO_ENABLED": "0"}
        done = subprocess.run(
            command, cwd=self.module, env={**os.environ, **own}, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise OracleError(f"go build of {self.binary.name} failed:\n{done.stderr}")
        unfinished.replace(self.binary)  # two test processes may build the same oracle

    def _fingerprint(self) -> str:
        digest = hashlib.sha256(repr((self.go, self.variables, self.arguments, self.package)).encode())
        for path in sorted(self.sources):
            digest.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
        return digest.hexdigest()

    def run(self, *arguments: str, data: bytes = b"") -> bytes:
        """Run the program once and return what it prints."""
        self.build()
        return subprocess.run(
            [self.binary, *arguments], input=data, stdout=subprocess.PIPE, check=True
        ).stdout

    def types(self) -> dict[str, Any]:
        """Read the tree of the compiled type, in the notation of schemas, by Go's reflection."""
        tree: dict[str, Any] = json.loads(self.run("-types"))
        return tree

    def ask(self, lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
        """Ask for the answer, or ``{"error"}``, to each request, in order."""
        self.build()
        with subprocess.Popen([self.binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
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
            raise OracleError(f"the oracle of {self.binary.name} ended with exit code {process.returncode}")


def _feed(pipe: IO[bytes], lines: Iterable[bytes]) -> None:
    try:
        with pipe:
            for line in lines:
                pipe.write(line.rstrip(b"\n") + b"\n")
    except BrokenPipeError:
        pass  # the reader stopped early, or the oracle died and its exit code says so


def files_below(*folders: Path) -> tuple[Path, ...]:
    """List every file of some folders, however deep."""
    return tuple(path for folder in folders for path in folder.rglob("*") if path.is_file())


def cases(inputs: Path) -> dict[str, bytes]:
    """Read a folder of inputs as requests: a newline in JSON is never inside a string, so a space will do."""
    found = {path.stem: path.read_bytes().replace(b"\n", b" ") for path in inputs.glob("*.json")}
    return dict(sorted(found.items()))


@dataclass(frozen=True)
class Golden:
    """A golden directory: what lies in one folder a release there, and in ``extra``, is made by Go."""

    directory: Path
    extra: frozenset[Path] = frozenset()

    def _present(self) -> set[Path]:
        made = {path.relative_to(self.directory) for path in self.directory.glob("[0-9]*/*")}
        return made | {path for path in self.extra if (self.directory / path).exists()}

    def differences(self, files: Mapping[Path, bytes]) -> list[str]:
        """List what the directory has more, less or other than the given files, in words for a log."""
        found = []
        present = self._present()
        for path in sorted(present | set(files)):
            if path not in files:
                found.append(f"stale    {path}")
            elif path not in present:
                found.append(f"missing  {path}")
            elif (self.directory / path).read_bytes() != files[path]:
                found.append(f"changed  {path}")
        return found

    def write(self, files: Mapping[Path, bytes]) -> None:
        """Make the directory hold just the given files beside its inputs and README."""
        for path in self._present() - set(files):
            (self.directory / path).unlink()
        for name, content in files.items():
            path = self.directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


@dataclass(frozen=True)
class Script:
    """A script's two commands: build the programs, and make its golden directory of what they answer."""

    name: str
    about: str
    releases: Callable[[], Iterable[str]]
    build: Callable[[str], bool]
    golden: Golden
    expected: Callable[[Sequence[str]], dict[Path, bytes]]

    def main(self, argv: Sequence[str] | None = None) -> int:
        """Run one command and turn its failure into exit code 1."""
        arguments = self._parser().parse_args(argv)
        try:
            return int(arguments.run(arguments))
        except OracleError as error:
            print(f"{self.name}: {error}", file=sys.stderr)
            return 1

    def _parser(self) -> argparse.ArgumentParser:
        top = argparse.ArgumentParser(prog=self.name, description=self.about)
        commands = top.add_subparsers(required=True, metavar="COMMAND")
        one = commands.add_parser("build", help="build the Go programs into .cache")
        one.add_argument("release", nargs="*", metavar="RELEASE", help="default: all of releases.json")
        one.set_defaults(run=self._build)
        two = commands.add_parser("golden", help="rewrite every expected file from the inputs")
        two.add_argument(
            "--check", action="store_true", help="write nothing; exit 1 when anything would change"
        )
        two.set_defaults(run=self._golden)
        return top

    def _build(self, arguments: argparse.Namespace) -> int:
        for release in arguments.release or self.releases():
            print(release, "built" if self.build(release) else "up to date", flush=True)
        return 0

    def _golden(self, arguments: argparse.Namespace) -> int:
        """Rewrite the golden directory, or only compare it; 1 says that --check found a difference."""
        files = self.expected(list(self.releases()))
        found = self.golden.differences(files)
        print("\n".join(found) or "identical")
        if arguments.check:
            return 1 if found else 0
        self.golden.write(files)
        return 0
