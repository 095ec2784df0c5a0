"""What the JUnit report of one suite says: how many tests ran, were skipped, and how much they compared."""

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

COMPARED = {
    "random_containers": "randomContainers",
    "random_pods": "randomPods",
    "random_documents": "randomDocuments",
    "patched_containers": "patchedContainers",
    "observed_verdicts": "observedVerdicts",
}
"""The properties that count what was compared in a report, and their keys in counts.json."""


@dataclass(frozen=True)
class Ran:
    """One suite's run."""

    tests: int
    """Tests that ran, whatever their outcome."""
    skipped: int
    compared: dict[str, int]
    """What was compared, by the values of COMPARED; kinds that the suite does not have are absent."""
    seconds: float
    """Wall time of the whole run, collection included."""

    @property
    def counts(self) -> dict[str, int]:
        """The numbers that counts.json may ask for."""
        return {"tests": self.tests, **self.compared}


def read(report: Path) -> Ran:
    """Read one report that pytest wrote with ``junit_family = legacy``."""
    root = ET.parse(report).getroot()
    cases = list(root.iter("testcase"))
    skipped = sum(1 for case in cases if case.find("skipped") is not None)
    compared: dict[str, int] = {}
    for row in root.iter("property"):
        if key := COMPARED.get(row.get("name", "")):
            compared[key] = compared.get(key, 0) + int(row.get("value", "0"))
    seconds = sum(float(suite.get("time", "0")) for suite in root.iter("testsuite"))
    return Ran(len(cases) - skipped, skipped, compared, seconds)
