"""``snapshot`` of a large file: at a glance, looked through, and as YAML."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import fsspec  # type: ignore[import-untyped,unused-ignore]
import pytest

from hashcompat.core.errors import ExitCode
from hashcompat.sources.content import all_of
from hashcompat.sources.files import spans
from scripts.lib.yamltext import as_yaml
from tests.helpers.program import Run
from tests.helpers.replicas import pods_and_nodes
from tests.helpers.slices import sliced

pytestmark = pytest.mark.usefixtures("untraced")

PODS = 18

LIST: dict[str, Any] = {
    "apiVersion": "v1",
    "items": list(pods_and_nodes(PODS)),
    "kind": "List",
}
TEXT = json.dumps(LIST, indent=4, sort_keys=True)


def saved(
    run: Run, path: Path, monkeypatch: pytest.MonkeyPatch, *, least: int = 1 << 12
) -> tuple[int, str, str]:
    """Take a snapshot of a file, which is a large one from some bytes on."""
    with monkeypatch.context() as patch:
        patch.setattr(spans, "LEAST", least)
        result = run("snapshot", "-f", path)
    return result.code, result.out, result.err


def test_a_glance_and_yaml_change_nothing(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (path := tmp_path / "dump").write_text(TEXT)
    code, out, err = result = saved(run, path, monkeypatch)
    nodes = len(LIST["items"]) - PODS
    assert (code, f"{PODS} pods, {nodes} node" in err) == (0, True)
    assert len(json.loads(out)["items"]) == PODS + nodes
    assert saved(run, path, monkeypatch, least=1 << 30) == result
    path.write_text(as_yaml(LIST))
    assert saved(run, path, monkeypatch) == result


UID = LIST["items"][14]["metadata"]["uid"]
WRONG = {
    "cut": TEXT[: len(TEXT) * 3 // 4],
    "two pods of one uid": TEXT.replace(LIST["items"][17]["metadata"]["uid"], UID),
    "a manifest": TEXT.replace(f'"uid": "{UID}"', '"uid": ""').replace('"status":', '"statuses":'),
    "a value of the wrong type": TEXT.replace('"workers"', "7").replace('"/etc/app"', "7", 20),
}


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said_as_without_a_glance(
    text: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path := tmp_path / "dump").write_text(text)
    code, out, err = result = saved(run, path, monkeypatch)
    assert (code, out, len(err.splitlines())) == (ExitCode.FAILED, "", 1)
    assert saved(run, path, monkeypatch, least=1 << 30) == result


def cluster(name: str = "") -> dict[str, Any]:
    """Return a cluster with its UID, and with a name that a snapshot gave it."""
    system = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "kube-system", "uid": f"uid-of-{name}"},
    }
    return {**LIST, "items": [system, *LIST["items"][:4]]}


def test_a_snapshot_has_the_name_and_the_labels_of_its_cluster(run: Run, tmp_path: Path) -> None:
    (tmp_path / "dump.json").write_text(json.dumps(cluster("a")))
    plain = run("snapshot", "-q", "-f", tmp_path / "dump.json").document
    words = ("--name", "prod-eu-1", "--label", "tier=canary", "--label", "example.com/team=", "-q")
    document = run("snapshot", "-f", tmp_path / "dump.json", *words).document
    given = {"clusterName": "prod-eu-1", "clusterLabels": {"example.com/team": "", "tier": "canary"}}
    assert document == {**plain, "spec": {**plain["spec"], **given}}
    (tmp_path / "snapshot.json").write_text(json.dumps(document))
    again = run("snapshot", "-f", tmp_path / "snapshot.json", "--label", "tier=last", "-q").document
    assert again["spec"]["clusterName"] == "prod-eu-1"
    assert again["spec"]["clusterLabels"] == {"example.com/team": "", "tier": "last"}


NAMED = (("prod", "prod"), ("", "uid-of-a"))


@pytest.mark.parametrize(
    ("name", "called", "suffix"),
    sliced(
        [(*one, suffix) for one in NAMED for suffix in ("", ".gz", ".zst")],
        [(*NAMED[1], ".gz"), (*NAMED[0], ".zst")],
    ),
)
def test_a_place_names_the_cluster(name: str, called: str, suffix: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "dump.json").write_text(json.dumps(cluster("a")))
    words = ("-f", tmp_path / "dump.json", *(("--name", name) if name else ()))
    expected = run("snapshot", "-q", *words).out
    run("snapshot", "-q", *words, "--out", tmp_path / f"{{cluster}}.json{suffix}")
    url = f"memory://{tmp_path.name}/{{cluster}}.json{suffix}"
    assert run("snapshot", *words, "--out", url).code == 0
    local = (tmp_path / f"{called}.json{suffix}").read_bytes()
    assert fsspec.filesystem("memory").cat_file(f"/{tmp_path.name}/{called}.json{suffix}") == local
    with (tmp_path / f"{called}.json{suffix}").open("rb") as stream:
        assert all_of(stream, 1 << 24).decode() == expected


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--name", "a/b"), "--name 'a/b': want letters"),
        (("--name", ".."), "--name '..': want letters"),
        (("--label", "a"), "--label 'a': want KEY=VALUE"),
        (("--label", "a=b c"), "--label 'a=b c': want KEY=VALUE"),
        (("--label", "a=b", "--label", "a=c"), "--label 'a=c': a is 'b' already"),
        (("--out", "{cluster}.json", "--sample"), "nothing shows what the cluster is called; give --name"),
    ],
)
def test_what_is_no_name_is_a_usage_error(words: tuple[str, ...], says: str, run: Run) -> None:
    done = run("snapshot", "--sample" if "--sample" not in words else "-q", *words)
    assert (done.code, done.out) == (64, "")
    assert says in done.err


def test_a_store_that_fails_is_an_error(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise PermissionError(13, "no rights")

    monkeypatch.setattr(fsspec.filesystem("memory"), "put_file", fails)
    (tmp_path / "dump.json").write_text(json.dumps(cluster("a")))
    done = run("snapshot", "-f", tmp_path / "dump.json", "--out", "memory://a/b.json")
    assert (done.code, "memory://a/b.json: no rights" in done.err) == (1, True)


@pytest.mark.parametrize("command", ["plan", "snapshot"])
@pytest.mark.parametrize("version", ["hashcompat.io/v2", "v1", None])
def test_a_snapshot_of_another_format_is_refused(run: Run, command: str, version: str | None) -> None:
    """Its hashes may mean other things, and without them what is hidden would be hashed as it is shown."""
    content = json.loads(run("snapshot", "-f", "-", stdin=TEXT.encode()).out)
    words = ("--to", "1.31.14") if command == "plan" else ()
    stdin = json.dumps({**content, "apiVersion": version}).encode()
    result = run(command, *words, "-f", "-", stdin=stdin)
    assert (result.code, result.out) == (1, "")
    assert "$.apiVersion: " in result.err, result.err
