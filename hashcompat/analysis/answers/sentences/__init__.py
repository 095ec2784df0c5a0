"""Three sentences about one container's verdict: what happens, why, and what to do.

``why`` has a clause for each rule; the first and the third sentence are here: what the target kubelet does,
and what to do about it. Of an UNKNOWN verdict the third one is what would decide it: an option, a record, a
file. Commands to copy go with it. What the rule alone decides of a sentence is in
``schemas/rules/sentences.toml``.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from hashcompat.analysis.answers.sentences.why import Situation, why
from hashcompat.core import rules
from hashcompat.core.kubelet.decide.admission import NOT_ALLOWED
from hashcompat.core.kubelet.decide.case import REFERENCES_GATE
from hashcompat.core.model.pods import ContainerType
from hashcompat.core.model.results import Object, Text
from hashcompat.core.model.verdicts import Verdict

REFUSED: Final = (
    rules.OTHER_NODE,
    rules.TAINT,
    rules.SIDECAR_REFUSED,
    rules.STRICT_GROUPS,
    rules.SYSCTL,
    rules.DEVICES,
    rules.FEATURE_REFUSED,
    rules.MANAGERS,
    rules.ROOM,
    rules.HOST_PORT,
    rules.OTHER_SYSTEM,
    rules.PRESSURE,
)
"""The rules by which a kubelet does not admit a pod again."""
_EVERY: Final = "every container of this pod, this one among them"


def _what_restart(situation: Situation) -> str:
    start = _start(situation)
    if situation.has(rules.RUNTIME_GONE):
        return (
            f"{start} it creates {_EVERY}, again in another container runtime, and the old containers "
            f"stay behind in {_old_runtime(situation)}"
        )
    if situation.has(rules.STATIC_UID):
        return f"{start} it treats this static pod as a new one: it kills {_EVERY}, and creates all again"
    if situation.item.pod_recreated:
        return f"{start} it kills {_EVERY}, and creates the pod's sandbox and its containers again"
    return f"{start} it kills this container and creates it again; the pod and its IP address stay"


def _old_runtime(situation: Situation) -> str:
    return "the old one" if situation.decided.other_runtime else "Docker"


def _start(situation: Situation) -> str:
    if situation.has(rules.API_DEFAULT):
        return f"when the kubelet {situation.new} gets the pod from the target API server,"
    later = "some time after" if situation.has(rules.STARTUP_PROBE) else "when"
    return f"{later} the kubelet {situation.new} starts,"


_KILLS: Final[Mapping[str, str]] = {
    rules.NO_VOLUME: f"it kills {_EVERY}, and the pod that takes its place waits for a volume in vain",
    rules.NOT_CREATED: "it kills this container, and fails to create it again",
    rules.WAITS_FOR_SIDECAR: f"it kills {_EVERY}, and starts none behind the pod's sidecar again",
    rules.DEADLINE: f"it ends this pod: it kills {_EVERY}, for good, and the pod is Failed",
    rules.PRIVILEGED: f"it does not let this pod run: it kills {_EVERY}, and starts none again",
}
"""What a kubelet does that kills for one of these rules, whatever the pod."""


def _what_kill(situation: Situation) -> str:
    start = _start(situation)
    if situation.has(rules.RUNTIME_GONE):
        return (
            f"{start} it finds no container of the pod in another container runtime, takes all for ended, "
            "and starts none again, for the pod never restarts; the old containers stay behind in "
            f"{_old_runtime(situation)}"
        )
    if situation.has(rules.STATIC_REFUSED, rules.MANIFEST_MISSING):
        return f"{start} it no longer runs this static pod: it kills {_EVERY}, and the pod disappears"
    if text := next((text for rule, text in _KILLS.items() if situation.has(rule)), ""):
        return f"{start} {text}"
    if situation.has(rules.FINISHED, rules.STATE_UNKNOWN):
        return f"{start} it kills this container, and does not create it again"
    if situation.has(*REFUSED):
        return f"{start} it does not admit this pod again: it kills {_EVERY}, for good, and the pod is Failed"
    if situation.item.container.type is ContainerType.EPHEMERAL:
        return (
            f"{start} it kills {_EVERY}, and creates the pod's sandbox again, but no ephemeral container "
            "is started a second time"
        )
    return f"{start} it kills {_EVERY}, and starts none of them again because the restartPolicy is Never"


def _what_keep(situation: Situation) -> str:
    if situation.has(rules.STATIC_UID):
        return (
            f"the kubelet {situation.new} treats this static pod as a new one, and creates this container "
            "again"
        )
    if any("the pod is being deleted" in reason.text for reason in situation.item.reasons):
        return "this container ends with its pod, which is being deleted, whatever the kubelet"
    if situation.item.rests:
        return f"the kubelet {situation.new} leaves this container as it is"
    if any("it does not run" in reason.text for reason in situation.item.reasons):
        return "this container does not run now, as far as the input shows"
    return f"the kubelet {situation.new} keeps this container running"


def _unknown(situation: Situation) -> str:
    kubelet = f"whether the kubelet {situation.new}"
    if situation.has(rules.STATIC_POD):
        return f"{kubelet} recreates this static pod, and so this container, is not known"
    if situation.has(*REFUSED):
        return f"{kubelet} admits this pod again, or kills it for good, is not known"
    if situation.has(rules.DEADLINE):
        return f"{kubelet} ends this pod is not known"
    if situation.has(rules.PRIVILEGED):
        return f"{kubelet} lets this pod run, or kills its containers, is not known"
    return f"{kubelet} restarts this container is not known"


def deciding(situation: Situation) -> str:
    """Say what would decide an UNKNOWN verdict, without the full stop; the last reason is why it is one."""
    decisive = [text for reason in situation.item.reasons if (text := _words(reason.id).decides)]
    worst = "kill" if situation.has(*REFUSED, rules.DEADLINE, rules.PRIVILEGED) else "restart"
    return f"{_narrowed(situation) or decisive[-1]}; until then count it as a {worst}"


def _words(rule: str) -> rules.Words:
    return rules.words().get(rule, rules.Words())


def _narrowed(situation: Situation) -> str:
    """Return what decides where that depends on the case.

    A manifest does not decide where it is available already, or where a release's UIDs are not known; a
    record does where the Go of the target kubelet is known.
    """
    case = situation.case
    if case is None:
        return ""
    computable = case.old.static_pods.is_known and case.new.static_pods.is_known
    if situation.has(rules.STATIC_POD) and (case.static_uids or not computable):
        return "no option decides: look whether the UID changes on one node"
    if case.short is not None and case.short.by_manifest:
        return (
            "the static pod's manifest decides: give those of the node with --static-pod-dir DIR and "
            "--node-name NODE"
        )
    last = situation.item.reasons[-1]
    if last.id == rules.RESIZE_POLICY and last.text.endswith("is not in the input"):
        return "what its kubelet noted as applied decides: give a dump of the node with --recorded FILE"
    is_known = situation.has(rules.VENDOR_GO) and case.new_hash.is_certain
    return _words(rules.NOT_CALIBRATED).decides if is_known else ""


_NEVER: Final = (
    "let the pod finish before its node's kubelet is upgraded, or start its work on another node first"
)
_FIXED: Final = "draining leaves the pod on its node: plan for the interruption"


def commands(situation: Situation) -> Iterator[str]:
    """Yield the commands that go with it, to be copied."""
    item = situation.item
    if item.verdict is Verdict.RESTART or (
        item.verdict is Verdict.KILL and any(_words(reason.id).remedy for reason in item.reasons)
    ):
        if item.pod.node and _moves(situation) and not situation.has(rules.API_DEFAULT):
            yield f"kubectl drain {shlex.quote(item.pod.node)} --ignore-daemonsets"
        if situation.patch:
            yield situation.patch
    for rule in dict.fromkeys(reason.id for reason in item.reasons):
        yield f"hashcompat rules {rule}"


def _is_fixed(situation: Situation) -> bool:
    """Return whether draining does not move a pod: static pods and those of DaemonSets stay."""
    static = situation.case is not None and situation.case.pod.static
    return static or situation.item.pod.owner.startswith("DaemonSet/")


def _moves(situation: Situation) -> bool:
    """Return whether a controller creates the pod on another node once its node is drained."""
    return bool(situation.item.pod.owner) and not _is_fixed(situation)


def _restart(situation: Situation) -> str:
    if situation.has(rules.RUNTIME_GONE):
        if situation.decided.other_runtime:
            return "drain the node first and remove the old containers from the old runtime afterwards"
        return (
            "drain the node first and remove the old containers from Docker afterwards, or install "
            "cri-dockerd, which --cri-dockerd plans with"
        )
    if situation.has(rules.API_DEFAULT):
        return (
            "plan for the interruption at the upgrade of the API server, which draining does not avoid, or "
            "choose a target release without that default"
        )
    patched = ", or patch the kubelet so that it accepts the old hash" if situation.patch else ""
    if _is_fixed(situation):
        return f"{_FIXED}{patched}{_confirmed(situation)}"
    drained = "drain the node before its kubelet is upgraded, so that the pod moves at a time of your choice"
    if not _moves(situation):
        drained = "plan for the interruption, since no controller creates this pod on another node"
    return f"{drained}{patched}{_confirmed(situation)}"


def _kill(situation: Situation) -> str:
    for reason in situation.item.reasons:
        if NOT_ALLOWED in reason.text:
            return "move the pod to a node with a newer kubelet, or take the sysctl out of its spec"
        if remedy := _words(reason.id).remedy:
            return f"{remedy}, or drain the node first" if _moves(situation) else remedy
    if situation.has(rules.STATIC_REFUSED):
        new = situation.decided.new
        always = any(kind in situation.item.reasons[0].text for kind in new.behaviour.static_references)
        gate = new.gates.knows(REFERENCES_GATE) and not always
        off = f", or set the kubelet's feature gate {REFERENCES_GATE} to false" if gate else ""
        return f"take the references out of the manifest before the upgrade{off}"
    if situation.has(rules.MANIFEST_MISSING) and "does not decode" in situation.item.reasons[0].text:
        return "correct the manifest before the upgrade: see the field that the reason names"
    if situation.has(rules.MANIFEST_MISSING):
        return "put the manifest back before the upgrade, or copy all of the node's manifests and plan again"
    if situation.item.container.type is ContainerType.EPHEMERAL:
        return "finish the debugging session before the upgrade, or add another ephemeral container after it"
    if situation.has(rules.FINISHED, rules.DEADLINE, rules.STATE_UNKNOWN):
        return (
            "if its work still counts, let it end before its node's kubelet is upgraded; else delete the pod"
        )
    return _NEVER


def _keep(situation: Situation) -> str:
    if situation.has(rules.PATCHED):
        return "no action is needed as long as every kubelet of that release has the patch"
    if situation.has(rules.RESIZE_GATE):
        return "no action is needed as long as the feature gate stays on"
    if situation.has(rules.NO_VOLUME):
        return (
            "no action is needed for the upgrade itself, but once a container of this pod ends, it does not "
            "start again: move its data to a volume of a CSI driver that the node has, or set the gate of a "
            "new kind of volume"
        )
    return "no action is needed"


def _confirmed(situation: Situation) -> str:
    """Name what confirms a verdict by the releases that may have created the container."""
    return (
        "; the hash that the runtime recorded would confirm it (--recorded)"
        if situation.has(rules.CREATOR)
        else ""
    )


_RELEASE: Final = re.compile(r"v\d")


class Sentences(Object, frozen=True):
    """What an operator wants to know first, each a sentence."""

    what: Text
    """What the new kubelet does, to the container or the whole pod."""
    why: Text
    """The rule in plain words, with the releases of the case."""
    todo: Text
    """What it means and what to do; for UNKNOWN, what would decide it."""
    commands: tuple[Text, ...]
    """Commands that go with it."""


_SENTENCES: Final[Mapping[Verdict, tuple[Callable[[Situation], str], Callable[[Situation], str]]]] = {
    Verdict.RESTART: (_what_restart, _restart),
    Verdict.KILL: (_what_kill, _kill),
    Verdict.KEEP: (_what_keep, _keep),
    Verdict.UNKNOWN: (_unknown, deciding),
}
"""What makes the first and the third sentence, each without its full stop."""


def sentences(situation: Situation) -> Sentences:
    """Put a verdict into words."""
    what, todo = _SENTENCES[situation.item.verdict]
    first, second, third = map(_sentence, (what(situation), why(situation), todo(situation)))
    return Sentences(first, second, third, tuple(commands(situation)))


def _sentence(text: str) -> str:
    """Return a text with a capital and a full stop; a release such as ``v1.29.3`` stays as it is."""
    first = text[:1] if _RELEASE.match(text) else text[:1].upper()
    return f"{first}{text[1:].rstrip('.')}."
