"""A Go program as a value: where it is built from, and how to build, run and ask it."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from scripts.lib import gomodules
from scripts.lib.gotool import NEWEST, GoError, environment, run
from scripts.lib.paths import ROOT


@dataclass(frozen=True, slots=True)
class Program:
    """One build of a Go program; the builds for two releases differ in these fields alone."""

    binary: Path
    """Where it is built to, below .cache."""

    module: Path
    """The directory of its module."""

    go: str = NEWEST
    """The toolchain, as GOTOOLCHAIN takes it."""

    modules: str = ""
    """The row of scripts/modules.json that pins what is imported; empty, the module's own go.mod does."""

    tags: str = ""
    """Build tags, separated by commas."""

    package: str = "."
    """The import path, where it is not the module itself."""

    variables: tuple[tuple[str, str], ...] = ()
    """String variables that the linker sets: import path and name, value."""

    linker: str = ""
    """One more flag of the linker."""

    cgo: bool = False
    """Whether a C compiler takes part."""

    shared: tuple[Path, ...] = ()
    """Directories of other Go modules of this repository that it imports."""

    prepare: Callable[[], object] | None = None
    """Writes the module, where it is not one of this repository."""

    def build(self) -> bool:
        """Build the program unless nothing changed since it was last built; return whether it was built.

        Raises:
            GoError: the build failed.
        """
        stamp = self.binary.with_name(f"{self.binary.name}.stamp")
        self.binary.parent.mkdir(parents=True, exist_ok=True)
        with self.binary.with_name(f"{self.binary.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # another process may build it just now: wait for that one
            if self.prepare is not None:
                self.prepare()
            wanted = self._fingerprint()
            if self.binary.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
                return False
            self._compile()
            stamp.write_text(wanted, encoding="utf-8")
        return True

    def _compile(self) -> None:
        unfinished = self.binary.with_name(f".{self.binary.name}.{os.getpid()}")
        variables = (f"-X {name}={value}" for name, value in self.variables)
        linked = " ".join(filter(None, ("-s -w", self.linker, *variables)))
        modfile = gomodules.write(self.module, self.modules) if self.modules else "go.mod"
        flags = ("-mod=readonly", f"-modfile={modfile}", f"-tags={self.tags}", "-trimpath")
        command = ("go", "build", *flags, "-ldflags", linked, "-o", str(unfinished), self.package)
        run(*command, directory=self.module, environ=environment(self.go, CGO_ENABLED=str(int(self.cgo))))
        unfinished.replace(self.binary)  # one that was interrupted leaves no half program

    def _fingerprint(self) -> str:
        settings = (self.go, self.modules, self.tags, self.package, self.variables)
        digest = hashlib.sha256(repr(settings).encode() + self.linker.encode() + b"cgo" * self.cgo)
        if self.modules:
            digest.update(gomodules.fingerprint(self.module, self.modules))
        for path in self._sources():
            digest.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
        return digest.hexdigest()

    def _sources(self) -> list[Path]:
        paths = {self.module / "go.mod", self.module / "go.sum", *self.module.rglob("*.go")}
        paths |= {path for other in self.shared for path in other.rglob("*") if path.is_file()}
        return sorted(path for path in paths if path.exists())

    def run(self, *arguments: str, data: bytes = b"") -> bytes:
        """Run the program once and return what it prints.

        Raises:
            GoError: it cannot be built, or ended with another exit code than 0.
        """
        self.build()
        done = subprocess.run([self.binary, *arguments], input=data, capture_output=True, check=False)
        if done.returncode:
            raise GoError(f"{self.binary.name} {' '.join(arguments)}: {done.stderr.decode().strip()}")
        return done.stdout

    def types(self) -> dict[str, Any]:
        """Read the tree of the compiled type, in the notation of schemas/, by Go's reflection."""
        tree: dict[str, Any] = json.loads(self.run("-types"))
        return tree

    def ask(self, lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
        """Yield the answer, or ``{"error"}``, to each request in order; both are lines of JSON.

        Raises:
            GoError: it cannot be built, or died.
        """
        self.build()
        with subprocess.Popen([self.binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            if process.stdin is None or process.stdout is None:
                raise GoError(f"no pipes to {self.binary.name}")
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
            raise GoError(f"{self.binary.name} ended with exit code {process.returncode}")


def _feed(pipe: IO[bytes], lines: Iterable[bytes]) -> None:
    try:
        with pipe:
            for line in lines:
                pipe.write(line.rstrip(b"\n") + b"\n")
    except BrokenPipeError:
        pass  # the reader stopped early, or the program died, as its exit code shows
