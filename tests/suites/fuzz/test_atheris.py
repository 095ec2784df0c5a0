"""Coverage-guided inputs: atheris executes every reader at least as often as it is asked to."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.helpers import randomness
from tests.suites.fuzz.running import SECONDS, CrashError, fuzz
from tests.suites.fuzz.table import PROBES, TARGETS
from tests.suites.fuzz.target import Target

pytestmark = pytest.mark.fuzz

COUNT = randomness.count("FUZZ_EXECUTIONS", 3000)
GUIDED = [target for target in TARGETS if target.guided]


@pytest.mark.parametrize("target", GUIDED, ids=[target.name for target in GUIDED])
def test_a_reader_only_refuses(target: Target, record_property: Callable[[str, object], None]) -> None:
    executed = fuzz(target, COUNT, randomness.SEED, persistent=randomness.FRESH)
    record_property("reader", target.name)
    record_property("executions", executed)
    assert executed >= COUNT


@pytest.mark.parametrize("probe", PROBES, ids=[probe.name for probe in PROBES])
def test_a_reader_that_fails_hangs_or_grows_is_seen(probe: Target) -> None:
    with pytest.raises(CrashError, match=PROBES[probe]):
        fuzz(probe, 1000, 1, persistent=False, seconds=3 if "hangs" in probe.name else 6 * SECONDS)
