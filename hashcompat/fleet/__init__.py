"""One answer over many clusters: a file of each cluster in, tables of names and counts out.

1. ``store`` lists the files of a source, local or behind a URL, and the ``key`` of each says what its rows
   depend on: the file, the program, the release data, what is asked.
2. ``engines`` hands the files whose rows are not there yet to processes, here or on other machines. A
   process that dies is another row, never a missing one.
3. ``parts``: one file becomes the rows of one cluster, and these are written whole or not at
   all. Which engine did that, how often and in which order decides nothing.
4. ``run`` settles what only all parts together show, has them merged into the ``tables`` (``parquet``), and
   writes ``run.json`` last.

Tables hold names and counts. No value of a container is in any of them. Here are their columns, and what each
means; ``docs/fleet.md`` is made of this.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

import msgspec

VERSION: Final = 1
"""Of the columns; a change that a query notices is another number, and all tables are made again."""

TARGET: Final = "target"
"""The column by whose values the files of a table are kept apart; its value is in their paths alone."""


class InputStatus(StrEnum):
    """What became of an input, for one target release."""

    PLANNED = "planned"
    UNREADABLE = "unreadable"
    """It could not be read: damaged, empty, gone, or its store failed again and again."""
    REFUSED = "refused"
    """It was read, and cannot be planned: no node reports a release, a container does not decode."""
    LOST = "lost"
    """Every process that took it died, also when it was the only one at work."""
    SUPERSEDED = "superseded"
    """A newer input of the same cluster counts."""
    NOT_APPLICABLE = "not-applicable"
    """A node runs a newer release than the target."""


UNDECIDED: Final = frozenset({InputStatus.UNREADABLE, InputStatus.REFUSED, InputStatus.LOST})
"""Where nothing is known about the cluster, and it should be."""


class Column(msgspec.Struct, frozen=True):
    """A column of a table."""

    name: str
    type: str
    """``text``, ``integer``, ``real``, ``truth``, ``time``, ``texts`` (a list), ``labels`` (a map)."""
    about: str


_SHARED: Final = (
    Column("cluster", "text", "the cluster's name: its own, or that of the file below the source"),
    Column("part", "text", "the key of the input: what joins the tables"),
)

TABLES: Final[Mapping[str, tuple[Column, ...]]] = {
    "clusters": (
        *_SHARED,
        Column("source", "text", "the file or URL"),
        Column("uid", "text", "the UID of the namespace kube-system; empty where nothing shows it"),
        Column("taken", "time", "when the cluster was read, at the earliest; null if unknown"),
        Column("labels", "labels", "the labels of the cluster, from its snapshot"),
        Column("size", "integer", "bytes of the input"),
        Column("status", "text", ", ".join(InputStatus)),
        Column("error", "text", "why it is not planned; empty if it is"),
        Column("running", "texts", "the kubelet releases that its nodes report, oldest first"),
        Column("nodes", "integer", "nodes; this and the counts below are null unless planned"),
        Column("pods", "integer", "pods"),
        Column("containers", "integer", "containers"),
        Column("compared", "integer", "containers that run on a node and are compared there"),
        Column("restart", "integer", "containers that are killed and created again"),
        Column("kill", "integer", "containers that are killed and not started again"),
        Column("keep", "integer", "containers that are left alone"),
        Column("unknown", "integer", "containers for which the input does not decide"),
        Column("pods_affected", "integer", "pods with a container that is killed"),
        Column("nodes_affected", "integer", "nodes with such a pod"),
        Column("recorded", "integer", "recorded hashes"),
        Column("reproduced", "integer", "recorded hashes that a known release computes"),
        Column("outcome", "text", "PASS, FAIL or UNDECIDED by the policy; null if it was not judged"),
        Column("why", "text", "the line of the policy that decided"),
        Column("warnings", "integer", "warnings of the plan"),
        Column("seconds", "real", "CPU seconds that the plan took"),
        Column("program", "text", "the version of hashcompat"),
    ),
    "hops": (
        *_SHARED,
        Column("step", "integer", "which step of the upgrade, from 1; 0 for the rollback"),
        Column("old", "text", "the release that it starts from; auto for several"),
        Column("new", "text", "the release that it leads to"),
        Column("findings", "integer", "containers that it restarts or kills"),
        Column("unknown", "integer", "containers for which the input does not decide"),
    ),
    "owners": (
        *_SHARED,
        Column("release", "text", "the kubelet release of the nodes; empty if unknown"),
        Column("namespace", "text", "namespace"),
        Column("owner", "text", "KIND/NAME: the workload, its controller, or the pod itself"),
        Column("container", "text", "container"),
        Column("type", "text", "container, init, sidecar or ephemeral"),
        Column("verdict", "text", "RESTART, KILL, KEEP or UNKNOWN"),
        Column("rules", "texts", "the ids of the reasons, sorted"),
        Column("containers", "integer", "containers"),
        Column("pods", "integer", "pods"),
        Column("nodes", "integer", "nodes"),
    ),
    "reasons": (
        *_SHARED,
        Column("rule", "text", "the id of the reason, such as HC001"),
        Column("path", "text", "the field below the container that causes it; empty if none does"),
        Column("verdict", "text", "RESTART, KILL, KEEP or UNKNOWN"),
        Column("containers", "integer", "containers"),
        Column("pods", "integer", "pods"),
        Column("owners", "integer", "owners"),
    ),
    "releases": (
        *_SHARED,
        Column("release", "text", "the kubelet release, as nodes report it; empty for pods on none"),
        Column("read_as", "text", "the upstream release that it was read as; empty if it is not known"),
        Column("nodes", "integer", "nodes that report it"),
        Column("containers", "integer", "containers on them"),
        Column("findings", "integer", "containers that are restarted or killed"),
        Column("unknown", "integer", "containers for which the input does not decide"),
    ),
    "items": (
        *_SHARED,
        Column("node", "text", "node; empty for a pod on none"),
        Column("namespace", "text", "namespace"),
        Column("pod", "text", "pod"),
        Column("uid", "text", "the pod's UID"),
        Column("owner", "text", "as in owners"),
        Column("container", "text", "container"),
        Column("type", "text", "as in owners"),
        Column("release", "text", "the kubelet release of the node; empty if unknown"),
        Column("verdict", "text", "RESTART, KILL, KEEP or UNKNOWN"),
        Column("rules", "texts", "the ids of the reasons, sorted"),
        Column("compared", "truth", "whether percentages count it"),
        Column("recreated", "truth", "whether the whole pod is recreated"),
    ),
}
"""The columns of each table, in their order. Every table also has the column ``target``."""

ON_REQUEST: Final = frozenset({"items"})
"""Tables that are made if they are asked for: one row per container."""


def names_of(table: str) -> tuple[str, ...]:
    """Return the names of a table's columns."""
    return tuple(column.name for column in TABLES[table])
