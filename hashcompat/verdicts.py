"""Pods and two releases -> verdicts: pure functions over values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from hashcompat import reasons
from hashcompat.catalog.lookup import Catalog, Kubelet
from hashcompat.errors import DecodeError, InputError, UsageError
from hashcompat.kubelet.defaults import as_served
from hashcompat.kubelet.hashing import ContainerHash, container_hash
from hashcompat.kubelet.rules import at_rest, not_compared
from hashcompat.model import Container, Hashes, Inventory, Item, Plan, Pod, Reason, Verdict

AUTO: Final = "auto"


@dataclass(frozen=True, slots=True)
class Options:
    """How pods are read.

    ``defaults`` puts manifests through an API server's stages, ``keep_going`` makes UNKNOWN of what does not decode.
    """

    defaults: bool = True
    keep_going: bool = False


def make_plan(inventory: Inventory, from_release: str, to_release: str, catalog: Catalog, options: Options = Options()) -> Plan:
    """Return the verdict for every container when kubelets go from one release to another.

    ``from_release`` is a release or ``auto``: what each pod's node reports.
    Raises UsageError for unknown releases, and InputError, with file and path, for a container that does not decode.
    """
    new = catalog.kubelet(to_release)
    if from_release != AUTO:
        catalog.kubelet(from_release)
    reported = {node.name: node.kubelet for node in inventory.nodes}
    items = [
        _item(pod, container, reported.get(pod.node, "") if from_release == AUTO else from_release, new, catalog, options)
        for pod in inventory.pods
        for container in pod.containers
    ]
    items.sort(key=lambda item: (not item.pod.node, item.pod.node, item.pod.namespace, item.pod.name))
    return Plan(from_release, to_release, tuple(items), tuple(_assumptions(items, new, catalog)))


def _item(pod: Pod, container: Container, release: str, new: Kubelet, catalog: Catalog, options: Options) -> Item:
    try:
        old = catalog.kubelet(release)
    except UsageError:
        if why := not_compared(pod, container, new):
            return Item(pod, container, release, Verdict.KEEP, reasons=(_not_compared(why),))
        where = f"node {pod.node}" if pod.node else "a pod without a node"
        problem = f"kubelet release {release} is not known" if release else "its kubelet release is not in the input"
        reason = Reason(reasons.NODE_RELEASE, f"{where}: {problem}")
        return Item(pod, container, release, Verdict.UNKNOWN, reasons=(reason,))
    try:
        return _judge(pod, container, old, new, catalog, options)
    except DecodeError as error:
        if not options.keep_going:
            raise InputError(f"{pod.origin}: {container.path}{error}") from None
        reason = Reason(reasons.NOT_DECODED, f"{container.path}{error}")
        return Item(pod, container, release, Verdict.UNKNOWN, reasons=(reason,))


def hashed_spec(pod: Pod, container: Container, catalog: Catalog, options: Options) -> Mapping[str, Any]:
    """Return the container JSON that kubelets see: as given for an API pod, as an API server would serve it for a manifest."""
    if pod.manifest and options.defaults:
        return as_served(container.spec, catalog.newest_schema(), host_network=pod.host_network)
    return container.spec


def keeps_empty(pod: Pod, options: Options) -> bool:
    """Tell whether empty lists and maps count: only in a manifest that is taken as a kubelet reads it from a file."""
    return pod.manifest and not options.defaults


def _judge(pod: Pod, container: Container, old: Kubelet, new: Kubelet, catalog: Catalog, options: Options) -> Item:
    """Decide one container; the order of the questions is the kubelet's own."""
    spec = hashed_spec(pod, container, catalog, options)
    hashes = tuple(container_hash(spec, kubelet, keep_empty=keeps_empty(pod, options)) for kubelet in (old, new))
    verdict, why = _verdict(pod, container, (old, new), hashes)
    if verdict is Verdict.RESTART:
        why = reasons.difference(spec, old, new, catalog)
    return Item(pod, container, str(old.release), verdict, Hashes(None, hashes[0].value, hashes[1].value), why)


def _verdict(
    pod: Pod, container: Container, kubelets: tuple[Kubelet, Kubelet], hashes: tuple[ContainerHash, ...]
) -> tuple[Verdict, tuple[Reason, ...]]:
    old, new = kubelets
    new_uid = pod.static and old.release.minor != new.release.minor
    if why := not_compared(pod, container, new):
        if new_uid and not at_rest(pod, container):
            return Verdict.UNKNOWN, (Reason(reasons.STATIC_POD, "static pod: its UID decides, not this hash alone"),)
        return Verdict.KEEP, (_not_compared(why),)
    if old.release == new.release:
        return Verdict.KEEP, ()
    if hashes[0].candidates.isdisjoint(hashes[1].candidates):
        return Verdict.RESTART, ()
    if None in (hashes[0].value, hashes[1].value):
        return Verdict.UNKNOWN, (
            Reason(reasons.VENDOR_GO, "holds a backspace or form feed, and the Go that a vendor built with is not known"),
        )
    if new_uid:
        return Verdict.UNKNOWN, (Reason(reasons.STATIC_POD, "static pod: its UID decides, not this hash alone"),)
    if not_compared(pod, container, old):
        return Verdict.UNKNOWN, (Reason(reasons.NEVER_COMPARED, f"{old.release} never compared it: the recorded hash may be older"),)
    return Verdict.KEEP, ()


def _not_compared(why: str) -> Reason:
    return Reason(reasons.NOT_COMPARED, f"not compared: {why}")


def _assumptions(items: list[Item], new: Kubelet, catalog: Catalog) -> Iterator[str]:
    """Say which releases were read as another one, once each."""
    names = {item.from_release for item in items if catalog.knows(item.from_release)}
    for kubelet in dict.fromkeys([*(catalog.kubelet(name) for name in sorted(names)), new]):
        if kubelet.vendor_assumed:
            yield f"{kubelet.release}: a vendor's build, read as upstream {kubelet.release.version}"
        if kubelet.patch_assumed:
            yield f"{kubelet.release}: newer than this program's data, read as {kubelet.release.minor}"
