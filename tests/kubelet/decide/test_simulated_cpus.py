"""Random nodes and pods: the CPU manager's answer against what the kubelet's own steps come to."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import pytest

from hashcompat.analysis.preflight.facts import Facts
from hashcompat.analysis.preflight.facts.managers import cpus_of
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.kubelet.decide.cpus import refused, with_gates, worst
from hashcompat.core.kubelet.decide.whole import Whole
from hashcompat.core.model.pods import Pod
from hashcompat.core.records.probes import Dump, Probe
from hashcompat.sources.objects import read_object
from tests.helpers.pods import pod
from tests.helpers.randomness import FRESH, SEED
from tests.helpers.slices import every
from tests.kubelet.decide.test_cpus import SYS, alone, state

RELEASES = (
    *("1.18.20", "1.20.15", "1.22.17", "1.24.17", "1.26.15", "1.27.16", "1.29.15", "1.31.14"),
    *("1.32.13", "1.33.13", "1.34.12", "1.35.8", "1.36.5", "1.37.2"),
)


def minor(release: str) -> int:
    return int(release.split(".")[1])


def listed(cpus: set[int]) -> str:
    return ",".join(map(str, sorted(cpus)))


@dataclass
class Node:
    """A node with the policy static, and one pod that runs on it."""

    old: str
    new: str
    threads: int
    count: int
    reserved: set[int]
    by_number: bool
    whole: bool
    topology: str
    scope: str
    numa: list[set[int]]
    free: list[int]
    rows: list[tuple[bool, str, int]] = field(default_factory=list)
    """The containers: whether it is an init container, its name, how many CPUs it asks for."""
    held: dict[str, set[int]] = field(default_factory=dict)

    @property
    def default(self) -> set[int]:
        return {*self.reserved, *self.free}

    def take(self, number: int) -> set[int]:
        taken, self.free = set(self.free[:number]), self.free[number:]
        return taken


def random_node(rng: random.Random) -> Node:
    threads, cores = rng.choice([1, 2, 2, 4]), rng.randint(2, 10)
    count, new = threads * cores, rng.choice(RELEASES)
    old = rng.choice([release for release in RELEASES if 0 <= minor(new) - minor(release) <= 3])
    every, some, by_number = set(range(count)), rng.randint(1, max(1, count // 4)), rng.random() < 0.4
    reserved = set(range(some)) if by_number else set(rng.sample(sorted(every), some))
    free = sorted(every - reserved)
    if rng.random() < 0.5:
        rng.shuffle(free)
    two = [set(range(count // 2)), set(range(count // 2, count))]
    made = Node(
        *(old, new, threads, count, reserved, by_number),
        whole=minor(new) >= 22 and rng.random() < 0.6,
        topology=rng.choice(["none", "none", "best-effort", "restricted", "single-numa-node"]),
        scope=rng.choice(["container", "pod"]) if minor(new) >= 20 else "container",
        numa=two if rng.random() < 0.6 and count > 3 else [every],
        free=free,
    )
    for place in range(rng.randint(1, 2)):
        number = rng.randint(1, max(1, len(made.free) // 2))
        made.rows.append((False, f"c{place}", number))
        if rng.random() < 0.92 and len(made.free) > number:
            made.held[f"c{place}"] = made.take(number if rng.random() < 0.97 else max(1, number - 1))
    if rng.random() < 0.25:
        made.rows.insert(0, (True, "init", rng.randint(1, 3)))
        if rng.random() < 0.4 and len(made.free) > 3:
            made.held["init"] = made.take(made.rows[0][2])
    if rng.random() < 0.2 and len(made.free) > 5:  # an init container has what another one has
        made.rows = [(True, "init", 2), (False, "c0", 2), *(row for row in made.rows if row[1] == "c1")]
        made.held["init"] = made.held["c0"] = made.take(2)
    if rng.random() < 0.5:
        made.take(rng.randint(0, len(made.free) // 2))  # of another pod
    return made


def dump_of(node: Node, *, others: set[int]) -> Dump:
    amount = f"kubeReserved: {{cpu: '{len(node.reserved)}'}}\n"
    config = "kind: KubeletConfiguration\ncpuManagerPolicy: static\n"
    config += amount if node.by_number else f"reservedSystemCPUs: '{listed(node.reserved)}'\n"
    config += f"topologyManagerPolicy: {node.topology}\ntopologyManagerScope: {node.scope}\n"
    if node.whole:
        config += "cpuManagerPolicyOptions: {full-pcpus-only: 'true'}\n"
    if minor(node.new) == 22:
        config += "featureGates: {CPUManagerPolicyOptions: true}\n"
    own = {name: listed(cpus) for name, cpus in node.held.items()}
    entries = {**({"uid-p": own} if own else {}), **({"uid-q": {"c": listed(others)}} if others else {})}
    texts = {
        ("arguments", "kubelet"): "kubelet\n--config=/var/lib/kubelet/config.yaml\n",
        ("file", "/var/lib/kubelet/config.yaml"): config,
        ("file", "/var/lib/kubelet/cpu_manager_state"): state(listed(node.default), entries),
        ("file", f"{SYS}/cpu/online"): f"0-{node.count - 1}",
        ("directory", f"{SYS}/node"): "".join(f"node{place}\n" for place in range(len(node.numa))),
    }
    for place, cpus in enumerate(node.numa):
        texts["file", f"{SYS}/node/node{place}/cpulist"] = listed(cpus)
    for cpu in range(node.count):
        first = cpu - cpu % node.threads
        of_core = listed(set(range(first, first + node.threads)))
        texts["file", f"{SYS}/cpu/cpu{cpu}/topology/thread_siblings_list"] = of_core
    return Dump("n1", "test", {key: (Probe(*key, text),) for key, text in texts.items()})


class Kubelet:
    """Admits the pod as policy_static.go and scope_container.go or scope_pod.go do."""

    def __init__(self, node: Node) -> None:
        self.node, self.default, self.held = node, set(node.default), dict(node.held)
        self.reuse = set[int]()
        cores = [set(range(at, at + node.threads)) for at in range(0, node.count, node.threads)]
        self.physical = set[int]().union(*(core for core in cores if core & node.reserved))

    def guaranteed(self, is_init: bool, number: int) -> int:
        unreported = minor(self.node.new) in (33, 34) and minor(self.node.old) < 33
        return 0 if unreported and not is_init else number

    def hints(self, available: set[int], reusable: set[int], request: int) -> list[tuple[int, bool]]:
        sizes, least = list[int](), len(self.node.numa)
        for size in range(1, len(self.node.numa) + 1):
            for mask in combinations(self.node.numa, size):
                inside = set[int]().union(*mask)
                if len(inside) >= request:
                    least = min(least, size)
                if reusable <= inside and len(reusable) + len(available & inside) >= request:
                    sizes.append(size)
        return [(size, size == least) for size in sizes]

    def admits(self, hints: list[tuple[int, bool]] | None) -> bool:
        if hints is None or self.node.topology in ("none", "best-effort"):
            return True
        most = 1 if self.node.topology == "single-numa-node" else len(self.node.numa)
        return any(preferred and size <= most for size, preferred in hints)

    def of_container(self, is_init: bool, name: str, number: int) -> list[tuple[int, bool]] | None:
        request, held = self.guaranteed(is_init, number), self.held.get(name)
        if not request:
            return None
        if held is None:
            return self.hints(self.default - self.node.reserved, self.reuse, request)
        return self.hints(held, set(), request) if len(held) == request else []

    def of_pod(self) -> list[tuple[int, bool]] | None:
        numbers = [(is_init, self.guaranteed(is_init, number)) for is_init, _, number in self.node.rows]
        init = max((number for is_init, number in numbers if is_init), default=0)
        request, assigned = max(init, sum(number for is_init, number in numbers if not is_init)), set[int]()
        if not request:
            return None
        for is_init, name, number in self.node.rows:
            held = self.held.get(name)
            if held is not None and len(held) != self.guaranteed(is_init, number):
                return []
            assigned |= held or set()
        if len(assigned) == request:
            return self.hints(assigned, set(), request)
        return self.hints(self.default - self.node.reserved, assigned, request)

    def is_aligned(self, request: int) -> bool:
        if request % self.node.threads:
            return False
        return minor(self.node.new) < 27 or request <= len(self.default - self.physical)

    def refuses(self) -> bool:
        by_pod = self.node.topology != "none" and self.node.scope == "pod"
        if by_pod and not self.admits(self.of_pod()):
            return True
        return any(not self._gives(*row, asked=by_pod) for row in self.node.rows)

    def _gives(self, is_init: bool, name: str, number: int, *, asked: bool) -> bool:
        if not asked and not self.admits(self.of_container(is_init, name, number)):
            return False
        request, has = self.guaranteed(is_init, number), name in self.held
        if not request:
            return True
        looks_first = minor(self.node.new) >= 37 and has
        if self.node.whole and not looks_first and not self.is_aligned(request):
            return False
        if not has:
            available = (self.default - self.node.reserved) | self.reuse
            if request > len(available):
                return False
            self.held[name] = set(sorted(available)[:request])
            self.default -= self.held[name]
        self.reuse = self.reuse | self.held[name] if is_init else self.reuse - self.held[name]
        return True


def read(node: Node) -> Pod:
    own, init = (
        [alone(number, name) for is_init, name, number in node.rows if is_init is kind]
        for kind in (False, True)
    )
    more: dict[str, Any] = {"spec": {"initContainers": init}} if init else {}
    (made,) = read_object(pod(*own, **more), "test")
    assert isinstance(made, Pod)
    return made


@pytest.mark.parametrize("number", every(2, range(2)))
def test_what_is_certain_is_what_the_kubelet_does(catalog: Catalog, number: int) -> None:
    rng, seen = random.Random(f"{SEED} {number}"), set[str]()
    for _ in range(600 if FRESH else 300):
        node = random_node(rng)
        others = set(range(node.count)) - node.default - set().union(*node.held.values())
        facts, made = Facts(dump_of(node, others=others)), read(node)
        old, new = (with_gates(catalog.kubelet(release), facts.gates) for release in (node.old, node.new))
        states = catalog.hazards(new.release).states
        refusal = worst(refused(Whole(made), made, cpus_of(facts, states, new.gates), old, new))
        if refusal is None or refusal.certain:
            assert (refusal is not None) is Kubelet(node).refuses(), (node, refusal)
        seen.add("kept" if refusal is None else refusal.reason if refusal.certain else "unknown")
    assert {"kept", "SMTAlignmentError", "TopologyAffinityError", "unknown"} <= seen
