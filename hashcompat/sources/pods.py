"""A Pod or an object with a pod template -> a pod: a template counts as a pod of the object.

Static pods are those that a kubelet takes for mirror pods, as far as that is confirmed. Tenants write
annotations. A kubelet reads ``kubernetes.io/config.source`` and ``config.hash`` of static pods alone,
overwrites the former on every pod that an API server sends (pkg/kubelet/config/config.go), and takes a pod
for a mirror pod by ``config.mirror`` (pkg/kubelet/types/pod_update.go ``IsMirrorPod``, in all releases).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec

from hashcompat.core.corev1.resources import QOS, amount
from hashcompat.core.corev1.scheduling import api_references
from hashcompat.core.errors import DecodeError
from hashcompat.core.go.jsonpath import mapping, part, rows, text
from hashcompat.core.go.jsontext import clean
from hashcompat.core.model.escape import name_path, word
from hashcompat.core.model.pods import (
    CONTAINER_LISTS,
    PHASES,
    PROFILES,
    RESIZE_IN_PROGRESS,
    RESIZE_PENDING,
    RESTARTING_ALL,
    SANDBOX_READY,
    STATUSES,
    Container,
    ContainerType,
    Pod,
    Seen,
)
from hashcompat.core.model.uids import is_computed
from hashcompat.sources.documents import Fields
from hashcompat.sources.statuses import States, is_deleted, readiness, time_of
from hashcompat.sources.workloads import Place, workload_of

_MIRROR: Final = "kubernetes.io/config.mirror"
"""Immutable: API servers from 1.7 on refuse to add, change or remove it (pkg/api/validation)."""
_SOURCE: Final = "kubernetes.io/config.source"
_CONFIG_HASH: Final = "kubernetes.io/config.hash"
ANNOTATIONS: Final = (_MIRROR, _SOURCE, _CONFIG_HASH)
"""All that is read of a mirror pod's annotations; each value is a string."""
_LIMITED: Final = "kubernetes.io/limit-ranger"
"""What the admission plugin LimitRanger notes the resources in that it sets."""
_NO_UID: Final = ("", "mirror")
"""Values of ``config.mirror`` that are not the static pod's uid; the latter is that of 1.0."""
_URL: Final = "http"


class Mirror(msgspec.Struct, frozen=True):
    """What a pod's metadata shows of the static pod behind it."""

    static: bool = False
    """Whether the pod is a static one: a mirror pod, or a static pod as its kubelet lists it."""
    uid: str = ""
    """The static pod's uid; empty for other pods, and where it is not shown."""
    from_url: bool = False
    """Whether the kubelet reads it from a URL."""
    doubt: str = ""
    """What contradicts that a kubelet made this mirror pod, in a few words; empty for nothing."""


def mirror_of(metadata: Mapping[str, Any], annotations: Mapping[str, Any], node: str, owner: str) -> Mirror:
    """Return what a pod's metadata shows; ``owner`` is its controller, ``ReplicaSet/web-474k6w5gmh``.

    A pod that a controller other than a node made is none that a kubelet made, whatever its annotations.
    """
    uid, name = _text(metadata, "uid"), _text(metadata, "name")
    if _MIRROR not in annotations:
        if not is_computed(uid):
            return Mirror()
        return Mirror(static=True, uid=uid, from_url=annotations.get(_SOURCE) == _URL)
    kind, _, made_by = owner.partition("/")
    if owner and kind != "Node":
        return Mirror(doubt=f"its controller is {name_path(kind, made_by)}")
    doubts = (*_misnamed(name, node, made_by), *_contradicting(annotations))
    # the annotation that cannot be changed counts before the other one
    copied, value = _text(annotations, _CONFIG_HASH), _text(annotations, _MIRROR)
    return Mirror(
        static=True,
        uid=value if copied and value not in _NO_UID else copied,
        from_url=annotations.get(_SOURCE) == _URL,
        doubt=next(iter(doubts), ""),
    )


def annotations_of(pod: Pod) -> dict[str, str]:
    """Return annotations that show the same of a pod as those that ``mirror_of`` read."""
    annotations: dict[str, str] = {}
    if pod.mirror_doubt or (pod.static and pod.uid != pod.config_hash):
        annotations[_MIRROR] = ""
    if pod.mirror_doubt.startswith(ANNOTATIONS):  # one annotation contradicts another: so do these
        annotations[_SOURCE] = "api"
    elif pod.from_url:
        annotations[_SOURCE] = _URL
    if pod.config_hash:
        annotations[_CONFIG_HASH] = pod.config_hash
    return annotations


def _misnamed(name: str, node: str, made_by: str) -> Iterator[str]:
    """Compare names (pkg/kubelet/config/common.go ``generatePodName``)."""
    if made_by and made_by != node:
        yield f"its controller is node {word(made_by)}, and it runs on {word(node) if node else 'none'}"
    if node and not name.endswith(f"-{node.lower()}"):
        yield f"its name does not end in {word(f'-{node.lower()}')}"


def _contradicting(annotations: Mapping[str, Any]) -> Iterator[str]:
    """Compare the annotations, which a kubelet copies from the static pod (``CreateMirrorPod``)."""
    value, copied = _text(annotations, _MIRROR), _text(annotations, _CONFIG_HASH)
    if copied and value not in (*_NO_UID, copied):
        yield f"{_MIRROR} and {_CONFIG_HASH} differ"
    if _text(annotations, _SOURCE) not in ("", "file", _URL):
        yield f"{_SOURCE} is not one of static pods"


def _text(value: Mapping[str, Any], key: str) -> str:
    return clean(text(value, key))


MOST_CONTAINERS: Final = 500
"""Containers in one list of a pod; each verdict looks at all of them, and ten in a pod are many."""


def of_template(owner: Fields, place: Place) -> Pod:
    """Return the pod template of an object as a pod with the object's name; errors as ``of_pod``."""
    metadata = owner.object("metadata")
    name = metadata.string("name")
    namespace = metadata.string("namespace")
    template = owner
    for key in place:
        template = template.object(key)
    of_pods = part(template.value, "metadata")
    profiles = profiles_in(part(of_pods, "annotations"))
    labels = part(of_pods, "labels")
    value = {
        "metadata": {"name": name, "namespace": namespace, "labels": labels, "annotations": profiles},
        "spec": template.value.get("spec"),
    }
    return of_pod(Fields(value, template.origin, template.path, owner.where), f"{owner.value['kind']}/{name}")


def of_pod(fields: Fields, owner: str = "") -> Pod:
    """Return a pod; ``owner`` is its controller where it does not name one.

    Raises InputError, with its place, for a pod without containers and for what no API server would return.
    """
    metadata, spec, status = map(fields.object, ("metadata", "spec", "status"))
    annotations = metadata.object("annotations")
    uid = metadata.string("uid")
    if fields.string("apiVersion") not in ("", "v1"):  # items of a typed list may leave it out
        raise fields.error("apiVersion", "want v1: there is no other Pod that a kubelet runs")
    if not spec.value.get("containers"):
        raise spec.error("containers", "a Pod needs at least one container")
    if uid and fields.value.get("status") == {} and _is_listed_as_running(metadata.value, spec.value):
        raise spec.error(
            "containers",
            "only names and images, as a kubelet's /runningpods shows them; take its /pods instead",
        )
    for key in ANNOTATIONS:
        annotations.string(key)
    node, owner = spec.string("nodeName"), owner or _owner(metadata)
    manifest = not uid and not status.value
    mirror = mirror_of(metadata.value, annotations.value, node, owner)
    _check_spec(spec)
    return Pod(
        origin=fields.origin,
        namespace=metadata.string("namespace") or "default",
        name=metadata.string("name") or metadata.string("generateName"),
        uid=uid,
        node=node,
        owner=owner,
        workload=workload_of(owner, part(metadata.value, "labels"), node if mirror.static else ""),
        manifest=manifest,
        deleting=is_deleted(metadata),
        static=mirror.static,
        mirror_doubt=mirror.doubt,
        from_url=mirror.from_url,
        host_network=spec.truth("hostNetwork") is True,
        restart_policy=spec.string("restartPolicy") or "Always",
        references=api_references(spec.value) if manifest or mirror.static else (),
        automount=spec.truth("automountServiceAccountToken"),
        spec=spec.value,
        profiles=profiles_in(annotations.value) if manifest else {},
        config_hash=mirror.uid,
        images={name: seen.image for name, seen in _shown(status.value)} if mirror.static else {},
        limited=mirror.static and _LIMITED in annotations.value,
        containers=tuple(_containers(spec, _reported(status, mirror.static), fields)),
        file=fields.where.file,
        labels=part(metadata.value, "labels"),
        created=text(metadata.value, "creationTimestamp"),
        **reported(metadata.value, spec.value, status, static=mirror.static),
    )


def _check_spec(spec: Fields) -> None:
    """Raise InputError, with the place, for a wrong type in what is read without errors elsewhere."""
    for key in ("volumes", "tolerations"):
        spec.rows(key)
    spec.object("nodeSelector")
    affinity = spec.object("affinity").object("nodeAffinity")
    affinity.object("requiredDuringSchedulingIgnoredDuringExecution").rows("nodeSelectorTerms")


_LISTED: Final = {"name", "image", "resources"}
"""The fields of a container there."""


def _is_listed_as_running(metadata: Mapping[str, Any], spec: Mapping[str, Any]) -> bool:
    """Return whether a pod of an empty status is one that a kubelet makes of what its runtime lists.

    The specs of its containers are not in it. Source: pkg/kubelet/container/runtime.go ``ToAPIPod`` (1.36.0).
    """
    return (
        set(spec) == {"containers"}
        and not metadata.get("creationTimestamp")
        and all(
            isinstance(row, Mapping) and set(row) == _LISTED and row["resources"] == {}
            for row in rows(spec, "containers")
        )
    )


def reported(
    metadata: Mapping[str, Any], spec: Mapping[str, Any], status: Fields, *, static: bool = False
) -> dict[str, Any]:
    """Return what a status reports of a pod but for its containers, by the names of ``Pod``'s fields.

    ``static``: whether the pod is a static one, whose kubelet reads no spec from an API server. Raises
    InputError, with the place, for a phase that is none, and for conditions that are no objects.
    """
    phase = status.string("phase")
    # the beginning of one may be that of a file that is cut, which is told by its end
    if phase not in PHASES and not any(name.startswith(phase) for name in PHASES):
        raise status.error("phase", f"want one of {', '.join(PHASES)}, got {word(phase)}")
    status.rows("conditions")
    ready, since = readiness(status.value.get("conditions"))
    conditions = _conditions(status.value.get("conditions"))
    resized = resized_in(spec, status.value, static=static) if status.value else {}
    # a resize that is not done, as kubelets show it from 1.33 on: pkg/kubelet/status/status_manager.go
    # ``SetPodResizePendingCondition``
    pending = (
        condition for condition in (RESIZE_PENDING, RESIZE_IN_PROGRESS) if (condition, "True") in conditions
    )
    return {
        "phase": phase,
        "resized": resized,
        "resizing": next(pending, "") or _unseen_resize(spec, resized),
        "qos": "" if static else next((qos for qos in QOS if qos == status.value.get("qosClass")), ""),
        "restarting": (RESTARTING_ALL, "True") in conditions,
        "unsandboxed": (SANDBOX_READY, "False") in conditions,
        "claims": claims_in(status.value),
        "ends": deadline_of(spec, status.value.get("startTime")),
        "seen": None if static else seen_of(metadata, status.value),
        "ready": ready,
        "ready_since": since,
    }


def seen_of(metadata: Mapping[str, Any], status: Mapping[str, Any]) -> dict[str, Seen] | None:
    """Return what a kubelet has seen of a pod whose spec changed since; None for any other.

    API servers count the changes of a spec (``metadata.generation``), and kubelets report which they have
    seen: pkg/kubelet/status/status_manager.go, feature gate PodObservedGenerationTracking, on from 1.34.
    """
    newest, reported = metadata.get("generation"), status.get("observedGeneration")
    if type(newest) is not int or type(reported) is not int or not 0 < reported < newest:
        return None
    return dict(_shown(status))


def _shown(status: Mapping[str, Any]) -> Iterator[tuple[str, Seen]]:
    """Yield the names of containers, each with what the status shows of the spec that it was made by."""
    for key in STATUSES.values():
        for row in rows(status, key):
            if isinstance(row, Mapping) and isinstance(row.get("name"), str):
                yield (
                    clean(row["name"]),
                    Seen(
                        clean(image) if isinstance(image := row.get("image"), str) else "",
                        resources if isinstance(resources := row.get("resources"), Mapping) else None,
                    ),
                )


def deadline_of(spec: Mapping[str, Any], started: object) -> datetime | None:
    """Return when a pod that started then has run for its activeDeadlineSeconds; None where nothing shows it.

    Source: pkg/kubelet/active_deadline.go ``pastActiveDeadline``.
    """
    seconds = spec.get("activeDeadlineSeconds")
    if type(seconds) is not int or not isinstance(started, str):
        return None
    start = time_of(started)[1]
    try:
        return start and start + timedelta(seconds=seconds)
    except OverflowError:  # behind the year 9999
        return None


def resized_in(
    spec: Mapping[str, Any], status: Mapping[str, Any], *, static: bool = False
) -> dict[str, Mapping[str, Any]]:
    """Return the containers whose status shows other resources than their spec, by names.

    Kubelets show what they allocated to a container (``allocatedResources``) and what it has (``resources``)
    from 1.27 on, with the gate InPlacePodVerticalScaling; of the pod itself, whose name here is empty, from
    1.35 on, with InPlacePodLevelResourcesVerticalScaling. The latter they show of every pod, with its
    overhead in what is allocated: of one without resources of its own both are kept as they are, but not of a
    mirror pod, for no kubelet reads the status of a static pod (pkg/kubelet/kubelet_pods.go
    ``generateAPIPodStatus``, 1.36.5 and 1.37.2).
    """
    wanted = {
        str(mapping(row).get("name")): mapping(mapping(row).get("resources"))
        for key in ("containers", "initContainers")
        for row in rows(spec, key)
    }
    resized = dict[str, Mapping[str, Any]]()
    for key in ("containerStatuses", "initContainerStatuses"):
        for row in rows(status, key):
            name = mapping(row).get("name")
            if isinstance(name, str) and name in wanted and (changed := _changed(mapping(row), wanted[name])):
                resized[name] = changed
    own = mapping(spec.get("resources"))
    if mapping(own.get("requests")):
        if "resources" in status and (changed := _changed(status, own)):
            resized[""] = changed
    elif not static:
        allocated = mapping(status.get("allocatedResources"))
        actual = mapping(mapping(status.get("resources")).get("requests"))
        if allocated and actual:
            resized[""] = {"allocated": allocated, "actual": actual}
    return resized


def _changed(row: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return what a status shows other than a spec asks for."""
    actual, limits = mapping(row.get("resources")), mapping(wanted.get("limits"))
    requests = mapping(wanted.get("requests"))
    shown = {
        "allocated": (mapping(row.get("allocatedResources")), requests),
        "actual": (mapping(actual.get("requests")), requests),
        "limits": (mapping(actual.get("limits")), limits),
    }
    return {what: amounts for what, (amounts, asked) in shown.items() if amounts and amounts != asked}


def _unseen_resize(spec: Mapping[str, Any], resized: Mapping[str, Mapping[str, Any]]) -> str:
    """Return that a resize waits, where a kubelet gave a container other resources than its spec asks for.

    A kubelet that has not seen the new spec yet sets no condition; the one that starts finds what it has to
    allocate by the same difference (pkg/kubelet/allocation/allocation_manager.go, 1.34.12). A status shows no
    limits that were allocated: those that a container has count where nothing but them differs, and by more
    than a runtime rounds.
    """
    changed = {name: resources for name, resources in resized.items() if name}
    for key in ("containers", "initContainers") if changed else ():
        for row in map(mapping, rows(spec, key)):
            shown, wanted = changed.get(str(row.get("name")), {}), mapping(row.get("resources"))
            if _differs(shown.get("allocated"), wanted.get("requests"), {}):
                return RESIZE_PENDING
            if set(shown) == {"limits"} and _differs(shown["limits"], wanted.get("limits"), _ROUNDED):
                return RESIZE_PENDING
    return ""


_ROUNDED: Final = {"cpu": "10m", "memory": "64Ki"}
"""By how much a runtime may round a limit: systemd rounds a quota to 1 % of a CPU, kernels to a page."""


def _differs(shown: object, asked: object, tolerated: Mapping[str, str]) -> bool:
    """Return whether a status shows another amount than a spec asks for, of what both have."""
    wanted = mapping(asked)
    for name, value in mapping(shown).items():
        with suppress(DecodeError):
            if name in wanted and abs(amount(value) - amount(wanted[name])) > amount(tolerated.get(name, 0)):
                return True
    return False


def _conditions(rows: object) -> set[tuple[str, str]]:
    """Return the types of conditions, each with its status, such as ``True``."""
    return {
        (kind, status)
        for row in (rows if isinstance(rows, list) else ())
        if isinstance(row, Mapping)
        and isinstance(kind := row.get("type"), str)
        and isinstance(status := row.get("status"), str)
    }


def claims_in(status: Mapping[str, Any]) -> frozenset[tuple[str, str]]:
    """Return the containers and extended resources that a status shows to be backed by a claim (1.34)."""
    mappings = rows(mapping(status.get("extendedResourceClaimStatus")), "requestMappings")
    return frozenset(
        (clean(text(row, "containerName")), clean(text(row, "resourceName")))
        for row in mappings
        if isinstance(row, Mapping)
    )


def _reported(status: Fields, static: bool) -> Fields:
    """Return a status, an empty one of a mirror pod whose kubelet, which runs the static pod, never reported.

    API servers may refuse its reports, such as those of another QoS class than they compute themselves.
    """
    reports = ("startTime", *STATUSES.values())
    shown = any(status.value.get(key) is not None for key in reports)
    unseen = static and status.value.get("phase") == "Pending" and not shown
    return Fields({}, status.origin, status.path) if unseen else status


def profiles_in(annotations: Mapping[str, Any]) -> dict[str, str]:
    """Return the annotations that ask for security profiles of containers."""
    return {
        key: value
        for key, value in annotations.items()
        if key.startswith(PROFILES) and isinstance(value, str)
    }


def _owner(metadata: Fields) -> str:
    for reference in metadata.objects("ownerReferences"):
        if reference.truth("controller"):
            return f"{reference.string('kind')}/{reference.string('name')}"
    return ""


def _containers(spec: Fields, status: Fields, fields: Fields) -> Iterator[Container]:
    states = States(status)
    for key in CONTAINER_LISTS:
        items = spec.objects(key)
        if len(items) > MOST_CONTAINERS:
            raise spec.error(key, f"more than {MOST_CONTAINERS} containers in one list")
        lines = fields.where.lines_of(key, spec.value[key]) if items else ()
        for item, line in zip(items, lines, strict=True):
            name = item.string("name")
            state = states.of(key, name)
            yield Container(
                name,
                _type_of(key, item.value),
                item.path,
                item.value,
                state.running,
                state.started,
                state.restarts,
                state.probed,
                state.id,
                state.ended,
                line=line,
                docker=state.docker,
            )


def _type_of(key: str, item: Mapping[str, Any]) -> ContainerType:
    if key == "containers":
        return ContainerType.CONTAINER
    if key == "ephemeralContainers":
        return ContainerType.EPHEMERAL
    return ContainerType.SIDECAR if item.get("restartPolicy") == "Always" else ContainerType.INIT
