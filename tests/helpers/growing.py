"""Inputs that grow in one dimension that an attacker chooses, and the commands that read them: a row each.

A maker returns files for a size; each row has the smallest size and the commands, by their names in
``COMMANDS``. A new dimension is a new row.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from hashcompat.cli import main
from tests.helpers.dumps import as_text, docker_row, dump

Json = dict[str, Any]
Files = Mapping[str, str]

PODS: Final = "pods.json"
RECORDS: Final = "records"
DUMP: Final = "dump"

_UP = "--from 1.9.11 --to 1.31.14"
_NEAR = "--from 1.30.14 --to 1.31.14"
_REPORTS = ("json", "markdown", "junit", "sarif", "github", "gitlab", "html", "prometheus", "csv", "yaml")
_EVERY = " ".join(f"--report {form}=out.{form}" for form in _REPORTS)

COMMANDS: Final[Mapping[str, str]] = {
    "plan": f"plan --from 1.14.10 --to 1.17.17 --jobs 1 -f {PODS}",
    "far": f"plan {_UP} --jobs 1 -f {PODS}",
    "reports": f"plan {_NEAR} --jobs 1 -f {PODS} --details --group-by none {_EVERY}",
    "near": f"plan {_NEAR} --jobs 1 -f {PODS} -o json",
    "auto": f"plan --from auto --to 1.31.14 --jobs 1 -f {PODS} -o wide",
    "explain": f"explain d/p {_NEAR} -f {PODS} --full -o json",
    "explain far": f"explain d/p {_UP} -f {PODS}",
    "explain nothing": f"explain d/absent {_NEAR} -f {PODS}",
    "hash": f"hash --kubelet 1.9.11,1.31.14 -f {PODS} --show-input --show-values -o json",
    "matrix": f"matrix --from 1.30.14 --to 1.31.14 -f {PODS}",
    "snapshot": f"snapshot -f {PODS} --out snapshot.json",
    "gate": f"gate {_NEAR} -f {PODS} --max-restarts 10% --max-per-owner 10% -o json {_EVERY}",
    "impact": f"impact {_NEAR} -f {PODS} -o markdown --all-budgets --batch 8",
    "verify": f"verify --from 1.30.14 -f {PODS} --recorded {RECORDS} -o json",
    "recorded": f"plan {_NEAR} --jobs 1 -f {PODS} --recorded {RECORDS} -o json",
    "audit": f"patch --audit --strategy strip --kubelet 1.9.11 --like 1.7.16 -f {PODS}",
    "static": f"plan {_NEAR} --static-pod-dir manifests --node-name n -o json",
    "static hash": "hash --kubelet 1.30.14,1.31.14 --static-pod-dir manifests --node-name n",
    "preflight": f"preflight --to 1.31.14 --dump {DUMP} -f {PODS} -o json",
    "preflight dump": f"preflight --from 1.30.14 --to 1.31.14 --dump {DUMP} -o json",
    "no node": f"preflight --to 1.31.14 --no-node -f {PODS} -o json",
    "convert": f"convert plan.json -o wide {_EVERY}",
    "diff": "diff plan.json plan.json --detailed-exitcode -o wide",
    "gate plan": f"gate --plan plan.json --baseline plan.json -o json {_EVERY}",
    "from snapshot": f"plan {_NEAR} --jobs 1 -f snapshot.json -o json",
}
"""Each with what it is called in a row; options of rows are added at the end."""

OF_PODS: Final = (
    *("plan", "far", "reports", "near", "explain", "explain far", "hash", "matrix", "snapshot"),
    *("gate", "impact", "audit", "no node"),
)
"""The commands that read pods."""


@dataclass(frozen=True)
class Row:
    """A dimension."""

    name: str
    make: Callable[[int], Files]
    size: int
    """The least size; the largest is eight times that."""
    commands: tuple[str, ...] = OF_PODS
    options: Callable[[int], list[str]] = lambda _: []
    """What is added to the commands' arguments."""
    codes: tuple[int, ...] = (0, 2, 3)
    """The codes with which the commands may end."""


def written(files: Files, directory: Path) -> None:
    """Write the files of a row."""
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="surrogatepass")


class _Kept(io.BytesIO):
    """Bytes that are still there when the stream that wrote them is gone: a command may close its own."""

    def close(self) -> None:
        """Keep them."""


@contextmanager
def silent() -> Iterator[io.BytesIO]:
    """Keep what is printed, and yield what goes to stderr."""
    err = _Kept()
    streams = (io.TextIOWrapper(kept, "utf-8", write_through=True) for kept in (io.BytesIO(), err))
    with redirect_stdout(next(streams)), redirect_stderr(next(streams)):
        yield err


def ran(command: str, more: list[str]) -> tuple[int, str]:
    """Run a command in the current directory; return its code and what it wrote to stderr."""
    sys.stdin = io.TextIOWrapper(io.BytesIO())
    with silent() as err:
        code = main._run("hashcompat", [*command.split(), *more])
    return int(code), err.getvalue().decode(errors="replace")


# What rows are made of.


def pod(name: str = "p", *, spec: Json | None = None, status: Json | None = None, **metadata: Any) -> Json:
    """Return a pod as an API server returns it."""
    more = {"uid": f"11111111-1111-4111-8111-{abs(hash(name)) % 10**12:012}", **metadata}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "d", **more},
        "spec": {"nodeName": "n", "containers": [container("c")], **(spec or {})},
        "status": {"phase": "Running", **(status or {})},
    }


def p(place: int) -> str:
    """Return the name of one of several pods; commands ask for the first."""
    return f"p{place}" if place else "p"


def container(name: str, **more: Any) -> Json:
    return {"name": name, "image": "registry.example/i:1", **more}


def node(name: str = "n", release: str = "v1.30.14", *, spec: Json | None = None, **metadata: Any) -> Json:
    info = {"kubeletVersion": release, "containerRuntimeVersion": "containerd://1.7.0"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "uid": f"u-{name}", "labels": {"kubernetes.io/os": "linux"}, **metadata},
        "spec": spec or {},
        "status": {"nodeInfo": info},
    }


def objects(*manifests: Json) -> Files:
    """Return a file with objects."""
    return {PODS: json.dumps({"apiVersion": "v1", "kind": "List", "items": list(manifests)})}


def one(spec: Json | None = None, status: Json | None = None, **metadata: Any) -> Files:
    """Return a file with a pod and its node."""
    return objects(node(), pod(spec=spec, status=status, **metadata))


def in_container(**more: Any) -> Files:
    return one({"containers": [container("c", **more)]})


def named(prefix: str, number: int) -> list[Json]:
    return [{"name": f"{prefix}{place}"} for place in range(number)]


def containers(number: int, **more: Any) -> list[Json]:
    return [container(f"c{place}", **more) for place in range(number)]


def with_statuses(number: int) -> Files:
    specs = containers(number)
    statuses = [
        {
            "name": spec["name"],
            "state": {"running": {"startedAt": "2024-01-01T00:00:00Z"}},
            "restartCount": 0,
            "containerID": f"containerd://{place:064x}",
        }
        for place, spec in enumerate(specs)
    ]
    return one({"containers": specs}, {"containerStatuses": statuses})


def of_types(number: int, *, sidecars: bool = False) -> Files:
    """Return a pod of that many containers in each list."""
    always = {"restartPolicy": "Always"} if sidecars else {}
    init = [container(f"i{place}", **always) for place in range(number)]
    ephemeral = [container(f"e{place}") for place in range(number)]
    spec = {"containers": containers(number), "initContainers": init, "ephemeralContainers": ephemeral}
    return one(spec)


def mirror(number: int) -> Files:
    annotations = {
        "kubernetes.io/config.mirror": "0" * 32,
        "kubernetes.io/config.hash": "0" * 32,
        "kubernetes.io/config.source": "file",
    }
    owners = [{"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u-n", "controller": True}]
    mirror_pod = pod(
        "p-n", spec={"containers": containers(number)}, annotations=annotations, ownerReferences=owners
    )
    return objects(node(), mirror_pod)


def manifest(number: int) -> Json:
    first = [{**entry, "name": f"i-{entry['name']}"} for entry in containers(number)]
    spec = {"containers": containers(number), "initContainers": first}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "d"}, "spec": spec}


def images_by_containers(number: int) -> Files:
    """Return a manifest's containers and volumes of images, each mounted by one of them."""
    volumes = [{"name": f"v{place}", "image": {"reference": "i"}} for place in range(number)]
    specs = [
        container(f"c{at}", volumeMounts=[{"name": f"v{at}", "mountPath": "/m"}]) for at in range(number)
    ]
    given = manifest(number)
    return objects(node(), {**given, "spec": {"volumes": volumes, "containers": specs}})


def tolerant(number: int) -> Files:
    """Return containers, tolerations and taints, a number of each."""
    tolerations = [{"key": f"k{place}", "operator": "Exists"} for place in range(number)]
    taints = [{"key": f"k{place}", "effect": "NoExecute"} for place in range(number)]
    return objects(
        node(spec={"taints": taints}),
        pod(spec={"containers": containers(number), "tolerations": tolerations}),
    )


def selecting(number: int) -> Files:
    """Return affinity terms, each with an expression, and labels, a number of each."""
    labels = {f"k{place}": "v" for place in range(number)}
    terms = [
        {"matchExpressions": [{"key": f"k{place}", "operator": "In", "values": ["w"]}]}
        for place in range(number)
    ]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    spec = {
        "containers": containers(number),
        "affinity": {"nodeAffinity": required},
        "nodeSelector": labels,
    }
    return objects(node(labels=labels), pod(spec=spec))


def values_of_terms(number: int) -> Files:
    """Return one expression with a number of values, and another with a number of keys."""
    values = [f"v{place}" for place in range(number)]
    terms = [
        {"matchExpressions": [{"key": f"k{place}", "operator": "NotIn", "values": values[:4]}]}
        for place in range(number)
    ]
    terms.append({"matchExpressions": [{"key": "k", "operator": "In", "values": values}] * 4})
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    return one({"affinity": {"nodeAffinity": required}, "containers": containers(number)})


def devices(number: int) -> Files:
    limits = [{"limits": {f"example.com/d{place}": "1"}} for place in range(number)]
    return one({"containers": [container(f"c{at}", resources=of) for at, of in enumerate(limits)]})


def mounted(number: int) -> Files:
    """Return volumes and mounts of them, a number of each."""
    volumes = [{"name": f"v{place}", "image": {"reference": "i"}} for place in range(number)]
    mounts = [{"name": f"v{place}", "mountPath": f"/m{place}"} for place in range(number)]
    return one({"volumes": volumes, "containers": [container("c", volumeMounts=mounts)]})


def volumes_by_containers(number: int) -> Files:
    volumes = [{"name": f"v{place}", "emptyDir": {}} for place in range(number)]
    mount = {"mountPath": "/m"}
    specs = [container(f"c{at}", volumeMounts=[{**mount, "name": f"v{at}"}]) for at in range(number)]
    return one({"volumes": volumes, "containers": specs})


def pods(number: int, **more: Any) -> Files:
    return objects(node(), *(pod(p(place), **more) for place in range(number)))


def pods_of_namespaces(number: int) -> Files:
    return objects(node(), *(pod(p(place), namespace=f"d{place}") for place in range(number)))


def different_pods(number: int) -> Files:
    manifests = [
        pod(p(place), spec={"containers": [container("c", args=[f"a{place}"], env=named("E", place % 7))]})
        for place in range(number)
    ]
    return objects(node(), *manifests)


def pods_of_nodes(number: int) -> Files:
    nodes = [node(f"n{place}", f"v1.{24 + place % 8}.1") for place in range(number)]
    return objects(*nodes, *(pod(p(at), spec={"nodeName": f"n{at}"}) for at in range(number)))


def copies(number: int) -> Files:
    """Return pods of one name, each with a uid of its own."""
    uids = (f"22222222-1111-4111-8111-{place:012}" for place in range(number))
    return objects(node(), *(pod("p", uid=uid) for uid in uids))


def owned(number: int, *, distinct: bool = True) -> Files:
    """Return a number of ReplicaSets of as many Deployments, each with a pod."""
    manifests: list[Json] = []
    for place in range(number):
        above = f"w{place if distinct else 0}"
        names = {"apiVersion": "apps/v1", "controller": True}
        deployment = {**names, "kind": "Deployment", "name": above, "uid": f"u{above}"}
        replicaset = {**names, "kind": "ReplicaSet", "name": f"r{place}", "uid": f"ur{place}"}
        template = {"metadata": {"labels": {"a": above}}, "spec": {"containers": [container("c")]}}
        metadata = {
            "name": f"r{place}",
            "namespace": "d",
            "uid": f"ur{place}",
            "ownerReferences": [deployment],
        }
        spec = {"replicas": 1, "template": template}
        manifests.append({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": metadata, "spec": spec})
        manifests.append(pod(p(place), ownerReferences=[replicaset], labels={"a": above}))
    return objects(node(), *manifests)


def budgets(number: int) -> Files:
    """Return a number of budgets, and as many pods whose labels differ."""
    manifests: list[Json] = []
    for place in range(number):
        selector = {"matchLabels": {"app": f"a{place}"}}
        metadata = {"name": f"b{place}", "namespace": "d"}
        kind = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget"}
        manifests.append({**kind, "metadata": metadata, "spec": {"minAvailable": 1, "selector": selector}})
        manifests.append(pod(p(place), labels={"app": f"a{place}", "own": f"{place}"}))
    return objects(node(), *manifests)


def budgets_that_exclude(number: int) -> Files:
    """Return a number of budgets whose selectors name no value, and as many pods of other labels."""
    manifests: list[Json] = []
    for place in range(number):
        rows = [{"key": f"k{place}", "operator": "Exists"}]
        metadata = {"name": f"b{place}", "namespace": "d"}
        kind = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget"}
        spec = {"minAvailable": 1, "selector": {"matchExpressions": rows}}
        manifests.append({**kind, "metadata": metadata, "spec": spec})
        manifests.append(pod(p(place), labels={f"k{place}": "v"}))
    return objects(node(), *manifests)


def expressions_of_a_budget(number: int) -> Files:
    values = [f"v{place}" for place in range(number)]
    rows = [
        {"key": "app", "operator": "In", "values": values},
        {"key": "x", "operator": "NotIn", "values": values},
    ]
    kind = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget"}
    budget = {
        **kind,
        "metadata": {"name": "b", "namespace": "d"},
        "spec": {"minAvailable": 1, "selector": {"matchExpressions": rows}},
    }
    manifests = [pod(p(place), labels={"app": f"w{place}", "x": f"y{place}"}) for place in range(number)]
    return objects(node(), budget, *manifests)


def cri(number: int, *, one_pod: bool = False, sandboxes: int = 0) -> Files:
    """Return rows of crictl, and the pods that they are of."""
    rows, manifests = [], []
    uid = "33333333-1111-4111-8111-{:012}".format
    for place in range(number):
        at = 0 if one_pod else place
        labels = {
            "io.kubernetes.container.name": f"c{place}",
            "io.kubernetes.pod.name": f"p{at}",
            "io.kubernetes.pod.namespace": "d",
            "io.kubernetes.pod.uid": uid(at),
        }
        rows.append(
            {
                "id": f"{place:064x}",
                "podSandboxId": f"{at:060x}cccc",
                "metadata": {"name": f"c{place}", "attempt": 0},
                "state": "CONTAINER_RUNNING",
                "createdAt": "1700000000000000000",
                "labels": labels,
                "annotations": {"io.kubernetes.container.hash": "1234abcd"},
            }
        )
        if not one_pod:
            manifests.append(pod(p(place), spec={"containers": [container(f"c{place}")]}, uid=uid(place)))
    if one_pod:
        manifests.append(pod("p0", spec={"containers": containers(number)}, uid=uid(0)))
    pods_ = [
        {
            "id": f"{place:060x}dddd",
            "metadata": {"name": "p0", "namespace": "d", "uid": uid(0), "attempt": place},
            "state": "SANDBOX_READY",
            "createdAt": str(1700000000000000000 + place),
        }
        for place in range(sandboxes)
    ]
    text = json.dumps({"containers": rows}) + "\n" + json.dumps({"items": pods_})
    return {**objects(node(), *manifests), RECORDS: text}


def of_one_name(number: int, *, with_uids: bool = True) -> Files:
    """Return Docker's rows of containers of one name, each of another uid, and as many pods without one."""
    rows = []
    for place in range(number):
        uid = f"44444444-1111-4111-8111-{place:012}" if with_uids else f"uid{place}"
        labels = {
            "io.kubernetes.docker.type": "container",
            "io.kubernetes.pod.name": "p",
            "io.kubernetes.pod.namespace": "d",
            "io.kubernetes.pod.uid": uid,
            "io.kubernetes.container.name": "c",
            "annotation.io.kubernetes.container.hash": "1234abcd",
        }
        rows.append(docker_row(f"{place:064x}", f"k8s_c_p_d_{uid}_{place}", "container", **labels))
    manifests = [
        {"kind": "Pod", "metadata": {"name": "p", "namespace": "d"}, "spec": {"containers": [container("c")]}}
    ]
    return {**objects(node(), pod(), *(manifests * number)), RECORDS: json.dumps(rows)}


def log(number: int, *, same: bool = False) -> Files:
    line = (
        'I0102 12:00:{:02}.000000       1 kuberuntime_manager.go:550] Container "c" ({{"docker" "{}"}}) of '
        "pod p{}_d(55555555-1111-4111-8111-{:012}): Container spec hash changed (1 vs {}).. "
        "Container will be killed and recreated.\n"
    )
    lines = [line.format(at % 60, at, at * (not same), at * (not same), at) for at in range(number)]
    manifests = [pod(p(at), uid=f"55555555-1111-4111-8111-{at:012}") for at in range(number)]
    return {**objects(node(), *manifests), RECORDS: "".join(lines)}


def broken_log(number: int) -> Files:
    """Return a line that almost is a message, and one of many headers."""
    header = "I0102 12:00:00.000000       1 kuberuntime_manager.go:550] "
    lines = [
        header + 'Container "c" ({"docker" "x"}) of pod ' + "a_" * number,
        header + 'Container "c" ({"docker" "x"})' + " " * number + "of pod",
        header + 'pod "' + "p(" * number,
        header * number,
        header + 'Container "c" ({"' + '" "' * number,
        "I" * number + "0102 12:00:00",
        "I0102 12:00:00" + " " * number,
        "x\n" + " y\n" * number,
    ]
    return {**one(), RECORDS: json.dumps(header)[1:-1] + "\n" + "\n".join(lines)}


def dumped(**changes: str) -> Files:
    """Return the dump of a node, with files by their paths after ``file:``, and its objects."""
    probes: Any = {tuple(key.split(":", 1)): text for key, text in changes.items()}
    return {**objects(node("n1"), pod(spec={"nodeName": "n1"})), DUMP: as_text(dump(probes))}


UNIT: Final = "file:/etc/systemd/system/kubelet.service"


def unit(text: str, **more: str) -> Files:
    return dumped(**{UNIT: f"[Service]\n{text}\n", **more})


def config(text: str) -> Files:
    head = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
    return dumped(**{"file:/var/lib/kubelet/config.yaml": f"{head}{text}\n"})


def docker_of(number: int) -> Files:
    """Return the dump of a node with a number of Docker's containers, shims, processes and cgroups."""
    ids = [f"{place:064x}" for place in range(number)]
    rows = [
        docker_row(each, f"k8s_c{at}_p_d_uid{at}_0", "container", **{"io.kubernetes.sandbox.id": each})
        for at, each in enumerate(ids)
    ]
    changes = {
        "docker:list": json.dumps(rows),
        "cgroups:all": "".join(f"/kubepods/x/{identity}\n" for identity in ids),
    }
    lines = ["1 0 S systemd", "900 1 S dockerd"]
    for at, each in enumerate(ids):
        lines += [f"{10000 + at} 1 S containerd-shim", f"{90000 + at} {10000 + at} S app"]
        changes[f"docker:inspect {each}"] = json.dumps(
            {"Id": each, "State": {"Running": True, "Paused": False, "Pid": 90000 + at}}
        )
        changes[f"process:{90000 + at}"] = f"S\n0::/kubepods/x/{each}\n"
        changes[f"arguments:{10000 + at}"] = f"/usr/bin/containerd-shim\n-id\n{each}\n"
    return dumped(**changes, **{"processes:all": "\n".join(lines) + "\n"})


def cri_of(number: int, *, stopped: bool = False, cgroups: bool = True) -> Files:
    """Return the dump of a node with a number of containers of a CRI runtime."""
    ids = [f"{place:064x}" for place in range(number)]
    state = "CONTAINER_EXITED" if stopped else "CONTAINER_RUNNING"
    rows = [
        {"id": each, "podSandboxId": f"{at:060x}dddd", "metadata": {"name": f"c{at}"}, "state": state}
        for at, each in enumerate(ids)
    ]
    changes = {"cri:containers": json.dumps({"containers": rows}), "docker:list": ""}
    lines = ["1 0 S systemd", "900 1 S containerd"]
    for at, each in enumerate(ids):
        lines += [f"{10000 + at} 1 S containerd-shim", f"{90000 + at} {10000 + at} S app"]
        changes[f"cri:inspect {each}"] = json.dumps({"info": {"pid": 90000 + at}})
        changes[f"process:{90000 + at}"] = f"S\n0::/kubepods/x/{each}\n"
        changes[f"arguments:{10000 + at}"] = f"/usr/bin/containerd-shim-runc-v2\n-id\n{each}\n"
    changes["cgroups:all"] = "".join(f"/kubepods/x/{identity}\n" for identity in ids) if cgroups else ""
    return dumped(**changes, **{"processes:all": "\n".join(lines) + "\n"})


def nested(number: int) -> Any:
    value: Any = 1
    for _ in range(number):
        value = [value]
    return value


def saved(number: int, command: str, name: str) -> Files:
    """Return what a command saved of a number of pods that differ."""
    before = Path.cwd()
    with TemporaryDirectory() as place:
        os.chdir(place)
        written(different_pods(number), Path(place))
        try:
            code, said = ran(COMMANDS[command], ["--out", name] if command != "snapshot" else [])
        finally:
            os.chdir(before)
        assert code == 0, said
        return {name: (Path(place) / name).read_text()}


def template(number: int) -> list[str]:
    return ["-o", "jsonpath=" + "{.items[*].verdict}" * number]


LONG: Final = ("near", "explain", "hash", "snapshot")

ROWS: Final[tuple[Row, ...]] = (
    Row("containers", lambda n: one({"containers": containers(n), "initContainers": containers(n)}), 8),
    Row("containers of each type", of_types, 4),
    Row("sidecars", lambda n: of_types(n, sidecars=True), 4),
    Row("containers with a status", with_statuses, 24),
    Row("containers of a mirror pod", mirror, 6, ("plan", "near", "matrix")),
    Row(
        "containers of a manifest",
        lambda n: objects(node(), manifest(n)),
        2,
        ("plan", "near", "explain", "hash", "matrix"),
    ),
    Row(
        "containers of a manifest by its volumes of images",
        images_by_containers,
        4,
        ("plan", "near", "explain", "hash", "matrix"),
    ),
    Row(
        "containers of a static pod",
        lambda n: {"manifests/p.json": json.dumps(manifest(n))},
        4,
        ("static", "static hash"),
    ),
    Row(
        "static pods",
        lambda n: {
            f"manifests/p{at}.json": json.dumps({**manifest(1), "metadata": {"name": f"p{at}"}})
            for at in range(n)
        },
        4,
        ("static", "static hash"),
    ),
    Row("taints and tolerations by containers", tolerant, 6, ("plan", "explain", "matrix", "no node")),
    Row("terms of affinity by labels and containers", selecting, 24, ("plan", "explain", "matrix")),
    Row("values of affinity", values_of_terms, 24, ("plan", "explain", "matrix")),
    Row("device names by containers", devices, 6, ("plan", "reports", "explain", "matrix")),
    Row("volumes and mounts", mounted, 12, LONG),
    Row("volumes by containers", volumes_by_containers, 6, LONG),
    Row(
        "sysctls by containers",
        lambda n: one(
            {
                "containers": containers(n),
                "securityContext": {"sysctls": [{"name": f"net.s{at}", "value": "1"} for at in range(n)]},
            }
        ),
        6,
        ("plan", "matrix", "snapshot"),
    ),
    Row(
        "env",
        lambda n: in_container(env=[{"name": f"E{at}", "value": f"v{at}"} for at in range(n)]),
        20,
        LONG,
    ),
    Row(
        "env that is referred to",
        lambda n: in_container(env=[{"name": f"E{at}", "value": f"$(E{at - 1})" * 3} for at in range(n)]),
        20,
        LONG,
    ),
    Row("args", lambda n: in_container(args=[f"a{at}" for at in range(n)]), 40, LONG),
    Row(
        "ports",
        lambda n: in_container(ports=[{"containerPort": at + 1, "name": f"p{at}"} for at in range(n)]),
        20,
        LONG,
    ),
    Row(
        "resource names",
        lambda n: in_container(resources={"limits": {f"example.com/r{at}": "1" for at in range(n)}}),
        20,
        LONG,
    ),
    Row(
        "claims",
        lambda n: one(
            {
                "resourceClaims": named("r", n),
                "containers": [container("c", resources={"claims": named("r", n)})],
            }
        ),
        20,
        LONG,
    ),
    Row(
        "resizePolicy",
        lambda n: in_container(
            resizePolicy=[{"resourceName": "cpu", "restartPolicy": "NotRequired"}] * n,
            resources={"limits": {"cpu": "1"}},
        ),
        20,
        LONG,
    ),
    Row(
        "headers of probes",
        lambda n: in_container(
            livenessProbe={
                "httpGet": {"port": 1, "httpHeaders": [{"name": f"h{at}", "value": "v"} for at in range(n)]}
            }
        ),
        20,
        LONG,
    ),
    Row(
        "capabilities",
        lambda n: in_container(securityContext={"capabilities": {"add": [f"C{at}" for at in range(n)]}}),
        40,
        LONG,
    ),
    Row(
        "unknown fields of a container",
        lambda n: in_container(**{f"field{at}": at for at in range(n)}),
        40,
        LONG,
    ),
    Row("a long value", lambda n: in_container(args=["x" * n]), 2_000, LONG),
    Row("a long value of quotes", lambda n: in_container(args=["\"\\\n'" * n]), 500, LONG),
    Row(
        "a long value of wide characters", lambda n: in_container(args=["\N{GRINNING FACE}\b" * n]), 500, LONG
    ),
    Row("a long image", lambda n: in_container(image="a/" * n), 500, LONG),
    Row("an image of dots", lambda n: in_container(image="a.-_" * n + "@"), 300, LONG),
    Row(
        "a long path",
        lambda n: in_container(
            workingDir="/healthz-v1" * n, livenessProbe={"httpGet": {"port": 1, "path": "/a?" + "b=c&" * n}}
        ),
        200,
        LONG,
    ),
    Row("a quantity", lambda n: in_container(resources={"limits": {"cpu": "1" * n}}), 100, LONG),
    Row("nesting", lambda n: in_container(unknown=nested(n)), 40, LONG),
    Row(
        "labels", lambda n: one(labels={f"l{at}": "v" for at in range(n)}), 30, ("plan", "impact", "snapshot")
    ),
    Row(
        "annotations",
        lambda n: one(annotations={f"a{at}": "v" * 20 for at in range(n)}),
        30,
        ("plan", "impact", "snapshot"),
    ),
    Row(
        "ownerReferences",
        lambda n: one(ownerReferences=[{"kind": "A", "name": f"o{at}", "uid": f"{at}"} for at in range(n)]),
        30,
        ("plan", "impact", "snapshot"),
    ),
    Row(
        "conditions",
        lambda n: one(status={"conditions": [{"type": f"t{at}", "status": "True"} for at in range(n)]}),
        30,
        ("plan", "impact", "snapshot"),
    ),
    Row(
        "statuses of one name",
        lambda n: one(status={"containerStatuses": [{"name": "c", "state": {}} for _ in range(n)]}),
        30,
        ("plan", "impact", "snapshot"),
    ),
    Row(
        "names of dots",
        lambda n: objects(node(), pod("a." * n), pod("a-" * n + "x"), pod()),
        60,
        ("impact", "reports"),
    ),
    Row(
        "names of quotes",
        lambda n: objects(node(), pod('"\\ ' * n)),
        40,
        ("impact", "reports"),
    ),
    Row(
        "owners of long names",
        lambda n: one(
            ownerReferences=[{"kind": "ReplicaSet", "name": "b" * n, "controller": True}],
            labels={"pod-template-hash": "b" * (n // 2)},
        ),
        60,
        ("impact", "reports"),
    ),
    Row("pods", pods, 10, (*OF_PODS, "auto")),
    Row("pods that differ", different_pods, 6, (*OF_PODS, "auto")),
    Row("a saved plan", lambda n: saved(n, "near", "plan.json"), 8, ("convert", "gate plan", "diff")),
    Row("a snapshot", lambda n: saved(n, "snapshot", "snapshot.json"), 8, ("from snapshot",)),
    Row("names near another", pods, 10, ("explain nothing",), codes=(1,)),
    Row("pods of one name", copies, 40, ("plan", "explain", "hash", "impact", "snapshot")),
    Row("nodes", pods_of_nodes, 6, ("auto", "reports", "impact", "no node", "matrix")),
    Row("nodes of other releases", pods_of_nodes, 6, ("gate",), lambda _: ["--override-node-releases"]),
    Row(
        "conditions of a node",
        lambda n: objects(
            {
                **node(),
                "status": {
                    **node()["status"],
                    "conditions": [{"type": f"t{at}", "status": "True"} for at in range(n)],
                },
            },
            pod(),
        ),
        30,
        ("plan", "no node", "impact"),
    ),
    Row("owners", owned, 5, ("impact", "reports", "snapshot")),
    Row("ReplicaSets of one owner", lambda n: owned(n, distinct=False), 5, ("impact", "reports", "snapshot")),
    Row("budgets by pods", budgets, 8, ("impact", "gate", "snapshot")),
    Row("budgets without values by pods", budgets_that_exclude, 8, ("impact",)),
    Row("values of a budget by pods", expressions_of_a_budget, 8, ("impact", "snapshot")),
    Row("rows of crictl", cri, 6, ("verify", "recorded")),
    Row("rows of crictl of one pod", lambda n: cri(n, one_pod=True), 6, ("verify", "recorded")),
    Row("sandboxes by containers", lambda n: cri(n, one_pod=True, sandboxes=n), 6, ("verify", "recorded")),
    Row("records of one name", of_one_name, 6, ("verify", "recorded")),
    Row(
        "records of one name of static pods",
        lambda n: of_one_name(n, with_uids=False),
        6,
        ("verify", "recorded"),
    ),
    Row("lines of a log", log, 6, ("verify", "recorded")),
    Row("lines of a log about one container", lambda n: log(n, same=True), 6, ("verify", "recorded")),
    Row("lines of a log that are cut", broken_log, 60, ("verify", "recorded"), codes=(1,)),
    Row(
        "variables of a unit",
        lambda n: unit("\n".join(f"Environment=A{at}=b" for at in range(n)) + "\nExecStart=/k $A0 ${A1}"),
        40,
        ("preflight",),
    ),
    Row(
        "words of a unit",
        lambda n: unit("Environment=A=b\nExecStart=/k" + " $A ${A}x" * n),
        40,
        ("preflight",),
    ),
    Row(
        "words of variables of a unit",
        lambda n: unit(f"Environment='A={'b ' * n}'\nExecStart=/k" + " $A" * n),
        600,
        ("preflight",),
    ),
    Row(
        "variables in a word of a unit",
        lambda n: unit(f"Environment=A={'b' * n}\nExecStart=/k " + "${A}" * n),
        400,
        ("preflight",),
    ),
    Row(
        "files of variables of a unit",
        lambda n: unit("EnvironmentFile=/e\n" * n + "ExecStart=/k $A", **{"file:/e": "A=b\n" * n}),
        40,
        ("preflight",),
    ),
    Row("lines of a unit that go on", lambda n: unit("ExecStart=/k \\\n" + "a \\\n" * n), 40, ("preflight",)),
    Row(
        "flags",
        lambda n: dumped(
            **{"arguments:kubelet": "/usr/bin/kubelet\n" + "".join(f"--flag{at}=x\n" for at in range(n))}
        ),
        20,
        ("preflight",),
    ),
    Row(
        "feature gates",
        lambda n: dumped(
            **{
                "arguments:kubelet": "/usr/bin/kubelet\n--feature-gates="
                + ",".join(f"G{at}=true" for at in range(n))
                + "\n"
            }
        ),
        20,
        ("preflight",),
    ),
    Row(
        "keys of a configuration",
        lambda n: config("\n".join(f"key{at}: x" for at in range(n))),
        20,
        ("preflight",),
    ),
    Row(
        "feature gates of a configuration",
        lambda n: config("featureGates:\n" + "\n".join(f"  G{at}: true" for at in range(n))),
        20,
        ("preflight",),
    ),
    Row(
        "anchors of a configuration",
        lambda n: config(
            "\n".join(f"k{at}: &a{at} {{b: c}}" for at in range(n))
            + "\n"
            + "\n".join(f"m{at}: {{<<: *a{at}}}" for at in range(n))
        ),
        10,
        ("preflight",),
    ),
    Row("comments of a configuration", lambda n: config("# x\n" * n), 100, ("preflight",)),
    Row(
        "processes",
        lambda n: dumped(
            **{
                "processes:all": "1 0 S systemd\n900 1 S dockerd\n"
                + "".join(f"{at + 1000} 1 D p\n" for at in range(n))
            }
        ),
        40,
        ("preflight",),
    ),
    Row(
        "cgroups",
        lambda n: dumped(**{"cgroups:all": "".join(f"/kubepods/{at:064x}\n" for at in range(n))}),
        40,
        ("preflight",),
    ),
    Row(
        "mounts",
        lambda n: dumped(
            **{
                "file:/proc/1/mounts": "proc /proc proc rw 0 0\n"
                + "".join(
                    f"tmpfs /var/lib/kubelet/pods/{at}/volumes/kubernetes.io~secret/x tmpfs rw 0 0\n"
                    f"nfs:/x /mnt/{at} nfs rw 0 0\n"
                    for at in range(n)
                )
            }
        ),
        20,
        ("preflight",),
    ),
    Row(
        "lines of other files",
        lambda n: dumped(
            **{
                "file:/proc/swaps": "Filename Type Size Used Priority\n" + "/dev/x partition 1 0 -2\n" * n,
                "file:/proc/meminfo": "MemTotal: 8000000 kB\n" + "X: 1 kB\n" * n,
            }
        ),
        40,
        ("preflight",),
    ),
    Row(
        "file systems",
        lambda n: dumped(
            **{
                "filesystem:/var/lib/kubelet": "/dev/vda1 1 1 1 21% /\n" * n,
                "filesystem:/var/lib/containerd": "/ " + "1 " * n,
            }
        ),
        40,
        ("preflight",),
    ),
    Row(
        "certificates",
        lambda n: dumped(
            **{
                f"certificate:/etc/kubernetes/pki/c{at}.crt": "notAfter=Jun  1 12:00:00 2036 GMT\n"
                for at in range(n)
            }
        ),
        20,
        ("preflight",),
    ),
    Row("containers of Docker on a node", docker_of, 6, ("preflight dump",)),
    Row("containers of a runtime on a node", cri_of, 6, ("preflight dump",)),
    Row(
        "containers of a runtime without cgroups", lambda n: cri_of(n, cgroups=False), 6, ("preflight dump",)
    ),
    Row(
        "stopped containers of a runtime on a node", lambda n: cri_of(n, stopped=True), 6, ("preflight dump",)
    ),
    Row(
        "images",
        lambda n: dumped(
            **{"cri:images": json.dumps({"images": [{"repoTags": [f"i{at}:1"]} for at in range(n)]})}
        ),
        20,
        ("preflight",),
    ),
    Row(
        "sandboxes of a runtime",
        lambda n: dumped(**{"cri:pods": json.dumps({"items": [{"id": f"{at:064x}"} for at in range(n)]})}),
        20,
        ("preflight",),
    ),
    Row(
        "namespaces that are asked for",
        pods_of_namespaces,
        10,
        ("plan",),
        lambda n: [word for at in range(n) for word in ("-n", f"d{at}")],
    ),
    Row(
        "owners that are asked for",
        owned,
        5,
        ("plan",),
        lambda n: [word for at in range(n) for word in ("--owner", f"ReplicaSet/r{at}")],
    ),
    Row(
        "namespaces that are left out",
        pods,
        10,
        ("plan",),
        lambda n: [word for at in range(n) for word in ("--exclude-namespace", f"x{at}")],
    ),
    Row(
        "nodes that are asked for",
        pods_of_nodes,
        6,
        ("auto",),
        lambda n: [word for at in range(n) for word in ("--node", f"n{at}")],
    ),
    Row("expressions of jsonpath", lambda _: one(), 4, ("plan",), template),
    Row(
        "ranges of jsonpath",
        lambda _: one(),
        4,
        ("plan",),
        lambda n: ["-o", "jsonpath=" + "{range .items[*]}" * n + "x" + "{end}" * n],
    ),
    Row(
        "a long jsonpath",
        lambda _: one(),
        100,
        ("plan",),
        lambda n: ["-o", "jsonpath={.items[0]" + ".a" * n + "}"],
        codes=(64,),
    ),
    Row(
        "a filter of jsonpath",
        pods,
        4,
        ("plan",),
        lambda n: ["-o", 'jsonpath={.items[?(@.verdict=="' + "x" * n + '")].name}'],
    ),
    Row(
        "columns",
        lambda _: one(),
        4,
        ("plan",),
        lambda n: ["-o", "custom-columns=" + ",".join(f"C{at}:.verdict" for at in range(n))],
    ),
    Row(
        "brackets of columns",
        lambda _: one(),
        50,
        ("plan",),
        lambda n: ["-o", "custom-columns=A:.x" + ",[" * n],
        codes=(64,),
    ),
    Row(
        "feature gates that are given",
        lambda _: one(),
        20,
        ("plan",),
        lambda n: ["--feature-gates", ",".join(f"G{at}=true" for at in range(n))],
        codes=(64,),
    ),
)
"""Every dimension."""
