"""Host ports: which pods of a node a starting kubelet refuses because pods before them have their ports.

A kubelet that starts looks at host ports for each pod that it admits again, as at its requests (``room``):
the pod before keeps the port. No kubelet ends pods to make ports free, for no pod.

Two ports are one if their numbers and protocols are equal, and their addresses are, or one of them is that
of all interfaces: the text ``0.0.0.0``, which an empty one stands for. ``::`` is an address like any other.
Pods in the network of the host have each port of a container as a host port, for a default writes it into
their specs.

Source: pkg/scheduler/framework/plugins/nodeports/node_ports.go ``Fits``; pkg/scheduler/util/utils.go
``GetHostPorts``; kube-scheduler framework ``HostPortInfo`` (1.10.13 - 1.37.1, before 1.37 in pkg/scheduler);
plugin/pkg/scheduler/algorithm/predicates ``PodFitsHostPorts`` (1.5.8, 1.8.15, 1.9.11);
pkg/kubelet/kubelet.go ``hasHostPortConflicts`` (1.1.8, 1.2.7).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.go.jsonpath import mapping, rows
from hashcompat.core.model.escape import MASK

_ANY: Final = "0.0.0.0"  # noqa: S104 - nothing is bound to it
"""The address of all interfaces."""
_PROTOCOLS: Final = ("TCP", "UDP", "SCTP", MASK)
"""What a hidden protocol may be, or be hidden as too."""


class Port(NamedTuple):
    """A port of the node, as far as one release tells ports apart."""

    number: int
    protocol: str
    """Empty where only numbers count; ``***`` where an old snapshot hides it."""
    address: str
    """``***`` where a snapshot hides it."""

    def __str__(self) -> str:
        return str(self.number) if self.protocol in ("", MASK) else f"{self.number}/{self.protocol}"


def host_ports(spec: Mapping[str, Any], kubelet: Kubelet) -> tuple[Port, ...]:
    """Return the host ports of a pod that a kubelet looks at: those of its containers, and of sidecars."""
    return tuple(dict.fromkeys(_host_ports(spec, kubelet)))


def _host_ports(spec: Mapping[str, Any], kubelet: Kubelet) -> Iterator[Port]:
    told_apart = kubelet.behaviour.host_ports.told_apart
    containers = [mapping(row) for row in rows(spec, "containers")]
    if kubelet.behaviour.host_ports.sidecars:
        init_containers = (mapping(row) for row in rows(spec, "initContainers"))
        containers += [
            container for container in init_containers if container.get("restartPolicy") == "Always"
        ]
    for container in containers:
        for row in rows(container, "ports"):
            port = mapping(row)
            number = port.get("hostPort")
            if type(number) is not int or number <= 0:
                continue
            protocol = str(port.get("protocol") or "TCP") if told_apart != "by number" else ""
            address = str(port.get("hostIP") or _ANY) if told_apart == "by address" else _ANY
            yield Port(number, protocol, address)


class Taken(dict[tuple[int, str], dict[str, str]]):
    """The ports that pods of a node have: by number and protocol the pods' uids by the addresses."""

    def add(self, ports: Iterable[Port], uid: str = "") -> None:
        """Take ports for a pod."""
        for port in ports:
            self.setdefault((port.number, port.protocol), {})[port.address] = uid

    def holder(self, port: Port) -> tuple[str, str] | None:
        """Return the uid of a pod that has a port, and what a snapshot hides that decides; None for no pod.

        What is hidden is empty where nothing is.
        """
        protocols = _PROTOCOLS if port.protocol == MASK else (port.protocol, MASK)
        first = None
        for protocol in protocols:
            held = self._at(protocol, port)
            if held is None:
                continue
            if MASK not in (protocol, port.protocol):
                return held
            first = first or (held[0], "protocols")
        return first

    def _at(self, protocol: str, port: Port) -> tuple[str, str] | None:
        """Return the same of one protocol."""
        held = self.get((port.number, protocol))
        if not held:
            return None
        for address in (_ANY,) if port.address == MASK else (_ANY, port.address):
            if address in held:
                return held[address], ""
        uid = next(iter(held.values()))
        if port.address == _ANY:
            return uid, ""
        return (uid, "addresses") if MASK in (port.address, *held) else None

    @property
    def ports(self) -> Iterator[Port]:
        """The ports that are taken."""
        for (number, protocol), held in self.items():
            for address in held:
                yield Port(number, protocol, address)
