"""Generated files as a value: what makes them, which they are, how they differ from the committed ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from scripts.lib import golden
from scripts.lib.paths import ROOT


def _no_problems() -> list[str]:
    return []


@dataclass(frozen=True, slots=True)
class Generated:
    """A set of files that one function makes."""

    make: Callable[[], Mapping[Path, bytes]]
    """Return the content of every file, by path from the root of the repository; writes nothing itself."""

    owned: tuple[str, ...]
    """Globs from the root for the files that nothing else may have made: one that ``make`` lacks is stale."""

    problems: Callable[[], list[str]] = _no_problems
    """Name, a line each, where hand-written files do not agree with the generated ones that are committed."""

    root: Path = ROOT

    def differences(self, files: Mapping[Path, bytes]) -> list[str]:
        """Name each file that is missing, changed or stale, in the order of the paths."""
        present = self._present()
        differences = []
        for path in sorted(present | set(files)):
            if path not in files:
                differences.append(f"stale    {path}")
            elif not (self.root / path).exists():
                differences.append(f"missing  {path}")
            elif (self.root / path).read_bytes() != files[path]:
                changed = _cases_that_differ(path, (self.root / path).read_bytes(), files[path])
                differences += [f"changed  {path}{case}" for case in changed]
        return differences

    def write(self, files: Mapping[Path, bytes]) -> None:
        """Write the files, and delete the stale ones."""
        for path in self._present() - set(files):
            (self.root / path).unlink()
        for path, content in files.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_bytes(content)

    def check(self) -> list[str]:
        """Make everything again and name what differs, or else the problems; empty if all is as committed."""
        return self.differences(self.make()) or self.problems()

    def _present(self) -> set[Path]:
        paths = (path for pattern in self.owned for path in self.root.glob(pattern))
        return {path.relative_to(self.root) for path in paths if path.is_file()}


def _cases_that_differ(path: Path, old: bytes, new: bytes) -> list[str]:
    """Name the lines that differ of a file with a line a case, each after a colon; else nothing, once."""
    if path.parts[0] != "golden" or path.suffix != ".jsonl":
        return [""]
    try:
        before, after = golden.lines(old), golden.lines(new)
    except (ValueError, LookupError, TypeError):  # lines without cases, or no lines of JSON
        return [""]
    names = sorted(before.keys() | after)
    return [f": {name}" for name in names if before.get(name) != after.get(name)] or [""]


def one_release(directory: Path, release: str, make: Callable[[str], Mapping[Path, bytes]]) -> Generated:
    """Return the files of one release, all with its name first; ``make`` makes those of a release."""
    return Generated(lambda: make(release), owned=(f"{directory.relative_to(ROOT)}/{release}.*",))


def all_releases(
    directory: Path, releases: Callable[[], Iterable[str]], make: Callable[[str], Mapping[Path, bytes]]
) -> Generated:
    """Return the files of all releases; one of a release that is not among them is stale."""

    def made() -> dict[Path, bytes]:
        return {path: content for release in releases() for path, content in make(release).items()}

    return Generated(made, owned=(f"{directory.relative_to(ROOT)}/[0-9]*",))


def relative(directory: Path, files: Mapping[str, bytes]) -> dict[Path, bytes]:
    """Return files, named from a directory of the repository, by path from its root."""
    return {directory.relative_to(ROOT) / name: content for name, content in files.items()}
