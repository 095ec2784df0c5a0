"""What the JUnit report of one suite says: how many tests ran, were skipped, and how much they compared."""

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

COMPARED = {
    "random_containers": "randomContainers",
    "random_pods": "randomPods",
    "random_documents": "randomDocuments",
    "random_settings": "randomSettings",
    "random_nodes": "randomNodes",
    "patched_containers": "patchedContainers",
    "observed_verdicts": "observedVerdicts",
    "fast_path_plans": "fastPathPlans",
}
"""The properties that count what was compared in a report, and their keys in counts.json."""

KUBELET, REFUSED, SETTINGS = "kubelet", "refused", "random_settings"
"""The properties of a test that compared with one kubelet what settings it refuses, and how many of them."""

READER, GUIDED, MUTATED = "reader", "guided", "mutated"
"""The properties of a test that fuzzed one reader: its name, and how often each phase executed it."""


@dataclass(frozen=True)
class Executions:
    """How often a reader was executed."""

    guided: int = 0
    """With inputs that coverage guided."""
    mutated: int = 0
    """With changes of known inputs."""

    @property
    def total(self) -> int:
        """All of them."""
        return self.guided + self.mutated

    def __add__(self, other: "Executions") -> "Executions":
        """Add what another test executed."""
        return Executions(self.guided + other.guided, self.mutated + other.mutated)


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
    executions: dict[str, Executions] = field(default_factory=dict)
    """How often each reader was executed, by its name; empty for a suite that does not fuzz."""
    kubelets: dict[str, tuple[int, int]] = field(default_factory=dict)
    """By the release of each kubelet whose settings were compared: how many, and how many it refused."""

    @property
    def counts(self) -> dict[str, int]:
        """The numbers that counts.json may ask for."""
        return {"tests": self.tests, **self.compared, **self._executed}

    @property
    def _executed(self) -> dict[str, int]:
        if not self.executions:
            return {}
        numbers = [executions.total for executions in self.executions.values()]
        return {
            "readers": len(numbers),
            "executions": sum(numbers),
            "leastExecutions": min(numbers),
            "leastGuided": min(executions.guided for executions in self.executions.values()),
        }


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
    return Ran(len(cases) - skipped, skipped, compared, seconds, _executions(cases), _kubelets(cases))


def _passed(cases: list[ET.Element]) -> Iterator[dict[str, str]]:
    """Yield the properties of each test that passed."""
    for case in cases:
        if case.find("failure") is None and case.find("error") is None:
            yield {row.get("name", ""): row.get("value", "") for row in case.iter("property")}


def _executions(cases: list[ET.Element]) -> dict[str, Executions]:
    """Return how often each reader was executed, from the properties of the tests that passed."""
    executions: dict[str, Executions] = {}
    for named in _passed(cases):
        if READER in named:
            executed = Executions(int(named[GUIDED]), int(named[MUTATED]))
            executions[named[READER]] = executions.get(named[READER], Executions()) + executed
    return executions


def _kubelets(cases: list[ET.Element]) -> dict[str, tuple[int, int]]:
    properties = (named for named in _passed(cases) if KUBELET in named)
    return {named[KUBELET]: (int(named[SETTINGS]), int(named[REFUSED])) for named in properties}
