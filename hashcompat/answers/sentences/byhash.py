"""Why two kubelets hash a container differently, or apply its resources again, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hashcompat import rules
from hashcompat.answers.sentences.situation import Clause, Reasons, Situation, after, hashed, listed
from hashcompat.catalog.behaviour import Change
from hashcompat.catalog.lookup import Kubelet
from hashcompat.catalog.types import reachable_fields
from hashcompat.model.verdicts import Verdict

_UNSET: Final = "and up to 1.15 a kubelet hashes unset fields too"

_ESCAPED: Final = "its spec contains a backspace or form feed, which Go 1.22 and later escape differently"


def _algorithm(given: Situation, _: Reasons) -> str:
    old, new = given.decided.old.era, given.decided.new.era
    return f"{given.old} hashes {hashed(old, new)}, {given.new} {hashed(new, old)}, so every hash differs"


def _go_escapes(given: Situation, _: Reasons) -> str:
    short = "go1.22" in given.decided.new.escapes
    one, other = (given.new, given.old) if short else (given.old, given.new)
    return f"{_ESCAPED}: {one} is built with such a Go, {other} is not"


def _vendor_go(_: Situation, __: Reasons) -> str:
    return f"{_ESCAPED}, and which Go the vendor built the kubelet with is not known"


def _added(given: Situation, found: Reasons) -> str:
    return f"the Go types of {given.new} have {_fields(given, found, 'the new field')}, {_UNSET}"


def _removed(given: Situation, found: Reasons) -> str:
    return f"the Go types of {given.new} lack {_fields(given, found, 'the field')}, {_UNSET}"


def _retyped(given: Situation, found: Reasons) -> str:
    names = _fields(given, found, "the field")
    return (
        f"{given.old} and {given.new} have other Go types for {names}, and up to 1.15 type names are hashed"
    )


def _fields(given: Situation, found: Reasons, noun: str) -> str:
    """Name fields, with the releases that they are from."""
    since = {row.field: row.release for row in given.upstream if isinstance(row, Change)}
    names = dict.fromkeys(reason.field for reason in found)
    dated = (f"{name} (since {since[name]})" if name in since else name for name in names)
    return f"{noun}{'s' if len(names) > 1 else ''} {listed(dated)}"


def _dropped(given: Situation, found: Reasons) -> str:
    paths = listed(reason.path for reason in found)
    case = given.decided
    is_new = all(reason.field in _only(case.new, case.old) for reason in found)
    knows, drops = (given.new, given.old) if is_new else (given.old, given.new)
    return f"the container sets {paths}, which {knows} knows and {drops} drops before it hashes"


def _only(kubelet: Kubelet, other: Kubelet) -> set[str]:
    """Return the Go names of the fields that only one of two kubelets has."""
    one, rest = (
        {(name, field) for name, fields in reachable_fields(side.schema).items() for field in fields}
        for side in (kubelet, other)
    )
    return {field for _, field in one - rest}


def _api_default(given: Situation, found: Reasons) -> str:
    text = found[0].text
    paths = after(text, "fills in ")
    if paths == text:
        return text
    return f"the target API server fills in {paths} when it reads the pod, and {given.new} hashes that"


def _not_created(given: Situation, found: Reasons) -> str:
    return f"{given.new} does not create it again: {after(found[0].text, 'not created again: ')}"


def _resize_gate(given: Situation, _: Reasons) -> str:
    return (
        f"with the feature gate InPlacePodVerticalScaling {given.new} restarts a container only if its hash "
        "without resources differs too, and it is the same"
    )


def _resized(given: Situation, found: Reasons) -> str:
    text = after(found[0].text, "resizePolicy: ")
    if given.item.verdict is Verdict.UNKNOWN and text.startswith("whether "):
        return f"{text} is not determined"
    if text.startswith("the pod's "):
        return f"{given.new} counts the limits of the whole pod, and by its resizePolicy {text}"
    record = "finds other resources recorded as applied"
    if given.decided.applied is None:
        record = "has no record of applied resources"
    return f"{given.new} {record}, and by its resizePolicy {text}"


BY_HASH: Final[Mapping[str, Clause]] = {
    rules.ALGORITHM: _algorithm,
    rules.GO_ESCAPES: _go_escapes,
    rules.FIELD_ADDED: _added,
    rules.FIELD_REMOVED: _removed,
    rules.FIELD_DROPPED: _dropped,
    rules.VENDOR_GO: _vendor_go,
    rules.RESIZE_POLICY: _resized,
    rules.RESIZE_GATE: _resize_gate,
    rules.API_DEFAULT: _api_default,
    rules.FIELD_RETYPED: _retyped,
    rules.NOT_CREATED: _not_created,
}
"""The clause of each rule about the hash that a release computes."""
