"""How much one run may keep of an input, and how large one object of it may be.

Beyond these, an input of any size would need any memory, whatever it repeats or nests.
"""

from __future__ import annotations

from collections.abc import Iterator
from sys import getsizeof
from typing import Any, Final

from hashcompat.core.errors import InputError

MOST_CONTAINERS: Final = 400_000
"""Containers of one run, each of up to 650 bytes in memory: Kubernetes supports 300,000 in a cluster, in
150,000 pods (kubernetes.io/docs/setup/best-practices/cluster-large)."""
MOST_HASHES: Final = 20_000_000
"""Hashes of one run, each of 4 bytes in memory: of 300,000 containers by 66 releases."""
MOST_OF_RECORDS: Final = 250 << 20
"""Bytes in memory of recorded hashes, sandboxes and resources of one run, or as many as their files have
characters, if these are more: a row of crictl has more than 500, and takes about 420. 300,000 containers and
150,000 sandboxes, those of a cluster of the size that Kubernetes supports, count as 227 MB."""
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


def odd(*texts: str) -> int:
    """Return how many bytes those names take that no API server accepts."""
    whole = "".join(texts)
    if whole.isascii() and len(whole) <= ORDINARY_NAME:
        return 0
    return sum(getsizeof(name) for name in texts if len(name) > ORDINARY_NAME or not name.isascii())


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


# How large one object of an input may be, so that no input needs much memory, whatever it repeats or nests.
#
# API servers accept no request above 3 MiB (k8s.io/apiserver ``MaxRequestBodyBytes``) and etcd stores no
# value above 1.5 MiB (``--max-request-bytes``). The limits leave space for JSON, which writes one byte of
# protobuf as up to six, and for indentation. They hold for one object: lists and files may be of any length.

DEEPEST: Final = 700
"""Levels of lists and objects in JSON; no type of core/v1 has 20, and Python's own encoder ends at 1,000."""
LONGEST: Final = 8 << 20
"""Characters of one object: several times what an API server accepts. In a text with one beyond U+FFFF each
counts twice, for it takes four bytes of memory."""
MOST_VALUES: Final = 500_000
"""Values in one object; each needs up to 250 bytes of memory, and an object of 1.5 MiB has fewer."""
LONGEST_DOCUMENT: Final = 64 << 20
"""Characters of what a document holds outside its ``items``: the records of a snapshot of 300,000 containers,
the most that Kubernetes supports in one cluster."""
MOST_DOCUMENT_VALUES: Final = 2_000_000
"""Values there."""
_PIECE: Final = 1 << 16
"""Characters that are looked at together, so few that they stay in the processor's cache."""
_OBJECT: Final = "one object"
_CHARACTERS: Final = "characters"
_REASON: Final = "API servers accept no object above 3 MiB"


class Meter:
    """Adds up the size of one thing while it is read."""

    def __init__(self, what: str, longest: int, most: int) -> None:
        self._what, self._longest, self._most = what, longest, most
        self._characters = self._values = 0

    def add(self, characters: int, values: int) -> None:
        """Raise InputError where there are now more characters or values than one thing may have."""
        self._characters += characters
        self._values += values
        if self._characters > self._longest:
            raise _too_much(self._longest, _CHARACTERS, self._what)
        if self._values > self._most:
            raise _too_much(self._most, "values", self._what)


def object_meter() -> Meter:
    """Return a meter for one object."""
    return Meter(_OBJECT, LONGEST, MOST_VALUES)


def document_meter() -> Meter:
    """Return a meter for what one document holds outside its ``items``."""
    return Meter("one document besides its items", LONGEST_DOCUMENT, MOST_DOCUMENT_VALUES)


def too_long() -> InputError:
    """Return the error for a text that is longer than any object before it ends."""
    return _too_much(LONGEST, _CHARACTERS, _OBJECT)


def _too_much(most: int, noun: str, what: str) -> InputError:
    return InputError(f"more than {most:,} {noun} in {what}; {_REASON}")


def characters_in(text: str, start: int = 0, end: int | None = None) -> int:
    """Return how many characters a part of a text counts as; lone surrogates are as long as others."""
    end = len(text) if end is None else end
    if text.isascii():
        return end - start
    # Python stores a whole text with 4 bytes a character if one of them is beyond U+FFFF, which takes two
    # units of UTF-16
    wide = any(
        len(text[place:behind].encode("utf-16-le", "surrogatepass")) > 2 * (behind - place)
        for place, behind in _pieces(start, end)
    )
    return (end - start) * (2 if wide else 1)


def values_in(text: str, start: int = 0, end: int | None = None) -> int:
    """Return how many values a part of a JSON text has at most: what separates them is counted."""
    pieces = _pieces(start, len(text) if end is None else end)
    return 1 + sum(text.count(char, *piece) for piece in pieces for char in ",[{")


def _pieces(start: int, end: int) -> Iterator[tuple[int, int]]:
    return ((place, min(place + _PIECE, end)) for place in range(start, end, _PIECE))


def is_small(start: int, end: int) -> bool:
    """Return whether a part of a JSON text is within an object's limits by its length alone.

    No value is shorter than a character, and no character counts more than twice. Counting takes as long as
    decoding.
    """
    return end - start <= min(MOST_VALUES, LONGEST // 2)


def may_be_deep(text: str, start: int, end: int) -> bool:
    """Return whether a part of a JSON text opens so many lists and objects that it may be too deep."""
    return text.count("{", start, end) + text.count("[", start, end) > DEEPEST


def check_depth(value: Any) -> None:
    """Raise InputError for a value of JSON that is nested deeper than ``DEEPEST``."""
    level: list[Any] = [[value]]
    for _ in range(DEEPEST + 1):
        level = [
            child
            for parent in level
            for child in (parent.values() if type(parent) is dict else parent)
            if type(child) in (dict, list)
        ]
        if not level:
            return
    raise too_deep()


def too_deep(most: int = DEEPEST) -> InputError:
    """Return the error for nesting deeper than any Kubernetes object needs."""
    return InputError(f"nested too deeply to be a Kubernetes object: more than {most} levels")
