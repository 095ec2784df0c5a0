"""The processes of a node, as probes."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from hashcompat.errors import InputError
from hashcompat.records.probes import Probe
from hashcompat.sources import programs
from hashcompat.sources.node.asking import Asking, Question
from hashcompat.sources.node.root import Root

_HOLDERS: Final = re.compile(r"containerd-shim|docker-containe|runc|conmon")
"""How the names of processes begin whose arguments name a container."""

_KUBELETS: Final = (("kubelet",), ("kubelite", "hyperkube", "k3s", "k3s-server", "k3s-agent"))
"""The names of kubelets' programs, those of programs with a kubelet in them last."""

_CONTAINER: Final = re.compile(r"[0-9a-f]{64}")
"""The id of a container in the name of its cgroup."""

_CGROUPS: Final = "/sys/fs/cgroup"


def everything(root: Root) -> str:
    """Return a line for each process: its id, its parent's, its state and the name of its program."""
    return "".join(f"{line}\n" for line in _lines(root))


def _lines(root: Root) -> Iterator[str]:
    for pid in _pids(root):
        try:
            before, _, rest = root.text(f"/proc/{pid}/stat").rpartition(")")
        except OSError:
            continue  # it has ended
        state, parent, *_ = [*rest.split(), "", ""]
        yield f"{pid} {parent} {state} {before.partition('(')[2]}"


def _pids(root: Root) -> list[str]:
    return sorted((name for name in root.names("/proc") if name.isdecimal()), key=int)


def listed(root: Root) -> Question:
    """Return the question for all processes."""
    return Question("processes", "all", partial(everything, root))


def process(root: Root, pid: str) -> Question:
    """Return the question for the state and the cgroups of a process."""
    return Question("process", pid, partial(_process, root, pid))


def _process(root: Root, pid: str) -> str:
    state = root.text(f"/proc/{pid}/stat").rpartition(")")[2].split()[0]
    return f"{state}\n{root.text(f'/proc/{pid}/cgroup')}"


def cgroups(root: Root) -> Question:
    """Return the question for the cgroups of containers: their paths, one per line."""
    return Question("cgroups", "all", partial(_cgroups, root))


def _cgroups(root: Root) -> str:
    """Walk one hierarchy: cgroup v2's, or of v1 that of the processor; some end meanwhile."""
    top = root.place(_CGROUPS)
    start = next((top / name for name in ("cpu", "cpu,cpuacct") if (top / name).is_dir()), top)
    if not any(start.iterdir()):
        raise InputError("nothing is mounted there")
    found = (f"{directory}/{name}" for directory, names, _ in os.walk(start) for name in names)
    return "".join(f"{path.removeprefix(str(start))}\n" for path in found if _CONTAINER.search(path))


def holders(root: Root, processes: Probe) -> list[Question]:
    """Return the questions for the arguments of shims and the like."""
    return [
        Question("arguments", pid, partial(_arguments, root, pid))
        for pid, name in _named(processes)
        if _HOLDERS.match(name)
    ]


def _named(processes: Probe) -> Iterator[tuple[str, str]]:
    for line in (processes.text or "").splitlines():
        words = line.split(maxsplit=3)
        if len(words) > 3:
            yield words[0], words[3]


def _arguments(root: Root, pid: str) -> str:
    return root.text(f"/proc/{pid}/cmdline").replace("\n", " ").replace("\0", "\n")


def kubelet(processes: Probe) -> str:
    """Return the id of the kubelet's process; empty where none runs."""
    named = list(_named(processes))
    found = (pid for names in _KUBELETS for pid, name in named if name in names)
    return next(found, "")


def kubelet_probes(asking: Asking, root: Root, pid: str) -> list[Probe]:
    """Return the arguments and the version of the kubelet that runs."""
    if not pid:
        return [Probe("arguments", "kubelet"), Probe("version", "kubelet")]
    given = asking.ask(Question("arguments", "kubelet", partial(_arguments, root, pid)))
    if given.text is not None and "kubelet" not in given.text:
        first = given.text.partition("\n")[0][:80]
        given = Probe("arguments", "kubelet", problem=f"the kubelet is a part of another program, {first}")
    version: Callable[[], str] = partial(_version, root, pid, given.text or "", asking.each)
    return [given, asking.ask(Question("version", "kubelet", version))]


def _version(root: Root, pid: str, given: str, seconds: float) -> str:
    program = str(root.directory / "proc" / pid / "exe")
    words = ["kubelet"] if "hyperkube" in given.partition("\n")[0] else []
    try:
        said = programs.output([program, *words, "--version"], seconds).decode(errors="replace")
    except programs.FailedError as error:
        raise InputError(f"kubelet --version failed: {error}") from None
    first = said.partition("\n")[0]
    return re.sub(r"^(k3s version )?(v[0-9]\S*).*$", r"Kubernetes \2", first) + "\n"


def flag(arguments: Probe, name: str) -> str:
    """Return the value of a kubelet's flag, the last one; empty where it has none."""
    found, before = "", ""
    for line in (arguments.text or "").splitlines():
        word, given, value = line.lstrip("-").partition("=")
        if before == name and not line.startswith("-"):
            found = line
        if line.startswith("-") and word == name and given:
            found = value
        before = word if line.startswith("-") and not given else ""
    return found
