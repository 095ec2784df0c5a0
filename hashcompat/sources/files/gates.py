"""Read what ``hashcompat gate --out`` saved: its containers, as a baseline for later gates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.core.go import allowance
from hashcompat.core.model.items import ContainerName, Item, PodName, Prediction
from hashcompat.core.model.pods import ContainerType
from hashcompat.core.model.uids import packed
from hashcompat.core.model.verdicts import Verdict
from hashcompat.core.policies.exceptions import Identity, baseline_of
from hashcompat.sources.files import plans
from hashcompat.sources.files.saved import Saved, opened

KIND: Final = "GateReport"


def baseline_in(name: str) -> frozenset[Identity]:
    """Return the findings in a saved plan or gate; raises InputError, naming the file, for anything else."""
    readers = {plans.KIND: lambda document: plans.plan_of(document).items, KIND: items_of}
    with opened(name, readers, "what hashcompat plan or hashcompat gate saves with --out FILE") as document:
        return baseline_of(readers[document.kind](document))


def items_of(document: Saved) -> Iterator[Item]:
    """Yield the containers of a gate, without reasons; raises InputError, with the path, where it is none."""
    allowed = allowance.containers()
    for row in document.items():
        allowed.take(1)
        keys = ("node", "namespace", "pod", "uid", "owner", "workload")
        node, namespace, pod, uid, owner, workload = map(row.text, keys)
        name = PodName(node, namespace, pod, packed(uid), owner, workload)
        container = ContainerName(row.text("container"), row.word("containerType", ContainerType))
        yield Item(name, container, Prediction("", row.word("verdict", Verdict)))
    document.digest()
