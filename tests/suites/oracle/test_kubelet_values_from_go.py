"""What is found of settings that keep a kubelet from starting agrees with the kubelet's own validation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

import pytest

from hashcompat.analysis.preflight import CHECKS
from hashcompat.analysis.preflight.facts import Facts
from hashcompat.core.catalog.kubeletsettings import ValueRow, ValueTable
from hashcompat.core.errors import InputError
from hashcompat.core.model.preflight import Status
from hashcompat.core.records.probes import AbsentError, UnparsedError, UnreadError
from hashcompat.core.release import Release
from scripts.suites import kubeletvalues
from tests.helpers import slices
from tests.helpers.dumps import dump, upgrade
from tests.helpers.randomness import SEED
from tests.suites.oracle.settings import Settings

pytestmark = pytest.mark.oracle

COUNT = 2000
JUDGES = ("PF-101", "PF-122", "PF-126")
"""The checks that find what the validation refuses: removed flags, feature gates, and values."""

VALIDATED = (
    "validation.go",
    "validation_linux.go",
    "ValidateKubeletFlags",
    "taintsVar",
    "k8s.io/component-base/",
)
"""What the sources of rows name that a kubelet judges before it starts anything."""


@pytest.mark.parametrize("release", slices.sliced(kubeletvalues.RELEASES, []))
def test_settings_are_refused_that_the_kubelets_own_code_refuses(
    release: str, monkeypatch: pytest.MonkeyPatch, record_property: Callable[[str, object], None]
) -> None:
    rows = ValueTable.rows

    def validated(table: ValueTable, of: Release) -> tuple[ValueRow, ...]:
        return tuple(row for row in rows(table, of) if any(part in row.source for part in VALIDATED))

    monkeypatch.setattr(ValueTable, "rows", validated)
    settings = list(islice(Settings(release, SEED), COUNT))
    answers = list(kubeletvalues.judged(release, settings))
    assert len(answers) == COUNT
    number = sum(map(bool, answers))
    for name, value in (("random_settings", COUNT), ("kubelet", release), ("refused", number)):
        record_property(name, value)
    assert COUNT / 5 < number < COUNT * 4 / 5
    disagreements = [
        (flags, config, answer, refusals)
        for (flags, config), answer in zip(settings, answers, strict=True)
        if bool(refusals := list(refused(release, flags, config))) != bool(answer)
    ]
    assert disagreements == []


def refused(release: str, flags: list[str], config: str) -> Iterator[str]:
    """Yield why the kubelet does not start, as preflight finds it."""
    words = ["/usr/bin/kubelet", "--config=/c.yaml", *flags, ""]
    facts = Facts(dump({("arguments", "kubelet"): "\n".join(words), ("file", "/c.yaml"): config}))
    for check in CHECKS:
        if check.id in JUDGES:
            try:
                problems = list(check.find(facts, upgrade(release)))
            except (UnreadError, AbsentError, UnparsedError, InputError) as error:
                yield str(error)
                continue
            yield from (problem.text for problem in problems if problem.status is Status.ERROR)
