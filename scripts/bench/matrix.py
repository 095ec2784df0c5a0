"""Time a matrix of many pods: all pairs of releases counted together, and a few of them one by one.

What is timed is processor time, in one run; only the ratio means something.

    python -m scripts.bench.matrix --pods 2000 [--every-patch]
"""

from __future__ import annotations

import argparse
import random
from itertools import permutations

from tabulate import tabulate

from hashcompat.analysis.planning.counting import Counting
from hashcompat.analysis.planning.hops import HopTally
from hashcompat.analysis.planning.options import Options
from hashcompat.analysis.planning.templates import Templates
from hashcompat.analysis.planning.view import View
from hashcompat.api.inputs import collect
from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.core.model.plan import Way
from hashcompat.core.model.pods import Inventory
from scripts.bench.cluster import objects
from scripts.bench.files import seconds
from scripts.bench.made.shape import Shape

_OPTIONS = Options(override_node_releases=True)
"""The nodes report one release, and all pairs are counted."""


def together(inventory: Inventory, ways: list[Way], view: View) -> dict[Way, tuple[int, int]]:
    """Count all upgrades at once."""
    counting = Counting(ways, [], inventory.nodes, view)
    for pod in inventory.pods:
        counting.add(pod)
    return {way: (hop.findings, hop.unknown) for way, hop in counting.hops().items()}


def singly(inventory: Inventory, ways: list[Way], view: View) -> dict[Way, tuple[int, int]]:
    """Count upgrades one by one, as ``plan`` counts its hops."""
    templates, counts = Templates(view), {}
    for way in ways:
        tally = HopTally(way, inventory.nodes, view, templates)
        for pod in inventory.pods:
            tally.add(pod)
        counts[way] = tally.hop.findings, tally.hop.unknown
    return counts


def main() -> None:
    """Print the table, unless the two count differently."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pods", type=int, default=2000)
    parser.add_argument("--pairs", type=int, default=10, help="how many are counted one by one (default: 10)")
    parser.add_argument("--every-patch", action="store_true")
    given = parser.parse_args()
    catalog = default_catalog()
    known = catalog.known
    between = known.patches_between if given.every_patch else known.newest_per_minor
    ways = [Way(*pair) for pair in permutations(between(known.oldest, known.newest), 2)]
    inventory, view = collect(list(objects(given.pods, Shape()))), View(catalog, _OPTIONS)
    some = random.Random(given.pods).sample(ways, given.pairs)
    counts: dict[str, dict[Way, tuple[int, int]]] = {}
    all_at_once = seconds(lambda: counts.update(together=together(inventory, ways, view)))
    one_by_one = seconds(lambda: counts.update(singly=singly(inventory, some, view))) * len(ways) / len(some)
    if any(counts["together"][way] != counts["singly"][way] for way in some):
        raise SystemExit("the two count differently")
    times = f"{all_at_once:.1f}", f"{one_by_one:.0f}", f"{one_by_one / all_at_once:.0f}"
    headers = ["pods", "pairs", "together, s", "one by one, s (estimated)", "ratio"]
    print(tabulate([[given.pods, len(ways), *times]], headers))


if __name__ == "__main__":
    main()
