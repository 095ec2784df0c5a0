"""Where objects hold pod templates, and which workload is above a pod's controller.

A pod names its direct controller alone. Where that one is in the input, it names its own controller. Where
it is not, its name shows what made it, if a controller of Kubernetes makes such names: only a name that fits
exactly counts.

Not every pod template counts as a pod: not those whose pods are in the input already, nor those that have
none. A pod names its controller, and that one the next (Pod -> ReplicaSet -> Deployment, Pod -> Job ->
CronJob), so ``kubectl get all`` shows one container up to three times. An object that an API server returned
has a uid; one without is a manifest, whose pods are yet to be created.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from hashcompat.core.errors import InputError
from hashcompat.core.go import jsontext
from hashcompat.core.go.jsonpath import part, rows, text
from hashcompat.core.go.jsontext import clean
from hashcompat.core.model.escape import count, some
from hashcompat.core.regex import regex
from hashcompat.sources.volumes import Claims

_HASH_LABELS: Final = {"pod-template-hash": "Deployment", "rollouts-pod-template-hash": "Rollout"}
"""What follows the owner in a ReplicaSet's name (pkg/controller/deployment/sync.go ``getNewReplicaSet``)."""
_SAFE: Final = "bcdfghjklmnpqrstvwxz2456789"
"""The characters of encoded hashes (k8s.io/apimachinery/pkg/util/rand ``SafeEncodeString``)."""
_JOB: Final = regex("(.{1,52})-([1-9][0-9]{7}|[1-9][0-9]{9})")
"""CRONJOB-TIME; the name of a CronJob has at most 52 characters (pkg/apis/batch/validation)."""
_MINUTES: Final = range(26_700_000, 100_000_000)
"""Minutes since 1970, from October 2020 on: names of 1.20 and newer (cronjob/utils.go ``getJobName``)."""
_SECONDS: Final = range(1_460_000_000, 10_000_000_000)
"""Seconds since 1970, from April 2016 on: names of 1.4 and newer (cronjob/utils.go ``getTimeHash``)."""


def workload_of(owner: str, labels: Mapping[str, Any], static_on: str = "") -> str:
    """Return the workload of a pod by names: ``Deployment/web`` above ``ReplicaSet/web-474k6w5gmh``.

    Where no name shows one, it is the owner.
    ``labels`` are the pod's; ``static_on`` is the node of a static pod, which stands for a missing owner.
    """
    kind, _, name = owner.partition("/")
    if kind == "ReplicaSet":
        return maker_of(name, labels) or owner
    if kind == "Job" and (match := _JOB.fullmatch(name)):
        time = int(match[2])
        # in seconds, the time of a schedule is that of a full minute
        if time in _MINUTES or (time in _SECONDS and time % 60 == 0):
            return f"CronJob/{match[1]}"
    return owner or (f"Node/{static_on}" if static_on else "")


def maker_of(replica_set: str, labels: Mapping[str, Any]) -> str:
    """Return what made a ReplicaSet, by a label that its pods have too; empty where none fits its name."""
    for label, kind in _HASH_LABELS.items():
        for ending in _endings(text(labels, label)):
            name = replica_set.removesuffix(ending)
            if name and name != replica_set:
                return f"{kind}/{name}"
    return ""


def _endings(value: str) -> Iterator[str]:
    """Yield what a ReplicaSet's name may end in: from 1.8 to 1.11 the label is a number, encoded in names."""
    if value:
        yield f"-{value}"
    if value.isdecimal() and value.isascii():
        yield "-" + "".join(_SAFE[ord(char) % len(_SAFE)] for char in value)


Place = tuple[str, ...]
"""The keys from an object down to its pod template."""
USUAL: Final[Place] = ("spec", "template")
_PLACES: Final[Mapping[str, Place]] = {
    **dict.fromkeys(("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"), USUAL),
    **dict.fromkeys(("ReplicationController", "Job"), USUAL),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
    "PodTemplate": ("template",),
}
WORKLOADS: Final = tuple(_PLACES)
"""The kinds with pod templates that are read."""
GROUPS: Final = frozenset({"", "apps", "batch", "extensions"})
"""The API groups of those kinds; another group may have a kind of the same name and any structure."""
_WITHOUT_PODS: Final = frozenset({"Pod", "Node", "ControllerRevision"})
"""Kinds without a pod template of their own; a ControllerRevision is the history of one."""


def group_of(value: Mapping[str, Any]) -> str:
    """Return the API group of an object, empty for the core group and where ``apiVersion`` is missing."""
    return text(value, "apiVersion").rpartition("/")[0]


def is_workload(value: Mapping[str, Any]) -> bool:
    """Return whether an object is of a workload kind of Kubernetes' own, by its API group too."""
    kind = value.get("kind")
    return isinstance(kind, str) and kind in _PLACES and group_of(value) in GROUPS


def place_of(value: Mapping[str, Any]) -> Place | None:
    """Return where an object holds the pod template that is read; None for an object without one.

    Of a kind that is not known, only ``spec.template`` is read, and only where an API server would accept its
    containers: each needs a name.
    """
    kind = value.get("kind")
    if kind in _WITHOUT_PODS:
        return None
    if is_workload(value):
        return _PLACES[value["kind"]]
    containers = _containers(part(value, "spec").get("template"))
    return USUAL if containers and all(text(container, "name") for container in containers) else None


def unread_places(value: Mapping[str, Any]) -> list[str]:
    """Return the JSON paths of the pods and templates that are not read (``$.spec.groups[*].template``)."""
    place = place_of(value)
    if value.get("kind") in _WITHOUT_PODS or (place and value.get("kind") in _PLACES):
        return []
    read = "$." + ".".join(place) if place else ""
    return sorted(path for path in set(_templates(value)) if path != read)


def _templates(value: Mapping[str, Any]) -> Iterator[str]:
    """Yield the path of all that is like a pod, or named a template with containers; visit values once."""
    todo: list[tuple[str, Any]] = [
        (f"$.{key}", child) for key, child in value.items() if key not in ("metadata", "status")
    ]
    seen = set[int]()  # YAML aliases can repeat one value without end
    while todo:
        path, child = todo.pop()
        if not isinstance(child, Mapping | list) or id(child) in seen:
            continue
        seen.add(id(child))
        if _is_pod(child) or (path.lower().endswith("template") and _containers(child)):
            yield path
        elif isinstance(child, list):
            todo += [(f"{path}[*]", item) for item in child]
        else:
            todo += [(f"{path}.{key}", item) for key, item in child.items()]


def _is_pod(value: object) -> bool:
    """Return whether a value has what a kubelet needs of a pod; patterns of policies have a part of it."""
    containers = _containers(value)
    texts = [text(container, key) for container in containers for key in ("name", "image")]
    return bool(texts) and all(value and "*" not in value for value in texts)


def _containers(template: object) -> list[Mapping[str, Any]]:
    """Return the containers of a pod template, none where it is not a pod template."""
    containers = part(template, "spec").get("containers") if isinstance(template, Mapping) else None
    if not isinstance(containers, list) or not all(
        isinstance(container, Mapping) for container in containers
    ):
        return []
    return containers


Key = str | tuple[str, str, str]
"""A uid; or kind, namespace and name, where an owner is named without its uid."""
_CREATED_BY: Final = "kubernetes.io/created-by"
"""The annotation that names a pod's controller up to 1.8 (controller_utils.go ``getPodsAnnotationSet``)."""
_SCHEDULED: Final = regex(r"(.+)-\d{8,}")
"""CronJobs add the scheduled time in minutes or seconds (pkg/controller/cronjob/utils.go ``getJobName``)."""
_MADE: Final = frozenset({"ReplicaSet", "Job"})
"""The kinds whose controller is the workload that people know, and not they."""
_NAMED: Final = 3
"""Objects that a warning names."""


class CountedTemplates(msgspec.Struct, frozen=True):
    """Which pod templates of an input count as pods."""

    left_out: frozenset[str] = frozenset()
    """The uids of objects whose pod templates do not count."""
    warnings: tuple[str, ...] = ()
    """What was left out, and which templates are not read, one line a cause."""
    makers: Mapping[tuple[str, str], str] = {}
    """What controls each ReplicaSet and Job in the input, or itself: ``Kind/name`` by namespace and that."""
    unread: tuple[str, ...] = ()
    """Those of the warnings that say which templates are not read."""
    volumes: Mapping[tuple[str, str], str] = {}
    """The kinds of PersistentVolumes behind claims, by their namespaces and names (``Claims.kinds``)."""

    def counts(self, value: Mapping[str, Any]) -> bool:
        """Return whether an object is read: all are, but for pod templates that do not count."""
        if value.get("kind") == "Pod":
            return True
        uid = text(part(value, "metadata"), "uid")
        return uid not in self.left_out if uid else not (asks_for_none(value) and place_of(value))


def asks_for_none(value: Mapping[str, Any]) -> bool:
    """Return whether the spec of a workload asks for no pods at all."""
    spec = part(value, "spec")
    return any(_is_zero(spec.get(key)) for key in ("replicas", "parallelism")) or spec.get("suspend") is True


def _counts_none(value: Mapping[str, Any]) -> bool:
    """Return whether the status of a workload counts no pods; counts of 0 are left out of it."""
    status = value.get("status")
    if not isinstance(status, Mapping):
        return False
    if value.get("kind") in ("Job", "CronJob"):
        return not status.get("active")
    if value.get("kind") == "DaemonSet":
        return _is_zero(status.get("currentNumberScheduled"))
    return _is_zero(status.get("replicas", 0 if value.get("kind") == "Deployment" else None))


def _is_zero(value: object) -> bool:
    return type(value) is int and value == 0


class _Workload(msgspec.Struct, frozen=True):
    """An object with pod templates, as far as others decide whether they count."""

    kind: str
    name: str
    keys: tuple[Key, ...]
    """Empty for a manifest."""
    owners: tuple[Key, ...]
    read: bool
    unread: tuple[str, ...]
    asks_for_none: bool
    counts_none: bool

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}"


class Ownership:
    """Collects who owns and who claims what, object by object; it grows with controllers, not with pods."""

    def __init__(self) -> None:
        self.has_pods = False
        """Whether there was a pod."""
        self._owners: set[Key] = set()
        self._above: dict[Key, set[Key]] = {}
        self._workloads: dict[object, _Workload] = {}
        self._makers: dict[tuple[str, str], str] = {}
        self._claims = Claims()

    def add(self, value: Mapping[str, Any]) -> None:
        """Take one object, of any kind and in any condition, into account."""
        metadata = part(value, "metadata")
        owners = tuple(_owners(metadata))
        if value.get("kind") == "Pod":
            self.has_pods = True
            self._owners.update(key for key, _ in owners)
            for key, made_by in owners:
                if made_by:
                    self._above.setdefault(key, set()).add(made_by)
            return
        self._claims.add(value)
        uid = text(metadata, "uid")
        named = str(value.get("kind")), text(metadata, "namespace") or "default", text(metadata, "name")
        keys = (uid, named) if uid else ()
        for key in keys if owners else ():
            self._above.setdefault(key, set()).update(owner for owner, _ in owners)
        if uid and named[0] in _MADE:
            own = f"{named[0]}/{named[2]}"
            self._makers[named[1], own] = next(map(_named, _controllers(metadata)), own)
        read, unread = place_of(value), unread_places(value)
        if read or unread:
            self._workloads[keys[0] if keys else object()] = _Workload(
                str(value.get("kind")),
                text(metadata, "name"),
                keys,
                tuple(key for key, _ in owners),
                bool(read),
                tuple(unread),
                asks_for_none(value),
                _counts_none(value),
            )

    @property
    def size(self) -> int:
        """The number of facts, weighed by the memory that they take."""
        owners = len(self._owners) + len(self._above) + len(self._makers)
        return owners + 3 * len(self._workloads) + self._claims.size

    @property
    def has_workloads(self) -> bool:
        """Whether there are objects with pod templates: for these it matters who owns which pods."""
        return bool(self._workloads)

    def merge(self, other: Ownership) -> None:
        """Take what another census found into account."""
        self.has_pods |= other.has_pods
        self._owners |= other._owners
        self._workloads |= other._workloads
        self._makers |= other._makers
        self._claims.merge(other._claims)
        for key, above in other._above.items():
            self._above.setdefault(key, set()).update(above)

    def templates(self) -> CountedTemplates:
        """Decide about every pod template, once all objects are known."""
        with_pods = self._reached(self._owners)
        present, without, rest = list[_Workload](), list[_Workload](), list[_Workload]()
        for workload in self._workloads.values():
            there = with_pods.intersection(workload.keys)
            (present if there else without if self._has_none(workload) else rest).append(workload)
        with_templates = self._reached(key for workload in rest if workload.read for key in workload.owners)
        above = [workload for workload in rest if with_templates.intersection(workload.keys)]
        left = [workload for workload in rest if not with_templates.intersection(workload.keys)]
        uids = (
            key for workload in (*present, *without, *above) for key in workload.keys if isinstance(key, str)
        )
        unread = tuple(_not_read(left))
        return CountedTemplates(
            frozenset(uids),
            (
                *_left_out(present, "its pods are in the input", "their pods are in the input"),
                *_left_out(above, "what it controls is in the input", "what they control is in the input"),
                *_left_out(without, "it has no pods", "they have no pods"),
                *(_alone(left) if self.has_pods else ()),
                *unread,
            ),
            self._makers,
            unread,
            self._claims.kinds(),
        )

    def _has_none(self, workload: _Workload) -> bool:
        """Return whether a workload has no pods: by its spec, or by its status if the input has pods."""
        return workload.asks_for_none or (self.has_pods and bool(workload.keys) and workload.counts_none)

    def _reached(self, keys: Iterable[Key]) -> set[Key]:
        """Return these owners, and all above them."""
        reached = set[Key]()
        todo = list(keys)
        while todo:
            key = todo.pop()
            if key not in reached:
                reached.add(key)
                todo += self._above.get(key, ())
        return reached


def _owners(metadata: Mapping[str, Any]) -> Iterator[tuple[Key, Key | None]]:
    """Yield an object's controller, and where its name shows it, the controller of that one."""
    namespace, labels = text(metadata, "namespace") or "default", part(metadata, "labels")
    for reference in _controllers(metadata) or _created_by(metadata):
        kind, name = text(reference, "kind"), text(reference, "name")
        above = _name_above(kind, name, labels)
        yield (
            text(reference, "uid") or (kind, namespace, name),
            (above[0], namespace, above[1]) if above else None,
        )


def _controllers(metadata: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the references to the controller of an object: one, where an API server returned it."""
    return [
        reference
        for reference in rows(metadata, "ownerReferences")
        if isinstance(reference, Mapping) and reference.get("controller")
    ]


def _named(reference: Mapping[str, Any]) -> str:
    return "/".join(clean(text(reference, key)) for key in ("kind", "name"))


def _created_by(metadata: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the reference in the annotation, which anybody may write; owners are of the same namespace."""
    try:
        document = jsontext.loads(text(part(metadata, "annotations"), _CREATED_BY) or "{}")
    except InputError:
        return []
    reference = part(document, "reference") if isinstance(document, dict) else {}
    own = text(metadata, "namespace") or "default"
    return [reference] if reference and text(reference, "namespace") in ("", own) else []


def _name_above(kind: str, name: str, labels: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return kind and name of the controller of a ReplicaSet or Job, which may be missing from the input."""
    if kind == "ReplicaSet":
        made_by, _, above = maker_of(name, labels).partition("/")
        return (made_by, above) if made_by else None
    match = _SCHEDULED.fullmatch(name) if kind == "Job" else None
    return ("CronJob", match[1]) if match else None


def _left_out(workloads: Iterable[_Workload], singular: str, several: str) -> Iterator[str]:
    if skipped := [workload for workload in workloads if workload.read]:
        why = singular if len(skipped) == 1 else several
        yield f"skipped {count(len(skipped), 'pod template')}: {why} ({some(map(str, skipped), _NAMED)})"


def _alone(workloads: Iterable[_Workload]) -> Iterator[str]:
    if counted := [workload for workload in workloads if workload.read and workload.keys]:
        verb, them = ("counts as a pod", "it") if len(counted) == 1 else ("count as a pod each", "them")
        yield (
            f"{count(len(counted), 'pod template')} {verb}: no pod in the input belongs to {them}"
            f" ({some(map(str, counted), _NAMED)})"
        )


def _not_read(workloads: Iterable[_Workload]) -> Iterator[str]:
    kinds: dict[str, list[_Workload]] = {}
    for workload in workloads:
        if workload.unread:
            kinds.setdefault(workload.kind, []).append(workload)
    for kind, group in kinds.items():
        places = dict.fromkeys(place for workload in group for place in workload.unread)
        verb = "holds" if len(group) == 1 else "hold"
        objects = count(len(group), "object")
        yield f"not read: {objects} of kind {kind} {verb} a pod template at {some(places, _NAMED)}"
