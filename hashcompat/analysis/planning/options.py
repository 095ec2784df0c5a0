"""How pods are read, what else is known about the cluster, and whether kubelets would start with that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final

import msgspec

from hashcompat.core.catalog.behaviour import NO_SETTINGS, Settings
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.errors import UsageError
from hashcompat.core.model.results import Keywords
from hashcompat.core.records.index import Records

STRATEGIES: Final = ("accept", "pin")
"""The strategies of patches that a plan can assume."""


class AssumePatch(msgspec.Struct, frozen=True, metaclass=Keywords):
    """A patch that a kubelet is assumed to have."""

    strategy: str
    """``accept`` or ``pin``."""
    like: tuple[str, ...] = ()
    """The releases whose hashes it accepts; empty for the target kubelet: the current ones."""


def check_strategy(asked: AssumePatch, argument: str) -> None:
    """Raise UsageError, naming the argument, for a strategy that no plan can assume."""
    if asked.strategy not in STRATEGIES:
        words = " or ".join(STRATEGIES)
        raise UsageError(f"{argument}: no plan assumes the strategy {asked.strategy!r}; it may be {words}")


class Options(msgspec.Struct, frozen=True, metaclass=Keywords):
    """How pods are read, and what else is known about the cluster."""

    defaults: bool = True
    """Whether manifests get an API server's defaults and canonical quantities first."""
    keep_going: bool = False
    """Whether a container that does not decode is UNKNOWN rather than an error."""
    records: Records = msgspec.field(default_factory=Records)
    """The hashes and sandboxes that a runtime reports."""
    gates: frozenset[str] = frozenset()
    """The feature gates that are set to on, in every kubelet and API server that has them."""
    gates_off: frozenset[str] = frozenset()
    """The feature gates that are set to off there."""
    cri_dockerd: bool = False
    """Whether cri-dockerd drives Docker where the target kubelet does not."""
    other_runtime: bool = False
    """Whether the target kubelet uses another container runtime than the current one."""
    apiserver: str = ""
    """The API server's current release; empty: what the cluster shows, or that of the current kubelet."""
    apiserver_to: str = ""
    """The API server's target release; empty: that of the newer one of the two kubelets, or the current one
    where that is newer."""
    patch: AssumePatch | None = None
    """The patch that the target kubelet is assumed to have."""
    assume_upstream: bool = False
    """Whether vendors' kubelets that are not public are taken to be as upstream's."""
    current_patch: AssumePatch | None = None
    """The patch that the current kubelets have; ``like`` is needed."""
    normalized: bool = False
    """Whether records that can be proven to be rewritable are taken as rewritten."""
    allowed_sysctls: frozenset[str] | None = None
    """What ``--allowed-unsafe-sysctls`` of the target kubelet names: sysctls, or beginnings that end in *;
    None where that is not known."""
    override_node_releases: bool = False
    """Whether the current release that is given counts on nodes, too, that report another one."""

    @property
    def gate_settings(self) -> Settings:
        """The feature gates that are set, with their values."""
        if not (self.gates or self.gates_off):
            return NO_SETTINGS
        return frozenset(
            [*((name, True) for name in self.gates), *((name, False) for name in self.gates_off)]
        )


_FLAG: Final = "--feature-gates"


def check_gates(options: Options, names: Iterable[str], catalog: Catalog) -> None:
    """Raise UsageError, with the reason, for feature gates that cannot be set as the options say.

    ``names`` are the releases of the kubelets; an API server that the options do not name is of the same.
    Some kubelet or API server has to know a gate; one that lacks it is taken to run without it.
    """
    if conflicts := options.gates & options.gates_off:
        raise UsageError(f"{_FLAG}: {', '.join(sorted(conflicts))} cannot be both true and false")
    if not options.gate_settings:
        return
    releases = filter(None, (*names, options.apiserver, options.apiserver_to))
    kubelets = list(dict.fromkeys(catalog.kubelet(name, options.gate_settings) for name in releases))
    gates = set(chain.from_iterable(catalog.gate_table.known_to(kubelet.release) for kubelet in kubelets))
    for name, _ in sorted(options.gate_settings):
        if name not in gates:
            raise UsageError(_unknown(name, sorted(gates), [str(kubelet.release) for kubelet in kubelets]))
    for kubelet in kubelets:
        for refusal in kubelet.gates.refusals():
            raise UsageError(f"{_FLAG}: {refusal}: it would not start with these gates")


def _unknown(name: str, gates: Sequence[str], releases: Sequence[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - few upgrades name a wrong gate

    lacks = f"neither {' nor '.join(releases)} has" if len(releases) > 1 else f"{releases[0]} does not have"
    alike = {gate.lower(): gate for gate in gates}
    near = [alike[match] for match in get_close_matches(name.lower(), alike, n=3)]
    hint = f"; the nearest: {', '.join(near)}" if near else ""
    return f"{_FLAG}: {lacks} a feature gate {name!r}{hint}"
