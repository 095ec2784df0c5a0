"""The judge of a rollout, a closed loop: plan, roll, observe, compare.

Before a node is upgraded, a saved plan is judged by a policy (``judge``): may these containers restart?
Plans that are old, edited, or of another cluster are not judged at all, and findings that
somebody accepted or that an earlier plan has do not count. Then the node takes its turn, the
operator upgrades it, and the cluster is read again. ``outcome`` compares what became of each container with
what the plan predicted of it. A surprise fails the node's turn, and a failed turn stops
the next node, so that a wrong prediction costs one node and not a cluster.

Everything that cannot be decided is UNDECIDED, which never counts as passed: of three outcomes the worst of
any line decides.

Read ``core/policies/`` first (what may be allowed, who may say so, and what does not count), then ``judge``,
then ``outcome``. Nothing here reads a file or a clock: plans, times and what a cluster shows are arguments.

A fleet is upgraded in waves: canaries first, then the clusters with the fewest restarts. What a policy does
not let pass is in no wave, and is named with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import groupby
from typing import Final

import msgspec
from msgspec import structs

from hashcompat.core.errors import ExitCode, InputError, UsageError
from hashcompat.core.model import cluster as clusters
from hashcompat.core.model.cluster import Cluster, LeftOutCluster, Upgrade, Wave, Waves
from hashcompat.core.model.escape import count, never_compared, printable, word
from hashcompat.core.model.impact import Phase, Rollout, Turn
from hashcompat.core.model.items import Item
from hashcompat.core.model.plan import Plan
from hashcompat.core.model.results import Making, Result
from hashcompat.core.policies import Policy
from hashcompat.core.policies.exceptions import Exemption

# What a gate found: each line of the policy, and each container that is not kept.


class Outcome(StrEnum):
    """What comes of a line of the policy, and of the whole gate; worst first."""

    FAIL = "FAIL"
    UNDECIDED = "UNDECIDED"
    PASS = "PASS"  # noqa: S105 - no password


class Standing(StrEnum):
    """How a container counts that is not kept."""

    VIOLATION = "VIOLATION"
    """It is part of what a line of the policy does not allow."""
    UNDECIDED = "UNDECIDED"
    """Its verdict is UNKNOWN, which the policy does not allow; after the upgrade: what became of it is not
    known."""
    ALLOWED = "ALLOWED"
    """It is within every limit, or of a verdict that the policy does not name."""
    EXCEPTED = "EXCEPTED"
    """An exception covers it."""
    BASELINE = "BASELINE"
    """An earlier plan has it already."""
    SURPRISE = "SURPRISE"
    """After the upgrade: it is not as the plan predicted."""
    UNPREDICTED = "UNPREDICTED"
    """After the upgrade: the plan predicted nothing, for its verdict was UNKNOWN."""
    CHANGED = "CHANGED"
    """After the upgrade: its pod or itself changed for another reason, so the plan is not about it."""
    AS_PREDICTED = "AS_PREDICTED"
    """After the upgrade: it is as the plan predicted."""

    __hash__ = str.__hash__  # that of Enum is a function in Python, and reports count standings

    def of(self, number: int) -> str:
        """Say in words what so many containers count as: ``2 violations``, without the number."""
        counted = self in (Standing.VIOLATION, Standing.SURPRISE)
        return self.value.replace("_", " ").lower() + "s" * (counted and number != 1)


class Total(msgspec.Struct, frozen=True):
    """The containers of a plan, an owner or a node: a percentage is of those that are compared."""

    compared: int = 0
    not_compared: int = 0

    def __str__(self) -> str:
        return f"{count(self.compared, 'running container')}{never_compared(self.not_compared)}"


def whole_of(items: Sequence[Item]) -> Total:
    """Return how many of some containers are compared, and how many are not."""
    compared = sum(item.compared for item in items)
    return Total(compared, len(items) - compared)


class Line(msgspec.Struct, frozen=True):
    """One line of the policy, judged."""

    key: str
    """The key of the policy file, ``max-restarts``; of ``fail-on`` with the word, ``fail-on restart``."""
    subject: str
    """What it is about, where it is not everything: an owner, a node, a check."""
    found: int
    allowed: int
    noun: str
    """What is counted, in the plural where it is not one."""
    outcome: Outcome
    why: str = ""
    """What is shown in place of the numbers; empty for these."""
    limit: str = ""
    """The percentage that is allowed, as it was given; empty where a number is."""
    whole: Total | None = None
    """What that is a part of."""

    def __str__(self) -> str:
        about = f"{self.subject}: " if self.subject else ""
        part = f" ({self.limit} of {self.whole})" if self.whole else ""
        return f"{self.key}: {about}{self.why or f'{self.found} {self.noun}, allowed {self.allowed}{part}'}"


class Judged(msgspec.Struct, frozen=True, gc=False):
    """One container that is not kept."""

    item: Item
    standing: Standing
    exemption: Exemption | None = None
    seen: str = ""
    """What became of it, in words; empty before the upgrade."""


class GateResult(Result[Judged], msgspec.Struct, frozen=True):
    """A plan, judged by a policy."""

    plan: Plan
    policy: Policy
    lines: tuple[Line, ...]
    """Each line of the policy; of limits for owners and nodes those that are exceeded, or the fullest one."""
    judged: tuple[Judged, ...]
    """The containers that are not kept, in the order of the plan; after the upgrade all of its nodes'."""
    warnings: tuple[str, ...] = ()
    """What is wrong with exceptions, and which pods the plan lacks, one line each."""
    after: bool = False
    """Whether it compares the plan with what was seen after the upgrade."""
    making: Making = Making()
    """What judged it, and when."""

    @property
    def whole(self) -> Total:
        """The containers of the plan."""
        return whole_of(self.plan.items)

    @property
    def deciding(self) -> Line:
        """The line of the policy that decided: the first of the worst ones."""
        return min(self.lines, key=lambda line: [*Outcome].index(line.outcome))

    @property
    def outcome(self) -> Outcome:
        """What comes of it, whether it is only reported or not."""
        return self.deciding.outcome

    @property
    def exit_code(self) -> ExitCode:
        """What the command exits with."""
        return ExitCode.OK if self.policy.report_only else _CODES[self.outcome]

    def _elements(self) -> tuple[Judged, ...]:
        return self.judged


_CODES = {Outcome.FAIL: ExitCode.FINDING, Outcome.UNDECIDED: ExitCode.UNDECIDED, Outcome.PASS: ExitCode.OK}

# Whose turn it is: which node of a rollout may be upgraded next, and how its turn ends.

_STOPS: Final = {Phase.FAILED: Outcome.FAIL, Phase.STARTED: Outcome.UNDECIDED}
"""A failed node is a finding; what becomes of one that was started is not known yet."""


def taken(
    rollout: Rollout, names: Iterable[str], turn: Turn, *, take_over: bool
) -> tuple[Rollout | None, tuple[Line, ...]]:
    """Return the state in which the turn of some nodes is taken, and the line of each node that stops that.

    There is no state where any stops it, or where this run has taken the turn already. ``take_over`` takes it
    also of these nodes themselves, where they were started or have failed.
    """
    wanted = set(names)
    # a run that is repeated because its answer was lost finds its own turn
    free = Line("state", "", 0, 0, "nodes in the way", Outcome.PASS)
    if all(name in rollout.turns and rollout.turns[name].id == turn.id for name in wanted):
        return None, (free,)
    stops = tuple(
        Line("state", word(name), 1, 0, "node in the way", _STOPS[other.phase], _words(other))
        for name, other in sorted(rollout.turns.items())
        if other.phase in _STOPS and not (take_over and name in wanted)
    )
    if stops:
        return None, stops
    return Rollout({**rollout.turns, **dict.fromkeys(sorted(wanted), turn)}), (free,)


def _words(turn: Turn) -> str:
    by = f" by {printable(turn.holder)}" if turn.holder else ""
    if turn.phase is Phase.FAILED:
        when = turn.ended or turn.started
        return f"failed at {when:%Y-%m-%dT%H:%M:%SZ}: {printable(turn.reason)}"
    return f"started at {turn.started:%Y-%m-%dT%H:%M:%SZ}{by}, and not decided yet"


def own_turns(rollout: Rollout, names: Iterable[str], plan: str) -> dict[str, Turn]:
    """Return the turns of some nodes; raises InputError for one that was not taken, or by another plan."""
    turns = {}
    for name in names:
        turn = rollout.turns.get(name)
        if turn is None:
            raise InputError(
                f"no turn of {word(name)}: the gate without --after takes it, before the node is upgraded"
            )
        if turn.plan != plan:
            raise InputError(f"the turn of {word(name)} was taken by another plan, of the digest {turn.plan}")
        turns[name] = turn
    return turns


def decided(
    rollout: Rollout, turns: dict[str, Turn], result: GateResult, now: datetime
) -> tuple[Rollout | None, None]:
    """Return the state in which these turns are done or have failed; none where that is undecided.

    Raises InputError where one of them was taken over meanwhile.
    """
    if result.outcome is Outcome.UNDECIDED:
        return None, None
    phase = Phase.DONE if result.outcome is Outcome.PASS else Phase.FAILED
    why = str(result.deciding)
    ended = {name: structs.replace(turn, phase=phase, ended=now, reason=why) for name, turn in turns.items()}
    for name, turn in ended.items():
        taken = rollout.turns.get(name)
        # another run has the node now: writing this outcome would hide what that one does
        if taken is None or taken.id != turn.id:
            raise InputError(f"the turn of {word(name)} was taken over meanwhile")
    if all((structs.replace(rollout.turns[name], ended=turn.ended) == turn) for name, turn in ended.items()):
        return None, None
    return Rollout({**rollout.turns, **ended}), None


# In which waves a fleet is upgraded.

CANARIES_LOST: Final = "no-canary"
_UNGROUPED: Final = ""
"""The group of clusters whose value is not in the order, or that do not have the label."""


class Wanted(msgspec.Struct, frozen=True):
    """How the waves are to be."""

    number: int
    """How many there are at the most, that of the canaries included; at least 2."""
    canaries: tuple[str, str] | None = None
    """The label and value of the canaries; None lets the program choose them."""
    label: str = ""
    """The label that groups clusters; empty for one group."""
    order: tuple[str, ...] = ()
    """Its values in the order in which they are upgraded; empty where each wave has a share of each group."""


def waves(clusters: Sequence[Cluster], targets: Sequence[str], wanted: Wanted) -> tuple[Waves, ...]:
    """Divide the clusters into waves for each target.

    Raises UsageError where there are fewer waves than groups that follow each other.
    """
    return tuple(_of_target(clusters, place, target, wanted) for place, target in enumerate(targets))


class _Member(msgspec.Struct, frozen=True):
    cluster: Cluster
    upgrade: Upgrade
    group: str

    def key(self) -> tuple[int, int, str, str]:
        """Return what members of a group are ordered by: those with the fewest restarts come first."""
        return self.upgrade.restarts or 0, self.upgrade.unknown or 0, self.cluster.name, self.cluster.source


def _of_target(clusters: Sequence[Cluster], place: int, target: str, wanted: Wanted) -> Waves:
    members, left_out = list[_Member](), list[LeftOutCluster]()
    for cluster in clusters:
        upgrade = cluster.upgrades[place]
        if out := _out(upgrade):
            left_out.append(LeftOutCluster(cluster, *out))
        else:
            members.append(_Member(cluster, upgrade, cluster.labels.get(wanted.label, _UNGROUPED)))
    members.sort(key=_Member.key)
    canaries = list(_canaries(members, wanted))
    if members and not canaries:
        why = "no cluster that may be upgraded has the label of the canaries"
        left_out += [LeftOutCluster(member.cluster, CANARIES_LOST, why) for member in members]
        return Waves(target, (), tuple(left_out))
    first = {id(member) for member in canaries}
    rest = [member for member in members if id(member) not in first]
    made = [(_UNGROUPED, canaries), *_rest(rest, wanted, target)]
    numbered = tuple(
        Wave(number, group, number == 1, tuple(member.cluster for member in part))
        for number, (group, part) in enumerate([pair for pair in made if pair[1]], start=1)
    )
    return Waves(target, numbered, tuple(left_out))


def _out(upgrade: Upgrade) -> tuple[str, str] | None:
    """Return why a cluster is in no wave, by name and in words; None where it is in one."""
    if upgrade.restarts is None:
        return upgrade.status, upgrade.why
    if upgrade.standing is clusters.Standing.FAIL:
        return "failed", upgrade.why
    if upgrade.standing is not clusters.Standing.PASS:
        return "undecided", upgrade.why
    if upgrade.done:
        return "upgraded", "all of its nodes run the target release"
    return None


def _canaries(members: Sequence[_Member], wanted: Wanted) -> Iterator[_Member]:
    """Yield the canaries: those with the label, or one of each group and each set of running releases.

    Where groups follow each other, no cluster of a later one is a canary of its own accord.
    """
    seen = set[tuple[str, tuple[str, ...]]]()
    groups = {member.group for member in members}
    first = next((value for value in wanted.order if value in groups), None)
    for member in members:
        if wanted.canaries:
            label, value = wanted.canaries
            if member.cluster.labels.get(label) == value:
                yield member
        elif first in {None, member.group} and (kind := (member.group, member.cluster.running)) not in seen:
            seen.add(kind)
            yield member


def _rest(members: Sequence[_Member], wanted: Wanted, target: str) -> Iterator[tuple[str, list[_Member]]]:
    """Yield the other waves, each with the group that it is of."""
    number = wanted.number - 1
    if not wanted.order:
        parts: list[list[_Member]] = [[] for _ in range(number)]
        for _, peers in groupby(
            sorted(members, key=lambda member: member.group), key=lambda member: member.group
        ):
            for place, part in enumerate(_cut(list(peers), number)):
                parts[place] += part
        yield from ((_UNGROUPED, sorted(part, key=_Member.key)) for part in parts)
        return
    groups = {value: [member for member in members if member.group == value] for value in wanted.order}
    groups[_UNGROUPED] = [member for member in members if member.group not in wanted.order]
    filled = {value: peers for value, peers in groups.items() if peers}
    if number < len(filled):
        raise UsageError(
            f"--waves {wanted.number}: {target} needs {len(filled) + 1} at least, one of canaries and one of "
            f"each group of {wanted.label}"
        )
    for value, share in _shares({value: len(peers) for value, peers in filled.items()}, number).items():
        yield from ((value, part) for part in _cut(filled[value], share))


def _shares(sizes: dict[str, int], number: int) -> dict[str, int]:
    """Return how many waves each group gets: one, and each further one where a wave is largest."""
    shares = dict.fromkeys(sizes, 1)
    for _ in range(number - len(sizes)):
        shares[max(sizes, key=lambda value: sizes[value] / shares[value])] += 1
    return shares


def _cut(members: Sequence[_Member], number: int) -> list[list[_Member]]:
    """Cut into parts whose sizes differ by one at the most, the larger ones last."""
    size = len(members)
    return [list(members[size * part // number : size * (part + 1) // number]) for part in range(number)]
