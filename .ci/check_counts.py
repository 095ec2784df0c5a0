"""Fail when a suite skipped a test, or ran fewer tests or random inputs than the committed number.

    python .ci/check_counts.py TIER SUITE REPORT.xml [--raise]

The numbers are in counts.json; after tests are added, --raise writes what ran there.
"""

import json
import sys
from pathlib import Path

import reports

COUNTS = Path(__file__).resolve().with_name("counts.json")


def shortfalls(ran: reports.Ran, committed: dict[str, int]) -> list[str]:
    """Say what is missing, in words for a log."""
    short = [
        f"{key} {ran.counts.get(key, 0)}, committed {least}"
        for key, least in committed.items()
        if ran.counts.get(key, 0) < least
    ]
    return short + ([f"skipped {ran.skipped}, and nothing may be"] if ran.skipped else [])


def main(tier: str, suite: str, report: str, *flags: str) -> int:
    """Compare one suite's report with its committed numbers, or commit to those that ran."""
    ran = reports.read(Path(report))
    print(f"{suite}: {', '.join(f'{key} {count}' for key, count in ran.counts.items())}")
    counts = json.loads(COUNTS.read_text())
    if "--raise" in flags:
        counts[tier][suite] = ran.counts
        COUNTS.write_text(json.dumps(counts, indent=2) + "\n")
        return 0
    short = shortfalls(ran, counts[tier][suite])
    for what in short:
        print(f"{tier}, {suite}: {what}", file=sys.stderr)
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
