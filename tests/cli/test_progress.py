"""Progress is a line on a terminal and nowhere else, and nothing of it is left."""

from __future__ import annotations

import sys

import pytest

from hashcompat.cli.commands import matrix
from hashcompat.core.model.pods import Inventory
from hashcompat.sources.values import collect
from tests.helpers.pods import pod


@pytest.fixture
def inventory() -> Inventory:
    return collect([pod(name=str(number)) for number in range(3)])


def on_terminal(monkeypatch: pytest.MonkeyPatch, *, every: float = 0) -> None:
    """Make a terminal of stderr, as it is while a test runs."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(matrix, "_EVERY", every)


def test_pods_are_counted_on_one_line_which_is_gone_at_the_end(
    inventory: Inventory, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    on_terminal(monkeypatch)
    counted = matrix.counted_on_terminal(inventory, "Counting", quiet=False)
    for _ in range(2):
        assert list(counted.pods) == list(inventory.pods)
        out, err = capsys.readouterr()
        assert out == ""
        assert err == "".join(
            f"\r\x1b[K{text}" for text in ("Counting: 1 pod", "Counting: 2 pods", "Counting: 3 pods", "")
        )


def test_the_line_is_gone_when_counting_ends_early(
    inventory: Inventory, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    on_terminal(monkeypatch)
    pods = iter(matrix.counted_on_terminal(inventory, "Counting", quiet=False).pods)
    next(pods)
    next(pods)
    del pods
    assert capsys.readouterr().err == "\r\x1b[KCounting: 1 pod\r\x1b[K"


def test_a_short_run_shows_nothing(
    inventory: Inventory, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    on_terminal(monkeypatch, every=100)
    list(matrix.counted_on_terminal(inventory, "Counting", quiet=False).pods)
    assert capsys.readouterr().err == ""


def test_quiet_shows_nothing(inventory: Inventory, monkeypatch: pytest.MonkeyPatch) -> None:
    on_terminal(monkeypatch)
    assert matrix.counted_on_terminal(inventory, "Counting", quiet=True) is inventory


def test_a_pipe_shows_nothing(inventory: Inventory) -> None:
    assert matrix.counted_on_terminal(inventory, "Counting", quiet=False) is inventory
