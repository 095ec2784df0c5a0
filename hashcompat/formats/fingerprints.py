"""What identifies a finding from one run to the next: its names and its rule, never a line or a hash."""

from __future__ import annotations

import hashlib
import json
from collections import Counter

from hashcompat.report.model import Case, Findings


class Fingerprints:
    """Makes fingerprints; a finding with the names of an earlier one has its number among these in it."""

    def __init__(self, found: Findings) -> None:
        self._subject = found.subject
        self._seen: Counter[bytes] = Counter()

    def of(self, case: Case) -> str:
        """Return 64 hexadecimal digits."""
        names = [self._subject, case.rule, case.group, case.name]
        digest = hashlib.sha256(json.dumps(names).encode())
        number = self._seen[digest.digest()]
        self._seen[digest.digest()] += 1
        if number:
            digest.update(str(number).encode())
        return digest.hexdigest()
