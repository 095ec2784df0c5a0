"""Which objects hold pods, what is taken from them, and which of them are manifests."""

from __future__ import annotations

import re
from typing import Any

import pytest

from hashcompat.core.errors import InputError
from hashcompat.core.model.pods import Node, Pod
from hashcompat.sources.objects import Content, read_object
from tests.helpers.pods import ARTICLE, PLAIN, Json, as_json, mirror_pod, node, pod
from tests.helpers.program import Run

TEMPLATE = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [PLAIN]}}
OWNERS: dict[str, dict[str, Any]] = {
    **{
        kind: {"spec": {"template": TEMPLATE}}
        for kind in ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController", "Job")
    },
    "CronJob": {"spec": {"jobTemplate": {"spec": {"template": TEMPLATE}}}},
    "PodTemplate": {"template": TEMPLATE},
}


def read(value: object) -> list[Content]:
    return list(read_object(value, "origin"))


def read_pod(value: object) -> Pod:
    (subject,) = read(value)
    assert isinstance(subject, Pod)
    return subject


@pytest.mark.parametrize("kind", OWNERS)
def test_a_pod_template_is_a_manifest_of_its_owner(kind: str) -> None:
    subject = read_pod(
        {"kind": kind, "metadata": {"name": "x", "namespace": "shop", "uid": "u"}, **OWNERS[kind]}
    )
    assert (subject.owner, subject.namespace, subject.name, subject.manifest, subject.uid) == (
        f"{kind}/x",
        "shop",
        "x",
        True,
        "",
    )
    assert [container.name for container in subject.containers] == ["c"]


@pytest.mark.parametrize("kind", OWNERS)
@pytest.mark.parametrize("listed", [True, False], ids=["in a typed list", "alone"])
def test_a_pod_template_gets_the_hash_of_its_pod(run: Run, kind: str, listed: bool) -> None:
    owner = {"metadata": {"name": "x"}, **OWNERS[kind]}
    given = {"kind": f"{kind}List", "items": [owner]} if listed else {"kind": kind, **owner}
    argv = ("hash", "--kubelet", "1.9.11,1.16.0", "-f", "-", "-o", "json")
    of_a_manifest = run(*argv, stdin=as_json({"kind": "Pod", "spec": {"containers": [PLAIN]}})).item["hashes"]
    assert run(*argv, stdin=as_json(given)).item["hashes"] == of_a_manifest


def test_the_path_in_a_template_is_the_whole_one() -> None:
    broken = {
        "kind": "CronJob",
        "spec": {"jobTemplate": {"spec": {"template": {"spec": {"containers": [1]}}}}},
    }
    with pytest.raises(
        InputError,
        match=r"^origin: \$\.spec\.jobTemplate\.spec\.template\.spec\.containers\[0\]: want an object",
    ):
        read(broken)


@pytest.mark.parametrize(
    ("metadata", "status", "manifest"),
    [
        ({"name": "p"}, None, True),
        ({"name": "p"}, {}, True),
        ({"name": "p", "uid": "u"}, None, False),
        ({"name": "p"}, {"phase": "Running"}, False),
        ({"name": "p", "uid": ""}, None, True),
    ],
)
def test_a_manifest_is_a_pod_with_neither_uid_nor_status(
    metadata: dict[str, str], status: dict[str, str] | None, manifest: bool
) -> None:
    assert (
        read_pod(
            {"kind": "Pod", "metadata": metadata, "spec": {"containers": [PLAIN]}, "status": status}
        ).manifest
        is manifest
    )


def test_a_pod_without_a_namespace_is_in_default_and_may_have_only_a_generated_name() -> None:
    subject = read_pod({"kind": "Pod", "metadata": {"generateName": "web-"}, "spec": {"containers": [PLAIN]}})
    assert (subject.namespace, subject.name) == ("default", "web-")


def test_the_owner_is_the_controller() -> None:
    references = [{"kind": "Lease", "name": "l"}, {"kind": "ReplicaSet", "name": "r", "controller": True}]
    assert read_pod(pod(metadata={"ownerReferences": references})).owner == "ReplicaSet/r"
    assert read_pod(pod(metadata={"ownerReferences": references[:1]})).owner == ""
    assert read_pod(pod(metadata={"ownerReferences": None})).owner == ""


def test_containers_stand_in_the_kubelets_order_with_type_and_path() -> None:
    init = [{"name": "i"}, {"name": "s", "restartPolicy": "Always"}, {"name": "f", "restartPolicy": "Never"}]
    subject = read_pod(pod(spec={"initContainers": init, "ephemeralContainers": [{"name": "e"}]}))
    assert [(container.name, container.type.value, container.path) for container in subject.containers] == [
        ("i", "init", "$.spec.initContainers[0]"),
        ("s", "sidecar", "$.spec.initContainers[1]"),
        ("f", "init", "$.spec.initContainers[2]"),
        ("c", "container", "$.spec.containers[0]"),
        ("e", "ephemeral", "$.spec.ephemeralContainers[0]"),
    ]


def test_a_restart_policy_makes_no_sidecar_of_an_ordinary_container() -> None:
    assert read_pod(pod({"name": "c", "restartPolicy": "Always"})).containers[0].type.value == "container"


STATUS = {
    "phase": "Running",
    "containerStatuses": [
        {"name": "c", "state": {"running": {}}},
        {"name": "d", "state": {"terminated": {}}},
        {"name": "e"},
    ],
    "initContainerStatuses": [{"name": "s", "state": {"running": {}}}],
}


def test_the_status_tells_which_containers_run() -> None:
    containers = [{"name": name} for name in "cdex"]
    subject = read_pod(
        pod(
            *containers,
            status=STATUS,
            spec={"initContainers": [{"name": "s"}], "ephemeralContainers": [{"name": "y"}]},
        )
    )
    assert {container.name: container.running for container in subject.containers} == {
        "s": True,
        "c": True,
        "d": False,
        "e": False,
        "x": None,
        "y": None,
    }


def test_a_pending_pod_runs_nothing() -> None:
    assert read_pod(pod(status={"phase": "Pending"})).containers[0].running is False


RUNS: Json = {"name": "c", "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}}


def with_state(state: object) -> Json:
    return pod(status={"phase": "Running", "containerStatuses": [{**RUNS, "state": state}]})


REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def with_node_affinity(affinity: object) -> Json:
    return pod(spec={"affinity": {"nodeAffinity": affinity}})


WRONG: dict[str, tuple[Json, str]] = {
    "tolerations that are a string": (
        pod(spec={"tolerations": "all"}),
        "spec.tolerations: want a list, got a string",
    ),
    "a node selector that is a list": (
        pod(spec={"nodeSelector": ["ssd"]}),
        "spec.nodeSelector: want an object, got a list",
    ),
    "affinity that is a string": (pod(spec={"affinity": "x"}), "spec.affinity: want an object, got a string"),
    "node affinity that is a number": (
        with_node_affinity(5),
        "spec.affinity.nodeAffinity: want an object, got an integer",
    ),
    "node selector terms that are an object": (
        with_node_affinity({REQUIRED: {"nodeSelectorTerms": {"a": 1}}}),
        f"spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms: want a list, got an object",
    ),
    "statuses that are an object": (
        pod(status={"containerStatuses": {"c": RUNS}}),
        "status.containerStatuses: want a list, got an object",
    ),
    "statuses that are a string": (
        pod(status={"initContainerStatuses": "c"}),
        "status.initContainerStatuses: want a list, got a string",
    ),
    "a status that is null": (
        pod(status={"containerStatuses": [RUNS, None]}),
        "status.containerStatuses[1]: want an object, got null",
    ),
    "a name that is a number": (
        pod(status={"containerStatuses": [{**RUNS, "name": 5}]}),
        "status.containerStatuses[0].name: want a string, got an integer; put it in quotes",
    ),
    "a status without a name": (
        pod(status={"containerStatuses": [{"state": {}}]}),
        "status.containerStatuses[0].name: want the name of a container",
    ),
    "two statuses of one container": (
        pod(status={"containerStatuses": [RUNS, {**RUNS, "state": {"waiting": {}}}]}),
        "status.containerStatuses[1].name: want one status of each container, got two of c",
    ),
    "a state that is a string": (
        with_state("running"),
        "status.containerStatuses[0].state: want an object, got a string",
    ),
    "a state of another case": (
        with_state({"Running": {}}),
        "status.containerStatuses[0].state.Running: want running, waiting or terminated",
    ),
    "a running state that is a boolean": (
        with_state({"running": True}),
        "status.containerStatuses[0].state.running: want an object, got a boolean",
    ),
    "a waiting state that is a string": (
        with_state({"running": {}, "waiting": "x"}),
        "status.containerStatuses[0].state.waiting: want an object, got a string",
    ),
    "a start that is no time": (
        with_state({"running": {"startedAt": "soon"}}),
        "status.containerStatuses[0].state.running.startedAt: want a time such as 2026-01-31T12:00:00Z",
    ),
    "a deletion that is a boolean": (
        pod(metadata={"deletionTimestamp": True}),
        "metadata.deletionTimestamp: want a time such as 2026-01-31T12:00:00Z",
    ),
    "a deletion that is no time": (
        pod(metadata={"deletionTimestamp": "soon"}),
        "metadata.deletionTimestamp: want a time such as 2026-01-31T12:00:00Z",
    ),
    "a phase of another case": (
        pod(status={"phase": "succeeded"}),
        "status.phase: want one of Pending, Running, Succeeded, Failed, Unknown, got succeeded",
    ),
    "conditions that are an object": (
        pod(status={"conditions": {"Ready": "True"}}),
        "status.conditions: want a list, got an object",
    ),
    "owners that are a string": (
        pod(metadata={"ownerReferences": "x"}),
        "metadata.ownerReferences: want a list, got a string",
    ),
    "a controller that is a string": (
        pod(metadata={"ownerReferences": [{"kind": "Job", "name": "j", "controller": "false"}]}),
        "metadata.ownerReferences[0].controller: want true or false, got a string",
    ),
    "volumes that are a string": (pod(spec={"volumes": "x"}), "spec.volumes: want a list, got a string"),
    "a host network that is a string": (
        pod(spec={"hostNetwork": "true"}),
        "spec.hostNetwork: want true or false, got a string",
    ),
    "automount that is a string": (
        pod(spec={"automountServiceAccountToken": "false"}),
        "spec.automountServiceAccountToken: want true or false, got a string",
    ),
}


@pytest.mark.parametrize(
    ("taints", "says"),
    [
        ("x", "taints: want a list, got a string"),
        ([5], "taints[0]: want an object, got an integer"),
        ([{"key": "a", "effect": ["NoExecute"]}], "taints[0].effect: want a string, got a list"),
    ],
)
def test_taints_of_another_type_are_an_error(taints: object, says: str) -> None:
    with pytest.raises(InputError) as caught:
        read({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "spec": {"taints": taints}})
    assert str(caught.value) == f"origin: $.spec.{says}"


@pytest.mark.parametrize(("given", "says"), WRONG.values(), ids=WRONG)
def test_what_is_of_another_type_is_an_error(given: Json, says: str) -> None:
    with pytest.raises(InputError) as caught:
        read(given)
    assert str(caught.value) == f"origin: $.{says}"


@pytest.mark.parametrize(
    ("status", "running"),
    [
        ({"state": {}, "ready": True}, None),
        ({"started": True}, None),
        ({"state": None, "ready": False, "started": True}, None),
        ({"state": {}, "ready": False, "started": False}, False),
        ({"state": {}, "ready": "true"}, False),
        ({"state": {"waiting": {}}, "ready": True}, False),
    ],
)
def test_a_container_that_is_ready_does_not_wait(status: Json, running: bool | None) -> None:
    subject = read_pod(pod(status={"phase": "Running", "containerStatuses": [{"name": "c", **status}]}))
    assert subject.containers[0].running is running


@pytest.mark.parametrize(
    ("state", "running"),
    [
        (None, False),
        ({}, False),
        ({"waiting": None}, False),
        ({"terminated": {}, "running": None}, False),
        ({"waiting": {"reason": "CrashLoopBackOff"}}, False),
        ({"running": None}, True),
        ({"running": None, "waiting": None, "terminated": None}, True),
        ({"running": {}, "waiting": None}, True),
        ({"running": {"startedAt": None}, "paused": {}}, True),
    ],
)
def test_states_as_client_libraries_write_them(state: Json | None, running: bool) -> None:
    assert read_pod(with_state(state)).containers[0].running is running


def test_two_containers_of_one_name_may_have_two_statuses_that_are_equal() -> None:
    rows = [RUNS, {**RUNS, "ready": True}]
    subject = read_pod(pod({"name": "c"}, {"name": "c"}, status={"containerStatuses": rows}))
    assert [container.running for container in subject.containers] == [True, True]


def test_what_client_libraries_write_as_null_is_missing() -> None:
    lists = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses", "conditions")
    subject = read_pod(
        pod(
            metadata={"deletionTimestamp": None, "ownerReferences": None},
            spec={"volumes": None, "hostNetwork": None, "automountServiceAccountToken": None},
            status={"phase": "Running", **dict.fromkeys(lists)},
        )
    )
    assert (subject.deleting, subject.owner, subject.host_network, subject.automount) == (
        False,
        "",
        False,
        None,
    )
    assert subject.containers[0].running is None


@pytest.mark.parametrize(
    ("status", "running"),
    [
        ({"phase": "Running", "containerStatuses": [{**RUNS, "name": "other"}]}, None),
        ({"phase": "Pending", "containerStatuses": [{**RUNS, "name": "other"}]}, False),
        ({"containerStatuses": []}, None),
    ],
)
def test_of_a_container_that_a_status_lacks_nobody_knows_whether_it_runs(
    status: Json, running: bool | None
) -> None:
    assert read_pod(pod(status=status)).containers[0].running is running


def test_a_mirror_pod_that_no_kubelet_reported_on_may_run() -> None:
    """A kubelet makes it of a pod that runs, and the API server may refuse every report on it."""
    pending = {"phase": "Pending"}
    assert read_pod(mirror_pod(status=pending)).containers[0].running is None
    seen: tuple[Json, ...] = ({"startTime": "2026-01-01T00:00:00Z"}, {"containerStatuses": []})
    for reported in seen:
        assert read_pod(mirror_pod(status={**pending, **reported})).containers[0].running is False


def test_a_node_tells_its_kubelet() -> None:
    assert read(node("v1.7.16", "n")) == [Node("n", "v1.7.16")]
    assert read({"kind": "Node"}) == [Node("", "")]


@pytest.mark.parametrize("kind", ["Service", "PodMetrics", "PodSecurityPolicy", "List", "NodeList"])
def test_other_kinds_and_lists_without_items_hold_nothing(kind: str) -> None:
    assert read({"kind": kind, "spec": {"containers": [PLAIN]}}) == []


ANOTHER: Json = {"apiVersion": "v1", "metadata": {"name": "x"}, "spec": {"containers": [PLAIN]}}
NEARLY: dict[str, tuple[Json, str]] = {
    **{
        f"kind {kind!r}": ({**ANOTHER, "kind": kind}, f"kind: want {wanted}, got {shown}")
        for kind, wanted, shown in (
            *(("pod", "Pod", "pod"), ("POD", "Pod", "POD"), ("Pods", "Pod", "Pods")),
            *(("Pod ", "Pod", '"Pod\\x20"'), ("node", "Node", "node"), ("list", "List", "list")),
            *(("Podlist", "PodList", "Podlist"), ("podlist", "PodList", "podlist")),
            ("service", "Service", "service"),
        )
    },
    "a CronJob of another case": (
        {"apiVersion": "batch/v1", "kind": "Cronjob"},
        "kind: want CronJob, got Cronjob",
    ),
    "deployments without a group": ({"kind": "deployments"}, "kind: want Deployment, got deployments"),
    "a budget of another case": (
        {"apiVersion": "policy/v1", "kind": "poddisruptionbudget"},
        "kind: want PodDisruptionBudget, got poddisruptionbudget",
    ),
    "items that are an object": ({"kind": "List", "items": {"a": 1}}, "items: want a list, got an object"),
    "items that are a string": ({"kind": "PodList", "items": "x"}, "items: want a list, got a string"),
    "items of another kind of list": (
        {"apiVersion": "example.com/v1", "kind": "FooList", "items": 1},
        "items: want a list, got an integer",
    ),
    "items of another case": ({"kind": "List", "Items": []}, "Items: want items, got Items"),
}


def test_an_event_of_a_watch_is_no_object_and_what_to_save_is_said() -> None:
    with pytest.raises(InputError) as caught:
        read({"type": "ADDED", "object": pod()})
    says = "$: not a Kubernetes object: it has no kind; an event of a watch; save objects: kubectl get nodes,"
    assert str(caught.value) == f"origin: {says}pods -A -o json > cluster.json"


@pytest.mark.parametrize(("given", "says"), NEARLY.values(), ids=NEARLY)
def test_what_is_nearly_an_object_that_is_read_is_an_error(given: Json, says: str) -> None:
    with pytest.raises(InputError) as caught:
        read(given)
    assert str(caught.value) == f"origin: $.{says}"
    with pytest.raises(InputError) as caught:
        read({"kind": "List", "items": [given]})
    assert str(caught.value) == f"origin: $.items[0].{says}"


@pytest.mark.parametrize(
    "given",
    [
        {"apiVersion": "management.cattle.io/v3", "kind": "Node"},
        {"apiVersion": "example.com/v1", "kind": "pod"},
        {"apiVersion": "serving.knative.dev/v1", "kind": "Service"},
        {"apiVersion": "example.com/v1", "kind": "AllowList", "spec": {"items": {}}},
        {"apiVersion": "v1", "kind": "PodList", "items": None},
        {"apiVersion": "v1", "kind": "Status", "status": "Success"},
        {"apiVersion": "example.com/v1", "kind": "Status", "status": {"phase": "Ready"}},
    ],
)
def test_what_is_of_another_group_or_holds_nothing_is_passed_over(given: Json) -> None:
    assert read(given) == []


@pytest.mark.parametrize("version", [{}, {"apiVersion": "v1"}, {"apiVersion": "meta.k8s.io/v1"}])
def test_a_failure_is_the_error_of_an_api_server(version: Json) -> None:
    with pytest.raises(InputError, match=r"^origin: \$: an error message in place of objects"):
        read({**version, "kind": "Status", "status": "Failure"})


def test_lone_surrogates_in_names_are_replaced() -> None:
    assert read_pod(pod(metadata={"name": "a\ud800b"})).name == "a\ufffdb"


def test_host_network_and_deletion_are_noticed() -> None:
    subject = read_pod(
        pod(spec={"hostNetwork": True}, metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"})
    )
    assert (subject.host_network, subject.deleting) == (True, True)
    assert (read_pod(pod()).host_network, read_pod(pod()).deleting) == (False, False)


def test_nodes_and_their_pods_may_come_from_different_files(run: Run, tmp_path: Any) -> None:
    (tmp_path / "nodes.json").write_bytes(as_json(node("v1.7.16")))
    (tmp_path / "pods.json").write_bytes(as_json(pod(ARTICLE)))
    argv = ("-f", tmp_path / "pods.json", "-f", tmp_path / "nodes.json")
    item = run("plan", "--from", "auto", "--to", "1.9.11", *argv, "-o", "json").item
    assert (item["fromRelease"], item["hash"]["from"]) == ("v1.7.16", 1559107639)


@pytest.mark.parametrize(
    ("given", "path"),
    [
        (pod(metadata={"name": "x" * 1025}), "metadata.name"),
        (pod(metadata={"uid": "x" * 1025}), "metadata.uid"),
        (pod({"name": "x" * 1025}), "spec.containers[0].name"),
        (node("v1.9.11", "x" * 1025), "metadata.name"),
    ],
)
def test_a_name_is_not_longer_than_any_of_kubernetes(given: Json, path: str) -> None:
    with pytest.raises(InputError, match=re.escape(f"$.{path}: more than 1,024 characters")):
        list(read_object(given, "f"))
