"""Write the sample cluster many times over, as ``kubectl get pods,nodes -A`` would print a large one.

Names, uids and the values of env differ in each copy, so that nothing about one pod helps with the next.
The nodes come last.

    python -m scripts.bench.large_cluster --bytes 1e9 --format json > large.json
"""

from __future__ import annotations

import argparse
import json
import sys
import uuid
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import yaml

from hashcompat.sources.files.sample import sample_path

FORMATS = ("json", "compact", "lines", "yaml")
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def objects(kind: str) -> list[dict[str, Any]]:
    """Return the sample's objects of a kind."""
    items = json.loads(sample_path().read_text(encoding="utf-8"))["items"]
    return [item for item in items if item["kind"] == kind]


def another(pod: dict[str, Any], number: int) -> dict[str, Any]:
    """Return a pod like ``pod`` with a name, a uid and env values of its own."""
    name, uid = (
        f"{pod['metadata']['name']}-{number}",
        str(uuid.UUID(int=hash((pod["metadata"]["uid"], number)) % 2**128)),
    )
    containers = [
        {**one, "env": [*one.get("env", []), {"name": "NUMBER", "value": f"{name} {number}"}]}
        for one in pod["spec"]["containers"]
    ]
    return {
        **pod,
        "metadata": {**pod["metadata"], "name": name, "uid": uid},
        "spec": {**pod["spec"], "containers": containers},
    }


def pods() -> Iterator[dict[str, Any]]:
    """Yield pods without end."""
    samples = objects("Pod")
    for number in count():
        yield from (another(pod, number) for pod in samples)


def texts(form: str) -> tuple[str, Callable[[dict[str, Any]], str], str, str]:
    """Return what is before all objects, how one is written, what is between two, and what is after all."""
    if form == "json":
        start = '{\n    "apiVersion": "v1",\n    "items": [\n'
        return (
            start,
            lambda item: " " * 8 + json.dumps(item, indent=4).replace("\n", "\n" + " " * 8),
            ",\n",
            '\n    ],\n    "kind": "List"\n}\n',
        )
    if form == "compact":
        return (
            '{"apiVersion":"v1","items":[',
            lambda item: json.dumps(item, separators=(",", ":")),
            ",",
            '],"kind":"List"}\n',
        )
    if form == "lines":
        return "", lambda item: json.dumps(item, separators=(",", ":")) + "\n", "", ""
    return "apiVersion: v1\nitems:\n", lambda item: yaml.dump([item], Dumper=_DUMPER), "", "kind: List\n"


def cluster(size: float, form: str) -> Iterator[str]:
    """Yield the text of a cluster of about ``size`` characters."""
    start, write, between, end = texts(form)
    yield start
    written = 0
    for pod in pods():
        text = write(pod) + between
        yield text
        written += len(text)
        if written >= size:
            break
    yield between.join(map(write, objects("Node")))
    yield end


def main() -> None:
    """Write a cluster to stdout."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bytes", type=float, default=1e9, help="the size, about (default: 1e9)")
    parser.add_argument(
        "--format", choices=FORMATS, default="json", help="json is indented as kubectl does it"
    )
    arguments = parser.parse_args()
    sys.stdout.writelines(cluster(arguments.bytes, arguments.format))


if __name__ == "__main__":
    main()
