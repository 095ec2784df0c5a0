"""CRI-O's own files: the hash is in two of their annotations, and nothing else changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hashcompat
from hashcompat.core.errors import InputError
from hashcompat.output.rewriting import files, runtimes
from tests.helpers import fakecontainerd
from tests.helpers.pods import PLAIN, Json, as_json, node, pod
from tests.helpers.program import Result, Run
from tests.helpers.upgrades import record

OLD, NEW = "1.30.14", "1.31.14"
WAS, IS = (f"{hashcompat.container_hash(PLAIN, release).value:x}" for release in (OLD, NEW))
ID, SANDBOX = "a" * 64, "b" * 64
HASH = "io.kubernetes.container.hash"
STARTED = "2020-01-01T00:00:01.5Z"


def config(kind: str = "container", recorded: str = WAS) -> str:
    """Return a spec as CRI-O writes it, with Go's escapes."""
    annotations = json.dumps({HASH: recorded, "odd": "<&>"}, separators=(",", ":"))
    content = {
        "ociVersion": "1.2.0",
        "process": {"args": ["a"]},
        "annotations": {
            "io.kubernetes.container.name": "c",
            "io.kubernetes.pod.name": "p",
            "io.kubernetes.pod.namespace": "ns",
            "io.kubernetes.pod.uid": "uid-p",
            "io.kubernetes.cri-o.ContainerType": kind,
            "io.kubernetes.cri-o.Created": "2020-01-01T00:00:00.1Z",
            files.ANNOTATIONS: annotations,
            HASH: recorded,
        },
    }
    text = json.dumps(content, indent="\t")
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


class Node:
    """A storage of CRI-O with a container and a sandbox."""

    def __init__(self, directory: Path, run: Run) -> None:
        self.directory, self.run, self.root = directory, run, directory / "storage"
        self.document, self.config = directory / "n.json", self._file(ID)
        self.write(self.config, config())
        self.write(self._file(SANDBOX), config("sandbox"))
        (self.root / "overlay-containers" / "containers.json").write_text("[]")
        self.state()

    def _file(self, identity: str) -> Path:
        return self.root / "overlay-containers" / identity / "userdata" / "config.json"

    @staticmethod
    def write(path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def state(self, **changed: object) -> None:
        state = {"id": ID, "status": "running", "pid": 7, "started": STARTED, **changed}
        self.config.with_name("state.json").write_text(json.dumps(state))

    def make(self) -> None:
        rows = {"containers": [{**record(int(WAS, 16)), "id": ID}]}
        (self.directory / "records.json").write_text(json.dumps(rows))
        host: Json = node(f"v{OLD}")
        host["status"]["nodeInfo"]["containerRuntimeVersion"] = "cri-o://1.36.2"
        pods = as_json(pod(status={"phase": "Running"}), host)
        words = ("normalize", "--to", NEW, "-f", "-", "--recorded", self.directory / "records.json", "-q")
        result = self.run(*words, "--out", self.document, "-o", "name", stdin=pods)
        assert result.out == "ns/p/c\n", result.err

    def call(self, action: str, *more: object) -> Result:
        places = ("--runtime-root", self.root, "--runtime-endpoint", self.directory / "crio.sock")
        words = ("normalize", action, self.document, "--node-name", "n1", *places, "-o", "json")
        return self.run(*words, *more)


WRITE = ("--write", "--untested-runtime")


@pytest.fixture
def made(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Node:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    monkeypatch.setattr(runtimes, "check_root", lambda: None)
    monkeypatch.setattr(runtimes, "check_kubelet", lambda: None)
    monkeypatch.setattr(files, "lives", lambda pid, _: pid == 7)
    crio_node = Node(tmp_path, run)
    crio_node.make()
    return crio_node


def states(result: Result) -> dict[str, int]:
    assert result.out, result.err
    return {key: number for key, number in result.document["summary"].items() if number}


def test_there_and_back(made: Node) -> None:
    before = made.config.read_bytes()
    assert states(made.call("apply")) == {"ready": 1}
    result = made.call("apply", *WRITE)
    assert (result.code, states(result)) == (0, {"rewritten": 1}), result.err
    assert made.config.read_bytes() == before.replace(WAS.encode(), IS.encode())
    assert before.count(WAS.encode()) == 2
    assert states(made.call("apply", *WRITE)) == {"already": 1}
    assert states(made.call("undo", *WRITE)) == {"restored": 1}
    assert made.config.read_bytes() == before
    assert sorted(path.name for path in made.config.parent.iterdir()) == ["config.json", "state.json"]


def test_a_check_asks_the_runtime_itself(made: Node) -> None:
    assert made.call("apply", *WRITE).code == 0
    with fakecontainerd.running(made.directory / "crio.sock") as fake:
        fake.name, fake.version, fake.started = "cri-o", "1.36.3", 1_577_836_801_500_000_000
        fake.add(fakecontainerd.container(ID, WAS))
        assert (made.call("check").code, states(made.call("check"))) == (2, {"not_yet": 1})
        assert made.call("apply").document["spec"]["runtime"] == "cri-o://1.36.3"
        fake.shown[ID] = IS
        assert (made.call("check").code, states(made.call("check"))) == (0, {"shown": 1})


@pytest.mark.parametrize("state", [{"pid": 8}, {"status": "stopped"}])
def test_what_does_not_run_is_skipped(made: Node, state: Json) -> None:
    made.state(**state)
    assert states(made.call("apply", *WRITE)) == {"skipped": 1}


def test_a_record_that_is_not_written_as_crio_does_is_skipped(made: Node) -> None:
    """One that cannot be changed safely keeps no other from being rewritten, or put back."""
    assert made.call("apply", *WRITE).code == 0
    odd = made.config.read_text().replace('\\":\\"', '\\": \\"')
    made.config.write_text(odd)
    undone = made.call("undo", *WRITE)
    assert states(undone) == {"skipped": 1}
    assert "written in a way" in undone.document["items"][0]["why"]
    made.config.write_text(odd.replace(IS, WAS))
    assert states(made.call("apply", *WRITE)) == {"skipped": 1}
    assert made.config.read_text() == odd.replace(IS, WAS)


def test_a_storage_that_is_not_there_is_refused(made: Node, tmp_path: Path) -> None:
    made.root = tmp_path / "none"
    result = made.call("apply")
    assert (result.code, "no storage of CRI-O" in result.err) == (1, True)


def test_a_container_that_is_removed_meanwhile_is_an_error(made: Node) -> None:
    place = files.CriO(str(made.root))
    (container,) = place.find(())
    made.config.unlink()
    with pytest.raises(InputError, match="no such container"):
        place.replace(container, b"")


def test_a_record_that_cannot_be_read_keeps_no_other_from_its_own(made: Node) -> None:
    other = made.root / "overlay-containers" / ("c" * 64) / "userdata" / "config.json"
    made.write(other, "{")
    result = made.call("apply", *WRITE)
    assert (result.code, states(result)) == (0, {"rewritten": 1, "skipped": 1}), result.err
    assert [str(other) in row["why"] for row in result.document["items"]] == [False, True]
    made.config.with_name("state.json").write_text("[]")
    undone = made.call("undo", *WRITE)
    assert states(undone) == {"skipped": 1}
    assert "not what CRI-O writes" in undone.document["items"][0]["why"]
    assert states(made.call("apply", *WRITE)) == {"skipped": 2}


def test_only_what_a_kubelet_compares_has_to_be_there() -> None:
    content = json.loads(config())
    content["annotations"].pop(HASH)
    value = json.dumps(content, separators=(",", ":")).encode()
    container = files.crio_container(ID, value)
    assert container is not None
    assert (container.hash, container.created % 10**9) == (WAS, 10**8)
    assert files.CriO.with_hash(value, WAS, IS) == value.replace(WAS.encode(), IS.encode())
