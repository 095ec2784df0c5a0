"""Which releases are known, and what differs between two of them or two pieces of plain data.

The data are type trees, containers, and what is hashed of them; deepdiff compares them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
from msgspec import Meta

import hashcompat
from hashcompat.analysis.answers.sentences.why import hashed
from hashcompat.core.catalog.behaviour import EraChange, FeatureGate, FieldChange
from hashcompat.core.catalog.eras import reachable_fields
from hashcompat.core.catalog.lookup import Catalog, Kubelet
from hashcompat.core.go.jsonpath import dotted
from hashcompat.core.kubelet.decide.resize import restarts_unrecorded
from hashcompat.core.kubelet.staticpods import changed_types, new_uids
from hashcompat.core.model.results import Minor, Object, ReleaseName, Result, Text

if TYPE_CHECKING:
    from hashcompat.core.catalog.defaults import Default, PodCreation


ABSENT: Final = "absent"
"""Stands for a value that one side lacks."""

_ALIGNED: Final = 200
"""Elements of the longest list in which what was inserted is looked for, which takes their square; those of
longer ones are compared by their indexes."""


class ValueDifference(msgspec.Struct, frozen=True):
    """One place where two pieces of data differ."""

    path: tuple[str | int, ...]
    """The keys and indexes that lead there."""
    old: Any
    """The first side's value, or ABSENT."""
    new: Any
    """The second side's value, or ABSENT."""

    @property
    def place(self) -> str:
        """The path in one text: ``ports[0].name``."""
        return dotted(self.path)


def differences(old: Any, new: Any) -> list[ValueDifference]:
    """Return the places where two pieces of plain data (dicts, lists, scalars) differ, sorted by path.

    Objects are compared key by key however little they have in common (``threshold_to_diff_deeper``).
    """
    from deepdiff import DeepDiff  # noqa: PLC0415 - plans need no deepdiff

    diff = DeepDiff(
        old,
        new,
        view="tree",
        verbose_level=2,
        threshold_to_diff_deeper=0,
        # to align long lists takes the square of their length
        zip_ordered_iterables=_has_long_list([old, new]),
        custom_operators=[_EqualLists()],
    )
    rows = []
    for kind, changes in diff.items():
        for change in changes:
            before = ABSENT if kind.endswith("_added") else change.t1
            after = ABSENT if kind.endswith("_removed") else change.t2
            rows.append(ValueDifference(tuple(change.path(output_format="list")), before, after))
    return sorted(rows, key=lambda row: [str(step) for step in row.path])


class _EqualLists:
    """Spares deepdiff the elements of long lists that do not differ, each of which it takes 20 µs for."""

    def match(self, level: Any) -> bool:
        return _is_long(level.t1) and _is_long(level.t2)

    def give_up_diffing(self, level: Any, diff_instance: object) -> bool:  # noqa: ARG002 - deepdiff names it
        """Return whether the lists are the same, 1 and true being different."""
        return repr(level.t1) == repr(level.t2)


def _has_long_list(values: list[Any]) -> bool:
    left = values
    while left:
        value = left.pop()
        if _is_long(value):
            return True
        if isinstance(value, dict | list):
            left += value.values() if isinstance(value, dict) else value
    return False


def _is_long(value: object) -> bool:
    return isinstance(value, list) and len(value) > _ALIGNED


class FieldDifference(Object, frozen=True):
    """A field that differs."""

    path: Text
    old: Any = msgspec.field(name="from")
    """Any value; "absent" where the release does not know the field."""
    new: Any = msgspec.field(name="to")
    """Any value; "absent" where the release does not know the field."""


class TypeDifference(Object, frozen=True):
    """A field of a Go type that only one of two releases has, or has with another type."""

    type: Text
    """The type's Go name without the package."""
    field: str
    """The field's Go name; empty for a type that is not a struct."""
    old: Text = msgspec.field(name="from")
    """The field's Go type in the first release, or "absent"."""
    new: Text = msgspec.field(name="to")
    """The field's Go type in the second release, or "absent"."""
    upstream: FieldChange | None
    """What is known about the change."""


class DefaultDifference(Object, frozen=True):
    """A field of a new pod's containers that API servers of two releases treat differently."""

    field: Text
    """The Go name that decoding sets, Container.ImagePullPolicy, or else the path below the container."""
    old: Text = msgspec.field(name="from")
    """What the first release writes there and when, or "absent"."""
    new: Text = msgspec.field(name="to")
    """The same of the second release."""


class GateDifference(msgspec.Struct, frozen=True):
    """A feature gate that only one of two releases has, or has with another stage or default."""

    name: str
    old: FeatureGate | None
    """What it is in the first release; None where that does not know it."""
    new: FeatureGate | None
    """What it is in the second release."""


class BehaviourSince(msgspec.Struct, frozen=True):
    """What kubelets do since a release between the two."""

    key: str
    """The respect, by its key in behaviour.json."""
    since: str
    """The first release that does so."""
    about: str
    """What it does, in words."""


class ReleaseDifference(msgspec.Struct, frozen=True):
    """What differs between two releases: the hash and its types, and what else the catalog knows of them."""

    old: Kubelet
    """The first release."""
    new: Kubelet
    """The second release."""
    types: tuple[TypeDifference, ...]
    """Where the type trees differ, in the order of types and fields."""
    upstream: tuple[EraChange, ...]
    """The changes of era between the two."""
    behaviour: tuple[ValueDifference, ...] = ()
    """What kubelets do otherwise, by the keys of behaviour.json."""
    since: tuple[BehaviourSince, ...] = ()
    """The same in words: what began between the two releases, in the order of behaviour.json."""
    static_pods: bool | None = False
    """Whether every static pod without a UID in its manifest gets another one; None where not known."""
    defaults: tuple[DefaultDifference, ...] = ()
    """What API servers of these releases write into the containers of new pods, and drop from them."""
    gates: tuple[GateDifference, ...] = ()
    """Feature gates, sorted by name."""

    @property
    def is_different(self) -> bool:
        """Whether anything differs, be it only how encoding/json escapes."""
        old, new = self.old, self.new
        hashed = old.era is not new.era or (old.era.hashes_json and old.escapes != new.escapes)
        return bool(hashed or self.types or self.behaviour or self.defaults or self.gates)


def compare_releases(from_release: str, to_release: str, catalog: Catalog) -> ReleaseDifference:
    """Return what differs between two releases.

    Raises UsageError for unknown releases.
    """
    old, new = catalog.kubelet(from_release), catalog.kubelet(to_release)
    return ReleaseDifference(
        old,
        new,
        tuple(_type_differences(old, new, catalog)),
        catalog.changes.eras_in(catalog.known.minors_between(old.release, new.release)),
        tuple(differences(_behaviour(old), _behaviour(new))),
        tuple(BehaviourSince(*row) for row in catalog.behaviour_since(old.release, new.release)),
        new_uids(old, new),
        tuple(_default_differences(from_release, to_release, catalog)),
        tuple(_gate_differences(old, new, catalog)),
    )


def restarts(difference: ReleaseDifference) -> str:
    """Say in a sentence which containers have another hash, and why."""
    old, new = difference.old, difference.new
    names = f"{old.release} and {new.release}"
    if old.era is not new.era:
        before, after = hashed(old.era, new.era), hashed(new.era, old.era)
        return f"Every container restarts: {old.release} hashes {before}, {new.release} {after}."
    if not old.era.whole:
        what = hashed(old.era, whose="a container's")
        return f"No container restarts for its hash: {names} both hash {what}."
    go = old.era.hashes_json and old.escapes != new.escapes
    if not difference.types and not go:
        return f"No container restarts for its hash: {names} hash {hashed(old.era)} over the same types."
    if not difference.types:
        return (
            "A container restarts if it contains a backspace or form feed: "
            f"{names} hash JSON over the same types, and escape these characters differently."
        )
    if not old.era.prints_unset_fields:
        also = ", or contains a backspace or form feed, which they escape differently" if go else ""
        return f"A container restarts if it sets a field that only one of {names} knows{also}."
    if any(row.type == "Container" for row in difference.types):
        return f"Every container restarts: {names} have other fields in Container, and hash unset fields too."
    return (
        f"A container restarts if it has a value of one of the types below: {names} have other fields in "
        "them, and hash unset fields too."
    )


def static_restarts(old: Kubelet, new: Kubelet) -> str:
    """Say in a sentence whether static pods restart by their UID; empty where they do not."""
    if names := changed_types(old, new):
        return (
            f"A static pod without a uid in its manifest restarts if it has one of {', '.join(names)}: "
            f"{old.release} and {new.release} have other fields in it, which enter the UID (HC022)."
        )
    if not new_uids(old, new):
        return ""
    return (
        f"Every static pod without a uid in its manifest restarts: {old.release} and {new.release} compute "
        "its UID from other texts (HC022)."
    )


def resize_restarts(old: Kubelet, new: Kubelet) -> str:
    """Say in a sentence whether containers restart for their resources; empty where they do not."""
    if not restarts_unrecorded(old, new):
        return ""
    return (
        "Every container with resources and the resizePolicy RestartContainer for these restarts: "
        f"{new.release} applies what {old.release} did not record (HC019)."
    )


def _type_differences(old: Kubelet, new: Kubelet, catalog: Catalog) -> Iterator[TypeDifference]:
    for difference in differences(reachable_fields(old.schema), reachable_fields(new.schema)):
        type_name, *rest = map(str, difference.path)
        before, after = difference.old, difference.new
        if rest:
            rows = {rest[0]: (before, after)}
        elif isinstance(after, Mapping):  # a type that only one side has is spread over its fields
            rows = {field: (ABSENT, go_type) for field, go_type in after.items()}
        else:
            fields = before if isinstance(before, Mapping) else {}
            rows = {field: (go_type, ABSENT) for field, go_type in fields.items()}
        for field, (old_type, new_type) in rows.items():
            upstream = catalog.changes.of_field(type_name, field)
            yield TypeDifference(type_name, field, old_type, new_type, upstream)


def _behaviour(kubelet: Kubelet) -> Mapping[str, Any]:
    """Return what a kubelet does, by the keys of behaviour.json."""
    behaviour: dict[str, Any] = {}
    for key, value in msgspec.to_builtins(kubelet.behaviour).items():
        first, *rest = key.split("_")
        behaviour[first + "".join(map(str.capitalize, rest))] = value
    return behaviour


def _default_differences(old: str, new: str, catalog: Catalog) -> Iterator[DefaultDifference]:
    before, after = (_written(catalog.api_server(name)) for name in (old, new))
    for field in sorted(before.keys() | after.keys()):
        if before.get(field) != after.get(field):
            texts = ("; ".join(side[field]) if field in side else ABSENT for side in (before, after))
            yield DefaultDifference(field, *texts)


def _written(server: PodCreation) -> Mapping[str, list[str]]:
    """Return what an API server does to each field of a new pod's containers, in words."""
    effects: dict[str, list[str]] = {}
    for default in server.defaults:
        what = _json(default.argument) if default.operation == "set" else _verb(default)
        where = f" in {', '.join(sorted(default.places))}" if default.places else ""
        effects.setdefault(default.id, []).append(f"{what} when {default.when}{where}")
    for row in server.written:
        at = "at creation" if row.at_creation else "on every read"
        effects.setdefault(row.path, []).append(f"{_json(row.value)} {at}")
    for dropped in server.dropped:
        becomes = "dropped" if dropped.becomes is None else f"becomes {_json(dropped.becomes)}"
        effects.setdefault(dropped.path, []).append(f"{becomes} because {dropped.gate} is off")
    return effects


def _verb(default: Default) -> str:
    argument = default.argument
    of = ".".join(argument) if isinstance(argument, tuple) else str(argument)
    named = "" if of == default.operation else f" of {of}"
    read = f", image read as {default.parser}" if default.operation == "pullPolicy" else ""
    return f"{default.operation}{named}{read}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _gate_differences(old: Kubelet, new: Kubelet, catalog: Catalog) -> Iterator[GateDifference]:
    table = catalog.gate_table
    for name in sorted({*table.known_to(old.release), *table.known_to(new.release)}):
        before, after = (table.spec(name, kubelet.release) for kubelet in (old, new))
        if _state(before) != _state(after):
            yield GateDifference(name, before, after)


def _state(spec: FeatureGate | None) -> tuple[object, ...] | None:
    return (spec.stage, spec.on, spec.locked, spec.needs) if spec else None


# What the program knows: the releases by minor, and the range of them.


class BuiltWith(Object, frozen=True):
    """The Go that builds a minor since one of its releases."""

    since: ReleaseName
    go: Minor


class KnownMinor(Object, frozen=True):
    """The known releases of one minor, and what they hash."""

    name: Minor = msgspec.field(name="minor")
    """The minor, such as 1.9."""
    releases: Annotated[tuple[ReleaseName, ...], Meta(min_length=1)]
    """Its releases, oldest first."""
    types: Minor
    """The first minor with these Go types."""
    made_from: Text
    """The Go module or file that the types were made from."""
    era: Text
    """The name of its era."""
    go: tuple[BuiltWith, ...]
    """The Go releases that built it, oldest first."""
    user_added: bool
    """Whether hashcompat releases --add made it known."""
    pre_release: bool
    """Whether it is an alpha, a beta or a release candidate, which no other name means."""


class ReleaseList(Result[KnownMinor], msgspec.Struct, frozen=True):
    """Every known release, oldest first."""

    minors: tuple[KnownMinor, ...]
    """One per minor."""

    def _elements(self) -> tuple[KnownMinor, ...]:
        return self.minors


class Versions(msgspec.Struct, frozen=True):
    """The program's version, and the releases it knows."""

    tool: str
    """The program's version."""
    oldest: str
    """The oldest known release."""
    newest: str
    """The newest known release."""


def known_releases(catalog: Catalog) -> ReleaseList:
    """Return every release that a catalog knows."""
    return ReleaseList(
        tuple(
            KnownMinor(
                row.minor,
                tuple(row.names),
                row.types,
                catalog.schema(row.types).made_from,
                row.era,
                tuple(BuiltWith(build.releases.since, build.go) for build in row.go),
                bool(row.based_on),
                bool(row.stage),
            )
            for row in catalog.known.rows
        )
    )


def versions(catalog: Catalog) -> Versions:
    """Return the program's version, with the oldest and the newest release that a catalog knows."""
    return Versions(hashcompat.__version__, catalog.known.oldest, catalog.known.newest)
