"""The nodes of a cluster, in pools."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final

from scripts.bench.made.chance import Json
from scripts.bench.made.platform.given import (
    DAY,
    DOMAIN,
    NOW,
    chance_for,
    compact_json,
    digest,
    digits,
    letters,
    stamp,
    uid,
    version,
)
from scripts.bench.made.platform.managed import field_set, managed_row

POOLS: Final[Any] = {
    "control-plane": ("m6i.2xlarge", 8, 32, 0),
    "general": ("m6i.12xlarge", 48, 192, 0),
    "data": ("r6i.24xlarge", 96, 768, 0),
    "batch": ("c6i.24xlarge", 96, 192, 0),
    "ci": ("m6id.16xlarge", 64, 256, 0),
    "gpu": ("p4d.24xlarge", 96, 1152, 8),
}


TAINTS: Final[Any] = {
    "control-plane": [{"effect": "NoSchedule", "key": "node-role.kubernetes.io/control-plane"}],
    "general": [],
    "data": [{"effect": "NoSchedule", "key": DOMAIN + "/dedicated", "value": "data"}],
    "batch": [{"effect": "NoSchedule", "key": DOMAIN + "/dedicated", "value": "batch"}],
    "ci": [{"effect": "NoSchedule", "key": DOMAIN + "/dedicated", "value": "ci"}],
    "gpu": [{"effect": "NoSchedule", "key": "nvidia.com/gpu", "value": "present"}],
}


class Node:
    """A node before it is made."""

    name: str
    pool: str
    zone: str
    ip: str
    type: str
    cidr: str
    i: int
    ncpu: int
    gib: int
    ngpu: int
    created: int
    cpu: int
    mem: int
    usecpu: int
    usemem: int
    usegpu: int
    vols: int
    npod: int
    ipno: int
    images: set[str]


def plan_nodes(npods: int) -> list[Node]:
    """Return the nodes of a cluster of so many pods, by name."""
    n = max(6, round(npods / 30))
    r = chance_for("nodes")
    cp: Any = 3 if n < 200 else 5
    cnt: Json = {
        "control-plane": cp if n > 8 else 1,
        "gpu": max(1, round(n * 0.05)),
        "data": max(1, round(n * 0.14)),
        "batch": max(1, round(n * 0.15)),
        "ci": max(1, round(n * 0.08)),
    }
    cnt["general"] = max(1, n - sum(cnt.values()))
    out, ips = [], set()
    for pool, c in cnt.items():
        for i in range(c):
            x = Node()
            x.pool = pool
            x.zone = "abc"[(i + len(pool)) % 3]
            while True:
                ip = f"10.{40 + 'abc'.index(x.zone)}.{r.randrange(0, 64)}.{r.randrange(4, 251)}"
                if ip not in ips:
                    break
            ips.add(ip)
            x.ip = ip
            x.name = "ip-" + ip.replace(".", "-") + ".us-east-1.compute.internal"
            x.type, x.ncpu, x.gib, x.ngpu = POOLS[pool]
            x.created = (
                NOW - int(r.uniform(4, 46) * DAY) if pool != "ci" else NOW - int(r.uniform(1, 20) * DAY)
            )
            if pool in ("control-plane", "data"):
                x.created = NOW - int(r.uniform(30, 75) * DAY)
            x.cpu = x.ncpu * 1000 - 240
            x.mem = int(x.gib * 1024 * 0.965) - 1200
            x.usecpu, x.usemem, x.usegpu, x.vols, x.npod, x.ipno = 0, 0, 0, 0, 0, 3
            x.images = set()
            out.append(x)
    out.sort(key=lambda x: x.name)
    for i, x in enumerate(out):
        x.i = i
        x.cidr = f"100.{64 + (i >> 8)}.{i & 255}"
    return out


def node_obj(x: Node, images: Sequence[str], release: str, mf: bool) -> Json:
    """Return a node as an API server serves it."""
    r = chance_for("node", x.i)
    iid = "i-0" + digits(r, 16)
    lab: Json = {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/instance-type": x.type,
        "beta.kubernetes.io/os": "linux",
        "failure-domain.beta.kubernetes.io/region": "us-east-1",
        "failure-domain.beta.kubernetes.io/zone": "us-east-1" + x.zone,
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": x.name,
        "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": x.type,
        DOMAIN + "/pool": x.pool,
        DOMAIN + "/capacity-type": "spot" if x.pool in ("batch", "ci") else "on-demand",
        "topology.ebs.csi.aws.com/zone": "us-east-1" + x.zone,
        "topology.k8s.aws/zone-id": f"use1-az{'abc'.index(x.zone) + 1}",
        "topology.kubernetes.io/region": "us-east-1",
        "topology.kubernetes.io/zone": "us-east-1" + x.zone,
    }
    if x.pool == "control-plane":
        lab["node-role.kubernetes.io/control-plane"] = ""
        lab["node.kubernetes.io/exclude-from-external-load-balancers"] = ""
    else:
        lab["node-role.kubernetes.io/" + x.pool] = ""
    if x.ngpu:
        lab.update(
            {
                "nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB",
                "nvidia.com/gpu.count": "8",
                "nvidia.com/gpu.memory": "40960",
                "nvidia.com/gpu.family": "ampere",
                "nvidia.com/gpu.present": "true",
                "nvidia.com/mig.capable": "true",
                "nvidia.com/cuda.driver.major": "550",
                "nvidia.com/cuda.runtime.major": "12",
                "feature.node.kubernetes.io/pci-10de.present": "true",
            }
        )
    md = f"{x.pool}-md-{letters(chance_for('md', x.pool), 5)}"
    ann: Json = {
        "cluster.x-k8s.io/cluster-name": "prod-use1",
        "cluster.x-k8s.io/cluster-namespace": "capi-prod",
        "cluster.x-k8s.io/machine": f"{md}-{letters(r, 9)}-{letters(r, 5)}",
        "cluster.x-k8s.io/owner-kind": "KubeadmControlPlane" if x.pool == "control-plane" else "MachineSet",
        "cluster.x-k8s.io/owner-name": md,
        "csi.volume.kubernetes.io/nodeid": compact_json({"ebs.csi.aws.com": iid, "efs.csi.aws.com": iid}),
        "kubeadm.alpha.kubernetes.io/cri-socket": "unix:///var/run/containerd/containerd.sock",
        "node.alpha.kubernetes.io/ttl": "0" if x.i % 3 else "30",
        "io.cilium.network.ipv4-cilium-host": x.cidr + ".1",
        "io.cilium.network.ipv4-pod-cidr": x.cidr + ".0/24",
        "volumes.kubernetes.io/controller-managed-attach-detach": "true",
    }
    hb = NOW - r.randint(4, 290)
    hb0 = x.created + r.randint(10, 60)
    conds: list[Any] = [
        {
            "lastHeartbeatTime": stamp(hb0),
            "lastTransitionTime": stamp(hb0),
            "message": "Cilium is running on this node",
            "reason": "CiliumIsUp",
            "status": "False",
            "type": "NetworkUnavailable",
        }
    ]
    for ty, a, b in (
        ("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
        ("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        ("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        ("KernelDeadlock", "KernelHasNoDeadlock", "kernel has no deadlock"),
        ("ReadonlyFilesystem", "FilesystemIsNotReadOnly", "Filesystem is not read-only"),
    ):
        conds.append(
            {
                "lastHeartbeatTime": stamp(hb),
                "lastTransitionTime": stamp(x.created + r.randint(0, 9)),
                "message": b,
                "reason": a,
                "status": "False",
                "type": ty,
            }
        )
    conds.append(
        {
            "lastHeartbeatTime": stamp(hb),
            "lastTransitionTime": stamp(hb0 + r.randint(1, 30)),
            "message": "kubelet is posting ready status",
            "reason": "KubeletReady",
            "status": "True",
            "type": "Ready",
        }
    )
    memk = x.gib * 1024 * 1024 - int(x.gib * 1024 * 1024 * 0.031) - r.randrange(4096)
    eph: Any = 524275692 if x.pool != "ci" else 1843191788
    cap: Json = {
        "cpu": str(x.ncpu),
        "ephemeral-storage": f"{eph}Ki",
        "hugepages-1Gi": "0",
        "hugepages-2Mi": "0",
        "memory": f"{memk}Ki",
        "pods": "250",
    }
    al: Json = {
        "cpu": f"{x.cpu}m",
        "ephemeral-storage": str(int(eph * 1024 * 0.9)),
        "hugepages-1Gi": "0",
        "hugepages-2Mi": "0",
        "memory": f"{memk - 1024 * 1024}Ki",
        "pods": "250",
    }
    if x.ngpu:
        cap["nvidia.com/gpu"] = al["nvidia.com/gpu"] = str(x.ngpu)
        cap["vpc.amazonaws.com/efa"] = al["vpc.amazonaws.com/efa"] = "4"
    imgs: list[Any] = []
    for im in images:
        size = int(digest(7, "imgsize", im), 16) * 9 % 2400000000 + 9000000
        if "@sha256" in im:
            names: list[Any] = [im.split(":v")[0] + "@" + im.split("@")[1]]
        else:
            names = [image_id(im), im]
        imgs.append({"names": names, "sizeBytes": size})
    imgs.sort(key=lambda d: -d["sizeBytes"])
    spec: Json = {
        "podCIDR": x.cidr + ".0/24",
        "podCIDRs": [x.cidr + ".0/24"],
        "providerID": f"aws:///us-east-1{x.zone}/{iid}",
    }
    if TAINTS[x.pool]:
        spec["taints"] = [dict(t) for t in TAINTS[x.pool]]
    if x.pool in ("batch", "general") and r.random() < 0.012:
        spec["unschedulable"] = True
        spec.setdefault("taints", []).append(
            {
                "effect": "NoSchedule",
                "key": "node.kubernetes.io/unschedulable",
                "timeAdded": stamp(NOW - r.randint(300, 20000)),
            }
        )
    st: Json = {
        "addresses": [
            {"address": x.ip, "type": "InternalIP"},
            {"address": x.name, "type": "InternalDNS"},
            {"address": x.name, "type": "Hostname"},
        ],
        "allocatable": al,
        "capacity": cap,
        "conditions": conds,
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
        "images": imgs[:50],
        "nodeInfo": {
            "architecture": "amd64",
            "bootID": uid("boot", x.i),
            "containerRuntimeVersion": "containerd://1.7.27",
            "kernelVersion": "6.8.0-1034-aws",
            "kubeProxyVersion": release,
            "kubeletVersion": release,
            "machineID": "ec2" + digits(r, 29),
            "operatingSystem": "linux",
            "osImage": "Ubuntu 22.04.5 LTS",
            "systemUUID": "ec2" + uid("sys", x.i)[3:],
        },
        "runtimeHandlers": [
            {"features": {"recursiveReadOnlyMounts": True}, "name": ""},
            {"features": {"recursiveReadOnlyMounts": True}, "name": "runc"},
        ],
    }
    del st["runtimeHandlers"]  # alpha in 1.30
    if x.vols:
        v = sorted("kubernetes.io/csi/ebs.csi.aws.com^vol-0" + digits(r, 16) for _ in range(x.vols))
        st["volumesInUse"] = v
        st["volumesAttached"] = [{"devicePath": "", "name": n} for n in v]
    o: Json = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "annotations": ann,
            "creationTimestamp": stamp(x.created),
            "labels": lab,
            "name": x.name,
            "resourceVersion": version(hb, r),
            "uid": uid("node", x.i),
        },
        "spec": spec,
        "status": st,
    }
    if mf:
        m: Any = o["metadata"]
        m["managedFields"] = [
            managed_row(
                "kubelet",
                x.created,
                {
                    "f:metadata": {
                        "f:annotations": field_set(
                            {"volumes.kubernetes.io/controller-managed-attach-detach": ""}
                        ),
                        "f:labels": field_set(lab),
                    },
                    "f:spec": {"f:providerID": {}},
                },
            ),
            managed_row(
                "kubeadm",
                x.created + 4,
                {"f:metadata": {"f:annotations": {"f:kubeadm.alpha.kubernetes.io/cri-socket": {}}}},
            ),
            managed_row(
                "kube-controller-manager",
                x.created + 9,
                {
                    "f:metadata": {"f:annotations": {"f:node.alpha.kubernetes.io/ttl": {}}},
                    "f:spec": {"f:podCIDR": {}, "f:podCIDRs": {".": {}, f'v:"{x.cidr}.0/24"': {}}},
                },
            ),
            managed_row(
                "manager",
                x.created + 30,
                {
                    "f:metadata": {
                        "f:annotations": {"f:" + k: {} for k in ann if k.startswith("cluster.x-k8s.io")}
                    }
                },
            ),
            managed_row(
                "cilium-agent",
                hb0,
                {"f:status": {"f:conditions": {'k:{"type":"NetworkUnavailable"}': field_set(conds[0])}}},
                "status",
            ),
            managed_row(
                "kubelet",
                hb,
                {
                    "f:metadata": {"f:annotations": {"f:csi.volume.kubernetes.io/nodeid": {}}},
                    "f:status": {
                        "f:allocatable": field_set(al),
                        "f:capacity": field_set(cap),
                        "f:conditions": {f'k:{{"type":"{c["type"]}"}}': field_set(c) for c in conds[1:]},
                        "f:images": {},
                        "f:nodeInfo": {"f:" + k: {} for k in st["nodeInfo"]},
                    },
                },
                "status",
            ),
        ]
    return o


def image_id(im: str) -> str:
    """Return what a runtime calls an image."""
    if "@sha256" in im:
        b, d = im.split("@")
        i = b.rfind(":")
        return (b[:i] if i > b.rfind("/") else b) + "@" + d
    i = im.rfind(":")
    b = im[:i] if i > im.rfind("/") else im
    if "/" not in b:
        b = "docker.io/library/" + b
    elif "." not in b.split("/")[0]:
        b = "docker.io/" + b
    return b + "@sha256:" + hashlib.sha256(("img" + im).encode()).hexdigest()
