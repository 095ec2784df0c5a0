"""The project's text keeps to the words of the glossary in CONTRIBUTING.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.helpers.program import ROOT

WORDS: Final = {
    # "report", "record", "show" and "know" say who knows what; "tell" does not
    r"\b(tells?|told|telling)\b(?!.{0,20} apart\b)": "report, record, show, know, return whether",
    r"\banew\b": "again",
    r"\bto come\b": "target (release, API server)",
    r"\b(says?|said|saying) (nothing|so)\b": "name what is missing, or what is stated",
    r"\bunsaid\b": "missing, left out",
    r"(?<!there )\b(is|are|was|were) no (?!longer\b|more\b|less\b|better\b|different\b)": "is not a",
    r"\bthat (is|are|was|were) none\b": "that is not one",
    r"\bbears?\b": "has, carries",
    r"(?<!both )(?<!all )(?<!each )(?<!some )(?<!none )(?<!one )\bof which\b": "whose, and ... of it",
    r"\bbe it\b": "even if, whether",
    r"\bfor (it|that|this) is\b": "because it is",
    r"\bas (it|they) stands?\b": "as it is, unchanged",
    r"\bstands? (in|at|on|behind|under|before|beside|below|above|outside|directly|here|there)\b": "is, comes",
    r"\bat hand\b": "available",
    r"\bbeside\b": "next to, besides, as well as",
    r"\bin (another|some other) way\b": "differently",
    r"\btak(e|es|en|ing)\b[^.]{0,40} for (un)?changed\b": "treats as changed",
    r"\btak(e|es|en|ing)\b[^.]{0,40} for (its|their) own\b": "accepts",
    r"\b(one|rows?|lines?|words?|files?|pages?|bytes|verdicts?) an? (container|pod|rule|release|node|file|id"
    r"|line|page|command|commit|stage|result|package|format|group|check|decision)\b": "per",
    r"\bg(ive|ives|ave|iven) (it |them )?back\b": "returns",
    r"\bon end\b": "one after another",
    r"\bvery same\b": "same",
    r"\bheld to\b": "checked against, compared with",
    r"\bwithout a word\b": "silently",
    r"\b(can|to) be had\b": "can be obtained",
    r"\b(speaks?|spoken) of\b": "mentions, is about",
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\b(therein|thereof|whereof|in vain)\b": "plain words",
    r"(?:^|[(,;:] )to 1\.\d": "up to 1.x",
    r"\brooms?\b": "package",
}
"""Phrases that read as translated, each with what to write instead; a space is a line end too."""

PLACES: Final = {
    "": ("*.md",),
    ".ci": ("**/*.py", "run", "full", "repeat", "*.sh"),
    "docs": ("**/*.md",),
    "deploy": ("**/*.yaml", "image/Dockerfile"),
    "examples": ("**/*.md", "**/*.py", "**/*.yaml", "**/*.yml"),
    "golden": ("*.md",),
    "hashcompat": ("**/*.py", "**/*.sh", "**/*.tmpl"),
    "schemas": ("**/*.md",),
    "scripts": ("**/*.py", "**/*.md", "**/*.go"),
    "tests": ("**/*.py", "**/*.md"),
}
_CODE: Final = re.compile(r"```.*?```|``[^`]*``|`[^`\n]*`|https?://\S+", re.DOTALL)
_COMMENT: Final = re.compile(r"(?://|#).*")
_STRING_OR_COMMENT: Final = re.compile(
    r"""(?P<quotes>\"{3}|'{3})(?:\\.|(?!(?P=quotes)).)*+(?P=quotes)"""
    r"""|"(?:\\.|[^"\\\n])*+"|'(?:\\.|[^'\\\n])*+'|(?P<comment>\#[^\n]*)""",
    re.DOTALL,
)
"""What begins first counts: a quote in a comment opens no string. ``tokenize`` takes ten times as long."""
_PATTERNS: Final = {re.compile(words, re.IGNORECASE): instead for words, instead in WORDS.items()}

Text = tuple[int, str]
"""A line's number and the text that begins there."""


def texts(path: Path) -> Iterator[Text]:
    """Yield what people read in a file: prose, comments, docstrings and, outside the tests, strings."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        yield from comments(source)
        yield from strings(ast.parse(source), docstrings_only=path.is_relative_to(ROOT / "tests"))
    elif path.suffix in (".md", ".tmpl"):
        yield 1, source
    else:
        for number, line in enumerate(source.splitlines(), 1):
            yield from ((number, found[0]) for found in _COMMENT.finditer(line))


def comments(source: str) -> Iterator[Text]:
    for found in _STRING_OR_COMMENT.finditer(source):
        if found["comment"]:
            yield source.count("\n", 0, found.start()) + 1, found[0]


def strings(node: ast.AST, *, docstrings_only: bool) -> Iterator[Text]:
    """Yield the strings below a node; those of an f-string as one, with ``{}`` for each value in it."""
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.Expr(ast.Constant(str(text))):
                yield child.lineno, text
            case ast.expr() if docstrings_only:
                pass
            case ast.Constant(str(text)):
                yield child.lineno, text
            case ast.JoinedStr(parts):
                yield child.lineno, "".join(literal(part) for part in parts)
            case _:
                yield from strings(child, docstrings_only=docstrings_only)


def literal(part: ast.expr) -> str:
    return part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "{}"


def findings(text: str, line: int = 1) -> list[str]:
    """Name every forbidden phrase in a text, with its line and what to write instead; code is passed over."""
    prose = _CODE.sub(lambda code: "\n" * code[0].count("\n") + "X", text)
    lines = re.sub(r"[ \t]*\n[ \t]*", "\n", prose)
    return [
        f"{line + lines.count(chr(10), 0, found.start())}: {found[0]!r}; write {instead}"
        for pattern, instead in _PATTERNS.items()
        for found in pattern.finditer(lines.replace("\n", " "))
    ]


def files() -> Iterator[Path]:
    for place, patterns in PLACES.items():
        yield from (path for pattern in patterns for path in sorted((ROOT / place).glob(pattern)))


def names() -> list[str]:
    return [str(path.relative_to(ROOT)) for path in files() if path != Path(__file__)]


@pytest.mark.usefixtures("untraced")
def test_every_text_keeps_to_the_glossary() -> None:
    found = [
        f"{name}:{finding}"
        for name in names()
        for line, text in texts(ROOT / name)
        for finding in findings(text, line)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('"""It says nothing."""\n', 1),
        ("x = 1  # read anew\n", 1),
        ('def f(name):\n    raise ValueError(f"{name!r} is no release")\n', 2),
        ('x = \'# not this\', """it\'s\n#"""  # \'read\' anew\n', 2),
        ('class C:\n    x: int\n    """As the\n    file tells."""\n', 4),
    ],
)
def test_comments_docstrings_and_messages_are_read(text: str, line: int, tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(text)
    (finding,) = [finding for start, read in texts(path) for finding in findings(read, start)]
    assert finding.startswith(f"{line}: ")


@pytest.mark.parametrize(
    "text",
    [
        "There is no JSON in it.",
        "It is no longer read.",
        "What tells the two apart is the `uid told`.",
        "```\nanew\n```",
        "1.4 to 1.6",
    ],
)
def test_plain_english_and_code_pass(text: str) -> None:
    assert findings(text) == []
