"""The checks of a node before its kubelet is restarted: facts in, findings out.

A dump is what the collector read on one node, as text: files, answers of the runtime, lists of processes
(``core/records/probes.py``). Nothing here reads the node itself, so a dump from elsewhere gives the same
findings.

- ``facts/`` makes values of a dump, each when a check first asks for it. What could not be read raises
  UnreadError, what is not there AbsentError.
- ``checks/`` holds a value per hazard: its id (``PF-001``), and a generator of problems from facts and an
  upgrade. What people read about it is in ``schemas/rules/checks``. A check never looks at another one's
  problems. A new check is such a value in the file of its subject, a page, and a line in ``_UNSORTED`` below.
- ``run.py`` does this for many nodes, each with its own current release and its own part of a plan.

A check that lacks an input is left out and named as such; one that could not read it is UNKNOWN, never OK.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches
from typing import Final

from hashcompat.analysis.preflight.checks import Check, Need, Problem, Upgrade
from hashcompat.analysis.preflight.checks.containers import (
    HANGING,
    ORPHANS,
    SHIMS,
    SLEEPING,
    STARTING,
    STOPPED,
)
from hashcompat.analysis.preflight.checks.host import (
    CERTIFICATES,
    CGROUP_V1,
    DEAD_MOUNTS,
    MOUNT_HELPERS,
    SWAP,
)
from hashcompat.analysis.preflight.checks.kubelet import CONFIG_FIELDS, FLAGS, VERSION_SKEW
from hashcompat.analysis.preflight.checks.managers import CPU_STATE, MEMORY_STATE
from hashcompat.analysis.preflight.checks.networks import NETWORK
from hashcompat.analysis.preflight.checks.pods import (
    DEVICES,
    EXEC_PROBES,
    FEATURES,
    MIRROR_PODS,
    READINESS,
    SCHEDULING,
    SIDECARS,
    SNAP_DATA,
    STATIC_REFERENCES,
    SYSCTLS,
    VOLUMES,
)
from hashcompat.analysis.preflight.checks.room import ROOM, SMALLER
from hashcompat.analysis.preflight.checks.runtime import (
    CGROUP_DRIVERS,
    CRI_VERSION,
    OLD_RUNTIME,
    OLD_SANDBOXES,
    OTHER_RUNTIME,
    RUNTIME_ENDPOINT,
    RUNTIME_FAULTS,
    SANDBOX_IMAGE,
)
from hashcompat.analysis.preflight.checks.space import DISK_FULL, IMAGE_GC, PRESSURE, RESERVATIONS
from hashcompat.analysis.preflight.checks.starting import (
    CLOUD_CONFIG,
    CREDENTIAL_PROVIDERS,
    KERNEL_SETTINGS,
    MANIFESTS,
    NODE_NAME,
    USER_NAMESPACES,
)
from hashcompat.analysis.preflight.checks.states import DAMAGED, DRA_STATE, LEFT_BEHIND, POD_STATE
from hashcompat.analysis.preflight.checks.values import VALUES
from hashcompat.analysis.preflight.facts import Cluster, Facts
from hashcompat.core.errors import InputError, UsageError
from hashcompat.core.model.preflight import Finding, Status
from hashcompat.core.records.probes import AbsentError, Dump, UnreadError
from hashcompat.core.shown import urls

EVERY: Final = "all"
"""Stands for the id of every check."""

_A_NODE: Final = frozenset({Need.NODE})

_NOWHERE: Final = Cluster()


def examine(
    dump: Dump,
    upgrade: Upgrade,
    ignored: Collection[str] = (),
    cluster: Cluster = _NOWHERE,
    given: frozenset[Need] = _A_NODE,
) -> Iterator[Finding]:
    """Yield what every check finds on a node that can be made with what is given, at least one finding each.

    ``ignored`` are the ids of checks whose errors count as warnings, or ``all``.
    """
    facts = Facts(dump, cluster)
    for check in CHECKS:
        mild = check.id in ignored or EVERY in ignored
        for problem in _problems(check, facts, upgrade) if check.is_run(given) else ():
            status = Status.WARN if mild and problem.status == Status.ERROR else problem.status
            texts = map(urls, (problem.object, problem.text, problem.advice))
            yield Finding(check.id, dump.node, status, *texts)


def _problems(check: Check, facts: Facts, upgrade: Upgrade) -> list[Problem]:
    """Return what a check finds; what it could not read makes it UNKNOWN, and never OK."""
    problems: list[Problem] = []
    try:
        problems.extend(check.find(facts, upgrade))
    except (UnreadError, AbsentError, InputError) as error:
        problems.append(Problem(Status.UNKNOWN, "", str(error)))
    return problems or [Problem(Status.OK, "", f"nothing found: {check.rule.name}")]


def left_out(given: frozenset[Need]) -> Iterator[tuple[str, str]]:
    """Yield each check that cannot be made with what is given, and what it needs besides, in words."""
    for check in CHECKS:
        if not check.is_run(given):
            missing = min((need - given for need in check.needs), key=len)
            yield check.id, " and ".join(sorted(missing))


def worst_first(findings: Collection[Finding]) -> tuple[Finding, ...]:
    """Sort findings: by status, then by check, node and object."""
    order = list(Status)
    return tuple(
        sorted(findings, key=lambda found: (order.index(found.status), found.id, found.node, found.object))
    )


def known_checks(names: Iterable[str]) -> list[str]:
    """Return the ids of checks as they are written; raises UsageError for what is none."""
    known = {check.id for check in CHECKS} | {EVERY}
    wanted = [name.lower() if name.lower() == EVERY else name.upper() for name in names]
    for name in wanted:
        if name not in known:
            near = ", ".join(get_close_matches(name, known, n=3) or sorted(known)[:3])
            raise UsageError(f"no check {name!r}; near it: {near}")
    return wanted


_UNSORTED: Final[tuple[Check, ...]] = (
    ROOM,
    SMALLER,
    READINESS,
    ORPHANS,
    STOPPED,
    HANGING,
    FLAGS,
    CPU_STATE,
    POD_STATE,
    DRA_STATE,
    MEMORY_STATE,
    DAMAGED,
    LEFT_BEHIND,
    CONFIG_FIELDS,
    VALUES,
    SHIMS,
    DISK_FULL,
    CGROUP_V1,
    RUNTIME_ENDPOINT,
    CRI_VERSION,
    OLD_RUNTIME,
    OLD_SANDBOXES,
    OTHER_RUNTIME,
    DEVICES,
    VERSION_SKEW,
    CGROUP_DRIVERS,
    DEAD_MOUNTS,
    MOUNT_HELPERS,
    SWAP,
    SLEEPING,
    STARTING,
    CERTIFICATES,
    NETWORK,
    SANDBOX_IMAGE,
    SCHEDULING,
    RUNTIME_FAULTS,
    EXEC_PROBES,
    STATIC_REFERENCES,
    MIRROR_PODS,
    SNAP_DATA,
    SYSCTLS,
    SIDECARS,
    FEATURES,
    VOLUMES,
    USER_NAMESPACES,
    KERNEL_SETTINGS,
    NODE_NAME,
    CREDENTIAL_PROVIDERS,
    CLOUD_CONFIG,
    MANIFESTS,
    PRESSURE,
    IMAGE_GC,
    RESERVATIONS,
)

CHECKS: Final = tuple(sorted(_UNSORTED, key=lambda check: check.id))
"""The checks by their ids."""
