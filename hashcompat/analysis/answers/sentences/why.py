"""The second sentence of an explanation: why, each rule in plain words with the releases of the case.

First the situation, which all three sentences are made of; then the rules by subject: hashes and resources,
records, whole pods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import msgspec

from hashcompat.core import rules
from hashcompat.core.catalog.behaviour import EraChange, FieldChange
from hashcompat.core.catalog.eras import Era, reachable_fields
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.kubelet.decide.case import Case
from hashcompat.core.model.items import Item
from hashcompat.core.model.verdicts import Reason, Verdict

_DIGESTS = {"adler32": "Adler-32", "fnv32a": "FNV-1a"}


class Situation(msgspec.Struct, frozen=True):
    """What sentences about one container are made of."""

    item: Item
    new: str
    """The target release, as people write it."""
    case: Case | None = None
    """The case that was decided; None where nothing could be: see the reason."""
    upstream: tuple[FieldChange | EraChange, ...] = ()
    """The changes behind the verdict."""
    same_text: bool = False
    """Whether both kubelets hash the same text."""
    patch: str = ""
    """The command that makes a patch which keeps the container; empty where none does."""

    @property
    def old(self) -> str:
        """The current release, or what it is where it is not known."""
        is_known = self.case is None or self.case.old_known
        return self.item.from_release if is_known and self.item.from_release else "the current kubelet"

    @property
    def decided(self) -> Case:
        """The case, which all rules have but those about missing input; raises ValueError without one."""
        if self.case is None:
            raise ValueError(f"no case was decided: {[reason.id for reason in self.item.reasons]}")
        return self.case

    def has(self, *ids: str) -> bool:
        """Return whether a rule is among the reasons."""
        return any(reason.id in ids for reason in self.item.reasons)


Reasons = Sequence[Reason]
"""The reasons that cite one rule; at least one."""
Clause = Callable[[Situation, Reasons], str]
"""Says why by one rule, as a part of a sentence."""


def hashed(era: Era, other: Era | None = None, *, whose: str = "its") -> str:
    """Say what is hashed in an era, and how where another era hashes the same.

    ``whose``: what a sentence calls a container whose fields they are.
    """
    if era.picked:
        return f"the JSON of {whose} {' and '.join(era.picked)} alone"
    what = f"the {'JSON' if era.hashes_json else 'Go text'} of the whole container"
    alike = other is not None and other is not era and hashed(other) == what
    return f"{what} with {_DIGESTS.get(era.digest, era.digest)}" if alike else what


def listed(names: Iterable[str]) -> str:
    """Join names, each once, as a sentence does."""
    *most, last = dict.fromkeys(names)
    return f"{', '.join(most)} and {last}" if most else last


def after(text: str, mark: str) -> str:
    """Return what follows a mark in a text, or all of it where it has none."""
    _, has_mark, rest = text.partition(mark)
    return rest if has_mark else text


def _said(form: str, mark: str = "") -> Clause:
    """Return the clause of a form; ``{text}`` is the first reason, without what ends with the mark."""

    def clause(situation: Situation, reasons: Reasons) -> str:
        text = after(reasons[0].text, mark) if mark else reasons[0].text
        return form.format(new=situation.new, old=situation.old, text=text)

    return clause


_UNSET: Final = "and up to 1.15 a kubelet hashes unset fields too"
_ESCAPED: Final = "its spec contains a backspace or form feed, which Go 1.22 and later escape differently"


def _algorithm(situation: Situation, _: Reasons) -> str:
    old, new = situation.decided.old.era, situation.decided.new.era
    before, later = hashed(old, new), hashed(new, old)
    return f"{situation.old} hashes {before}, {situation.new} {later}, so every hash differs"


def _go_escapes(situation: Situation, _: Reasons) -> str:
    short = "go1.22" in situation.decided.new.escapes
    affected, unaffected = (situation.new, situation.old) if short else (situation.old, situation.new)
    return f"{_ESCAPED}: {affected} is built with such a Go, {unaffected} is not"


def _fields(situation: Situation, reasons: Reasons, noun: str) -> str:
    """Name fields, with the releases that they are from."""
    since = {row.field: row.release for row in situation.upstream if isinstance(row, FieldChange)}
    names = dict.fromkeys(reason.field for reason in reasons)
    dated = (f"{name} (since {since[name]})" if name in since else name for name in names)
    return f"{noun}{'s' if len(names) > 1 else ''} {listed(dated)}"


def _of_fields(noun: str, form: str) -> Clause:
    """Return the clause of a form; ``{fields}`` are the reasons' fields, with what they are."""

    def clause(situation: Situation, reasons: Reasons) -> str:
        fields = _fields(situation, reasons, noun)
        return form.format(new=situation.new, old=situation.old, fields=fields)

    return clause


def _dropped(situation: Situation, reasons: Reasons) -> str:
    paths = listed(reason.path for reason in reasons)
    case = situation.decided
    is_new = all(reason.field in _known_only_to(case.new, case.old) for reason in reasons)
    knows, drops = (situation.new, situation.old) if is_new else (situation.old, situation.new)
    return f"the container sets {paths}, which {knows} knows and {drops} drops before it hashes"


def _known_only_to(kubelet: Kubelet, other: Kubelet) -> set[str]:
    mine, theirs = (
        {(name, field) for name, fields in reachable_fields(side.schema).items() for field in fields}
        for side in (kubelet, other)
    )
    return {field for _, field in mine - theirs}


def _api_default(situation: Situation, reasons: Reasons) -> str:
    text = reasons[0].text
    paths = after(text, "fills in ")
    if paths == text:
        return text
    return f"the target API server fills in {paths} when it reads the pod, and {situation.new} hashes that"


def _resized(situation: Situation, reasons: Reasons) -> str:
    text = after(reasons[0].text, "resizePolicy: ")
    if text.startswith("a resize "):
        return f"{situation.new} goes on where the kubelet before it ended: {text}"
    if text.startswith("the pod's "):
        return f"{situation.new} counts the limits of the whole pod, and by its resizePolicy {text}"
    record = "finds other resources recorded as applied"
    if situation.decided.applied is None:
        record = "has no record of applied resources"
    return f"{situation.new} {record}, and by its resizePolicy {text}"


BY_HASH: Final[Mapping[str, Clause]] = {
    rules.ALGORITHM: _algorithm,
    rules.GO_ESCAPES: _go_escapes,
    rules.FIELD_ADDED: _of_fields("the new field", f"the Go types of {{new}} have {{fields}}, {_UNSET}"),
    rules.FIELD_REMOVED: _of_fields("the field", f"the Go types of {{new}} lack {{fields}}, {_UNSET}"),
    rules.FIELD_DROPPED: _dropped,
    rules.RESIZE_POLICY: _resized,
    rules.API_DEFAULT: _api_default,
    rules.FIELD_RETYPED: _of_fields(
        "the field",
        "{old} and {new} have other Go types for {fields}, and up to 1.15 type names are hashed",
    ),
}


def _not_reproduced(situation: Situation, _: Reasons) -> str:
    whose = f"not {situation.new}'s"
    if situation.decided.old_known:
        whose = f"neither {situation.old}'s nor {situation.new}'s"
    return f"the recorded hash is {whose}: another release created it, or it was created from another spec"


def _other_creator(situation: Situation, reasons: Reasons) -> str:
    maker = after(reasons[0].text, "created by ").partition(":")[0]
    return f"{maker} created it, as the recorded hash shows, and {situation.new} computes another hash"


def _text(_: Situation, reasons: Reasons) -> str:
    return "; ".join(reason.text for reason in reasons)


BY_RECORD: Final[Mapping[str, Clause]] = {
    rules.NODE_RELEASE: _text,
    rules.NODE_DISPUTED: _text,
    rules.NOT_REPRODUCED: _not_reproduced,
    rules.STATE_UNKNOWN: _text,
    rules.NOT_STORED: _text,
    rules.OTHER_CREATOR: _other_creator,
    rules.CLOSED_BUILD: _text,
}


def _static(_: Situation, reasons: Reasons) -> str:
    text = after(after(reasons[0].text, "static pod: "), "its UID decides, and ")
    return f"a static pod is recreated where its UID changes, and {text}"


def _static_uid(situation: Situation, reasons: Reasons) -> str:
    if "is not the one that runs" in reasons[0].text:
        return "its manifest was changed since the pod began to run, and so the UID is another one"
    unless = ", unless its manifest sets one" if "unless" in reasons[0].text else ""
    return f"the UID of a static pod is a hash of the whole pod, and {situation.new} computes another{unless}"


def _runtime_gone(situation: Situation, _: Reasons) -> str:
    if situation.decided.other_runtime:
        return f"another runtime has none of its containers, so {situation.new} finds none"
    return (
        f"from 1.24 on kubelets do not drive Docker by themselves, so {situation.new} finds none of its pods"
    )


def _startup_probe(situation: Situation, reasons: Reasons) -> str:
    if reasons[0].text.startswith("whether "):
        return reasons[0].text
    yet = ", which it has not yet" if situation.item.verdict is Verdict.UNKNOWN else ""
    return f"a sidecar with a startupProbe is compared only once the probe has passed again{yet}"


_refused: Final = _said(
    "{new} admits its pods again when it starts, but not this one: {text}", "not admitted again: "
)


def _admitted(unknown: str) -> Clause:
    """Return a clause about pods that are admitted again; ``unknown`` says why one may not be."""
    may_be = _said(f"{{new}} admits its pods again when it starts{unknown}")

    def clause(situation: Situation, reasons: Reasons) -> str:
        return (may_be if situation.item.verdict is Verdict.UNKNOWN else _refused)(situation, reasons)

    return clause


_by_chance: Final = _admitted(": {text}")
_feature: Final = _admitted(", and {text}")


def _qos(situation: Situation, reasons: Reasons) -> str:
    if " by the pod's own resources " in reasons[0].text:
        change = after(reasons[0].text, "own resources ").partition(":")[0]
        return (
            f"{situation.new} counts the resources of the static pod itself otherwise for its QoS class "
            f"({change}), and so the pod's cgroup changes"
        )
    change = after(reasons[0].text, "QoS class ").partition(":")[0]
    if change.startswith("by containers alone"):
        noted, _, change = change.removeprefix("by containers alone, as ").rpartition(", ")
        return (
            f"{noted}, so that {situation.new} computes the static pod's QoS class by its containers alone "
            f"({change}), and the pod's cgroup changes"
        )
    return f"from 1.16 on init containers count for the QoS class ({change}), and so the pod's cgroup changes"


def _room(situation: Situation, reasons: Reasons) -> str:
    if situation.item.verdict is Verdict.UNKNOWN:
        text = after(reasons[0].text, ": ").replace("it asks", "this one asks", 1)
        return f"{situation.new} admits its pods again when it starts: {text}"
    if (text := after(reasons[0].text, "preempted: ")) != reasons[0].text:
        return f"{situation.new} admits its pods again when it starts, and {text}"
    return _refused(situation, reasons)


def _exit_code(situation: Situation, reasons: Reasons) -> str:
    who = "any kubelet that knows these rules" if "restartPolicyRules" in reasons[0].text else "any kubelet"
    return f"{reasons[0].text}; {situation.new} looks at it when it starts, as {who} would"


def _deadline(situation: Situation, reasons: Reasons) -> str:
    text = reasons[0].text
    return text if situation.item.verdict is Verdict.UNKNOWN else f"{text}, which ends it under any kubelet"


BY_POD: Final[Mapping[str, Clause]] = {
    rules.STATIC_POD: _static,
    rules.RUNTIME_GONE: _runtime_gone,
    rules.STATIC_REFUSED: _said(
        "{new} refuses static pods that refer to API objects, and this one refers to {text}", "it names "
    ),
    rules.STATIC_UID: _static_uid,
    rules.STARTUP_PROBE: _startup_probe,
    rules.OTHER_NODE: _by_chance,
    rules.OTHER_SYSTEM: _refused,
    rules.TAINT: _feature,
    rules.SIDECAR_REFUSED: _refused,
    rules.STRICT_GROUPS: _admitted(", and so far {text}"),
    rules.SYSCTL: _feature,
    rules.DEVICES: _by_chance,
    rules.FEATURE_REFUSED: _feature,
    rules.EXIT_CODE: _exit_code,
    rules.DEADLINE: _deadline,
    rules.ROOM: _room,
    rules.MANAGERS: _room,
    rules.HOST_PORT: _room,
    rules.QOS: _qos,
}
CLAUSES: Final[Mapping[str, Clause]] = {**BY_HASH, **BY_RECORD, **BY_POD}
"""The clauses of rules that depend on more than the releases and the reason; others have their words."""


def why(situation: Situation) -> str:
    """Say why, in one sentence without its full stop; rules that go together are clauses of it."""
    reasons: dict[str, list[Reason]] = {}
    for reason in situation.item.reasons:
        reasons.setdefault(reason.id, []).append(reason)
    return "; ".join(_clause(rule)(situation, group) for rule, group in reasons.items()) or _same(situation)


def _clause(rule: str) -> Clause:
    if rule in CLAUSES:
        return CLAUSES[rule]
    words = rules.words()[rule]
    return _said(words.why, f"{words.behind}: " if words.behind else "")


def _same(situation: Situation) -> str:
    """Say why a container is kept that no rule is about."""
    case = situation.case
    if case is not None and not case.upgraded:
        return f"the kubelet stays {situation.new}, and the container as it is"
    uid = "its UID stays the same, and " if case is not None and case.pod.static else ""
    if situation.same_text:
        return f"{uid}{situation.old} and {situation.new} hash exactly the same text"
    return f"{uid}{situation.old} and {situation.new} compute the same hash"
