"""What one cluster is made of, and names, ids and times that depend on it alone."""

from __future__ import annotations

import hashlib
import json
import random
import time
from random import Random
from typing import Any, Final

from scripts.bench.made.chance import Json

NOW: Final = 1795132800  # 2026-11-20T00:00:00Z


DAY: Final = 86400


ALPHABET: Final = "bcdfghjklmnpqrstvwxz2456789"


DOMAIN: Final = "nimbusgrid.io"


REGISTRY: Final = "registry.nimbusgrid.io"


CLOUD_REGISTRY: Final = "402817365519.dkr.ecr.us-east-1.amazonaws.com"


class Given:
    """What one cluster is made of; set before it is made."""

    seed = "0"
    distinct = False
    release = "v1.30.14"
    nodes = 0

    def __init__(self) -> None:
        self.cache: dict[int, str] = {}


GIVEN: Final = Given()
"""Of the cluster that is being made: one after the other."""


def chance_for(*key: object) -> Random:
    """Return the source of randomness of one thing; the same for the same key."""
    return random.Random(GIVEN.seed + "/" + "/".join(map(str, key)))


def digest(n: int, *key: object) -> str:
    """Return so many hexadecimal digits that are the same for the same key."""
    d = hashlib.sha256((GIVEN.seed + "/" + "/".join(map(str, key))).encode()).hexdigest()
    return d[:n]


def uid(*key: object) -> str:
    """Return the UID of one thing."""
    h = list(digest(32, "uid", *key))
    h[12] = "4"
    h[16] = "89ab"[int(h[16], 16) & 3]
    text = "".join(h)
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def letters(r: Random, n: int, al: str = ALPHABET) -> str:
    """Return random letters of a generated name."""
    return "".join(r.choices(al, k=n))


def digits(r: Random, n: int) -> str:
    """Return random hexadecimal digits."""
    return f"{r.getrandbits(4 * n):0{n}x}"


def stamp(t: float) -> str:
    """Return a time as metav1.Time is written."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(t))


def version(t: float, r: Random) -> str:
    """Return a resourceVersion that grows with time."""
    return str(3187402911 - int(NOW - t) * 41 - r.randrange(40))


def compact_json(o: Any) -> str:
    """Return JSON without spaces."""
    return json.dumps(o, separators=(",", ":"))


def label(s: str) -> str:
    """Return a text that is short enough for a label."""
    return s[:63].rstrip("-._")


class Workload:
    """What creates pods."""

    def __init__(self, number: int, kind: str, ns: str, name: str, builder: Any, **more: Any) -> None:
        self.id, self.kind, self.ns, self.name, self.builder = number, kind, ns, name, builder
        self.pool, self.cpu, self.mem, self.gpu = "general", 250, 512, 0
        self.mesh: str | None = None
        self.vault, self.strict, self.replicas = False, False, 1
        self.prio: str | None = None
        self.sa: str | None = None
        self.extra: Json = {}
        self.__dict__.update(more)
