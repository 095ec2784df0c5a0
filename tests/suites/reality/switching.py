"""Let the cgroup driver of a runtime change between two starts of a kubelet; systemd.sh runs this module.

The first argument is a directory; `switched.json` is what happened, `failed.txt` why nothing did.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from hashcompat.core.go import jsontext
from scripts.suites import containerd
from tests.helpers import daemons, fakenode, processes
from tests.suites.reality import containerd as created
from tests.suites.reality import lab as labs
from tests.suites.reality import pods
from tests.suites.reality.outcome import outcomes
from tests.suites.reality.starting import CROWD
from tests.suites.reality.test_host import SYSTEMD, command

PODS: Final = CROWD // 3


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
    end = time.monotonic() + 90
    while len(node.cri("ps", "-q").split()) < least:
        assert time.monotonic() < end, "the pods do not start"
        time.sleep(1)


def switched(node: daemons.Node, directory: Path) -> dict[str, Any]:
    """Start a kubelet, let its runtime answer another driver, and start it again."""
    started = command(node)
    for number in range(PODS):
        containers = [{"name": "a"}, {"name": "b"}]
        manifest = pods.pod(f"driver-{number}", {"containers": containers})
        (node.directory / "manifests" / f"{number}.json").write_text(json.dumps(manifest))
    with processes.running(started, directory / "first.log"):
        settled(node, 2 * PODS)
        with (node.directory / "containerd.toml").open("a") as config:
            config.write(SYSTEMD)
        restarted = daemons.restarted(node)
        restarted.__enter__()
        dump, groups, before = collected(node), ran(node), created.look(node)
    try:
        for number in range(6):  # its unit starts it again, until systemd shows the slices that it made
            with processes.running(command(node), directory / f"second-{number}.log") as process:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=45)
                    continue
                after, groups_after = created.look(node), ran(node)
                break
        return {
            "dump": dump,
            "arguments": started,
            "config": (node.directory / "config.yaml").read_text(),
            "before": groups,
            "after": groups_after,
            "observed": [row.document() for row in outcomes(before, after)],
        }
    finally:
        created.clear(node)
        restarted.__exit__(None, None, None)


def main(directory: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="hc-", ignore_cleanup_errors=True) as place:
        labs.write_network(Path(place) / "cni")
        programs = containerd.built(containerd.SLICE)
        with daemons.containerd_node(Path(place), pods.IMAGE, programs=programs) as node:
            (directory / "unfinished").write_text(json.dumps(switched(node, directory)))
    (directory / "unfinished").rename(directory / "switched.json")


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]))
    except BaseException:
        (Path(sys.argv[1]) / "failed.txt").write_text(traceback.format_exc())
        raise
