"""Let the cgroup driver of a runtime change between two starts of kubelets; systemd.sh runs this module.

The first argument is a directory, the others are the releases of the two kubelets; `switched.json` in the
directory is what happened, `failed.txt` why nothing did.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any, Final

from hashcompat.core.go import jsontext
from scripts.suites import containerd
from tests.helpers import daemons, fakenode, processes
from tests.suites.reality import containerd as created
from tests.suites.reality import lab as labs
from tests.suites.reality import pods, rest
from tests.suites.reality.outcome import outcomes
from tests.suites.reality.starting import CROWD
from tests.suites.reality.test_host import SYSTEMD, command

PODS: Final = CROWD // 3
ASKS: Final = 31
"""From 1.31 on a kubelet asks its runtime for the driver."""


def ran(node: daemons.Node) -> list[str]:
    """Return the cgroup of each running container, by its process."""
    ids = node.cri("ps", "-q").split()
    pids = [json.loads(node.cri("inspect", each))["info"]["pid"] for each in ids]
    lines = [Path(f"/proc/{pid}/cgroup").read_text().splitlines() for pid in pids]
    return sorted(line.rpartition(":")[2] for each in lines for line in each if "name=systemd" in line)


def collected(node: daemons.Node) -> list[Any]:
    """Return what the collector prints for preflight."""
    settings = {
        "PATH": f"{node.crictl.parent}:{os.environ['PATH']}",
        "RUNTIME_ENDPOINT": str(node.containerd_socket),
        "KUBELET_ROOT": str(node.directory / "kubelet"),
        "READ_ALSO": str(node.directory),
    }
    script = fakenode.text(preflight=True).encode()
    done = subprocess.run(["/bin/sh"], input=script, env=settings, capture_output=True, check=True)
    return list(jsontext.load_all(done.stdout.decode()))


def settled(node: daemons.Node, least: int) -> None:
    end = time.monotonic() + 180
    while len(node.cri("ps", "-q").split()) < least:
        assert time.monotonic() < end, "the pods do not start"
        time.sleep(1)


def started_again(node: daemons.Node, release: str, directory: Path) -> None:
    """Start a kubelet, as its unit does until systemd shows the slices that it made, and stop it."""
    for number in range(6):
        log = directory / f"{release}-{number}.log"
        with processes.running(command(node, release), log) as process:
            try:
                process.wait(timeout=45)
            except subprocess.TimeoutExpired:
                return
    raise AssertionError(f"kubelet {release} does not run: {directory}")


def switched(node: daemons.Node, directory: Path, old: str, new: str) -> dict[str, Any]:
    """Start a kubelet, let its runtime answer another driver, and start the next one.

    One that does not ask is started in between, too: for it nothing has changed.
    """
    started = command(node, old)
    for number in range(PODS):
        uid = f"0000000{number}-0000-4000-8000-000000000000"  # so that the pod is the same for every release
        manifest = pods.pod(f"driver-{number}", {"uid": uid, "containers": [{"name": "a"}, {"name": "b"}]})
        (node.directory / "manifests" / f"{number}.json").write_text(json.dumps(manifest))
    with processes.running(started, directory / "first.log"):
        settled(node, 2 * PODS)
        with (node.directory / "containerd.toml").open("a") as config:
            config.write(SYSTEMD)
        restarted = daemons.restarted(node)
        restarted.__enter__()
        dump, groups, before = collected(node), ran(node), created.look(node)
    try:
        if int(old.split(".")[1]) < ASKS:
            started_again(node, old, directory)
        between = created.look(node)
        started_again(node, new, directory)
        after, groups_after = created.look(node), ran(node)
        return {
            "from": old,
            "to": new,
            "dump": dump,
            "arguments": started,
            "config": (node.directory / "config.yaml").read_text(),
            "before": groups,
            "after": groups_after,
            "unasked": [row.document() for row in outcomes(before, between)],
            "observed": [row.document() for row in outcomes(between, after)],
        }
    finally:
        created.clear(node)
        restarted.__exit__(None, None, None)


def main(directory: Path, old: str, new: str) -> None:
    with rest.own_logs(), tempfile.TemporaryDirectory(prefix="hc-", ignore_cleanup_errors=True) as place:
        labs.write_network(Path(place) / "cni")
        programs = containerd.built(containerd.SLICE)
        with daemons.containerd_node(Path(place), pods.IMAGE, programs=programs) as node:
            (directory / "unfinished").write_text(json.dumps(switched(node, directory, old, new)))
    (directory / "unfinished").rename(directory / "switched.json")


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), *sys.argv[2:])
    except BaseException:
        (Path(sys.argv[1]) / "failed.txt").write_text(traceback.format_exc())
        raise
