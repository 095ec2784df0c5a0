"""Objects with a marker wherever a secret may be: made along the Go types, so that no field is forgotten."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from itertools import count
from typing import Any, NamedTuple

from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.go.types import Basic, Coded, GoType, Map, Pointer, Slice, Struct, json_fields
from tests.helpers.pods import Json

MARK = "S3cr3tHunter2"
"""How every marker begins."""

FIXED: Json = {
    "name": "c",
    "env.name": "VARIABLE",
    "env.valueFrom.configMapKeyRef.key": "key",
    "env.valueFrom.configMapKeyRef.name": "map",
    "env.valueFrom.fieldRef.apiVersion": "v1",
    "env.valueFrom.fieldRef.fieldPath": "metadata.annotations['example.com/note']",
    "env.valueFrom.fileKeyRef.key": "key",
    "env.valueFrom.fileKeyRef.volumeName": "volume",
    "env.valueFrom.resourceFieldRef.containerName": "c",
    "env.valueFrom.resourceFieldRef.resource": "limits.cpu",
    "env.valueFrom.secretKeyRef.key": "key",
    "env.valueFrom.secretKeyRef.name": "secret",
    "envFrom.configMapRef.name": "map",
    "envFrom.prefix": "PREFIX_",
    "envFrom.secretRef.name": "secret",
    "imagePullPolicy": "Always",
    "ports.name": "web",
    "ports.protocol": "TCP",
    "resizePolicy.resourceName": "cpu",
    "resizePolicy.restartPolicy": "NotRequired",
    "resources.claims.name": "claim",
    "resources.claims.request": "request",
    "restartPolicy": None,
    "restartPolicyRules.action": "Restart",
    "restartPolicyRules.exitCodes.operator": "In",
    "securityContext.appArmorProfile.type": "Localhost",
    "securityContext.capabilities.add": "NET_ADMIN",
    "securityContext.capabilities.drop": "ALL",
    "securityContext.procMount": "Default",
    "securityContext.seccompProfile.type": "Localhost",
    "securityContext.windowsOptions.gmsaCredentialSpecName": "account",
    "terminationMessagePolicy": "File",
    "volumeDevices.name": "device",
    "volumeMounts.mountPropagation": "None",
    "volumeMounts.name": "volume",
    "volumeMounts.recursiveReadOnly": "Disabled",
    "lifecycle.stopSignal": "SIGTERM",
}
"""The texts of a container that are names and words, by their places; those of handlers are below."""

_OF_HANDLERS = {"httpHeaders.name": "X-Name", "scheme": "HTTP", "protocol": "HTTP/1.1", "grpc.mode": "plain"}

_FORMS = {
    "image": "user:{}@registry.example:5000/team/app:1.0",
    "path": "/hooks/{}/healthz?token={}#{}",
    "host": "user:{}@host",
    "gmsaCredentialSpec": '{{"password": "{}"}}',
    "workingDir": "/srv/{}",
    "mountPath": "/data/{}",
    "subPathExpr": "$({})/{}",
}
"""How a marker is within a text of some fields; elsewhere it is the whole."""


class Planter:
    """Makes objects with markers, each another one."""

    def __init__(self, catalog: Catalog) -> None:
        self._form = _container_form(catalog)
        self._numbers = count(1)

    def mark(self) -> str:
        """Return a marker."""
        return f"{MARK}n{next(self._numbers):05}x"

    def container(self, name: str = "c", **more: Any) -> Json:
        """Return a container with a value in every field of every release."""
        return {**self._made(self._form), "name": name, **more}

    def _made(self, form: Any) -> Any:
        if isinstance(form, dict):
            return {key: self._made(each) for key, each in form.items()}
        if isinstance(form, list):
            return [self._made(each) for each in form]
        if isinstance(form, _Marked):
            return form.text.format(*(self.mark() for _ in range(form.text.count("{}"))))
        return form

    def pod(self, name: str, *containers: Json, annotations: Json | None = None, **spec: Any) -> Json:
        """Return a running pod, with every kind of container where none is given."""
        given = {"containers": list(containers) or [self.container()]}
        if not containers:
            given["initContainers"] = [self.container("i"), self.container("s", restartPolicy="Always")]
            given["ephemeralContainers"] = [self.container("e")]
        states = {
            f"{key.removesuffix('s')}Statuses": [
                {
                    "name": container["name"],
                    "state": {"running": {}},
                    "imageID": self.mark(),
                    "message": self.mark(),
                }
                for container in items
            ]
            for key, items in given.items()
        }
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": name,
                "namespace": "ns",
                "uid": f"uid-{name}",
                "annotations": annotations or self.annotations(),
            },
            "spec": {"nodeName": "n1", "volumes": self.volumes(), **given, **spec},
            "status": {"phase": "Running", "message": self.mark(), "reason": self.mark(), **states},
        }

    def annotations(self) -> Json:
        """Return annotations, those among them that Kubernetes reads."""
        names = (
            "note",
            "kubernetes.io/created-by",
            "kubectl.kubernetes.io/last-applied-configuration",
            "container.seccomp.security.alpha.kubernetes.io/c",
            "container.apparmor.security.beta.kubernetes.io/c",
            "seccomp.security.alpha.kubernetes.io/pod",
            "kubernetes.io/config.source",
            "kubernetes.io/config.hash",
        )
        return {name: f"localhost/{self.mark()}" for name in names}

    def volumes(self) -> list[Json]:
        """Return volumes whose options may hold secrets."""
        return [
            {"name": "volume", "flexVolume": {"driver": "d", "options": {"key": self.mark()}}},
            {"name": "csi", "csi": {"driver": "d", "volumeAttributes": {"key": self.mark()}}},
            {"name": "host", "hostPath": {"path": f"/var/snap/microk8s/current/{self.mark()}"}},
        ]

    def mirror_pod(self, name: str) -> Json:
        """Return a mirror pod whose annotations are markers."""
        made = self.pod(
            f"{name}-n1", annotations={**self.annotations(), "kubernetes.io/config.mirror": self.mark()}
        )
        made["metadata"]["ownerReferences"] = [{"kind": "Node", "name": "n1", "controller": True}]
        return made

    def node(self, release: str, name: str = "n1") -> Json:
        """Return a node with markers where it may have secrets."""
        return {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "name": name,
                "annotations": self.annotations(),
                "labels": {"microk8s.io/cluster": "true"},
            },
            "status": {
                "nodeInfo": {"kubeletVersion": release, "containerRuntimeVersion": "containerd://2.1.4"},
                "conditions": [{"type": "Ready", "status": "True", "message": self.mark()}],
                "images": [{"names": [f"user:{self.mark()}@registry/app:1"]}],
            },
        }

    def manifest(self, name: str) -> Json:
        """Return a manifest: no API server has seen it."""
        made = self.pod(name)
        del made["metadata"]["uid"], made["status"], made["spec"]["nodeName"]
        return made

    def static_manifest(self, name: str) -> Json:
        """Return a manifest that is valid: a probe has one handler, and each container another one."""
        made = self.manifest(name)
        del made["spec"]["ephemeralContainers"]
        containers = [
            container for key in ("containers", "initContainers") for container in made["spec"][key]
        ]
        for container, kept in zip(containers, ("exec", "httpGet", "tcpSocket"), strict=True):
            for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
                handlers = ("exec", "httpGet", "tcpSocket", "grpc")
                container[probe] = {
                    key: value
                    for key, value in container[probe].items()
                    if key == kept or key not in handlers
                }
        return made

    def deployment(self, name: str) -> Json:
        """Return a workload with such a template."""
        template = self.manifest(name)
        return {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {
                "name": name,
                "namespace": "ns",
                "uid": f"uid-{name}",
                "annotations": self.annotations(),
            },
            "spec": {"template": {"metadata": template["metadata"], "spec": template["spec"]}},
            "status": {"replicas": 1},
        }


class _Marked(NamedTuple):
    """A text with a marker in each pair of braces."""

    text: str


@cache
def _container_form(catalog: Catalog) -> Any:
    """Return what a container is made of: a value for every field of every release, or where markers are."""
    schemas = dict.fromkeys(catalog.kubelet(name).schema for name in catalog.releases()[::-1])
    return _without_none(_form([schema.container for schema in schemas], ""))


def _form(types: list[Any], path: str) -> Any:
    types = [go_type.elem if isinstance(go_type, Pointer) else go_type for go_type in types]
    match types[0]:
        case Coded(name):
            return 8080 if "IntOrString" in name else "1"
        case Struct():
            return {key: _form(each, f"{path}.{key}".strip(".")) for key, each in _members(types)}
        case Slice(_, elem):
            return [_form([elem, *(go_type.elem for go_type in types[1:])], path)]
        case Map(_, _, value):
            return {"cpu": _form([value], path)}
        case Basic(_, "string"):
            return _text_form(path)
        case Basic(_, "bool"):
            return True
    return 1


def _text_form(path: str) -> str | _Marked | None:
    if path in FIXED:
        word: str | None = FIXED[path]
        return word
    for end, value in _OF_HANDLERS.items():
        if path.endswith(f".{end}"):
            return value
    return _Marked(_FORMS.get(path.rpartition(".")[2], "{}"))


def _members(types: list[GoType]) -> list[tuple[str, list[GoType]]]:
    """Return the fields of any of some structs, with the types that they have."""
    known: dict[str, list[GoType]] = {}
    for go_type in types:
        for _, _, field in json_fields(go_type) if isinstance(go_type, Struct) else ():
            known.setdefault(field.json, []).append(field.type)
    return list(known.items())


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_none(item) for key, item in value.items() if item is not None}
    return [_without_none(item) for item in value] if isinstance(value, list) else value


def markers(value: Any) -> list[str]:
    """Return every marker in an object."""
    text = json.dumps(value)
    return [text[place : place + len(MARK) + 7] for place in _places(text)]


def _places(text: str) -> Iterator[int]:
    place = text.find(MARK)
    while place >= 0:
        yield place
        place = text.find(MARK, place + 1)


def misfits(container: Json, mark: str) -> Iterator[Json]:
    """Yield the container with a value of another type, which holds a marker, at each place in turn."""
    text = json.dumps(container)
    for steps in _everywhere(container):
        if steps in ((), ("name",)):
            continue
        for wrong in (mark, [mark], {mark: mark}, {"key": mark}, [[mark]]):
            made = json.loads(text)
            place: Any = made
            for step in steps[:-1]:
                place = place[step]
            if type(place[steps[-1]]) is not type(wrong):
                place[steps[-1]] = wrong
                yield made


def _everywhere(value: Any, steps: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield steps
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from _everywhere(item, (*steps, key))


def holds(text: str, secret: str = MARK) -> bool:
    """Return whether a text holds a secret: as it is, as JSON spells it, or as the list of its bytes."""
    spelled = json.dumps(secret)[1:-1]
    as_bytes = " ".join(str(byte) for byte in secret.encode(errors="replace"))
    return any(form in text for form in (secret, spelled, as_bytes))
