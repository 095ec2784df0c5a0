"""Start real containerd and Docker below one directory, and stop them with everything in them."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import signal
import subprocess
import tarfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from scripts.suites import crictl
from tests.helpers import processes

IMAGE = "localhost/pause:test"
DOCKER = "/usr/bin/docker"
DOCKERD = "/usr/sbin/dockerd"
CONTAINERD = ("/usr/bin/containerd", "/usr/bin/ctr", "/usr/sbin/runc", "/bin/busybox")
DAEMONS = ("dockerd", "containerd", "crio")
DEBIANS = Path("/usr/bin")
"""Where Debian's containerd is, and its shim."""
_READY_SECONDS = 20
_SLOW = """#!/bin/sh
case " $* " in *" create "*) exec /bin/sleep 1000 ;; esac
exec /usr/sbin/runc "$@"
"""
"""Docker's runtime ``slow``: it never creates a container."""
_LENIENT = """#!/bin/sh
bundle=. before=
for word; do [ "$before" != --bundle ] || bundle=$word; before=$word; done
case " $* " in *" create "*) sed -i 's/"oomScoreAdj": *-[0-9]*/"oomScoreAdj":0/' "$bundle/config.json" ;; esac
exec /usr/sbin/runc "$@"
"""
"""Docker's default runtime: runc without negative OOM scores, which root may lack the capability to set.

containerd has ``restrict_oom_score_adj`` for that."""
_CONTAINERD = """
version = 2
root = "{root}"
state = "{state}"
[grpc]
  address = "{socket}"
[plugins."io.containerd.grpc.v1.cri"]
  restrict_oom_score_adj = true
  disable_tcp_service = true
  sandbox_image = "{image}"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{directory}/cni/bin"
    conf_dir = "{directory}/cni/net.d"
"""


class Places(NamedTuple):
    """Where a containerd keeps what it has, and listens."""

    root: Path
    state: Path
    socket: Path


@dataclass(frozen=True)
class Node:
    """A node with both runtimes; ``crictl`` is the program, by its path."""

    directory: Path
    crictl: Path
    programs: Path = DEBIANS
    """The directory of containerd and its shim."""
    others: Places | None = None
    """Where containerd is, if not below the directory."""

    @property
    def places(self) -> Places:
        names = ("containerd-root", "containerd-state", "containerd.sock")
        return self.others or Places(*(self.directory / name for name in names))

    @property
    def docker_socket(self) -> Path:
        return self.directory / "docker.sock"

    @property
    def containerd_socket(self) -> Path:
        return self.places.socket

    def docker(self, *arguments: str) -> str:
        """Run Debian's docker client against the node."""
        return output(DOCKER, "-H", f"unix://{self.docker_socket}", *arguments)

    def cri(self, *arguments: str) -> str:
        """Run crictl against the node."""
        patient = "--timeout=5m"  # a hundred pods are not removed within crictl's two seconds
        endpoint = f"--runtime-endpoint=unix://{self.containerd_socket}"
        return output(str(self.crictl), endpoint, patient, *arguments)

    def load(self, *names: str, **labels: str) -> None:
        """Import busybox into containerd, under some names and with labels of the image."""
        image = image_of(self.directory / "image.tar", names, labels)
        ctr = ("/usr/bin/ctr", "-a", str(self.containerd_socket), "-n", "k8s.io")
        output(*ctr, "images", "import", str(image))

    def cri_pod(self, sandbox: dict[str, Any], container: dict[str, Any]) -> str:
        """Run a pod of one container as a kubelet does, and return the container's id."""
        files = [self.directory / "sandbox.json", self.directory / "container.json"]
        for file, config in zip(files, (sandbox, container), strict=True):
            file.write_text(json.dumps(config))
        pod = self.cri("runp", str(files[0])).strip()
        made = self.cri("create", pod, str(files[1]), str(files[0])).strip()
        self.cri("start", made)
        return made


def output(*command: str) -> str:
    """Return what a program prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


def write_runc(directory: Path) -> None:
    """Write the runtimes ``slow`` and ``lenient``."""
    for name, script in (("slow-runc", _SLOW), ("lenient-runc", _LENIENT)):
        (directory / name).write_text(script)
        (directory / name).chmod(0o755)


@contextmanager
def node(directory: Path, *images: str) -> Iterator[Node]:
    """Run both runtimes below a directory; nothing of them is left afterwards, whatever a test did.

    Both have busybox as IMAGE, the pause image of containerd, and under further names.
    """
    _check("docker.io", (DOCKER, DOCKERD))
    write_runc(directory)
    with containerd_node(directory, IMAGE, *images) as made, ExitStack() as stack:
        stack.enter_context(processes.running(dockerd(directory), directory / "dockerd.log"))
        wait(made.docker_socket)
        stack.callback(quietly, remove_containers, made)
        made.docker("load", "-i", str(directory / "image.tar"))
        yield made


def containerd(made: Node, log: str) -> AbstractContextManager[object]:
    """Run a node's containerd, with its own shim."""
    command: list[str | Path] = [
        made.programs / "containerd",
        "-c",
        made.directory / "containerd.toml",
    ]
    environ = {**os.environ, "PATH": f"{made.programs}:{os.environ['PATH']}"}
    return processes.running(command, made.directory / log, environ)


@contextmanager
def restarted(made: Node, how: int = signal.SIGTERM) -> Iterator[None]:
    """End containerd and run it again; its shims, and what they run, stay."""
    config = made.directory / "containerd.toml"
    stop(str(config), how)
    made.containerd_socket.unlink(missing_ok=True)
    with containerd(made, f"containerd-{time.time_ns()}.log"):
        wait(made.containerd_socket)
        wait_for_cri(made)
        yield


def stop(argument: str, how: int = signal.SIGTERM) -> None:
    """End the daemon that was started with an argument, and wait until it is gone."""
    for place in _processes():
        words = _words(place)
        if argument not in words or Path(words[0]).name.partition("-")[0] not in DAEMONS:
            continue
        os.kill(int(place.name), how)
        end = time.monotonic() + _READY_SECONDS
        while _runs(place):
            assert time.monotonic() < end, f"{words[0]} still runs after {_READY_SECONDS} s"
            time.sleep(0.05)


def _processes() -> list[Path]:
    return [place for place in Path("/proc").iterdir() if place.name.isdecimal()]


def _words(process: Path) -> list[str]:
    try:
        return (process / "cmdline").read_text(errors="replace").split("\0")
    except OSError:
        return []


def _runs(process: Path) -> bool:
    return bool((stat := _stat(process)) and stat[0] not in ("Z", "X"))


def _stat(process: Path) -> list[str]:
    """Return what the kernel shows of a process after its name: its state, its parent, and more."""
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


@contextmanager
def containerd_node(
    directory: Path, *images: str, programs: Path = DEBIANS, places: Places | None = None
) -> Iterator[Node]:
    """Run containerd below a directory, with busybox under some names; the first is the pause image's.

    ``programs`` is the directory of containerd and its shim; ``places`` are others than below ``directory``,
    and are removed afterwards too.
    """
    _check("containerd, runc and busybox-static", CONTAINERD)
    config = directory / "containerd.toml"
    made = Node(directory, crictl.built(), programs, places)
    config.write_text(_CONTAINERD.format(**made.places._asdict(), directory=directory, image=images[0]))
    with ExitStack() as stack:
        for place in (directory, *made.places[:2]):
            stack.callback(shutil.rmtree, place, ignore_errors=True)
            stack.callback(unmount, place)
        stack.callback(end_shims, made)
        stack.enter_context(containerd(made, "containerd.log"))
        wait(made.containerd_socket)
        wait_for_cri(made)
        stack.callback(quietly, made.cri, "rmp", "--all", "--force")
        made.load(*images)
        yield made


def _check(packages: str, programs: Sequence[str]) -> None:
    missing = [program for program in programs if not Path(program).exists()]
    assert not missing, f"install {packages}: {missing} missing"


def dockerd(directory: Path) -> list[str]:
    """Return the command line of Docker below a directory."""
    places = [
        f"--data-root={directory}/docker",
        f"--exec-root={directory}/docker-exec",
        f"--pidfile={directory}/docker.pid",
    ]
    networks = [
        "--iptables=false",
        "--ip6tables=false",
        "--ip-forward=false",
        "--ip-masq=false",
        "--bridge=none",
    ]
    sockets = [f"--containerd={directory}/containerd.sock", f"--host=unix://{directory}/docker.sock"]
    return [
        DOCKERD,
        *sockets,
        *places,
        *networks,
        "--storage-driver=vfs",
        "--default-ipc-mode=shareable",  # as up to Docker 17.10: dockershim up to 1.10 asks for no other
        "--exec-opt=native.cgroupdriver=cgroupfs",
        f"--add-runtime=slow={directory}/slow-runc",
        f"--add-runtime=lenient={directory}/lenient-runc",
        "--default-runtime=lenient",
    ]


def wait(socket: Path) -> None:
    """Wait until a daemon has its socket."""
    end = time.monotonic() + _READY_SECONDS
    while not socket.exists():
        assert time.monotonic() < end, f"{socket}: not there after {_READY_SECONDS} s; see the logs beside it"
        time.sleep(0.05)


def wait_for_cri(made: Node) -> None:
    """Wait until containerd's CRI plugin answers: it starts after the socket is there."""
    end = time.monotonic() + _READY_SECONDS
    while True:
        try:
            made.cri("version")
        except AssertionError:
            if time.monotonic() >= end:
                raise
            time.sleep(0.05)
        else:
            return


def image_of(path: Path, names: Sequence[str], labels: Mapping[str, str]) -> Path:
    """Write an image of busybox alone, as `docker save` does, that sleeps."""
    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w") as archive:
        place = tarfile.TarInfo("bin")  # a directory that is not listed would be root's alone
        place.type, place.mode = tarfile.DIRTYPE, 0o755
        archive.addfile(place)
        for name in ("bin/busybox", "bin/sleep", "bin/sh", "bin/true", "bin/false"):
            archive.add("/bin/busybox", name)
    digest = hashlib.sha256(layer.getvalue()).hexdigest()
    config = {
        "architecture": "amd64",
        "os": "linux",
        "config": {"Cmd": ["/bin/sleep", "1000000"], "Env": ["PATH=/bin"], "Labels": dict(labels)},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
    }
    manifest = [{"Config": "config.json", "RepoTags": list(names), "Layers": ["layer.tar"]}]
    files = {
        "layer.tar": layer.getvalue(),
        "config.json": json.dumps(config).encode(),
        "manifest.json": json.dumps(manifest).encode(),
    }
    with tarfile.open(path, mode="w") as archive:
        for name, data in files.items():
            row = tarfile.TarInfo(name)
            row.size = len(data)
            archive.addfile(row, io.BytesIO(data))
    return path


def remove_containers(made: Node) -> None:
    if ids := made.docker("ps", "-aq").split():
        made.docker("rm", "-f", *ids)


def shims(made: Node) -> set[int]:
    """Return the processes of the shims of a node's containerd, and of the monitors of its CRI-O."""
    return {int(place.name) for place in _processes() if _is_shim(_words(place), made)}


def _is_shim(words: Sequence[str], made: Node) -> bool:
    name = Path(words[0]).name if words else ""
    if name == "conmon":
        return any(word.startswith(f"{made.directory}/") for word in words)
    return name.startswith("containerd-shim") and str(made.containerd_socket) in words


def end_shims(made: Node) -> None:
    """End the shims that are left, and what they run: their runtime was killed, or ended before them."""
    left = shims(made)
    run = {int(place.name) for place in _processes() if (stat := _stat(place)) and int(stat[1]) in left}
    for process in (*run, *left):
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def unmount(directory: Path) -> None:
    """Unmount what a runtime that was killed left below the directory."""
    mounts = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    for mount in sorted((mount for mount in mounts if mount.startswith(f"{directory}/")), reverse=True):
        subprocess.run(["/bin/umount", "-l", mount], check=False)


def quietly(call: Any, *arguments: Any) -> None:
    """Clean up as far as it goes: the daemons end either way."""
    try:
        call(*arguments)
    except AssertionError as error:
        os.write(2, f"{error}\n".encode())
