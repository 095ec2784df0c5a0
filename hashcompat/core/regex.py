"""Regular expressions that are compiled when they are first used.

The package has nearly two hundred, and a run uses a few of them; to compile those of the modules that a plan
of one pod imports would take a tenth of its time.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, AnyStr


class _Later:
    """Answers as the compiled expression does; each method is looked up once."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self.pattern, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, attribute)
        return attribute


def regex(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a regular expression that raises re.error when it is first used, if it is malformed."""
    return _Later(text, flags)  # type: ignore[return-value]  # nobody asks for its class
