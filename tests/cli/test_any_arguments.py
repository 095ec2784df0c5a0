"""Whatever the arguments are, the program ends by a documented exit code, and never by "this is a bug"."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from hashcompat.cli import program
from tests.helpers.program import Run
from tests.helpers.randomness import FRESH

ODD = (
    *("", "-", " ", "\0", "\udcff", "\ud800", "\u202e", "é", "∞", "a\nb", "a" * 10_000, "9" * 5000),
    *("1.31.14.5", "1.9.11", "1.9.11,", "1.31", "latest", "auto", f"1.31.{'1' * 5000}", "1.28.2+k3s1"),
    *("=", "table=", "json", "a=b", "x=true", "//", ".", "..", "/dev/null", "/dev/full", "none/such"),
    *("http://", "http://[", "https://a b/", "unix:///x", "{tag}", "%s", "*", "{", "-1", "0s", "99999999m"),
    *("accept", "pin", "HC001", "shop/web", "-n", "--", "PodLevelResources=true", "shop/web-0/x"),
)
SOUND: dict[str, tuple[str, ...]] = {
    "plan": ("--from", "1.9.11", "--to", "1.10.0", "--sample"),
    "explain": ("--from", "1.9.11", "--to", "1.10.0"),
    "matrix": ("--from", "1.35.0", "--to", "1.37.0"),
    "hash": ("--kubelet", "1.9.11", "--sample"),
    "snapshot": ("--sample",),
    "patch": ("--kubelet", "1.9.11", "--like", "1.8.0", "--tree", "none/such"),
    "verify": ("none/such",),
}
"""What a command needs, so that odd options are all that is left to find fault with."""

ROUNDS = 8 if FRESH else 3
"""Lists of arguments per command."""


def odd_arguments(name: str, numbers: random.Random) -> Iterator[str]:
    """Yield some of a command's options with odd values."""
    command = program.cli.get_command(click.Context(program.cli), name)
    assert command
    for parameter in numbers.sample(command.params, min(len(command.params), numbers.randint(1, 3))):
        if isinstance(parameter, click.Option):
            yield numbers.choice(parameter.opts)
        if not getattr(parameter, "is_flag", False):
            choices = getattr(parameter.type, "choices", ODD)
            yield numbers.choice(choices if numbers.random() < 0.5 else ODD)


@pytest.mark.parametrize("name", program._COMMANDS)
def test_odd_values_of_options_are_no_bug(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    monkeypatch.chdir(tmp_path)  # where --out writes
    monkeypatch.setenv("PATH", "")  # no kubectl
    numbers = random.Random(name)
    for round_ in range(ROUNDS):
        argv = [name, *(SOUND.get(name, ()) if round_ % 2 else ()), *odd_arguments(name, numbers)]
        result = run(*argv)
        assert result.code in (0, 1, 2, 3, 64), argv
        assert "bug" not in result.err, argv


@pytest.mark.parametrize("value", ODD)
def test_odd_words_for_a_command_are_no_bug(run: Run, value: str) -> None:
    result = run(value)
    assert (result.code, "bug" in result.err) == (64, False)


@pytest.mark.parametrize(
    "argv",
    [
        ("--node", ""),
        ("-n", ""),
        ("-f", ""),
        ("--from", ""),
        ("--to", "1.31.14.5"),
        ("-o", "table="),
        ("-l", ""),
        ("--owner", "/"),
        ("--out", ""),
        ("--out", "\0"),
        ("-f", "\0"),
        ("-f", "\ud800"),
        ("--recorded", "\udcff"),
        ("--static-pod-dir", "\udcff"),
        ("--schemas", "\udcff"),
        ("--kubeconfig", "\udcff"),
        ("--request-timeout", "9" * 5000),
    ],
    ids=lambda argv: " ".join(argv)[:40].encode("unicode_escape").decode(),
)
def test_empty_and_impossible_values_are_no_bug(
    run: Run, monkeypatch: pytest.MonkeyPatch, argv: tuple[str, str]
) -> None:
    monkeypatch.setenv("PATH", "")
    for more in ((), ("--sample",)):
        result = run("plan", "--from", "1.9.11", "--to", "1.10.0", *argv, *more)
        assert result.code in (0, 1, 64)
        assert "bug" not in result.err
