"""How much one run may keep of an input: beyond these, an input of any size would need any memory."""

from __future__ import annotations

from sys import getsizeof
from typing import Final

from hashcompat.errors import InputError

MOST_CONTAINERS: Final = 400_000
"""Containers of one run, each of up to 650 bytes in memory: Kubernetes supports 300,000 in a cluster, in
150,000 pods (kubernetes.io/docs/setup/best-practices/cluster-large)."""

MOST_HASHES: Final = 20_000_000
"""Hashes of one run, each of 4 bytes in memory: of 300,000 containers by 66 releases."""

MOST_OF_RECORDS: Final = 250 << 20
"""Bytes in memory of recorded hashes, sandboxes and resources of one run, or as many as their files have
characters, if these are more: a row of crictl has more than 500, and takes about 420. 300,000 containers and
150,000 sandboxes, those of a cluster of the size that Kubernetes supports, count as 210 MB."""

MOST_NODES: Final = 50_000
"""Nodes, each of up to 1 kB in memory: ten times what Kubernetes supports in a cluster."""

MOST_OF_NODES: Final = 150 << 20
"""Bytes in memory of the labels and taints of all nodes: of 5,000 nodes 30 kB each."""

MOST_CONTROLLERS: Final = 900_000
"""Facts about who owns what, each of up to 400 bytes in memory: three of a workload, and one or two of a pod
that is its controller's first."""

MOST_LISTS: Final = 500_000
"""Lists in one file that give their kind behind their items, each of 200 bytes in memory."""

MOST_EXPLAINED: Final = 2_000
"""Containers that are explained at once: those of a pod, or of a few that have its name."""

MOST_MATCHES: Final = 20_000_000
"""PodDisruptionBudgets that are compared with pods' labels, or select a pod: those that ask for a label's
value are looked up, and a pod that two select is never evicted."""

LONGEST_NAME: Final = 1_024
"""Characters of what a report shows of a pod: names have 253 at the most, and an owner's has its kind."""

ORDINARY_NAME: Final = 400
"""Characters: an owner of Kubernetes has a namespace of 63, a kind of 63 and a name of 253."""

MOST_OF_NAMES: Final = 100 << 20
"""Bytes in memory of names that no API server accepts: longer ones, or others than ASCII."""


class Allowance:
    """Counts what is kept until the end of a run."""

    def __init__(self, most: int, noun: str, remedy: str) -> None:
        self._most, self._noun, self._remedy = most, noun, remedy
        self.number = self._seen = 0
        """How much was taken so far."""

    def extend(self, number: int) -> None:
        """Note so many characters of an input: as many may be kept where that is more than the limit."""
        self._seen += number
        self._most = max(self._most, self._seen)

    def take(self, number: int) -> None:
        """Raise InputError, with what to do, where there are now more than one run may have."""
        self.number += number
        if self.number > self._most:
            raise InputError(f"more than {self._most:,} {self._noun}, the most of one run; {self._remedy}")


def containers() -> Allowance:
    """Return an allowance for containers."""
    return Allowance(
        MOST_CONTAINERS, "containers", "narrow it with --namespace or --node, or give a part of the pods"
    )


def names() -> Allowance:
    """Return an allowance for the bytes of names that no API server accepts (``odd``)."""
    return Allowance(MOST_OF_NAMES, "bytes of names that are not ASCII, or long", "give a part of the pods")


def odd(*given: str) -> int:
    """Return how many bytes those names take that no API server accepts."""
    whole = "".join(given)
    if whole.isascii() and len(whole) <= ORDINARY_NAME:
        return 0
    return sum(getsizeof(name) for name in given if len(name) > ORDINARY_NAME or not name.isascii())


def hashes() -> Allowance:
    """Return an allowance for hashes."""
    return Allowance(MOST_HASHES, "hashes", "name fewer releases, or narrow it with --namespace or --node")


def of_records() -> Allowance:
    """Return an allowance for the bytes of what runtimes and logs recorded."""
    return Allowance(MOST_OF_RECORDS, "bytes of records", "give those of some nodes, with these nodes' pods")


def nodes() -> Allowance:
    """Return an allowance for nodes."""
    return Allowance(MOST_NODES, "nodes", "give those of one cluster")


def of_nodes() -> Allowance:
    """Return an allowance for the bytes of nodes' labels and taints."""
    return Allowance(MOST_OF_NODES, "bytes of labels and taints of nodes", "give the nodes of the pods alone")


def controllers() -> Allowance:
    """Return an allowance for facts about who owns what."""
    return Allowance(MOST_CONTROLLERS, "owners and workloads", "give a part of the objects")


def lists() -> Allowance:
    """Return an allowance for lists that give their kind behind their items."""
    return Allowance(MOST_LISTS, "lists in one file", "put their items into one list")


def matched() -> Allowance:
    """Return an allowance for comparing budgets with pods."""
    return Allowance(MOST_MATCHES, "comparisons of budgets with pods", "narrow it with --namespace")


def explained() -> Allowance:
    """Return an allowance for explanations."""
    return Allowance(
        MOST_EXPLAINED, "containers of that name", "name one container, or narrow it with --node"
    )
