"""The Python API: what the commands do, as functions over plain JSON values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hashcompat.catalog.lookup import default_catalog
from hashcompat.errors import InputError
from hashcompat.kubelet import hashing
from hashcompat.kubelet.hashing import ContainerHash
from hashcompat.model.plan import Plan
from hashcompat.model.pods import Inventory, Node, Pod
from hashcompat.patching import strategies
from hashcompat.patching.model import Patch, apply
from hashcompat.patching.strategies import Choices
from hashcompat.patching.unified import mail
from hashcompat.planning.options import Options
from hashcompat.planning.planner import make_plan
from hashcompat.sources.objects import read_object


def container_hash(container: Mapping[str, Any], kubelet: str, *, keep_empty: bool = False) -> ContainerHash:
    """Return the unsigned 32-bit hash that a kubelet release computes for a container's JSON, exactly as given.

    ``keep_empty``: empty lists and maps count, as in a manifest that a kubelet reads itself; in an API pod
    they are nil. Raises UsageError for an unknown release and DecodeError, with the path, for JSON that does
    not fit the Go types.
    """
    return hashing.container_hash(container, default_catalog().kubelet(kubelet), keep_empty=keep_empty)


def container_text(container: Mapping[str, Any], kubelet: str, *, keep_empty: bool = False) -> str:
    """Return the exact text that a kubelet release hashes for a container's JSON; errors as container_hash."""
    return hashing.hashers(default_catalog().kubelet(kubelet), keep_empty=keep_empty)[0].text(container)


def plan(
    objects: Iterable[Mapping[str, Any]],
    from_release: str,
    to_release: str,
    *,
    defaults: bool = True,
    keep_going: bool = False,
) -> Plan:
    """Return the verdict for every container in some Kubernetes objects (Pod, PodList, List, Deployment, Node, …).

    ``from_release`` may be ``auto``: the kubelet release that the Nodes among the objects report.
    ``defaults`` puts manifests, pods without uid and status, through an API server's stages first;
    ``keep_going`` makes UNKNOWN of what does not decode. Raises UsageError for unknown releases and
    InputError for what cannot be read.
    """
    found = [
        thing for number, value in enumerate(objects) for thing in read_object(value, f"object {number}")
    ]
    if not any(isinstance(thing, Pod) for thing in found):
        raise InputError("no pods among the objects; an empty plan would look like a safe one")
    inventory = Inventory(
        tuple(t for t in found if isinstance(t, Pod)), tuple(t for t in found if isinstance(t, Node))
    )
    return make_plan(inventory, from_release, to_release, default_catalog(), Options(defaults, keep_going))


def make_patch(
    kubelet: str, like: Sequence[str], strategy: str = "accept", choices: Choices = Choices()
) -> Patch | None:
    """Return the patch for kubelet ``kubelet`` to take the hashes of the releases ``like`` for its own; None where it does already.

    ``strategy`` is ``accept``, ``pin`` or ``strip``. Raises UsageError for unknown releases and for what the
    strategy cannot do.
    """
    return strategies.make_patch(kubelet, like, strategy, default_catalog(), choices)


def patch_text(patch: Patch, source: Mapping[str, str]) -> str:
    """Return a patch as ``git format-patch`` prints it; ``source`` holds the text of each file that ``patch.edits`` name, by path.

    Raises MisplacedError, naming file and hunk, where a file is not what upstream's release says.
    """
    return mail(patch, apply(patch, source))
