"""Every reader is executed at least as often as it is asked to: guided by coverage, and then faster."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers import randomness
from tests.suites.fuzz import of_containers, of_files
from tests.suites.fuzz.keeping import failed, kept
from tests.suites.fuzz.mutator import changed
from tests.suites.fuzz.running import SECONDS, CrashError, fuzz, mutate
from tests.suites.fuzz.table import PROBES, TARGETS, find
from tests.suites.fuzz.target import Target

COUNT = randomness.count("FUZZ_EXECUTIONS", 1500)
GUIDED = min(COUNT, max(1000, COUNT // 50))
"""Executions that coverage guides, each as long as several others; later ones find little."""

FILES = (*of_containers.TARGETS, *of_files.TARGETS)
"""What reads files with pods takes as long as all other readers: each half is a step of .ci/full."""

READERS = [
    pytest.param(target, id=target.name, marks=pytest.mark.fuzzfiles if target in FILES else pytest.mark.fuzz)
    for target in TARGETS
    if target.guided
]


@pytest.mark.parametrize("target", READERS)
def test_a_reader_only_refuses(target: Target, record_property: Callable[[str, object], None]) -> None:
    guided = fuzz(target, GUIDED, randomness.SEED, persistent=randomness.FRESH)
    mutated = mutate(target, max(0, COUNT - guided), randomness.SEED, persistent=randomness.FRESH)
    record_property("reader", target.name)
    record_property("guided", guided)
    record_property("mutated", mutated)
    assert guided >= GUIDED
    assert guided + mutated >= COUNT


@pytest.mark.fuzz
@pytest.mark.parametrize("probe", PROBES, ids=[probe.name for probe in PROBES])
def test_a_guided_reader_that_fails_hangs_or_grows_is_seen(probe: Target) -> None:
    with pytest.raises(CrashError, match=PROBES[probe][0]):
        fuzz(probe, 1000, 1, persistent=False, seconds=3 if "hangs" in probe.name else 6 * SECONDS)


@pytest.mark.fuzz
@pytest.mark.parametrize("probe", PROBES, ids=[probe.name for probe in PROBES])
def test_a_reader_that_fails_hangs_or_grows_on_a_change_is_seen(probe: Target) -> None:
    """The input that it fails on is kept, and is one that the probe goes wrong on."""
    with pytest.raises(CrashError, match=PROBES[probe][1]) as caught:
        mutate(probe, 1000, 1, persistent=False, seconds=3 if "hangs" in probe.name else 6 * SECONDS)
    (path,) = re.findall(r"^Test unit written to (\S+?)(?:,|$)", str(caught.value), re.MULTILINE)
    assert len(Path(path).read_bytes()) > 2


@pytest.mark.fuzz
def test_changes_are_the_same_for_a_seed() -> None:
    target = find("release")
    known = [*kept("release").values(), *(path.read_bytes() for path in failed("release"))]
    assert [*changed(target, known, 20, "1 release")] == [*changed(target, known, 20, "1 release")]
    assert [*changed(target, known, 20, "1 release")] != [*changed(target, known, 20, "2 release")]
