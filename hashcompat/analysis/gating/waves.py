"""In which waves a fleet is upgraded: canaries first, then the clusters with the fewest restarts.

What a policy does not let pass is in no wave, and is named with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

import msgspec

from hashcompat.core.errors import UsageError
from hashcompat.core.model.fleet import Cluster, LeftOut, Standing, Upgrade, Wave, Waves

CANARIES_LOST: Final = "no-canary"
_OTHERS: Final = ""
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
    members, left_out = list[_Member](), list[LeftOut]()
    for cluster in clusters:
        upgrade = cluster.upgrades[place]
        if out := _out(upgrade):
            left_out.append(LeftOut(cluster, *out))
        else:
            members.append(_Member(cluster, upgrade, cluster.labels.get(wanted.label, _OTHERS)))
    members.sort(key=_Member.key)
    canaries = list(_canaries(members, wanted))
    if members and not canaries:
        why = "no cluster that may be upgraded has the label of the canaries"
        left_out += [LeftOut(one.cluster, CANARIES_LOST, why) for one in members]
        return Waves(target, (), tuple(left_out))
    first = {id(one) for one in canaries}
    rest = [one for one in members if id(one) not in first]
    made = [(_OTHERS, canaries), *_rest(rest, wanted, target)]
    numbered = enumerate([(group, some) for group, some in made if some], start=1)
    return Waves(
        target,
        tuple(
            Wave(number, group, number == 1, tuple(one.cluster for one in some))
            for number, (group, some) in numbered
        ),
        tuple(left_out),
    )


def _out(upgrade: Upgrade) -> tuple[str, str] | None:
    """Return why a cluster is in no wave, by name and in words; None where it is in one."""
    if upgrade.restarts is None:
        return upgrade.status, upgrade.why
    if upgrade.standing is Standing.FAIL:
        return "failed", upgrade.why
    if upgrade.standing is not Standing.PASS:
        return "undecided", upgrade.why
    if upgrade.done:
        return "upgraded", "all of its nodes run the target release"
    return None


def _canaries(members: Sequence[_Member], wanted: Wanted) -> Iterator[_Member]:
    """Yield the canaries: those with the label, or one of each group and each set of running releases.

    Where groups follow each other, no cluster of a later one is a canary of its own accord.
    """
    seen = set[tuple[str, tuple[str, ...]]]()
    groups = {one.group for one in members}
    first = next((value for value in wanted.order if value in groups), None)
    for one in members:
        if wanted.canaries:
            label, value = wanted.canaries
            if one.cluster.labels.get(label) == value:
                yield one
        elif first in {None, one.group} and (kind := (one.group, one.cluster.running)) not in seen:
            seen.add(kind)
            yield one


def _rest(members: Sequence[_Member], wanted: Wanted, target: str) -> Iterator[tuple[str, list[_Member]]]:
    """Yield the other waves, each with the group that it is of."""
    number = wanted.number - 1
    if not wanted.order:
        parts: list[list[_Member]] = [[] for _ in range(number)]
        for _, some in groupby(sorted(members, key=lambda one: one.group), key=lambda one: one.group):
            for place, part in enumerate(_cut(list(some), number)):
                parts[place] += part
        yield from ((_OTHERS, sorted(part, key=_Member.key)) for part in parts)
        return
    groups = {value: [one for one in members if one.group == value] for value in wanted.order}
    groups[_OTHERS] = [one for one in members if one.group not in wanted.order]
    filled = {value: some for value, some in groups.items() if some}
    if number < len(filled):
        raise UsageError(
            f"--waves {wanted.number}: {target} needs {len(filled) + 1} at least, one of canaries and one of "
            f"each group of {wanted.label}"
        )
    for value, share in _shares({value: len(some) for value, some in filled.items()}, number).items():
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
