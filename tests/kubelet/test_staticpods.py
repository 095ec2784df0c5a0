"""Static pods: every text and UID of the golden data, and which sections a UID depends on."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcompat.core.catalog.lookup import Catalog, default_catalog
from hashcompat.core.errors import DecodeError, UndecidedError, UsageError
from hashcompat.core.kubelet.hashing import hashers
from hashcompat.core.kubelet.staticpods import (
    StaticUid,
    refusal,
    static_containers,
    static_pod_text,
    static_pod_uid,
)
from tests.helpers.golden import files, rows
from tests.helpers.manifests import CASES, MINORS, RELEASES, case, newest, uids
from tests.helpers.slices import every

KUBEADM = [name for name in CASES if name.startswith("kubeadm-")]


def minimal() -> dict[str, Any]:
    return copy.deepcopy(case("minimal")[0])


def uid_of(
    release: str, manifest: dict[str, Any], node: str = "node-a", source: str = "file:/m/web.yaml"
) -> StaticUid:
    return static_pod_uid(manifest, default_catalog().kubelet(release), node, source)


@pytest.mark.parametrize("release", every(2, RELEASES))
def test_every_golden_text_and_uid(catalog: Catalog, release: str) -> None:
    kubelet = catalog.kubelet(release)
    for name in CASES:
        manifest, node, source = case(name)
        assert static_pod_text(manifest, kubelet) == rows("staticpods", release)[name]["text"], name
        uid = StaticUid(uids(release)[name], is_set=name == "uid-given")
        assert static_pod_uid(manifest, kubelet, node, source) == uid, name


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("release", RELEASES)
def test_every_golden_container_text_and_hash(catalog: Catalog, release: str) -> None:
    kubelet = catalog.kubelet(release)
    (hasher,) = hashers(kubelet, keep_empty=True)
    for name in CASES:
        manifest = case(name)[0]
        ephemeral = len(manifest["spec"].get("ephemeralContainers") or ())
        containers = [*static_containers(manifest, kubelet).values()]
        compared = containers[: len(containers) - ephemeral]
        hashes = [{"hash": hasher.hash(container), "text": hasher.text(container)} for container in compared]
        assert hashes == rows("staticpods", release)[name]["containers"], name


def test_no_golden_file_is_unused() -> None:
    assert files("staticpods") == {f"{name}.jsonl" for name in ("inputs", *RELEASES)}
    assert all(list(uids(release)) == CASES == sorted(CASES) for release in RELEASES)


def test_there_is_enough_of_it() -> None:
    assert len(CASES) >= 74
    assert len(RELEASES) >= 10


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("minor", every(3, MINORS))
def test_every_minor_names_what_kubeadm_writes(minor: str) -> None:
    for name in KUBEADM:
        manifest, node, source = case(name)
        uid = static_pod_uid(manifest, default_catalog().kubelet(newest(minor)), node, source)
        assert (len(uid.uid or ""), uid.is_set, uid.unknown) == (32, False, "")


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("minor", every(3, MINORS))
def test_every_minor_decodes_every_case(minor: str) -> None:
    package = "core" if MINORS.index(minor) >= MINORS.index("1.9") else "api"
    for name in CASES:
        if minor in ("1.6", "1.7") and "init-containers" in name:
            continue
        assert static_pod_text(case(name)[0], default_catalog().kubelet(newest(minor))).startswith(
            f"(*{package}.Pod){{"
        )


def test_an_unchanged_tree_gives_the_same_text_and_a_changed_one_another() -> None:
    texts = [static_pod_text(minimal(), default_catalog().kubelet(newest(minor))) for minor in MINORS]
    same = {
        f"{minor}-{other}"
        for minor, other, a, b in zip(MINORS, MINORS[1:], texts, texts[1:], strict=False)
        if a == b
    }
    assert same == {"1.16-1.17", "1.19-1.20", "1.20-1.21", "1.21-1.22", "1.28-1.29"}


@pytest.mark.parametrize("release", ["1.6.13", "1.15.12", "1.16.15", "1.20.15"])
def test_to_1_20_node_and_path_do_not_count(release: str) -> None:
    assert (
        len(
            {
                uid_of(release, minimal(), node, f"{kind}/x").uid
                for node in "ab"
                for kind in ("file:", "url:http:/", "file:/m")
            }
        )
        == 1
    )


@pytest.mark.parametrize("release", ["1.21.14", "1.34.10", "1.35.0", "1.36.3"])
def test_from_1_21_node_and_path_count_but_no_node_for_a_url(release: str) -> None:
    assert (
        len({uid_of(release, minimal(), node, f"file:{path}").uid for node in "ab" for path in ("/a", "/b")})
        == 4
    )
    assert len({uid_of(release, minimal(), node, "url:http://x").uid for node in "ab"}) == 1


@pytest.mark.parametrize("release", RELEASES)
def test_a_given_uid_is_taken(release: str) -> None:
    manifest = minimal()
    manifest["metadata"] |= {"uid": "abc", "creationTimestamp": "2026-01-31T12:00:00Z"}
    assert uid_of(release, manifest) == StaticUid("abc", is_set=True)


@pytest.mark.parametrize("release", RELEASES)
def test_a_time_makes_a_uid_unknown_and_null_does_not(release: str) -> None:
    manifest = minimal()
    manifest["metadata"]["creationTimestamp"] = None
    assert uid_of(release, manifest) == uid_of(release, minimal())
    manifest["metadata"]["creationTimestamp"] = "2026-01-31T12:00:00Z"
    reason = "$.metadata.creationTimestamp: a time, whose text contains the time zone of the host"
    assert uid_of(release, manifest) == StaticUid(None, unknown=reason)
    with pytest.raises(UndecidedError, match="creationTimestamp: a time"):
        static_pod_text(manifest, default_catalog().kubelet(release))


def test_before_1_6_nothing_is_known() -> None:
    assert uid_of("1.5.8", minimal()) == StaticUid(
        None,
        unknown="no data on static pods of 1.5.8; there are data from 1.6 to the newest release that ships "
        "with this program",
    )


def test_a_uid_that_a_manifest_sets_decides_nothing_before_1_6_where_defaults_are_hashed() -> None:
    given = minimal()
    given["metadata"]["uid"] = "0" * 32
    assert uid_of("1.5.8", given).uid is None
    assert uid_of("1.6.13", given) == StaticUid("0" * 32, is_set=True)


@pytest.mark.parametrize("release", ["1.6.13", "1.7.16"])
def test_1_6_and_1_7_read_init_containers_from_annotations(release: str) -> None:
    uid = uid_of(release, case("annotation-init-containers")[0])
    assert uid == StaticUid(
        None, unknown="$.metadata.annotations: init containers in annotations, which this release reads"
    )


@pytest.mark.parametrize("source", ["", "file:", "/etc/x", "ftp:/x"])
def test_a_source_is_a_file_or_a_url(source: str) -> None:
    with pytest.raises(UsageError, match="is not a source of static pods; want file:<path> or url:<url>"):
        uid_of("1.30.0", minimal(), source=source)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"kind": "Service"}, r"^\.kind: want Pod"),
        ({"apiVersion": "v2"}, r"^\.apiVersion: want v1"),
        ({"spec": []}, r"^\.spec: want an object, got a list"),
        ({"spec": {"hostNetwork": "yes"}}, r"^\.spec\.hostNetwork: want true or false, got a string"),
        ({"spec": {"serviceAccount": 1}}, r"^\.spec\.serviceAccount: want a string, got an integer"),
        (
            {"spec": {"containers": [{}, {"ports": [{"hostPort": "x"}]}]}},
            r"^\.spec\.containers\[1\]\.ports\[0\]\.hostPort: want an integer",
        ),
        ({"metadata": {"creationTimestamp": "yesterday"}}, r"^\.metadata\.creationTimestamp: want a time"),
        ({"status": {"podIP": {}}}, r"^\.status\.podIP: want a string, got an object"),
    ],
)
def test_what_no_kubelet_could_decode(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(DecodeError, match=problem):
        uid_of("1.36.3", {**minimal(), **change})


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no name": ({"metadata": {}}, "$.metadata.name: missing"),
    "an underscore in a name": ({"metadata": {"name": "Web_1"}}, "$.metadata.name: not a DNS subdomain"),
    "a name that is long with its node": ({"metadata": {"name": "x" * 250}}, "$.metadata.name: not a DNS"),
    "a namespace with a dot": (
        {"metadata": {"name": "a", "namespace": "a.b"}},
        "$.metadata.namespace: not a",
    ),
    "another version": ({"apiVersion": "v1beta1"}, "$.apiVersion: want v1"),
    "another policy": ({"spec": {"restartPolicy": "Sometimes"}}, "$.spec.restartPolicy: want Always"),
    "no image": ({"spec": {"containers": [{"name": "a"}]}}, "$.spec.containers[0].image: missing"),
    "no quantity": (
        {"spec": {"containers": [{"name": "a", "resources": {"limits": {"cpu": "lots"}}}]}},
        "$.spec.containers[0].resources.limits['cpu']: not a quantity",
    ),
    "no name of a container": (
        {"spec": {"containers": [{"image": "b"}]}},
        "$.spec.containers[0].name: missing",
    ),
    "a container twice": (
        {"spec": {"initContainers": [{"name": "web", "image": "b"}]}},
        "$.spec.initContainers[0].name: given twice",
    ),
    "a volume with a dot": (
        {"spec": {"volumes": [{"name": "a.b"}]}},
        "$.spec.volumes[0].name: not a DNS label",
    ),
    "no such volume": (
        {"spec": {"initContainers": [{"name": "a", "image": "b", "volumeMounts": [{"mountPath": "/a"}]}]}},
        "$.spec.initContainers[0].volumeMounts[0].name: no such volume",
    ),
    "a mount nowhere": (
        {
            "spec": {
                "volumes": [{"name": "v"}],
                "initContainers": [{"name": "a", "image": "b", "volumeMounts": [{"name": "v"}]}],
            }
        },
        "$.spec.initContainers[0].volumeMounts[0].mountPath: missing",
    ),
    "two mounts in one place": (
        {
            "spec": {
                "volumes": [{"name": "v"}],
                "initContainers": [
                    {"name": "a", "image": "b", "volumeMounts": [{"name": "v", "mountPath": "/a"}] * 2}
                ],
            }
        },
        "$.spec.initContainers[0].volumeMounts[1].mountPath: given twice",
    ),
}


def first(**more: Any) -> Any:
    return {"spec": {"containers": [{"name": "a", "image": "i", **more}]}}


def port(**fields: Any) -> Any:
    return first(ports=[fields])


FIRST = "$.spec.containers[0]."
REFUSED |= {
    "a word": (first(imagePullPolicy="Sometimes"), f"{FIRST}imagePullPolicy: want Always"),
    "a message": (first(terminationMessagePolicy="Mail"), f"{FIRST}terminationMessagePolicy: want File"),
    "a resolver": ({"spec": {"dnsPolicy": "Best"}}, "$.spec.dnsPolicy: want ClusterFirst"),
    "a deadline": ({"spec": {"activeDeadlineSeconds": 0}}, "$.spec.activeDeadlineSeconds: want 1"),
    "no port": (port(hostPort=1), f"{FIRST}ports[0].containerPort: want 1 to 65535"),
    "a high port": (port(containerPort=99999), f"{FIRST}ports[0].containerPort: want 1 to 65535"),
    "a high host port": (port(containerPort=1, hostPort=70000), f"{FIRST}ports[0].hostPort: want 1"),
    "a protocol": (port(containerPort=1, protocol="tcp"), f"{FIRST}ports[0].protocol: want TCP"),
    "a port's name": (port(containerPort=1, name="A_1"), f"{FIRST}ports[0].name: not the name"),
    "two ports": (
        first(ports=[{"containerPort": 1, "name": "a"}, {"containerPort": 2, "name": "a"}]),
        f"{FIRST}ports[1].name: given twice",
    ),
    "no variable": (first(env=[{"value": "1"}]), f"{FIRST}env[0].name: missing"),
    "too much": (
        first(resources={"limits": {"cpu": "1"}, "requests": {"cpu": "1100m"}}),
        f"{FIRST}resources.requests['cpu']: more than the limit",
    ),
    "less than nothing": (
        first(resources={"limits": {"memory": "-1Gi"}}),
        f"{FIRST}resources.limits['memory']: negative",
    ),
    "no probe": (first(livenessProbe={"periodSeconds": 1}), f"{FIRST}livenessProbe: want one of"),
    "two probes": (
        first(readinessProbe={"exec": {"command": ["a"]}, "tcpSocket": {"port": 1}}),
        f"{FIRST}readinessProbe: want one of",
    ),
    "a negative period": (
        first(livenessProbe={"exec": {"command": ["a"]}, "periodSeconds": -1}),
        f"{FIRST}livenessProbe.periodSeconds: negative",
    ),
    "a live threshold": (
        first(livenessProbe={"exec": {"command": ["a"]}, "successThreshold": 2}),
        f"{FIRST}livenessProbe.successThreshold: want 1",
    ),
    "a port that moves": (
        {"spec": {"hostNetwork": True, **port(containerPort=1, hostPort=2)["spec"]}},
        f"{FIRST}ports[0].hostPort: not the containerPort",
    ),
}


@pytest.mark.parametrize(
    "change",
    [
        port(containerPort=1, hostPort=2, protocol="SCTP", name="a-1"),
        first(imagePullPolicy="", resources={"requests": {"cpu": "1"}, "limits": {"cpu": "1000m"}}),
        first(readinessProbe={"exec": {"command": ["a"]}, "successThreshold": 2}),
        {"spec": {"hostNetwork": True, **port(containerPort=1)["spec"]}},
    ],
)
def test_what_kubelets_run(change: Any) -> None:
    manifest = minimal()
    assert refusal({**manifest, "spec": {**manifest["spec"], **change["spec"]}}, "node-a") == ""


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_kubelet_runs(name: str) -> None:
    change, why = REFUSED[name]
    manifest = minimal()
    spec = {**manifest["spec"], **change.get("spec", {})}
    assert refusal({**manifest, **change, "spec": spec}, "node-a").startswith(why)


@pytest.mark.parametrize("given", [{}, {"apiVersion": ""}])
def test_a_manifest_without_its_version_is_read_by_no_kubelet(given: dict[str, str]) -> None:
    manifest = {key: value for key, value in minimal().items() if key != "apiVersion"}
    assert refusal({**manifest, **given}, "n").startswith("$.apiVersion: ")


def test_what_only_some_releases_refuse_is_left_to_them() -> None:
    manifest = minimal()
    assert refusal({**manifest, "spec": {**manifest["spec"], "ephemeralContainers": "x"}}, "n") == ""
    metadata = {**manifest["metadata"], "creationTimestamp": "2020-01-01T00:00:00Z"}
    assert refusal({**manifest, "metadata": metadata}, "n") == ""


def test_what_go_decodes_is_run_but_for_two_pods_that_are_not_valid() -> None:
    refused = {name: why for name in CASES if (why := refusal(case(name)[0], case(name)[1]))}
    assert refused == {
        "images": "$.spec.containers[8].image: missing",
        "resources": "$.spec.containers[4].resources.requests['memory']: more than the limit",
    }


def test_what_is_no_object_is_no_pod() -> None:
    wrong: Any = []
    with pytest.raises(DecodeError, match="want a Pod, got a list"):
        uid_of("1.36.3", wrong)


def test_an_item_of_a_list_may_leave_its_kind_out() -> None:
    manifest = minimal()
    del manifest["kind"], manifest["apiVersion"]
    assert uid_of("1.36.3", manifest) == uid_of("1.36.3", minimal())


@pytest.mark.parametrize("release", [newest(minor) for minor in MINORS])
def test_null_in_a_list_is_an_empty_object_and_gets_defaults(release: str) -> None:
    items: tuple[Any, Any] = ({}, None)
    empty, null = ({"spec": {"containers": [item, {"ports": [item]}], "volumes": [item]}} for item in items)
    assert uid_of(release, null) == uid_of(release, empty)


def test_before_1_16_whatever_is_in_place_of_ephemeral_containers_is_ignored(catalog: Catalog) -> None:
    manifest = {"spec": {"containers": [{"name": "web"}], "ephemeralContainers": 1}}
    kubelet = catalog.kubelet(newest("1.15"))
    assert [container["name"] for container in static_containers(manifest, kubelet).values()] == ["web"]
    with pytest.raises(DecodeError, match="ephemeralContainers"):
        static_containers(manifest, catalog.kubelet(newest("1.16")))


def test_a_spec_that_is_no_object_has_no_containers(catalog: Catalog) -> None:
    with pytest.raises(DecodeError, match="spec"):
        static_containers({"spec": 1}, catalog.kubelet(newest("1.36")))


def test_nothing_of_the_manifest_is_changed_and_shared_parts_are_not_confused() -> None:
    shared = {"limits": {"cpu": "1"}}
    manifest = {
        "spec": {"containers": [{"resources": shared}], "ephemeralContainers": [{"resources": shared}]}
    }
    before = copy.deepcopy(manifest)
    text = static_pod_text(manifest, default_catalog().kubelet("1.36.3"))
    assert manifest == before
    assert text.count("Requests:(core.ResourceList)map[cpu:") == 1


@pytest.mark.usefixtures("untraced")
@given(st.sampled_from(RELEASES), st.sampled_from(CASES), st.text(max_size=20))
def test_more_text_in_a_label_is_another_uid(release: str, name: str, text: str) -> None:
    manifest = copy.deepcopy(case(name)[0])
    pod_uids = []
    for value in (text, text + "x"):
        manifest["metadata"] = {**(manifest.get("metadata") or {}), "labels": {"l": value}, "uid": None}
        pod_uids.append(uid_of(release, manifest).uid)
    assert pod_uids[0] != pod_uids[1]
