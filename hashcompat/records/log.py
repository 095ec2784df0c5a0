"""Read recorded hashes from kubelets' logs.

Only logs up to 1.13 carry the values, the recorded one first (the rows ``restartLog`` of behaviour.json).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hashcompat.model.records import Recorded

_POD: Final = r"(?P<pod>[^_\s\"]+)(?:_(?P<namespace>[^(\s\"]+))?(?:\((?P<uid>[^)\s]+)\))?"

_VALUES: Final = r"hash changed \((?P<recorded>[0-9]{1,10}) vs [0-9]{1,10}\)"

_FORMATS: Final = (
    re.compile(rf'[Pp]od "{_POD}" container "(?P<container>[^"]+)" {_VALUES}'),
    re.compile(
        rf'Container "(?P<container>[^"]+)" \(\{{[^}}]*\}}\)\s+of\s+pod\s+{_POD}:\s+Container spec {_VALUES}'
    ),
)
"""The formats up to 1.7 and of 1.8 - 1.13.

A pod is ``name_namespace(uid)``; in 1.1 without the uid, in the CRI runtime of 1.6 and 1.7 the name alone.
"""


def from_log(text: str) -> Iterator[Recorded]:
    """Yield the recorded hashes of the containers that a log reports as changed.

    The hashes recorded when they were created again are not in the log.
    """
    for pattern in _FORMATS:
        for match in pattern.finditer(text):
            uid, namespace = match["uid"] or "", match["namespace"] or ""
            yield Recorded(
                uid, namespace, match["pod"], match["container"], int(match["recorded"]), running=None
            )
