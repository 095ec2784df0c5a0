"""The boundaries between minors, against the table that was read from the kubelet's sources."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hashcompat.answers.matrix import Scope, cell
from hashcompat.answers.paths import Path, cheapest_path
from hashcompat.catalog.lookup import Catalog
from hashcompat.model.plan import Hop

PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
BOUNDARIES = [
    (
        "1.6",
        "1.7",
        Scope.SOME,
        {f"{h}.tcpSocket.host" for h in (*PROBES[:2], "lifecycle.postStart", "lifecycle.preStop")},
    ),
    (
        "1.7",
        "1.8",
        Scope.SOME,
        {"volumeMounts[*].mountPropagation", "securityContext.allowPrivilegeEscalation"},
    ),
    ("1.8", "1.9", Scope.ALL, {"volumeDevices"}),
    ("1.9", "1.10", Scope.SOME, {"securityContext.runAsGroup"}),
    ("1.10", "1.11", Scope.NONE, set()),
    ("1.11", "1.12", Scope.SOME, {"securityContext.procMount"}),
    ("1.12", "1.13", Scope.NONE, set()),
    ("1.13", "1.14", Scope.SOME, {"volumeMounts[*].subPathExpr"}),
    ("1.14", "1.15", Scope.SOME, {"securityContext.windowsOptions"}),
    ("1.15", "1.16", Scope.ALL, set()),
    ("1.16", "1.17", Scope.NONE, set()),
    ("1.17", "1.18", Scope.NONE, set()),
    ("1.18", "1.19", Scope.SOME, {"securityContext.seccompProfile"}),
    ("1.19", "1.20", Scope.NONE, set()),
    ("1.20", "1.21", Scope.SOME, {f"{probe}.terminationGracePeriodSeconds" for probe in PROBES}),
    ("1.21", "1.22", Scope.SOME, {"securityContext.windowsOptions.hostProcess"}),
    ("1.22", "1.23", Scope.SOME, {f"{probe}.grpc" for probe in PROBES}),
    ("1.23", "1.24", Scope.NONE, set()),
    ("1.24", "1.25", Scope.NONE, set()),
    ("1.25", "1.26", Scope.SOME, {"resources.claims"}),
    ("1.26", "1.27", Scope.SOME, {"resizePolicy"}),
    ("1.27", "1.28", Scope.SOME, {"restartPolicy"}),
    ("1.28", "1.29", Scope.SOME, {"lifecycle.postStart.sleep", "lifecycle.preStop.sleep"}),
    ("1.29", "1.30", Scope.SOME, {"volumeMounts[*].recursiveReadOnly", "securityContext.appArmorProfile"}),
    ("1.30", "1.31", Scope.ALL, set()),
    ("1.31", "1.32", Scope.NONE, set()),
    ("1.35", "1.36", Scope.NONE, set()),
    ("1.36", "1.37", Scope.NONE, set()),
]


@pytest.mark.parametrize(
    ("older", "newer", "scope", "paths"), BOUNDARIES, ids=[f"{a}-{b}" for a, b, _, _ in BOUNDARIES]
)
def test_what_restarts_between_two_minors(
    catalog: Catalog, older: str, newer: str, scope: Scope, paths: set[str]
) -> None:
    there = cell(catalog.kubelet(f"{older}.0" if older != "1.5" else "1.5.8"), catalog.kubelet(f"{newer}.0"))
    assert (there.scope, {change.path for change in there.fields}) == (scope, paths)
    assert all(change.added for change in there.fields)


@pytest.mark.parametrize(
    ("older", "newer", "scope", "paths"), BOUNDARIES, ids=[f"{b}-{a}" for a, b, _, _ in BOUNDARIES]
)
def test_the_way_back_restarts_the_same(
    catalog: Catalog, older: str, newer: str, scope: Scope, paths: set[str]
) -> None:
    back = cell(catalog.kubelet(f"{newer}.0"), catalog.kubelet(f"{older}.0"))
    assert (back.scope, {change.path for change in back.fields}) == (scope, paths)
    assert not any(change.added for change in back.fields)


def test_json_eras_ask_whether_a_field_is_set(catalog: Catalog) -> None:
    assert cell(catalog.kubelet("1.22.0"), catalog.kubelet("1.23.0")).if_set
    assert not cell(catalog.kubelet("1.13.0"), catalog.kubelet("1.14.0")).if_set


def way(**costs: int) -> Callable[[str, str], Hop]:
    """Return the cost of each step: ``ab=10`` from a to b, ``ab_unknown=1`` for what is not decided."""
    return lambda old, new: Hop(old, new, costs.get(old + new, 0), costs.get(f"{old}{new}_unknown", 0))


def stops(path: Path) -> list[str]:
    return [step.new for step in path.hops]


def test_the_cheapest_path_skips_a_release_that_would_restart_twice() -> None:
    path = cheapest_path("abcd", way(ab=10, bc=10, ac=12, ad=12, bd=15))
    assert (stops(path), path.findings) == (["c", "d"], 12)


def test_of_equal_paths_the_one_with_small_steps_wins() -> None:
    assert stops(cheapest_path("abc", way())) == ["b", "c"]
    assert cheapest_path("a", way()) == Path()


def test_what_is_not_decided_is_no_cheap_step() -> None:
    path = cheapest_path("abc", way(ab_unknown=3, bc=0, ac=2))
    assert (stops(path), path.findings, path.unknown) == (["c"], 2, 0)


def test_the_counts_of_a_path_are_the_sums_of_its_steps() -> None:
    path = Path((Hop("a", "b", 3, 1), Hop("b", "c", 4, 2)))
    assert (path.findings, path.unknown) == (7, 3)
