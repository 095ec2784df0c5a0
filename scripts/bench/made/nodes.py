"""The nodes of a cluster, as their kubelets and controllers keep them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from scripts.bench.made import affinities
from scripts.bench.made.chance import DAY, DUMPED, Chance, Json, stamp

_CONDITIONS: Final = (
    ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
)


def number_of(name: str) -> int:
    """Return the number of a node, which its name ends with."""
    return int(name.rpartition("-")[2])


def address_of(name: str) -> str:
    """Return the address of a node."""
    number = number_of(name)
    return f"192.168.{number >> 8}.{number & 255}"


def node(name: str, release: str, chance: Chance | None = None, images: Sequence[str] = ()) -> Json:
    """Return a node, with the images that it has pulled."""
    chance = chance or Chance(name)
    created = DUMPED - chance.randint(2 * DAY, 420 * DAY)
    beat = DUMPED - chance.randint(1, 300)
    number, address = number_of(name), address_of(name)
    # Large enough for every pod that is placed there: a kubelet admits again only what fits.
    cpus = chance.choice((256, 320, 384, 448, 512))
    memory = cpus * 4 * 1024 * 1024
    has = {
        "cpu": str(cpus),
        "ephemeral-storage": "101430960Ki",
        "hugepages-1Gi": "0",
        "hugepages-2Mi": "0",
        "pods": "110",
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "annotations": {
                "csi.volume.kubernetes.io/nodeid": f'{{"ebs.csi.aws.com":"i-{chance.hex(8)}"}}',
                "kubeadm.alpha.kubernetes.io/cri-socket": "unix:///var/run/containerd/containerd.sock",
                "node.alpha.kubernetes.io/ttl": "0",
                "projectcalico.org/IPv4Address": f"{address}/20",
                "volumes.kubernetes.io/controller-managed-attach-detach": "true",
            },
            "creationTimestamp": stamp(created),
            "labels": {
                "beta.kubernetes.io/arch": "amd64",
                "beta.kubernetes.io/os": "linux",
                "kubernetes.io/arch": "amd64",
                "kubernetes.io/hostname": name,
                "kubernetes.io/os": "linux",
                "node.kubernetes.io/instance-type": f"m6i.{cpus // 4}xlarge",
                "pool.example.com/name": affinities.pool(number),
                "topology.kubernetes.io/region": "eu-central-1",
                "topology.kubernetes.io/zone": f"eu-central-1{chance.choice('abc')}",
            },
            "name": name,
            "resourceVersion": str(chance.randrange(10**8, 10**9)),
            "uid": chance.uid(),
        },
        "spec": {
            "podCIDR": f"10.{number >> 8}.{number & 255}.0/24",
            "podCIDRs": [f"10.{number >> 8}.{number & 255}.0/24"],
            "providerID": f"aws:///eu-central-1a/i-{chance.hex(8)}",
        },
        "status": {
            "addresses": [{"address": address, "type": "InternalIP"}, {"address": name, "type": "Hostname"}],
            "allocatable": {**has, "cpu": f"{cpus * 1000 - 110}m", "memory": f"{memory - 700_000}Ki"},
            "capacity": {**has, "memory": f"{memory}Ki"},
            "conditions": [
                {
                    "lastHeartbeatTime": stamp(beat),
                    "lastTransitionTime": stamp(created + 40),
                    "message": message,
                    "reason": reason,
                    "status": status,
                    "type": kind,
                }
                for kind, status, reason, message in _CONDITIONS
            ],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "images": [
                {"names": [image], "sizeBytes": chance.randint(10**6, 10**9)}
                for image in chance.some(tuple(images), 5, 30)
            ],
            "nodeInfo": {
                "architecture": "amd64",
                "bootID": chance.uid(),
                "containerRuntimeVersion": "containerd://1.7.29",
                "kernelVersion": "6.8.0-1021-aws",
                "kubeProxyVersion": f"v{release}",
                "kubeletVersion": f"v{release}",
                "machineID": chance.hex(16),
                "operatingSystem": "linux",
                "osImage": "Ubuntu 24.04.1 LTS",
                "systemUUID": chance.uid(),
            },
        },
    }
