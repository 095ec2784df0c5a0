"""A node with both runtimes of its own, on which the hazards of preflight are made to happen."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.helpers import daemons, hostproc, processes
from tests.helpers.daemons import IMAGE, Node
from tests.helpers.program import Result, Run

SANDBOX_LABEL = "io.kubernetes.sandbox.id"
RELEASES = ("1.17.17", "1.18.0", "1.23.13", "1.23.15", "1.24.17", "1.33.13")
HOST_NETWORK = {"linux": {"security_context": {"namespace_options": {"network": 2}}}}
CHECKS = ("PF-000", "PF-001", "PF-003")
_GONE_SECONDS = 20


@dataclass
class Lab:
    """The node, the / that preflight is shown, and what ends with the tests."""

    node: Node
    stack: ExitStack

    @property
    def root(self) -> Path:
        return self.node.directory / "root"

    @property
    def checkpoints(self) -> Path:
        return self.root / "var/lib/dockershim/sandbox"

    def docker_pod(self, pod: str) -> tuple[str, str]:
        """Run a pod of one container as dockershim does; return the ids of its sandbox and container."""
        sandbox = self._in_docker(pod, "POD", "podsandbox")
        return sandbox, self._in_docker(pod, "app", "container", f"--label={SANDBOX_LABEL}={sandbox}")

    def _in_docker(self, pod: str, name: str, kind: str, *more: str) -> str:
        return self.node.docker(
            "run",
            "-d",
            "--network=none",
            f"--cgroup-parent=/hc-test/{os.getpid()}/pod{pod}",
            f"--name=k8s_{name}_{pod}_ns_uid-{pod}_0",
            f"--label=io.kubernetes.docker.type={kind}",
            *more,
            IMAGE,
        ).strip()

    def cri_pod(self, pod: str) -> str:
        """Run a pod of one container in containerd as a kubelet does; return the container's id."""
        told = {"pod.name": pod, "pod.namespace": "ns", "pod.uid": f"uid-{pod}"}
        names = {f"io.kubernetes.{key}": value for key, value in told.items()}
        metadata = {"name": pod, "namespace": "ns", "uid": f"uid-{pod}", "attempt": 0}
        parent = {"linux": {**HOST_NETWORK["linux"], "cgroup_parent": f"/hc-test/{os.getpid()}/pod{pod}"}}
        return self.node.cri_pod(
            {"metadata": metadata, "labels": names, **parent},
            {
                "metadata": {"name": "app", "attempt": 0},
                "image": {"image": IMAGE},
                "labels": {**names, "io.kubernetes.container.name": "app"},
                "linux": {},
            },
        )

    def docker_pid(self, container: str) -> int:
        return int(self.node.docker("inspect", "-f", "{{.State.Pid}}", container))

    def cri_info(self, container: str) -> Any:
        return json.loads(self.node.cri("inspect", "-o", "json", container))["info"]

    def ctr(self, namespace: str, *arguments: str) -> str:
        """Ask containerd itself."""
        command = ("/usr/bin/ctr", "-a", str(self.node.containerd_socket), "-n", namespace, *arguments)
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def shim(self, container: str) -> int:
        """Return the process of the shim that holds a container or sandbox."""
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal():
                words = _arguments(entry)
                if words and "containerd-shim" in words[0] and container in words:
                    return int(entry.name)
        raise AssertionError(f"no shim of {container}")

    def stop_containerd(self) -> None:
        """End containerd, and leave its shims and containers alone."""
        config = str(self.node.directory / "containerd.toml")
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal() and config in _arguments(entry):
                os.kill(int(entry.name), signal.SIGTERM)
                _wait(lambda entry=entry: config not in _arguments(entry))

    def start_containerd(self) -> None:
        config = str(self.node.directory / "containerd.toml")
        log = self.node.directory / f"containerd-{time.monotonic_ns()}.log"
        self.stack.enter_context(processes.running(["/usr/bin/containerd", "-c", config], log))
        _wait(self.containerd_answers)
        daemons.wait_for_cri(self.node)

    def containerd_answers(self) -> bool:
        return subprocess.run(self._version(), capture_output=True, check=False).returncode == 0

    def _version(self) -> list[str]:
        return ["/usr/bin/ctr", "-a", str(self.node.containerd_socket), "version"]

    def preflight(self, run: Run, kind: str, to: str, *more: object) -> Result:
        """Examine the node itself."""
        socket = self.node.docker_socket if kind == "docker" else self.node.containerd_socket
        where = ("--runtime", kind, "--runtime-endpoint", socket, "--root", self.root)
        return run("preflight", "--to", to, *where, "-o", "json", *more)


def _wait(reached: Any) -> None:
    end = time.monotonic() + _GONE_SECONDS
    while not reached():
        assert time.monotonic() < end, f"not so after {_GONE_SECONDS} s"
        time.sleep(0.05)


def _arguments(entry: Path) -> list[str]:
    try:
        return (entry / "cmdline").read_text().split("\0")
    except OSError:
        return []


@contextmanager
def lab(directory: Path) -> Iterator[Lab]:
    """Run both runtimes, and show preflight a / with this machine's processes and cgroups in it."""
    with daemons.node(directory) as node, ExitStack() as stack:
        made = Lab(node, stack)
        stack.callback(_remove_cgroups)
        made.checkpoints.mkdir(parents=True)
        for kind, place in (("proc", "proc"), ("cgroup", "sys/fs/cgroup/cpu")):
            (made.root / place).mkdir(parents=True)
            source = ["-t", "proc", "proc"] if kind == "proc" else ["--bind", _cgroups()]
            subprocess.run(["/bin/mount", *source, made.root / place], check=True)
        _show_first_process(directory, made.root)
        yield made


def _show_first_process(directory: Path, root: Path) -> None:
    """Show process 1 as a node does, where this machine is a container that shows nothing of it."""
    first = root / "proc/1"
    try:
        (first / "ns/mnt").readlink()
    except PermissionError:
        own = {
            kind: Path("/proc/self/ns", kind).readlink().name[len(f"{kind}:[") : -1]
            for kind in ("mnt", "user")
        }
        cgroups = (first / "cgroup").read_text().rstrip("\n")
        hostproc.process(directory / "first", 1, "S", "init", cgroups, parent=0, **own)
        subprocess.run(["/bin/mount", "--bind", directory / "first/proc/1", first], check=True)


def _remove_cgroups() -> None:
    """Remove the cgroups of pods, which runtimes leave behind."""
    for top in (
        path for pattern in ("*/hc-test", "hc-test") for path in Path("/sys/fs/cgroup").glob(pattern)
    ):
        for place, _, _ in os.walk(top / str(os.getpid()), topdown=False):
            with suppress(OSError):
                Path(place).rmdir()
        with suppress(OSError):  # another run has pods in it
            top.rmdir()


def _cgroups() -> str:
    return next(place for place in ("/sys/fs/cgroup/cpu", "/sys/fs/cgroup") if Path(place).is_dir())


def statuses(result: Result) -> dict[str, list[tuple[str, str]]]:
    """Return the status and the object of what the checks of runtimes found, those in order left out."""
    findings: dict[str, list[tuple[str, str]]] = {}
    for item in result.document["items"]:
        if item["id"] in CHECKS and item["status"] != "OK":
            findings.setdefault(item["id"], []).append((item["status"], item["object"]))
    return findings


def advice(result: Result, check: str) -> str:
    """Return what to do about the one finding of a check."""
    [item] = [item for item in result.document["items"] if item["id"] == check]
    return str(item["advice"])
