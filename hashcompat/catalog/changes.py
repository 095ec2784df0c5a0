"""What changed between releases, by which pull request, and what users reported: rows of changes.json."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from hashcompat.release import parse_release

Row = Mapping[str, Any]


class Change(msgspec.Struct, frozen=True):
    """A field of a hashed Go type that differs between a release and the one before."""

    release: str
    """The minor that brought the change, such as ``1.9``."""
    type: str
    """The struct's Go name without the package."""
    field: str
    """The field's Go name."""
    change: str
    """The kind: ``added``, ``removed``, ``retyped``, ``renamed``, ``retagged`` or ``reordered``."""
    json: str
    """The field's key in JSON; empty where a struct is embedded inline."""
    old: str | None
    """The Go type before, or what else changed; None for a new field."""
    new: str | None
    """The Go type after, or what else changed; None for a removed field."""
    pr: str | None
    """The pull request, as ``kubernetes/kubernetes#1``; None where it could not be verified."""
    issues: tuple[str, ...]
    """Issues that users opened about it."""
    gate: str | None
    """The feature gate that the field came with."""
    stage: str | None
    """The stage of the feature in that release."""
    about: str
    """The change in words."""

    @property
    def document(self) -> dict[str, Any]:
        """The change as documents show it."""
        return {
            "release": self.release,
            "type": self.type,
            "field": self.field,
            "change": self.change,
            "json": self.json,
            "from": self.old,
            "to": self.new,
            "pr": self.pr,
            "issues": list(self.issues),
            "gate": self.gate,
            "stage": self.stage,
            "about": self.about,
        }


class EraChange(msgspec.Struct, frozen=True):
    """A release from which on the hash has other steps."""

    release: str
    """The minor that brought the change, such as ``1.16``."""
    old: str
    """The era before, a key of eras.json."""
    new: str
    """The era from this release on."""
    pr: str
    """The pull request."""
    also: tuple[str, ...]
    """Pull requests that belong to it."""
    issues: tuple[str, ...]
    """Issues that users opened about it."""
    about: str
    """The change in words."""

    @property
    def document(self) -> dict[str, Any]:
        """The change as documents show it."""
        return {
            "release": self.release,
            "from": self.old,
            "to": self.new,
            "pr": self.pr,
            "also": list(self.also),
            "issues": list(self.issues),
            "about": self.about,
        }


class GoChange(msgspec.Struct, frozen=True):
    """A patch release that is built with a Go whose encoding/json writes some characters differently."""

    release: str
    """The first patch release, such as ``1.27.16``."""
    old: str
    """The Go minor before."""
    new: str
    """The Go minor from this release on."""
    pr: str
    """The pull request."""
    also: tuple[str, ...]
    """Pull requests that belong to it."""
    about: str
    """The change in words."""


class Incident(msgspec.Struct, frozen=True):
    """Restarts that users reported."""

    old: str | None
    """The minor that they came from; None: any."""
    new: str | None
    """The minor that they went to; None: any."""
    issue: str
    """The issue, as ``kubernetes/kubernetes#1``."""
    about: str
    """What happened, in words."""


class Changes(msgspec.Struct, frozen=True):
    """The tables of changes.json, each oldest first."""

    fields: tuple[Change, ...]
    """What changed in the hashed types."""
    eras: tuple[EraChange, ...]
    """What changed in the steps of the hash."""
    go: tuple[GoChange, ...]
    """What changed in the Go that builds the kubelet."""
    incidents: tuple[Incident, ...]
    """What users reported."""

    def find(
        self, type_name: str, field: str, change: str = "added", minors: Collection[str] | None = None
    ) -> Change | None:
        """Return a field's first change of that kind, in one of ``minors`` if given; None without one."""
        return next(
            (
                row
                for row in self.fields
                if (row.type, row.field, row.change) == (type_name, field, change)
                and (minors is None or row.release in minors)
            ),
            None,
        )

    def of_field(self, type_name: str, field: str) -> Change | None:
        """Return the first change of a field, of whatever kind; None if there is none."""
        return next((row for row in self.fields if (row.type, row.field) == (type_name, field)), None)

    def eras_in(self, minors: Collection[str]) -> tuple[EraChange, ...]:
        """Return the changes of era that came with one of some minors."""
        return tuple(row for row in self.eras if row.release in minors)

    def go_in(self, minors: Collection[str]) -> tuple[GoChange, ...]:
        """Return the changes of Go that came with a patch release of one of some minors."""
        return tuple(row for row in self.go if parse_release(row.release).minor in minors)


def changes_from(document: Mapping[str, Any]) -> Changes:
    """Read the tables of changes.json."""
    return Changes(
        tuple(map(_change, document["fields"])),
        tuple(map(_era_change, document["eras"])),
        tuple(map(_go_change, document["go"])),
        tuple(Incident(row["from"], row["to"], row["issue"], row["about"]) for row in document["incidents"]),
    )


def _change(row: Row) -> Change:
    return Change(
        release=row["release"],
        type=row["type"],
        field=row["field"],
        change=row["change"],
        json=row["json"],
        old=row["from"],
        new=row["to"],
        pr=row["pr"],
        issues=tuple(row["issues"]),
        gate=row["gate"],
        stage=row["stage"],
        about=row["about"],
    )


def _era_change(row: Row) -> EraChange:
    return EraChange(
        release=row["release"],
        old=row["from"],
        new=row["to"],
        pr=row["pr"],
        also=tuple(row["also"]),
        issues=tuple(row["issues"]),
        about=row["about"],
    )


def _go_change(row: Row) -> GoChange:
    return GoChange(row["release"], row["from"], row["to"], row["pr"], tuple(row["also"]), row["about"])
