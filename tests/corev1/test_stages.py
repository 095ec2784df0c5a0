"""Static pods stage by stage: the rows of defaults.json and conversions.json, and unknown rows."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from hashcompat.core.catalog.behaviour import NO_SETTINGS, Gates, GateTable, Settings
from hashcompat.core.catalog.defaults import field_keys
from hashcompat.core.catalog.files import DataFiles, default_directory
from hashcompat.core.catalog.lookup import Catalog, default_catalog
from hashcompat.core.catalog.pods import Conversion, PodData, StaticPods
from hashcompat.core.corev1 import conversion as podconversion
from hashcompat.core.corev1 import defaults as poddefaults
from hashcompat.core.corev1.conversion import Json, Site, deep_copy
from hashcompat.core.corev1.resources import pod_limits, pod_requests
from hashcompat.core.errors import InputError, UsageError
from hashcompat.core.go.jsonpath import reach
from hashcompat.core.go.quantity import Held
from hashcompat.core.release import parse_release
from tests.helpers.manifests import MINORS

DATA = DataFiles(default_directory())
SOURCE = {"file": "", "url": ""}


def static_pods(minor: str, data: PodData | None = None, settings: Settings = NO_SETTINGS) -> StaticPods:
    release = parse_release(f"{minor}.0")
    gates = Gates(GateTable(DATA), release, settings)
    return StaticPods(data or PodData(DATA), release, gates, "md5", SOURCE)


@pytest.fixture
def changed(tmp_path: Path) -> Callable[[str, Callable[[Any], None]], PodData]:
    """Return pod data with one table changed by a function."""

    def make(name: str, change: Callable[[Any], None]) -> PodData:
        shutil.copytree(DATA.directory, tmp_path / "schemas")
        document = DATA.table(name)
        change(document)
        (tmp_path / "schemas" / "tables" / f"{name}.json").write_text(json.dumps(document))
        return PodData(DataFiles(tmp_path / "schemas"))

    return make


Change = Callable[[str, Callable[[Any], None]], PodData]


@pytest.mark.parametrize("minor", MINORS)
def test_every_row_that_holds_can_be_applied(minor: str) -> None:
    static = static_pods(minor)
    assert all(poddefaults.applier(row) for row in static.defaults)
    assert {row.step for row in static.conversions} <= podconversion._STEPS.keys()
    assert [row.keys for row in static.conversions if row.step == "move"] == [
        (row.path,) for row in static.conversions if row.step == "move"
    ]


def test_rows_that_hold_nowhere_are_those_behind_a_gate() -> None:
    document = DATA.table("defaults")
    ids = {f"{row['type']}.{field}" for row in document["defaults"] for field in row["field"].split(", ")}
    held = {row.id for minor in MINORS for row in static_pods(minor).defaults}
    assert ids - held == {"Container.ResizePolicy", "HTTPGetAction.Protocol"}


def test_a_gate_that_is_set_brings_its_defaults() -> None:
    restarts = {"resourceName": "cpu", "restartPolicy": "RestartContainer"}
    keeps = [{"resourceName": name, "restartPolicy": "NotRequired"} for name in ("cpu", "memory")]
    sized = {"resources": {"requests": {"cpu": "1", "memory": "1"}}}
    given = [{}, sized, {**sized, "resizePolicy": [restarts]}, {**sized, "resizePolicy": keeps}]
    static = static_pods("1.30", settings=frozenset({("InPlacePodVerticalScaling", True)}))
    pod: Json = {"spec": {"containers": json.loads(json.dumps(given))}}
    poddefaults.apply_defaults(pod, static)
    policies = [container.get("resizePolicy") for container in pod["spec"]["containers"]]
    assert policies == [None, keeps, [restarts, keeps[1]], keeps]


def test_rows_are_in_order() -> None:
    ids = [row.id for row in static_pods("1.36").defaults]
    wanted = [
        "Container.Resources.Requests",
        "PodSpec.Resources.Limits",
        "PodSpec.Resources.Requests",
        "ContainerPort.HostPort",
    ]
    wanted += [
        "PodSpec.DNSPolicy",
        "ImageVolumeSource.PullPolicy",
        "ResourceRequirements.Limits",
        "PodStatus.AllocatedResources",
    ]
    assert [name for name in dict.fromkeys(ids) if name in wanted] == wanted


def test_a_range_of_a_default_is_a_range_of_minors() -> None:
    modes = {
        row.argument for row in static_pods("1.6").defaults if row.id == "AzureDiskVolumeSource.CachingMode"
    }
    assert modes == {"None"}
    modes = {
        row.argument for row in static_pods("1.7").defaults if row.id == "AzureDiskVolumeSource.CachingMode"
    }
    assert modes == {"ReadWrite"}


def test_a_tree_holds_until_the_next_one() -> None:
    data = PodData(DATA)
    types = {minor: data.types(parse_release(f"{minor}.0")) for minor in ("1.16", "1.17", "1.37", "1.99")}
    assert types["1.17"] is types["1.16"]
    assert types["1.99"] is types["1.37"]
    with pytest.raises(UsageError, match=r"internal pod of 1\.5 is not known"):
        _ = static_pods("1.5", data).types


def test_kubelets_share_trees(catalog: Catalog) -> None:
    assert catalog.kubelet("1.16.0").static_pods.types is catalog.kubelet("1.17.0").static_pods.types
    assert (catalog.kubelet("1.34.0").static_pods.digest, catalog.kubelet("1.35.0").static_pods.digest) == (
        "md5",
        "fnv128a",
    )
    assert [bool(catalog.kubelet(name).static_pods.source["file"]) for name in ("1.20.0", "1.21.0")] == [
        False,
        True,
    ]


def test_a_name_that_is_no_struct_or_no_field_is_damaged_data() -> None:
    types = static_pods("1.36").types
    with pytest.raises(InputError, match=r"1\.36: Signal is not a struct"):
        types.struct("Signal")
    with pytest.raises(InputError, match=r"core\.Pod has no field Sepc"):
        field_keys(types.pod, "Sepc")
    with pytest.raises(InputError, match="string has no field Upper"):
        field_keys(types.pod, "Spec.Hostname.Upper")


def test_an_unknown_default_is_an_error(changed: Change) -> None:
    def change(document: Any) -> None:
        document["defaults"][:] = [row for row in document["defaults"] if row["field"] == "DNSPolicy"]
        document["defaults"][0]["when"] = "the moon is full"

    with pytest.raises(
        InputError,
        match=r"unknown default of static pods: set PodSpec\.DNSPolicy when the moon is full",
    ):
        poddefaults.apply_defaults({"spec": {}}, static_pods("1.36", changed("defaults", change)))


def test_an_unknown_conversion_is_an_error(changed: Change) -> None:
    data = changed(
        "conversions", lambda document: document["values"][0].update(source="new.go", releases=">=1.6")
    )
    with pytest.raises(InputError, match=r"unknown conversion of static pods: new\.go"):
        podconversion.convert({"spec": {"terminationGracePeriodSeconds": 30}}, static_pods("1.36", data))


@pytest.mark.parametrize(
    ("status", "ips"),
    [
        ({"podIP": "a"}, ["a"]),
        ({"podIP": "a", "podIPs": []}, ["a"]),
        ({"podIP": "a", "podIPs": [{"ip": "a"}, {"ip": "b"}]}, ["a", "b"]),
        ({"podIP": "a", "podIPs": [{"ip": "b"}, {"ip": "a"}]}, ["a"]),
        ({"podIP": "a", "podIPs": [None]}, ["a"]),
        ({"podIP": "", "podIPs": [{"ip": "b"}]}, ["b"]),
        ({"podIPs": [{"ip": "b"}]}, ["b"]),
    ],
)
def test_pod_ip_wins_over_pod_ips(status: dict[str, Any], ips: list[str]) -> None:
    podconversion._STEPS["PodStatus.PodIP"]({"status": status}, Conversion("", ""))
    assert [row["ip"] for row in status["podIPs"]] == ips


def test_a_negative_grace_period_is_one_second_from_1_27() -> None:
    for minor, seconds in (("1.26", -5), ("1.27", 1)):
        pod = {"spec": {"terminationGracePeriodSeconds": -5}}
        podconversion.convert(pod, static_pods(minor))
        assert pod["spec"]["terminationGracePeriodSeconds"] == seconds


def default(name: str) -> Any:
    return next(row for row in default_catalog().kubelet("1.36.0").static_pods.defaults if row.id == name)


def test_an_empty_limits_map_makes_empty_requests_and_null_makes_none() -> None:
    for limits, resources in (({}, {"limits": {}, "requests": {}}), (None, {"limits": None})):
        pod: dict[str, Any] = {"spec": {"containers": [{"resources": {"limits": limits}}]}}
        poddefaults.apply_defaults(pod, static_pods("1.36"))
        assert pod["spec"]["containers"][0]["resources"] == resources


@pytest.mark.parametrize("resources", [None, {}, {"limits": {}}, {"requests": {"cpu": "1"}}])
def test_no_pod_limits_no_pod_requests(resources: Any) -> None:
    spec = {"resources": deep_copy(resources), "containers": [{"resources": {"requests": {"memory": "1"}}}]}
    row = structs.replace(default("PodSpec.Resources.Requests"), argument="requests")
    pod_requests(Site(row, spec))
    assert spec["resources"] == resources


def test_huge_pages_that_requests_or_limits_state_are_not_summed_up() -> None:
    limits = {"hugepages-1Gi": "1Gi", "hugepages-2Mi": "2Mi", "hugepages-4Mi": "4Mi", "cpu": "1"}
    spec: Any = {"resources": {"limits": {"hugepages-1Gi": "2Gi"}, "requests": {"hugepages-2Mi": "8Mi"}}}
    spec["containers"] = [{"resources": {"limits": limits}}]
    pod_limits(Site(default("PodSpec.Resources.Limits"), spec))
    assert sorted(spec["resources"]["limits"]) == ["hugepages-1Gi", "hugepages-4Mi"]
    assert spec["resources"]["requests"] == {"hugepages-2Mi": "8Mi"}


def test_resources_of_a_claim_are_rounded_list_by_list() -> None:
    claim: dict[str, Any] = {"resources": {"requests": {"storage": "1.0005"}, "limits": None, "other": 1}}
    volumes = [
        {"ephemeral": {"volumeClaimTemplate": {"spec": claim}}},
        {"ephemeral": {"volumeClaimTemplate": {"spec": {}}}},
    ]
    poddefaults.apply_defaults({"spec": {"volumes": volumes}}, static_pods("1.19"))
    rounded = Held(((1001, -3), (None,), "", "DecimalSI"))
    assert claim == {
        "volumeMode": "Filesystem",
        "resources": {"requests": {"storage": rounded}, "limits": None, "other": 1},
    }


def test_own_copies_and_reach_stops_at_null() -> None:
    inner = [1]
    copy = deep_copy({"a": inner, "b": (inner,), "c": "t"})
    assert copy == {"a": [1], "b": [[1]], "c": "t"}
    assert copy["a"] is not inner
    assert copy["b"][0] is not copy["a"]
    assert reach({"a": {"b": 1}}, ("a", "b")) == 1
    assert reach({"a": None}, ("a", "b", "c")) is None


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"podIP": "10.0.0.1"}, {"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}]}),
        ({"podIPs": [{"ip": "10.0.0.1"}]}, {"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}]}),
        (
            {"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.2"}, {"ip": "::1"}]},
            {"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}]},
        ),
        ({"podIPs": [{}]}, {"podIP": None, "podIPs": [{}]}),
        ({"podIPs": []}, {"podIPs": []}),
    ],
)
def test_both_forms_of_a_pods_address_agree_from_1_37_on(given: Any, expected: Any) -> None:
    """SetDefaults_PodStatus of 1.37.1, which was in the conversion before."""
    pod = {"spec": {}, "status": given}
    poddefaults.apply_defaults(pod, static_pods("1.37"))
    assert pod["status"] == expected
