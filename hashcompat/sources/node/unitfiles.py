"""Where the units of a node's kubelet are, and the files of variables that they name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hashcompat.sources.node.root import Root

UNITS: Final = tuple(
    f"{place}/systemd/system" for place in ("/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib")
)
"""The directories of units, in the order in which systemd looks."""

_NAMED: Final = re.compile(r"^[ \t]*EnvironmentFile[ \t]*=[ \t]*-?(/[^\s*?\[%]*)[ \t\r]*$", re.MULTILINE)
"""A file without patterns and specifiers, which stand for other names."""


def variables(root: Root) -> Iterator[str]:
    """Yield the files that EnvironmentFile in ``kubelet.service`` and its drop-ins names."""
    for path in _units(root):
        try:
            yield from _NAMED.findall(root.text(path))
        except OSError:
            continue  # the question for the unit itself shows why


def _units(root: Root) -> Iterator[str]:
    for place in UNITS:
        yield f"{place}/kubelet.service"
        try:
            names = root.names(f"{place}/kubelet.service.d")
        except OSError:
            continue
        yield from (f"{place}/kubelet.service.d/{name}" for name in names if name.endswith(".conf"))
