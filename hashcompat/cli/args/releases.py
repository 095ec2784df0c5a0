"""Which releases, and where their data comes from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from hashcompat.catalog.lookup import Catalog, default_catalog
from hashcompat.cli.args.declare import option
from hashcompat.cli.output import note
from hashcompat.errors import UsageError
from hashcompat.model.plan import Way


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseData:
    """The release data in use."""

    HEADING: ClassVar = "Releases"

    schemas: str | None = option(
        "--schemas",
        metavar="DIR",
        help="Use the release data in DIR, a copy of the program's own schemas/ with changes.",
    )

    def catalog(self, *, quiet: bool = False) -> Catalog:
        """Return the release data that is named, or the program's own; warn of damaged added releases."""
        found = Catalog(Path(self.schemas)) if self.schemas else default_catalog()
        for problem in () if quiet else found.damaged:
            note(f"Warning: {problem}")
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Releases:
    """An upgrade, or a rollback."""

    HEADING: ClassVar = "Releases"

    from_release: str | None = option(
        "--from",
        metavar="RELEASE|auto",
        help="The kubelet release that runs now; auto: what each node reports.",
    )
    to_release: str | None = option(
        "--to",
        metavar="RELEASE",
        help="The target release of the kubelet.",
    )
    data: ReleaseData

    @property
    def way(self) -> Way:
        """``--from`` and ``--to``; raises UsageError where one is missing."""
        if not self.from_release:
            raise UsageError(
                "--from is missing; name the kubelet release that runs now, such as --from 1.9.11"
            )
        if not self.to_release:
            raise UsageError("--to is missing; name the target release of the kubelet, such as --to 1.9.11")
        return Way(self.from_release, self.to_release)


def listed(text: str | None) -> list[str]:
    """Return the releases of ``RELEASE[,RELEASE...]``."""
    return [name.strip() for name in text.split(",")] if text else []
