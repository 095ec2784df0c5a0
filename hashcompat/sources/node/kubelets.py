"""Which process of a node is its kubelet, which release it is of, and what systemd's units say of it.

A container gives its process whatever name, arguments and program it likes. So the name never suffices, and
nothing that /proc leads to is run.
"""

from __future__ import annotations

import errno
import os
import re
import shlex
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import pairwise, takewhile
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec

from hashcompat.core.errors import InputError
from hashcompat.core.go import yaml
from hashcompat.core.records.probes import BEFORE_COMMAND, KUBELET_UNIT, UNITS, Probe, in_order
from hashcompat.sources import programs
from hashcompat.sources.node import (
    NodeQuery,
    NodeReader,
    NoneSuchError,
    arguments,
    is_in_namespaces,
    is_of_root,
    mounts,
    named,
    state_of,
)
from hashcompat.sources.node.root import PROGRAMS, Root, why_not_run

_NAMED: Final = re.compile(r"^[ \t]*EnvironmentFile[ \t]*=[ \t]*-?(/[^\s*?\[%]*)[ \t\r]*$", re.MULTILINE)
"""A file without patterns and specifiers, which stand for other names."""


def variables(root: Root) -> Iterator[str]:
    """Yield the files that EnvironmentFile in ``kubelet.service`` and its drop-ins names."""
    for path in _everywhere(root):
        try:
            yield from _NAMED.findall(root.trusted_text(path))
        except (OSError, InputError):
            continue  # the question for the unit itself shows why


def _everywhere(root: Root) -> Iterator[str]:
    for place in UNITS:
        yield f"{place}/{KUBELET_UNIT}"
        yield from (f"{place}/{KUBELET_UNIT}.d/{name}" for name in _drop_ins(root, place, KUBELET_UNIT))


def _drop_ins(root: Root, place: str, unit: str) -> list[str]:
    try:
        return [name for name in root.names(f"{place}/{unit}.d") if name.endswith(".conf")]
    except OSError:
        return []


def program(root: Root, unit: str) -> str:
    """Return the program that a unit starts; empty where there is no unit.

    The first unit in the order of the directories counts, and of drop-ins with one name the first, sorted by
    their names. Raises InputError as ``started`` does, and where a part could not be read; and OSError.
    """
    return started((root.trusted_text(path) for path in _merged(root, unit)), unit)


def started(texts: Iterable[str], unit: str) -> str:
    """Return the program in a unit and its drop-ins (systemd.service, ``ExecStart``); empty without one.

    Raises InputError for several programs, and for one that depends on variables or specifiers.
    """
    command = _command(texts, unit)
    if not command:
        return ""
    words = _words(command)
    if not words or "%" in words[0] or "$" in words[0]:
        raise InputError(f"{unit} names no program without variables")
    return words[0]


def _command(texts: Iterable[str], unit: str) -> str:
    """Return the command in a unit and its drop-ins: an empty assignment forgets those before it."""
    commands: list[str] = []
    for line in (line for text in texts for line in _service(text)):
        key, equals, value = (part.strip() for part in line.partition("="))
        if equals and key == "ExecStart":
            # Two are enough to see that there are several. An empty one is how drop-ins replace the unit's
            # command.
            commands = [*commands[-1:], value] if value else []
    if len(commands) > 1:
        raise InputError(f"{unit} starts more than one program")
    return commands[0] if commands else ""


def _merged(root: Root, unit: str) -> Iterator[str]:
    """Return the unit and its drop-ins as systemd reads them; nothing where there is no unit."""
    paths = [path for place in UNITS if root.holds(path := f"{place}/{unit}")]
    if paths:
        paths += [f"{place}/{unit}.d/{name}" for place in UNITS for name in _drop_ins(root, place, unit)]
    return in_order(unit, paths)


def _service(text: str) -> Iterator[str]:
    """Yield the lines of the section [Service], each with those that continue it."""
    # Comments go first, then lines are joined, then sections are looked for: a comment within a line that is
    # continued does not end it (systemd.syntax(7)).
    section, held = "", list[str]()
    for row in text.split("\n"):
        line = row.strip()
        if line.startswith(("#", ";")):  # also between the lines of one that is continued
            continue
        held.append(line.removesuffix("\\"))
        if line.endswith("\\"):
            continue
        whole = " ".join(held)
        held.clear()
        if whole.startswith("["):
            section = whole
        elif section == "[Service]":
            yield whole


def _words(command: str) -> list[str]:
    """Return the words of a command; none where a quote has no end."""
    try:
        return shlex.split(command.lstrip(BEFORE_COMMAND))
    except ValueError:
        return []


_NAMES: Final = {
    "kubelet": "kubelet",
    "hyperkube": "hyperkube",
    "kubelite": "kubelite",
    "k3s": "k3s",
    "k3s-server": "k3s",
    "k3s-agent": "k3s",
}
"""The names of processes with a kubelet in them, and of their programs."""
_VERBS: Final = {"hyperkube": ("kubelet",), "k3s": ("server", "agent")}
"""What programs that do other things too are called with for a kubelet, by the names of processes."""
_UNITS: Final = {
    "kubelet": (KUBELET_UNIT,),
    "hyperkube": (KUBELET_UNIT,),
    "k3s": ("k3s.service", "k3s-agent.service"),
    "kubelite": (),
}
_ENDED: Final = ("Z", "X")
_LOOKS, _BETWEEN = 3, 0.1
"""How often a process is looked at that does not show whether it is the node's, and the seconds between."""
_OF_CONTAINER: Final = re.compile(
    r"kubepods|cri-containerd|[0-9a-f]{64}"
    r"|/(docker/.|docker-.+\.scope|crio-|libpod|lxc(/|\.|$)|machine\.slice(/|$)|nerdctl-|pod[0-9a-f]{8}-)"
)
"""What is in the path of a container's cgroup, or of a pod's."""
_LOCAL_FILE_SYSTEMS: Final = frozenset(
    ("bcachefs", "btrfs", "composefs", "erofs", "ext2", "ext3", "ext4", "f2fs", "squashfs", "xfs", "zfs")
)
"""Types of file systems on a node's own disks."""
_MERGED: Final = ("/", "/usr", "/opt")
"""Where an overlay is the node's own: the / of a node that is a container, systemd-sysext."""
_RELEASE: Final = re.compile(r"(?:Kubernetes|k3s version) (v[0-9]\S*)")
_ENVIRONMENT: Final = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"}


class _Process(msgspec.Struct, frozen=True):
    pid: str
    parent: str
    name: str


def find(asking: NodeReader, root: Root, processes: Probe) -> Probe:
    """Return a probe with the id of the kubelet's process; absent where none runs.

    It is one of root in the mount and the user namespace of process 1, in no container's cgroup. Two are a
    problem, and so is one of which that is unknown; nothing of theirs is read.
    """
    return asking.ask(NodeQuery("process", "kubelet", partial(_only, root, processes)))


def _only(root: Root, processes: Probe) -> str:
    candidates = (
        _Process(pid, parent, name)
        for pid, parent, state, name in named(processes)
        if name in _NAMES and state not in _ENDED
    )
    kubelets = [row for row in candidates if _counts(root, row)]
    pids = {row.pid for row in kubelets}
    kubelets = [row for row in kubelets if row.parent not in pids]  # forked, and not yet another program
    if len(kubelets) > 1:
        number = "two" if len(kubelets) == 2 else str(len(kubelets))
        raise InputError(
            f"{number} processes could be the kubelet: pids {', '.join(row.pid for row in kubelets)}; "
            "neither is believed: end the one that is not the kubelet"
        )
    if not kubelets:
        raise NoneSuchError("no kubelet runs")
    return f"{kubelets[0].pid} {_NAMES[kubelets[0].name]}"


def _counts(root: Root, process: _Process) -> bool:
    """Return whether a process is the node's own; what shows a container's is looked at first.

    Raises InputError where that is unknown, of a process that still runs.
    """
    why = ""
    for _ in range(_LOOKS):
        try:
            return (
                is_of_root(root, process.pid)
                and is_outside(root.text(f"/proc/{process.pid}/cgroup"), root.text("/proc/1/cgroup"))
                and is_in_namespaces(root, process.pid)
                and _is_called_so(root, process)
            )
        except OSError as error:
            # It ended while it was looked at, which is no reason to doubt the others.
            if _has_ended(root, process.pid):
                return False
            why = (error.strerror or type(error).__name__).lower()
        # One that ends has no namespaces a moment before it is gone: EACCES, to root too.
        time.sleep(_BETWEEN)
    raise InputError(
        f"whether process {process.pid} is the kubelet is unknown: {why}; run as root of the node"
    )


def _has_ended(root: Root, pid: str) -> bool:
    """Return whether a process is gone, or a zombie, which has no namespaces until its parent asks for it."""
    try:
        return state_of(root, pid) in _ENDED
    except OSError:
        return not root.holds(f"/proc/{pid}/stat")


def is_outside(cgroups: str, of_first: str) -> bool:
    """Return whether a process is in no container's cgroup, as seen from process 1.

    A node may itself be a container (kind): what both paths begin with is the node's. A path with more or
    fewer ``..`` than that of process 1 leads out of the node, or into the container of whoever looks.
    """
    first = dict(_paths(of_first))
    if first and not cgroups:
        raise OSError(errno.ENODATA, "no cgroups are shown of it")
    for hierarchy, path in _paths(cgroups):
        base = first.get(hierarchy, [])
        # Each .. is a step above the root of the cgroup namespace of whoever looks (cgroup_namespaces(7)).
        if path.count("..") != base.count(".."):
            return False
        common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(path, base, strict=False)))
        if _OF_CONTAINER.search("/" + "/".join(path[common:])):
            return False
    return True


def _paths(cgroups: str) -> Iterator[tuple[str, list[str]]]:
    for row in filter(None, cgroups.split("\n")):
        _, hierarchy, path = [*row.split(":", 2), "", ""][:3]
        yield hierarchy, [name for name in path.split("/") if name]


def _is_called_so(root: Root, process: _Process) -> bool:
    verbs = _VERBS.get(process.name)
    return verbs is None or any(word in verbs for word in arguments(root, process.pid).split()[1:2])


def probes(asking: NodeReader, root: Root, which: Probe) -> list[Probe]:
    """Return the arguments and the release of the kubelet that ``find`` found."""
    if which.text is None:
        return [Probe(kind, "kubelet", problem=which.problem) for kind in ("arguments", "version")]
    pid, _, name = which.text.partition(" ")
    command_line = asking.ask(NodeQuery("arguments", "kubelet", partial(arguments, root, pid)))
    # k3s and kubelite run the kubelet in their own process, whose arguments are theirs.
    if name == "kubelite" and (own := _of_microk8s(root)):
        command_line = Probe("arguments", "kubelet", own)
    elif command_line.text is not None and "kubelet" not in command_line.text:
        first = command_line.text.partition("\n")[0][:80]
        command_line = Probe(
            "arguments", "kubelet", problem=f"the kubelet is a part of another program, {first}"
        )
    version = asking.ask(NodeQuery("version", "kubelet", partial(_version, root, pid, name, asking.seconds)))
    of_k3s = [asking.ask(NodeQuery("arguments", "k3s", partial(_of_k3s, root)))] if name == "k3s" else []
    return [command_line, version, *of_k3s]


_K3S: Final = "/etc/rancher/k3s/config.yaml"

_K3S_FLAGS: Final = {
    "kubelet-arg": "--{}",
    "node-label": "--node-labels={}",
    "container-runtime-endpoint": "--container-runtime-endpoint={}",
    "protect-kernel-defaults": "--protect-kernel-defaults={}",
}
"""What k3s is given for its kubelet, by the names of its own flags; nothing else of it is shown."""


def _of_k3s(root: Root) -> str:
    """Return the arguments that k3s is given for its kubelet, one per line: by its unit, and by its files.

    A flag takes the place of what the files have, and each file of what those before it have, unless its key
    ends with + (k3s pkg/configfilearg/parser.go). Raises InputError, and OSError, for what cannot be read.
    """
    unit = next(
        (service for service in _UNITS["k3s"] if any(root.holds(f"{place}/{service}") for place in UNITS)), ""
    )
    command = _command((root.trusted_text(path) for path in _merged(root, unit)), unit)
    words = _words(command)
    if not words or "$" in command or "%" in command:
        raise InputError("no unit shows what it is started with")
    flags: dict[str, list[str]] = {}
    for word, after in pairwise([*words[1:], "--"]):
        name, equals, value = word.lstrip("-").partition("=")
        if word.startswith("-"):
            flags.setdefault(name, []).append(value if equals else "true" if after.startswith("-") else after)
    if not flags.keys().isdisjoint(("config", "c")):
        raise InputError("it is started with a configuration file other than its own")
    settings: dict[str, list[str]] = {}
    for path in (_K3S, *_drop_ins_of_k3s(root)):
        for key, values in _of_file(root, path).items():
            name = key.removesuffix("+")
            settings[name] = [*(settings.get(name, []) if key != name else []), *values]
    lines = (
        form.format(value)
        for name, form in _K3S_FLAGS.items()
        for value in flags.get(name, settings.get(name, []))
    )
    return "\n".join(["k3s", *lines, ""])


def _drop_ins_of_k3s(root: Root) -> list[str]:
    try:
        names = root.trusted_names(f"{_K3S}.d")
    except FileNotFoundError:
        return []
    return [f"{_K3S}.d/{name}" for name in sorted(names) if name.endswith((".yaml", ".yml"))]


def _of_file(root: Root, path: str) -> dict[str, list[str]]:
    """Return what a configuration file of k3s has for its kubelet, by the keys; nothing without the file."""
    try:
        document = yaml.first(root.trusted_text(path), [])
    except FileNotFoundError:
        return {}
    rows = document.items() if isinstance(document, Mapping) else ()
    wanted = ((key, value) for key, value in rows if str(key).removesuffix("+") in _K3S_FLAGS)
    return {
        key: [_text(element) for element in (value if isinstance(value, list) else [value])]
        for key, value in wanted
    }


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


_MICROK8S: Final = "/var/snap/microk8s/current/args/kubelet"
"""The arguments that kubelite gives its kubelet, a few per line, with variables of snapd."""

_SNAPD: Final = {
    "SNAP_DATA": "/var/snap/microk8s/current",
    "SNAP_COMMON": "/var/snap/microk8s/common",
    "SNAP": "/snap/microk8s/current",
}
"""The variables, the one whose name others begin with last."""


def _of_microk8s(root: Root) -> str:
    """Return the arguments of a kubelet within kubelite, one per line; empty where the file is not read.

    As kubelite takes them from the file (``ReadArgsFromFile`` in MicroK8s's 0000-Kubelite-integration.patch).
    """
    try:
        text = root.trusted_text(_MICROK8S)
    except (OSError, InputError):
        return ""
    kept = "\n".join(line for line in text.split("\n") if not line.strip().startswith("#"))
    for name, value in _SNAPD.items():
        kept = kept.replace(f"${{{name}}}", value).replace(f"${name}", value)
    return "\n".join(["kubelet", *kept.translate(_QUOTES).split(), ""])


_QUOTES: Final = str.maketrans("", "", "\"'")


def _version(root: Root, pid: str, name: str, seconds: float) -> str:
    words = ["kubelet"] if (place := _program(root, pid, name)).name == "hyperkube" else []
    command = [str(place), *words, "--version"]
    try:
        said = programs.output(command, seconds, directory="/", environment=_ENVIRONMENT).decode(
            errors="replace"
        )
    except programs.ExitCodeError as error:
        raise InputError(f"kubelet --version failed: {error}") from None
    # Said as Kubernetes says it whatever was asked, so that a dump has one form.
    if release := _RELEASE.match(said):
        return f"Kubernetes {release[1]}\n"
    raise InputError("kubelet --version gave no release")


def _program(root: Root, pid: str, name: str) -> Path:
    """Return where the program of the kubelet that runs is: what its unit names, else one of PROGRAMS.

    Nobody but root can have written it, it is on the node's own disk, and it is the one that runs: a package
    may have replaced it since. Raises InputError with why there is none.
    """
    why = f"no program {name} is where its unit or a distribution puts it"
    for path in _programs(root, name):
        try:
            place, seen = root.trusted_place(path, why_not_run)
        except FileNotFoundError:
            continue
        why = _why_not(root, place, seen) or (
            "" if _runs(root, pid, seen) else f"{path} is not what runs: it was replaced"
        )
        if not why:
            return place
    raise InputError(f"kubelet --version was not asked: {why}; give --from, or the Node object")


def _programs(root: Root, name: str) -> list[str]:
    """Return the paths of programs: of a unit that starts one of PROGRAMS that one alone."""
    for unit in _UNITS[name]:
        path = program(root, unit)
        if PurePosixPath(path).name in PROGRAMS:
            return [path]
    return [f"{directory}/{name}" for directory in PROGRAMS[name]]


def _why_not(root: Root, place: Path, seen: os.stat_result) -> str:
    path = "/" + str(place.relative_to(root.directory))
    if not stat.S_ISREG(seen.st_mode) or not seen.st_mode & stat.S_IXUSR:
        return f"{path} is not a program"
    # What the node's / is on is the node's own, whatever kind of file system that is.
    if seen.st_dev == root.directory.stat().st_dev:
        return ""
    above = [row for row in mounts(root) if PurePosixPath(path).is_relative_to(row[0])]
    where, kind = max(above, key=lambda row: len(row[0]), default=("", ""))
    is_own = kind in _LOCAL_FILE_SYSTEMS or (kind == "overlay" and where in _MERGED)
    return "" if is_own else f"{path} is on no disk of the node"


def _runs(root: Root, pid: str, seen: os.stat_result) -> bool:
    """Return whether a program is the one of a process; it is compared, and not run."""
    link = root.directory / "proc" / pid / "exe"
    if not link.is_symlink():  # no kernel's /proc
        return True
    return os.path.samestat(link.stat(), seen)
