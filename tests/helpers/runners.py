"""What CI runners take as a command in what a step prints, by the rules of their sources.

GitHub's (actions/runner, src/Runner.Common/ActionCommand.cs) tries both forms on each line; Azure Pipelines'
(microsoft/azure-pipelines-agent, Command.cs) has a third. Which commands are registered does not count here:
a later version has more. .NET searches by a culture, which passes over characters that nobody sees, and
``TrimStart`` removes its own white space.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_WHITE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
"""What System.Char.IsWhiteSpace is true of."""

_LINES = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
"""Where a reader of lines may see one end: StreamReader.ReadLine does at the first three."""


def commands(text: str) -> Iterator[str]:
    """Yield the lines of a text that one of the runners would obey."""
    for line in _LINES.split(text):
        if _of_github(line) or _anywhere(line):
            yield line


def _passed_over(char: str) -> bool:
    return char not in _WHITE and (
        unicodedata.category(char) in ("Cc", "Cf", "Cn", "Co", "Cs", "Mn")
        or char in "\u115f\u1160\u3164\uffa0\u2800"
    )


def _searched(line: str) -> str:
    return line if line.isascii() and line.isprintable() else "".join(c for c in line if not _passed_over(c))


def _of_github(line: str) -> bool:
    """TryParseV2: after white space, ``::name properties::data``."""
    for form in (line, _searched(line)):
        text = form.lstrip(_WHITE)
        if text.startswith("::") and text.find("::", 2) >= 0:
            return True
    return False


def _anywhere(line: str) -> bool:
    """TryParse: ``##[name properties]data`` or ``##vso[area.event properties]data``, wherever it begins."""
    for form in (line, _searched(line)):
        for prefix in ("##[", "##vso["):
            start = form.casefold().find(prefix)
            if start >= 0 and form.find("]", start) >= 0:
                return True
    return False
