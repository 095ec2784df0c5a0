"""The name of a service account's token mount, found by the hash that a kubelet recorded.

An API server adds the mount to a manifest's pod under a name that ends in five random characters, so that the
hash of the manifest alone is not the recorded one. FNV-1a runs backwards as well as forwards: the states that
the first characters lead to from the start of the text meet those that the last ones come from at its end.
"""

from __future__ import annotations

from itertools import product
from typing import Final

import msgspec

from hashcompat.apiserver.created import with_token_mount
from hashcompat.catalog.lookup import Kubelet
from hashcompat.go.digest import fnv32a_after, fnv32a_before
from hashcompat.kubelet.hashing import hashers
from hashcompat.model.pods import Pod
from hashcompat.planning.view import Spec

_LENGTH: Final = 5
"""The number of random characters (k8s.io/apiserver pkg/storage/names/generate.go)."""

_HALF: Final = 3
"""How many of them are searched forwards."""

_HASHES: Final = 1 << 32


class TokenMount(msgspec.Struct, frozen=True):
    """A mount with which a manifest's container has the recorded hash."""

    name: str
    """The name of the mount, ``kube-api-access-x7k2p``."""
    one_in: int
    """The odds that any hash is found by chance: one in so many."""


def find_token_mount(recorded: int, pod: Pod, spec: Spec, kubelet: Kubelet) -> TokenMount | None:
    """Return the token mount that gives a manifest's container the recorded hash; None if none does.

    ``spec`` is the container as its API server creates it, but for admission. Errors as Hasher.hash.
    """
    if not kubelet.era.whole or kubelet.era.digest != "fnv32a":
        return None
    account = str(pod.spec.get("serviceAccountName") or "default")
    prefix = kubelet.behaviour.token_mount["prefix"].format(account=account)
    alphabet = kubelet.behaviour.token_mount["alphabet"]
    sample = prefix + alphabet[0] * _LENGTH
    mounted = with_token_mount(pod, spec, sample)
    if mounted is None:
        return None
    searched = hashers(kubelet)
    odds = round(_HASHES / (len(searched) * len(alphabet) ** _LENGTH))
    for hasher in searched:
        text = _Text.around(sample, hasher.text(mounted), in_bytes=kubelet.era.hashes_json)
        if (found := text.search(recorded, alphabet)) is not None:
            return TokenMount(prefix + found, odds)
    return None


class _Text(msgspec.Struct, frozen=True):
    """A hashed text without the random characters of one name."""

    start: str
    """What precedes them."""
    end: str
    """What follows them."""
    in_bytes: bool
    """Whether the text holds each byte as a number, with spaces between."""

    @classmethod
    def around(cls, name: str, text: str, *, in_bytes: bool) -> _Text:
        """Cut a text at the random characters at the end of a name in it."""
        made = cls("", "", in_bytes)
        start, _, end = text.partition(made.printed(name))
        return cls(start + made.printed(name[:-_LENGTH]) + made.gap, end, in_bytes)

    @property
    def gap(self) -> str:
        return " " if self.in_bytes else ""

    def printed(self, characters: str) -> str:
        """Return characters as the text holds them."""
        return self.gap.join(str(ord(one)) for one in characters) if self.in_bytes else characters

    def search(self, recorded: int, alphabet: str) -> str | None:
        """Return the first characters with which the text has a hash; None if there are none."""
        state = fnv32a_after(self.start)
        heads = map("".join, product(alphabet, repeat=_HALF))
        reached = {fnv32a_after(self.printed(head) + self.gap, state): head for head in heads}
        before_end = fnv32a_before(recorded, self.end)
        for tail in map("".join, product(alphabet, repeat=_LENGTH - _HALF)):
            head = reached.get(fnv32a_before(before_end, self.printed(tail)))
            if head is not None:
                return head + tail
        return None
