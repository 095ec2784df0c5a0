"""The runbook of an impact: how to upgrade, batch by batch, when to stop, and how to go back.

The shell is that of a person: functions once, then a line or a short loop for each batch. It runs in any
POSIX shell and in zsh, which splits no variables into words. A batch is a subshell that ends with the first
command that fails, so that nothing after it runs, and the shell of the person stays.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from hashcompat.core.model.escape import count, name_path, owner_path, printable, some
from hashcompat.core.model.impact import Batch, Certainty, Effect, Impact, Installer, NodeImpact, Role, Step
from hashcompat.output.report.installers import Installation, Lines, each, healthy, servers, shell, snapshot
from hashcompat.output.report.model import Block, Bullets, Code, Heading, Script

_NODE_NAME: Final = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")
"""What API servers accept as the name of a node (apimachinery ``IsDNS1123Subdomain``)."""
_TITLES: Final = {
    Step.CLEAN: "in place, nothing restarts",
    Step.IN_PLACE: "in place",
    Step.UNDECIDED: "undecided: decide first, or drain",
    Step.DRAIN: "drain first",
}
_NAMED: Final = 6
"""Names of a kind that a batch lists; ``-o wide`` and JSON have all."""


def runbook(impact: Impact, upgrade: str, notes: Iterable[str]) -> Iterator[Block]:
    """Yield the pages: what to know, the functions, the API servers, when to stop, how to go back, batches.

    ``upgrade`` names the releases; ``notes`` are the impact's warnings and what is not known.
    """
    nodes = {node.name: node for node in impact.nodes}
    way = shell().ways[impact.installer]
    yield Heading(f"Runbook: kubelet {upgrade}, {way.title}", 1)
    yield Bullets([*_before(impact, way, notes)])
    if printable(impact.origin.context) != impact.origin.context:
        yield Script(["no commands: the name of the context has characters that are not visible"])
        return
    yield Heading("Once, in the shell that you use", 2)
    yield Script([*_functions(impact, way)])
    yield Script(
        [
            Code(f"hashcompat preflight --to {{}} --no-node{_context(impact)}", (_target(impact),)),
            Code(f'hashcompat plan --from auto --to "$target" --out plan.json{_context(impact)}'),
            Code("kubectl get nodes > nodes-before.txt"),
            "what is not Ready now holds up its batch later",
            Code(f"kubectl wait pods --all-namespaces {_RUNNING} --for=condition=Ready --timeout=1s"),
        ]
    )
    yield from _servers(impact, nodes)
    yield Heading("When to stop", 2)
    yield Bullets(_STOP)
    yield Heading("How to go back", 2)
    yield Bullets([*_back(impact, way)])
    for batch in impact.batches:
        yield from _batch(batch, len(impact.batches), nodes)


def _before(impact: Impact, way: Installation, notes: Iterable[str]) -> Iterator[str]:
    yield "PodDisruptionBudgets hold back drains only; a kubelet that restarts containers ignores them."
    yield "One batch at a time: the next one only when the last command of the one before has ended well."
    yield f"The commands are for one way to install kubelets; --with names another: {_INSTALLERS}."
    yield f"They take kubectl 1.23 or newer. {way.note}".rstrip()
    yield from notes
    if any("--delete-emptydir-data" in node.flags for node in impact.nodes):
        yield "--delete-emptydir-data loses the files in emptyDir volumes of pods that are moved."
    left: dict[str, list[str]] = {}
    for node in impact.nodes:
        if node.left_out:
            left.setdefault(node.left_out, []).append(node.name)
    for reason, names in left.items():
        why = reason if len(names) == 1 else _PLURALS.sub(lambda verb: _SEVERAL[verb[0]], reason)
        yield f"Left out: {some(names, _NAMED)} {why}"
    if impact.unplaced or impact.unseen:
        pods = count(impact.unplaced + impact.unseen, "pod")
        yield f"On no node that is known, and so in no batch: {pods}"


_SEVERAL: Final = {"is": "are", "has": "have"}
_PLURALS: Final = re.compile(r"\A(?:is|has)\b")
"""The verb with which a reason begins."""
_RUNNING: Final = "--field-selector=status.phase=Running"
_INSTALLERS: Final = ", ".join(Installer)
_STOP: Final = (
    "A command of a batch fails: it ends its batch, the node stays cordoned, and no other batch may begin.",
    "check ends with 2: a container restarted, or was lost, that the plan kept. Go back, or make a new plan.",
    "check ends with 3: not decided yet. Run check again; what is UNKNOWN after ten minutes needs a person.",
    "Pods of a batch are not Ready after ten minutes, or /readyz of the API server is not ok.",
)


def _back(impact: Impact, way: Installation) -> Iterator[str]:
    yield (
        "back NODE RELEASE installs the kubelet that was there before. It restarts containers again: "
        f"hashcompat plan --from {impact.to_release} --to RELEASE shows which."
    )
    releases: dict[str, list[str]] = {}
    for node in impact.nodes:
        if node.kubelet and not node.left_out:
            releases.setdefault(node.kubelet, []).append(node.name)
    yield from (f"Kubelet {release} now: {some(names, _NAMED)}" for release, names in releases.items())
    yield "All of them are in nodes-before.txt."
    yield way.back


# The functions.


def _target(impact: Impact) -> str:
    """Return the release to install, with what the names of a distribution end in."""
    release, suffix = impact.to_release.removeprefix("v"), shell().ways[impact.installer].suffix
    return release if suffix.rstrip("1") in release else release + suffix


def _functions(impact: Impact, way: Installation) -> Iterator[str | tuple[str, ...] | Code]:
    windows = tuple(node.name for node in impact.nodes if node.windows and _is_name(node.name))
    cordoned = tuple(node.name for node in impact.nodes if node.cordoned and _is_name(node.name))
    if way.suffix and _target(impact) != impact.to_release.removeprefix("v"):
        yield "the build that you install: look whether it is the newest one"
    yield Code("target={}", (_target(impact),))
    if impact.origin.context:
        yield Code('kubectl() { command kubectl {} "$@"; }', (f"--context={impact.origin.context}",))
    if impact.installer is not Installer.TALOS:
        yield "how a command gets onto a node: change it for a bastion, SSM or Ansible"
        yield Code('on() { ssh -n "$1" "$2"; }')
    if windows:
        yield _membership("is_windows", windows)
        yield Code('on_windows() { ssh -n "$1" powershell -NoProfile -Command "$2"; }')
    if way.more:
        yield Code(way.more)
    if way.kubeadm:
        yield way.kubeadm.function("with_kubeadm() { # node, what to upgrade", windows=bool(windows))
    yield way.kubelet.function("kubelet() { # node, release: installs and restarts it", windows=bool(windows))
    yield Code(f"upgrade() {{ # node\n{way.upgrade}\n}}")
    yield Code(f"{shell().functions['waiting']}{_context(impact)}\n}}")
    yield _membership("was_cordoned", cordoned)
    yield Code(shell().functions["batch"])


def _membership(name: str, nodes: Sequence[str]) -> Code:
    """Return a function that asks whether a node is one of some."""
    if not nodes:
        return Code(f"{name}() {{ false; }}")
    return Code(f'{name}() {{ case "$1" in {" | ".join(nodes)}) ;; *) return 1 ;; esac; }}')


def _context(impact: Impact) -> str:
    """Return the flag that names the cluster, the context that was read, quoted for a shell."""
    context = impact.origin.context
    return f" {shlex.quote(f'--context={context}')}" if context else ""


def _servers(impact: Impact, nodes: Mapping[str, NodeImpact]) -> Iterator[Block]:
    """Yield what to do so that no kubelet becomes newer than its API server, and how etcd is saved."""
    members = [node for node in nodes.values() if node.role is not Role.WORKER and _is_name(node.name)]
    yield Heading("The control plane first", 2)
    if not members:
        yield Bullets(
            ["No node of the control plane is in the input: whoever runs it upgrades it before any kubelet."]
        )
        yield Script(["the server has to be of the new minor at least", Code("kubectl version")])
        return
    old = [server for server in impact.servers if server.behind > 0]
    if old:
        shown = some(
            (f"{server.release}{f' on {server.node}' if server.node else ''}" for server in old), _NAMED
        )
        lines = [f"kube-apiserver is {shown}: no kubelet may be newer"]
        if any(server.behind > 1 for server in old):
            lines.append("API servers go through every minor in between, one after the other")
        yield Bullets(lines)
    named = {server.node for server in old}
    behind = [node for node in members if node.name in named or named == {""}]
    commands: Lines = [line for node in members[:1] for line in snapshot(impact.installer, node)]
    if behind and (upgrades := servers(impact.installer, behind)):
        commands = [Code("("), Code("set -e"), *commands, *upgrades, Code(")")]
    if not impact.servers:
        yield Bullets(["Which release the API servers have is not known: no kubelet may be newer."])
        commands += [f"it has to be {impact.to_release} or of a later minor", Code("kubectl version")]
    yield Script(commands or ["nothing to do: no API server is older than the new kubelet"])


# A batch.


def _is_name(name: str) -> bool:
    """Return whether a name can be in a command: whoever pastes it would paste what is in the name."""
    return _NODE_NAME.fullmatch(name) is not None


def _batch(batch: Batch, number: int, nodes: Mapping[str, NodeImpact]) -> Iterator[Block]:
    members = [nodes[name] for name in batch.nodes]
    title = [count(len(members), "node"), _TITLES[batch.step]]
    if batch.role is not Role.WORKER:
        title.append("etcd" if batch.role is Role.ETCD else "control plane")
    if batch.zone:
        title.append(f"zone {batch.zone}")
    yield Heading(f"Batch {batch.number} of {number}: {', '.join(title)}", 2)
    if lines := [*_lines(batch, members)]:
        yield Bullets(lines)
    yield Script([*_commands(batch, members)])


def _lines(batch: Batch, members: Sequence[NodeImpact]) -> Iterator[str]:
    """Yield what to know of a batch; what several nodes have alike is one line."""
    restarted, unknown = (sum(getattr(node, key) for node in members) for key in ("restarted", "unknown"))
    if restarted or unknown:
        yield f"Pods that restart: {restarted}; more that may: {unknown}"
    yield from (f"Even so: {line}" for line in _effects(batch.effect))
    yield from (
        f"Not with batch {clash.batch} ({clash.nodes[0]} and {clash.nodes[1]} at once): {clash.why}"
        for clash in batch.apart
    )
    yield from _folded(members, lambda node: node.reasons)
    yield from _folded(members, lambda node: [f"evictions wait for {name}" for name in node.drain_waits])
    if unready := sum(node.unready for node in members):
        seconds = max(node.seconds for node in members)
        pods = count(unready, "pod")
        yield f"Besides restarts: {pods} not Ready for up to {seconds} s, until the probes pass again"
    drained = batch.step in (Step.DRAIN, Step.UNDECIDED)
    for what, key in (
        ("Not started again", "killed"),
        (_BARE_DRAINED if drained else _BARE, "bare"),
        ("Static pod, which no drain moves", "static"),
    ):
        places = [name_path(*place) for node in members for place in getattr(node.pods, key)]
        if places:
            yield f"{what}: {some(places, _NAMED)}"
    if single := [owner_path(*owner) for node in members for owner in node.pods.single]:
        yield f"The only replica: {some(single, _NAMED)}"


_BARE: Final = "No controller, which would replace it elsewhere"
_BARE_DRAINED: Final = "Nothing creates it again"
"""What a drain, and only a drain, means for a pod that nothing controls."""


def _folded(members: Sequence[NodeImpact], of: Callable[[NodeImpact], Iterable[str]]) -> Iterator[str]:
    """Yield the lines of some nodes, each once and with the nodes."""
    nodes_by_line: dict[str, list[str]] = {}
    for node in members:
        for line in of(node):
            nodes_by_line.setdefault(line, []).append(node.name)
    yield from (f"{some(names, _NAMED)}: {line}" for line, names in nodes_by_line.items())


def _effects(effect: Effect) -> Iterator[str]:
    for budget in effect.budgets:
        name = name_path(budget.namespace, budget.name)
        if budget.certainty is Certainty.YES:
            yield f"PodDisruptionBudget {name} is breached: {budget.after} of {budget.desired} healthy pods"
        else:
            yield f"PodDisruptionBudget {name} may be breached"
    for owner in effect.owners:
        yield f"{owner.subject} {'' if owner.certainty is Certainty.YES else 'may '}restart at once"


def _commands(batch: Batch, members: Sequence[NodeImpact]) -> Iterator[str | tuple[str, ...] | Code]:
    named = [node for node in members if _is_name(node.name)]
    if len(named) < len(members):
        some_of_it = count(len(members) - len(named), "node")
        yield f"no commands for {some_of_it}: no API server accepts the name"
    if not named:
        return
    names = tuple(node.name for node in named)
    drains = batch.step in (Step.DRAIN, Step.UNDECIDED)
    waits = [healthy(node) for node in named if batch.role is not Role.WORKER]
    if not (drains or waits):
        yield Code("batch {}", names)
        return
    yield Code("(")
    yield Code("set -e")
    if drains:
        yield from _drains(batch, named)
    yield Code("batch {}", names)
    yield from waits
    yield Code(")")


def _drains(batch: Batch, members: Sequence[NodeImpact]) -> Iterator[str | tuple[str, ...] | Code]:
    if batch.step is Step.UNDECIDED:
        yield "no drain is needed where the reasons above are settled otherwise"
    for owner in dict.fromkeys(owner for node in members for owner in node.effect.owners):
        if not owner.name.startswith("StaticPod/"):
            yield f"all replicas of {owner_path(owner.namespace, owner.name)} are here: move one by one first"
    for flags, group in groupby(sorted(members, key=lambda node: node.flags), lambda node: node.flags):
        if "--force" in flags:
            yield "--force deletes pods that nothing creates again; save their manifests first"
        names = tuple(node.name for node in group)
        if len(names) == 1:
            yield Code(f"kubectl drain {{}} {' '.join((*flags, '--timeout=30m'))}", names)
        else:
            yield from each(names, f'kubectl drain "$node" {" ".join((*flags, "--timeout=30m"))}')
