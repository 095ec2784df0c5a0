"""The project's text is spelt in one way, the British one; how it reads is for people to judge."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.helpers.program import ROOT

WORDS: Final = {
    r"\b[Bb]ehaviors?\b": "behaviour",
    r"\b([Cc]olor|[Ff]avor|[Hh]onor|[Nn]eighbor)(s|ed|ing|al|able|ite)?\b": "the spelling with -our",
    r"\b[Rr]ecogniz(e|es|ed|ing)\b": "recognise",
    r"\b([Cc]ancel|[Ll]abel|[Mm]odel)(ed|ing)\b": "two l",
    r"\b([a-z]{2,}) (?<!\bhad )(?<!\bthat )\1\b": "the word once",
    r"\b([Ss]eperat|[Oo]ccured|[Rr]eciev|[Ee]xistance|[Dd]ependant on|[Ss]ucessful)\w*": "it right",
}
"""What is inconsistent or misspelt, each with what to write instead; a space is a line end too.

Whether a sentence is one that an engineer would say is for people to judge: no list of phrases finds that.
"""

PLACES: Final = {
    "": ("*.md",),
    ".ci": ("**/*.py", "run", "full", "repeat", "*.sh"),
    "docs": ("**/*.md",),
    "deploy": ("**/*.yaml", "image/Dockerfile"),
    "examples": ("**/*.md", "**/*.py", "**/*.yaml", "**/*.yml"),
    "golden": ("*.md",),
    "hashcompat": ("**/*.py", "**/*.sh", "**/*.tmpl"),
    "schemas": ("**/*.md", "**/*.toml"),
    "scripts": ("**/*.py", "**/*.md", "**/*.go"),
    "tests": ("**/*.py", "**/*.md"),
}
_CODE: Final = re.compile(r"```.*?```|``[^`]*``|`[^`\n]*`|https?://\S+", re.DOTALL)
_COMMENT: Final = re.compile(r"(?://|#).*")
_STRING_OR_COMMENT: Final = re.compile(
    r"""(?P<quotes>\"{3}|'{3})(?:\\.|[^\\])*?(?P=quotes)"""
    r"""|"(?:\\.|[^"\\\n])*+"|'(?:\\.|[^'\\\n])*+'|(?P<comment>\#[^\n]*)""",
    re.DOTALL,
)
"""What begins first counts: a quote in a comment opens no string. ``tokenize`` takes ten times as long."""
_PATTERNS: Final = {re.compile(words): instead for words, instead in WORDS.items()}

Text = tuple[int, str]
"""A line's number and the text that begins there."""


def texts(path: Path) -> Iterator[Text]:
    """Yield what people read in a file: prose, comments, docstrings and, in the package, strings."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        in_package = path.is_relative_to(ROOT / "hashcompat")
        yield from comments(source, docstrings=not in_package)
        yield from strings(ast.parse(source)) if in_package else ()
    elif path.suffix in (".md", ".tmpl", ".toml"):
        yield 1, source
    else:
        for number, line in enumerate(source.splitlines(), 1):
            yield from ((number, match[0]) for match in _COMMENT.finditer(line))


def comments(source: str, *, docstrings: bool = False) -> Iterator[Text]:
    """Yield comments; if asked to, also what is in three quotes at the beginning of a line."""
    for match in _STRING_OR_COMMENT.finditer(source):
        begin = source.rfind("\n", 0, match.start()) + 1
        if match["comment"] or (docstrings and match["quotes"] and not source[begin : match.start()].strip()):
            yield source.count("\n", 0, match.start()) + 1, match[0]


def strings(node: ast.AST) -> Iterator[Text]:
    """Yield the strings of several words below a node; an f-string is one, with ``{}`` for each value."""
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.Constant(str(text)) if " " not in text:
                pass
            case ast.Expr(ast.Constant(str(text))):
                yield child.lineno, text
            case ast.Constant(str(text)):
                yield child.lineno, text
            case ast.JoinedStr(parts):
                yield child.lineno, "".join(literal(part) for part in parts)
            case _:
                yield from strings(child)


def literal(part: ast.expr) -> str:
    return part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "{}"


def findings(text: str, line: int = 1) -> list[str]:
    """Name every misspelling in a text, with its line and what to write instead; code is passed over."""
    prose = _CODE.sub(lambda code: "\n" * code[0].count("\n") + "X", text)
    lines = re.sub(r"[ \t]*\n[ \t]*", "\n", prose)
    return [
        f"{line + lines.count(chr(10), 0, match.start())}: {match[0]!r}; write {instead}"
        for pattern, instead in _PATTERNS.items()
        for match in pattern.finditer(lines.replace("\n", " "))
    ]


def files() -> Iterator[Path]:
    for place, patterns in PLACES.items():
        yield from (path for pattern in patterns for path in sorted((ROOT / place).glob(pattern)))


def names() -> list[str]:
    return [str(path.relative_to(ROOT)) for path in files() if path != Path(__file__)]


@pytest.mark.usefixtures("untraced")
def test_every_text_is_spelt_in_one_way() -> None:
    misspellings = [
        f"{name}:{finding}"
        for name in names()
        for line, text in texts(ROOT / name)
        for finding in findings(text, line)
    ]
    assert misspellings == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('"""It behaves, and its behavior counts."""\n', 1),
        ("x = 1  # read the the file\n", 1),
        ('def f(name):\n    raise ValueError(f"{name!r}: not a color")\n', 2),
        ('x = \'# not this\', """it\'s\n#"""  # \'read\' the the file\n', 2),
        ('class C:\n    x: int\n    """As the\n    label is labeled."""\n', 4),
    ],
)
def test_comments_docstrings_and_messages_are_read(text: str, line: int, tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(text)
    of_package = (*comments(text), *strings(ast.parse(text)))
    (finding,) = [finding for start, read in of_package for finding in findings(read, start)]
    assert finding.startswith(f"{line}: ")
    of_others = [
        finding for start, read in comments(text, docstrings=True) for finding in findings(read, start)
    ]
    assert of_others == ([] if "raise" in text else [finding])


@pytest.mark.parametrize(
    "text",
    [
        "What they had had was not that that node needs.",
        "The flag `--color`, and the field `behavior`.",
        "```\nthe the\n```",
        "1.4 to 1.6 and node NODE",
    ],
)
def test_plain_english_and_code_pass(text: str) -> None:
    assert findings(text) == []
