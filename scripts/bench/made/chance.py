"""Random names, ids and times, as API servers, controllers and runtimes make them."""

from __future__ import annotations

import random
import uuid
from datetime import UTC, datetime
from typing import Any, Final

Json = dict[str, Any]

ALPHABET: Final = "bcdfghjklmnpqrstvwxz2456789"
"""What names that an API server generates are made of (k8s.io/apimachinery/pkg/util/rand)."""

DUMPED: Final = int(datetime(2026, 3, 2, 8, 15, 7, tzinfo=UTC).timestamp())
"""When the cluster was listed, in seconds since 1970."""

DAY: Final = 86400


class Chance(random.Random):
    """A source of what is random in a cluster; the same for the same seed."""

    def suffix(self, length: int = 5) -> str:
        """Return random characters of a generated name."""
        return "".join(self.choices(ALPHABET, k=length))

    def uid(self) -> str:
        """Return a UID as an API server makes it."""
        return str(uuid.UUID(int=self.getrandbits(128), version=4))

    def hex(self, size: int = 32) -> str:
        """Return so many random bytes in hexadecimal digits."""
        return self.randbytes(size).hex()

    def hits(self, share: float) -> bool:
        """Return whether something happens that happens in this share of cases."""
        return self.random() < share

    def some(self, values: list[Any] | tuple[Any, ...], least: int, most: int) -> list[Any]:
        """Return some of the values, in their order."""
        count = min(len(values), self.randint(least, most))
        return [values[index] for index in sorted(self.sample(range(len(values)), count))]

    def before(self, end: int, days: float) -> int:
        """Return a time before ``end``: most are young, few are older than three times so many days."""
        return end - min(int(self.expovariate(1 / (days * DAY))) + self.randint(20, 900), 400 * DAY)


def stamp(seconds: int) -> str:
    """Return a time as metav1.Time is written."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
