"""Real kubelets end for state files of resource managers, and wait for plugins, as preflight finds it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec import structs

from hashcompat.analysis.preflight import examine
from hashcompat.core.go import jsontext
from hashcompat.core.model.preflight import Status
from hashcompat.core.records.probes import Dump, Probe, dumps
from scripts.suites import kubelets
from scripts.suites.kubelets import Kubelet
from tests.helpers import daemons, fakenode, processes
from tests.helpers.daemons import Node
from tests.helpers.dumps import upgrade
from tests.suites.reality import lab as labs
from tests.suites.reality import pods, rest
from tests.suites.reality.starting import STATIC_CPUS

pytestmark = pytest.mark.ending

BEFORE, AFTER = "1.30.14", "1.31.14"
WHOLE: Final = {"resources": {"limits": {"cpu": "1", "memory": "64Mi"}}}
"""A container with a CPU of its own: of two CPUs that which is not reserved."""
RUNS_SECONDS: Final = 25
"""A kubelet that runs for so long has accepted everything of its host."""


@dataclass
class Lab:
    """A node with a kubelet that has no API server."""

    directory: Path
    node: Node
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def config(self) -> Path:
        return self.directory / "config.yaml"

    @property
    def root(self) -> Path:
        return self.directory / "kubelet"

    def write(self, changes: Mapping[str, Any]) -> None:
        """Write the configuration file: the usual fields, and changes of them; None leaves one out."""
        given = {**self.settings, **STATIC_CPUS, **changes}
        self.config.write_text(json.dumps({key: value for key, value in given.items() if value is not None}))

    def command(self, release: str) -> list[str]:
        places = [
            f"--config={self.config}",
            f"--root-dir={self.root}",
            f"--cert-dir={self.directory / 'pki'}",
        ]
        return [str(kubelets.built(Kubelet(release))), *places, "--hostname-override=lab", "--v=2"]

    def ends(self, release: str, *before: str) -> str:
        """Start a kubelet and return what it prints at its end; empty where it runs."""
        log = self.directory / f"kubelet-{time.time_ns()}.log"
        command = [*before, *self.command(release)]
        with processes.running(command, log) as process, suppress(subprocess.TimeoutExpired):
            process.wait(timeout=RUNS_SECONDS)
            return log.read_text(errors="replace")
        return ""

    def collected(self) -> Dump:
        """Return what the collector prints for preflight while the kubelet runs.

        Its arguments, and so the file that they name, are those with which it was started: to be sure of
        them takes CAP_SYS_PTRACE.
        """
        settings = {
            "PATH": f"{self.node.crictl.parent}:{os.environ['PATH']}",
            "RUNTIME_ENDPOINT": str(self.node.containerd_socket),
            "KUBELET_ROOT": str(self.root),
            "READ_ALSO": str(self.directory),
        }
        script = fakenode.text(preflight=True).encode()
        done = subprocess.run(["/bin/sh"], input=script, env=settings, capture_output=True, check=True)
        (dump,) = dumps(list(jsontext.load_all(done.stdout.decode())), "the node")
        words = "\n".join([*self.command(BEFORE), ""])
        given = {**dump.probes, **_probe("arguments", "kubelet", words)}
        given |= _probe("file", str(self.config), self.config.read_text())
        return structs.replace(dump, probes=given)


def _probe(kind: str, name: str, text: str) -> dict[tuple[str, str], tuple[Probe, ...]]:
    return {(kind, name): (Probe(kind, name, text),)}


@contextmanager
def started(directory: Path) -> Iterator[Lab]:
    with ExitStack() as stack:
        stack.enter_context(rest.own_cgroups())
        labs.write_network(directory / "cni")
        node = stack.enter_context(daemons.containerd_node(directory, pods.IMAGE))
        lab = Lab(directory, node)
        (manifests := directory / "manifests").mkdir()
        lab.settings = {**labs.configuration(node, manifests, directory), "failCgroupV1": False}
        manifest = pods.pod("whole", {"containers": [{"name": "c", **WHOLE}]})
        (manifests / "whole.json").write_text(json.dumps(manifest))
        lab.write({})
        yield lab


def wait_for(path: Path, part: str) -> None:
    end = time.monotonic() + 120
    while not (path.exists() and part in path.read_text()):
        assert time.monotonic() < end, f"{path} never has {part}"
        time.sleep(1)


def with_file(dump: Dump, path: Path | str, text: str) -> Dump:
    return structs.replace(dump, probes={**dump.probes, **_probe("file", str(path), text)})


def errors(dump: Dump, release: str, *checks: str) -> set[str]:
    """Return which of these checks find an error; none may be UNKNOWN."""
    findings = [finding for finding in examine(dump, upgrade(release, BEFORE)) if finding.id in checks]
    assert [finding.text for finding in findings if finding.status is Status.UNKNOWN] == []
    return {finding.id for finding in findings if finding.status is Status.ERROR}


CHANGES: Final[tuple[tuple[dict[str, Any], str, str], ...]] = (
    ({}, "", ""),
    ({"cpuManagerPolicy": "none"}, "PF-105", "differs from state checkpoint policy"),
    ({"reservedSystemCPUs": "1"}, "PF-105", "not all reserved cpus"),
    ({"memoryManagerPolicy": "None"}, "PF-108", "differs from state checkpoint policy"),
)
"""What is changed in the configuration, the check that finds it, and what the kubelet says."""


@contextmanager
def settled() -> Iterator[tuple[Lab, Dump]]:
    """Return a node whose first kubelet gave a container a CPU of its own and ended; and what it was like."""
    with (
        tempfile.TemporaryDirectory(prefix="hc-", ignore_cleanup_errors=True) as directory,
        started(Path(directory)) as lab,
    ):
        with processes.running(lab.command(BEFORE), lab.directory / "first.log"):
            wait_for(lab.root / "cpu_manager_state", '"entries":{')
            dump = lab.collected()
        yield lab, dump


def test_kubelets_end_for_the_state_files_that_are_found() -> None:
    with settled() as (lab, dump):
        state = lab.root / "cpu_manager_state"
        assert errors(dump, AFTER, "PF-105", "PF-108") == set()
        kept = {path: path.read_bytes() for path in lab.root.glob("*_manager_state")}
        for release in (BEFORE, AFTER):
            for changes, check, message in CHANGES:
                lab.write(changes)
                said = lab.ends(release)
                changed = with_file(dump, lab.config, lab.config.read_text())
                ids = errors(changed, release, "PF-105", "PF-108")
                assert ids == {check} - {""}, (release, changes, said[-500:])
                assert (message in said) if message else not said, (release, changes, said[-500:])
                for path, content in kept.items():
                    path.write_bytes(content)
        lab.write({})
        broken = state.read_text().replace('"checksum":', '"checksum":1')
        state.write_text(broken)
        assert errors(with_file(dump, state, broken), AFTER, "PF-105") == {"PF-105"}
        assert "checkpoint is corrupted" in lab.ends(AFTER)


def test_a_kubelet_waits_for_a_plugin_that_is_gone() -> None:
    """A network configuration names a plugin, and its program is not there: no pod with a network starts."""
    with (
        tempfile.TemporaryDirectory(prefix="hc-", ignore_cleanup_errors=True) as directory,
        started(Path(directory)) as lab,
    ):
        places = lab.directory / "cni"
        network = {"cniVersion": "0.4.0", "name": "lab", "plugins": [{"type": "lab"}, {"type": "gone"}]}
        (places / "net.d" / "lab.conflist").write_text(json.dumps(network))
        manifest = pods.pod("own", {"hostNetwork": False, "containers": [{"name": "net"}]})
        (lab.directory / "manifests" / "own.json").write_text(json.dumps(manifest))
        log = lab.directory / "first.log"
        with processes.running(lab.command(BEFORE), log):
            wait_for(log, 'failed to find plugin \\"gone\\"')
            dump = lab.collected()
            assert errors(with_network(dump, places), AFTER, "PF-214") == {"PF-214"}
            shutil.copy(places / "bin" / "lab", places / "bin" / "gone")
            assert errors(with_network(dump, places), AFTER, "PF-214") == set()
            end = time.monotonic() + 120
            while not lab.node.cri("ps", "--name", "net", "-q"):
                assert time.monotonic() < end, "the pod does not start"
                time.sleep(1)


def with_network(dump: Dump, places: Path) -> Dump:
    """Return a dump with the network's directories as they are now, which are not where collectors look."""
    given = {**dump.probes}
    for place in ("bin", "net.d"):
        names = "".join(f"{path.name}\n" for path in sorted((places / place).iterdir()))
        given |= _probe("directory", str(places / place), names)
    for path in (places / "net.d").iterdir():
        given |= _probe("file", str(path), path.read_text())
    return structs.replace(dump, probes=given)
