"""The kubelet of a node: its flags, its configuration file, and what both set.

Flags are read twice: as those of a kubelet that runs, which accepted all of them, and as another release
takes the same arguments apart (github.com/spf13/pflag ``parseArgs``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.analysis.preflight.facts.host import node_of_certificates
from hashcompat.analysis.preflight.facts.units import UnitArgument
from hashcompat.core.catalog.behaviour import BOOLEANS, Settings
from hashcompat.core.catalog.kubeletsettings import Flag, FlagTable, dashed
from hashcompat.core.errors import DecodeError, InputError
from hashcompat.core.go import quantity, yaml
from hashcompat.core.model.pods import Node
from hashcompat.core.records.probes import (
    KUBELET_ROOT,
    NO_CONFIGURATION,
    AbsentError,
    Dump,
    Probe,
    UnparsedError,
    UnreadError,
    lines,
)
from hashcompat.core.release import Release
from hashcompat.core.shown import MASK

ARGUMENTS: Final = "kubelet"
"""The name of the probe of the kubelet's arguments, of kind ``arguments``: one per line."""

_EMBEDDING: Final = frozenset({"k3s", "kubelite", "edgecore"})
"""Programs that run a kubelet within themselves, and give it flags that no command line shows."""


def flags(dump: Dump, table: FlagTable | None = None) -> Mapping[str, str]:
    """Read the command line of the kubelet that runs, by the names of flags with - between words.

    Go's flags: ``--name=value``, ``--name value``, and ``--name`` alone for a truth value. The last one
    counts; of lists and maps all do. Without ``table`` any flag may be complete, or have the next argument.
    """
    return _joined(_flags_among(lines(dump.read("arguments", ARGUMENTS))[1:], table)[0], table)


def flags_to_start(words: Sequence[str], table: FlagTable | None) -> Mapping[str, str]:
    """Read the flags among arguments that no kubelet has accepted yet, as ``flags`` does.

    Raises UnparsedError where the last one has no value and needs one: no kubelet starts with that.
    """
    flag_values, unfinished = _flags_among(words, table)
    if unfinished:
        raise UnparsedError(f"--{unfinished}", "it has no value")
    return _joined(flag_values, table)


def _joined(flag_values: Iterable[tuple[str, str]], table: FlagTable | None) -> Mapping[str, str]:
    joined: dict[str, str] = {}
    for written, value in flag_values:
        name, flag = dashed(written), table.find_any(written) if table else None
        joined[name] = flag.joined(joined.get(name, ""), value) if flag else value
    return joined


_OF_K3S: Final = (
    "--container-runtime-endpoint=unix:///run/k3s/containerd/containerd.sock",
    "--eviction-hard=imagefs.available<5%,nodefs.available<5%",
    "--fail-swap-on=false",
)
"""What k3s gives its kubelet by itself, of what checks ask for (its pkg/daemons/agent/agent_linux.go)."""

_K3S_FLAGS: Final[Mapping[str, str]] = {
    "container-runtime-endpoint": "container-runtime-endpoint",
    "node-label": "node-labels",
}
"""The flags of k3s with values that it gives its kubelet, by their own names."""


K3S: Final = "k3s"
"""The name of the probe for what k3s is given for its kubelet, as arguments of that."""


def within_k3s(dump: Dump, node: Node | None, driver: Callable[[Dump], str]) -> Dump:
    """Return a dump with the arguments of a kubelet within k3s, where its Node object or the dump shows them.

    ``driver`` reads the cgroup driver of the runtime: k3s sets it, and the name of the node.
    """
    probe = dump.probe("arguments", ARGUMENTS)
    program = (probe.text or probe.problem).partition("\n")[0].partition(" server")[0].partition(" agent")[0]
    if program.rpartition("/")[2] != "k3s":
        return dump
    name = node.name if node is not None else node_of_certificates(dump)
    words = [*_OF_K3S, *([f"--hostname-override={name}"] if name else [])]
    if of_runtime := driver(dump):
        words.append(f"--cgroup-driver={of_runtime}")
    if node is not None and node.node_arguments is not None:
        words += _of_node(node.node_arguments)
    else:
        try:
            words += lines(dump.read("arguments", K3S))[1:]
        except (AbsentError, UnreadError):
            return dump
    arguments = Probe("arguments", ARGUMENTS, "\n".join(["kubelet", *words, ""]))
    return structs.replace(dump, probes={**dump.probes, ("arguments", ARGUMENTS): (arguments,)})


def _of_node(arguments: Sequence[str]) -> list[str]:
    """Return what the arguments of k3s make the kubelet's."""
    flag_values = flags_of_all(arguments)
    words = [f"--{_K3S_FLAGS[name]}={value}" for name, value in flag_values if name in _K3S_FLAGS]
    if ("protect-kernel-defaults", "true") in flag_values:
        words.append("--protect-kernel-defaults=true")
    return [*words, *(f"--{value}" for name, value in flag_values if name == "kubelet-arg")]


def flags_of_all(words: Sequence[str]) -> list[tuple[str, str]]:
    """Read the flags among arguments, each as often as it is there."""
    return _flags_among(words, None)[0]


def _flags_among(words: Sequence[str], table: FlagTable | None) -> tuple[list[tuple[str, str]], str]:
    """Return the flags among arguments, and the name of the one that waits for its value at their end."""
    flag_values, waiting = list[tuple[str, str]](), ""
    for word, after in pairwise([*words, "--"]):
        name, equals, value = word.lstrip("-").partition("=")
        if waiting:
            flag_values.append((waiting, word))
            waiting = ""
        elif word.startswith("-") and not equals and table is not None and table.takes_value(name):
            waiting = name
        elif word.startswith("-"):
            flag_values.append((name, value if equals else "true" if after.startswith("-") else after))
    return flag_values, waiting


def check_own_flags(dump: Dump) -> None:
    """Raise UnreadError where the kubelet is part of another program."""
    program = dump.read("arguments", ARGUMENTS).partition("\n")[0].rpartition("/")[2]
    if program in _EMBEDDING:
        raise UnreadError(f"the kubelet is part of {program}, whose command line does not show its flags")


def config(dump: Dump, flags: Mapping[str, str]) -> Mapping[str, Any]:
    """Read the configuration file that the flags name.

    Raises UnparsedError as ``configuration``, and where there is no such file (``loadConfigFile`` in
    cmd/kubelet/app/server.go, 1.10.13 - 1.37.1).
    """
    path = flags.get("config")
    if not path:
        return {}
    probe = dump.probe("file", path)
    if probe.problem == NO_CONFIGURATION:
        raise UnparsedError(path, "it is no KubeletConfiguration")
    try:
        return configuration(path, probe.read(), [])
    except AbsentError:
        raise UnparsedError(path, "it is missing") from None


def configuration(path: str, text: str, repeated: list[str]) -> Mapping[str, Any]:
    """Parse a configuration file; ``repeated`` takes the keys that are in it twice, of which the last counts.

    Raises UnparsedError for a text that no kubelet can parse (``DecodeKubeletConfiguration`` in
    pkg/kubelet/kubeletconfig/util/codec/codec.go and ``Load`` in ../configfiles/configfiles.go, 1.10.13 -
    1.37.1), and UnreadError where the collector hid something of it, which may be why.
    """
    try:
        document = yaml.first(text, repeated)
        why = "it is empty" if document is None else "it is no object"
    except InputError as error:
        document, why = None, str(error)
    if not isinstance(document, Mapping):
        if MASK in text:
            raise UnreadError(f"{path}: {why}")
        raise UnparsedError(path, why)
    return document


class FlagArgument(msgspec.Struct, frozen=True):
    """A flag as it was given."""

    name: str
    """Its name without dashes."""
    value: str
    """Its value; of one that is complete without, ``true``."""
    source: str
    """Where it was given."""
    definition: Flag | None
    """What it is in the release; None where the release does not accept it."""
    unfinished: bool = False
    """Whether it needs a value, and the arguments end with it."""


def flag_arguments(
    words: Iterable[UnitArgument], table: FlagTable, release: Release
) -> Iterator[FlagArgument]:
    """Yield the flags among arguments, as a release takes them; an unknown one may have the next argument."""
    all_flags = (
        argument for argument in _parsed(words, table, release) if isinstance(argument, FlagArgument)
    )
    return (flag for flag in all_flags if not flag.unfinished)


def unfinished(words: Iterable[UnitArgument], table: FlagTable, release: Release) -> list[FlagArgument]:
    """Return the flag that has no value though it needs one: the last argument, or none (pflag)."""
    all_flags = (
        argument for argument in _parsed(words, table, release) if isinstance(argument, FlagArgument)
    )
    return [flag for flag in all_flags if flag.unfinished]


def left_over(words: Iterable[UnitArgument], table: FlagTable, release: Release) -> list[UnitArgument]:
    """Return the arguments that are neither flags nor their values: a kubelet knows no commands."""
    return [argument for argument in _parsed(words, table, release) if isinstance(argument, UnitArgument)]


def _parsed(
    words: Iterable[UnitArgument], table: FlagTable, release: Release
) -> Iterator[FlagArgument | UnitArgument]:
    """Yield the flags among arguments, and the words that are none."""
    words = iter(words)
    waiting: FlagArgument | None = None
    for word in words:
        if waiting is not None and not (waiting.definition is None and word.text.startswith("-")):
            yield FlagArgument(waiting.name, word.text, waiting.source, waiting.definition)
            waiting = None
            continue
        if waiting is not None:
            yield waiting
            waiting = None
        if word.text == "--":
            yield from words
            return
        if word.text.startswith("-") and len(word.text) > 1:
            flag, whole = _flag(word, table, release)
            if whole:
                yield flag
            else:
                waiting = flag
        else:
            yield word
    if waiting is not None:
        yield structs.replace(waiting, unfinished=waiting.definition is not None)


def _flag(word: UnitArgument, table: FlagTable, release: Release) -> tuple[FlagArgument, bool]:
    """Return a flag, and whether no value follows it."""
    if word.text.startswith("--"):
        name, has_value, value = word.text[2:].partition("=")
        flag = table.find(release, name)
    else:
        name, has_value = word.text[1], word.text[2:]
        value, flag = has_value.removeprefix("="), table.by_shorthand(release, name)
    is_complete = flag is not None and not flag.takes_value
    value = "true" if is_complete and not has_value else value
    return FlagArgument(name, value, word.source, flag), bool(has_value) or is_complete


def root(flags: Mapping[str, str]) -> str:
    """Return the kubelet's root directory."""
    return (flags.get("root-dir") or KUBELET_ROOT).rstrip("/") or "/"


def chosen(flags: Mapping[str, str], flag: str, config: Mapping[str, Any], field: str, default: str) -> str:
    """Return a setting: that of a flag, else that of the configuration file, else the default."""
    return flags.get(flag) or str(config.get(field) or default)


def pairs(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names and values of ``A=x,B=y``; the value is empty where there is no =."""
    for part in text.split(","):
        name, _, value = part.strip().partition("=")
        if name.strip():
            yield name.strip(), value.strip()


def truth(value: object) -> bool | None:
    """Return a truth value as Go reads it; None for what is none."""
    return value if isinstance(value, bool) else BOOLEANS.get(value) if isinstance(value, str) else None


def gates(flags: Mapping[str, str], config: Mapping[str, Any]) -> Settings:
    """Return the feature gates that are set to a truth value; those of flags win over those of the file."""
    listed = config.get("featureGates")
    of_file = listed if isinstance(listed, Mapping) else {}
    # encoding/json reads null as false.
    values: dict[str, object] = {name: False if value is None else value for name, value in of_file.items()}
    values.update(pairs(flags.get("feature-gates", "")))
    settings = ((str(name), truth(value)) for name, value in values.items())
    return frozenset((name, value) for name, value in settings if value is not None)


def reserved_memory(flags: Mapping[str, str], config: Mapping[str, Any]) -> Mapping[int, int]:
    """Return the bytes of memory that are reserved by NUMA node (``--reserved-memory``, ``reservedMemory``).

    Raises DecodeError for anything else.
    """
    text = flags.get("reserved-memory")
    rows = _of_flag(text) if text else _of_config(config.get("reservedMemory"))
    reserved: dict[int, int] = {}
    for node, amount in rows:
        reserved[node] = reserved.get(node, 0) + amount
    return reserved


def _of_flag(text: str) -> Iterator[tuple[int, int]]:
    for part in text.split(";"):
        node, _, limits = part.partition(":")
        for name, amount in pairs(limits):
            if name == "memory":
                yield _node(node), _bytes(amount)


def _of_config(listed: object) -> Iterator[tuple[int, int]]:
    for row in listed if isinstance(listed, list) else ():
        limits = row.get("limits") if isinstance(row, Mapping) else None
        if isinstance(limits, Mapping) and "memory" in limits:
            yield _node(row.get("numaNode", 0)), _bytes(limits["memory"])


def _node(value: object) -> int:
    text = str(value).strip()
    if not text.isdecimal():
        raise DecodeError("not a NUMA node")
    return int(text)


def _bytes(value: object) -> int:
    number, scale = quantity.decimal(quantity.TYPE.decode(value))
    return int(number // 10**scale if scale > 0 else number * 10**-scale)
