"""The pods of one pattern: what their texts share is read once, and of each only what is its own.

Each is the very pod that ``of_pod`` makes of its whole text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.errors import InputError
from hashcompat.go.jsonpath import mapping, part, text
from hashcompat.go.pattern import Pattern, Text, Values, pattern_of
from hashcompat.model.pods import Blank, Container, Pod
from hashcompat.model.uids import is_of_api_server
from hashcompat.sources import mirrors, snapshots
from hashcompat.sources.fields import Fields, InFile
from hashcompat.sources.holes import Form, Places
from hashcompat.sources.ownpaths import own_of
from hashcompat.sources.ownstates import Reported, reported_of
from hashcompat.sources.pods import of_pod
from hashcompat.sources.statuses import STATUSES, place_of_ready, time_of

_WORD: Final = "hashcompat-blank-"
"""How the words for blanks begin."""


_ENCODER: Final = msgspec.json.Encoder()


class _Made(msgspec.Struct, frozen=True):
    """How a container of the pods is made."""

    first: Container
    """That of the first pod, in a text of its own."""
    key: str
    """The list of the spec that holds it."""
    index: int
    reported: Reported
    """What the status reports of it."""
    blank: Blank | None
    """What the specs are made of; None where the words for blanks are in one."""
    holes: tuple[int, ...]
    """Whose values fill the blanks."""

    def made(self, values: Values, spec: Mapping[str, Any], origin: str, path: str, line: int) -> Container:
        """Return that of the pod with these values and a spec, at a path and a line; errors as ``of_pod``."""
        first, state = self.first, self.reported.state(values, origin, path)
        return Container(
            first.name,
            first.type,
            path + first.path[1:],
            spec[self.key][self.index],
            state.running,
            state.started,
            state.restarts,
            state.probed,
            state.id,
            state.ended,
            line=line + first.line - 1,
            blank=self.blank,
            own=tuple([values[hole] for hole in self.holes]),
        )


class Shape(msgspec.Struct, frozen=True, eq=False):
    """What the pods of one pattern share."""

    pattern: Pattern
    """Their text."""
    value: Mapping[str, Any]
    """The first of them, as JSON."""
    labels: Form | None
    """Its labels; None where no hole is in them."""
    spec: Form
    pod: Pod
    """The first of them."""
    containers: tuple[_Made, ...]
    """Its containers."""
    name: int | None
    """The hole of the name."""
    uid: int | None
    """The hole of the uid, whose form shows that an API server made the pod."""
    node: int | None
    """The hole of the node's name."""
    since: int | None
    """The hole of the time at which it became Ready; None where it is not Ready."""

    def match(self, whole: str, position: int) -> tuple[Values, int] | None:
        """Return what is the own of a pod whose text is at a position, and its end; None for another text."""
        found = self.pattern.match(whole, position)
        if found is None or (self.uid is not None and not is_of_api_server(found[0][self.uid])):
            return None
        return found

    def made(self, values: Values, origin: str, path: str, where: InFile, line: int) -> Pod:
        """Return the pod with these values, whose text begins at a line; errors as ``of_pod``."""
        spec = self.spec.filled(values)
        return structs.replace(
            self.pod,
            origin=origin,
            name=self.pod.name if self.name is None else values[self.name],
            uid=self.pod.uid if self.uid is None else values[self.uid],
            node=self.pod.node if self.node is None else values[self.node],
            containers=tuple([one.made(values, spec, origin, path, line) for one in self.containers]),
            spec=spec,
            file=where.file,
            labels=self.pod.labels if self.labels is None else self.labels.filled(values),
            ready_since=self.pod.ready_since if self.since is None else time_of(values[self.since])[1],
            shape=self,
        )


class Replica(msgspec.Struct, frozen=True):
    """A pod as its shape, and what is its own."""

    shape: Shape
    values: Values
    line: int
    """The line at which its text begins, from 1."""

    @property
    def uid(self) -> str:
        """The pod's uid."""
        hole = self.shape.uid
        return self.values[hole] if hole is not None else str(self.shape.value["metadata"]["uid"])


def shape_of(found: Text, value: Mapping[str, Any], other: Mapping[str, Any] | None) -> Shape | None:
    """Return the shape of a pod, found as a text; ``other`` is a replica of it, if there is one yet.

    None for pods whose own strings may decide what they are: manifests, mirror pods, pods of snapshots.
    """
    pod = _ordinary(found, value)
    if pod is None:
        return None
    own = own_of(value, pod.name, other)
    made = pattern_of(found, [one.own for one in own])
    if made is None:
        return None
    pattern, kept = made
    places = Places()
    for hole, index in enumerate(kept):
        places.put(own[index].path, hole)
    whole = found.whole
    blanks = _WORD not in (repr(value["spec"]) if "\\" in whole else whole)  # whatever escapes it has
    containers = tuple(_made(container, value, places, blanks=blanks) for container in pod.containers)
    of_metadata, of_spec = places.at("metadata"), places.at("spec")
    labels = of_metadata["labels"].form(pod.labels) if "labels" in of_metadata else None
    return Shape(
        pattern,
        value,
        labels,
        of_spec.form(value["spec"]),
        pod,
        containers,
        name=of_metadata.get("name"),
        uid=of_metadata.get("uid"),
        node=of_spec.get("nodeName"),
        since=_since(value, places) if pod.ready else None,
    )


def _since(value: Mapping[str, Any], places: Places) -> int | None:
    """Return the hole of the time at which a pod became Ready."""
    ready = place_of_ready(value["status"].get("conditions"))
    return None if ready is None else places.at("status", "conditions", ready).get("lastTransitionTime")


def _ordinary(found: Text, value: Mapping[str, Any]) -> Pod | None:
    """Return a pod that an API server made, of an ordinary text; None for any other object."""
    metadata = part(value, "metadata")
    annotations = mapping(metadata.get("annotations"))
    plain = all(isinstance(value.get(key), dict) for key in ("metadata", "spec", "status"))
    named = text(metadata, "name") and is_of_api_server(text(metadata, "uid"))
    if value.get("kind") != "Pod" or not plain or not named:
        return None
    if any(key in annotations for key in (*mirrors.ANNOTATIONS, snapshots.WORKLOAD)):
        return None
    try:
        pod = of_pod(Fields(value, "", "$", InFile("", found.lines)))
    except InputError:
        return None
    stored = any(snapshots.HASHES in container.spec for container in pod.containers)
    return None if stored or pod.manifest or pod.static or pod.mirror_doubt else pod


def _made(container: Container, value: Mapping[str, Any], places: Places, *, blanks: bool) -> _Made:
    key, _, index = container.path.removeprefix("$.spec.").rstrip("]").partition("[")
    own = places.at("spec", key, int(index))
    holes = tuple(own.holes())
    words = tuple(f"{_WORD}{number:05}" for number in range(len(holes)))
    spec = own.form(container.spec).filled(dict(zip(holes, words, strict=True)))
    blank = Blank(spec, words, _length(spec)) if blanks else None
    reported = reported_of(container, STATUSES[key], value["status"], places.at("status"))
    return _Made(container, key, int(index), reported, blank, holes)


def _length(spec: Mapping[str, Any]) -> int:
    """Return the characters of a spec's text, about."""
    try:
        return len(_ENCODER.encode(spec))
    except (msgspec.MsgspecError, TypeError, ValueError):  # a number whose text counts
        return len(repr(spec))
