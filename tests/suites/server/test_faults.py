"""Faults between the program and an API server: a retry or a clear error, never a smaller plan."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.helpers import faultproxy, slices
from tests.helpers.faultproxy import Fault, FaultProxy
from tests.helpers.program import Result
from tests.helpers.realserver import ADMIN, Cluster

pytestmark = pytest.mark.server

Shell = Callable[..., Result]
PLAN = ("plan", "--from", "auto", "--to", "1.36.0", "-o", "json")
PODS, PAGES = 1500, 3
ALONE = ("/version", "/api/v1/namespaces/kube-system")
"""What is asked besides lists."""
REQUESTS = PAGES + 1 + len(ALONE)
"""The pages of pods, the nodes, and the namespace kube-system, whose UID is the cluster's."""


@pytest.fixture
def proxy(cluster: Cluster) -> Iterator[FaultProxy]:
    with faultproxy.running(cluster) as started:
        yield started


@pytest.fixture
def kubeconfig(cluster: Cluster, proxy: FaultProxy) -> Path:
    return cluster.kubeconfig("faulty", {"token": ADMIN}, server=proxy.url)


def tokens(proxy: FaultProxy) -> list[bool]:
    """Yield for each request for pods whether it was for a page after the first."""
    return ["continue=" in path for path in proxy.paths if "/pods" in path]


def test_a_list_comes_in_pages(shell: Shell, proxy: FaultProxy, kubeconfig: Path) -> None:
    assert len(shell(kubeconfig, *PLAN).items) == PODS
    assert tokens(proxy) == [False, *[True] * (PAGES - 1)]
    lists = [path for path in proxy.paths if path not in ALONE]
    assert len(lists) == REQUESTS - len(ALONE)
    assert all("limit=500" in path for path in lists)


@pytest.mark.parametrize(
    "fault",
    slices.sliced(
        [faultproxy.cut, faultproxy.reset, faultproxy.half_json, faultproxy.too_many, faultproxy.unavailable],
        [faultproxy.cut],
    ),
    ids=lambda fault: fault.__name__,
)
def test_a_fault_on_the_way_is_met_by_another_try(
    shell: Shell, admin: Path, proxy: FaultProxy, kubeconfig: Path, fault: Fault
) -> None:
    proxy.faults = {3: fault}
    result = shell(kubeconfig, *PLAN)
    assert (result.code, len(proxy.paths)) == (0, REQUESTS + 1), result.err
    assert result.items == shell(admin, *PLAN).items


@pytest.mark.full
@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (faultproxy.cut, "cannot read the cluster: "),
        (faultproxy.reset, "cannot read the cluster: "),
        (faultproxy.half_json, "the answer is not complete JSON: line 1 column"),
        (faultproxy.too_many, "(HTTP 429)"),
        (faultproxy.unavailable, "no upstream"),
        (faultproxy.drip, "no complete answer within the timeout (--request-timeout)"),
        (faultproxy.empty_list, "the server ends the list although 7 objects remain"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
@pytest.mark.parametrize("pages", [0, 2])
def test_a_fault_that_stays_is_a_clear_error(
    shell: Shell, proxy: FaultProxy, kubeconfig: Path, fault: Fault, says: str, pages: int
) -> None:
    proxy.faults = dict.fromkeys(range(pages + 1, 100), fault)
    start = time.monotonic()
    result = shell(kubeconfig, *PLAN, "--request-timeout", "8s")
    assert (result.code, result.out) == (1, "")
    assert says in result.err
    assert result.err.count("\n") == 1
    assert "hunter2" not in result.err
    assert time.monotonic() - start < 20


def test_a_list_that_expires_on_the_way_is_read_again_from_its_beginning(
    shell: Shell, cluster: Cluster, proxy: FaultProxy, kubeconfig: Path
) -> None:
    def expire() -> None:
        cluster.create("/api/v1/namespaces/default/configmaps", {"metadata": {"generateName": "later-"}})
        cluster.compact()

    proxy.before = {PAGES: expire}
    result = shell(kubeconfig, *PLAN)
    assert result.code == 0, result.err
    assert tokens(proxy) == [False, *[True] * (PAGES - 1)] * 2
    names = [(item["namespace"], item["pod"]) for item in result.items]
    assert len(names) == len(set(names)) == PODS


def test_a_list_that_always_expires_is_an_error(
    shell: Shell, cluster: Cluster, proxy: FaultProxy, kubeconfig: Path
) -> None:
    def expire() -> None:
        cluster.create("/api/v1/namespaces/default/configmaps", {"metadata": {"generateName": "later-"}})
        cluster.compact()

    proxy.before = dict.fromkeys(range(2, 100), expire)
    result = shell(kubeconfig, *PLAN)
    assert (result.code, result.out) == (1, "")
    assert "the list expired 3 times" in result.err


def test_a_certificate_for_another_name_is_refused_unless_the_kubeconfig_names_it(
    shell: Shell, cluster: Cluster
) -> None:
    with faultproxy.running(cluster, "other.example") as proxy:
        refused = shell(cluster.kubeconfig("wrong-name", {"token": ADMIN}, server=proxy.url), *PLAN)
        assert (refused.code, refused.out, proxy.paths) == (1, "", [])
        assert "x509" in refused.err
        named = cluster.kubeconfig(
            "right-name", {"token": ADMIN}, server=proxy.url, **{"tls-server-name": "other.example"}
        )
        assert len(shell(named, *PLAN, "-n", "team-b").items) == 10


def test_a_server_that_is_not_there_is_an_error_that_names_the_other_sources(
    shell: Shell, cluster: Cluster
) -> None:
    nobody_there = cluster.kubeconfig("away", {"token": ADMIN}, server="https://127.0.0.1:1")
    result = shell(nobody_there, *PLAN)
    assert (result.code, result.out) == (1, "")
    assert "connection refused" in result.err
    assert "-f FILE" in result.err
    assert "--sample" in result.err


def test_values_of_env_stay_out_of_stderr(shell: Shell, kubeconfig: Path) -> None:
    result = shell(kubeconfig, *PLAN, "-v", "-n", "team-b")
    assert (result.code, "hunter2" in result.err + result.out) == (0, False)
    assert json.loads(result.out)["items"]
