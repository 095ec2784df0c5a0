"""Plans of pods that are nearly replicas are those of each pod alone, whatever the form and the processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec import structs

from hashcompat.analysis.planning import PlanRun, hops, planner, repeats
from hashcompat.analysis.planning.items import items_of
from hashcompat.core.kubelet.template import Around
from hashcompat.sources.files import spans
from hashcompat.sources.replicas import shape
from tests.helpers import randomness
from tests.helpers.program import ROOT
from tests.suites.fuzz.nearly import Form, case
from tests.suites.fuzz.truth import Compared, compare, small_spans

pytestmark = pytest.mark.fastpath

ROUNDS: Final = randomness.count("FAST_PATH_ROUNDS", 20)
SHARES: Final = {
    Form.INDENTED: 35,
    Form.YAML: 20,
    Form.COMPACT: 15,
    Form.LINES: 10,
    Form.DOCUMENTS: 10,
    Form.FILES: 5,
    Form.FLOW: 5,
}
"""Of a hundred rounds; pods have stencils in all forms but the last, and the first and third are divided."""

LARGE: Final = max(1, ROUNDS // 100)
"""Rounds with a file that is divided as it is."""

BYTES: Final = 2 * spans.LEAST + (1 << 22)

Record = Callable[[str, object], None]


def rounds(form: Form, seed: int, number: int, directory: Path) -> list[Compared]:
    """Compare that many times; the error names the case."""
    compared = list[Compared]()
    for index in range(number):
        try:
            with small_spans():
                compared.append(compare(case(form, f"{seed}/{index}"), directory))
        except Exception as error:
            raise AssertionError(f"case({form}, '{seed}/{index}'): {error!r}") from error
    return compared


def recorded(compared: Iterable[Compared], record: Record) -> None:
    """Record how many plans were compared, for the evidence."""
    record("fast_path_plans", sum(comparison.plans for comparison in compared))


@pytest.mark.parametrize("form", SHARES, ids=[form.value for form in SHARES])
def test_plans_are_those_of_each_pod_alone(form: Form, tmp_path: Path, record_property: Record) -> None:
    """The same ``RANDOM_SEED`` makes the same rounds again."""
    recorded(rounds(form, randomness.SEED, ROUNDS * SHARES[form] // 100, tmp_path), record_property)


@pytest.mark.parametrize("form", [Form.INDENTED, Form.COMPACT], ids=["indented", "compact"])
def test_files_that_several_processes_share_as_they_are(
    form: Form, tmp_path: Path, record_property: Record
) -> None:
    """The program itself prints the same bytes, by any number of processes and with any hash seed."""
    compared = list[Compared]()
    for number in range(LARGE):
        large = case(form, f"{randomness.SEED}/large/{number}", BYTES)
        compared.append(compare(large, tmp_path))
        path = tmp_path / f"dump{form.suffix}"  # without the pods that are refused
        assert path.stat().st_size >= 2 * spans.LEAST
        outputs = [printed(path, large.upgrade.old, large.upgrade.new, jobs) for jobs in (1, 2, 3)]
        assert outputs[0] == outputs[1] == outputs[2]
    recorded(compared, record_property)


def printed(path: Path, old: str, new: str, jobs: int) -> tuple[int, bytes, bytes]:
    """Run the program on a file."""
    asked = ["--from", old, "--to", new, "-f", str(path), "--keep-going", "--jobs", str(jobs), "-o", "json"]
    done = subprocess.run(
        [sys.executable, "-m", "hashcompat", "plan", *asked],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": str(jobs)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.returncode, done.stdout, done.stderr


def counted_twice(patch: pytest.MonkeyPatch) -> None:
    merge = hops.Hops.merge

    def twice(self: hops.Hops, counts: Any) -> None:
        merge(self, counts)
        merge(self, counts)

    patch.setattr(hops.Hops, "merge", twice)


def alike_by_names(patch: pytest.MonkeyPatch) -> None:
    """Replicas keep the hashes of the first one."""

    def repeated(self: Any, _: Any) -> tuple[int, int]:
        first = self.arounds[0], self.arounds[self.new]
        return first[0].hash(()), first[1].hash(())

    patch.setattr(repeats._Hashes, "repeated", repeated)
    hashed = Around.hash
    patch.setattr(Around, "hash", lambda self, names: hashed(self, names or ("",) * 99))


def states_of_the_first(patch: pytest.MonkeyPatch) -> None:
    made, firsts = shape.Shape.made, dict[shape.Shape, shape.Replica]()

    def of_first(self: shape.Shape, replica: shape.Replica, *rest: Any) -> Any:
        first = firsts.setdefault(self, replica)
        return made(self, structs.replace(replica, status=first.status, reported=first.reported), *rest)

    patch.setattr(shape.Shape, "made", of_first)


def lines_of_the_share(patch: pytest.MonkeyPatch) -> None:
    merge = PlanRun.merge

    def unmoved(self: PlanRun, sent: Any, _: int) -> Any:
        return merge(self, sent, 0)

    patch.setattr(PlanRun, "merge", unmoved)


def saved_once(patch: pytest.MonkeyPatch) -> None:
    def unsaved(*given: Any) -> Any:
        return ((item, structs.replace(aside, saved="")) for item, aside in items_of(*given))

    patch.setattr(planner, "items_of", unsaved)


def nodes_of_the_first(patch: pytest.MonkeyPatch) -> None:
    made = shape.Shape.made

    def moved(self: shape.Shape, values: Any, *rest: Any) -> Any:
        return structs.replace(made(self, values, *rest), node=self.pod.node)

    patch.setattr(shape.Shape, "made", moved)


DEFECTS: Final = (
    counted_twice,
    alike_by_names,
    states_of_the_first,
    lines_of_the_share,
    saved_once,
    nodes_of_the_first,
)


@pytest.mark.parametrize("defect", DEFECTS, ids=[one.__name__ for one in DEFECTS])
def test_a_defect_is_found(
    defect: Callable[[pytest.MonkeyPatch], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within as many rounds as the least run has."""
    defect(monkeypatch)
    with pytest.raises(AssertionError):
        rounds(Form.INDENTED, 1, 9, tmp_path)
