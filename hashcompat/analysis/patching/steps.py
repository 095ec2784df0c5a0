"""The steps that change a Go file.

Each finds its place by the file's content, and rejects a function that is not upstream's.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable

import msgspec

from hashcompat.analysis.patching import MisplacedError
from hashcompat.core.catalog.eras import Site

_BLOCK = re.compile(r"^import \(\n(?P<lines>.*?)^\)\n", re.MULTILINE | re.DOTALL)
_IMPORT = re.compile(r'\t(?:(?P<alias>[\w.]+) )?"(?P<path>[^"]+)"')


def function_text(text: str, name: str) -> str:
    """Return a top-level function of a gofmt'd file, up to its closing brace; empty if there is none."""
    function = re.search(rf"^func {re.escape(name)}\(.*?^}}\n", text, re.MULTILINE | re.DOTALL)
    return function[0] if function else ""


class _OfFunction(msgspec.Struct, frozen=True):
    """A step that changes one function, which must be upstream's."""

    site: Site
    """The functions of the release, by checksum."""
    name: str
    """The function's name."""

    @property
    def hunk(self) -> str:
        """The function's name."""
        return self.name

    def _with(self, text: str, mark: str, change: Callable[[str], str]) -> str:
        """Return the file with the function changed; text that contains ``mark`` was already patched."""
        old = checked_function(text, self.name, self.site, mark)
        return text.replace(old, change(old))


class InFunction(_OfFunction, frozen=True):
    """Insert lines into a function."""

    before: str
    """The start of the line before which they are inserted."""
    insert: str
    """The lines."""
    mark: str
    """A text that only a patched file contains."""

    @property
    def words(self) -> str:
        """What to insert, and where."""
        return f"in func {self.name}, before the line `{self.before.strip()} ...`:\n\n{self.insert}"

    def apply(self, text: str) -> str:
        """Insert the lines."""
        return self._with(text, self.mark, lambda old: old.replace(self.before, self.insert + self.before))


class ReplaceLine(_OfFunction, frozen=True):
    """Replace one line of a function."""

    line: str
    """The line to replace."""
    instead: str
    """The line that replaces it."""
    mark: str
    """A text that only a patched file contains."""

    @property
    def words(self) -> str:
        """Which line becomes which."""
        return f"in func {self.name} the line `{self.line.strip()}` becomes `{self.instead.strip()}`"

    def apply(self, text: str) -> str:
        """Replace the line."""
        return self._with(text, self.mark, lambda old: old.replace(self.line, self.instead))


class Body(_OfFunction, frozen=True):
    """Replace the body of a function."""

    body: str
    """The new body, up to the closing brace."""
    mark: str
    """A text that only a patched file contains."""

    @property
    def words(self) -> str:
        """The new body."""
        return f"the body of func {self.name} becomes:\n\n{self.body}"

    def apply(self, text: str) -> str:
        """Replace everything between the first line and the closing brace."""
        return self._with(text, self.mark, lambda old: old[: old.index("\n") + 1] + self.body + "}\n")


class RemoveFunction(_OfFunction, frozen=True):
    """Remove a function that is no longer called, with the comment above it."""

    @property
    def words(self) -> str:
        """What to remove."""
        return f"func {self.name} is no longer called: remove it with its comment."

    def apply(self, text: str) -> str:
        """Remove the function, unless something else in the file calls it."""
        old = checked_function(text, self.name, self.site, "")
        if f"{self.name}(" in text.replace(old, ""):
            return text
        return re.sub(r"(?:^//[^\n]*\n)*" + re.escape(old) + r"\n?", "", text, flags=re.MULTILINE)


def checked_function(text: str, name: str, site: Site, mark: str) -> str:
    """Return a function's text if it is that of the release; raise MisplacedError otherwise."""
    old = function_text(text, name)
    # Before the checksum, by which a function that was patched would be taken for a vendor's.
    if mark and mark in text:
        raise MisplacedError(f"already patched: the file contains {mark}")
    if not old:
        raise MisplacedError(f"there is no func {name}; this is not the source of that release")
    digest = hashlib.sha256(old.encode()).hexdigest()
    expected = site.function(name)
    if expected is not None and digest == expected.sha256:
        return old
    if other := next((function for function in site.others if function.sha256 == digest), None):
        raise MisplacedError(
            f"this is func {name} of Kubernetes {other.releases}, so the tree is of another release"
        )
    raise MisplacedError(
        f"func {name} is not upstream's (SHA-256 {digest[:12]}…) but a vendor's; merge the change by hand"
    )


class AddImport(msgspec.Struct, frozen=True):
    """Import a package of Kubernetes, where gofmt sorts it."""

    path: str
    """The import path."""
    alias: str = ""
    """The name to import it under; empty for its own."""

    @property
    def hunk(self) -> str:
        """The import block."""
        return "import"

    @property
    def words(self) -> str:
        """What to import."""
        return f"import {self._line.strip()}"

    @property
    def _line(self) -> str:
        return f'\t{self.alias} "{self.path}"\n' if self.alias else f'\t"{self.path}"\n'

    def apply(self, text: str) -> str:
        """Insert the line, in order of import paths, into the last group of the import block."""
        block = _BLOCK.search(text)
        if block is None:
            raise MisplacedError("there is no import block")
        if self._line in block[0]:
            raise MisplacedError(f"already patched: {self.path} is imported")
        lines = block["lines"].splitlines(keepends=True)
        lines.insert(self._position(lines), self._line)
        return text[: block.start("lines")] + "".join(lines) + text[block.end("lines") :]

    def _position(self, lines: list[str]) -> int:
        """Return the place in the last group of imports: after every path that sorts before this one."""
        # gofmt sorts by path within a group, whatever the aliases are; blank lines separate groups.
        group = max((index for index, line in enumerate(lines) if not line.strip()), default=-1) + 1
        paths = [(index, match["path"]) for index, line in enumerate(lines) if (match := _IMPORT.match(line))]
        before = [index for index, path in paths if index >= group and path < self.path]
        return max(before, default=group - 1) + 1


class DropUnusedImports(msgspec.Struct, frozen=True):
    """Remove imports that the file no longer uses, because Go does not compile them."""

    names: tuple[tuple[str, str], ...]
    """The import path and the package name of each import that may be unused."""

    @property
    def hunk(self) -> str:
        """The import block."""
        return "import"

    @property
    def words(self) -> str:
        """Which imports may have to be removed."""
        paths = ", ".join(path for path, _ in self.names)
        return f"remove those of the imports {paths} that the file no longer uses."

    def apply(self, text: str) -> str:
        """Remove each import whose name is not used outside the import block."""
        for path, name in self.names:
            if not re.search(rf"\b{name}\.", _BLOCK.sub("", text, count=1)):
                text = re.sub(rf'^\t(?:\w+ )?"{re.escape(path)}"\n', "", text, count=1, flags=re.MULTILINE)
        return text


class Literals(msgspec.Struct, frozen=True):
    """Replace the hash literals of a test."""

    pairs: tuple[tuple[int, int], ...]
    """The old and the new hash of each literal, in the order of the file."""

    @property
    def hunk(self) -> str:
        """The asserted hashes."""
        return "asserted hashes"

    @property
    def words(self) -> str:
        """Which literals become which."""
        return "the asserted hashes become, in order: " + ", ".join(
            f"{old:#x} -> {new:#x}" for old, new in self.pairs
        )

    def apply(self, text: str) -> str:
        """Replace them in order; raise MisplacedError, naming the first that is missing."""
        done, rest = "", text
        for old, new in self.pairs:
            # Behind the one before it: a new hash may equal an old one that comes later.
            head, literal, rest = rest.partition(f"{old:#x}")
            if not literal:
                raise MisplacedError(f"{old:#x} is missing where upstream asserts it")
            done += f"{head}{new:#x}"
        return done + rest
