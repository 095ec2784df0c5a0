"""PF-214: no network for pods."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.go.jsonpath import mapping
from hashcompat.model.preflight import Status
from hashcompat.preflight.checks.check import Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts, driver
from hashcompat.records.probes import AbsentError
from hashcompat.rules import Rule
from hashcompat.shown import said

_DIRECTORY: Final = "/etc/cni/net.d"

_SUFFIXES: Final = (".conf", ".conflist", ".json")

_ADVICE: Final = "install or repair the network plugin; its pod writes the configuration"


def _find(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    if not (facts.drives_docker and upgrade.target.behaviour.dockershim):
        yield from _by_cri(facts)
    elif facts.setting("network-plugin", "") == "cni":
        yield from _by_directory(facts, str(facts.setting("cni-conf-dir", "") or _DIRECTORY))


def _by_cri(facts: Facts) -> Iterator[Problem]:
    """Judge by what the runtime reports, and by the directory of a runtime that does not report it."""
    ready = driver.conditions(facts.cri_info).get("NetworkReady")
    if ready is None:
        directory = mapping(mapping(facts.cri_info.get("config")).get("cni")).get("confDir")
        yield from _by_directory(facts, str(directory or _DIRECTORY))
    elif ready.get("status") is not True:
        why = ready.get("message") or ready.get("reason") or "it reports no reason"
        yield Problem(
            Status.ERROR, "NetworkReady", f"the network of pods is not ready: {said(str(why))}", _ADVICE
        )


def _by_directory(facts: Facts, directory: str) -> Iterator[Problem]:
    try:
        names = facts.dump.read("directory", directory).splitlines()
    except AbsentError:
        names = []
    if not any(name.endswith(_SUFFIXES) for name in names):
        yield Problem(Status.ERROR, directory, f"{directory} has no configuration of a network", _ADVICE)


NETWORK: Final = Check(
    Rule(
        "PF-214",
        "no pod network",
        "The runtime has no network for pods, for the configuration of CNI is missing or invalid: the node "
        "becomes NotReady, and a pod that is recreated does not start.",
        "pkg/kubelet/kubelet.go updateRuntimeUp; containerd internal/cri/server/status.go",
    ),
    ("the runtime's own report", "the directory of CNI configurations"),
    _find,
)
