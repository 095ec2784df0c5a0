"""The pods of one family of stencils: what they share is read of the first, of each only what is its own.

Each is the very pod that ``of_pod`` makes of its whole text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.core.errors import InputError
from hashcompat.core.go.jsonpath import mapping, part, rows, text
from hashcompat.core.go.jsontext import clean
from hashcompat.core.go.tokens import Text
from hashcompat.core.model.pods import STATUSES, Blank, Container, Pod
from hashcompat.core.model.uids import is_of_api_server
from hashcompat.sources import pods, snapshots
from hashcompat.sources.documents import Fields, InFile
from hashcompat.sources.pods import of_pod
from hashcompat.sources.replicas.roles import Form, Places, Role
from hashcompat.sources.replicas.stencil import PLAIN, Stencil
from hashcompat.sources.statuses import State, id_of, place_of_ready, state_of, time_of
from hashcompat.sources.workloads import workload_of

_WORD: Final = "hashcompat-blank-"
"""How the words for blanks begin."""
_ENCODER: Final = msgspec.json.Encoder()
Values = Sequence[str]


class Row(msgspec.Struct, frozen=True):
    """The row of a status that reports a container."""

    form: Form
    path: str
    """Where it is, ``.status.containerStatuses[0]``."""
    id: int | None
    """The slot of the container's id."""
    started: int | None
    """That of the time at which it started."""
    restarts: int | None
    """That of the number of restarts."""
    is_plain: bool
    """Whether these are all slots in it that are read."""


class _Made(msgspec.Struct, frozen=True):
    """How a container of the pods is made."""

    first: Container
    """That of the first pod, in a text of its own."""
    key: str
    """The list of the spec that holds it."""
    index: int
    state: State
    """What the status of the first pod reports of it."""
    row: Row | None
    """None where the status does not report it."""
    blank: Blank | None
    """What the specs are made of; None where the words for blanks are in one."""
    slots: tuple[int, ...]
    """Whose values fill the blanks."""

    def made(self, values: Values, spec: Mapping[str, Any], origin: str, path: str, line: int) -> Container:
        """Return that of the pod with these values and a spec, at a path and a line; errors as ``of_pod``."""
        first, state = self.first, self._state(values, origin, path)
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
            own=tuple([values[slot] for slot in self.slots]),
        )

    def _state(self, values: Values, origin: str, path: str) -> State:
        first, row = self.state, self.row
        if row is None:
            return first
        is_time, started = (True, first.started) if row.started is None else time_of(values[row.started])
        # The decoder says what is wrong with a time, and reads what a row has besides.
        if not (row.is_plain and is_time):
            return state_of(row.form.filled(values), f"{origin}: {path}{row.path}")
        return State(
            first.running,
            started,
            first.restarts if row.restarts is None else int(values[row.restarts]),
            first.probed,
            first.id if row.id is None else id_of(values[row.id]),
            first.ended,
        )


class Shape(msgspec.Struct, frozen=True, eq=False):
    """What the pods share in which all that decides is equal."""

    pod: Pod
    """The first of them."""
    value: Mapping[str, Any]
    """It as JSON, as far as anything but its pod is made of that."""
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
    since: int | None
    """That of the time at which the pod became Ready."""
    start: int | None
    """That of its startTime, where the pod has activeDeadlineSeconds."""
    owner: tuple[tuple[int | None, str], ...]
    """Those of the kind and the name of its controller, with what these are in the first pod; none without
    one."""
    has_labels: bool
    """Whether a slot is in its labels."""
    of_owners: tuple[int, ...]
    """Those that show whose pods they are: of the namespace, of the labels, of the owners."""
    lines: int
    """The line breaks in the text of each."""

    def made(self, values: Values, origin: str, path: str, where: InFile, line: int) -> Pod:
        """Return the pod with these values, whose text begins at a line; errors as ``of_pod``."""
        pod, spec = self.pod, self.spec.filled(values)
        labels = self.metadata.filled(values)["labels"] if self.has_labels else pod.labels
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
            workload=pod.workload if same else workload_of(owner, labels),
            containers=tuple([one.made(values, spec, origin, path, line) for one in self.containers]),
            spec=spec,
            file=where.file,
            labels=labels,
            created=pod.created if self.created is None else values[self.created],
            ends=pod.ends if self.start is None else pods.deadline_of(spec, values[self.start]),
            ready_since=pod.ready_since if self.since is None else time_of(values[self.since])[1],
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
        return self._own(self.shape.uid, self.shape.pod.uid)

    @property
    def name(self) -> str:
        """Its name."""
        return self._own(self.shape.name, self.shape.pod.name)

    @property
    def namespace(self) -> str:
        """Its namespace."""
        return self._own(self.shape.namespace, self.shape.pod.namespace)

    def _own(self, slot: int | None, first: str) -> str:
        return first if slot is None else self.values[slot]

    def made(self, origin: str, path: str, where: InFile) -> Pod:
        """Return the pod; errors as ``of_pod``."""
        return self.shape.made(self.values, origin, path, where, self.line)

    @property
    def value(self) -> Mapping[str, Any]:
        """The pod as JSON, as far as a first look at a file reads it: all but its metadata is of another."""
        return {**self.shape.value, "metadata": self.shape.metadata.filled(self.values)}

    def is_like(self, other: Replica | None) -> bool:
        """Return whether a first look at a file finds nothing in it that it did not find in another one."""
        if other is None or self.shape is not other.shape:
            return False
        return all(self.values[slot] == other.values[slot] for slot in self.shape.of_owners)


class Shared:
    """What the families of one stencil of a spec share: specs with slots, and containers with blanks."""

    def __init__(self) -> None:
        self._blanks: dict[tuple[str, str], Blank] = {}
        self._forms: dict[tuple[int, tuple[str, ...]], Form] = {}

    def form(self, places: Places, spec: Mapping[str, Any], first: int, deciding: tuple[str, ...]) -> Form:
        """Return a spec with slots from a number on; ``deciding`` is what is in those that decide."""
        key = first, deciding
        if key not in self._forms:
            self._forms[key] = places.form(spec)
        return self._forms[key]

    def blank(self, path: str, spec: Mapping[str, Any], words: tuple[str, ...]) -> Blank:
        """Return the one that stands for a container at a path."""
        # By its text: a dict is no key, and one with 1 equals one with 1.0 or with true.
        key = path, repr(spec)
        if key not in self._blanks:
            self._blanks[key] = Blank(spec, words, _length(spec))
        return self._blanks[key]


class Family:
    """The pods whose three parts are of the same three stencils."""

    def __init__(self, stencils: Sequence[Stencil], shared: Shared) -> None:
        """Take the three stencils, and what the spec's shares."""
        self._shared, self._lines = shared, sum(one.lines for one in stencils)
        paths = [steps for one in stencils for steps in one.paths]
        roles = [role for one in stencils for role in one.roles]
        self._first = len(stencils[0].slots)
        spec = range(self._first, self._first + len(stencils[1].slots))
        self._paths = paths
        self._deciding = [slot for slot, role in enumerate(roles) if role is Role.DECIDES]
        self._of_spec = [number for number, slot in enumerate(self._deciding) if slot in spec]
        self._own = [
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
        own = [values[slot] for slot in self._own]
        are_plain = PLAIN.odd.search("".join(own)) is None and max(map(len, own), default=0) <= PLAIN.longest
        return shape if are_plain else None  # escapes and long names are for the decoder

    def knows(self, values: Values) -> bool:
        """Return whether a pod in which all that decides is equal was learned."""
        return self._key(values) in self._shapes

    def _key(self, values: Values) -> tuple[str, ...]:
        """Return what is in the slots that decide."""
        return tuple([values[slot] for slot in self._deciding])

    def learn(self, found: Text, value: Mapping[str, Any], values: Values) -> Shape | None:
        """Return the shape of a pod that was decoded, as ``shape``; that of others like it, from now on."""
        key = self._key(values)
        if key not in self._shapes:
            self._shapes[key] = self._shape_of(found, value, tuple([key[number] for number in self._of_spec]))
        return self.shape(values)

    def _shape_of(self, found: Text, value: Mapping[str, Any], deciding: tuple[str, ...]) -> Shape | None:
        pod = _ordinary(found, value)
        if pod is None:
            return None
        places, status = self._places, value["status"]
        of_metadata, of_spec = places.at("metadata"), places.at("spec")
        spec = self._shared.form(of_spec, value["spec"], self._first, deciding)
        value = {**value, "spec": spec.values[0]}  # one object for all shapes of the stencil
        metadata = {key: one for key, one in value["metadata"].items() if key != "managedFields"}
        text_of_spec = repr(value["spec"])
        containers = tuple(
            self._made(container, value, blanks=_WORD not in text_of_spec) for container in pod.containers
        )
        ready = place_of_ready(status.get("conditions")) if pod.ready else None
        since = places.at("status", "conditions", ready) if ready is not None else Places()
        return Shape(
            structs.replace(pod, spec=value["spec"], containers=()),
            {
                **value,
                "metadata": metadata,
                "status": {key: status[key] for key in ("phase",) if key in status},
            },
            of_metadata.form(metadata),
            spec,
            containers,
            name=of_metadata.get("name"),
            uid=of_metadata.get("uid"),
            namespace=of_metadata.get("namespace"),
            node=of_spec.get("nodeName"),
            created=of_metadata.get("creationTimestamp"),
            since=since.get("lastTransitionTime"),
            start=places.at("status").get("startTime") if "activeDeadlineSeconds" in value["spec"] else None,
            owner=tuple(_owner(value["metadata"], of_metadata)),
            has_labels="labels" in of_metadata,
            of_owners=tuple(
                slot
                for slot, steps in enumerate(self._paths)
                if steps[0] == "metadata" and steps[1] in ("namespace", "labels", "ownerReferences")
            ),
            lines=self._lines,
        )

    def _made(self, container: Container, value: Mapping[str, Any], *, blanks: bool) -> _Made:
        key, _, index = container.path.removeprefix("$.spec.").rstrip("]").partition("[")
        own = self._places.at("spec", key, int(index))
        slots = tuple(slot for slot in own.slots() if slot in self._blank)
        words = tuple(f"{_WORD}{number:05}" for number in range(len(slots)))
        filled = own.only(self._blank).form(container.spec).filled(dict(zip(slots, words, strict=True)))
        blank = self._shared.blank(container.path, filled, words) if blanks else None
        state, row = _reported(container, STATUSES[key], value["status"], self._places.at("status"))
        container = structs.replace(container, spec=value["spec"][key][int(index)])
        return _Made(container, key, int(index), state, row, blank, slots)


def _ordinary(found: Text, value: Mapping[str, Any]) -> Pod | None:
    """Return a pod that an API server made, of an ordinary text; None for any other object.

    The strings of manifests, mirror pods and pods of snapshots may decide what they are.
    """
    metadata = part(value, "metadata")
    annotations = mapping(metadata.get("annotations"))
    plain = all(isinstance(value.get(key), dict) for key in ("metadata", "spec", "status"))
    named = text(metadata, "name") and is_of_api_server(text(metadata, "uid"))
    if value.get("kind") != "Pod" or not plain or not named:
        return None
    if any(key in annotations for key in (*pods.ANNOTATIONS, snapshots.WORKLOAD)):
        return None
    try:
        pod = of_pod(Fields(value, "", "$", InFile("", found.lines)))
    except InputError:
        return None
    stored = any(snapshots.HASHES in container.spec for container in pod.containers)
    return None if stored or pod.seen is not None or pod.manifest or pod.static or pod.mirror_doubt else pod


def _owner(metadata: Mapping[str, Any], places: Places) -> Iterator[tuple[int | None, str]]:
    """Yield the slots of the kind and the name of a pod's controller, with what is in them."""
    for index, one in enumerate(rows(metadata, "ownerReferences")):
        if isinstance(one, Mapping) and one.get("controller"):
            own = places.at("ownerReferences", index)
            yield from ((own.get(key), clean(text(one, key))) for key in ("kind", "name"))
            return


def _reported(
    container: Container, name: str, status: Mapping[str, Any], places: Places
) -> tuple[State, Row | None]:
    """Return what a status reports of a container in one of its lists; ``places`` are those in the status."""
    names = [mapping(row).get("name") for row in rows(status, name)]
    found = [
        number
        for number, of_row in enumerate(names)
        if isinstance(of_row, str) and clean(of_row) == container.name
    ]
    if not found:
        return State(running=container.running), None
    row, own = status[name][found[-1]], places.at(name, found[-1])
    slots = (
        _slot(own, row, "containerID", str),
        _slot(own.at("state", "running"), part(part(row, "state"), "running"), "startedAt", str),
        _slot(own, row, "restartCount", int),
    )
    read = Places({key: inner for key, inner in own.items() if key in _READ})
    is_plain = all(slot in slots for slot in read.slots())
    made = Row(own.form(row), f".status.{name}[{found[-1]}]", *slots, is_plain)
    return state_of(row, ""), made  # names no place: the container was made of this row, so nothing is wrong


_READ: Final = frozenset({"state", "lastState", "restartCount", "started", "containerID"})
"""The keys of a row that are read."""


def _slot(own: Places, value: Mapping[str, Any], key: str, kind: type) -> int | None:
    """Return the slot of a value; None where it has none, or is not of the kind that the API has there."""
    return own.get(key) if type(value.get(key)) is kind else None


def _length(spec: Mapping[str, Any]) -> int:
    """Return the characters of a spec's text, about."""
    try:
        return len(_ENCODER.encode(spec))
    except (msgspec.MsgspecError, TypeError, ValueError):  # a number whose text counts
        return len(repr(spec))
