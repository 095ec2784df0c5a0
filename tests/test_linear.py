"""Every reader takes linear time below its limits: four times the input takes at most eight times the CPU.

Each row is a reader, what it gets for a size, and the smaller of two sizes, for which it needs about 20 ms.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hashcompat.core.catalog.lookup import Catalog, default_catalog
from hashcompat.core.corev1.defaults import pull_policy
from hashcompat.core.corev1.scheduling import api_references, not_tolerated
from hashcompat.core.errors import InputError
from hashcompat.core.go import jsonstream, jsontext, quantity, yaml
from hashcompat.core.kubelet.hashing import container_hash
from hashcompat.sources.workloads import Ownership, unread_places
from tests.helpers.linear import MOST, growth

pytestmark = pytest.mark.slow

CHUNK = 1 << 18


def chunks(text: str) -> Iterator[str]:
    return (text[start : start + CHUNK] for start in range(0, len(text), CHUNK))


def from_json(text: str) -> None:
    for _ in jsonstream.parts(chunks(text)):
        pass


def from_yaml(text: str) -> None:
    for _ in yaml.parts(chunks(text)):
        pass


def refused(read: Callable[[str], object], times: int = 1) -> Callable[[str], None]:
    """Return a reader that refuses its input, so many times."""

    def run(text: str) -> None:
        for _ in range(times):
            with pytest.raises(InputError):
                read(text)

    return run


def image(parser: str) -> Callable[[str], None]:
    def run(text: str) -> None:
        for _ in range(20):
            pull_policy(text, parser)

    return run


def hashed(release: str) -> Callable[[Any], None]:
    return lambda spec: hash_with(default_catalog(), release, spec)


def hash_with(catalog: Catalog, release: str, spec: Any) -> None:
    container_hash(spec, catalog.kubelet(release))


def census(objects: list[Any]) -> None:
    ownership = Ownership()
    for value in objects:
        ownership.add(value)
    ownership.templates()


def owned(number: int, above: int) -> Any:
    owner = {"controller": True, "kind": "ReplicaSet", "name": f"r{above}", "uid": f"u{above}"}
    metadata = {"name": f"r{number}", "uid": f"u{number}", "ownerReferences": [owner]}
    template = {"spec": {"containers": [{"name": "c"}]}}
    return {
        "kind": "ReplicaSet",
        "apiVersion": "apps/v1",
        "metadata": metadata,
        "spec": {"template": template},
    }


def env(count: int) -> Any:
    return {"name": "c", "image": "i", "env": [{"name": f"E{each}", "value": "v"} for each in range(count)]}


def tolerant(count: int) -> tuple[Any, Any]:
    keys = [f"k{number}" for number in range(count)]
    tolerations = [{"key": key, "operator": "Exists"} for key in reversed(keys)]
    return {"tolerations": tolerations}, [{"key": key, "effect": "NoExecute"} for key in keys]


def objects(keys: Iterator[str]) -> str:
    members = ", ".join(f'"{key}": 0' for key in keys)
    return f"{{{members}}}"


def twice(count: int) -> str:
    return objects(str(key % (count - 1)) for key in range(count))


def white(text: str) -> None:
    for _ in range(20):
        quantity.from_json(text)


ROWS: list[tuple[str, Callable[[Any], object], Callable[[int], Any], int]] = [
    ("JSON: a long string", from_json, lambda n: f'{{"a": "{"x" * n}"}}', 500_000),
    ("JSON: wide items", from_json, lambda n: '{"items": [%s0]}' % ('"\N{GRINNING FACE}",' * n), 4_000),
    ("JSON: escapes", from_json, lambda n: json.dumps("\ud800" * n), 150_000),
    ("JSON: a long number", from_json, lambda n: f'{{"a": 1{"0" * n}}}', 500_000),
    ("JSON: keys", from_json, lambda n: objects(map(str, range(n))), 2_000),
    ("JSON: keys below", from_json, lambda n: f'{{"a": {objects(map(str, range(n)))}}}', 4_000),
    ("JSON: a key twice", refused(jsontext.loads, 50), twice, 1_000),
    ("JSON: items", from_json, lambda n: f'{{"items": [{"{}," * n}{{}}]}}', 4_000),
    ("JSON: documents", from_json, lambda n: "{} " * n, 4_000),
    ("JSON: white space", from_json, lambda n: "{" + " " * n + "}", 2_000_000),
    ("JSON: lists in lists", refused(from_json), lambda n: '{"a": ' + "[" * n, 2_000_000),
    ("YAML: a long line", from_yaml, lambda n: "a: " + "x" * n, 500_000),
    ("YAML: a quoted line", from_yaml, lambda n: "a: '" + "x " * n + "'", 300_000),
    ("YAML: a block", from_yaml, lambda n: "a: |\n" + "  x\n" * n, 50_000),
    ("YAML: a comment", from_yaml, lambda n: "# " + "x" * n + "\na: 1", 1_000_000),
    ("YAML: an integer", from_yaml, lambda n: "a: " + "1" * n, 500_000),
    ("YAML: keys", from_yaml, lambda n: "\n".join(f"k{key}: 0" for key in range(n)), 1_000),
    ("YAML: items", from_yaml, lambda n: "items:\n" + "- {}\n" * n, 1_500),
    ("YAML: documents", from_yaml, lambda n: "--- {}\n" * n, 1_000),
    ("YAML: anchors", from_yaml, lambda n: "\n".join(f"- &a{key} x" for key in range(n)), 2_000),
    ("YAML: aliases", from_yaml, lambda n: "- &a [x, x]\n" + "- *a\n- y\n- y\n" * n, 800),
    ("YAML: merge keys", from_yaml, lambda n: "- &a {b: c}\n" + "- {<<: *a}\n" * n, 800),
    ("quantity: zeros", refused(quantity.parse, 500), lambda n: "0" * n + "x", 900),
    ("quantity: suffixes", refused(quantity.parse, 500), lambda n: "1" + "e" * n + "x", 900),
    ("quantity of 1.2", refused(quantity.nano_from_json, 500), lambda n: "1" * n + "x", 900),
    ("quantity: white space", white, lambda n: " " * n + "1", 50_000),
    *(
        (f"image: {parser}, {part!r}", image(parser), lambda n, part=part: part * n + "!/x", 5_000)
        for parser in ("named", "normalized", "reference 0.5", "reference 0.6")
        for part in ("a", "a-", "a.b-", "A/", "a/", "_a", "[:")
    ),
    *(
        (f"hash of {release}: {what}", hashed(release), make, size)
        for release in ("1.5.8", "1.9.11", "1.27.15")
        for what, make, size in (
            ("variables", env, 400),
            ("a long string", lambda n: {"name": "c", "image": "i", "args": ["x" * n]}, 40_000),
        )
    ),
    ("owners in a chain", census, lambda n: [owned(number, number + 1) for number in range(n)], 800),
    ("owners in a circle", census, lambda n: [owned(number, (number + 1) % n) for number in range(n)], 800),
    ("templates", unread_places, lambda n: {"spec": [{f"t{key}template": {}} for key in range(n)]}, 4_000),
    ("tolerations", lambda pair: not_tolerated(pair[0], pair[1], "NoExecute"), tolerant, 2_000),
    ("references", api_references, lambda n: {"volumes": [{"secret": {"name": "s"}}] * n}, 8_000),
]  # fmt: skip


@pytest.mark.parametrize(("read", "make", "size"), [pytest.param(*row[1:], id=row[0]) for row in ROWS])
@pytest.mark.usefixtures("untraced")
def test_time_grows_with_the_input(
    read: Callable[[Any], object], make: Callable[[int], Any], size: int
) -> None:
    assert growth(read, make(size), make(4 * size)) <= MOST


WIDE = 1_000_000
"""Characters that take four bytes each, of the smaller string; the larger one is close to the limit."""


def wide() -> None:
    """Write how the time of a wide string grows."""
    small, large = ('{"a": "%s"}' % ("\N{GRINNING FACE}" * length) for length in (WIDE, 4 * WIDE))
    sys.stdout.write(str(growth(from_json, small, large)))


def test_time_grows_with_a_wide_string() -> None:
    """Every large text gets new memory: memory that was used is faster, and only small texts get it."""
    program = [sys.executable, "-c", "from tests.test_linear import wide; wide()"]
    environ = {**os.environ, "MALLOC_MMAP_THRESHOLD_": str(CHUNK)}
    done = subprocess.run(program, env=environ, capture_output=True, text=True, check=True)
    assert float(done.stdout) <= MOST
