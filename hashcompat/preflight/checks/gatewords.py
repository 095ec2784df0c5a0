"""Feature gates as flags and configuration files set them, and what a kubelet says about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from hashcompat.model.preflight import Status
from hashcompat.preflight.checks.check import Problem, Upgrade
from hashcompat.preflight.facts import Facts
from hashcompat.preflight.facts.commandline import Given
from hashcompat.preflight.facts.settings import pairs, truth
from hashcompat.records.probes import UnreadError

FLAG = "feature-gates"


def of_flags(upgrade: Upgrade, given: Iterable[Given]) -> Iterator[Problem]:
    """Yield the problems of the gates in flags."""
    found: dict[str, tuple[str, list[str]]] = {}
    for each in given:
        if each.name.replace("_", "-") == FLAG:
            for name, value in pairs(each.value):
                _, sources = found.get(name, ("", []))
                found[name] = (value, [*sources, each.source])
    for name, (last, sources) in found.items():
        where = " and ".join(dict.fromkeys(sources))
        yield from _of_gate(upgrade, name, last, f"--{FLAG} of {where}")


def of_config(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    """Yield the problems of the gates in the configuration file, and of those that need others."""
    try:
        listed = facts.config.get("featureGates")
    except UnreadError as error:
        yield Problem(Status.UNKNOWN, "featureGates", str(error))
        return
    for name, value in listed.items() if isinstance(listed, Mapping) else ():
        yield from _of_gate(upgrade, str(name), value, "featureGates of the configuration file")
    gates = upgrade.target.gates.with_settings(facts.gates)
    for refusal in gates.missing():
        yield Problem(
            Status.ERROR, FLAG, f"{refusal}, and so kubelet {upgrade.target.release} does not start"
        )


def _of_gate(upgrade: Upgrade, name: str, value: object, where: str) -> Iterator[Problem]:
    release = upgrade.target.release
    spec, wanted = upgrade.target.gates.spec(name), truth(value)
    if spec is None:
        why = "it knows no such feature gate"
    elif wanted is None:
        why = "its value is neither true nor false"
    elif spec.locked and spec.on is not wanted:
        why = f"it is locked to {'true' if spec.on else 'false'}"
    else:
        return
    yield Problem(
        Status.ERROR,
        name,
        f"kubelet {release} does not start with {name} in {where}: {why}",
        f"remove {name} from {where}",
    )
