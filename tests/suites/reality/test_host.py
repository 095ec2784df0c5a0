"""A real kubelet ends for the ids of its user, and takes the cgroup driver of its runtime, as was found."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.core.release import parse_release
from hashcompat.sources.node import NodeReader, services
from hashcompat.sources.node.root import Root
from scripts.golden import reality
from scripts.lib.paths import CACHE
from scripts.suites import containerd, kubelets
from scripts.suites.kubelets import Kubelet
from tests.helpers import daemons, processes, switches
from tests.helpers.dumps import Key, dump, status, upgrade
from tests.helpers.dumps import containerd as containerd_of_dumps
from tests.suites.reality import containerd as created
from tests.suites.reality import lab as labs
from tests.suites.reality import pods, rest
from tests.suites.reality.test_managers import wait_for

pytestmark = pytest.mark.ending

RELEASE: Final = "1.36.5"
ROWS = yaml.safe_load(Path(__file__).with_name("ids.yaml").read_text(encoding="utf-8"))
ACCEPTED: Final = "Started kubelet"
"""What a kubelet logs once it has accepted everything of its host."""


@pytest.fixture(scope="module")
def node() -> Iterator[daemons.Node]:
    """A node with a containerd that answers which cgroup driver it has, as Debian's does not."""
    with (
        tempfile.TemporaryDirectory(prefix="hc-", ignore_cleanup_errors=True) as directory,
        rest.own_cgroups(),
    ):
        place = Path(directory)
        labs.write_network(place / "cni")
        programs = containerd.built(containerd.SLICE)
        with daemons.containerd_node(place, pods.IMAGE, programs=programs) as made:
            yield made


def command(node: daemons.Node, release: str = RELEASE, **changes: Any) -> list[str]:
    """Write the configuration of a kubelet without an API server, and return how it is started."""
    (manifests := node.directory / "manifests").mkdir(exist_ok=True)
    settings = {**labs.configuration(node, manifests, node.directory), "failCgroupV1": False, **changes}
    (config := node.directory / "config.yaml").write_text(json.dumps(settings))
    places = (f"--root-dir={node.directory / 'kubelet'}", f"--cert-dir={node.directory / 'pki'}")
    program = str(kubelets.built(Kubelet(release)))
    return [program, f"--config={config}", *places, "--hostname-override=lab", "--v=2"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["says"][-40:] or f"runs-{row['subuid']}")
def test_a_kubelet_ends_for_the_ids_that_are_found(
    row: dict[str, Any], node: daemons.Node, tmp_path: Path
) -> None:
    """The accounts of the host are others in the kubelet's own mount namespace."""
    users = Path("/etc/passwd").read_text() + "kubelet:x:998:998::/:/bin/false\n"
    lines = {"subuid": row["subuid"], "subgid": row.get("subgid", row["subuid"])}
    files = {name: f"kubelet:{ids}\n" if ids else "" for name, ids in lines.items()} | {"passwd": users}
    mounts = []
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        mounts.append(f"mount --bind {tmp_path / name} /etc/{name}")
    path = "" if row.get("program", True) else "PATH=/usr/sbin "
    script = f'{" && ".join(mounts)} && {path}exec "$@"'
    log = tmp_path / "kubelet.log"
    started = ["unshare", "--mount", "/bin/sh", "-c", script, "sh", *command(node, **row.get("config", {}))]
    with processes.running(started, log) as process:
        if row["says"]:
            assert process.wait(timeout=60) != 0
            assert row["says"] in log.read_text().replace('\\"', '"')
        else:
            wait_for(log, ACCEPTED)
            assert process.poll() is None


RESERVED: Final = "hc-reserved"
RESERVING: Final[dict[str, Any]] = {
    "enforceNodeAllocatable": ["kube-reserved"],
    "kubeReserved": {"cpu": "250m"},
    "kubeReservedCgroup": f"/{RESERVED}",
}
HIERARCHIES: Final = default_catalog().hazards(parse_release(RELEASE)).cgroup_v1_controllers
CPU_SHARES: Final = "256"
"""A quarter of the 1024 that one CPU is."""
ENDED: Final = "Failed to enforce Kube Reserved Cgroup Limits"


@contextmanager
def reserved(lacks: set[str] | None) -> Iterator[Path]:
    """Make the cgroup in every hierarchy but some, or in none; return that of the processor."""
    top = Path("/sys/fs/cgroup")
    mounted = {path.name for path in top.iterdir() if path.is_dir() and path.name in HIERARCHIES}
    for name in () if lacks is None else mounted - lacks:
        (top / name / RESERVED).mkdir()
    try:
        yield top / "cpu" / RESERVED
    finally:
        rest.remove_groups(RESERVED)


@pytest.mark.parametrize("release", ["1.31.14", RELEASE])
@pytest.mark.parametrize("lacks", [None, {"pids"}, {"memory", "cpuset"}, set()], ids=str)
def test_a_kubelet_ends_for_a_cgroup_that_it_reserves_for(
    lacks: set[str] | None, release: str, node: daemons.Node, tmp_path: Path
) -> None:
    started = command(node, release, **RESERVING)
    log = tmp_path / "kubelet.log"
    with reserved(lacks) as group:
        (shown,) = NodeReader(5, 60).ask_all([services(Root(Path("/")))])
        texts: dict[Key, Any] = {
            **containerd_of_dumps("1.6.20"),  # it is not asked for its driver
            ("file", "/var/lib/kubelet/config.yaml"): (node.directory / "config.yaml").read_text(),
            ("file", "/proc/1/mounts"): Path("/proc/1/mounts").read_text(),
            ("cgroups", "services"): shown.text or "",
        }
        predicted = status("PF-146", dump(texts), upgrade(release))
        with processes.running(started, log) as process:
            if lacks == set():
                end = time.monotonic() + 60
                while (group / "cpu.shares").read_text().strip() != CPU_SHARES:
                    assert time.monotonic() < end, "no limit is set"
                    time.sleep(1)
                time.sleep(5)
                assert process.poll() is None
                assert predicted == [("OK", "")]
            else:
                assert process.wait(timeout=60) != 0
                assert ENDED in log.read_text()
                assert predicted == [("ERROR", f"/{RESERVED}")]


SYSTEMD: Final = """
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = true
"""
TAKEN: Final = 'Using cgroup driver setting received from the CRI runtime" cgroupDriver="{}"'


def test_a_kubelet_takes_the_cgroup_driver_of_its_runtime(node: daemons.Node, tmp_path: Path) -> None:
    """Its own setting is another one, both ways. Of these hosts none has systemd, for which it then asks."""
    manifest = pods.pod("driver", {"containers": [{"name": "c"}]})
    started = command(node, cgroupDriver="systemd")
    (node.directory / "manifests" / "driver.json").write_text(json.dumps(manifest))
    log = tmp_path / "cgroupfs.log"
    with processes.running(started, log):
        wait_for(log, ACCEPTED)
        end = time.monotonic() + 90
        while not (ids := node.cri("ps", "--name", "c", "-q").split()):
            assert time.monotonic() < end, "the pod does not start"
            time.sleep(1)
    assert TAKEN.format("cgroupfs") in log.read_text()
    with (node.directory / "containerd.toml").open("a") as config:
        config.write(SYSTEMD)
    log = tmp_path / "systemd.log"
    with daemons.restarted(node):
        with processes.running(command(node, cgroupDriver="cgroupfs"), log) as process:
            assert process.wait(timeout=60) != 0
        said = log.read_text()
        assert TAKEN.format("systemd") in said
        assert "systemd not running on this host, cannot use systemd cgroups manager" in said
        assert node.cri("ps", "--name", "c", "-q").split() == ids
        created.clear(node)


HERE: Final = Path(__file__).parent
LIMIT: Final = 600
"""How many seconds a switch may take."""
FOUND: Final = CACHE / "switched"
"""Where each run leaves what happened; copied to golden/switched it is what the ordinary tests replay."""


@pytest.mark.parametrize(("old", "new"), [(RELEASE, RELEASE), ("1.30.14", "1.31.14")])
def test_every_pod_is_created_again_for_another_cgroup_driver(
    old: str, new: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """The configuration stays, below a systemd: the runtime answers another driver, which 1.30 never asks."""
    for release in (old, new):
        kubelets.built(Kubelet(release))
    containerd.built(containerd.SLICE)
    module = [sys.executable, "-m", "tests.suites.reality.switching", str(tmp_path), old, new]
    with ended(subprocess.Popen([HERE / "systemd.sh", *module])):
        end = time.monotonic() + LIMIT
        while not (tmp_path / "switched.json").exists():
            failed = tmp_path / "failed.txt"
            assert not failed.exists(), failed.read_text()
            assert time.monotonic() < end, "nothing is switched"
            time.sleep(1)
    made = json.loads((tmp_path / "switched.json").read_text().replace(str(CACHE), "/opt"))
    reality.write(made, FOUND / f"{old}-to-{new}.json.gz")
    record_property("observed_verdicts", len(made["observed"]))
    switches.check(made)


@contextmanager
def ended(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """End a systemd at last, with all that runs below it, and remove its cgroups."""
    try:
        yield
    finally:
        process.kill()  # systemd.sh has become what ends its first process with itself
        process.wait()
        rest.remove_groups(f"hc-systemd-{process.pid}")
