"""What differs between two kubelets, whatever the pod: hashes, exec probes, API servers they may talk to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import msgspec

from hashcompat.core.catalog.eras import Schema
from hashcompat.core.catalog.lookup import Catalog, Kubelet
from hashcompat.core.catalog.releases import is_older, minors_behind, oldest_first, same_minor
from hashcompat.core.compile.gojson import Decoder, compile_decoder
from hashcompat.core.go.jsonpath import mapping
from hashcompat.core.go.types import ANY, Member, Slice, Walk, compile_walk
from hashcompat.core.model.escape import few
from hashcompat.core.model.pods import Pod

Defaults = Sequence[tuple[str, Any]]
"""Paths below a container, without ``[*]``, and the values that API servers write there by themselves."""


def hash_alike(kubelet: Kubelet, other: Kubelet) -> bool:
    """Return whether two releases hash every container alike that sets only fields which both know.

    Where JSON is hashed unset fields leave no trace, but encoding/json does: Go 1.22 escapes a backspace and
    a form feed differently (kubernetes/kubernetes#125895 - #125898). Where ``%#v`` text is hashed, the whole
    type tree is part of it.
    """
    if kubelet.era is not other.era:
        return False
    # schemas are compared by identity: releases with the same Go types share one object
    return kubelet.escapes == other.escapes if kubelet.era.hashes_json else kubelet.schema is other.schema


def never_alike(kubelet: Kubelet, other: Kubelet) -> bool:
    """Return whether two releases hash every container differently: other steps, or other types in text."""
    return kubelet.era is not other.era or (
        kubelet.era.prints_unset_fields and kubelet.schema is not other.schema
    )


def distinct(olds: Iterable[Kubelet], new: Kubelet, *, new_fields: bool) -> tuple[Kubelet, ...]:
    """Return the old releases that hash differently from ``new``, one per distinct hash.

    With ``new_fields``, containers count that set fields unknown to the old release, so its types have to be
    the same.
    """
    kept: list[Kubelet] = []
    for old in olds:
        alike = _same_code(old, new) if new_fields and old.era.whole else hash_alike(old, new)
        if not alike and not any(_same_code(old, kubelet) for kubelet in kept):
            kept.append(old)
    return tuple(kept)


def no_patch_needed(new: str, likes: Iterable[str]) -> str:
    """Return the message that ``distinct`` found nothing to patch."""
    releases = dict.fromkeys(like for like in likes if like != new)
    if not releases:
        return f"No patch needed: {new} already accepts its own hashes."
    names = ", ".join((*releases, new))
    return f"No patch needed: {names} hash a container alike as long as it sets only fields that all know."


def _same_code(kubelet: Kubelet, other: Kubelet) -> bool:
    return (kubelet.schema, kubelet.era, kubelet.escapes) == (other.schema, other.era, other.escapes)


def unknown_to(spec: Mapping[str, Any], new: Kubelet, old: Kubelet, defaults: Defaults) -> list[str]:
    """Return the paths of the set fields that ``new`` knows and ``old`` does not, but for defaults.

    Raises DecodeError for JSON that does not fit the new release's types.
    """
    written, value = dict(defaults), _decoder(new.schema)(spec)
    pairs = _added(old.schema, new.schema)(ANY, value)
    added = ((pair.path.replace("[*]", ""), pair.new) for pair in pairs)
    return [
        path
        for path, member in added
        if member is not None
        and member.value
        and not (path in written and _is_default(member, written[path]))
    ]


@lru_cache(maxsize=256)
def _added(old: Schema, new: Schema) -> Walk:
    return compile_walk(old.container, new.container, lambda pair: pair.old is None)


@lru_cache(maxsize=256)
def _decoder(schema: Schema) -> Decoder:
    return compile_decoder(schema.container, keep_empty=True)


def _is_default(member: Member, default: Any) -> bool:
    """Return whether a field holds the default; of a list any elements may be left out."""
    go_type = member.field.type
    written = compile_decoder(go_type, keep_empty=True)(default)
    # API servers write a list of defaults only as far as something asks for it, as resizePolicy by resource
    return set(member.value) <= set(written) if isinstance(go_type, Slice) else bool(member.value == written)


# Upstream's version skew policy (kubernetes.io/releases/version-skew-policy), as warnings of a plan.

_DRAIN = (
    "in-place minor {} of a kubelet are not supported: drain the node first (kubernetes/kubernetes#129385)"
)


def skew_warnings(old: Kubelet, new: Kubelet, server: Kubelet | None) -> Iterator[str]:
    """Yield a warning for each part of the policy that an upgrade breaks; the API server may be unknown."""
    broken = [another_minor(old, new)]
    if server is not None:
        broken += [newer_than_server(new, server), too_old_for_server(new, server)]
    yield from filter(None, broken)


def another_minor(old: Kubelet, new: Kubelet) -> str:
    """Return what upstream says of an upgrade in place to another minor; empty for one to the same."""
    if same_minor(old.release, new.release):
        return ""
    way = "downgrades" if is_older(new.release, old.release) else "upgrades"
    return f"{old.release} -> {new.release}: {_DRAIN.format(way)}"


def newer_than_server(new: Kubelet, server: Kubelet) -> str:
    """Return what upstream says of a kubelet of a newer minor than its API server's; empty for others."""
    if minors_behind(new.release, server.release) >= 0:
        return ""
    return f"{_under(new, server)}: a kubelet must not be newer than kube-apiserver"


def too_old_for_server(new: Kubelet, server: Kubelet) -> str:
    """Return what upstream says of a kubelet too many minors older than its API server; else empty."""
    allowed = new.behaviour.minors_behind_server
    if minors_behind(new.release, server.release) <= allowed:
        return ""
    return f"{_under(new, server)}: a kubelet may be up to {allowed} minor versions older than kube-apiserver"


def waits_for_services(new: Kubelet, server: Kubelet) -> bool:
    """Return whether a kubelet creates no container under an API server, which refuses its list of services.

    Static pods do not wait (pkg/kubelet/kubelet_pods.go ``makeEnvironmentVariables``).
    """
    return new.behaviour.services_read == "with a cluster IP" != server.behaviour.services_read


def within_policy(old: Kubelet, new: Kubelet) -> bool:
    """Return whether both kubelets of an upgrade may run under one API server, that of the newer one.

    So a kubelet may skip minors. That its node is drained first (``another_minor``) is another rule.
    """
    older, newer = (new, old) if minors_behind(old.release, new.release) < 0 else (old, new)
    return not too_old_for_server(older, newer)


def _under(new: Kubelet, server: Kubelet) -> str:
    return f"{new.release} under an API server {server.release}"


# Exec probes whose time limit a kubelet begins to enforce.
#
# Source: pkg/probe/exec/exec.go, kubernetes/kubernetes#94115 (1.20, feature gate ExecProbeTimeout).

PROBE_GATE: Final = "ExecProbeTimeout"

_KILLING: Final = ("livenessProbe", "startupProbe")
"""The probes whose failure kills a container."""


def begins_to_enforce(old: Kubelet, new: Kubelet) -> bool:
    """Return whether only the new kubelet fails an exec probe that takes longer than timeoutSeconds."""
    before, now = (kubelet.behaviour.exec_probe_timeout for kubelet in (old, new))
    return (before, now) == ("ignored", "enforced") and new.gates.is_on(PROBE_GATE)


def has_killing_exec(spec: Mapping[str, Any]) -> bool:
    """Return whether a container has an exec probe whose failure kills it."""
    probes = (spec.get(key) for key in _KILLING)
    return any(isinstance(probe, Mapping) and bool(probe.get("exec")) for probe in probes)


# Readiness, which kubelets before 1.35 forget when they start.

READINESS_GATE: Final = "ChangeContainerStatusOnKubeletRestart"

STARTUP_GATE: Final = "StartupProbe"


def unready(kubelet: Kubelet) -> Callable[[Pod], int]:
    """Return for how many seconds at most a pod is not Ready when a kubelet starts; 0 where it stays so.

    For a pod that is Ready, and of which nothing restarts.
    """
    return lambda pod: max(
        (
            longest_reset(container.spec, kubelet, static=pod.static)
            for container in pod.containers
            if container.running
        ),
        default=0,
    )


def longest_reset(spec: Mapping[str, Any], kubelet: Kubelet, *, static: bool) -> int:
    """Return for how many seconds at most a container is not ready then if its probes pass; 0 for none.

    The first probe comes after a random part of a period, and a startupProbe has to pass before; one alone is
    enough (pkg/kubelet/prober/worker.go ``run`` and prober_manager.go ``isContainerStarted``, 1.34.4; the
    same in ``UpdatePodStatus``, 1.22.17). Kubelets that keep what was ready go by the pod's condition, which
    a ``static`` pod does not have: its mirror pod is not read (``setReadyStateOnKubeletRestart``, 1.35.0 and
    1.37.2).
    """
    is_reset = kubelet.behaviour.readiness_at_restart == "reset" or kubelet.gates.is_on(READINESS_GATE)
    if not (is_reset or static):
        return 0
    probe, startup = mapping(spec.get("readinessProbe")), mapping(spec.get("startupProbe"))
    periods = _seconds(probe, "periodSeconds", 10) * _seconds(probe, "successThreshold", 1) if probe else 0
    starts = is_reset and bool(startup) and kubelet.gates.is_on(STARTUP_GATE)
    return periods + (_seconds(startup, "periodSeconds", 10) if starts else 0)


def _seconds(probe: Mapping[str, Any], key: str, default: int) -> int:
    value = probe.get(key)
    return value if type(value) is int and value > 0 else default


# The API servers that a kubelet talks to, and what upstream's version skew policy says of them.

_SHOWN: Final = 2
"""How many places are named where a release shows."""


class Servers(msgspec.Struct, frozen=True):
    """The API servers of known releases, oldest first, each with where its release shows."""

    entries: tuple[tuple[Kubelet, Sequence[str]], ...] = ()

    @property
    def oldest(self) -> Kubelet:
        """The oldest of them; there is one."""
        return self.entries[0][0]

    @property
    def newest(self) -> Kubelet:
        """The newest of them; there is one."""
        return self.entries[-1][0]

    def __bool__(self) -> bool:
        return bool(self.entries)

    def __str__(self) -> str:
        """Return the releases with where each shows: ``1.30.4 (kube-system/kube-apiserver-a, 2 more)``."""
        return " and ".join(map(_server_text, self.entries))


def _server_text(entry: tuple[Kubelet, Sequence[str]]) -> str:
    server, shown = entry
    where = f" ({few(shown, _SHOWN)})" if shown else ""
    return f"{server.release}{where}"


def servers_of(releases: Mapping[str, Iterable[str]], catalog: Catalog) -> Servers:
    """Return the API servers of the releases that are known, by where each release shows."""
    shown = {catalog.kubelet(name): tuple(where) for name, where in releases.items() if catalog.knows(name)}
    return Servers(tuple((server, shown[server]) for server in oldest_first(shown)))


def mixed(servers: Servers) -> str:
    """Say that some API servers are of several minors; empty where they are not."""
    if not servers or same_minor(servers.oldest.release, servers.newest.release):
        return ""
    return f"API servers of several releases share an address, and a kubelet talks to any: {servers}"


def too_new(new: Kubelet, servers: Servers) -> str:
    """Return what the policy says of a kubelet that is newer than one of its API servers; else empty."""
    text = newer_than_server(new, servers.oldest)
    return text and f"{text}; it is {_server_text(servers.entries[0])}"


def too_old(new: Kubelet, servers: Servers) -> str:
    """Return what the policy says of a kubelet that is too old for one of its API servers; else empty."""
    text = too_old_for_server(new, servers.newest)
    return text and f"{text}; it is {_server_text(servers.entries[-1])}"


def waiting(new: Kubelet, server: Kubelet) -> str:
    """Return what becomes of containers that a kubelet creates under an API server that is too old."""
    return (
        f"in CreateContainerConfigError until kube-apiserver is upgraded: {server.release} refuses the list "
        f"of services that {new.release} asks for (kubernetes/kubernetes#127316)"
    )
