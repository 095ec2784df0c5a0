"""``--no-hashes``: the same report in every format, without a hash."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hashcompat.output.report.registry import without_hashes
from tests.helpers.pods import ARTICLE, as_json, pod
from tests.helpers.program import Run, formats_of
from tests.helpers.upgrades import record, recorded

HASHES = (1559107639, 1428860573)
"""The article's container under 1.7.16 and 1.9.11."""
WAY = ("--from", "1.7.16", "--to", "1.9.11", "-f", "-")
NEW_TO_1_9 = re.compile("|".join(form % value for value in HASHES for form in ("%d", "%x")))
COMMANDS: dict[str, tuple[str, ...]] = {
    "plan": ("plan", *WAY),
    "explain": ("explain", "ns/p", *WAY),
    "verify": ("verify", "--kubelet", "1.9.11", "-f", "-"),
}


def shown(run: Run, directory: Path, command: str, *more: object) -> Any:
    told = recorded(directory, record(HASHES[0], container=ARTICLE["name"]))
    return run(*COMMANDS[command], *told, *more, stdin=as_json(pod(ARTICLE)))


WITH_HASHES = ("table", "wide", "json", "yaml", "csv", "markdown", "html")
"""The formats that show hashes; the others show findings, names or what they are asked for."""


@pytest.mark.parametrize(
    ("command", "form"), [(name, form) for name in COMMANDS for form in formats_of(name)]
)
def test_no_format_shows_a_hash(run: Run, tmp_path: Path, command: str, form: str) -> None:
    given = shown(run, tmp_path, command, "-o", form)
    withheld = shown(run, tmp_path, command, "-o", form, "--no-hashes")
    shows = form in WITH_HASHES and (command, form) != ("plan", "table")
    assert bool(NEW_TO_1_9.search(given.out)) == shows
    assert not NEW_TO_1_9.search(withheld.out + withheld.err)
    assert withheld.code == given.code
    assert withheld.err == given.err


def test_only_hashes_are_left_out(run: Run, tmp_path: Path) -> None:
    given, withheld = (shown(run, tmp_path, "plan", "-o", "json", *more) for more in ((), ("--no-hashes",)))
    assert withheld.item["hash"] == {"recorded": None, "from": None, "to": None}
    assert {**given.item, "hash": None} == {**withheld.item, "hash": None}
    assert given.document["summary"] == withheld.document["summary"]


def test_saved_and_filtered_documents_have_none_either(run: Run, tmp_path: Path) -> None:
    shown(run, tmp_path, "plan", "--only-restarts", "--no-hashes", "--out", tmp_path / "plan.json")
    (item,) = json.loads((tmp_path / "plan.json").read_text())["items"]
    assert set(item["hash"].values()) == {None}


def test_a_line_of_the_log_without_hashes_stays(run: Run) -> None:
    explain = ("explain", "ns/p", "--from", "1.15.12", "--to", "1.16.15", "-f", "-", "-o", "json")
    given, withheld = (run(*explain, *more, stdin=as_json(pod())).item for more in ((), ("--no-hashes",)))
    assert withheld["logLine"] == given["logLine"] != ""


def test_golden_directories_have_hashes_of_nothing_hidden(run: Run, tmp_path: Path) -> None:
    result = run("verify", tmp_path, "--no-hashes")
    assert (result.code, result.out) == (64, "")
    assert "--no-hashes goes with --recorded" in result.err


def test_any_other_result_stays_as_it_is() -> None:
    assert without_hashes("x") == "x"
