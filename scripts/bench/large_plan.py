"""Write the plan of a large cluster: that of the sample many times over, with names of its own in each copy.

Every container restarts, so that whoever reads it cannot pass over any.

    python -m scripts.bench.large_plan --pods 150000 --out plan.json
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import structs

from hashcompat.analysis import planning
from hashcompat.analysis.planning.view import View
from hashcompat.cli.output import write_whole
from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.core.model.items import Item, PodName
from hashcompat.core.model.plan import Plan
from hashcompat.output.formats import FORMATS
from hashcompat.output.formats.model import Style
from hashcompat.output.report.plan import PLAN
from hashcompat.sources.files.collect import sample_cluster

_WAY: Final = ("1.7.16", "1.9.11")


def large_plan(pods: int) -> Plan:
    """Return a plan of so many pods, or of a few more: whole copies."""
    small = planning.make(sample_cluster(), *_WAY, View(default_catalog()))
    copies = -(-pods // small.summary.pods)
    return structs.replace(small, items=tuple(_items(small, copies)))


def _items(small: Plan, copies: int) -> Iterator[Item]:
    for number in range(copies):
        yield from (structs.replace(item, pod=_another(item.pod, number)) for item in small.items)


def _another(pod: PodName, number: int) -> PodName:
    node = f"{pod.node}-{number}" if pod.node else ""
    uid = f"{number:08x}{pod.uid[8:]}"
    place = {"namespace": f"{pod.namespace}-{number % 500}", "name": f"{pod.name}-{number}"}
    return structs.replace(pod, node=node, uid=uid, **place)


def main() -> None:
    """Write the plan into a file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pods", type=int, default=150_000, help="how many pods (default: 150,000)")
    parser.add_argument("--out", type=Path, required=True, help="the file to write")
    arguments = parser.parse_args()
    write_whole(arguments.out, FORMATS["json"].render(PLAN, large_plan(arguments.pods), Style()))


if __name__ == "__main__":
    main()
