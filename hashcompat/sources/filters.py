"""Narrow an inventory to some pods, the same for every command and format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.core.errors import InputError, UsageError
from hashcompat.core.go import allowance as allowances
from hashcompat.core.model.cluster import ApiServers
from hashcompat.core.model.escape import count
from hashcompat.core.model.items import Owner, PodName, near_owners, owner_of, owners_of
from hashcompat.core.model.plan import Plan
from hashcompat.core.model.pods import Inventory, Pod, PodShare, SharedPods, Source
from hashcompat.core.model.results import Keywords
from hashcompat.core.model.verdicts import Recorded, Sandbox


class Filters(msgspec.Struct, frozen=True, dict=True, metaclass=Keywords):
    """Which pods count; an empty tuple filters nothing.

    A command line may name thousands, so that each pod is looked up, and not compared with each of them.
    """

    namespaces: tuple[str, ...] = ()
    excluded_namespaces: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Take one name, or several in whatever they are; raises UsageError, naming the argument."""
        for field in self.__struct_fields__:
            value: Any = getattr(self, field)
            names = (value,) if isinstance(value, str) else value
            if not isinstance(names, tuple | list | frozenset | set) or not all(
                isinstance(name, str) for name in names
            ):
                raise UsageError(f"{field}: want a name, or several, got {type(value).__name__}")
            if names is not value or not isinstance(names, tuple):
                structs.force_setattr(self, field, tuple(names))

    def matches(self, pod: Pod | PodName) -> bool:
        """Return whether a pod passes every filter."""
        return (
            self._is_in_namespaces(pod.namespace)
            and self.has_node(pod)
            and (not self.owners or bool(self._owners.of(pod)))
        )

    def has_node(self, pod: Pod | PodName) -> bool:
        """Return whether a pod's node passes."""
        return not self.nodes or pod.node in self._nodes

    def _is_in_namespaces(self, namespace: str) -> bool:
        wanted, left_out = self._namespaces
        return (not wanted or namespace in wanted) and namespace not in left_out

    @cached_property
    def _namespaces(self) -> tuple[frozenset[str], frozenset[str]]:
        return frozenset(self.namespaces), frozenset(self.excluded_namespaces)

    @cached_property
    def _nodes(self) -> frozenset[str]:
        return frozenset(self.nodes)

    @cached_property
    def _ends(self) -> frozenset[str]:
        """How the names of the static pods of those nodes end."""
        return frozenset(node.lower() for node in self.nodes if node)

    @cached_property
    def _owners(self) -> _WantedOwners:
        return _WantedOwners(self.owners)

    def cover(self, record: Recorded | Sandbox) -> bool:
        """Return whether the static pod that a record belongs to would pass.

        Its name ends with its node's, and it has no owner.
        """
        name = record.pod
        ends = (name[place + 1 :] for place, char in enumerate(name) if char == "-")
        return (
            self._is_in_namespaces(record.namespace)
            and (not self.nodes or any(end in self._ends for end in ends))
            and not self.owners
        )


class _WantedOwners:
    """Owners that are asked for, by their names."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._by_name: dict[str, dict[str, Owner]] = {}
        for text in texts:
            owner = owner_of(text)
            self._by_name.setdefault(owner.name, {})[text] = owner

    def of(self, pod: Pod | PodName) -> list[str]:
        """Return the owners of a pod, as they were asked for."""
        names = dict.fromkeys(owner.partition("/")[2] for owner in owners_of(pod))
        # an owner of neither kind nor name asks for the pods that nothing owns
        asked = {text: owner for name in (*names, "") for text, owner in self._by_name.get(name, {}).items()}
        return [text for text, owner in asked.items() if owner.owns(pod)]


def select(inventory: Inventory, filters: Filters) -> Inventory:
    """Return the inventory with the matching pods, filtered while they pass.

    Raises InputError for more containers than one run may have, as does iterating over the pods.
    """
    if filters == Filters():
        allowances.containers().take(inventory.containers)
    nodes, namespaces = frozenset(node.name for node in inventory.nodes), frozenset[str]()
    if inventory.origin.kind is Source.CLUSTER:
        namespaces = frozenset(filters.namespaces)  # which may have no pods
        nodes = nodes or frozenset(filters.nodes)  # which may not be read
    return structs.replace(
        inventory, pods=_Selected(inventory.pods, filters, inventory.servers, nodes, namespaces)
    )


def narrowed(plan: Plan, filters: Filters) -> Plan:
    """Return a plan with the containers of matching pods alone; errors as iterating over selected pods."""
    if filters == Filters():
        return plan
    search = _NameSearch(filters)
    for item in plan.items:
        search.see(item.pod)
    search.check("no container on the node", "the plan")
    items = tuple(item for item in plan.items if filters.matches(item.pod))
    if not items:
        raise InputError(_none(len(plan.items), "container"))
    nodes = {item.pod.node for item in items}
    disputed = tuple(dispute for dispute in plan.disputed if dispute.node in nodes)
    return structs.replace(plan, items=items, disputed=disputed)


def _none(number: int, noun: str) -> str:
    if not number:
        return f"no {noun} matches the filters"
    if number == 1:
        return f"the only {noun} does not match the filters"
    return f"none of the {count(number, noun)} matches the filters"


_EMPTY: Final = "''"
"""Stands for a name that is empty, as where a variable of a shell is."""


class _Selected(msgspec.Struct, frozen=True):
    pods: Iterable[Pod]
    filters: Filters
    servers: ApiServers
    """What those that are passed over show of the API servers: these decide about all nodes."""
    nodes: frozenset[str]
    """The names of the nodes in the input."""
    namespaces: frozenset[str]
    """The names of namespaces that may have no pod."""

    def __iter__(self) -> Iterator[Pod]:
        """Yield the matching pods; raise InputError without any: an empty plan would look like a safe one."""
        return (pod for pod, matches in self.with_unselected() if matches)

    def with_unselected(self) -> Iterator[tuple[Pod, bool]]:
        """Yield the matching pods, and the others on nodes that pass; errors as ``__iter__``."""
        passed = matched = 0
        allowance, all_pass = _PodAllowance(), self.filters == Filters()
        search = _NameSearch(self.filters, self.nodes, self.namespaces)
        for passed, pod in enumerate(self.pods, 1):  # noqa: B007 - counted for the message
            search.see(pod)
            if all_pass or self.filters.matches(pod):
                matched += 1
                allowance.take(pod)
                yield pod, True
            else:
                # API servers are found among kube-system's pods, whichever pods the plan is narrowed to
                self.servers.see(pod)
                if self.filters.has_node(pod):
                    yield pod, False
        search.check()
        if not matched:
            raise InputError(_none(passed, "pod"))

    def shares(self) -> Sequence[PodShare]:
        """Return the pods in shares, where every pod passes."""
        if self.filters != Filters() or not isinstance(self.pods, SharedPods):
            return ()
        return list(map(_Passing, self.pods.shares()))

    def are_right(self, seen: Sequence[Any]) -> bool:
        """Return whether all pods together are what one run may have; the rest is up to the source."""
        allowance = _PodAllowance()
        try:
            for _, containers, names in seen:
                allowance.containers.take(containers)
                allowance.names.take(names)
        except InputError:
            return False
        return isinstance(self.pods, SharedPods) and self.pods.are_right([inner for inner, _, _ in seen])


class _PodAllowance:
    def __init__(self) -> None:
        self.containers, self.names = allowances.containers(), allowances.names()

    def take(self, pod: Pod) -> None:
        """Raise InputError where it is now more than one run may keep."""
        self.containers.take(len(pod.containers))
        self.names.take(allowances.odd(*_names(pod)))


class _Passing:
    """A share of pods that all pass."""

    def __init__(self, pods: PodShare) -> None:
        self._pods, self._allowance = pods, _PodAllowance()

    def __iter__(self) -> Iterator[Pod]:
        for pod in self._pods:
            self._allowance.take(pod)
            yield pod

    @property
    def lines(self) -> int:
        return self._pods.lines

    @property
    def seen(self) -> tuple[Any, int, int]:
        """What the source saw, and how much counts towards what one run may have."""
        return self._pods.seen, self._allowance.containers.number, self._allowance.names.number


def _names(pod: Pod) -> list[str]:
    containers = [container.name for container in pod.containers]
    return [pod.namespace, pod.name, pod.uid, pod.node, pod.owner, pod.workload, *containers]


_NEAR: Final = 3


class _NameSearch:
    """Looks for all that is asked for by its name: what is misspelled must not go unnoticed among others."""

    def __init__(self, filters: Filters, nodes: Iterable[str] = (), namespaces: Iterable[str] = ()) -> None:
        """``nodes`` and ``namespaces`` are those that may have no pod."""
        self._nodes = _Names("node", filters.nodes, nodes)
        self._namespaces = _Names("namespace", filters.namespaces, namespaces)
        self._owners = _Owners(filters.owners)

    def see(self, pod: Pod | PodName) -> None:
        """Look at a pod."""
        self._nodes.see(pod.node)
        self._namespaces.see(pod.namespace)
        self._owners.see(pod)

    def check(self, no_node: str = "no node", where: str = "the input") -> None:
        """Raise InputError, with what is near, for the first that is of no pod."""
        self._nodes.check(no_node, where)
        self._namespaces.check("no pod of the namespace", where)
        self._owners.check(where)


class _Names:
    """Looks for each node, or each namespace, that is asked for."""

    def __init__(self, noun: str, wanted: Iterable[str], existing: Iterable[str]) -> None:
        """``existing`` are those that may have no pod."""
        self._noun, self._seen = noun, set(existing)
        self._missing = {name: None for name in wanted if name not in self._seen}

    def see(self, name: str) -> None:
        """Look at that of a pod, as long as one is missing."""
        if self._missing and name not in self._seen:
            self._seen.add(name)
            self._missing.pop(name, None)

    def check(self, missing: str, where: str) -> None:
        """Raise InputError, with what is near, for one that is neither in the input nor has a pod."""
        if self._missing:
            wanted = next(iter(self._missing))
            near = _near(wanted, self._seen, self._noun)
            raise InputError(f"{missing} {wanted or _EMPTY} in {where}; {near}")


def _near(wanted: str, seen: Iterable[str], noun: str) -> str:
    """Return which names of the input are near one that it lacks, or how many it has."""
    from difflib import get_close_matches  # noqa: PLC0415 - a message alone needs it

    names = sorted(filter(None, seen))
    lower = {name.lower(): name for name in names}
    if close := get_close_matches(wanted.lower(), lower, _NEAR, 0.5):
        return f"near it: {', '.join(lower[name] for name in close)}"
    return f"it has {count(len(names), noun)}{f', such as {names[0]}' if names else ''}"


class _Owners:
    """Looks for each owner that is asked for: a misspelled one must not go unnoticed among others."""

    def __init__(self, wanted: Iterable[str]) -> None:
        self._missing = {text: owner_of(text) for text in wanted}
        self._wanted = _WantedOwners(self._missing)
        self._seen: dict[str, None] = {}

    def see(self, pod: Pod | PodName) -> None:
        """Look at a pod, as long as an owner is missing."""
        if self._missing:
            self._seen |= dict.fromkeys(owners_of(pod))
            for text in self._wanted.of(pod):
                self._missing.pop(text, None)

    def check(self, where: str) -> None:
        """Raise InputError, with what is near, for an owner of no pod."""
        for text, owner in self._missing.items():  # the first one only
            close = near_owners(owner, self._seen)
            hint = f"near it: {', '.join(close)}" if close else "an owner is KIND/NAME, such as deploy/web"
            raise InputError(f"no pod of {text} in {where}; {hint}")
