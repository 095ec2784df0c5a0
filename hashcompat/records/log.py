"""Recorded hashes in kubelets' logs: only up to 1.13 they carry values, the recorded one first (the rows ``restartLog`` of behaviour.json)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hashcompat.model.records import Recorded

_POD: Final = r"(?P<pod>[^_\s\"]+)(?:_(?P<namespace>[^(\s\"]+))?(?:\((?P<uid>[^)\s]+)\))?"

_VALUES: Final = r"hash changed \((?P<recorded>\d+) vs \d+\)"

_FORMATS: Final = (
    re.compile(rf'[Pp]od "{_POD}" container "(?P<container>[^"]+)" {_VALUES}'),
    re.compile(
        rf'Container "(?P<container>[^"]+)" \(\{{[^}}]*\}}\)\s+of\s+pod\s+{_POD}:\s+Container spec {_VALUES}'
    ),
)
"""To 1.7 and 1.8 - 1.13. A pod is ``name_namespace(uid)``, in 1.1 without uid, in the CRI runtime of 1.6 and 1.7 the name alone."""


def from_log(text: str) -> Iterator[Recorded]:
    """Yield the hashes that the containers bore which a log tells of; what was recorded when they were made anew is not in it."""
    for pattern in _FORMATS:
        for match in pattern.finditer(text):
            uid, namespace = match["uid"] or "", match["namespace"] or ""
            yield Recorded(
                uid, namespace, match["pod"], match["container"], int(match["recorded"]), running=True
            )
