"""Real kubelets before and after 1.35, which keeps what was ready: whether pods are not is as was said."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from scripts.golden import reality
from scripts.suites import containerd
from tests.suites.reality import lab as labs
from tests.suites.reality import starting
from tests.suites.reality.starting import READINESS
from tests.suites.reality.test_reality import FOUND
from tests.suites.reality.test_starting import change, wrong

pytestmark = pytest.mark.starting


def test_readiness_is_kept_from_1_35_on_unless_a_gate_says_otherwise(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """The plans' words about it are compared with these changes by the ordinary tests.

    Three of the pods are of a Service: its endpoints go and come as their readiness does.
    """
    with (
        tempfile.TemporaryDirectory(prefix="hc-", ignore_cleanup_errors=True) as directory,
        labs.lab(Path(directory), containerd.built_with_runc(containerd.SLICE)) as node,
        ExitStack() as stack,
    ):
        starting.settle(node, READINESS[0].old)
        stack.enter_context(starting.served(node))
        node.wait(60)
        for step in READINESS:
            before = starting.slices(node)
            made = change(node, step)
            made["endpoints"] = starting.endpoints_since(node, before)
            reality.write(made, FOUND / f"{step.name}.json.gz")
            assert wrong(made, tmp_path / step.name, record_property) == []
            forgotten = step.about == starting.FORGOTTEN
            assert ("ready" in made["readyAgain"]) == forgotten
            endpoints = made["endpoints"]
            assert endpoints["ready"] == ([True, False, True] if forgotten else [True])
            assert endpoints["sidecar"] == [True]
            # its delay has passed long since, so that it may be ready again before its slice is written
            quick = [True, False, True] if forgotten else [True]
            assert endpoints["ready-slowly"] in ([True], quick)
