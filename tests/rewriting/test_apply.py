"""``normalize apply``, ``check`` and ``undo`` before a containerd in memory: what is written, and when."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import hashcompat
from hashcompat.core.errors import InputError
from hashcompat.output.rewriting import apply, runtimes
from hashcompat.output.rewriting.runtimes import NodeRuntime
from tests.helpers import fakecontainerd
from tests.helpers.fakecontainerd import Fake, container, hash_in, sandbox
from tests.helpers.pods import PLAIN, Json, as_json, node, pod
from tests.helpers.program import ROOT, Result, Run
from tests.helpers.upgrades import record

OLD, NEW = "1.30.14", "1.31.14"
WAS, IS = (f"{hashcompat.container_hash(PLAIN, release).value:x}" for release in (OLD, NEW))
NAMES = "pqr"
SCHEMA = Draft202012Validator(
    json.loads((ROOT / "schemas" / "documents" / "NormalizationRun.schema.json").read_text())
)


def identity(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


IDS = {name: identity(name) for name in NAMES}


@pytest.fixture(autouse=True)
def _root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents are made today, by root, on a node without a kubelet."""
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    monkeypatch.setattr(runtimes, "check_root", lambda: None)
    monkeypatch.setattr(runtimes, "check_kubelet", lambda: None)


@pytest.fixture
def fake(tmp_path: Path) -> Iterator[Fake]:
    with fakecontainerd.running(tmp_path / "c.sock") as made:
        made.add(
            *(container(container_id, WAS, name) for name, container_id in IDS.items()), sandbox("s" * 64)
        )
        yield made


@pytest.fixture
def document(tmp_path: Path, run: Run) -> Path:
    path = tmp_path / "n.json"
    made_document(run, path)
    return path


def made_document(run: Run, path: Path, **edits: Callable[[Json], None]) -> None:
    """Save the document of the three pods; ``edits`` change it and leave its digest."""
    rows = [{**record(int(WAS, 16), name), "id": container_id} for name, container_id in IDS.items()]
    (path.parent / "records.json").write_text(json.dumps({"containers": rows}))
    pods = as_json(*(pod(name=name, status={"phase": "Running"}) for name in NAMES), node(f"v{OLD}"))
    words = ("normalize", "--to", NEW, "-f", "-", "--recorded", path.parent / "records.json", "-q")
    result = run(*words, "--out", path, "-o", "name", stdin=pods)
    assert result.code == 0, result.err
    assert len(result.out.splitlines()) == len(NAMES)
    for edit in edits.values():
        content = json.loads(path.read_text())
        edit(content)
        path.write_text(json.dumps(content))


def words(action: str, document: Path, *more: object) -> list[object]:
    endpoint = () if "--runtime-endpoint" in more else ("--runtime-endpoint", document.parent / "c.sock")
    return ["normalize", action, document, "--node-name", "n1", *endpoint, "-o", "json", *more]


def states(result: Result) -> dict[str, int]:
    assert result.out, result.err
    SCHEMA.validate(result.document)
    return {key: number for key, number in result.document["summary"].items() if number}


def hashes(fake: Fake) -> set[str]:
    return {hash_in(fake.kept[container_id]) for container_id in IDS.values()}


def test_nothing_is_written_by_default(fake: Fake, document: Path, run: Run) -> None:
    before = dict(fake.kept)
    result = run(*words("apply", document))
    assert (result.code, states(result)) == (0, {"ready": 3})
    assert "--write does it" in result.err
    assert fake.kept == before
    assert sorted(path.name for path in document.parent.iterdir()) == ["c.sock", "n.json", "records.json"]


def test_there_and_back(fake: Fake, document: Path, run: Run) -> None:
    before = dict(fake.kept)
    result = run(*words("apply", document, "--write"))
    assert (result.code, states(result)) == (0, {"rewritten": 3})
    assert hashes(fake) == {IS}
    for container_id, stored in before.items():  # 8 bytes of each, at most, are other ones
        assert fake.kept[container_id].replace(IS.encode(), WAS.encode()) == stored.replace(
            IS.encode(), WAS.encode()
        )
    undo = document.with_name("n.json.undo")
    assert undo.stat().st_mode & 0o777 == 0o600
    waits = run(*words("check", document))
    assert (waits.code, states(waits)) == (2, {"not_yet": 3})
    fake.restart()
    seen = run(*words("check", document))
    assert (seen.code, states(seen)) == (0, {"shown": 3})
    assert states(run(*words("apply", document, "--write"))) == {"already": 3}
    assert states(run(*words("undo", document))) == {"ready": 3}
    assert hashes(fake) == {IS}
    assert states(run(*words("undo", document, "--write"))) == {"restored": 3}
    assert fake.kept == before
    assert states(run(*words("undo", document, "--write"))) == {"already": 3}


def test_what_is_another_one_now_is_skipped(fake: Fake, document: Path, run: Run) -> None:
    other = container(IDS["p"], "7", "p")
    newer = container("f" * 64, WAS, "q", created=9)
    del fake.kept[IDS["r"]]
    fake.add(other, newer)
    result = run(*words("apply", document, "--write"))
    assert (result.code, states(result)) == (0, {"skipped": 3})
    assert [row["why"] for row in result.document["items"]] == [
        "another hash is recorded than when the document was made",
        "there is a newer container of its name",
        "there is no such container any more",
    ]
    assert not document.with_name("n.json.undo").exists()


def test_another_pods_container_with_that_id_is_skipped(fake: Fake, document: Path, run: Run) -> None:
    fake.add(container(IDS["p"], WAS, "x"))
    assert states(run(*words("apply", document, "--write"))) == {"rewritten": 2, "skipped": 1}


def test_what_does_not_run_is_skipped(fake: Fake, document: Path, run: Run) -> None:
    fake.running = False
    assert states(run(*words("apply", document, "--write"))) == {"skipped": 3}


def test_a_node_without_any_of_them_is_refused(fake: Fake, document: Path, run: Run) -> None:
    fake.kept = {"s" * 64: fake.kept["s" * 64]}
    fake.restart()
    result = run(*words("apply", document, "--write"))
    assert (result.code, "no container of n1 is on this node" in result.err) == (1, True)


def test_a_runtime_that_fails_in_the_middle_leaves_what_apply_takes_up(
    fake: Fake, document: Path, run: Run
) -> None:
    updates = iter([None, (14, "shutting%20down")])
    fake.fail = lambda method: next(updates) if method.endswith("/Update") else None
    result = run(*words("apply", document, "--write"))
    assert result.code == 1
    assert "shutting down; 1 of 3 were rewritten: apply again goes on, undo goes back" in result.err
    assert hashes(fake) == {WAS, IS}
    fake.fail = lambda _: None
    before = document.with_name("n.json.undo").read_bytes()
    assert states(run(*words("apply", document, "--write"))) == {"rewritten": 2, "already": 1}
    assert (
        json.loads(before)["entries"] == json.loads(document.with_name("n.json.undo").read_text())["entries"]
    )
    assert states(run(*words("undo", document, "--write"))) == {"restored": 3}
    assert hashes(fake) == {WAS}


def test_a_container_that_changes_meanwhile_is_skipped(fake: Fake, document: Path, run: Run) -> None:
    def change(method: str) -> None:
        if method.endswith("/Get"):
            fake.kept[IDS["p"]] = container(IDS["p"], "9", "p")

    fake.fail = change
    result = run(*words("apply", document, "--write"))
    assert states(result) == {"rewritten": 2, "skipped": 1}
    assert hash_in(fake.kept[IDS["p"]]) == "9"


def test_undo_skips_what_changes_meanwhile_and_says_how_far_it_came(
    fake: Fake, document: Path, run: Run
) -> None:
    assert run(*words("apply", document, "--write")).code == 0
    updates = iter([None, (14, "shutting%20down")])
    fake.fail = lambda method: next(updates) if method.endswith("/Update") else None
    result = run(*words("undo", document, "--write"))
    assert (result.code, "shutting down; 1 of 3 were restored: undo again goes on" in result.err) == (1, True)

    def change(method: str) -> None:
        if method.endswith("/Get"):
            fake.kept[IDS["p"]] = container(IDS["p"], "9", "p")

    fake.fail = change
    assert states(run(*words("undo", document, "--write"))) == {"already": 1, "restored": 1, "skipped": 1}
    assert hash_in(fake.kept[IDS["p"]]) == "9"


def test_undo_changes_no_record_that_somebody_else_wrote(fake: Fake, document: Path, run: Run) -> None:
    assert run(*words("apply", document, "--write")).code == 0
    fake.add(container(IDS["p"], "9", "p"))
    touched = fake.kept[IDS["q"]].replace(b'"a": "<>"', b'"a": "><"')
    fake.kept[IDS["q"]] = touched
    del fake.kept[IDS["r"]]
    result = run(*words("undo", document, "--write"))
    assert states(result) == {"restored": 1, "skipped": 2}
    assert fake.kept[IDS["q"]] == touched.replace(IS.encode(), WAS.encode())
    assert hash_in(fake.kept[IDS["p"]]) == "9"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda fake: fake.shown.update({IDS["p"]: "9"}), "the runtime shows another hash"),
        (lambda fake: setattr(fake, "started", 1), "it started again since"),
        (lambda fake: fake.shown.clear(), "the runtime shows no such container that runs"),
        (lambda fake: setattr(fake, "running", False), "the runtime shows no such container that runs"),
    ],
)
def test_a_check_fails_where_a_container_is_another_one(
    fake: Fake, document: Path, run: Run, change: Callable[[Fake], object], why: str
) -> None:
    assert run(*words("apply", document, "--write")).code == 0
    fake.restart()
    change(fake)
    result = run(*words("check", document))
    assert result.code == 1
    assert why in [row["why"] for row in result.document["items"]]


@pytest.mark.parametrize("action", ["check", "undo"])
def test_without_an_undo_file_nothing_was_done(fake: Fake, document: Path, run: Run, action: str) -> None:
    result = run(*words(action, document))
    assert (result.code, "n.json.undo: missing" in result.err) == (1, True)
    assert fake.calls == []


@pytest.mark.parametrize("action", ["apply", "check", "undo"])
@pytest.mark.parametrize("flag", ["--out", "--report"])
def test_no_result_replaces_the_undo_file(
    fake: Fake, document: Path, run: Run, action: str, flag: str
) -> None:
    undo = document.with_name("n.json.undo")
    (document.parent / "link").symlink_to(document.parent)
    place = f"{document.parent}/link/n.json.undo"
    more = (flag, place if flag == "--out" else f"json={place}")
    if action != "apply":
        assert run(*words("apply", document, "--write")).code == 0
    before, calls = undo.read_bytes() if undo.exists() else None, list(fake.calls)
    result = run(*words(action, document, *more, *(() if action == "check" else ("--write",))))
    assert (result.code, f"{flag} {place}: that is what undo needs" in result.err) == (64, True), result.err
    assert (undo.read_bytes() if undo.exists() else None, fake.calls) == (before, calls)


@pytest.mark.parametrize("action", ["apply", "check", "undo"])
def test_a_document_beside_which_nothing_can_be_kept_is_refused(
    fake: Fake, document: Path, run: Run, action: str
) -> None:
    os.mkfifo(pipe := document.parent / "pipe")
    for file in ("-", "https://example.invalid/n.json", pipe):
        command = [file if word is document else word for word in words(action, document)]
        result = run(*command, stdin=document.read_bytes())
        assert (result.code, "want a file of this node" in result.err) == (64, True), result.err
    assert fake.calls == []


def edited(content: Json) -> None:
    content["items"][0]["record"]["newHash"] = 1


def twice(content: Json) -> None:
    from hashcompat.core.model.results import DocumentDigest
    from hashcompat.sources.files.saved import line

    content["items"].append(content["items"][0])
    digest = DocumentDigest()
    for item in content["items"]:
        digest.add(line(item))
    content["digest"] = digest.of(content)


@pytest.mark.parametrize(("edit", "why"), [(edited, "it was edited"), (twice, "is in it twice")])
def test_a_document_that_is_not_right_is_refused(
    fake: Fake, tmp_path: Path, run: Run, edit: Callable[[Json], None], why: str
) -> None:
    path = tmp_path / "n.json"
    made_document(run, path, edit=edit)
    result = run(*words("apply", path, "--write"))
    assert (result.code, why in result.err) == (1, True), result.err
    assert fake.calls == []


@pytest.mark.usefixtures("fake")
def test_a_document_of_other_nodes_names_them(document: Path, run: Run) -> None:
    command = [word if word != "n1" else "n2" for word in words("apply", document)]
    result = run(*command)
    assert (result.code, "no node n2 in it; it is about n1" in result.err) == (1, True)


@pytest.mark.usefixtures("fake")
def test_pods_on_no_node_are_not_named_as_one(tmp_path: Path, run: Run) -> None:
    path, free = tmp_path / "n.json", pod(name="free", status={"phase": "Running"})
    free["spec"].pop("nodeName")
    (tmp_path / "records.json").write_text(json.dumps({"containers": [record(int(WAS, 16), NAMES[0])]}))
    pods = as_json(pod(name=NAMES[0], status={"phase": "Running"}), free, node(f"v{OLD}"))
    command = ("normalize", "--from", OLD, "--to", NEW, "-f", "-", "--recorded", tmp_path / "records.json")
    assert run(*command, "--out", path, stdin=pods).code == 0
    assert "" in [host["name"] for host in json.loads(path.read_text())["spec"]["nodes"]]
    result = run(*["n2" if word == "n1" else word for word in words("apply", path)])
    assert (result.code, "it is about n1;" in result.err) == (1, True)


def test_an_old_document_is_refused(document: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(time.time()) - 90_000))
    made_document(run, document)
    result = run(*words("apply", document))
    assert (result.code, "it is 25 h old" in result.err) == (1, True)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(time.time()) + 9_000))
    made_document(run, document)
    assert "is in the future" in run(*words("apply", document)).err


def test_a_signature_is_asked_for_by_its_key(fake: Fake, document: Path, run: Run) -> None:
    (key := document.parent / "key").write_text("k" * 32)
    result = run(*words("apply", document, "--verify-key", key))
    assert (result.code, "$.signature" in result.err) == (1, True)
    assert fake.calls == []


@pytest.mark.parametrize(
    ("version", "why"),
    [("1.5.18", "was not tried with containerd 1.5.18"), ("1.6.12", "forgets the IPs of its sandboxes")],
)
def test_a_runtime_that_was_not_tried_is_refused(
    fake: Fake, document: Path, run: Run, version: str, why: str
) -> None:
    fake.version = version
    result = run(*words("apply", document, "--write"))
    assert (result.code, why in result.err) == (1, True)
    assert hashes(fake) == {WAS}
    taken = run(*words("apply", document, "--write", "--untested-runtime"))
    assert taken.code == (0 if version == "1.5.18" else 1)


def test_a_kubelet_that_starts_in_the_middle_ends_the_run(
    fake: Fake, document: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = iter([None, InputError("a kubelet runs (process 1); stop it first")])

    def look() -> None:
        if error := next(looks):
            raise error

    monkeypatch.setattr(runtimes, "check_kubelet", look)
    result = run(*words("apply", document, "--write"))
    assert (result.code, "0 of 3 were rewritten" in result.err) == (1, True)
    assert hashes(fake) == {WAS}


def test_a_second_run_at_the_same_time_is_refused(fake: Fake, document: Path, run: Run) -> None:
    with runtimes.alone(str(document)):
        result = run(*words("apply", document, "--write"))
    assert (result.code, "another process" in result.err) == (1, True)
    assert fake.calls == []


@pytest.mark.usefixtures("fake")
def test_an_undo_file_without_end_is_refused(
    document: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(*words("apply", document, "--write")).code == 0
    monkeypatch.setattr(apply, "_LONGEST", 100)
    result = run(*words("undo", document, "--write"))
    assert (result.code, "more than 100 bytes" in result.err) == (1, True)


@pytest.mark.usefixtures("fake")
def test_an_undo_file_that_others_can_read_is_refused(document: Path, run: Run) -> None:
    assert run(*words("apply", document, "--write")).code == 0
    document.with_name("n.json.undo").chmod(0o644)
    result = run(*words("undo", document, "--write"))
    assert (result.code, "not a file that is yours alone" in result.err) == (1, True)
    document.with_name("n.json.undo").chmod(0o600)
    document.with_name("n.json.undo").write_text("{}")
    assert "not what hashcompat normalize apply writes" in run(*words("undo", document)).err


@pytest.mark.usefixtures("fake")
def test_the_undo_file_of_another_document_is_refused(document: Path, run: Run) -> None:
    assert run(*words("apply", document, "--write")).code == 0
    time.sleep(1.1)  # the time in it makes another digest
    made_document(run, document)
    result = run(*words("apply", document, "--write"))
    assert (result.code, "of another document or node" in result.err) == (1, True)


def test_options_of_the_document_do_not_go_with_its_actions(document: Path, run: Run) -> None:
    result = run("normalize", "--to", NEW, "apply", document)
    assert (result.code, "--to does not go with apply" in result.err) == (64, True)
    assert run("normalize", "other", document).code == 64


def test_root_alone_may_write(document: Path, run: Run, fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    result = run(*words("apply", document, "--write"))
    assert (result.code, "only root may rewrite" in result.err) == (1, True)
    assert hashes(fake) == {WAS}


def test_what_is_not_containerd_is_refused(document: Path, run: Run) -> None:
    path = document.parent / "c.sock"
    assert "cannot ask the runtime" in run(*words("apply", document)).err
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()
        assert "cannot ask" in run(*words("apply", document, "--runtime-endpoint", document)).err


@pytest.mark.usefixtures("untraced")
def test_many_containers_are_read_and_written(fake: Fake, run: Run, tmp_path: Path) -> None:
    """200 containers, in answers of many frames, within the time that a node may take."""
    names = [f"m{place}" for place in range(200)]
    rows = [{**record(int(WAS, 16), name), "id": identity(name)} for name in names]
    (tmp_path / "records.json").write_text(json.dumps({"containers": rows}))
    pods = as_json(*(pod(name=name, status={"phase": "Running"}) for name in names), node(f"v{OLD}"))
    document = tmp_path / "many.json"
    command = ("normalize", "--to", NEW, "-f", "-", "--recorded", tmp_path / "records.json", "-q")
    assert run(*command, "--out", document, "-o", "name", stdin=pods).code == 0
    fake.add(*(container(identity(name), WAS, name) for name in names))
    result: Any = run(*words("apply", document, "--write"))
    assert states(result) == {"rewritten": 200}


def test_a_check_restarts_the_runtime_where_no_kubelet_runs(
    fake: Fake, document: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kubelet of the old release would find other hashes than its own."""
    assert run(*words("apply", document, "--write")).code == 0
    monkeypatch.setattr(NodeRuntime, "restart", lambda _: fake.restart())

    def runs() -> None:
        raise InputError("a kubelet runs")

    with monkeypatch.context() as patch:
        patch.setattr(runtimes, "check_kubelet", runs)
        refused = run(*words("check", document, "--restart-runtime"))
    assert (refused.code, "a kubelet runs" in refused.err) == (1, True)
    assert states(run(*words("check", document))) == {"not_yet": 3}
    assert states(run(*words("check", document, "--restart-runtime"))) == {"shown": 3}
