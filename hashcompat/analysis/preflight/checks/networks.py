"""The network of pods under the new kubelet: PF-214."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashcompat.analysis.preflight.checks import Check, Problem, Upgrade
from hashcompat.analysis.preflight.facts import Facts, crio, networks, runtime
from hashcompat.core.go.jsonpath import mapping
from hashcompat.core.model.preflight import Status
from hashcompat.core.shown import name, said

# PF-214: no network for pods.

_ADVICE: Final = "install or repair the network plugin; its pod writes the configuration"


def _find_network(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    if not (facts.drives_docker and upgrade.target.behaviour.dockershim):
        yield from _by_cri(facts)
    elif facts.setting("network-plugin", "") == "cni":
        directory = str(facts.setting("cni-conf-dir", "") or networks.CONFIGURATIONS)
        plugins = str(facts.setting("cni-bin-dir", "") or networks.PLUGINS).split(",")
        yield from _by_directory(facts, directory)
        yield from _missing_plugins(facts, {}, directory, plugins)


def _by_cri(facts: Facts) -> Iterator[Problem]:
    """Judge by what the runtime reports, and by the directory of a runtime that does not report it."""
    ready = runtime.conditions(facts.cri_info).get("NetworkReady")
    cni = mapping(mapping(facts.cri_info.get("config")).get("cni"))
    directory = str(cni.get("confDir") or networks.CONFIGURATIONS)
    if ready is None:
        yield from _by_directory(facts, directory)
    elif ready.get("status") is not True:
        why = ready.get("message") or ready.get("reason") or "it reports no reason"
        yield Problem(
            Status.ERROR, "NetworkReady", f"the network of pods is not ready: {said(str(why))}", _ADVICE
        )
        return
    yield from _missing_plugins(facts, facts.cri_info, directory, _plugin_directories(facts, cni))


def _plugin_directories(facts: Facts, cni: Mapping[str, Any]) -> list[str]:
    if facts.runtime.startswith("cri-o://"):
        given = crio.setting(facts.dump, "network", "plugin_dirs")
    else:
        given = cni.get("binDirs") or ([cni["binDir"]] if cni.get("binDir") else None)
    return [str(each) for each in given] if isinstance(given, list) else [networks.PLUGINS]


def _missing_plugins(
    facts: Facts, info: Mapping[str, Any], directory: str, plugins: list[str]
) -> Iterator[Problem]:
    """Yield the plugins of the configuration that are in none of the directories for them."""
    named = networks.named(facts.dump, info, directory)
    if not named:
        return
    installed = networks.installed(facts.dump, plugins)
    for kind, where in named.items():
        if kind not in installed:
            yield Problem(
                Status.ERROR,
                name(kind),
                f"{where} names the plugin {name(kind)}, which is not in {' or '.join(plugins)}: no new pod "
                "gets a network",
                "install the plugin again: its own pod, or the package kubernetes-cni, puts it there",
            )


def _by_directory(facts: Facts, directory: str) -> Iterator[Problem]:
    if not networks.configurations(facts.dump, directory):
        yield Problem(Status.ERROR, directory, f"{directory} has no configuration of a network", _ADVICE)


NETWORK: Final = Check("PF-214", _find_network)
