"""PF-122: fields of the kubelet's configuration file that the kubelet to be started does not know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.model.preflight import Status
from hashcompat.preflight.checks.check import Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts
from hashcompat.rules import Rule
from hashcompat.shown import name

_EFFECTS: Final = {
    "dropped": (Status.WARN, "drops it in silence"),
    "warned": (Status.WARN, "logs a warning and drops it"),
    "refused": (Status.ERROR, "does not start with it"),
}
"""What a kubelet does about an unknown field."""


def _find(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    release, table = upgrade.target.release, upgrade.hazards.config
    document = facts.config
    version = table.version(release)
    if not document or version is None:
        return
    path = facts.flags["config"]
    given = document.get("apiVersion")
    if given is not None and given != version.api_version:
        yield Problem(
            Status.ERROR,
            path,
            f"kubelet {release} reads {version.api_version} and the file is {name(str(given))[:60]}",
            f"write the file again for {version.api_version}",
        )
        return
    status, effect = _EFFECTS[table.on_unknown(release)]
    for field in table.unknown_in(release, document):
        removed = table.removed_in(release, field)
        why = f"{removed} removed" if removed else "kubelets of this release do not know"
        yield Problem(
            status,
            field,
            f"{why} {field} of {path}: kubelet {release} {effect}",
            f"remove {field} from {path}",
        )


CONFIG_FIELDS: Final = Check(
    Rule(
        "PF-122",
        "fields of the configuration file",
        "The kubelet's configuration file has a field that the kubelet to be started does not know, so that "
        "the setting is lost.",
        "pkg/kubelet/kubeletconfig/util/codec/codec.go DecodeKubeletConfiguration, 1.17 - 1.37",
    ),
    ("the kubelet's configuration file",),
    _find,
)
