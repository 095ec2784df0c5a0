"""What of a pod the decisions about all of its containers share, each fact computed once.

A pod may have 1,500 containers, and what a kubelet decides about each depends on all of them, on the pod's
tolerations and on its node's taints. Asked again for each container, that takes the square of the pod's size.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeVar

from hashcompat.core.catalog.behaviour import Behaviour, PodFeature
from hashcompat.core.corev1.resources import qos_class
from hashcompat.core.corev1.scheduling import SYSTEM, mounted, not_tolerated, unmet, volume_kinds
from hashcompat.core.errors import DecodeError
from hashcompat.core.go.jsonpath import mapping, rows
from hashcompat.core.model.escape import few
from hashcompat.core.model.pods import Container, ContainerType, Node, Pod

Fact = TypeVar("Fact")


_SHOWN: Final = 3
"""Names of resources in a reason; the others are only counted."""


def class_shown(pod: Pod, behaviour: Behaviour) -> str:
    """Return the QoS class that a kubelet takes from a pod's status; empty where it computes that.

    Source: pkg/apis/core/v1/helper/qos/qos.go ``GetPodQOS`` (1.28.15 and 1.29.0).
    """
    return pod.qos if behaviour.pod_class == "as shown" else ""


_CRITICAL: Final = 2_000_000_000
"""The least priority of a critical pod (pkg/apis/scheduling ``SystemCriticalPriority``)."""


def is_critical_pod(pod: Pod, priority: object, behaviour: Behaviour) -> bool:
    """Return whether a pod is critical to a kubelet (pkg/kubelet/types/pod_update.go ``IsCriticalPod``)."""
    rule = behaviour.room.critical
    if rule == "static or by priority" and pod.static:
        return True
    return rule != "none" and isinstance(priority, int) and priority >= _CRITICAL


_UNKNOWN: Final[Any] = object()


class Whole:
    """The facts about one pod, for as long as its containers are decided."""

    def __init__(self, pod: Pod) -> None:
        self._pod = pod
        self._facts: dict[Hashable, Any] = {}
        self._alive: dict[int, object] = {}

    def once(self, key: Hashable, compute: Callable[[], Fact], *, of: object = None) -> Fact:
        """Return what is computed under a key, the first time for all containers.

        ``of`` is a value that belongs to the key by its identity, because it has no hash.
        """
        if of is not None:
            # Kept as long as this, so that no other value gets its id.
            self._alive[id(of)] = of
            key = key, id(of)
        fact: Fact = self._facts.get(key, _UNKNOWN)
        if fact is _UNKNOWN:
            fact = self._facts[key] = compute()
        return fact

    def place(self, container: Container) -> int:
        """Return which of the pod's containers one is. Raises KeyError for another pod's."""
        return self._places[container.path]

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {own.path: at for at, own in enumerate(self._pod.containers)}

    @property
    def has_sidecar(self) -> bool:
        """Whether one of the containers is a sidecar."""
        return bool(self._of_type[ContainerType.SIDECAR])

    @property
    def runs_sidecar(self) -> bool:
        """Whether the status shows that a sidecar runs."""
        return any(own.running for own in self._of_type[ContainerType.SIDECAR])

    @cached_property
    def in_docker(self) -> bool:
        """Whether the status shows that Docker has its containers: those that run, where any does."""
        own = self._pod.containers
        return any(
            container.docker for container in [container for container in own if container.running] or own
        )

    @cached_property
    def runs_none(self) -> bool:
        """Whether the status shows that no regular container runs."""
        return all(own.running is False for own in self._of_type[ContainerType.CONTAINER])

    def is_done(self, rules: Rules) -> bool | None:
        """Return whether every regular container has ended for good, and so the sidecars are ended too.

        None where an exit code decides that is not known.
        """
        return self.once(("done", rules), lambda: self._is_done(rules))

    def _is_done(self, rules: Rules) -> bool | None:
        is_known = True
        for own in self._of_type[ContainerType.CONTAINER]:
            if own.removed:  # nobody looks at it
                continue
            codes = exit_codes(own)
            answers = {starts_again(own.spec, self._pod.restart_policy, code, rules) for code in codes}
            if answers in (set(), {True}):  # it runs, never ran, or starts again whatever its code
                return False
            is_known &= answers == {False}
        return True if is_known else None

    def has_failed(self, rules: Rules) -> bool | None:
        """Return whether an init container has failed for good, so that no regular container ever starts.

        None where an exit code decides that is not known.
        """
        return self.once(("failed", rules), lambda: self._has_failed(rules))

    def _has_failed(self, rules: Rules) -> bool | None:
        if not self.never_ran:
            return False
        begun = [
            own
            for own in self._pod.containers
            if own.type in (ContainerType.INIT, ContainerType.SIDECAR) and (own.running or exit_codes(own))
        ]
        if rules.lost and any(own.lost for own in begun if own.type is ContainerType.INIT):
            return self._pod.restart_policy == "Never"
        # a kubelet looks at the last one that the runtime has; those behind it have not begun
        if not begun or begun[-1].type is ContainerType.SIDECAR:
            return False
        last = begun[-1]
        codes = exit_codes(last)
        if is_out_of_memory(last):  # pkg/kubelet/kuberuntime/helpers.go ``isInitContainerFailed``
            codes = [code or _OTHER_CODE for code in codes]
        failed = {
            code != 0 and not starts_again(last.spec, self._pod.restart_policy, code, rules) for code in codes
        }
        return False if failed in (set(), {False}) else True if failed == {True} else None

    def restarts_all(self, *, waiting: bool) -> bool | None:
        """Return whether a container has ended in a way for which its rules restart all containers.

        None where an exit code decides that is not known. ``waiting``: whether one counts that waits to start
        again, as by a kubelet which knows no such rule; by another one it waits because all were restarted.
        """
        return self.once(("restarts all", waiting), lambda: self._restarts_all(waiting=waiting))

    def _restarts_all(self, *, waiting: bool) -> bool | None:
        answer: bool | None = False
        for own in self._pod.containers:
            if own.type is ContainerType.EPHEMERAL or not (waiting or (own.ended and own.ended.final)):
                continue
            actions = {action_of(own.spec, code) == RESTART_ALL for code in exit_codes(own)}
            if actions == {True}:
                return True
            if True in actions:
                answer = None
        return answer

    @cached_property
    def never_ran(self) -> bool:
        """Whether the status shows that no regular container has run yet."""
        regular = self._of_type[ContainerType.CONTAINER]
        return all(own.restarts == 0 for own in regular) and self.runs_none

    @cached_property
    def qos_classes(self) -> tuple[str, str] | None:
        """The QoS class by the regular containers, and by the init containers too.

        None where one of them does not decode, for which it has an answer of its own.
        """
        regular = self._of_type[ContainerType.CONTAINER]
        containers = regular + self._of_type[ContainerType.INIT] + self._of_type[ContainerType.SIDECAR]
        try:
            return qos_class(own.spec for own in regular), qos_class(own.spec for own in containers)
        except DecodeError:
            return None

    def static_qos_class(self, by_pod: bool) -> str:
        """Return the QoS class by the pod's own resources, or by its containers; empty where none decodes."""
        return self.once(("static QoS class", by_pod), lambda: self._static_qos_class(by_pod))

    def _static_qos_class(self, by_pod: bool) -> str:
        if not by_pod:
            return (self.qos_classes or ("", ""))[1]
        try:
            return qos_class([{"resources": self._pod.spec.get("resources")}])
        except DecodeError:
            return ""

    @cached_property
    def has_own_resources(self) -> bool:
        """Whether resources of the pod itself are set, of those that a pod can have."""
        return has_own_resources(self._pod.spec)

    def sysctls(self, behaviour: Behaviour) -> frozenset[str]:
        """Return the names of the sysctls that the pod sets, as a kubelet which behaves so reads them."""
        way = behaviour.sysctl_names
        return self.once(("sysctls", way), lambda: frozenset(_sysctls(self._pod.spec, way)))

    def has_unsafe_sysctl(self, behaviour: Behaviour) -> bool:
        """Return whether the pod sets a sysctl that a kubelet which behaves so does not hold safe."""
        safe = tuple(behaviour.safe_sysctls)
        return self.once(("unsafe", safe), lambda: bool(self.sysctls(behaviour).difference(safe)))

    @cached_property
    def is_privileged(self) -> bool:
        """Whether a container is privileged, an init container that has ended too; no ephemeral one counts.

        Source: pkg/kubelet/util.go ``canRunPod``, 1.14.10.
        """
        return any(
            mapping(container.spec.get("securityContext")).get("privileged") is True
            for container in self._pod.containers
            if container.type is not ContainerType.EPHEMERAL
        )

    @cached_property
    def devices(self) -> str:
        """The first extended resources that the containers ask for, which device plugins serve, as text.

        Each container's reason has it, so that it may not grow with the pod; empty for none.
        """
        names = {name for container in self._pod.containers for name in devices_of(container, self._pod)}
        return few(sorted(names), _SHOWN)

    @cached_property
    def has_idle_devices(self) -> bool:
        """Whether a container asks for devices and does not run, as an init container that has ended."""
        return any(
            container.running is False or (container.type is ContainerType.INIT and not container.running)
            for container in self._with_devices
        )

    @cached_property
    def has_devices_again(self) -> bool:
        """Whether a container asks for devices and was created again."""
        return any(container.restarts for container in self._with_devices)

    @property
    def knows_plugins(self) -> bool:
        """Whether a record shows which resources device plugins serve on the node."""
        return any(container.plugins is not None for container in self._pod.containers[:1])

    @property
    def _with_devices(self) -> Iterator[Container]:
        return (container for container in self._pod.containers if any(devices_of(container, self._pod)))

    def asks_for(self, feature: PodFeature) -> bool:
        """Return whether the pod asks for a feature."""
        return self.once(("feature", feature.name), lambda: _asks_for(self._pod.spec, feature))

    def mounts(self, kinds: Collection[str]) -> str:
        """Return which of some kinds of volumes a container mounts, as text; empty for none."""
        has = self.once("volumes", lambda: volume_kinds(self._pod.spec).union(self._pod.persistent))
        if has.isdisjoint(kinds):
            return ""
        return self.once(("mounted", frozenset(kinds)), lambda: ", ".join(self._mounted(kinds)))

    def _mounted(self, kinds: Collection[str]) -> Iterator[str]:
        yield from mounted(self._pod.spec, kinds)
        yield from (f"{kind} by a claim" for kind in self._pod.persistent if kind in kinds)

    def unmet(self, node: Node, looked_at: str, *, mends: bool) -> str:
        """Return what the pod asks for that a node whose labels are known does not have (``unmet``).

        ``mends``: whether admission puts the node's operating system in its labels first.
        """
        return self.once(
            ("unmet", looked_at, mends),
            lambda: unmet(self._pod.spec, node.name, _labels(node, mends=mends), looked_at),
            of=node,
        )

    def not_tolerated(self, node: Node, *, compares: bool) -> str:
        """Return the first NoExecute taint of a node that the pod does not tolerate; empty for none.

        ``compares``: whether tolerations with the operators Gt and Lt count.
        """
        return self.once(
            ("taint", compares),
            lambda: not_tolerated(self._pod.spec, node.taints, "NoExecute", compares=compares),
            of=node,
        )

    @cached_property
    def _of_type(self) -> Mapping[ContainerType, list[Container]]:
        by_type: dict[ContainerType, list[Container]] = {kind: [] for kind in ContainerType}
        for container in self._pod.containers:
            by_type[container.type].append(container)
        return by_type


def has_own_resources(spec: Mapping[str, Any]) -> bool:
    """Return whether a pod has resources of its own (component-helpers ``IsPodLevelResourcesSet``)."""
    resources = mapping(spec.get("resources"))
    return any(
        map(is_of_pods, (name for key in ("limits", "requests") for name in mapping(resources.get(key))))
    )


def is_of_pods(name: str) -> bool:
    """Return whether a pod itself can have a resource (``IsSupportedPodLevelResource``)."""
    return name in ("cpu", "memory") or name.startswith("hugepages-")


def _labels(node: Node, *, mends: bool) -> Mapping[str, Any]:
    """Return the labels of a node that has some, as admission compares them."""
    labels = node.labels or {}
    return {**labels, SYSTEM: node.system} if mends and node.system else labels


def _asks_for(spec: Mapping[str, Any], feature: PodFeature) -> bool:
    return all(
        any(
            bool(value) if wanted is None else value in (wanted if isinstance(wanted, list) else [wanted])
            for path in paths
            for value in _at(spec, path.split("."))
        )
        for paths, wanted in feature.uses
    )


def _at(value: Any, steps: Sequence[str]) -> Iterator[Any]:
    """Yield the values at a path whose steps are keys, with ``[*]`` for each element of a list."""
    if not steps:
        yield value
        return
    key, is_list = steps[0].removesuffix("[*]"), steps[0].endswith("[*]")
    child = mapping(value).get(key)
    for element in (child if isinstance(child, list) else ()) if is_list else (child,):
        yield from _at(element, steps[1:])


def _sysctls(spec: Mapping[str, Any], way: str) -> Iterator[str]:
    rows = mapping(spec.get("securityContext")).get("sysctls")
    for row in rows if isinstance(rows, list) and way != "not read" else ():
        if isinstance(row, Mapping) and isinstance(row.get("name"), str):
            yield row["name"] if way == "with dots" else row["name"].replace("/", ".")


def devices_of(container: Container, pod: Pod) -> Iterator[str]:
    """Yield what a container has of device plugins: extended resources that no claim backs (from 1.34 on)."""
    for key in ("limits", "requests"):
        for name, amount in mapping(mapping(container.spec.get("resources")).get(key)).items():
            is_extended = "/" in name and "kubernetes.io/" not in name and str(amount) != "0"
            by_plugin = container.plugins is None or name in container.plugins
            if is_extended and by_plugin and (container.name, name) not in pod.claims:
                yield name


# What becomes of a container that ended, by its exit code, its policy and its rules.
#
# Source: pkg/api/v1/pod/util.go ``ContainerShouldRestart`` and ``FindMatchingContainerRestartRule``,
# pkg/kubelet/container/helpers.go ``ShouldContainerBeRestarted`` and ``ShouldAllContainersRestart`` (1.35.8,
# 1.36.5 and 1.37.2).

RESTART_ALL: Final = "RestartAllContainers"

_OTHER_CODE: Final = 256
"""Stands for an exit code that no rule names, and that is not 0."""


class Rules(NamedTuple):
    """Which feature gates of a kubelet are on that give containers restart policies of their own."""

    restart_rules: bool
    """ContainerRestartRules."""
    restart_all: bool
    """RestartAllContainersOnContainerExits."""
    lost: bool = False
    """Whether it takes an init container whose state the runtime does not know for ended."""


def exit_codes(container: Container) -> list[int]:
    """Return the exit codes that a container may have ended with; none where it has not.

    One that waits to start again counts where that is by its own restartPolicy, which not every kubelet
    follows.
    """
    ended = container.ended
    if container.running is not False or ended is None:
        return []
    if not (ended.final or container.spec.get("restartPolicy")):
        return []
    if ended.code is not None:
        return [ended.code]
    return [0, *(code for rule in _rules(container.spec) for code in _codes(rule)), _OTHER_CODE]


def is_out_of_memory(container: Container) -> bool:
    """Return whether a container has ended as ``OOMKilled``."""
    return container.ended is not None and container.ended.final and container.ended.out_of_memory


def starts_again(spec: Mapping[str, Any], policy: str, code: int, rules: Rules) -> bool:
    """Return whether a kubelet starts a container again that ended with an exit code."""
    own = spec.get("restartPolicy") if rules.restart_rules else None
    if own is not None:
        action = action_of(spec, code)
        if action == "Restart" or (action == RESTART_ALL and rules.restart_all):
            return True
    policy = own if own in ("Always", "OnFailure", "Never") else policy
    return policy != "Never" and (policy != "OnFailure" or code != 0)


def action_of(spec: Mapping[str, Any], code: int) -> str:
    """Return what the first rule that an exit code matches does; empty for none."""
    for rule in _rules(spec):
        operator = mapping(rule.get("exitCodes")).get("operator")
        if operator in ("In", "NotIn") and (code in _codes(rule)) == (operator == "In"):
            return str(rule.get("action"))
    return ""


def _rules(spec: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [rule for rule in rows(spec, "restartPolicyRules") if isinstance(rule, Mapping)]


def _codes(rule: Mapping[str, Any]) -> list[int]:
    return [code for code in rows(mapping(rule.get("exitCodes")), "values") if type(code) is int]
