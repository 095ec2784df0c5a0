"""The API servers that a kubelet talks to, and what upstream's version skew policy says of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from hashcompat.core.catalog.lookup import Catalog, Kubelet
from hashcompat.core.catalog.releases import oldest_first, same_minor
from hashcompat.core.kubelet.alike import newer_than_server, too_old_for_server

_SHOWN: Final = 2
"""How many places are named where a release shows."""


class Servers(msgspec.Struct, frozen=True):
    """The API servers of known releases, oldest first, each with where its release shows."""

    each: tuple[tuple[Kubelet, Sequence[str]], ...] = ()

    @property
    def oldest(self) -> Kubelet:
        """The oldest of them; there is one."""
        return self.each[0][0]

    @property
    def newest(self) -> Kubelet:
        """The newest of them; there is one."""
        return self.each[-1][0]

    def __bool__(self) -> bool:
        return bool(self.each)

    def __str__(self) -> str:
        """Return the releases with where each shows: ``1.30.4 (kube-system/kube-apiserver-a, 2 more)``."""
        return " and ".join(map(_shown, self.each))


def _shown(one: tuple[Kubelet, Sequence[str]]) -> str:
    server, shown = one
    more = f", {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    where = f" ({', '.join(shown[:_SHOWN])}{more})" if shown else ""
    return f"{server.release}{where}"


def servers_of(found: Mapping[str, Iterable[str]], catalog: Catalog) -> Servers:
    """Return the API servers of the releases that are known, by where each release shows."""
    shown = {catalog.kubelet(name): tuple(where) for name, where in found.items() if catalog.knows(name)}
    return Servers(tuple((server, shown[server]) for server in oldest_first(shown)))


def mixed(servers: Servers) -> str:
    """Return that they are of several minors; empty where they are not."""
    if not servers or same_minor(servers.oldest.release, servers.newest.release):
        return ""
    return f"API servers of several releases share an address, and a kubelet talks to any: {servers}"


def too_new(new: Kubelet, servers: Servers) -> str:
    """Return what the policy says of a kubelet that is newer than one of its API servers; else empty."""
    text = newer_than_server(new, servers.oldest)
    return text and f"{text}; it is {_shown(servers.each[0])}"


def too_old(new: Kubelet, servers: Servers) -> str:
    """Return what the policy says of a kubelet that is too old for one of its API servers; else empty."""
    text = too_old_for_server(new, servers.newest)
    return text and f"{text}; it is {_shown(servers.each[-1])}"


def waiting(new: Kubelet, server: Kubelet) -> str:
    """Return what becomes of containers that a kubelet creates under an API server that is too old."""
    return (
        f"in CreateContainerConfigError until kube-apiserver is upgraded: {server.release} refuses the list "
        f"of services that {new.release} asks for (kubernetes/kubernetes#127316)"
    )
