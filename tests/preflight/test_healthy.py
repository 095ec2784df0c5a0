"""Healthy nodes of several distributions are in order, and what was not collected of one is UNKNOWN."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest
from msgspec import structs

from hashcompat import load, plan
from hashcompat.analysis.preflight import CHECKS, examine
from hashcompat.analysis.preflight.checks import Check, KubeletStart, Need
from hashcompat.analysis.preflight.facts import Facts, NodeObjects
from hashcompat.core.errors import InputError
from hashcompat.core.kubelet.alike import Servers
from hashcompat.core.model.preflight import Status
from hashcompat.core.records.probes import AbsentError, Dump, Probe, UnreadError
from hashcompat.sources.documents import Fields
from hashcompat.sources.objects import of_node
from tests.helpers.dumps import (
    APP,
    CERTIFICATE,
    GONE,
    INFO,
    NOWHERE,
    SANDBOX,
    Key,
    docker,
    docker_row,
    dump,
    inspected,
    upgrade,
)
from tests.helpers.pods import mirror_pod, pod

Changes = dict[Key, Any]

ID = "c" * 64
CALICO = '{"plugins":[{"type":"calico","ipam":{"type":"calico-ipam"}},{"type":"portmap"}]}'
BRIDGE = '{"plugins":[{"type":"bridge"},{"type":"portmap"}]}'
PLUGINS = "bandwidth\nbridge\ncalico\ncalico-ipam\nhost-local\nloopback\nportmap\n"
UNIT = "[Service]\nExecStart=/usr/bin/kubelet $KUBELET_CONFIG_ARGS $KUBELET_KUBEADM_ARGS $MORE\n"
WANTS = (
    '[Service]\nEnvironment="KUBELET_CONFIG_ARGS=--config=/var/lib/kubelet/config.yaml"\n'
    "EnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env\nEnvironmentFile=-/etc/default/kubelet\n"
)
PLACE: Final = "/usr/lib/systemd/system/kubelet.service"


def kubeadm(version: str, endpoint: str = "unix:///run/containerd/containerd.sock") -> Changes:
    """Return what kubeadm's packages have on a node: a unit, a drop-in, two files, a network."""
    return {
        ("file", PLACE): UNIT,
        ("file", f"{PLACE}.d/10-kubeadm.conf"): WANTS,
        ("file", "/var/lib/kubelet/kubeadm-flags.env"): (
            f'KUBELET_KUBEADM_ARGS="--container-runtime-endpoint={endpoint}"\n'
        ),
        ("file", "/etc/default/kubelet"): "MORE=\n",
        ("directory", "/etc/cni/net.d"): "10-calico.conflist\ncalico-kubeconfig\n",
        ("file", "/etc/cni/net.d/10-calico.conflist"): CALICO,
        ("directory", "/opt/cni/bin"): PLUGINS,
        ("version", "kubelet"): f"Kubernetes v{version}\n",
    }


def containerd(version: str, info: dict[str, Any], cgroup: str) -> Changes:
    """Return a containerd with a container that runs, in a cgroup."""
    labels = {"io.kubernetes.container.name": "c", "io.kubernetes.pod.name": "p"}
    row = {"id": ID, "podSandboxId": "d" * 64, "metadata": {"name": "c"}, "state": "CONTAINER_RUNNING"}
    answer = {"runtimeName": "containerd", "runtimeVersion": version, "runtimeApiVersion": "v1"}
    return {
        **{("docker", name): GONE for name in ("version", "list", "info", "images")},
        ("docker", f"inspect {SANDBOX}"): GONE,
        ("docker", f"inspect {APP}"): GONE,
        ("cri", "version"): json.dumps(answer),
        ("cri", "info"): json.dumps({**INFO, **info}),
        ("cri", "containers"): json.dumps({"containers": [{**row, "labels": labels}]}),
        ("cri", "pods"): json.dumps({"items": [{"id": "d" * 64, "state": "SANDBOX_READY"}]}),
        ("cri", f"inspect {ID}"): json.dumps({"info": {"pid": 500}}),
        ("cri", f"stats {ID}"): "{}",
        ("process", "500"): f"S\n0::{cgroup}/cri-containerd-{ID}.scope\n",
        ("cgroups", "all"): f"{cgroup}/cri-containerd-{ID}.scope\n",
        ("processes", "all"): (
            "1 0 S systemd\n2 0 S kthreadd\n80 1 S containerd\n90 1 S kubelet\n"
            "400 1 S containerd-shim\n500 400 S c\n"
        ),
        ("arguments", "400"): f"/usr/bin/containerd-shim-runc-v2\n-namespace\nk8s.io\n-id\n{'d' * 64}\n",
    }


SYSTEMD = "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1.slice"
PINNED = {"images": [{"repoTags": ["registry.k8s.io/pause:3.10"], "pinned": True}]}


def rancher() -> Changes:
    """Return an RKE2 server: a kubelet of its own, with its flags, and a containerd elsewhere."""
    data = "/var/lib/rancher/rke2"
    release = "v1.33.11-rke2r1-aaaaaaaaaaaa"
    words = (
        f"{data}/bin/kubelet",
        "--config-dir=/var/lib/rancher/rke2/agent/etc/kubelet.conf.d",
        "--kubeconfig=/var/lib/rancher/rke2/agent/kubelet.kubeconfig",
        "--hostname-override=n1",
    )
    own = f"{data}/agent/etc/kubelet.conf.d"
    return {
        **containerd("v2.1.5-k3s1", {}, SYSTEMD),
        ("arguments", "kubelet"): "\n".join([*words, ""]),
        ("directory", own): "00-rke2-defaults.conf\n",
        ("file", f"{own}/00-rke2-defaults.conf"): (
            "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\ncgroupDriver: systemd\n"
            "containerRuntimeEndpoint: unix:///run/k3s/containerd/containerd.sock\nfailSwapOn: false\n"
        ),
        ("arguments", "400"): f"{data}/data/{release}/bin/containerd-shim-runc-v2\n-id\n{'d' * 64}\n",
        ("directory", f"{data}/data"): f"{release}\n",
        ("directory", "/etc/cni/net.d"): "10-canal.conflist\n",
        ("file", "/etc/cni/net.d/10-canal.conflist"): CALICO,
        ("directory", "/opt/cni/bin"): PLUGINS,
        ("version", "kubelet"): "Kubernetes v1.33.11+rke2r1\n",
    }


def k0s() -> Changes:
    """Return a k0s worker: a kubelet with another root directory and configuration."""
    root, config = "/var/lib/k0s/kubelet", "/run/k0s/kubelet/config.yaml"
    states = ("cpu_manager_state", "memory_manager_state", "pod_status_manager_state", "dra_manager_state")
    more = ("allocated_pods_state", "actuated_pods_state", "device-plugins/kubelet_internal_checkpoint")
    disk = "/dev/vda1 103080204 20000000 78000000 21% /\n/dev/vda1 6553600 300000 6253600 5% /\n"
    return {
        **containerd("v2.1.4", {}, SYSTEMD),
        ("arguments", "kubelet"): f"/var/lib/k0s/bin/kubelet\n--root-dir={root}\n--config={config}\n",
        ("file", config): (
            "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\ncgroupDriver: systemd\n"
            "containerRuntimeEndpoint: unix:///run/k0s/containerd.sock\n"
        ),
        **{("file", f"{root}/{name}"): GONE for name in (*states, *more)},
        ("filesystem", root): disk,
        ("directory", "/etc/cni/net.d"): "10-kuberouter.conflist\n",
        ("file", "/etc/cni/net.d/10-kuberouter.conflist"): BRIDGE,
        ("directory", "/opt/cni/bin"): PLUGINS,
        ("version", "kubelet"): "Kubernetes v1.33.5+k0s\n",
    }


def microk8s() -> Changes:
    """Return a node of MicroK8s, whose kubelet is within kubelite and has its arguments in a file."""
    home = "/var/snap/microk8s/common"
    root = f"{home}/var/lib/kubelet"
    states = ("cpu_manager_state", "memory_manager_state", "pod_status_manager_state", "dra_manager_state")
    more = ("allocated_pods_state", "actuated_pods_state", "device-plugins/kubelet_internal_checkpoint")
    disk = "/dev/vda1 103080204 20000000 78000000 21% /\n/dev/vda1 6553600 300000 6253600 5% /\n"
    words = (
        *("kubelet", f"--root-dir={root}", "--fail-swap-on=false", "--anonymous-auth=false"),
        "--eviction-hard=memory.available<100Mi,nodefs.available<1Gi,imagefs.available<1Gi",
        f"--container-runtime-endpoint=unix://{home}/run/containerd.sock",
        *("--node-labels=microk8s.io/cluster=true", "--serialize-image-pulls=false"),
    )
    cgroupfs = json.loads(json.dumps(INFO["config"]).replace("true", "false"))
    return {
        **containerd("1.7.27", {"config": cgroupfs}, "/kubepods/burstable/pod1"),
        ("arguments", "kubelet"): "\n".join([*words, ""]),
        ("file", PLACE): GONE,
        **{("file", f"{root}/{name}"): GONE for name in (*states, *more)},
        ("filesystem", root): disk,
        ("filesystem", "/var/lib/containerd"): disk,
        ("directory", "/etc/cni/net.d"): "10-calico.conflist\n",
        ("file", "/etc/cni/net.d/10-calico.conflist"): CALICO,
        ("directory", "/opt/cni/bin"): PLUGINS,
    }


def of_the_articles() -> Changes:
    """Return a node with Docker and dockershim, as those of 2020."""
    rows = [
        docker_row(SANDBOX, "k8s_POD_p_ns_uid-p_0", "podsandbox"),
        docker_row(APP, "k8s_app_p_ns_uid-p_0", "container", **{"io.kubernetes.sandbox.id": SANDBOX}),
    ]
    return {
        **docker("19.03.15", CgroupDriver="cgroupfs"),
        **{("cri", name): GONE for name in ("version", "info", "images", "containers", "pods")},
        ("docker", "list"): json.dumps(rows),
        ("docker", "images"): '[{"RepoTags":["k8s.gcr.io/pause:3.1"]}]',
        ("docker", f"inspect {SANDBOX}"): inspected(SANDBOX, 4320),
        ("cgroups", "all"): f"/kubepods/poduid-p/{SANDBOX}\n/kubepods/poduid-p/{APP}\n",
        ("arguments", "kubelet"): (
            "/usr/bin/kubelet\n--config=/var/lib/kubelet/config.yaml\n--network-plugin=cni\n"
            "--pod-infra-container-image=k8s.gcr.io/pause:3.1\n"
        ),
        ("file", PLACE): "[Service]\nExecStart=/usr/bin/kubelet --config=/var/lib/kubelet/config.yaml $MORE\n"
        'Environment="MORE=--network-plugin=cni --pod-infra-container-image=k8s.gcr.io/pause:3.1"\n',
        ("file", "/var/lib/kubelet/config.yaml"): (
            "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\ncgroupDriver: cgroupfs\n"
        ),
        ("filesystem", "/var/lib/docker"): "/dev/sda 1000 300 700 30% /\n/dev/sda 1000 100 900 10% /\n",
        ("directory", "/etc/cni/net.d"): "10-calico.conflist\n",
        ("file", "/etc/cni/net.d/10-calico.conflist"): CALICO,
        ("directory", "/opt/cni/bin"): PLUGINS,
        ("file", "/var/lib/kubelet/cpu_manager_state"): GONE,
    }


def with_every_setting() -> Changes:
    """Return a node whose kubelet is given whatever makes it read something of its host."""
    etc, head = "/etc/kubernetes", "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
    providers = "apiVersion: kubelet.config.k8s.io/v1\nkind: CredentialProviderConfig\nproviders:\n"
    of_provider = (
        "apiVersion: credentialprovider.kubelet.k8s.io/v1, matchImages: [x], defaultCacheDuration: 1h"
    )
    words = (
        *("/usr/bin/kubelet", "--config=/var/lib/kubelet/config.yaml", f"--config-dir={etc}/kubelet.d"),
        f"--image-credential-provider-config={etc}/providers.yaml",
        *("--image-credential-provider-bin-dir=/opt/providers", f"--kubeconfig={etc}/kubelet.conf"),
        "--container-runtime-endpoint=unix:///run/containerd/containerd.sock",
    )
    settings = (
        "cgroupDriver: systemd\ncpuManagerPolicy: static\nreservedSystemCPUs: '0'\n"
        f"topologyManagerPolicy: single-numa-node\nstaticPodPath: {etc}/manifests\n"
        "protectKernelDefaults: true\nkubeReserved: {memory: 100Mi}\n"
        f"authentication: {{x509: {{clientCAFile: {etc}/pki/ca.crt}}}}\n"
    )
    kernel = {
        "vm/overcommit_memory": 1,
        "vm/panic_on_oom": 0,
        "kernel/panic": 10,
        "kernel/panic_on_oops": 1,
        "kernel/keys/root_maxkeys": 1000000,
        "kernel/keys/root_maxbytes": 25000000,
    }
    elsewhere = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/sbin", "/bin")
    numa = "/sys/devices/system/node"
    return {
        ("arguments", "kubelet"): "\n".join([*words, ""]),
        ("file", PLACE): f"[Service]\nExecStart={' '.join(words)}\n",
        ("file", "/var/lib/kubelet/config.yaml"): f"{head}{settings}",
        ("directory", f"{etc}/kubelet.d"): "10-own.conf\n",
        ("file", f"{etc}/kubelet.d/10-own.conf"): f"{head}maxPods: 110\n",
        ("file", f"{etc}/providers.yaml"): f"{providers}- {{name: ecr, {of_provider}}}\n",
        ("directory", "/opt/providers"): "ecr\n",
        ("directory", f"{etc}/manifests"): "etcd.yaml\n",
        ("certificate", f"{etc}/kubelet.conf"): CERTIFICATE,
        ("certificate", f"{etc}/pki/ca.crt"): CERTIFICATE,
        ("certificate", "/var/lib/kubelet/pki/kubelet.crt"): GONE,
        **{("file", f"/proc/sys/{name}"): f"{value}\n" for name, value in kernel.items()},
        ("file", "/etc/passwd"): "kubelet:994:994\n",
        ("file", "/etc/nsswitch.conf"): "passwd: files\n",
        **{("file", f"/etc/{name}"): "kubelet:65536:7208960\n" for name in ("subuid", "subgid")},
        **{("path", f"{place}/getsubids"): GONE for place in elsewhere},
        ("path", "/usr/bin/getsubids"): "file",
        ("file", "/sys/devices/system/cpu/online"): "0-3\n",
        ("directory", numa): "node0\n",
        ("file", f"{numa}/node0/cpulist"): "0-3\n",
        ("file", f"{numa}/node0/meminfo"): "Node 0 MemTotal: 8000000 kB\n",
        ("file", "/var/lib/kubelet/cpu_manager_state"): (
            '{"policyName":"static","defaultCpuSet":"0-3","checksum":0}'
        ),
    }


def with_flags_alone() -> Changes:
    """Return such a node before kubelets read a configuration file."""
    words = "--network-plugin=cni --cgroup-driver=cgroupfs --pod-infra-container-image=k8s.gcr.io/pause:3.1"
    return {
        **of_the_articles(),
        ("arguments", "kubelet"): "\n".join(["/usr/bin/kubelet", *words.split(), ""]),
        ("file", PLACE): f"[Service]\nExecStart=/usr/bin/kubelet {words}\n",
    }


FIRST, SECOND = containerd("1.7.27", {}, SYSTEMD), containerd("2.1.4", {}, SYSTEMD)

NODES: Final[dict[str, tuple[Changes, str, str]]] = {
    "kubeadm with containerd 1": ({**kubeadm("1.30.14"), **FIRST}, "1.30.14", "1.30.15"),
    "kubeadm with containerd 2": ({**kubeadm("1.36.3"), **SECOND}, "1.36.3", "1.36.5"),
    "kubeadm with containerd 2.2, which pins": (
        {
            **kubeadm("1.36.3"),
            **containerd("2.2.9", {"config": {**INFO["config"], "sandboxImage": None}}, SYSTEMD),
            ("cri", "images"): json.dumps(PINNED),
        },
        "1.36.3",
        "1.36.5",
    ),
    "every setting": ({**SECOND, **with_every_setting()}, "1.36.3", "1.36.5"),
    "RKE2": (rancher(), "1.33.11+rke2r1", "1.33.12+rke2r1"),
    "k0s": (k0s(), "1.33.5+k0s", "1.33.6+k0s"),
    "MicroK8s": (microk8s(), "1.32.9", "1.32.13"),
    "Docker": (of_the_articles(), "1.17.9", "1.17.17"),
    "Docker, flags alone": (with_flags_alone(), "1.9.0", "1.9.11"),
}


def of(name: str) -> tuple[Dump, KubeletStart]:
    """Return the dump of a node, and an upgrade to another patch release."""
    changes, current, target = NODES[name]
    return dump(changes), upgrade(target, current)


@pytest.mark.parametrize("name", NODES)
def test_a_healthy_node_is_in_order(name: str) -> None:
    given, to = of(name)
    assert [
        (each.id, each.status.value, each.text)
        for each in examine(given, to)
        if each.status not in (Status.OK, Status.INFO)
    ] == []


def on_k3s(*words: str) -> list[str]:
    """Return which checks find something on a node of k3s that notes its arguments."""
    conditions = [{"type": f"{name}Pressure", "status": "False"} for name in ("Memory", "Disk", "PID")]
    given = {
        "metadata": {"name": "n1", "annotations": {"k3s.io/node-args": json.dumps(words)}},
        "status": {"conditions": [{"type": "Ready", "status": "True"}, *conditions]},
    }
    node = of_node(Fields(given, "", "$"))
    within = {**SECOND, ("arguments", "kubelet"): Probe("", "", problem=EMBEDDED["k3s"])}

    findings = examine(dump(within), upgrade("1.36.5", "1.36.3"), cluster=NodeObjects(node))
    return [each.id for each in findings if each.status not in (Status.OK, Status.INFO)]


def test_a_node_object_has_the_settings_of_a_kubelet_within_k3s() -> None:
    """The runtime's cgroup driver is the kubelet's: k3s sets both."""
    assert on_k3s("server") == []
    assert on_k3s("agent", "--kubelet-arg", "max-pods=200", "--node-label=a=b") == []
    assert on_k3s("server", "--container-runtime-endpoint=/run/crio/crio.sock") == []
    assert on_k3s("server", "--kubelet-arg=feature-gates=NoSuch=true") == ["PF-101"]
    assert on_k3s("server", "--kubelet-arg=image-gc-high-threshold=101") == ["PF-126"]
    assert on_k3s("server", "--protect-kernel-defaults") == ["PF-135"]  # these sysctls were not collected


def test_a_runtime_that_shows_no_driver_decides_none() -> None:
    changes = {**SECOND, ("cri", "info"): GONE, ("arguments", "kubelet"): "/usr/local/bin/k3s\nserver\n"}
    given = {"metadata": {"name": "n1", "annotations": {"k3s.io/node-args": '["server"]'}}}
    facts = Facts(dump(changes), NodeObjects(of_node(Fields(given, "", "$"))))
    assert "cgroup-driver" not in facts.flags


def test_a_kubelet_of_its_own_has_its_own_arguments() -> None:
    given = {"metadata": {"name": "n1", "annotations": {"k3s.io/node-args": '["server"]'}}}
    facts = Facts(dump(SECOND), NodeObjects(of_node(Fields(given, "", "$"))))

    assert "fail-swap-on" not in facts.flags


@pytest.mark.parametrize("noted", ["server", "[]", "[1]", "{}", 3])
def test_other_annotations_show_no_settings(noted: object) -> None:
    given = {"metadata": {"name": "n1", "annotations": {"k3s.io/node-args": noted}}}
    assert of_node(Fields(given, "", "$")).node_arguments is None


EMBEDDED = {"k3s": "the kubelet is a part of another program, /usr/local/bin/k3s server"}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("k3s\n", []),
        ("k3s\n--max-pods=200\n--node-labels=a=b\n", []),
        ("k3s\n--feature-gates=NoSuch=true\n", ["PF-101"]),
        ("k3s\n--image-gc-high-threshold=101\n", ["PF-126"]),
        ("k3s\n--protect-kernel-defaults=true\n", ["PF-135"]),  # these sysctls were not collected
    ],
)
def test_a_dump_has_what_k3s_is_given_for_its_kubelet(given: str, expected: list[str]) -> None:
    within = {**SECOND, ("arguments", "kubelet"): Probe("", "", problem=EMBEDDED["k3s"])}
    findings = examine(dump({**within, ("arguments", "k3s"): given}), upgrade("1.36.5", "1.36.3"))
    assert [each.id for each in findings if each.status not in (Status.OK, Status.INFO)] == expected


@pytest.mark.parametrize("name", EMBEDDED)
def test_of_a_kubelet_within_another_program_only_its_settings_are_unknown(name: str) -> None:
    """No command line shows them; whatever is read elsewhere is in order."""
    changes = {**SECOND, ("arguments", "kubelet"): Probe("", "", problem=EMBEDDED[name])}
    findings = list(examine(dump(changes), upgrade("1.36.5", "1.36.3")))
    assert {each.status for each in findings} <= {Status.OK, Status.INFO, Status.UNKNOWN}
    unknown = {each.text for each in findings if each.status is Status.UNKNOWN}
    assert unknown == {f"kubelet: {EMBEDDED[name]}"}


class Asked(dict[Key, tuple[Probe, ...]]):
    """The probes of a dump, with which were asked for, in whatever way, and also those that are not there."""

    def __init__(self, probes: Mapping[Key, tuple[Probe, ...]]) -> None:
        super().__init__(probes)
        self.keys_asked: set[Key] = set()

    def get(self, key: Key, *default: Any) -> Any:
        self.keys_asked.add(key)
        return super().get(key, *default)

    def __contains__(self, key: object) -> bool:
        self.keys_asked.add(key)  # type: ignore[arg-type]
        return super().__contains__(key)


def asked(
    given: Dump,
    to: KubeletStart,
    check: Check,
    monkeypatch: pytest.MonkeyPatch,
    cluster: NodeObjects = NOWHERE,
) -> set[tuple[str, ...]]:
    """Return which facts a check asks for: kinds and names of probes, and kinds that it wants all of."""
    probes, kinds = Asked(given.probes), set[tuple[str, ...]]()
    of_kind = Dump.of_kind

    def every(self: Dump, kind: str) -> Iterator[Probe]:
        kinds.add((kind,))
        return of_kind(self, kind)

    with monkeypatch.context() as patch:
        patch.setattr(Dump, "of_kind", every)
        statuses(structs.replace(given, probes=probes), to, check, cluster)
    return probes.keys_asked | kinds


def statuses(given: Dump, to: KubeletStart, check: Check, cluster: NodeObjects = NOWHERE) -> set[Status]:
    """Return the statuses of what a check finds."""
    try:
        return {problem.status for problem in check.find(Facts(given, cluster), to)} or {Status.OK}
    except (UnreadError, AbsentError, InputError):
        return {Status.UNKNOWN}


SPARE: Final = (
    # Another runtime than the kubelet's, which nobody asked, is none; and its name decides nothing.
    (r"PF-00[013]", r"cri (containers|version)|docker (list|version)"),
    (r"PF-(104|111|116|125|214|225|304|314)", r"cri version"),
    # Orphans are found in lists alone.
    (r"PF-000", r"(cri|docker) inspect .*"),
    # Where the next start is not known, the flags of the kubelet that runs count.
    (
        r".*",
        r"file (/usr/lib/systemd|/etc/default|/etc/sysconfig|/var/lib/kubelet/kubeadm-flags).*",
    ),
    (r".*", "file"),
    # A directory of drop-ins only shows which of them were not read.
    (r".*", r"directory .*/kubelet\.service\.d"),
    # What has the name of a drop-in is one, and is missed, unless it is shown as a directory.
    (r".*", r"directory .*/kubelet\.(conf\.)?d/.*\.conf"),
    # As is what has that of a file of credential providers.
    (r"PF-137", r"directory .*/providers\.yaml"),
    # Where a program is found once, it may be in other places as well.
    (r"PF-129", r"(directory|path) /usr/.*"),
    # Only a kubelet within k3s is given anything by k3s.
    (r".*", "arguments k3s"),
    # Which file systems are pods' own only spares a check some of them.
    (r"PF-212", r"file /proc/1/mounts"),
)
"""Which facts a check can do without, and why."""


def is_spare(check: str, key: tuple[str, ...]) -> bool:
    """Return whether a check can do without a fact."""
    return any(
        re.fullmatch(pattern, check) and re.fullmatch(other, " ".join(key)) for pattern, other in SPARE
    )


def in_order_without(
    given: Dump,
    to: KubeletStart,
    check: Check,
    monkeypatch: pytest.MonkeyPatch,
    cluster: NodeObjects = NOWHERE,
) -> Iterator[tuple[str, ...]]:
    """Yield the facts that a check asks for and finds nothing without, though it cannot do without them."""
    for key in asked(given, to, check, monkeypatch, cluster):
        left = {each: probes for each, probes in given.probes.items() if each[: len(key)] != key}
        results = statuses(structs.replace(given, probes=left), to, check, cluster)
        if results <= {Status.OK, Status.INFO} and not is_spare(check.id, key):
            yield (check.id, *key)


WITH_A_NODE_ALONE: Final = [check for check in CHECKS if check.is_run(frozenset({Need.NODE}))]


@pytest.mark.parametrize("name", NODES)
def test_what_was_not_collected_is_unknown_and_never_in_order(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also what the healthy node does not show: a check that asks for it cannot do without."""
    given, to = of(name)
    wrong = {fact for each in WITH_A_NODE_ALONE for fact in in_order_without(given, to, each, monkeypatch)}
    assert sorted(wrong) == []


def beside_objects() -> tuple[Dump, KubeletStart, NodeObjects]:
    """Return a node with its objects and a plan that gives each check of these something to look at."""
    conditions = [{"type": f"{name}Pressure", "status": "False"} for name in ("Memory", "Disk", "PID")]
    amounts = {"cpu": "4", "memory": "8Gi", "pods": "110", "nvidia.com/gpu": "1"}
    status = {"allocatable": amounts, "capacity": amounts, "conditions": conditions}
    node = {"kind": "Node", "metadata": {"name": "n1", "labels": {"a": "b"}}, "status": status}
    gpu = {"name": "c", "image": "i", "resources": {"limits": {"nvidia.com/gpu": "1"}}}
    running = {"phase": "Running", "containerStatuses": [{"name": "c", "state": {"running": {}}}]}
    objects = [node, pod(gpu, status=running), mirror_pod({"name": "c", "image": "i"}, status=running)]
    read = load(objects)

    changes, current, target = NODES["every setting"]
    images = {"images": [*PINNED["images"], {"repoTags": ["docker.io/library/i:latest"]}]}
    older = containerd("2.1.2", {}, SYSTEMD)
    given = dump({**changes, **older, ("cri", "images"): json.dumps(images), ("cri", "pods"): '{"items":[]}'})
    items = plan(objects, current, target).items
    to = upgrade(target, current, planned=items, restarts=lambda _uid, _container: True)
    return given, to, NodeObjects(read.nodes[0], tuple(read.pods))


BESIDE_OBJECTS: Final = [check for check in CHECKS if check not in WITH_A_NODE_ALONE]


def test_a_check_of_objects_and_a_node_cannot_do_without_what_it_reads_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given, to, cluster = beside_objects()
    read = {check.id: asked(given, to, check, monkeypatch, cluster) for check in BESIDE_OBJECTS}
    wrong = {
        fact for each in BESIDE_OBJECTS for fact in in_order_without(given, to, each, monkeypatch, cluster)
    }
    assert sorted(wrong) == []
    needing = {each.id for each in BESIDE_OBJECTS if all(Need.NODE in need for need in each.needs)}
    assert {name for name in needing if not read[name]} == set()


UPGRADES: Final = (
    ("1.7.16", "1.9.11"),
    ("1.19.16", "1.20.15"),
    ("1.23.17", "1.24.17"),
    ("1.30.14", "1.31.14"),
    ("1.31.14", "1.30.14"),
    ("1.36.3", "1.37.1"),
)
"""Every check has something to find at one of them."""


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_a_check_that_is_given_nothing_is_unknown(check: Check) -> None:
    """One that leaves out what it lacks would be in order on every node, and in no other test."""
    nothing = Dump("n1", "test", {})
    ways = (upgrade(to, current, servers=Servers(), now=None) for current, to in UPGRADES)
    results = [statuses(nothing, way, check) for way in ways]
    # Releases alone decide whether a kubelet is too new, and an API server that is not known is a note.
    assert ({Status.UNKNOWN} in results) is (check.id != "PF-110")
