"""Records rewritten in a real CRI-O, where CRIO names one: neither Debian nor the module proxy has it."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.helpers import runtimes
from tests.helpers.daemons import IMAGE
from tests.helpers.program import Result, Run
from tests.suites.runtime import rewriting
from tests.suites.runtime.rewriting import Lab

pytestmark = pytest.mark.runtime


def states(result: Result) -> dict[str, int]:
    assert result.out, result.err
    return {key: number for key, number in result.document["summary"].items() if number}


def words(lab: Lab, action: str, *more: object) -> list[object]:
    place = ("--runtime", "cri-o", "--runtime-root", lab.node.places.root)
    return [*lab.words(action), *place, *more]


def files(lab: Lab) -> dict[Path, bytes]:
    """Return what CRI-O stores of each container and sandbox."""
    paths = lab.node.places.root.glob("overlay-containers/*/userdata/config.json")
    return {path: path.read_bytes() for path in paths}


if runtimes.CRIO in runtimes.KNOWN:

    def test_there_and_back(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
        with (
            tempfile.TemporaryDirectory(prefix="hc-", ignore_cleanup_errors=True) as directory,
            runtimes.crio_node(Path(directory), IMAGE) as node,
            ExitStack() as stack,
        ):
            lab = Lab(node, stack, rewriting.containers(3, 3))
            for manifest in lab.pods:
                rewriting.create(node, manifest)
            assert lab.make(run).document["summary"]["records"] == 9
            before, stored = lab.shown(), files(lab)
            done = run(*words(lab, "apply", "--write"))
            assert (done.code, states(done)) == (0, {"rewritten": 9}), done.err
            changed = files(lab)
            assert sum(stored[path] != changed[path] for path in stored) == 9
            waiting = run(*words(lab, "check"))
            assert (waiting.code, states(waiting)) == (2, {"not_yet": 9})
            stack.enter_context(runtimes.crio_again(node))
            after = lab.shown()
            assert {name: row[1:] for name, row in after.items()} == {
                name: row[1:] for name, row in before.items()
            }
            assert all(after[name][0] != before[name][0] for name in before)
            seen = run(*words(lab, "check"))
            assert (seen.code, states(seen)) == (0, {"shown": 9})
            undone = run(*words(lab, "undo", "--write"))
            assert (undone.code, states(undone)) == (0, {"restored": 9}), undone.err
            assert files(lab) == stored
            stack.enter_context(runtimes.crio_again(node))
            assert lab.shown() == before
