"""Feature gates as kubelets and API servers read them: the rows of gates.json, and what a user sets.

Both know the same gates. Source: k8s.io/component-base/featuregate/feature_gate.go ``SetFromMap`` and
``Enabled`` (1.14 - 1.37; pkg/util/config/feature_gate.go in 1.4 and 1.5, then k8s.io/apiserver).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Final

import msgspec

from hashcompat.core.catalog.files import DataFiles, fitted
from hashcompat.core.catalog.releases import Range, parse_range
from hashcompat.core.release import Release

Settings = frozenset[tuple[str, bool]]
"""What ``--feature-gates`` says: names, and whether they are to be on."""

NO_SETTINGS: Final[Settings] = frozenset()

_OF_STAGE: Final = {"ALPHA": "AllAlpha", "BETA": "AllBeta"}
"""The gates that set every gate of a stage that is not set by its own name."""


BOOLEANS: Final = {
    **dict.fromkeys(("1", "t", "T", "true", "TRUE", "True"), True),
    **dict.fromkeys(("0", "f", "F", "false", "FALSE", "False"), False),
}
"""The texts that Go's ``strconv.ParseBool`` takes, by which gates and flags are set."""


class GateSpec(msgspec.Struct, frozen=True):
    """What a gate is in some releases."""

    releases: Range
    """The releases."""
    stage: str
    """``ALPHA``, ``BETA``, ``GA`` or ``DEPRECATED``."""
    on: bool
    """Its default."""
    locked: bool = False
    """Whether nothing else can be set."""
    needs: tuple[str, ...] = ()
    """The gates that have to be on where it is (1.35 and later)."""

    @property
    def begun(self) -> Range:
        """These releases, and every one after them."""
        return parse_range(f">={self.releases.since}")


class GateTable:
    """The rows of gates.json, read when they are first asked for."""

    def __init__(self, data: DataFiles) -> None:
        self._data = data
        self._specs: dict[str, tuple[GateSpec, ...]] = {}
        self._of_releases: dict[tuple[str, str], GateSpec | None] = {}

    @cached_property
    def _rows(self) -> Mapping[str, list[Mapping[str, Any]]]:
        rows: Mapping[str, list[Mapping[str, Any]]] = self._data.table("gates")["gates"]
        return rows

    @cached_property
    def needing(self) -> tuple[str, ...]:
        """The gates that need others in some release."""
        return tuple(name for name, rows in self._rows.items() if any("needs" in row for row in rows))

    def known_to(self, release: Release) -> list[str]:
        """Name the gates that a release knows."""
        return [name for name in self._rows if self.spec(name, release) is not None]

    def spec(self, name: str, release: Release) -> GateSpec | None:
        """Return what a gate is in a release; None where the release does not know it."""
        key = name, release.upstream
        if key not in self._of_releases:
            specs = (spec for spec in self._of(name) if spec.releases.holds(release))
            self._of_releases[key] = next(specs, None)
        return self._of_releases[key]

    def is_on_by_default(self, name: str, release: Release) -> bool:
        """Return whether what a gate guards is there by default.

        It is not before the gate is; after the gate was removed it is as it last was.
        """
        begun = [spec for spec in self._of(name) if spec.begun.holds(release)]
        return bool(begun) and begun[-1].on

    def _of(self, name: str) -> tuple[GateSpec, ...]:
        if name not in self._specs:
            self._specs[name] = fitted("gates.json", self._rows.get(name, []), tuple[GateSpec, ...])
        return self._specs[name]


class Gates:
    """The feature gates of one kubelet or API server, set as its flag says; compared by identity."""

    def __init__(self, table: GateTable, release: Release, settings: Settings = NO_SETTINGS) -> None:
        self._table, self._release, self._settings = table, release, dict(settings)
        self._on: dict[str, bool] = {}

    def with_settings(self, settings: Settings) -> Gates:
        """Return the gates of the same release with other ones set."""
        return Gates(self._table, self._release, settings)

    def spec(self, name: str) -> GateSpec | None:
        """Return what a gate is in the release; None where the release has no gate of this name."""
        return self._table.spec(name, self._release)

    def knows(self, name: str) -> bool:
        """Return whether the release has a gate of this name."""
        return self._table.spec(name, self._release) is not None

    def sets(self, name: str) -> bool:
        """Return whether the settings decide a gate that the release has."""
        spec = self._table.spec(name, self._release)
        return spec is not None and self._chosen(name, spec) is not None

    def is_on(self, name: str) -> bool:
        """Return whether what a gate guards is there: as set, or by default; a lock wins."""
        if name not in self._on:
            self._on[name] = self._is_on(name)
        return self._on[name]

    def _is_on(self, name: str) -> bool:
        spec = self._table.spec(name, self._release)
        chosen = None if spec is None or spec.locked else self._chosen(name, spec)
        return self._table.is_on_by_default(name, self._release) if chosen is None else chosen

    def _chosen(self, name: str, spec: GateSpec) -> bool | None:
        """Return what is set: a gate's own name wins over AllAlpha and AllBeta, in whatever order."""
        if name in self._settings:
            return self._settings[name]
        of_stage = _OF_STAGE.get(spec.stage, "")
        return self._settings.get(of_stage) if self.knows(of_stage) else None

    def refusals(self) -> Iterator[str]:
        """Say why what has these gates would not start, if it would not."""
        for name, on in sorted(self._settings.items()):
            spec = self._table.spec(name, self._release)
            if spec is not None and spec.locked and spec.on != on:
                yield f"{self._release} locks {name} to {'true' if spec.on else 'false'}"
        yield from self.missing()

    def missing(self) -> Iterator[str]:
        """Say which gates are on without those that they need."""
        for name in self._table.needing if self._settings else ():
            spec = self._table.spec(name, self._release)
            off = [needed for needed in spec.needs if not self.is_on(needed)] if spec else []
            if off and self.is_on(name):
                yield f"{name}, which is on in {self._release}, needs {', '.join(off)}"
