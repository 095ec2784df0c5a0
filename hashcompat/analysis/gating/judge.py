"""A plan and a policy -> what the gate decides.

Each line of a policy is a check: what it counts, and how much of that it allows. The checks come first,
then what brings them together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Final

import msgspec
from msgspec import structs

from hashcompat.analysis.gating import GateResult, Judged, Line, Outcome, Standing, Total, whole_of
from hashcompat.core.errors import InputError
from hashcompat.core.model.escape import are, count, few, name_path, word
from hashcompat.core.model.impact import Certainty, Impact
from hashcompat.core.model.items import Item, PodName
from hashcompat.core.model.plan import AUTO, Plan
from hashcompat.core.model.pods import Origin
from hashcompat.core.model.preflight import Preflight, Status
from hashcompat.core.model.results import is_signed
from hashcompat.core.model.uids import SKEW
from hashcompat.core.model.verdicts import Verdict
from hashcompat.core.policies import FailOn, Limit, Policy
from hashcompat.core.policies.exceptions import Exemption, Exemptions, Identity, Names, identity, owner_of

# Which plans are not judged at all: edited ones, old ones, those of another cluster or other releases.

_NAMED: Final = 10
"""Nodes that an error names."""


def check_seals(digest: str, signature: str, key: bytes) -> None:
    """Raise InputError for a document without a digest, or without the signature that a key asks for."""
    if not digest:
        raise InputError("$.digest: missing, so nothing shows whether it was edited; make the plan again")
    if not key:
        return
    if not signature:
        raise InputError("$.signature: missing; make the plan again with --sign-key")
    if not is_signed(digest, signature, key):
        raise InputError("$.signature: not made with this key: it was edited, or signed with another key")


def check_reported(plan: Plan) -> None:
    """Raise InputError for a plan from another release than its nodes report, unless it overrides them."""
    if not plan.disputed or plan.overridden:
        return
    shown = few([f"{word(claim.node)} {word(claim.kubelet)}" for claim in plan.disputed], _NAMED)
    raise InputError(
        f"nodes report another release than --from {plan.from_release}: {shown}; make the plan with "
        "--from auto, which takes what they report, or with --override-node-releases"
    )


def check_age(result: Plan | Preflight, policy: Policy, now: datetime) -> None:
    """Raise InputError for a result that is older than the policy allows a plan, or of an unknown age."""
    if policy.max_age is None:
        return
    created, what = result.making.at, "plan" if isinstance(result, Plan) else "preflight"
    allowed = f"plan-max-age allows {policy.max_age_text}; make the {what} again"
    if created is None:
        raise InputError(f"$.spec.createdAt: missing, and {allowed}")
    if created > now + SKEW:
        raise InputError(f"$.spec.createdAt: {created:%Y-%m-%dT%H:%M:%SZ} is in the future; check the clocks")
    if (age := now - created) > policy.max_age:
        raise InputError(f"the {what} is {_words(age)} old, and {allowed}")


def check_preflight(preflight: Preflight, plan: Plan, policy: Policy, now: datetime) -> None:
    """Raise InputError for a preflight of another cluster than the plan's, and as ``check_age``."""
    check_age(preflight, policy, now)
    theirs, ours = preflight.origin.cluster, plan.origin.cluster
    if theirs and ours and theirs != ours:  # whose nodes may have the same names
        raise InputError(f"a preflight of the cluster {theirs}, and the plan is of {ours}")


def check_input_age(origin: Origin, policy: Policy, now: datetime, *, saved: bool = False) -> None:
    """Raise InputError for input that is older than the policy allows, or whose age is not known.

    ``saved``: whether a plan that was saved says where it comes from.
    """
    if policy.max_input_age is None:
        return
    allowed = f"max-age allows {policy.max_input_age_text}"
    place = "$.spec.source.takenAt: " if saved else ""
    if origin.taken is None:
        where = "the input" if saved else "it"
        raise InputError(
            f"{place}nothing in {where} shows when it was taken, and {allowed}; "
            "read a live cluster, or give a snapshot, or a dump with its nodes"
        )
    if origin.taken > now + SKEW:
        raise InputError(f"{place}{origin.taken:%Y-%m-%dT%H:%M:%SZ} is in the future; check the clocks")
    if (age := now - origin.taken) > policy.max_input_age:
        raise InputError(
            f"the input is {_words(age)} old (taken {origin.taken:%Y-%m-%dT%H:%M:%SZ}), and {allowed}; "
            "take it again"
        )


def check_cluster(plan: Plan, wanted: str, place: str) -> None:
    """Raise InputError for a plan of another cluster than that with a UID, which a place names."""
    if not wanted:
        return
    if not plan.origin.cluster:
        raise InputError(
            f"$.spec.source.clusterUID: empty, and {place} is {wanted}: the input of the plan has no "
            "namespace kube-system, or those of two clusters; "
            "kubectl get nodes,pods,namespaces -A -o json saves it"
        )
    if plan.origin.cluster != wanted:
        raise InputError(f"a plan of the cluster {plan.origin.cluster}, and {place} is {wanted}")


def releases_of(plan: Plan) -> Iterable[str]:
    """Return the current releases of a plan: those of its nodes where it takes each node's."""
    if plan.from_release != AUTO:
        return {plan.from_release}
    return {item.from_release for item in plan.items if item.from_release}


def _words(age: timedelta) -> str:
    """Return an age as durations are written, in days beyond two of them."""
    seconds = int(age.total_seconds())
    if seconds < _MINUTE:
        return f"{seconds}s"
    minutes = seconds // _MINUTE
    return f"{minutes // 60}h{minutes % 60}m" if age.days <= _MOST_IN_HOURS else f"{age.days} days"


_MINUTE: Final = 60
_MOST_IN_HOURS: Final = 2
"""Days that are written in hours."""


_NODE: Final = "Node/"
"""How the owner of a static pod begins."""

_FINDINGS: Final = {FailOn.RESTART: Verdict.RESTART, FailOn.KILL: Verdict.KILL}

Group = tuple[str, ...]


class Evidence(msgspec.Struct, frozen=True):
    """What the lines of a policy are judged by."""

    policy: Policy
    counted: Sequence[Item]
    """The containers that count and are not kept, those that are UNKNOWN included."""
    whole: Total
    """The containers of the plan."""
    owners: Mapping[Group, Total] = msgspec.field(default_factory=dict)
    """Those of each owner, by namespace and owner; empty where no limit asks for it."""
    nodes: Mapping[Group, Total] = msgspec.field(default_factory=dict)
    """Those of each node."""
    preflight: Preflight | None = None
    unchecked: Sequence[str] = ()
    """The nodes that compare containers and of which the preflight has no check."""
    impact: Impact | None = None
    """What the restarts do to PodDisruptionBudgets; None where no line asks for it."""

    def findings(self) -> list[Item]:
        """Return the containers that are killed; without limits, those that ``fail-on`` names.

        A limit is about all of them, whatever ``fail-on`` says besides: nobody who allows five restarts
        means that others are not counted.
        """
        named = {_FINDINGS[cause] for cause in self.policy.fail_on if cause in _FINDINGS}
        wanted = {*_FINDINGS.values()} if self.policy.is_limited else named
        return [item for item in self.counted if item.verdict in wanted]

    def by_owner(self) -> Counter[Group]:
        """Count these by their owner."""
        return Counter(owner_group(item.pod) for item in self.findings())

    def by_node(self) -> Counter[Group]:
        """Count these by their node."""
        return Counter(node_group(item.pod) for item in self.findings())


Check = Callable[[Evidence], Iterator[Line]]


def owner_group(pod: PodName) -> Group:
    """Return whose limit a pod counts for."""
    return pod.namespace, owner_of(pod)


def node_group(pod: PodName) -> Group:
    """Return for which node's limit a pod counts; those without a node are together."""
    return (pod.node,)


def is_static(pod: PodName) -> bool:
    """Return whether a pod is a static pod, or the mirror pod of one: its node is its owner."""
    return pod.owner.startswith(_NODE) or pod.workload.startswith(_NODE)


def _line(key: str, number: int, noun: str, bad: Outcome) -> Line:
    return Line(key, "", number, 0, noun, bad if number else Outcome.PASS)


def _limited(key: str, limit: Limit, number: int, whole: Total, subject: str = "") -> Line:
    allowed = limit.of(whole.compared)
    outcome = Outcome.FAIL if number > allowed else Outcome.PASS
    line = Line(key, subject, number, allowed, _noun(number, "finding"), outcome)
    return structs.replace(line, limit=limit.text, whole=whole) if limit.is_part else line


def _noun(number: int, noun: str) -> str:
    return count(number, noun).partition(" ")[2]


def _of_verdict(facts: Evidence, cause: FailOn) -> Iterator[Line]:
    """Yield the line of findings, each of which fails where no limit allows some."""
    if facts.policy.is_limited and not (cause is FailOn.KILL and _forbids_kills(facts.policy)):
        return
    number = sum(item.verdict is _FINDINGS[cause] for item in facts.counted)
    yield _line(f"fail-on {cause}", number, _noun(number, "container"), Outcome.FAIL)


def _forbids_kills(policy: Policy) -> bool:
    """Return whether a policy names kills and not restarts, so that its limits allow no kill."""
    return FailOn.KILL in policy.fail_on and FailOn.RESTART not in policy.fail_on


def _unknown(facts: Evidence) -> Iterator[Line]:
    number = sum(item.verdict is Verdict.UNKNOWN for item in facts.counted)
    yield _line("fail-on unknown", number, _noun(number, "container"), Outcome.UNDECIDED)


def _static(facts: Evidence) -> Iterator[Line]:
    number = sum(is_static(item.pod) for item in facts.counted if item.verdict is not Verdict.UNKNOWN)
    yield _line("fail-on static", number, f"{_noun(number, 'container')} of static pods", Outcome.FAIL)


def _preflight(facts: Evidence) -> Iterator[Line]:
    counts = facts.preflight.counts() if facts.preflight else {}
    errors, unknown = counts.get(Status.ERROR, 0), counts.get(Status.UNKNOWN, 0)
    line = _line("fail-on preflight", errors, _noun(errors, "error"), Outcome.FAIL)
    if facts.preflight and (mild := ", ".join(facts.preflight.ignored)):
        why = f"{count(errors, 'error')}, allowed 0; errors of {mild} are warnings in the report"
        line = structs.replace(line, why=why)
    yield line
    yield _line("fail-on preflight", unknown, f"{_noun(unknown, 'check')} UNKNOWN", Outcome.UNDECIDED)
    if facts.unchecked:
        names = few(list(map(word, facts.unchecked)), _NAMED)
        why = f"no check of {count(len(facts.unchecked), 'node')} in the report: {names}"
        yield Line("fail-on preflight", "", len(facts.unchecked), 0, "nodes", Outcome.UNDECIDED, why)


_SURE: Final = {Certainty.YES: Outcome.FAIL, Certainty.UNKNOWN: Outcome.UNDECIDED}


def _pdb(facts: Evidence) -> Iterator[Line]:
    """Yield a line for each budget that is breached, or may be; else one for all of them."""
    if facts.impact is None:
        yield Line("fail-on pdb", "", 1, 0, "", Outcome.UNDECIDED, "budgets were not read")
        return
    budgets = {
        (budget.namespace, budget.name, budget.certainty): budget
        for effect in facts.impact.effects()
        for budget in effect.budgets
    }
    for (namespace, name, sure), budget in sorted(budgets.items()):
        after, desired = ("?" if number is None else number for number in (budget.after, budget.desired))
        left = f"{after} healthy left, and {desired} demanded"
        why = left if sure is Certainty.YES else budget.problem or f"may be breached: {left}"
        yield Line("fail-on pdb", name_path(namespace, name), 1, 0, "breach", _SURE[sure], why)
    unseen = facts.impact.unseen
    missing, apart = facts.impact.budgets_missing, facts.impact.unplaced + unseen
    if facts.impact.budgets and unseen:
        # nothing shows which budgets select them
        missed = f"{count(unseen, 'pod')} of the plan {are(unseen)} not among those read now"
        why = f"{missed}; give a plan and pods of one time"
        yield Line("fail-on pdb", "", unseen, 0, _noun(unseen, "pod"), Outcome.UNDECIDED, why)
    elif missing and (apart or any(node.restarted or node.unknown for node in facts.impact.nodes)):
        yield Line("fail-on pdb", "", 1, 0, "", Outcome.UNDECIDED, f"budgets are UNKNOWN: {missing}")
    elif not budgets:
        yield _line("fail-on pdb", 0, "budgets breached", Outcome.FAIL)


CHECKS: Final[Mapping[FailOn, Check]] = {
    FailOn.RESTART: lambda facts: _of_verdict(facts, FailOn.RESTART),
    FailOn.KILL: lambda facts: _of_verdict(facts, FailOn.KILL),
    FailOn.UNKNOWN: _unknown,
    FailOn.STATIC: _static,
    FailOn.PREFLIGHT: _preflight,
    FailOn.PDB: _pdb,
}
"""What ``fail-on`` can name."""


def limits(facts: Evidence) -> Iterator[Line]:
    """Yield the lines of the limits: of owners and nodes every one that is exceeded, or else the fullest."""
    policy, findings = facts.policy, facts.findings()
    if policy.max_restarts:
        yield _limited("max-restarts", policy.max_restarts, len(findings), facts.whole)
    if policy.max_per_owner:
        yield from _grouped("max-per-owner", policy.max_per_owner, facts.by_owner(), facts.owners)
    if policy.max_per_node:
        yield from _grouped("max-per-node", policy.max_per_node, facts.by_node(), facts.nodes)


def _grouped(
    key: str, limit: Limit, numbers: Mapping[Group, int], wholes: Mapping[Group, Total]
) -> Iterator[Line]:
    lines = [_limited(key, limit, number, wholes[group], _named(group)) for group, number in numbers.items()]
    lines.sort(key=lambda line: (line.allowed - line.found, line.subject))
    over = [line for line in lines if line.outcome is Outcome.FAIL]
    yield from over or lines[:1] or [_line(key, 0, "findings", Outcome.FAIL)]


def _named(group: Group) -> str:
    """Return the name of a group: ``shop/Deployment/web``, or a node's."""
    if len(group) == 1:
        return word(group[0]) if group[0] else "no node"
    namespace, owner = group
    return name_path(namespace, *owner.split("/", 1))


def violators(facts: Evidence) -> Callable[[Item], bool]:
    """Return which of the findings that count are part of what the policy does not allow."""
    policy, findings = facts.policy, facts.findings()
    wanted = {item.verdict for item in findings}
    static = FailOn.STATIC in policy.fail_on
    no_kill = _forbids_kills(policy)
    over = not policy.is_limited or (
        policy.max_restarts is not None and len(findings) > policy.max_restarts.of(facts.whole.compared)
    )
    owners = _exceeded(policy.max_per_owner, facts.by_owner, facts.owners)
    nodes = _exceeded(policy.max_per_node, facts.by_node, facts.nodes)

    def violates(item: Item) -> bool:
        if (static and is_static(item.pod)) or (no_kill and item.verdict is Verdict.KILL):
            return True
        if item.verdict not in wanted:
            return False
        return over or owner_group(item.pod) in owners or node_group(item.pod) in nodes

    return violates


def _exceeded(
    limit: Limit | None, counted: Callable[[], Mapping[Group, int]], wholes: Mapping[Group, Total]
) -> set[Group]:
    if limit is None:
        return set()
    return {group for group, number in counted().items() if number > limit.of(wholes[group].compared)}


def wholes(items: Iterable[Item], group_of: Callable[[PodName], Group]) -> dict[Group, Total]:
    """Return the containers of each group of pods."""
    numbers = Counter((group_of(item.pod), item.compared) for item in items)
    groups = dict.fromkeys(group for group, _ in numbers)
    return {group: Total(numbers[group, True], numbers[group, False]) for group in groups}


class ExtraInputs(msgspec.Struct, frozen=True):
    """What a policy refers to besides the plan."""

    exemptions: tuple[Exemption, ...] = ()
    baseline: frozenset[Identity] = frozenset()
    preflight: Preflight | None = None
    impact: Impact | None = None


def judge(plan: Plan, policy: Policy, extra: ExtraInputs, today: date) -> GateResult:
    """Return what a policy makes of a plan; ``today`` is the day in UTC by which exceptions expire.

    Raises InputError for a plan from another release than its nodes report.
    """
    check_reported(plan)
    bad = [item for item in plan.items if item.verdict is not Verdict.KEEP]
    rows = [exemption for exemption in extra.exemptions if exemption.counts_in(plan.origin.labels)]
    exemptions = Exemptions(() if policy.strict else rows, today)
    excused = [_excused(item, exemptions, extra.baseline) for item in bad]
    counted = [item for item, (standing, _) in zip(bad, excused, strict=True) if standing is None]
    unchecked = list[str]()
    if extra.preflight:
        compared = {item.pod.node for item in plan.items if item.compared and item.pod.node}
        unchecked = sorted(compared - {finding.node for finding in extra.preflight.findings})
    facts = Evidence(
        policy,
        counted,
        whole_of(plan.items),
        wholes(plan.items, owner_group) if policy.max_per_owner else {},
        wholes(plan.items, node_group) if policy.max_per_node else {},
        extra.preflight,
        unchecked,
        extra.impact,
    )
    lines = (*limits(facts), *(line for cause in policy.fail_on for line in CHECKS[cause](facts)))
    violates = violators(facts)
    of_unknown = Standing.UNDECIDED if FailOn.UNKNOWN in policy.fail_on else Standing.ALLOWED

    def standing_of(item: Item) -> Standing:
        if item.verdict is Verdict.UNKNOWN:
            return of_unknown
        return Standing.VIOLATION if violates(item) else Standing.ALLOWED

    judged = tuple(
        Judged(item, standing or standing_of(item), exemption)
        for item, (standing, exemption) in zip(bad, excused, strict=True)
    )
    about = () if policy.strict else _warnings(rows, exemptions, today)
    unjudged = () if bad else _unjudged(facts.whole)
    unmade = _unmade(extra.preflight) if extra.preflight else ()
    return GateResult(plan, policy, lines, judged, (*policy.warnings, *about, *unjudged, *unmade))


def _unjudged(whole: Total) -> Iterator[str]:
    """Yield that nothing of a plan was compared, so that PASS says nothing."""
    if whole.not_compared and not whole.compared:
        number = whole.not_compared
        which = "the only container" if number == 1 else f"any of the {number} containers"
        yield f"nothing was judged: no kubelet compares {which} of the plan"


def _unmade(preflight: Preflight) -> Iterator[str]:
    """Yield which checks a preflight did not make, by what it lacked: PASS says nothing about these."""
    for needs in dict.fromkeys(needs for _, needs in preflight.left_out):
        checks = [check for check, needed in preflight.left_out if needed == needs]
        yield f"not checked by the preflight without {needs}: {few(checks, _NAMED)}"


def _excused(
    item: Item, exemptions: Exemptions, baseline: frozenset[Identity]
) -> tuple[Standing | None, Exemption | None]:
    """Return why a container does not count; nothing where it does."""
    if exemption := exemptions.find(item):
        return Standing.EXCEPTED, exemption
    if baseline and identity(item) in baseline:
        return Standing.BASELINE, None
    return None, None


def _warnings(rows: Sequence[Exemption], exemptions: Exemptions, today: date) -> Iterator[str]:
    for row in rows:
        where = f"{row.place}: " if row.place else ""
        number = exemptions.used.get(row, 0)
        if row.is_expired(today):
            hit = f"; {count(number, 'container')} that it matches {'counts' if number == 1 else 'count'}"
            yield f"{where}{row}: this exception expired on {row.expires}{hit if number else ''}"
        elif not number:
            what = "no owner of a finding" if row.names is Names.OWNER else "no finding"
            yield f"{where}{row}: this exception matches {what}; remove it"
