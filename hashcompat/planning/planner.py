"""Pods and two releases -> a plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from sys import intern
from typing import Any, Final

from hashcompat.catalog.lookup import Catalog, Kubelet
from hashcompat.kubelet.skew import skew_warnings
from hashcompat.model.plan import Item, Plan, PodName, Share, Verdict
from hashcompat.model.pods import Inventory, Node, Pod
from hashcompat.planning.assumptions import assumptions
from hashcompat.planning.judge import Judge, _difference_finder, _item
from hashcompat.planning.options import Options
from hashcompat.planning.suggestion import Suggester

_ORDER: Final[tuple[Callable[[Item], Any], ...]] = (
    attrgetter("pod.name"),
    attrgetter("pod.namespace"),
    attrgetter("pod.node"),
    lambda item: not item.pod.node,
)
"""The order of items, the least important key first: one stable sort a key needs no tuple an item."""


def make_plan(
    inventory: Inventory, from_release: str, to_release: str, catalog: Catalog, options: Options = Options()
) -> Plan:
    """Return the verdict for every container when kubelets go from one release to another.

    ``from_release`` is a release or ``auto``: what each pod's node reports. Raises UsageError for unknown
    releases, and InputError, with file and path, for a container that does not decode.
    """
    planner = Planner(inventory.nodes, from_release, to_release, catalog, options)
    for pod in inventory.pods:
        planner.add(pod)
    return planner.plan()


class Planner:
    """Makes a plan pod by pod, and keeps of a pod only what a report says of it: 1 GB of pods passes through little memory."""

    def __init__(
        self, nodes: Iterable[Node], from_release: str, to_release: str, catalog: Catalog, options: Options
    ) -> None:
        self._judge = Judge(nodes, from_release, to_release, catalog, options)
        self._catalog, self._options = catalog, options
        self._differences = _difference_finder(self._judge.new, catalog)
        self._suggester = Suggester(self._judge.new, catalog, options)
        self._items: list[Item] = []
        self._doubtful: list[tuple[int, Item]] = []
        self._broken: set[str] = set()

    def add(self, pod: Pod) -> None:
        """Decide one more pod; where a record of its node that is yet to come could change a verdict, both are kept."""
        name = PodName(intern(pod.node), intern(pod.namespace), pod.name, pod.uid, intern(pod.owner))
        sandboxed = bool(self._options.records.sandboxes_of(pod))
        for draft in self._judge.drafts(pod):
            item = _item(draft, name, self._differences, calibrated=True, sandboxed=sandboxed)
            if item.verdict is Verdict.RESTART and not item.pod_recreated and draft.prepared:
                self._suggester.add(draft.prepared)
            doubtful = (
                _item(draft, name, self._differences, calibrated=False, sandboxed=sandboxed)
                if self._options.records
                else item
            )
            if doubtful != item:
                self._doubtful.append((len(self._items), doubtful))
            if item.calibrated is False:
                self._broken.add(name.node)
            self._items.append(item)

    def plan(self) -> Plan:
        """Return the plan of the pods so far: a node's records that were not reproduced make other verdicts on it doubtful."""
        items = list(self._items)
        for index, item in self._doubtful:
            if item.pod.node in self._broken:
                items[index] = item
        for key in _ORDER:
            items.sort(key=key)
        judge, catalog, options = self._judge, self._catalog, self._options
        return Plan(
            *judge.releases,
            tuple(items),
            tuple(assumptions(items, judge.new, judge.nodes, catalog, options)),
            tuple(_warnings(items, judge.new, catalog, options)),
            share(items),
            patch=str(options.patch or ""),
            suggestion=self._suggester.suggestion(),
        )


def _warnings(items: list[Item], new: Kubelet, catalog: Catalog, options: Options) -> Iterator[str]:
    """Quote the version skew policy where the plan breaks it, once for each release that nodes come from."""
    server = catalog.kubelet(options.apiserver_to) if options.apiserver_to else None
    names = {item.from_release for item in items if catalog.knows(item.from_release)}
    olds = sorted((catalog.kubelet(name) for name in names), key=lambda kubelet: kubelet.release.version)
    yield from dict.fromkeys(warning for old in olds for warning in skew_warnings(old, new, server))


def share(items: Iterable[Item]) -> Share:
    """Count the items that have a record, and those of them whose record is what their kubelet's release computes."""
    calibrated = [item.calibrated for item in items if item.calibrated is not None]
    return Share(sum(calibrated), len(calibrated))
