"""Records rewritten in a real Docker with live-restore: the same processes, with another label."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import hashcompat
from tests.helpers import daemons, processes, runtimes
from tests.helpers.daemons import IMAGE, Node
from tests.helpers.pods import Json, pod
from tests.helpers.program import Result, Run
from tests.suites.runtime import rewriting
from tests.suites.runtime.rewriting import labels

pytestmark = pytest.mark.runtime

OLD, NEW = "1.15.12", "1.16.15"
LABEL = "annotation.io.kubernetes.container.hash"
NUMBER = 10


class Lab:
    """The node, and Docker's daemon, which is stopped and started again."""

    def __init__(self, node: Node, stack: ExitStack) -> None:
        self.node, self.stack = node, stack
        self.document = node.directory / "n.json"
        self.pods = [
            pod(spec(at), name=f"p{at}", node="lab", status={"phase": "Running"}) for at in range(NUMBER)
        ]

    def stop(self) -> None:
        daemons.stop(f"--host=unix://{self.node.docker_socket}")

    def start(self) -> None:
        self.node.docker_socket.unlink(missing_ok=True)
        command = [*daemons.dockerd(self.node.directory), "--live-restore"]
        self.stack.enter_context(processes.running(command, self.node.directory / "dockerd-again.log"))
        daemons.wait(self.node.docker_socket)

    def inspected(self) -> list[Any]:
        ids = self.node.docker("ps", "-aq", "--no-trunc").split()
        containers: list[Any] = json.loads(self.node.docker("inspect", *ids))
        return containers

    def seen(self) -> dict[str, tuple[object, ...]]:
        rows = self.inspected()
        return {
            row["Id"]: (row["Config"]["Labels"][LABEL], row["State"]["Pid"], row["State"]["StartedAt"])
            for row in rows
        }

    def make(self, run: Run) -> Result:
        (self.node.directory / "records.json").write_text(json.dumps(self.inspected()))
        objects = {"apiVersion": "v1", "kind": "List", "items": self.pods}
        (self.node.directory / "pods.json").write_text(json.dumps(objects))
        words = ("normalize", "--from", OLD, "--to", NEW, "-f", self.node.directory / "pods.json")
        recorded = ("--recorded", self.node.directory / "records.json")
        return run(*words, *recorded, "--out", self.document, "-o", "json", "-q")

    def words(self, action: str, *more: object) -> list[object]:
        place = (
            "--runtime-root",
            self.node.directory / "docker",
            "--runtime-endpoint",
            self.node.docker_socket,
        )
        node = ("--node-name", "lab", "--runtime", "docker")
        return ["normalize", action, self.document, *node, *place, "-o", "json", *more]


def spec(at: int) -> Json:
    return {"name": "c", "image": IMAGE, "args": [str(at)]}


@pytest.fixture
def lab(monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    with (
        tempfile.TemporaryDirectory(prefix="hc-", ignore_cleanup_errors=True) as directory,
        daemons.node(Path(directory)) as node,
        ExitStack() as stack,
    ):
        made = Lab(node, stack)
        made.stop()
        made.start()
        for at in range(NUMBER):
            told = {
                **labels(f"p{at}", "c"),
                "io.kubernetes.docker.type": "container",
                LABEL: f"{hashcompat.container_hash(spec(at), OLD).value:x}",
            }
            flags = [f"--label={key}={value}" for key, value in told.items()]
            name = f"k8s_c_p{at}_ns_uid-p{at}_0"
            node.docker("run", "-d", "--network=none", f"--name={name}", *flags, IMAGE)
        try:
            yield made
        finally:
            daemons.remove_containers(node)


class BelowCri(Lab):
    """The node, whose containers were created through cri-dockerd."""

    def __init__(self, node: Node, stack: ExitStack, seen: Node) -> None:
        super().__init__(node, stack)
        self.cri = rewriting.Lab(seen, stack, rewriting.containers(3, 3))
        for manifest in self.cri.pods:
            rewriting.create(seen, manifest)
        self.document = self.cri.document

    def make(self, run: Run) -> Result:
        return self.cri.make(run)


def states(result: Result) -> dict[str, int]:
    assert result.out, result.err
    return {key: number for key, number in result.document["summary"].items() if number}


def test_there_and_back(lab: Lab, run: Run) -> None:
    made = lab.make(run)
    assert made.code == 0, made.err
    assert made.document["summary"]["records"] == NUMBER
    before = lab.seen()
    refused = run(*lab.words("apply", "--write", "--live-restore", "--untested-runtime"))
    assert (refused.code, "dockerd runs" in refused.err) == (1, True), refused.err
    lab.stop()
    done = run(*lab.words("apply", "--write", "--live-restore", "--untested-runtime"))
    assert (done.code, states(done)) == (0, {"rewritten": NUMBER}), done.err
    lab.start()
    wanted = {f"{hashcompat.container_hash(spec(at), NEW).value:x}" for at in range(NUMBER)}
    after = lab.seen()
    assert {row[0] for row in after.values()} == wanted
    assert {container_id: row[1:] for container_id, row in after.items()} == {
        container_id: row[1:] for container_id, row in before.items()
    }
    seen = run(*lab.words("check"))
    assert (seen.code, states(seen)) == (0, {"shown": NUMBER}), seen.out
    lab.stop()
    undone = run(*lab.words("undo", "--write", "--live-restore", "--untested-runtime"))
    assert (undone.code, states(undone)) == (0, {"restored": NUMBER}), undone.err
    lab.start()
    assert lab.seen() == before


if runtimes.CRI_DOCKERD in runtimes.KNOWN:

    def test_there_and_back_below_cri_dockerd(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
        with (
            tempfile.TemporaryDirectory(prefix="hc-", ignore_cleanup_errors=True) as directory,
            daemons.node(Path(directory)) as node,
            ExitStack() as stack,
        ):
            with_restore = Lab(node, stack)
            with_restore.stop()
            with_restore.start()
            lab = BelowCri(node, stack, stack.enter_context(runtimes.cri_dockerd(node)))
            try:
                before = lab.cri.shown()
                made = lab.make(run)
                assert made.document["summary"]["records"] == 9, made.out[-1500:]
                lab.stop()
                done = run(*lab.words("apply", "--write", "--live-restore", "--untested-runtime"))
                assert (done.code, states(done)) == (0, {"rewritten": 9}), done.err
                lab.start()
                after = lab.cri.shown()
                assert {name: row[1:] for name, row in after.items()} == {
                    name: row[1:] for name, row in before.items()
                }
                assert all(after[name][0] != before[name][0] for name in before)
                assert states(run(*lab.words("check"))) == {"shown": 9}
                lab.stop()
                undone = run(*lab.words("undo", "--write", "--live-restore", "--untested-runtime"))
                assert (undone.code, states(undone)) == (0, {"restored": 9}), undone.err
                lab.start()
                assert lab.cri.shown() == before
            finally:
                daemons.remove_containers(node)
