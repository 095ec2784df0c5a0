"""How kubelets are installed, as the shell of a runbook: kubeadm, k3s, RKE2, Talos, a package manager.

Each function there takes a node as ``$1``, and a release as ``$2``; ``on`` runs a command on a node, and
``$target`` is the release to install.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from hashcompat.core.model.escape import some
from hashcompat.core.model.impact import Installer, NodeImpact
from hashcompat.output.report.model import Code

Lines = list[str | tuple[str, ...] | Code]


class FunctionBody(msgspec.Struct, frozen=True):
    """The body of a function, for Linux and for Windows."""

    linux: str
    windows: str = ""
    """Empty where there are no such nodes."""

    def function(self, head: str, *, windows: bool) -> Code:
        """Return the function; with nodes of Windows it asks which one it is given."""
        if not windows:
            return Code(f"{head}\n{self.linux}\n}}")
        other = f"{self.windows}\n    return" if self.windows else _NO_WINDOWS
        lines = ['    if is_windows "$1"; then', *(f"    {line}" for line in other.splitlines())]
        return Code("\n".join([head, *lines, "    fi", self.linux, "}"]))


_NO_WINDOWS: Final = """\
    echo "no way is known to do this on Windows: $1" >&2
    return 1"""


class Installation(msgspec.Struct, frozen=True):
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
    servers: Callable[[Sequence[NodeImpact]], Lines] = lambda _: []
    """The commands that upgrade the API servers of some nodes; none where a kubelet and its API server are
    one program."""
    snapshot: Callable[[NodeImpact], Lines] = lambda _: []
    """The commands that save etcd before, on a node that has a member of it."""
    note: str = ""
    """What has to be there before."""
    suffix: str = ""
    """What the names of its releases end in, ``+k3s1``; empty where they are those of Kubernetes."""


_PACKAGE: Final = """\
    on "$1" "set -e
        if command -v apt-get >/dev/null; then
            sudo apt-get update -q
            sudo apt-get install -qy --allow-change-held-packages --allow-downgrades 'kubelet=$2-*'
        else
            sudo dnf install -qy --disableexcludes=kubernetes 'kubelet-$2-*'
        fi
        sudo systemctl daemon-reload
        sudo systemctl restart kubelet\""""
_WINDOWS: Final = """\
    on_windows "$1" "Stop-Service kubelet"
    on_windows "$1" "curl.exe -fLo C:/k/kubelet.exe https://dl.k8s.io/v$2/bin/windows/amd64/kubelet.exe"
    on_windows "$1" "Start-Service kubelet\""""
_KUBEADM: Final = """\
    on "$1" "set -e
        if command -v apt-get >/dev/null; then
            sudo apt-get update -q
            sudo apt-get install -qy --allow-change-held-packages 'kubeadm=$target-*'
        else
            sudo dnf install -qy --disableexcludes=kubernetes 'kubeadm-$target-*'
        fi
        sudo kubeadm upgrade $2\""""
_KUBEADM_WINDOWS: Final = """\
    on_windows "$1" "curl.exe -fLo C:/k/kubeadm.exe https://dl.k8s.io/v$target/bin/windows/amd64/kubeadm.exe"
    on_windows "$1" "C:/k/kubeadm.exe upgrade $2\""""
_K3S: Final = """\
    on "$1" "set -e
        case \\$(uname -m) in aarch64) file=k3s-arm64 ;; *) file=k3s ;; esac
        curl -sfLo /tmp/k3s 'https://github.com/k3s-io/k3s/releases/download/v$2/'\\$file
        sudo install -m 755 /tmp/k3s /usr/local/bin/k3s
        if systemctl is-active -q k3s-agent; then sudo systemctl restart k3s-agent
        else sudo systemctl restart k3s; fi\""""
_RKE2: Final = """\
    on "$1" "set -e
        if systemctl is-enabled -q rke2-server; then kind=server; else kind=agent; fi
        installer=\\$(mktemp)
        curl -sfLo \\$installer https://get.rke2.io
        sudo INSTALL_RKE2_VERSION='v$2' INSTALL_RKE2_TYPE=\\$kind sh \\$installer
        sudo systemctl restart rke2-\\$kind\""""
_RKE2_WINDOWS: Final = """\
    on_windows "$1" "Stop-Service rke2"
    on_windows "$1" "curl.exe -fLo install.ps1 https://raw.githubusercontent.com/rancher/rke2/master/install.ps1"
    on_windows "$1" "./install.ps1 -Version v$2"
    on_windows "$1" "Start-Service rke2\""""
_TALOS: Final = """\
    talos "$1" patch machineconfig --mode=no-reboot --patch \\
        "[{\\"op\\":\\"replace\\",\\"path\\":\\"/machine/kubelet/image\\",\\"value\\":\\"$image:v$2\\"}]\""""
_ON_TALOS: Final = """\
image=ghcr.io/siderolabs/kubelet
talos() { # node, what talosctl does there; without an address it would act on the nodes of its configuration
    address=$(kubectl get node "$1" --output=jsonpath='{.status.addresses[?(@.type=="InternalIP")].address}')
    if [ -z "$address" ]; then
        echo "the address of $1 is not known" >&2
        return 1
    fi
    shift
    talosctl --nodes "${address%% *}" "$@"
}"""


def _by_kubeadm(nodes: Sequence[NodeImpact]) -> Lines:
    lines: Lines = []
    for number, node in enumerate(nodes):
        does = "node" if number else '"apply --yes v$target"'
        lines += [Code(f"with_kubeadm {{}} {does}", (node.name,)), healthy(node)]
    return lines


def _by_talos(nodes: Sequence[NodeImpact]) -> Lines:
    upgrade = 'talos {} upgrade-k8s --to "$target" --upgrade-kubelet=false'
    return [Code(upgrade, (nodes[0].name,)), *map(healthy, nodes)]


def _by_hand(nodes: Sequence[NodeImpact]) -> Lines:
    names = some((node.name for node in nodes), 6)
    return [f"upgrade kube-apiserver on {names} as it was installed, one by one", *map(healthy, nodes)]


def healthy(node: NodeImpact) -> Code:
    """Return the command that waits for etcd and the API server of a node."""
    pods = tuple(f"pod/{name}" for _, name in node.system)
    return Code("healthy {}", (node.system[0][0], *pods)) if pods else Code("answers")


def each(names: Sequence[str], command: str) -> Lines:
    """Return a loop over nodes, each of which is ``$node``."""
    return [Code("for node in {}; do", tuple(names)), Code(f"    {command}"), Code("done")]


def _etcdctl(node: NodeImpact) -> Lines:
    at = "/etc/kubernetes/pki/etcd"
    keys = f"--cacert={at}/ca.crt --cert={at}/server.crt --key={at}/server.key"
    save = f"etcdctl {keys} snapshot save /var/lib/etcd/before.db"
    members = [name for _, name in node.system if name.startswith("etcd")]
    return [Code(f"kubectl exec --namespace=kube-system {{}} -- {save}", (name,)) for name in members]


_REPOSITORY: Final = (
    "The nodes' package repository has to be that of the new minor: pkgs.k8s.io has one each."
)
_KEEPS: Final = "A kubelet may stay older than its API server, which goes back only with etcd's snapshot."
WAYS: Final[Mapping[Installer, Installation]] = {
    Installer.KUBEADM: Installation(
        "kubeadm",
        FunctionBody(_PACKAGE, _WINDOWS),
        f"kubeadm has no way back. {_KEEPS}",
        upgrade='    with_kubeadm "$1" node\n    kubelet "$1" "$target"',
        kubeadm=FunctionBody(_KUBEADM, _KUBEADM_WINDOWS),
        servers=_by_kubeadm,
        note=_REPOSITORY,
        snapshot=_etcdctl,
    ),
    Installer.K3S: Installation(
        "k3s",
        FunctionBody(_K3S),
        "A server that goes back needs the snapshot of its datastore: k3s server --cluster-reset.",
        snapshot=lambda node: [
            "without an embedded etcd, save its datastore instead: /var/lib/rancher/k3s/server/db",
            Code("on {} 'sudo k3s etcd-snapshot save'", (node.name,)),
        ],
        suffix="+k3s1",
    ),
    Installer.RKE2: Installation(
        "RKE2",
        FunctionBody(_RKE2, _RKE2_WINDOWS),
        "A server that goes back needs the snapshot of etcd: rke2 server --cluster-reset.",
        snapshot=lambda node: [Code("on {} 'sudo rke2 etcd-snapshot save'", (node.name,))],
        suffix="+rke2r1",
    ),
    Installer.TALOS: Installation(
        "Talos",
        FunctionBody(_TALOS),
        f"Talos' own release stays. {_KEEPS}",
        more=_ON_TALOS,
        servers=_by_talos,
        snapshot=lambda node: [Code("talos {} etcd snapshot before.db", (node.name,))],
    ),
    Installer.PACKAGE: Installation(
        "package manager", FunctionBody(_PACKAGE, _WINDOWS), _KEEPS, servers=_by_hand, note=_REPOSITORY
    ),
}
