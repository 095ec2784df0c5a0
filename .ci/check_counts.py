"""Fail when a suite ran fewer tests, or compared fewer random inputs, than the committed number, or skipped any.

    python .ci/check_counts.py SUITE REPORT.xml

The numbers are in counts.json; raise them when tests are added.
"""

import json
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

COMMITTED = json.loads((Path(__file__).resolve().parent / "counts.json").read_text())
COMPARED = {
    "random_containers": "randomContainers",
    "random_pods": "randomPods",
    "patched_containers": "patchedContainers",
}
"""How many random inputs the tests say that they compared: their property, and the key in counts.json."""


def counts(report: str) -> dict[str, int]:
    """Count what a JUnit report says: tests that ran, tests skipped, random containers and pods compared."""
    tree = ET.parse(report)
    cases = list(tree.iter("testcase"))
    skipped = sum(1 for case in cases if case.find("skipped") is not None)
    told = {
        name: sum(int(row.get("value", "0")) for row in tree.iter("property") if row.get("name") == name)
        for name in COMPARED
    }
    return {
        "tests": len(cases) - skipped,
        "skipped": skipped,
        **{key: told[name] for name, key in COMPARED.items()},
    }


def main() -> int:
    """Compare one suite's report with its committed numbers."""
    suite, report = sys.argv[1:]
    ran = counts(report)
    print(f"{suite}: {', '.join(f'{key} {count}' for key, count in ran.items())}")
    short = [
        f"{suite}: {key} {ran[key]}, committed {least}"
        for key, least in COMMITTED[suite].items()
        if ran[key] < least
    ]
    if ran["skipped"]:
        short.append(f"{suite}: {ran['skipped']} tests were skipped")
    print("\n".join(short))
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
