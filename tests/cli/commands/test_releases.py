from __future__ import annotations

import json

from tests.helpers.program import ROOT, Run

ROWS = json.loads((ROOT / "schemas" / "tables" / "releases.json").read_text())["releases"]


def test_names_lists_every_known_release(run: Run) -> None:
    lines = run("releases", "-o", "name").out.splitlines()
    assert lines == [f"{row['minor']}.{patch}" for row in ROWS for patch in row["patches"]]
    assert {"1.6.0", "1.9.11", "1.36.0"} <= set(lines)


def test_the_document_has_an_item_for_each_minor(run: Run) -> None:
    items = run("releases", "-o", "json").items
    assert [item["minor"] for item in items][-32:] == [f"1.{minor}" for minor in range(6, 38)]
    assert [item["types"] for item in items] == [row["types"] for row in ROWS]


def test_a_gap_between_patches_is_no_release(run: Run) -> None:
    assert "1.17.10" not in run("releases", "-o", "name").out.splitlines()


def test_the_table_gives_first_and_last_patch_and_wide_gives_all(run: Run) -> None:
    assert "1.9.0 - 1.9.11 " in run("releases").out
    assert " 1.9.3 1.9.4 " in run("releases", "-o", "wide").out


def test_go_shows_where_it_changed(run: Run) -> None:
    item = next(item for item in run("releases", "-o", "yaml").items if item["minor"] == "1.27")
    assert item["go"][-1] == {"since": "1.27.16", "go": "1.22"}
