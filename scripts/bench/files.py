"""Time how files are read against the usual way to read them whole, in one run on the same text.

Only the ratios mean something.

    python -m scripts.bench.files --bytes 1e8
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from tabulate import tabulate

from hashcompat.analysis import planning
from hashcompat.analysis.planning.view import View
from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.sources.files import collect as files
from scripts.bench import cluster
from scripts.bench.made.shape import Shape
from scripts.bench.made.texts import FORMS, pods_of

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
WHOLE: dict[str, Callable[[str], object]] = {
    "json": json.loads,
    "compact": json.loads,
    "yaml": lambda text: yaml.load(text, _LOADER),  # noqa: S506 - a safe loader
}
YAML_SHARE = 20
"""How much smaller a YAML file is: read whole, it takes a hundred times as long as JSON."""


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time that some work takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def row(form: str, path: Path) -> list[str]:
    """Return megabytes a second: the file read whole, its nodes, its pods one by one, and a plan of them."""
    size = path.stat().st_size / 1e6
    whole = seconds(lambda: WHOLE[form](path.read_text(encoding="utf-8")))
    nodes = seconds(lambda: files.collect((str(path),)))
    inventory = files.collect((str(path),))
    pods = seconds(lambda: sum(1 for _ in inventory.pods))
    plan = seconds(lambda: planning.make(inventory, "1.13.12", "1.14.10", View(default_catalog())))
    speeds = [f"{size / taken:.1f}" for taken in (whole, nodes, pods, plan)]
    return [form, f"{size:.0f}", *speeds, f"{(nodes + pods) / whole:.2f}"]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bytes", type=float, default=1e8)
    size = parser.parse_args().bytes
    rows = []
    with tempfile.TemporaryDirectory() as directory:
        for form in WHOLE:
            path = Path(directory, form)
            with path.open("w", encoding="utf-8") as stream:
                share = size / YAML_SHARE if form == "yaml" else size
                stream.writelines(FORMS[form](cluster.objects(pods_of(share, form), Shape("1.13.12"))))
            rows.append(row(form, path))
    headers = [
        "file",
        "MB",
        "whole, MB/s",
        "nodes, MB/s",
        "pods, MB/s",
        "plan, MB/s",
        "time, both looks / whole",
    ]
    print(tabulate(rows, headers, disable_numparse=True))


if __name__ == "__main__":
    main()
