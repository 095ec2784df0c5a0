"""What else than the hash differs between releases when a kubelet decides about a running container: rows of schemas/rules.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from hashcompat.errors import InputError

Rows = Mapping[str, Sequence[Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class Rules:
    """One release's rules; the rows name their sources.

    - ``sidecars_compared``: restartable init containers are compared as regular ones are.
    - ``sidecar_startup_probe``: a sidecar with a startupProbe is compared at once (``compared``), when the
      probe has passed again (``waits``), or not at all (``never``).
    - ``missing_hash``: a container without a recorded hash is left alone (``kept``) or taken for a changed
      one (``restarts``).
    - ``hash_without_resources``: with the gate InPlacePodVerticalScaling a second hash decides too.
    - ``resources_recorded``: the kubelet records the resources it has given, and restarts some without a
      record.
    - ``sandbox_maker``: who makes sandboxes, and so whether this kubelet takes over those that another one
      made.
    - ``sandbox_checks``: what replaces a sandbox, in the kubelet's order; the names are those of
      kubelet/sandboxes.py.
    - ``pod_cgroups``: how a pod's cgroup is found, which is not told by any record; where it is another one
      the whole pod is killed.
    - ``pause_image``: the image of the infra container whose hash decides over the pod; None where there is
      no such hash.
    - ``dockershim``: the kubelet can drive Docker by itself.
    - ``static_pod_references``: static pods that name API objects are ``allowed`` or ``refused``.
    - ``static_pod_digest`` and ``static_pod_source``: the digest of a static pod's UID, and what follows the
      pod in it, by kind of source.
    - ``minors_behind_server``: how many minors older than the API server upstream's version skew policy
      allows.
    - ``restart_log``: what the kubelet logs when a hash differs.
    """

    sidecars_compared: bool
    sidecar_startup_probe: str
    missing_hash: str
    hash_without_resources: bool
    resources_recorded: bool
    sandbox_maker: str
    sandbox_checks: Sequence[str]
    pod_cgroups: str
    pause_image: str | None
    dockershim: bool
    static_pod_references: str
    static_pod_digest: str
    static_pod_source: Mapping[str, str]
    minors_behind_server: int
    restart_log: str


def rules_of(version: Version, rows: Rows) -> Rules:
    """Return the rules of a release.

    Raises InputError where the rows do not decide every rule exactly once.
    """
    return Rules(**{field.name: _value(_camel(field.name), version, rows) for field in fields(Rules)})


def _value(name: str, version: Version, rows: Rows) -> Any:
    found = [row["value"] for row in rows.get(name, ()) if version in SpecifierSet(row["releases"])]
    if len(found) != 1:
        raise InputError(f"rules.json: {name}: want one row for {version}, found {len(found)}")
    return found[0]


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
