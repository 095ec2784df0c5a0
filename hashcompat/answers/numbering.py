"""Numbers in place of a container's hashes: equal where these are, and in the order in which they come up.

So they are the same for every container in which the same kubelets hash alike, and show nothing of a value.
"""

from __future__ import annotations

from msgspec import structs

from hashcompat.answers.outlines import Hidden
from hashcompat.model.records import Recorded
from hashcompat.model.verdicts import Hash, HiddenHash, StoredHashes


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
