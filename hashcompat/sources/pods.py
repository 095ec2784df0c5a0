"""A Pod or an object with a pod template -> a pod: a template counts as a pod of the object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashcompat.core.corev1.scheduling import api_references
from hashcompat.core.go.jsonpath import mapping, part, rows, text
from hashcompat.core.go.jsontext import clean
from hashcompat.core.model.pods import PROFILES, Container, ContainerType, Pod, Seen
from hashcompat.sources import mirrors
from hashcompat.sources.fields import Fields
from hashcompat.sources.statuses import STATUSES, States, readiness
from hashcompat.sources.workloads import Place, workload_of

_LISTS: Final = ("initContainers", "containers", "ephemeralContainers")
"""The lists of ``spec``, in the order in which a pod's containers are shown."""

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


def of_pod(found: Fields, owner: str = "") -> Pod:
    """Return a pod; ``owner`` is its controller where it does not name one.

    Raises InputError, with its place, for a pod without containers and for what no API server would return.
    """
    metadata, spec, status = map(found.object, ("metadata", "spec", "status"))
    annotations = metadata.object("annotations")
    uid = metadata.string("uid")
    if not spec.value.get("containers"):
        raise spec.error("containers", "a Pod needs at least one container")
    for key in mirrors.ANNOTATIONS:
        annotations.string(key)
    node, owner = spec.string("nodeName"), owner or _owner(metadata)
    manifest = not uid and not status.value
    mirror = mirrors.mirror_of(metadata.value, annotations.value, node, owner)
    automount = spec.value.get("automountServiceAccountToken")
    ready, since = readiness(status.value.get("conditions"))
    return Pod(
        origin=found.origin,
        namespace=metadata.string("namespace") or "default",
        name=metadata.string("name") or metadata.string("generateName"),
        uid=uid,
        node=node,
        owner=owner,
        workload=workload_of(owner, part(metadata.value, "labels"), node if mirror.static else ""),
        manifest=manifest,
        phase=status.string("phase"),
        deleting=bool(metadata.value.get("deletionTimestamp")),
        static=mirror.static,
        mirror_doubt=mirror.doubt,
        from_url=mirror.from_url,
        host_network=spec.value.get("hostNetwork") is True,
        restart_policy=spec.string("restartPolicy") or "Always",
        references=api_references(spec.value) if manifest or mirror.static else (),
        automount=automount if isinstance(automount, bool) else None,
        spec=spec.value,
        profiles=profiles_in(annotations.value) if manifest else {},
        config_hash=mirror.uid,
        containers=tuple(_containers(spec, _reported(status.value, mirror.static), found)),
        file=found.where.file,
        labels=part(metadata.value, "labels"),
        created=text(metadata.value, "creationTimestamp"),
        resized=resized_in(spec.value, status.value) if status.value else {},
        claims=claims_in(status.value),
        seen=None if mirror.static else seen_of(metadata.value, status.value),
        ready=ready,
        ready_since=since,
    )


def seen_of(metadata: Mapping[str, Any], status: Mapping[str, Any]) -> dict[str, Seen] | None:
    """Return what a kubelet has seen of a pod whose spec changed since; None for any other.

    API servers count the changes of a spec (``metadata.generation``), and kubelets report which they have
    seen: pkg/kubelet/status/status_manager.go, feature gate PodObservedGenerationTracking, on from 1.34.
    """
    newest, reported = metadata.get("generation"), status.get("observedGeneration")
    if type(newest) is not int or type(reported) is not int or not 0 < reported < newest:
        return None
    return {
        clean(row["name"]): Seen(
            clean(image) if isinstance(image := row.get("image"), str) else "",
            found if isinstance(found := row.get("resources"), Mapping) else None,
        )
        for key in STATUSES.values()
        for row in rows(status, key)
        if isinstance(row, Mapping) and isinstance(row.get("name"), str)
    }


def resized_in(spec: Mapping[str, Any], status: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the containers whose status shows other requests than their spec, by names.

    Kubelets show what they allocated to a container (``allocatedResources``) and what it has (``resources``)
    from 1.27 on, with the gate InPlacePodVerticalScaling.
    """
    wanted = {
        str(mapping(row).get("name")): mapping(mapping(mapping(row).get("resources")).get("requests"))
        for key in ("containers", "initContainers")
        for row in rows(spec, key)
    }
    found = dict[str, Mapping[str, Any]]()
    for key in ("containerStatuses", "initContainerStatuses"):
        for row in rows(status, key):
            name = mapping(row).get("name")
            if not isinstance(name, str) or name not in wanted:
                continue
            shown = {
                "allocated": mapping(mapping(row).get("allocatedResources")),
                "actual": mapping(mapping(mapping(row).get("resources")).get("requests")),
            }
            changed = {what: one for what, one in shown.items() if one and one != wanted[name]}
            if changed:
                found[name] = changed
    return found


def claims_in(status: Mapping[str, Any]) -> frozenset[tuple[str, str]]:
    """Return the containers and extended resources that a status shows to be backed by a claim (1.34)."""
    mappings = rows(mapping(status.get("extendedResourceClaimStatus")), "requestMappings")
    return frozenset(
        (clean(text(row, "containerName")), clean(text(row, "resourceName")))
        for row in mappings
        if isinstance(row, Mapping)
    )


def _reported(status: Mapping[str, Any], static: bool) -> Mapping[str, Any]:
    """Return a status, an empty one of a mirror pod whose kubelet, which runs the static pod, never reported.

    API servers may refuse its reports, such as those of another QoS class than they compute themselves.
    """
    reports = {"startTime", *STATUSES.values()}
    unseen = static and status.get("phase") == "Pending" and not (reports & status.keys())
    return {} if unseen else status


def profiles_in(annotations: Mapping[str, Any]) -> dict[str, str]:
    """Return the annotations that ask for security profiles of containers."""
    return {
        key: value
        for key, value in annotations.items()
        if key.startswith(PROFILES) and isinstance(value, str)
    }


def _owner(metadata: Fields) -> str:
    for index, reference in enumerate(rows(metadata.value, "ownerReferences")):
        if isinstance(reference, Mapping) and reference.get("controller"):
            fields = Fields(reference, metadata.origin, f"{metadata.path}.ownerReferences[{index}]")
            return f"{fields.string('kind')}/{fields.string('name')}"
    return ""


def _containers(spec: Fields, status: Mapping[str, Any], found: Fields) -> Iterator[Container]:
    states = States(status, found.origin, found.path)
    for key in _LISTS:
        items = spec.objects(key)
        if len(items) > MOST_CONTAINERS:
            raise spec.error(key, f"more than {MOST_CONTAINERS} containers in one list")
        lines = found.where.lines_of(key, spec.value[key]) if items else ()
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
            )


def _type_of(key: str, item: Mapping[str, Any]) -> ContainerType:
    if key == "containers":
        return ContainerType.CONTAINER
    if key == "ephemeralContainers":
        return ContainerType.EPHEMERAL
    return ContainerType.SIDECAR if item.get("restartPolicy") == "Always" else ContainerType.INIT
