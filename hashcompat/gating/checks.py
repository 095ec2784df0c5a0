"""The lines of a policy, one by one: what each of them counts, and how much it allows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec
from msgspec import structs

from hashcompat.gating.exceptions import owner_of
from hashcompat.gating.policy import FailOn, Limit, Policy
from hashcompat.gating.result import Line, Outcome, Whole
from hashcompat.model.escape import name_path, word
from hashcompat.model.impact import Certainty, Impact
from hashcompat.model.items import Item, PodName
from hashcompat.model.preflight import Preflight, Status
from hashcompat.model.verdicts import Verdict
from hashcompat.model.words import count

_NODE: Final = "Node/"
"""How the owner of a static pod begins."""

_FINDINGS: Final = {FailOn.RESTART: Verdict.RESTART, FailOn.KILL: Verdict.KILL}

Group = tuple[str, ...]


class Facts(msgspec.Struct, frozen=True):
    """What the lines of a policy are judged by."""

    policy: Policy
    counted: Sequence[Item]
    """The containers that count and are not kept, those that are UNKNOWN included."""
    whole: Whole
    """The containers of the plan."""
    owners: Mapping[Group, Whole] = msgspec.field(default_factory=dict)
    """Those of each owner, by namespace and owner; empty where no limit asks for it."""
    nodes: Mapping[Group, Whole] = msgspec.field(default_factory=dict)
    """Those of each node."""
    preflight: Preflight | None = None
    impact: Impact | None = None
    """What the restarts do to PodDisruptionBudgets; None where no line asks for it."""

    def findings(self) -> list[Item]:
        """Return the containers whose verdicts the limits are about."""
        wanted = {_FINDINGS[one] for one in self.policy.fail_on if one in _FINDINGS}
        return [item for item in self.counted if item.verdict in wanted]

    def by_owner(self) -> Counter[Group]:
        """Count these by their owner."""
        return Counter(owner_group(item.pod) for item in self.findings())

    def by_node(self) -> Counter[Group]:
        """Count these by their node."""
        return Counter(node_group(item.pod) for item in self.findings())


Check = Callable[[Facts], Iterator[Line]]


def owner_group(pod: PodName) -> Group:
    """Return whose limit a pod counts for."""
    return pod.namespace, owner_of(pod)


def node_group(pod: PodName) -> Group:
    """Return for which node's limit a pod counts; those without a node are together."""
    return (pod.node,)


def is_static(pod: PodName) -> bool:
    """Return whether a pod is a static pod, or the mirror pod of one: its node is its owner."""
    return pod.owner.startswith(_NODE) or pod.workload.startswith(_NODE)


def _line(key: str, found: int, allowed: int, noun: str, bad: Outcome) -> Line:
    return Line(key, "", found, allowed, noun, bad if found > allowed else Outcome.PASS)


def _limited(key: str, limit: Limit, found: int, whole: Whole, subject: str = "") -> Line:
    allowed = limit.of(whole.compared)
    outcome = Outcome.FAIL if found > allowed else Outcome.PASS
    line = Line(key, subject, found, allowed, _noun(found, "finding"), outcome)
    return structs.replace(line, limit=limit.text, whole=whole) if limit.is_part else line


def _noun(number: int, noun: str) -> str:
    return count(number, noun).partition(" ")[2]


def _of_verdict(facts: Facts, one: FailOn) -> Iterator[Line]:
    """Yield the line of findings, each of which fails where there are no limits."""
    if facts.policy.is_limited:
        return
    found = sum(item.verdict is _FINDINGS[one] for item in facts.counted)
    yield _line(f"fail-on {one}", found, 0, _noun(found, "container"), Outcome.FAIL)


def _unknown(facts: Facts) -> Iterator[Line]:
    found = sum(item.verdict is Verdict.UNKNOWN for item in facts.counted)
    yield _line("fail-on unknown", found, 0, _noun(found, "container"), Outcome.UNDECIDED)


def _static(facts: Facts) -> Iterator[Line]:
    found = sum(is_static(item.pod) for item in facts.counted if item.verdict is not Verdict.UNKNOWN)
    yield _line("fail-on static", found, 0, f"{_noun(found, 'container')} of static pods", Outcome.FAIL)


def _preflight(facts: Facts) -> Iterator[Line]:
    counts = facts.preflight.counts() if facts.preflight else {}
    errors, unknown = counts.get(Status.ERROR, 0), counts.get(Status.UNKNOWN, 0)
    yield _line("fail-on preflight", errors, 0, _noun(errors, "error"), Outcome.FAIL)
    yield _line("fail-on preflight", unknown, 0, f"{_noun(unknown, 'check')} UNKNOWN", Outcome.UNDECIDED)


_SURE: Final = {Certainty.YES: Outcome.FAIL, Certainty.UNKNOWN: Outcome.UNDECIDED}


def _pdb(facts: Facts) -> Iterator[Line]:
    """Yield a line for each budget that is breached, or may be; else one for all of them."""
    if facts.impact is None:
        yield Line("fail-on pdb", "", 1, 0, "", Outcome.UNDECIDED, "budgets were not read")
        return
    found = {
        (one.namespace, one.name, one.certainty): one
        for effect in facts.impact.effects()
        for one in effect.budgets
    }
    for (namespace, name, sure), one in sorted(found.items()):
        left = f"{_shown(one.after)} of {_shown(one.desired)} demanded pods are left healthy"
        why = left if sure is Certainty.YES else one.problem or f"may be breached: {left}"
        yield Line("fail-on pdb", name_path(namespace, name), 1, 0, "breach", _SURE[sure], why)
    missing = facts.impact.budgets_missing
    if missing and any(node.restarted or node.unknown for node in facts.impact.nodes):
        yield Line("fail-on pdb", "", 1, 0, "", Outcome.UNDECIDED, f"budgets are UNKNOWN: {missing}")
    elif not found:
        yield _line("fail-on pdb", 0, 0, "budgets breached", Outcome.FAIL)


def _shown(number: int | None) -> str:
    return "?" if number is None else str(number)


CHECKS: Final[Mapping[FailOn, Check]] = {
    FailOn.RESTART: lambda facts: _of_verdict(facts, FailOn.RESTART),
    FailOn.KILL: lambda facts: _of_verdict(facts, FailOn.KILL),
    FailOn.UNKNOWN: _unknown,
    FailOn.STATIC: _static,
    FailOn.PREFLIGHT: _preflight,
    FailOn.PDB: _pdb,
}
"""What ``fail-on`` can name."""


def limits(facts: Facts) -> Iterator[Line]:
    """Yield the lines of the limits: of owners and nodes every one that is exceeded, or else the fullest."""
    policy, found = facts.policy, facts.findings()
    if policy.max_restarts:
        yield _limited("max-restarts", policy.max_restarts, len(found), facts.whole)
    if policy.max_per_owner:
        yield from _grouped("max-per-owner", policy.max_per_owner, facts.by_owner(), facts.owners)
    if policy.max_per_node:
        yield from _grouped("max-per-node", policy.max_per_node, facts.by_node(), facts.nodes)


def _grouped(
    key: str, limit: Limit, found: Mapping[Group, int], wholes: Mapping[Group, Whole]
) -> Iterator[Line]:
    lines = [_limited(key, limit, number, wholes[group], _named(group)) for group, number in found.items()]
    lines.sort(key=lambda line: (line.allowed - line.found, line.subject))
    over = [line for line in lines if line.outcome is Outcome.FAIL]
    yield from over or lines[:1] or [_line(key, 0, 0, "findings", Outcome.FAIL)]


def _named(group: Group) -> str:
    """Return the name of a group: ``shop/Deployment/web``, or a node's."""
    if len(group) == 1:
        return word(group[0]) if group[0] else "no node"
    namespace, owner = group
    return name_path(namespace, *owner.split("/", 1))


def violators(facts: Facts) -> Callable[[Item], bool]:
    """Return which of the findings that count are part of what the policy does not allow."""
    policy, found = facts.policy, facts.findings()
    wanted = {item.verdict for item in found}
    static = FailOn.STATIC in policy.fail_on
    over = not policy.is_limited or (
        policy.max_restarts is not None and len(found) > policy.max_restarts.of(facts.whole.compared)
    )
    owners = _exceeded(policy.max_per_owner, facts.by_owner, facts.owners)
    nodes = _exceeded(policy.max_per_node, facts.by_node, facts.nodes)

    def violates(item: Item) -> bool:
        if static and is_static(item.pod):
            return True
        if item.verdict not in wanted:
            return False
        return (
            over
            or bool(owners and owner_group(item.pod) in owners)
            or bool(nodes and node_group(item.pod) in nodes)
        )

    return violates


def _exceeded(
    limit: Limit | None, counted: Callable[[], Mapping[Group, int]], wholes: Mapping[Group, Whole]
) -> set[Group]:
    if limit is None:
        return set()
    return {group for group, number in counted().items() if number > limit.of(wholes[group].compared)}


def wholes(items: Iterable[Item], group_of: Callable[[PodName], Group]) -> dict[Group, Whole]:
    """Return the containers of each group of pods."""
    numbers = Counter((group_of(item.pod), item.compared) for item in items)
    groups = dict.fromkeys(group for group, _ in numbers)
    return {group: Whole(numbers[group, True], numbers[group, False]) for group in groups}
