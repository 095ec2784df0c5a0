"""Which records can be rewritten so that an upstream kubelet of another release keeps its containers.

A kubelet does not compare containers but records: the hash that the runtime keeps beside a container, and
the UID of a static pod. Once a record is what the target kubelet computes of the same spec, that kubelet
finds nothing changed. So it has to be proven first that nothing has, of each container by itself:

- The recorded hash is what a known kubelet computes of the spec as it is now. Otherwise the spec may have
  changed since the container was created, and the kubelet is right to restart it.
- What the target kubelet computes of it is certain: there is one candidate, and no API server's default
  decides it.
- With the new record, and all else as it is, the judge that made the plan says KEEP. So nothing is taken up
  that restarts for its sandbox, its node, its resources or its runtime as well.
- It runs, and its runtime shows its id and the uid of its pod.

A static pod is kept as a whole or not at all. Its manifest is given the UID that the pod has now, where that
is the one that the current kubelet computes of this very manifest. What is not proven is left alone, with the
reason. ``make`` finds what can be rewritten, and changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from hashcompat.analysis.planning import among_all, bound
from hashcompat.analysis.planning.cluster import Ages
from hashcompat.analysis.planning.normalized import KILLED, NO_RECORD, Remedy, of_pod
from hashcompat.analysis.planning.planner import Planner
from hashcompat.analysis.planning.view import View
from hashcompat.core.errors import UsageError
from hashcompat.core.model.items import Item
from hashcompat.core.model.plan import Way
from hashcompat.core.model.pods import Inventory
from hashcompat.core.model.preflight import Change, ManifestPin, Normalization, RewrittenNode
from hashcompat.core.model.verdicts import Verdict


def make(inventory: Inventory, from_release: str, to_release: str, view: View) -> Normalization:
    """Return which records can be rewritten so that ``to_release`` keeps containers.

    ``from_release`` is a release or ``auto``. Raises UsageError for unknown releases, for a target kubelet
    that is assumed to be patched, or does not compare by records; and InputError as a plan does.
    """
    way = Way(from_release, to_release)
    # that a vendor hashes as upstream does is an assumption, and nothing is rewritten by one
    options = structs.replace(view.options, assume_upstream=False, normalized=False)
    view = structs.replace(view, options=options)
    if view.options.patch is not None:
        raise UsageError(
            "a patched kubelet needs no rewritten records; --assume-patch goes with hashcompat plan"
        )
    view, _ = bound(way, inventory, view)
    new = view.kubelet(to_release)
    if new.behaviour.hash_place != "annotation":
        raise UsageError(f"{new.release} compares the names of containers, which cannot be rewritten")
    view = among_all(inventory, way, view)
    planner, remedies, ages = Planner(way, inventory.nodes, view), list[Remedy](), Ages(inventory.dating)
    for pod in inventory.pods:  # an item is added for each container, in this order
        remedies += of_pod([draft for _, draft in planner.drafted(pod)])
        ages.add(pod)
    return _made(planner, remedies, structs.replace(inventory, origin=ages.dated(inventory.origin)), way)


def _made(planner: Planner, remedies: Sequence[Remedy], inventory: Inventory, way: Way) -> Normalization:
    items = planner.settled()
    runtimes = {node.name: node.runtime for node in inventory.nodes}
    changes, pins, nodes = list[Change](), set[ManifestPin](), dict[str, RewrittenNode]()
    for item, remedy in sorted(zip(items, remedies, strict=True), key=lambda pair: _order(pair[0])):
        pins.update((remedy.pin,) if remedy.pin else ())
        if item.verdict is Verdict.KEEP and remedy.rewrite is None:
            continue
        obstacle = KILLED if item.verdict is Verdict.KILL else remedy.obstacle
        if not (obstacle or remedy.rewrite or remedy.pin):  # the plan doubts it for the records of its node
            obstacle = NO_RECORD
        changes.append(Change(item, remedy.rewrite, remedy.pin is not None, obstacle))
        name = item.pod.node
        before = nodes[name].runtime if name in nodes else ""
        shown = runtimes.get(name) or (f"{remedy.runtime}://" if remedy.runtime else before)
        nodes[name] = RewrittenNode(name, item.from_release, shown)
    return Normalization(
        way.old,
        way.new,
        tuple(nodes[name] for name in sorted(nodes)),
        tuple(changes),
        tuple(sorted(pins, key=lambda pin: (pin.node, pin.path))),
        len(items),
        origin=inventory.origin,
        warnings=(plan := planner.plan()).warnings,
        running=plan.running,
    )


def _order(item: Item) -> tuple[bool, str, str, str, str]:
    """Return the place of an item's pod in a plan; its containers stay in their order."""
    pod = item.pod
    return not pod.node, pod.node, pod.namespace, pod.name, pod.uid
