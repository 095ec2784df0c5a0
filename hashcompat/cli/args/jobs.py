"""How many processes take part."""

from __future__ import annotations

from typing import ClassVar, Final

import click

from hashcompat import forks
from hashcompat.cli.args.declare import group, option

_MOST: Final = 64

_BY_DEFAULT: Final = 4
"""Each takes memory, and a container has fewer processors than the machine that it sees."""


@group
class Jobs:
    """The processes that read and decide the pods of a large file, and write the plan."""

    HEADING: ClassVar = "Source"

    jobs: int | None = option(
        "--jobs",
        metavar="N",
        type=click.IntRange(1, _MOST),
        help="Number of processes for large JSON files; default: one per processor, up to 4.",
    )

    @property
    def number(self) -> int:
        """How many processes may take part: one where none can be forked."""
        return (self.jobs or min(forks.processors(), _BY_DEFAULT)) if forks.possible() else 1
