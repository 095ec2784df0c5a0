"""How kubelets are installed, as the shell of a runbook: kubeadm, k3s, RKE2, Talos, a package manager.

Functions are in ``runbook.toml``, commands for the control plane of a cluster here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from hashcompat.core.model.escape import some
from hashcompat.core.model.impact import Installer, NodeImpact
from hashcompat.output.report.model import Code

Lines = list[str | tuple[str, ...] | Code]


class FunctionBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a function, for Linux and for Windows."""

    linux: str
    windows: str = ""
    """Empty where there are no such nodes."""

    def function(self, head: str, *, windows: bool) -> Code:
        """Return the function; with nodes of Windows it asks which one it is given."""
        if not windows:
            return Code(f"{head}\n{self.linux}\n}}")
        body = f"{self.windows}\n    return" if self.windows else _NO_WINDOWS
        lines = ['    if is_windows "$1"; then', *(f"    {line}" for line in body.splitlines())]
        return Code("\n".join([head, *lines, "    fi", self.linux, "}"]))


_NO_WINDOWS: Final = """\
    echo "no way is known to do this on Windows: $1" >&2
    return 1"""


class Installation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How kubelets are installed."""

    title: str
    kubelet: FunctionBody
    """Installs and restarts the kubelet ``$2`` on the node ``$1``."""
    back: str
    """What is to be known of the way back."""
    upgrade: str = '    kubelet "$1" "$target"'
    """The body of a function that upgrades the node ``$1``."""
    kubeadm: FunctionBody | None = None
    """Runs ``kubeadm upgrade $2`` on the node ``$1``; None for others."""
    more: str = ""
    """Other functions."""
    note: str = ""
    """What has to be there before."""
    suffix: str = ""
    """What the names of its releases end in, ``+k3s1``; empty where they are those of Kubernetes."""


class Shell(msgspec.Struct, frozen=True):
    """The shell of all runbooks: what is in ``runbook.toml``."""

    functions: Mapping[str, str]
    """The functions of every runbook, by what they are for."""
    ways: Mapping[Installer, Installation]


@cache
def shell() -> Shell:
    """Return the shell of all runbooks."""
    data = tomllib.loads((Path(__file__).parent / "runbook.toml").read_text(encoding="utf-8"))
    data["ways"]["kubeadm"]["kubelet"] = data["ways"]["package"]["kubelet"]
    return msgspec.convert(data, Shell)


def servers(installer: Installer, nodes: Sequence[NodeImpact]) -> Lines:
    """Return the commands that upgrade the API servers of some nodes.

    There are none where a kubelet and its API server are one program.
    """
    match installer:
        case Installer.KUBEADM:
            lines: Lines = []
            for number, node in enumerate(nodes):
                does = "node" if number else '"apply --yes v$target"'
                lines += [Code(f"with_kubeadm {{}} {does}", (node.name,)), healthy(node)]
            return lines
        case Installer.TALOS:
            upgrade = 'talos {} upgrade-k8s --to "$target" --upgrade-kubelet=false'
            return [Code(upgrade, (nodes[0].name,)), *map(healthy, nodes)]
        case Installer.PACKAGE:
            names = some((node.name for node in nodes), 6)
            return [
                f"upgrade kube-apiserver on {names} as it was installed, one by one",
                *map(healthy, nodes),
            ]
    return []


def snapshot(installer: Installer, node: NodeImpact) -> Lines:
    """Return the commands that save etcd before, on a node that has a member of it."""
    match installer:
        case Installer.KUBEADM:
            at = "/etc/kubernetes/pki/etcd"
            keys = f"--cacert={at}/ca.crt --cert={at}/server.crt --key={at}/server.key"
            save = f"-- etcdctl {keys} snapshot save /var/lib/etcd/before.db"
            members = [name for _, name in node.system if name.startswith("etcd")]
            return [Code(f"kubectl exec --namespace=kube-system {{}} {save}", (name,)) for name in members]
        case Installer.K3S:
            return [
                "without an embedded etcd, save its datastore instead: /var/lib/rancher/k3s/server/db",
                Code("on {} 'sudo k3s etcd-snapshot save'", (node.name,)),
            ]
        case Installer.RKE2:
            return [Code("on {} 'sudo rke2 etcd-snapshot save'", (node.name,))]
        case Installer.TALOS:
            return [Code("talos {} etcd snapshot before.db", (node.name,))]
    return []


def healthy(node: NodeImpact) -> Code:
    """Return the command that waits for etcd and the API server of a node."""
    pods = tuple(f"pod/{name}" for _, name in node.system)
    return Code("healthy {}", (node.system[0][0], *pods)) if pods else Code("answers")


def each(names: Sequence[str], command: str) -> Lines:
    """Return a loop over nodes, each of which is ``$node``."""
    return [Code("for node in {}; do", tuple(names)), Code(f"    {command}"), Code("done")]
