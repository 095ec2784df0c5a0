"""Docker's own files, changed while dockerd does not run; and the manifests of static pods beside them."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest

import hashcompat
from hashcompat.core.model.results import DocumentDigest
from hashcompat.output.rewriting import RuntimeAnswer, files, lives, newest, runtimes
from hashcompat.sources.files.saved import line
from tests.helpers.pods import PLAIN, Json
from tests.helpers.program import Result, Run
from tests.helpers.upgrades import record

OLD, NEW = "1.15.12", "1.16.15"
ID = "a" * 64
WAS = f"{hashcompat.container_hash(PLAIN, OLD, keep_empty=True).value:x}"
MANIFEST = """# of the pod
apiVersion: v1
kind: Pod
metadata:
  name: p  # its name
  namespace: ns
spec:
  hostNetwork: true
  containers:
  - {name: c, image: i}
"""

STARTED = "2020-01-01T00:00:01Z"


@pytest.fixture(autouse=True)
def _root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    monkeypatch.setattr(runtimes, "check_root", lambda: None)
    monkeypatch.setattr(runtimes, "check_kubelet", lambda: None)
    monkeypatch.setattr(files, "lives", lambda pid, _: pid == 7)


class Node:
    """A data directory of Docker with one container, and a manifest."""

    def __init__(self, directory: Path, run: Run, manifest: str = MANIFEST) -> None:
        self.directory, self.run = directory, run
        self.document, self.root = directory / "n.json", directory / "docker"
        self.manifests = directory / "manifests"
        self.manifests.mkdir()
        (self.manifests / "p.yaml").write_text(manifest)
        inventory = hashcompat.load_static_pods(self.manifests, "n1")
        (row,) = hashcompat.hashes(inventory, [OLD, NEW]).items
        self.uid = str(row.uids[OLD].uid)
        self.old, self.new = (f"{row.hashes[release].value:x}" for release in (OLD, NEW))
        self.config = self.root / "containers" / ID / "config.v2.json"
        self.config.parent.mkdir(parents=True)
        self.write()

    def write(self, **state: object) -> None:
        labels = {
            "io.kubernetes.container.name": "c",
            "io.kubernetes.pod.name": "p-n1",
            "io.kubernetes.pod.namespace": "ns",
            "io.kubernetes.pod.uid": self.uid,
            "io.kubernetes.docker.type": "container",
            files.LABEL: self.old,
        }
        content: Json = {
            "ID": ID,
            "Created": "2020-01-01T00:00:00Z",
            "State": {"Running": True, "Pid": 7, "StartedAt": STARTED, **state},
            "Config": {"Env": ["A=<\\u0026>"], "Labels": labels},
        }
        self.config.write_text(json.dumps(content, separators=(",", ":")))
        self.config.chmod(0o640)

    def make(self) -> Path:
        row = {**record(int(self.old, 16), "p-n1", uid=self.uid), "id": ID}
        (self.directory / "records.json").write_text(json.dumps({"containers": [row]}))
        command = ("normalize", "--from", OLD, "--to", NEW, "--static-pod-dir", self.manifests)
        read = ("--node-name", "n1", "--recorded", self.directory / "records.json", "-q")
        result = self.run(*command, *read, "--out", self.document, "-o", "name")
        assert result.out == "ns/p-n1/c\n", result.err
        return self.document

    def words(self, action: str, *more: object) -> list[object]:
        place = ("--runtime", "docker", "--runtime-root", self.root)
        socket = ("--runtime-endpoint", self.directory / "docker.sock", "--static-pod-dir", self.manifests)
        return ["normalize", action, self.document, "--node-name", "n1", *place, *socket, "-o", "json", *more]


WRITE = ("--write", "--live-restore", "--untested-runtime")


@pytest.fixture
def node(tmp_path: Path, run: Run) -> Node:
    made = Node(tmp_path, run)
    made.make()
    return made


def states(result: Result) -> dict[str, int]:
    assert result.out, result.err
    return {key: number for key, number in result.document["summary"].items() if number}


def test_there_and_back(node: Node, run: Run) -> None:
    config, manifest = node.config.read_bytes(), node.manifests / "p.yaml"
    assert states(run(*node.words("apply"))) == {"ready": 2}
    result = run(*node.words("apply", *WRITE))
    assert (result.code, states(result)) == (0, {"rewritten": 2}), result.err
    assert node.config.read_bytes() == config.replace(node.old.encode(), node.new.encode())
    assert node.config.stat().st_mode & 0o777 == 0o640
    assert manifest.read_text() == MANIFEST.replace("  name: p  #", f'  uid: "{node.uid}"\n  name: p  #')
    assert states(run(*node.words("apply", *WRITE))) == {"already": 2}
    assert states(run(*node.words("undo", *WRITE))) == {"restored": 2}
    assert (node.config.read_bytes(), manifest.read_text()) == (config, MANIFEST)
    assert sorted(path.name for path in node.config.parent.iterdir()) == ["config.v2.json"]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_manifest_in_json_with_tabs_is_known_to_have_its_uid(tmp_path: Path, run: Run, mark: str) -> None:
    """A kubelet reads JSON as JSON, in which a tab may be where none may be in YAML."""
    pod = {
        "metadata": {"name": "p", "namespace": "ns"},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    }
    text = json.dumps({"apiVersion": "v1", "kind": "Pod", **pod}, indent=None if mark else "\t")
    node = Node(tmp_path, run, mark + text)
    node.make()
    assert states(run(*node.words("apply", *WRITE))) == {"rewritten": 2}
    path = node.manifests / "p.yaml"
    added = f'"uid":"{node.uid}",'
    assert path.read_text() == mark + text.replace('"metadata": {', f'"metadata": {{{added}')
    assert states(run(*node.words("apply", *WRITE))) == {"already": 2}
    assert states(run(*node.words("undo", *WRITE))) == {"restored": 2}
    assert path.read_text() == mark + text


def test_manifests_may_be_below_a_hidden_directory(tmp_path: Path, run: Run) -> None:
    (hidden := tmp_path / ".k8s").mkdir()
    node = Node(hidden, run)
    node.make()
    assert states(run(*node.words("apply", *WRITE))) == {"rewritten": 2}


@pytest.mark.parametrize(
    "path", ["p.yaml", "/m/../p.yaml", "/m//p.yaml", "//m/p.yaml", "/m/./p.yaml", "/m/.p"]
)
def test_what_is_the_path_of_no_manifest_is_refused(node: Node, run: Run, path: str) -> None:
    content = json.loads(node.document.read_text())
    content["spec"]["manifests"][0]["path"] = path
    digest = DocumentDigest()
    for item in content["items"]:
        digest.add(line(item))
    node.document.write_text(json.dumps({**content, "digest": digest.of(content)}))
    result = run(*node.words("apply"))
    assert (result.code, "want the absolute path of a manifest" in result.err) == (1, True), result.err


def test_a_file_that_dockerd_wrote_again_is_changed_in_that_one_label(node: Node, run: Run) -> None:
    assert run(*node.words("apply", *WRITE)).code == 0
    node.config.write_text(node.config.read_text().replace('"Pid":7', '"Pid":  7'))
    assert states(run(*node.words("undo", *WRITE))) == {"restored": 2}
    assert f'"{node.old}"' in node.config.read_text()
    assert '"Pid":  7' in node.config.read_text()


def test_a_manifest_that_was_edited_since_is_left_alone(node: Node, run: Run) -> None:
    manifest = node.manifests / "p.yaml"
    manifest.write_text(MANIFEST + "# edited\n")
    result = run(*node.words("apply", *WRITE))
    assert states(result) == {"rewritten": 1, "skipped": 1}
    assert manifest.read_text() == MANIFEST + "# edited\n"
    manifest.write_text(MANIFEST)
    assert states(run(*node.words("apply", *WRITE))) == {"rewritten": 1, "already": 1}
    manifest.write_text(manifest.read_text() + "# edited\n")
    undone = run(*node.words("undo", *WRITE))
    assert states(undone) == {"restored": 1, "skipped": 1}
    assert "it was edited since; remove its uid by hand" in [row["why"] for row in undone.document["items"]]


def test_a_check_fails_where_apply_left_something_alone(
    node: Node, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new kubelet restarts it, so the upgrade must not go on as if it were kept."""
    manifest, shown = node.manifests / "p.yaml", [node.new]
    monkeypatch.setattr(
        files,
        "answered",
        lambda _, wanted: {
            container_id: RuntimeAnswer(each, True, STARTED) for container_id in wanted for each in shown
        },
    )
    manifest.write_text(MANIFEST + "# edited\n")
    assert states(run(*node.words("apply", *WRITE))) == {"rewritten": 1, "skipped": 1}
    checked = run(*node.words("check"))
    assert (checked.code, states(checked)) == (1, {"shown": 1, "failed": 1})
    manifest.write_text(MANIFEST)
    assert run(*node.words("undo", *WRITE)).code == 0
    node.config.write_text(node.config.read_text().replace(f'"{node.old}"', '"9"'))
    node.document.with_name("n.json.undo").unlink()
    assert states(run(*node.words("apply", *WRITE))) == {"rewritten": 1, "skipped": 1}
    for shown[:], code, expected in (
        (["9"], 1, {"shown": 1, "failed": 1}),
        ([node.new], 0, {"shown": 2}),
        ([], 0, {"shown": 1, "skipped": 1}),
    ):
        checked = run(*node.words("check"))
        assert (checked.code, states(checked)) == (code, expected)


def test_a_directory_that_a_removed_container_left_is_passed_over(node: Node, run: Run) -> None:
    (node.root / "containers" / ("c" * 64) / "mounts").mkdir(parents=True)
    assert states(run(*node.words("apply", *WRITE))) == {"rewritten": 2}


def test_no_manifest_elsewhere_is_touched(node: Node, run: Run, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    words = node.words("apply", *WRITE)
    words[words.index(node.manifests)] = tmp_path / "other"
    result = run(*words)
    assert states(result) == {"rewritten": 1, "skipped": 1}
    assert (node.manifests / "p.yaml").read_text() == MANIFEST


def test_no_link_is_followed(node: Node, run: Run, tmp_path: Path) -> None:
    for path in (node.config, node.manifests / "p.yaml"):
        path.rename(tmp_path / path.name)
        path.symlink_to(tmp_path / path.name)
    result = run(*node.words("apply", *WRITE))
    assert (states(result), result.out.count("cannot be read")) == ({"skipped": 2}, 2)
    node.config.unlink()
    (tmp_path / "config.v2.json").rename(node.config)
    assert states(run(*node.words("apply", *WRITE))) == {"rewritten": 1, "skipped": 1}
    assert (tmp_path / "p.yaml").read_text() == MANIFEST


def test_without_live_restore_nothing_is_done(
    node: Node, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "daemon.json"
    monkeypatch.setattr(files, "_SETTINGS", str(settings))
    for text in (None, "{}", '{"live-restore": false}'):
        if text is not None:
            settings.write_text(text)
        result = run(*node.words("apply", "--write", "--untested-runtime"))
        assert (result.code, "no live-restore" in result.err) == (1, True)
    settings.write_text('{"live-restore": true}')
    assert run(*node.words("apply", "--write", "--untested-runtime")).code == 0


def test_a_dockerd_that_runs_is_refused(node: Node, run: Run) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(node.directory / "docker.sock"))
        listening.listen()
        result = run(*node.words("apply", *WRITE))
    assert (result.code, "dockerd runs" in result.err) == (1, True)


def test_a_container_whose_process_ended_with_dockerd_is_skipped(node: Node, run: Run) -> None:
    node.write(Pid=8)
    assert states(run(*node.words("apply", *WRITE))) == {"rewritten": 1, "skipped": 1}


def test_a_version_that_was_not_tried_is_refused(node: Node, run: Run) -> None:
    result = run(*node.words("apply", "--write", "--live-restore"))
    assert (result.code, "was not tried with" in result.err) == (1, True)


def test_a_process_is_a_containers_by_its_cgroup(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert not lives(os.getpid(), ID)
    assert not lives(0, ID)
    assert not lives("7", ID)
    assert not lives(1 << 22, ID)
    own = Path("/proc/self/cgroup").read_text()
    assert lives(os.getpid(), own.splitlines()[0][:3])


def test_the_newest_of_a_name_counts_however_short_its_time_is() -> None:
    """Go prints no zeros at the end of a fraction of a second."""
    times = [
        "2020-01-01T00:00:00Z",
        "2020-01-01T00:00:00.1Z",
        "2020-01-01T00:00:00.12Z",
        "2020-01-01T00:00:01Z",
    ]
    labels = {"io.kubernetes.docker.type": "container", "io.kubernetes.container.name": "c"}
    containers = []
    for number, time in enumerate(times):
        content = {"ID": str(number), "Created": time, "Config": {"Labels": labels}}
        containers.append(files.docker_container(str(number), json.dumps(content).encode()))
    assert [*newest([container for container in reversed(containers) if container]).values()] == ["3"]
    assert [*newest([container for container in containers[:3] if container]).values()] == ["2"]
