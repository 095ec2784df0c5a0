"""Names in place of the UIDs of static pods, which kubelets compute of manifests with all their values."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Final

from hashcompat.model.pods import Pod
from hashcompat.model.records import Applied, Record
from hashcompat.model.uids import is_computed

_BYTES: Final = 16
"""As many as a computed UID has, so that its alias still reads as computed."""


class Aliases:
    """What stands for each UID of a static pod whose name is known: a digest of its names alone."""

    def __init__(self) -> None:
        self._found: dict[str, str] = {}
        self._known: dict[tuple[str, str], int] = {}

    def see_pod(self, pod: Pod) -> None:
        """Take one more pod."""
        for uid in (pod.config_hash, _computed(pod.uid)):
            self._see(uid, pod.namespace, pod.name)

    def see_records(self, records: Iterable[Record]) -> None:
        """Take records, after all pods."""
        for record in records:
            if not isinstance(record, Applied):
                self._see(_computed(record.uid), record.namespace, record.pod)

    def _see(self, uid: str, namespace: str, name: str) -> None:
        if uid and uid not in self._found:
            number = self._known[namespace, name] = self._known.get((namespace, name), 0) + 1
            self._found[uid] = _alias(f"{namespace}/{name}/{number}", uid)

    def __contains__(self, uid: object) -> bool:
        return uid in self._found

    def of(self, uid: str) -> str:
        """Return what stands for a UID; itself where it is not one of those."""
        return self._found.get(uid, uid)


def _computed(uid: str) -> str:
    return uid if is_computed(uid) else ""


def _alias(name: str, uid: str) -> str:
    digest = blake2b(name.encode(errors="surrogatepass"), digest_size=_BYTES).hexdigest()
    return digest if is_computed(uid) else f"static-{digest}"
