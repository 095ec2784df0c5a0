"""Names in place of the UIDs of static pods, which kubelets compute of manifests with all their values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Final

from hashcompat.model.pods import Pod
from hashcompat.model.records import Applied, Record
from hashcompat.model.uids import is_computed

_BYTES: Final = 16
"""As many as a computed UID has, so that its alias still reads as computed."""


def aliases(pods: Iterable[Pod], records: Iterable[Record]) -> Mapping[str, str]:
    """Return what stands for each UID of a static pod whose name is known: a digest of its names alone."""
    found: dict[str, str] = {}
    known: dict[tuple[str, str], int] = {}
    uids = [(uid, pod.namespace, pod.name) for pod in pods for uid in (pod.config_hash, _computed(pod.uid))]
    uids += [
        (_computed(record.uid), record.namespace, record.pod)
        for record in records
        if not isinstance(record, Applied)
    ]
    for uid, namespace, name in uids:
        if uid and uid not in found:
            number = known[namespace, name] = known.get((namespace, name), 0) + 1
            found[uid] = _alias(f"{namespace}/{name}/{number}", uid)
    return found


def _computed(uid: str) -> str:
    return uid if is_computed(uid) else ""


def _alias(name: str, uid: str) -> str:
    digest = blake2b(name.encode(errors="surrogatepass"), digest_size=_BYTES).hexdigest()
    return digest if is_computed(uid) else f"static-{digest}"
