"""A made-up release, added by data alone: a field, a default of its API server, a changed behaviour."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hashcompat.analysis import planning
from hashcompat.analysis.planning.view import View
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.model.pods import Inventory, Pod
from hashcompat.sources.objects import read_object
from tests.helpers.pods import Json, as_json, pod
from tests.helpers.program import ROOT, Run

SOURCE = {"source": "made up", "about": "made up"}
C: Json = {"name": "c", "image": "i"}
PR = "kubernetes/kubernetes#999999"
NEXT = "1.38"
"""The minor after the newest known one; change it when the data grow."""


def edited(path: Path, change: Callable[[Any], Any]) -> None:
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


def add_release(document: Any) -> None:
    newest = document["releases"][-1]
    assert newest["minor"] == f"1.{int(NEXT.split('.')[1]) - 1}"
    document["releases"].append(
        {
            **newest,
            "minor": NEXT,
            "types": NEXT,
            "era": "json-spew-fnv32a",
            "patches": {"0": "2027-01-05", "1": "2027-02-05"},
        }
    )


def add_field(tree: Any) -> None:
    tree["madeFrom"], tree["releases"] = "made up", NEXT
    tree["types"]["Container"].append({"name": "Mood", "type": "string", "json": "mood", "omitempty": True})


def change_behaviour(behaviour: Any) -> None:
    """From the made-up release on sidecars are left alone again."""
    behaviour["sidecarsCompared"][-1]["releases"] += f",<{NEXT}"
    behaviour["sidecarsCompared"].append({"releases": f">={NEXT}", "value": False, **SOURCE})


def add_history(changes: Any) -> None:
    row = next(row for row in changes["fields"] if row["change"] == "added")
    changes["fields"].append(
        {**row, "release": NEXT, "type": "Container", "field": "Mood", "json": "mood", "pr": PR}
    )


@pytest.fixture(scope="module")
def schemas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the release data, with one release more."""
    directory = tmp_path_factory.mktemp("made-up") / "schemas"
    shutil.copytree(ROOT / "schemas", directory)
    newest = json.loads((directory / "tables" / "releases.json").read_text())["releases"][-1]["types"]
    shutil.copy(
        directory / "types" / "container" / f"{newest}.json",
        directory / "types" / "container" / f"{NEXT}.json",
    )
    edited(directory / "types" / "container" / f"{NEXT}.json", add_field)
    edited(directory / "tables" / "releases.json", add_release)
    edited(directory / "tables" / "behaviour.json", change_behaviour)
    edited(directory / "tables" / "changes.json", add_history)
    default = {"path": "mood", "value": "Calm", "releases": f">={NEXT}.1", "gate": None, **SOURCE}
    edited(directory / "tables" / "apiserver.json", lambda rows: rows.append(default))
    return directory


SIDECAR = pod({"name": "main", "image": "i"}, spec={"initContainers": [{**C, "restartPolicy": "Always"}]})


@pytest.mark.parametrize(
    ("old", "new", "given", "verdict", "reason"),
    [
        pytest.param(
            "1.30.14", f"{NEXT}.0", pod({**C, "mood": "Glad"}), "RESTART", "HC006", id="the new field, set"
        ),
        pytest.param("1.30.14", f"{NEXT}.0", pod(C), "KEEP", None, id="the new field, not set"),
        pytest.param("1.36.0", f"{NEXT}.0", pod(C), "RESTART", "HC001", id="another algorithm"),
        pytest.param("1.30.14", f"{NEXT}.1", pod(C), "RESTART", "HC023", id="the new default"),
        pytest.param(
            f"{NEXT}.0",
            f"{NEXT}.1",
            pod({**C, "mood": "Glad"}),
            "KEEP",
            None,
            id="the default of a field that is set",
        ),
        pytest.param("1.36.0", f"{NEXT}.0", SIDECAR, "KEEP", "HC002", id="the changed behaviour"),
        pytest.param(
            "1.30.14", "1.36.0", SIDECAR, "RESTART", "HC001", id="the behaviour of the releases before"
        ),
    ],
)
def test_data_alone_decide(
    schemas: Path, old: str, new: str, given: Json, verdict: str, reason: str | None
) -> None:
    pods = tuple(thing for thing in read_object(given, "f") if isinstance(thing, Pod))
    items = {
        item.container.name: item
        for item in planning.make(Inventory(pods), old, new, View(Catalog(schemas))).items
    }
    assert (items["c"].verdict, [row.id for row in items["c"].reasons]) == (
        verdict,
        [reason] if reason else [],
    )


def test_plan_takes_the_directory(run: Run, schemas: Path) -> None:
    argv = ("plan", "--from", "1.30.14", "--to", f"{NEXT}.0", "-f", "-", "-o", "json")
    item = run(*argv, "--schemas", schemas, stdin=as_json(pod({**C, "mood": "Glad"}))).item
    assert item["reasons"] == [
        {
            "id": "HC006",
            "path": "mood",
            "field": "Mood",
            "text": f"Mood is set, and only one of the kubelets knows it ({NEXT}, {PR})",
        }
    ]
    assert run(*argv, stdin=as_json(pod())).code == 64


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(
    ("argv", "shown"),
    [
        (("hash", "--kubelet", f"{NEXT}.0", "-f", "-"), f"{NEXT}.0"),
        (("explain", "ns/p", "--from", "1.30.14", "--to", f"{NEXT}.1", "-f", "-"), "fills in mood"),
        (("explain", "--from", "1.36.0", "--to", f"{NEXT}.0"), "Mood"),
        (("matrix", "--from", "1.30.0", "--to", f"{NEXT}.1", "-o", "wide"), f"{NEXT}.1"),
        (("releases", "-o", "wide"), f"{NEXT}.0 {NEXT}.1"),
        (("version",), f"- {NEXT}.1"),
    ],
)
def test_every_command_takes_the_directory(
    run: Run, schemas: Path, argv: tuple[str, ...], shown: str
) -> None:
    with_it, without = (
        run(*argv, "--schemas", schemas, stdin=as_json(pod(C))),
        run(*argv, stdin=as_json(pod(C))),
    )
    assert (with_it.code, with_it.err) == (0, "")
    assert shown in with_it.out
    assert shown not in without.out


def test_verify_takes_the_directory(run: Run, schemas: Path, golden: Path) -> None:
    (golden / "1.27.15.jsonl").rename(golden / f"{NEXT}.0.jsonl")
    assert run("verify", golden, "--schemas", schemas).code == 2, "Go 1.22 writes a backspace differently"
    assert run("verify", golden).code == 1


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("releases.json", None, "releases.json: cannot read release data: No such file or directory"),
        ("behaviour.json", "{", "behaviour.json: damaged release data"),
        ("behaviour.json", "{}", "behaviour.json: sidecarsCompared: want one row for 1.9.11, found 0"),
    ],
)
def test_a_damaged_directory_is_named(
    run: Run, schemas: Path, tmp_path: Path, name: str, content: str | None, message: str
) -> None:
    directory = tmp_path / "schemas"
    shutil.copytree(schemas, directory)
    (directory / "tables" / name).unlink() if content is None else (directory / "tables" / name).write_text(
        content
    )
    result = run("hash", "--kubelet", "1.9.11", "--sample", "--schemas", directory)
    assert (result.code, result.out) == (1, "")
    assert message in result.err
