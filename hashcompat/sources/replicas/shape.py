"""The pods of one family of stencils: what they share is read of the first, of each only what is its own.

Each is the very pod that ``of_pod`` makes of its whole text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.core.errors import InputError
from hashcompat.core.go.jsonpath import Text, mapping, part, rows, text
from hashcompat.core.go.jsontext import clean
from hashcompat.core.model.pods import Blank, Container, Pod
from hashcompat.core.model.uids import is_of_api_server
from hashcompat.sources import pods, snapshots
from hashcompat.sources.documents import Fields, InFile
from hashcompat.sources.pods import of_pod
from hashcompat.sources.replicas.roles import Form, Places, Role
from hashcompat.sources.replicas.stencil import PLAIN, Stencil
from hashcompat.sources.statuses import States, is_deleted
from hashcompat.sources.workloads import workload_of

_WORD: Final = "hashcompat-blank-"
"""How the words for blanks begin."""
_DELETED: Final = ("metadata", "deletionTimestamp")
_ENCODER: Final = msgspec.json.Encoder()
Values = Sequence[str]


class _Made(msgspec.Struct, frozen=True):
    """How a container of the pods is made."""

    first: Container
    """That of the first pod, in a text of its own."""
    key: str
    """The list of the spec that holds it."""
    index: int
    blank: Blank | None
    """What the specs are made of; None where the words for blanks are in one."""
    slots: tuple[int, ...]
    """Whose values fill the blanks."""

    def made(
        self, values: Values, spec: Mapping[str, Any], states: States, path: str, line: int
    ) -> Container:
        """Return the container of the pod with these values, a spec and states, at a path and a line."""
        first, state = self.first, states.of(self.key, self.first.name)
        is_stored = first.stored is not None
        return Container(
            first.name,
            first.type,
            path + first.path[1:],
            first.spec if is_stored else spec[self.key][self.index],
            state.running,
            state.started,
            state.restarts,
            state.probed,
            state.id,
            state.ended,
            stored=first.stored,
            line=line + first.line - 1 if first.line else 0,
            docker=state.docker,
            blank=self.blank,
            own=tuple([values[slot] for slot in self.slots]),
        )


class Status(msgspec.Struct, frozen=True, eq=False):
    """What the statuses of one stencil share; every string and number in a slot is read of each."""

    form: Form
    phase: int | None
    """The slot of the phase."""

    @classmethod
    def of(cls, stencil: Stencil, value: Mapping[str, Any]) -> Status:
        """Return what the statuses of a stencil share, by the status of one pod."""
        places = Places()
        for slot, steps in enumerate(stencil.paths):
            places.put(steps[1:], slot)
        return cls(places.form(value), places.get("phase"))

    @classmethod
    def alone(cls, value: Mapping[str, Any]) -> Status:
        """Return the status of a pod that shares it with none."""
        return cls(Form((value,), (), (), ()), None)

    def head(self, values: Values) -> Mapping[str, Any]:
        """Return the phase of the status with these values, as in the status."""
        first = self.form.values[0]
        phase = first.get("phase") if self.phase is None else values[self.phase]
        return {"phase": phase} if "phase" in first else {}


class Shape(msgspec.Struct, frozen=True, eq=False):
    """What the pods share in which all that decides is equal."""

    pod: Pod
    """The first of them."""
    value: Mapping[str, Any]
    """It as JSON without its status, as far as anything but its pod is made of that."""
    metadata: Form
    spec: Form
    containers: tuple[_Made, ...]
    name: int | None
    """The slot of the name."""
    uid: int | None
    """That of the uid, whose form shows that an API server made the pod."""
    namespace: int | None
    node: int | None
    created: int | None
    """That of the time at which it was created."""
    deleted: int | None
    """That of the time of its deletion."""
    owner: tuple[tuple[int | None, str], ...]
    """Those of the kind and the name of its controller, with what these are in the first pod; none without
    one."""
    has_labels: bool
    """Whether a slot is in its labels."""
    of_owners: tuple[int, ...]
    """Those that show whose pods they are: of the namespace, of the labels, of the owners."""
    of_snapshot: bool
    """Whether they are pods of a snapshot."""
    workload: str
    """The workload that a snapshot notes of each; empty for none."""
    lines: int
    """The line breaks in the text of each."""

    def made(self, replica: Replica, origin: str, path: str, where: InFile) -> Pod:
        """Return a pod of this shape; errors as ``of_pod``."""
        pod, values, status = self.pod, replica.values, replica.status.form.filled(replica.reported)
        spec = self.spec.filled(values)
        fields = Fields(status, origin, f"{path}.status")
        if self.deleted is not None:
            times = {"deletionTimestamp": values[self.deleted]}
            is_deleted(Fields(times, origin, f"{path}.metadata"))
        states = States(fields)
        of_status = pods.reported(self.value["metadata"], spec, fields)
        labels = part(self.metadata.filled(values), "labels") if self.has_labels else pod.labels
        owner = "/".join([first if slot is None else values[slot] for slot, first in self.owner])
        # A workload follows from the owner and the label pod-template-hash alone.
        same = owner == pod.owner and not self.has_labels
        return structs.replace(
            pod,
            origin=origin,
            namespace=pod.namespace if self.namespace is None else values[self.namespace],
            name=pod.name if self.name is None else values[self.name],
            uid=pod.uid if self.uid is None else values[self.uid],
            node=pod.node if self.node is None else values[self.node],
            owner=owner,
            workload=self.workload or (pod.workload if same else workload_of(owner, labels)),
            containers=tuple(
                [container.made(values, spec, states, path, replica.line) for container in self.containers]
            ),
            spec=spec,
            file=where.file,
            labels=labels,
            created=pod.created if self.created is None else values[self.created],
            shape=self,
            **of_status,
        )


class Replica(msgspec.Struct, frozen=True):
    """A pod as its shape, and what is its own."""

    shape: Shape
    values: Values
    """What is in the slots of its metadata and its spec."""
    status: Status
    reported: Values
    """What is in those of its status."""
    line: int
    """The line at which its text begins, from 1."""

    @property
    def uid(self) -> str:
        """The pod's uid."""
        return self._text_in(self.shape.uid, self.shape.pod.uid)

    @property
    def name(self) -> str:
        """Its name."""
        return self._text_in(self.shape.name, self.shape.pod.name)

    @property
    def namespace(self) -> str:
        """Its namespace."""
        return self._text_in(self.shape.namespace, self.shape.pod.namespace)

    def _text_in(self, slot: int | None, first: str) -> str:
        return first if slot is None else self.values[slot]

    def made(self, origin: str, path: str, where: InFile) -> Pod:
        """Return the pod; errors as ``of_pod``."""
        return self.shape.made(self, origin, path, where)

    @property
    def outline(self) -> Mapping[str, Any]:
        """The first pod of its shape as JSON, with its own phase for a status."""
        return {**self.shape.value, "status": self.status.head(self.reported)}

    @property
    def value(self) -> Mapping[str, Any]:
        """The pod as JSON, as far as a first look at a file reads it: its spec is of another one."""
        return {**self.shape.value, "metadata": self.shape.metadata.filled(self.values)}

    def is_like(self, other: Replica | None) -> bool:
        """Return whether a first look at a file finds nothing in it that it did not find in another one."""
        if other is None or self.shape is not other.shape:
            return False
        return all(self.values[slot] == other.values[slot] for slot in self.shape.of_owners)


class Shared:
    """What the families of one stencil of a spec share: specs with slots, and containers with blanks."""

    def __init__(self) -> None:
        self._blanks: dict[tuple[str, str, str], Blank] = {}
        self._forms: dict[tuple[int, tuple[str, ...]], Form] = {}

    def form(self, places: Places, spec: Mapping[str, Any], first: int, deciding: tuple[str, ...]) -> Form:
        """Return a spec with slots from a number on; ``deciding`` is what is in those that decide."""
        key = first, deciding
        if key not in self._forms:
            self._forms[key] = places.form(spec)
        return self._forms[key]

    def blank(self, path: str, spec: Mapping[str, Any], words: tuple[str, ...], stored: str) -> Blank:
        """Return the blank of a container at a path; ``stored`` shows its stored hashes."""
        # By its text: a dict is no key, and one with 1 equals one with 1.0 or with true.
        key = path, repr(spec), stored
        if key not in self._blanks:
            self._blanks[key] = Blank(spec, words, _length(spec))
        return self._blanks[key]


class Family:
    """The pods whose metadata and spec are of the same two stencils."""

    def __init__(self, stencils: Sequence[Stencil], shared: Shared, *, of_snapshot: bool) -> None:
        """Take the two stencils, and what the spec's shares.

        A snapshot stores the hashes of a container as those of one text: in it, what is hashed decides.
        """
        self._shared, self._lines = shared, sum(stencil.lines for stencil in stencils)
        self._of_snapshot = of_snapshot
        paths = [steps for stencil in stencils for steps in stencil.paths]
        roles = [role for stencil in stencils for role in stencil.roles]
        if of_snapshot:
            roles = [Role.DECIDES if role is Role.BLANK else role for role in roles]
        self._first = len(stencils[0].slots)
        spec = range(self._first, self._first + len(stencils[1].slots))
        self._paths = paths
        self._deciding = [slot for slot, role in enumerate(roles) if role is Role.DECIDES]
        self._of_spec = [number for number, slot in enumerate(self._deciding) if slot in spec]
        self._own_slots = [
            slot
            for slot, role in enumerate(roles)
            if role is Role.OWN and (slot not in spec or paths[slot] == ("spec", "nodeName"))
        ]
        self._blank = frozenset(slot for slot, role in enumerate(roles) if role is Role.BLANK)
        self._places = Places()
        for slot, (steps, role) in enumerate(zip(paths, roles, strict=True)):
            if role is Role.OWN or role is Role.BLANK or (role is Role.UNREAD and slot in spec):
                self._places.put(steps, slot)
        self._uid = self._places.at("metadata").get("uid")
        self._shapes: dict[tuple[str, ...], Shape | None] = {}

    def shape(self, values: Values) -> Shape | None:
        """Return the shape of the pod with these values; None where none is known for it."""
        if self._uid is not None and not is_of_api_server(values[self._uid]):
            return None
        shape = self._shapes.get(self._key(values))
        if shape is None:
            return None
        own = [values[slot] for slot in self._own_slots]
        are_plain = PLAIN.odd.search("".join(own)) is None and max(map(len, own), default=0) <= PLAIN.longest
        return shape if are_plain else None  # escapes and long names are for the decoder

    def knows(self, values: Values) -> bool:
        """Return whether a pod in which all that decides is equal was learned."""
        return self._key(values) in self._shapes

    def _key(self, values: Values) -> tuple[str, ...]:
        """Return what is in the slots that decide."""
        return tuple([values[slot] for slot in self._deciding])

    def learn(self, original: Text, value: Mapping[str, Any], values: Values) -> Shape | None:
        """Return the shape of a pod that was decoded, as ``shape``; that of others like it, from now on."""
        key = self._key(values)
        if key not in self._shapes:
            self._shapes[key] = self._shape_of(
                original, value, tuple([key[number] for number in self._of_spec])
            )
        return self.shape(values)

    def _shape_of(self, original: Text, value: Mapping[str, Any], deciding: tuple[str, ...]) -> Shape | None:
        pod = _ordinary(original, value, of_snapshot=self._of_snapshot)
        if pod is None:
            return None
        places = self._places
        of_metadata, of_spec = places.at("metadata"), places.at("spec")
        spec = self._shared.form(of_spec, value["spec"], self._first, deciding)
        value = {**value, "spec": spec.values[0]}  # one object for all shapes of the stencil
        metadata = {key: field for key, field in value["metadata"].items() if key != "managedFields"}
        text_of_spec = repr(value["spec"])
        containers = tuple(
            self._made(container, value, blanks=_WORD not in text_of_spec) for container in pod.containers
        )
        return Shape(
            structs.replace(pod, spec=value["spec"], containers=()),
            {key: field for key, field in value.items() if key != "status"} | {"metadata": metadata},
            of_metadata.form(metadata),
            spec,
            containers,
            name=of_metadata.get("name"),
            uid=of_metadata.get("uid"),
            namespace=of_metadata.get("namespace"),
            node=of_spec.get("nodeName"),
            created=of_metadata.get("creationTimestamp"),
            deleted=next((slot for slot, steps in enumerate(self._paths) if steps == _DELETED), None),
            owner=tuple(_owner(value["metadata"], of_metadata)),
            has_labels="labels" in of_metadata,
            of_owners=tuple(
                slot
                for slot, steps in enumerate(self._paths)
                if steps[0] == "metadata" and steps[1] in ("namespace", "labels", "ownerReferences")
            ),
            of_snapshot=self._of_snapshot,
            workload=text(mapping(metadata.get("annotations")), snapshots.WORKLOAD)
            if self._of_snapshot
            else "",
            lines=self._lines,
        )

    def _made(self, container: Container, value: Mapping[str, Any], *, blanks: bool) -> _Made:
        key, _, index = container.path.removeprefix("$.spec.").rstrip("]").partition("[")
        own = self._places.at("spec", key, int(index))
        slots = tuple(slot for slot in own.slots() if slot in self._blank)
        words = tuple(f"{_WORD}{number:05}" for number in range(len(slots)))
        filled = own.only(self._blank).form(container.spec).filled(dict(zip(slots, words, strict=True)))
        stored = container.stored
        noted = repr(stored.by_text) if stored is not None else ""
        blank = self._shared.blank(container.path, filled, words, noted) if blanks else None
        if stored is None:
            container = structs.replace(container, spec=value["spec"][key][int(index)])
        return _Made(container, key, int(index), blank, slots)


def _ordinary(original: Text, value: Mapping[str, Any], *, of_snapshot: bool) -> Pod | None:
    """Return a pod that an API server made, of an ordinary text; None for any other object.

    The strings of manifests and mirror pods may decide what they are, and so may those that a snapshot adds.
    """
    metadata = part(value, "metadata")
    annotations = mapping(metadata.get("annotations"))
    plain = all(isinstance(value.get(key), dict) for key in ("metadata", "spec", "status"))
    named = text(metadata, "name") and is_of_api_server(text(metadata, "uid"))
    if value.get("kind") != "Pod" or not plain or not named:
        return None
    if any(key in annotations for key in pods.ANNOTATIONS) or value.get("apiVersion", "v1") != "v1":
        return None
    try:
        # Nobody edits the lines of a snapshot.
        fields = Fields(value, "", "$", InFile("") if of_snapshot else InFile("", original.lines))
        pod = snapshots.with_stored(fields, of_pod(fields)) if of_snapshot else of_pod(fields)
    except InputError:
        return None
    noted = snapshots.WORKLOAD in annotations or any(
        snapshots.HASHES in container.spec for container in pod.containers
    )
    stored = noted and not of_snapshot
    return None if stored or pod.seen is not None or pod.manifest or pod.static or pod.mirror_doubt else pod


def _owner(metadata: Mapping[str, Any], places: Places) -> Iterator[tuple[int | None, str]]:
    """Yield the slots of the kind and the name of a pod's controller, with what is in them."""
    for index, reference in enumerate(rows(metadata, "ownerReferences")):
        if isinstance(reference, Mapping) and reference.get("controller"):
            own = places.at("ownerReferences", index)
            yield from ((own.get(key), clean(text(reference, key))) for key in ("kind", "name"))
            return


def _length(spec: Mapping[str, Any]) -> int:
    """Return the characters of a spec's text, about."""
    try:
        return len(_ENCODER.encode(spec))
    except (msgspec.MsgspecError, TypeError, ValueError):  # a number whose text counts
        return len(repr(spec))
