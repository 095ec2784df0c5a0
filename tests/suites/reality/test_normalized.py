"""Upstream's kubelets on one node, with rewritten records between them: what was taken up is kept."""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest

from scripts.golden import reality
from scripts.lib.paths import CACHE
from scripts.suites import containerd, kubelets
from scripts.suites.kubelets import Kubelet
from scripts.suites.standalone import NORMALIZED, SERVED, there_and_back
from tests.helpers import daemons
from tests.helpers.program import Run
from tests.suites.reality import lab as labs
from tests.suites.reality import pods, standalone, steps
from tests.suites.reality.collecting import collected
from tests.suites.reality.outcome import CONTAINER, NAME, RUNNING, newest, outcomes
from tests.suites.reality.pods import NODE, Json
from tests.suites.reality.standalone import Lab
from tests.suites.reality.test_reality import bared
from tests.suites.reality.test_standalone import calibrated

pytestmark = pytest.mark.normalized

Node = Lab | labs.Lab
"""A node without an API server, or with one."""

FOUND = CACHE / "normalized"
"""Where each run leaves its changes; copied to golden/normalized they are what the ordinary tests replay."""


def starts(lab: Node) -> dict[str, object]:
    """Return what shows, of each running container, that it is the same process: its start, by its id."""
    ids = [row["id"] for row in lab.look()[0] if row["state"] == RUNNING]
    if lab.docker:
        inspected: list[Any] = json.loads(lab.node.docker("inspect", *ids))
        return {row["Id"]: (row["State"]["StartedAt"], row["State"]["Pid"]) for row in inspected}
    shown = [json.loads(lab.node.cri("inspect", "-o", "json", container_id)) for container_id in ids]
    return {row["status"]["id"]: (row["status"]["startedAt"], row["info"]["pid"]) for row in shown}


def flags(lab: Node) -> list[object]:
    """Return the options by which the commands know the node's runtime."""
    place = lab.place if isinstance(lab, Lab) else ["--runtime-endpoint", lab.node.containerd_socket]
    return ["--node-name", NODE, *place]


def rewritten(lab: Node, run: Run, made: Json, directory: Path) -> Json:
    """Make the document of the node as it is, apply it, restart the runtime, and check."""
    directory.mkdir(parents=True, exist_ok=True)
    *_, (_, arguments) = reality.inputs(made, directory)
    document = directory / "normalization.json"
    words = [word for word in arguments[1:] if word not in ("-q", "json", "-o")]
    result = run("normalize", *words, "--out", document, "-o", "json", "-q")
    assert result.code == 0, result.err
    made_document: Json = result.document
    summary = made_document["summary"]
    if not summary["records"] + summary["manifests"]:
        return made_document
    more: list[object] = [*flags(lab), "-o", "json"]
    writing = ["--write", "--static-pod-dir", lab.manifests]
    if isinstance(lab, Lab) and lab.docker:
        lab.stop_docker()
        writing += ["--live-restore", "--untested-runtime"]
    applied = run("normalize", "apply", document, *more, *writing)
    assert applied.code == 0, applied.err
    done = Counter(row["state"] for row in applied.document["items"])
    assert done == {"rewritten": summary["records"] + summary["manifests"]}, applied.out
    lab.restart_runtime()
    checked = run("normalize", "check", document, *more)
    assert checked.code == 0, checked.out
    return made_document


def objects(lab: Node) -> list[Json]:
    """Return the nodes and pods that the API server has; none where there is no API server."""
    return [bared(manifest) for manifest in (*lab.nodes(), *lab.pods())] if isinstance(lab, labs.Lab) else []


def change(lab: Node, old: Kubelet, new: Kubelet, run: Run, directory: Path) -> Json:
    """Let the node go from one kubelet to the next, with its records rewritten in between."""
    lab.stop()
    given = {
        "from": old.name,
        "to": new.name,
        "flags": [*kubelets.flags(old, new), *(lab.flags if isinstance(lab, Lab) else ())],
        "disturbed": [],
        "objects": objects(lab),
        "records": collected(lab.node, lab.root, NODE_NAME=NODE),
        "manifests": {path.name: json.loads(path.read_text()) for path in sorted(lab.manifests.iterdir())},
        "staticPodPath": str(lab.manifests),
    }
    before, running = lab.look(), starts(lab)
    document = rewritten(lab, run, given, directory)
    assert starts(lab) == running
    lab.start(new)
    lab.wait(60)
    rows = outcomes(before, lab.look())
    kept = starts(lab)
    return {
        **given,
        "document": document,
        "after": collected(lab.node, lab.root, NODE_NAME=NODE),
        "observed": [row.document() for row in rows],
        "same": sum(kept.get(identity) == start for identity, start in running.items()),
        "running": len(running),
    }


def left(document: Json) -> set[tuple[str, str]]:
    return {(row["pod"], row["container"]) for row in document["items"] if row["leftAlone"]}


def wrong(made: Json) -> Iterable[str]:
    """Yield what did not happen as the document says."""
    not_kept = left(made["document"])
    for row in made["observed"]:
        name = row["pod"], row["container"]
        kept = row["outcome"] in ("kept", "idle", "started")
        if kept == (name in not_kept) or (row["podRecreated"] and name not in not_kept):
            yield f"{'/'.join(name)}: {row['outcome']}, recreated: {row['podRecreated']}"


@pytest.mark.parametrize("chain", NORMALIZED, ids=lambda chain: f"{chain[0].name}-{chain[1].name}")
def test_what_is_taken_up_is_kept(
    chain: tuple[Kubelet, ...], run: Run, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    kept_by_each(chain, "", run, tmp_path, record_property)


@pytest.mark.parametrize("runtime", standalone.RUNTIMES)
def test_what_is_taken_up_is_kept_in_a_runtime_that_debian_lacks(
    runtime: str, run: Run, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """Of the last two the tests are there where CRI_DOCKERD and CRIO name a program."""
    kept_by_each(there_and_back("1.30.14", "1.31.14"), runtime, run, tmp_path, record_property)


def kept_by_each(
    chain: tuple[Kubelet, ...],
    runtime: str,
    run: Run,
    directory: Path,
    record_property: Callable[[str, object], None],
) -> None:
    """Let a node go through kubelets, with its records rewritten before each."""
    os.environ.pop("SOURCE_DATE_EPOCH", None)
    for kubelet in chain:
        kubelets.built(kubelet)
    with (
        tempfile.TemporaryDirectory(prefix="hc-", ignore_cleanup_errors=True) as place,
        standalone.lab(Path(place), chain[0], runtime) as lab,
    ):
        if lab.docker:
            lab.live_restore()
        lab.start(chain[0])
        lab.wait()
        for number, (old, new) in enumerate(pairwise(chain)):
            made = change(lab, old, new, run, directory / str(number))
            names = filter(None, (f"{old.name}-to-{new.name}", runtime.replace(" ", "-")))
            reality.write(made, FOUND / f"{'-'.join(names)}.json.gz")
            record_property("observed_verdicts", len(made["observed"]))
            assert list(wrong(made)) == []
            assert made["same"] == made["running"] - len(left(made["document"])) >= 50
            summary = calibrated(lab, new, run, directory)
            assert summary["reproduced"] == summary["compared"] >= 40


LIVENESS: Json = {
    "name": "c",
    "livenessProbe": {
        "exec": {"command": ["/bin/sh", "-c", "! [ -e /dead ]"]},
        "periodSeconds": 1,
        "failureThreshold": 1,
    },
}


NEWER: Final = (there_and_back("1.30.14", "1.31.14"), containerd.SLICE)
"""Two kubelets, and the version of the containerd below them."""


@pytest.mark.parametrize(
    ("chain", "version"),
    [*((chain, "") for chain in SERVED), NEWER],
    ids=lambda value: value if isinstance(value, str) else f"{value[0].name}-{value[1].name}",
)
def test_what_is_taken_up_is_kept_beside_an_api_server(
    chain: tuple[Kubelet, ...],
    version: str,
    run: Run,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    os.environ.pop("SOURCE_DATE_EPOCH", None)
    for kubelet in chain:
        kubelets.built(kubelet)
    with (
        tempfile.TemporaryDirectory(prefix="hc-", ignore_cleanup_errors=True) as directory,
        labs.lab(Path(directory), containerd.built(version) if version else daemons.DEBIANS) as lab,
    ):
        labs.settle(lab, chain[0])
        lab.create(pods.pod("liveness-of-file", {"containers": [LIVENESS]}, nodeName=NODE))
        steps.kill_process(lab)  # so that there is a container that was restarted
        lab.wait()
        for number, (old, new) in enumerate(pairwise(chain)):
            place = tmp_path / str(number)
            made = change(lab, old, new, run, place)
            runtime = f"-containerd-{version}" if version else ""
            reality.write(made, FOUND / f"served-{old.name}-to-{new.name}{runtime}.json.gz")
            record_property("observed_verdicts", len(made["observed"]))
            *_, (plan, arguments) = reality.inputs(made, place)
            rows = reality.compare(plan, reality.planned([*arguments, "--assume-normalized"]), made)
            assert [str(row) for row in rows if not row.agrees] == []
            assert made["same"] == made["running"] - made["document"]["summary"]["killedAfter"] >= 100
        as_always(lab, chain[-1], run, tmp_path)


def as_always(lab: labs.Lab, kubelet: Kubelet, run: Run, directory: Path) -> None:
    """Let single containers end, and pods change, come and go: only they restart, and bear the new hashes."""
    happenings: dict[tuple[str, str], Callable[[labs.Lab], None]] = {
        ("process-killed", "killed"): steps.kill_process,
        ("image-changed", "changed"): steps.change_image,
        ("liveness-of-file", "c"): end_liveness,
    }
    for key, happen in happenings.items():
        before = newest(lab.containers(), NAME, CONTAINER)
        happen(lab)
        lab.wait()
        after = newest(lab.containers(), NAME, CONTAINER)
        created = {pair for pair, row in after.items() if row["id"] != before.get(pair, {}).get("id")}
        assert {pair for pair in created if "crash" not in pair[0]} == {key}
    before = newest(lab.containers(), NAME, CONTAINER)
    lab.api("DELETE", f"{labs.PODS}/plain-2")
    lab.create(pods.pod("plain-new", {}, nodeName=NODE))
    lab.wait()
    after = newest(lab.containers(), NAME, CONTAINER)
    came = (
        {name for name, _ in after.keys() - before.keys()},
        {name for name, _ in before.keys() - after.keys()},
    )
    came[0].discard("sidecar-not-started")  # it begins once its sidecar counts as started
    assert came == ({"plain-new"}, {"plain-2"})
    given = directory / "afterwards.json"
    given.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects(lab)}))
    (records := directory / "records.json").write_text(
        "\n".join(map(json.dumps, collected(lab.node, lab.root, NODE_NAME=NODE)))
    )
    place = ("--static-pod-dir", lab.manifests, "--node-name", NODE, "--recorded", records)
    result = run("verify", "--from", kubelet.release, "-f", given, *place, "-o", "json")
    assert result.code == 0, result.err
    summary = result.document["summary"]
    assert summary["reproduced"] == summary["compared"] >= 100


def end_liveness(lab: labs.Lab) -> None:
    identity = newest(lab.containers(), NAME, CONTAINER)["liveness-of-file", "c"]["id"]
    lab.node.cri("exec", identity, "/bin/busybox", "touch", "/dead")
