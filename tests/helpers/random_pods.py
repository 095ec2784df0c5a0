"""Make random static pod manifests as JSON bytes from the newest internal Pod's type tree.

From 1.37 on it has the fields of v1, each in its place. Left out is what has no answer: times, managed
fields, and a UID of its own; and where the JSON readers up to 1.22 differ from encoding/json: lone
surrogates, bytes that are not UTF-8, huge numbers.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

from hashcompat.core.go.jsontext import decode_text, loads
from tests.helpers.program import ROOT
from tests.helpers.random_containers import Maker, Tree

NODE, PATH = "node-a", "/m/x.json"
LARGEST = 3e38
LONGEST_NAME = 240
SURROGATE = re.compile("[\ud800-\udfff]")
WITHOUT_ANSWER = {("v1.ObjectMeta", "uid"), ("v1.ObjectMeta", "managedFields")}


def newest_tree() -> Tree:
    """Load the newest internal tree: what an older release does not know, it drops."""
    newest = max(
        (ROOT / "schemas" / "types" / "pod").glob("*.json"), key=lambda path: int(path.stem.partition(".")[2])
    )
    tree: Tree = json.loads(newest.read_text())
    return tree


def wire_tree(tree: Tree) -> Tree:
    """Return the tree without what has no answer."""
    types = {name: _members(name, known) for name, known in tree["types"].items()}
    return {**tree, "types": types}


def _members(name: str, known: Any) -> Any:
    if isinstance(known, str):
        return known
    return [
        field
        for field in known
        if field.get("embedded") or ("json" in field and (name, field["json"]) not in WITHOUT_ANSWER)
    ]


def manifests(tree: Tree, seed: int, count: int) -> Iterator[bytes]:
    """Yield manifests; the tree is one of schemas/types/pod."""
    types = wire_tree(tree)
    for number in range(count):
        yield PodMaker(types, random.Random(f"pods/{seed}/{number}")).pod()


def request(manifest: bytes) -> bytes:
    """Wrap a manifest as one line for an oracle of static pods."""
    return json.dumps(
        {"manifest": manifest.decode(errors="surrogateescape"), "node": NODE, "path": PATH}
    ).encode()


class PodMaker(Maker):
    """Make one manifest: spec always, metadata and status by chance."""

    def __init__(self, tree: Tree, rng: random.Random) -> None:
        super().__init__(tree, rng, "file")

    def pod(self) -> bytes:
        """Make a whole manifest, with the kind that kubelets ask for."""
        parts = [(b'"apiVersion"', b'"v1"'), (b'"kind"', b'"Pod"'), (b'"spec"', self.value("PodSpec"))]
        parts += [(b'"metadata"', self.value("v1.ObjectMeta"))] if self.chance(0.5) else []
        parts += [(b'"status"', self.value("PodStatus"))] if self.chance(0.1) else []
        return self._object(parts)

    def _leaf(self, type_: str) -> Callable[[], bytes] | None:
        return (lambda: b"null") if type_ == "v1.Time" else super()._leaf(type_)

    def text(self) -> bytes:
        """Make a JSON string in which every character is one.

        None with a slash is long or has capitals: how a kubelet reads such an image depends on its release,
        and the older ones pull none.
        """
        while True:
            made = super().text()
            if not (
                b"/" in made and (len(made) > LONGEST_NAME or made != made.lower())
            ) and not SURROGATE.search(loads(decode_text(made))):
                return made

    def quantity(self) -> bytes:
        """Make a quantity; of bare numbers 1.15 refuses what float32 does not hold."""
        while True:
            made = super().quantity()
            if made.startswith(b'"') or abs(float(made)) < LARGEST:
                return made

    def _anything(self, depth: int) -> bytes:
        return super()._anything(depth).replace(b"-1.5e+300", b"-1.5e+3")
