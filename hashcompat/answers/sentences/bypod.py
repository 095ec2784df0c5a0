"""Why a kubelet recreates, refuses or first waits for a whole pod, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hashcompat import rules
from hashcompat.answers.sentences.situation import Clause, Reasons, Situation, after
from hashcompat.model.verdicts import Verdict


def _static(_: Situation, found: Reasons) -> str:
    text = after(after(found[0].text, "static pod: "), "its UID decides, and ")
    return f"a static pod is recreated where its UID changes, and {text}"


def _static_refused(given: Situation, found: Reasons) -> str:
    names = after(found[0].text, "it names ")
    return f"{given.new} refuses static pods that refer to API objects, and this one refers to {names}"


def _static_uid(given: Situation, found: Reasons) -> str:
    unless = ", unless its manifest sets one" if "unless" in found[0].text else ""
    return f"the UID of a static pod is a hash of the whole pod, and {given.new} computes another{unless}"


def _runtime_gone(given: Situation, _: Reasons) -> str:
    if given.decided.other_runtime:
        return f"another runtime has none of its containers, so {given.new} finds none"
    return f"from 1.24 on kubelets do not drive Docker by themselves, so {given.new} finds none of its pods"


def _sandbox_replaced(given: Situation, _: Reasons) -> str:
    return f"{given.new} does not recognise the sandboxes that {given.old} created, and replaces all of them"


def _pause_image(given: Situation, found: Reasons) -> str:
    text = found[0].text
    return f"up to 1.5 the infra container has its own hash, and {given.new} computes another one ({text})"


def _sandbox_broken(given: Situation, found: Reasons) -> str:
    return f"{found[0].text}, and {given.new} replaces such a sandbox when it starts"


def _startup_probe(given: Situation, found: Reasons) -> str:
    if found[0].text.startswith("whether "):
        return found[0].text
    yet = ", which it has not yet" if given.item.verdict is Verdict.UNKNOWN else ""
    return f"a sidecar with a startupProbe is compared only once the probe has passed again{yet}"


def _refused(given: Situation, found: Reasons) -> str:
    text = after(found[0].text, "not admitted again: ")
    return f"{given.new} admits its pods again when it starts, but not this one: {text}"


def _strict_groups(given: Situation, found: Reasons) -> str:
    if given.item.verdict is Verdict.UNKNOWN:
        return f"{given.new} admits its pods again when it starts, and so far {found[0].text}"
    return _refused(given, found)


def _qos(_: Situation, found: Reasons) -> str:
    change = after(found[0].text, "QoS class ").partition(":")[0]
    return f"from 1.16 on init containers count for the QoS class ({change}), and so the pod's cgroup changes"


BY_POD: Final[Mapping[str, Clause]] = {
    rules.STATIC_POD: _static,
    rules.RUNTIME_GONE: _runtime_gone,
    rules.SANDBOX_REPLACED: _sandbox_replaced,
    rules.PAUSE_IMAGE: _pause_image,
    rules.STATIC_REFUSED: _static_refused,
    rules.STATIC_UID: _static_uid,
    rules.STARTUP_PROBE: _startup_probe,
    rules.SANDBOX_BROKEN: _sandbox_broken,
    rules.OTHER_NODE: _refused,
    rules.TAINT: _refused,
    rules.SIDECAR_REFUSED: _refused,
    rules.STRICT_GROUPS: _strict_groups,
    rules.SYSCTL: _refused,
    rules.DEVICES: _refused,
    rules.QOS: _qos,
}
"""The clause of each rule about a whole pod."""
