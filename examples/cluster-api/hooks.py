"""The two hooks that ask whether machines can be updated in place: a request in, a response out, no I/O.

Cluster API sends the current and the desired objects of a Machine, or of a MachineSet; the answer is a patch
of what can be changed in place. This extension answers for ``version`` alone, and only where all verdicts are
known and no container restarts. Without a patch Cluster API replaces the machines, which is safe.
Source: Cluster API 1.12, ``api/runtime/hooks/v1alpha1/inplaceupdate_types.go``.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

API: Final = "hooks.runtime.cluster.x-k8s.io/v1alpha1"
TIMEOUT_SECONDS: Final = 30
"""How long Cluster API waits for an answer; it allows no more."""

_LONGEST: Final = 1000
"""Characters of a text that a question keeps; the longest name that Kubernetes takes has 253."""

Json = dict[str, Any]


class BadRequestError(Exception):
    """The request is not what Cluster API sends; the message names the path in it."""


@dataclass(frozen=True, slots=True)
class Question:
    """Whether the kubelets of some machines can be replaced under their running containers."""

    namespace: str
    """That of the Cluster, in the management cluster."""
    cluster: str
    owner: str
    """``Machine/NAME`` or ``MachineSet/NAME``: whose nodes are meant."""
    current: str
    """The release of the kubelets now, ``v1.30.14``."""
    desired: str
    nodes: int
    """How many nodes there have to be at least: one of a Machine, ``spec.replicas`` of a MachineSet."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether they can, and why or why not in one line, which is the same for the same input."""

    in_place: bool
    message: str


Judge = Callable[[Question], Answer]


@dataclass(frozen=True, slots=True)
class Hook:
    """One hook: its name and the kind of object that it is about."""

    name: str
    """``CanUpdateMachine``."""
    handler: str
    """The name under which Discovery lists it; part of its path."""
    key: str
    """The object in a request, ``machine``."""
    place: tuple[str, ...]
    """Where that object has the spec of a machine."""

    @property
    def kind(self) -> str:
        """The kind of the object."""
        return self.key[:1].upper() + self.key[1:]

    @property
    def path(self) -> str:
        """The path of the hook's URL."""
        return f"/{API}/{self.name.lower()}/{self.handler}"


HOOKS: Final = (
    Hook("CanUpdateMachine", "can-update-machine", "machine", ("spec",)),
    Hook("CanUpdateMachineSet", "can-update-machine-set", "machineSet", ("spec", "template", "spec")),
)
DISCOVERY: Final = f"/{API}/discovery"


def handlers() -> Json:
    """Answer the Discovery hook: which hooks there are. An extension that is down stops a rollout."""
    entries = [
        {
            "name": hook.handler,
            "requestHook": {"apiVersion": API, "hook": hook.name},
            "timeoutSeconds": TIMEOUT_SECONDS,
            "failurePolicy": "Fail",
        }
        for hook in HOOKS
    ]
    return _response("Discovery", "Success") | {"handlers": entries}


def answered(hook: Hook, request: object, judge: Judge) -> Json:
    """Answer one of HOOKS; raises BadRequestError."""
    return judged(hook, asked(hook, request), judge)


def judged(hook: Hook, question: Question, judge: Judge) -> Json:
    """Answer what a request asks."""
    answer = judge(question)
    response = _response(hook.name, "Success", answer.message)
    if answer.in_place:
        change: Json = {"version": question.desired}
        for key in reversed(hook.place):
            change = {key: change}
        patch = base64.b64encode(json.dumps(change).encode()).decode()
        response[f"{hook.key}Patch"] = {"patchType": "JSONMergePatch", "patch": patch}
    return response


def failed(name: str, message: str) -> Json:
    """Answer a request that cannot be answered: Cluster API shows the message and asks again."""
    return _response(name, "Failure", message)


def asked(hook: Hook, request: object) -> Question:
    """Read a request; raises BadRequestError."""
    document = checked(request, f"{hook.name}Request")
    current, desired = (_at(document, moment, hook.key) for moment in ("current", "desired"))
    metadata, spec = _at(current, "metadata"), _at(current, *hook.place)
    replicas = 1 if hook.key == "machine" else _at(current, "spec").get("replicas", 1)
    if not isinstance(replicas, int) or isinstance(replicas, bool) or replicas < 0:
        raise BadRequestError("current.machineSet.spec.replicas: want a number of machines")
    return Question(
        _text(metadata, "namespace"),
        _text(spec, "clusterName"),
        f"{hook.kind}/{_text(metadata, 'name')}",
        _text(spec, "version"),
        _text(_at(desired, *hook.place), "version"),
        replicas,
    )


def checked(request: object, kind: str) -> Mapping[str, Any]:
    """Return a request of a kind; raises BadRequestError."""
    if not isinstance(request, dict) or (request.get("apiVersion"), request.get("kind")) != (API, kind):
        raise BadRequestError(f"want a {kind} of {API}")
    return request


def _at(value: Mapping[str, Any], *path: str) -> Mapping[str, Any]:
    for key in path:
        value = value.get(key, {}) if isinstance(value, dict) else {}
    if not isinstance(value, dict):
        raise BadRequestError(f"{'.'.join(path)}: want an object")
    return value


def _text(value: Mapping[str, Any], key: str) -> str:
    text = value.get(key)
    if not isinstance(text, str) or not text:
        raise BadRequestError(f"{key} is missing, or is not text")
    if len(text) > _LONGEST:
        raise BadRequestError(f"{key} has more than {_LONGEST} characters")
    return text


def _response(name: str, status: str, message: str = "") -> Json:
    shown = {"message": message} if message else {}
    return {"apiVersion": API, "kind": f"{name}Response", "status": status, **shown}
