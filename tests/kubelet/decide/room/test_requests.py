"""What a pod asks for, release by release."""

from __future__ import annotations

from pathlib import Path

import pytest

from hashcompat.api.inputs import collect
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.kubelet.decide.room.requests import Asking, asking
from hashcompat.core.kubelet.decide.room.tenants import Sums, node_resources
from tests.helpers.pods import Json, as_json, pod
from tests.helpers.program import Run
from tests.helpers.room import host, sized, verdicts


def test_amounts_that_are_no_quantities_count_as_not_shown(run: Run) -> None:
    pods = [sized("one", "01:00", cpu="9"), sized("other", "01:00", memory="1Gi")]
    outcomes = verdicts(run, host(cpu="many"), *pods)
    assert outcomes == {"one": "UNKNOWN OutOfcpu", "other": "KEEP"}


INIT = [
    {"name": "i", "resources": {"requests": {"cpu": "3"}}},
    {"name": "s", "restartPolicy": "Always", "resources": {"requests": {"cpu": "500m", "x.com/y": "1"}}},
    {"name": "j", "resources": {"requests": {"cpu": "2", "x.com/y": "1"}}},
]


SUMMED: Json = {
    "initContainers": INIT,
    "overhead": {"cpu": "100m"},
    "resources": {"requests": {"cpu": "5", "memory": "1Gi"}},
}


@pytest.mark.parametrize(
    ("release", "own", "beside"),
    [
        ("1.9.11", {"cpu": 3000, "x.com/y": 1}, {"cpu": 1000}),
        ("1.15.12", {"cpu": 3000, "x.com/y": 1}, {"cpu": 1000}),
        ("1.16.9", {"cpu": 3000, "x.com/y": 1}, {"cpu": 1000}),
        ("1.16.10", {"cpu": 3000, "x.com/y": 1}, {"cpu": 3000, "x.com/y": 1}),
        ("1.17.5", {"cpu": 3000, "x.com/y": 1}, {"cpu": 1000}),
        ("1.17.6", {"cpu": 3000, "x.com/y": 1}, {"cpu": 3000, "x.com/y": 1}),
        ("1.18.2", {"cpu": 3100, "x.com/y": 1}, {"cpu": 1100}),
        ("1.18.20", {"cpu": 3100, "x.com/y": 1}, {"cpu": 3100, "x.com/y": 1}),
        ("1.27.16", {"cpu": 3100, "x.com/y": 1}, {"cpu": 3100, "x.com/y": 1}),
        ("1.28.15", {"cpu": 3100, "x.com/y": 2}, {"cpu": 3100, "x.com/y": 2}),
        ("1.31.14", {"cpu": 3100}, {"cpu": 3100, "x.com/y": 2}),
        ("1.34.10", {"cpu": 5100, "memory": 1 << 30}, {"cpu": 5100, "memory": 1 << 30, "x.com/y": 2}),
    ],
)
def test_each_release_sums_requests_in_its_own_way(
    catalog: Catalog, release: str, own: dict[str, int], beside: dict[str, int]
) -> None:
    (subject,) = collect([sized("p", spec=SUMMED, cpu="1", other="7")]).pods
    asks = asking(subject, {"cpu": "4"}, catalog.kubelet(release))
    assert (asks.admitted, asks.beside) == (own, beside)


@pytest.mark.parametrize(
    ("release", "freed"),
    [
        ("1.28.15", {"cpu": 3100, "x.com/y": 1, "other": 7}),
        ("1.33.13", {"cpu": 3100, "x.com/y": 1, "other": 7}),
        ("1.34.10", {"cpu": 5100, "memory": 1 << 30}),
    ],
)
def test_what_a_critical_pod_gains_is_summed_in_another_way(
    catalog: Catalog, release: str, freed: dict[str, int]
) -> None:
    (subject,) = collect([sized("p", spec=SUMMED, cpu="1", other="7")]).pods
    assert asking(subject, {"cpu": "4"}, catalog.kubelet(release)).freed == freed


def test_a_resize_counts_beside_others_as_far_as_it_went(catalog: Catalog) -> None:
    made = sized("p", cpu="3", memory="1Gi")
    made["status"]["containerStatuses"][0] |= {
        "allocatedResources": {"cpu": "1", "memory": "1Gi"},
        "resources": {"requests": {"cpu": "2", "memory": "512Mi"}},
    }
    (subject,) = collect([made]).pods
    asks = asking(subject, {}, catalog.kubelet("1.33.13"))
    assert (asks.admitted, asks.beside) == (
        {"cpu": 1000, "memory": 1 << 30},
        {"cpu": 2000, "memory": 1 << 30},
    )
    assert asking(subject, {}, catalog.kubelet("1.32.13")).beside["cpu"] == 3000


def test_what_is_no_quantity_counts_as_nothing(catalog: Catalog) -> None:
    (subject,) = collect([sized("p", cpu="many")]).pods
    assert asking(subject, {}, catalog.kubelet("1.33.13")) == Asking({}, {})


def test_sums_of_several_processes_are_added_up() -> None:
    sums, other = Sums(), Sums()
    sums.add(Asking({"cpu": 1, "memory": 5}, {"cpu": 2}))
    other.add(Asking({"cpu": 3}, {"cpu": 3}))
    sums.merge(other)
    assert (sums.amounts, sums.pods) == ({"cpu": 5, "memory": 5}, 2)
    assert sums.fit(node_resources({"cpu": "5m", "memory": "5"}))
    assert not sums.fit(node_resources({"cpu": "4m"}))
    assert not sums.fit(node_resources({"pods": "1"}))


@pytest.mark.parametrize(
    ("new", "own", "container", "expected"),
    [
        pytest.param("1.35.8", {"limits": {"cpu": "3"}}, {}, "KILL OutOfcpu", id="its limit"),
        pytest.param("1.37.2", {"limits": {"cpu": "3"}}, {}, "KEEP", id="1.37 adds none"),
        pytest.param("1.35.8", {"limits": {"cpu": "3"}}, {"cpu": "1"}, "KEEP", id="its containers' sum"),
        pytest.param(
            "1.35.8",
            {"limits": {"cpu": "3"}, "requests": {"cpu": "1"}},
            {},
            "KEEP",
            id="a request of its own",
        ),
        pytest.param("1.35.8", {"limits": {"cpu": "3"}}, {"cpu": "x"}, "KEEP", id="not read at all"),
    ],
)
def test_a_static_pods_own_limit_is_its_request_where_its_kubelet_adds_that(
    run: Run, tmp_path: Path, new: str, own: Json, container: Json, expected: str
) -> None:
    static = pod({"name": "c", "image": "i", "resources": {"requests": container}}, name="s")
    static["spec"] |= {"resources": own}
    (tmp_path / "s.json").write_bytes(as_json(static))
    objects = as_json(host(), sized("p", "01:00", cpu="2"))
    more = ("--static-pod-dir", tmp_path, "--node-name", "n1", "--override-node-releases", "--keep-going")
    result = run("plan", "--from", new, "--to", new, "-f", "-", *more, "-o", "json", stdin=objects)
    (item,) = [prediction for prediction in result.items if prediction["pod"] == "p"]
    words = [reason["text"].split(":")[1].strip() for reason in item["reasons"]]
    assert " ".join((item["verdict"], *words)) == expected
