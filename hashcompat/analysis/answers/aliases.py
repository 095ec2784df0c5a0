"""Names in place of the UIDs of static pods, and numbers in place of a container's hashes.

Kubelets compute both of manifests with all their values. A number is equal where the hashes are, and in the
order in which they come up: so the numbers are the same for every container in which the same kubelets hash
alike, and show nothing of a value.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Final

from msgspec import structs

from hashcompat.analysis.answers.outlines import Hidden
from hashcompat.core.model.pods import Pod
from hashcompat.core.model.records import Applied, Record, Recorded
from hashcompat.core.model.uids import is_computed
from hashcompat.core.model.verdicts import Hash, HiddenHash, StoredHashes

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


class Numbers:
    """The numbers of one container's hashes, those of its records included."""

    def __init__(self, hidden: Hidden) -> None:
        self._hidden = hidden
        self._public = frozenset(hidden.true[text] for text in hidden.public)
        self._known: dict[Hash, HiddenHash] = {}

    def stored(self) -> StoredHashes:
        """Return which kubelets hash alike; what no hidden value takes part in is as it is."""
        true, public = self._hidden.true, self._hidden.public
        by_text = {text: hash_ if text in public else self._number(hash_) for text, hash_ in true.items()}
        return StoredHashes(by_text, hidden=True)

    def recorded(self, record: Recorded) -> Recorded:
        """Return the record of the container with numbers for its hashes."""
        return structs.replace(
            record, hash=self._of(record.hash), without_resources=self._of(record.without_resources)
        )

    def _of(self, value: Hash | None) -> Hash | None:
        return value if value is None or value in self._public else self._number(value)

    def _number(self, value: Hash) -> HiddenHash:
        return self._known.setdefault(value, HiddenHash(len(self._known) + 1))


def has_hidden(record: Recorded) -> bool:
    """Return whether a hash of a record is hidden."""
    return any(isinstance(one, HiddenHash) for one in (record.hash, record.without_resources))
