"""The kubelet of a node: its command line and its configuration file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from hashcompat.errors import InputError
from hashcompat.go import yaml
from hashcompat.records.probes import AbsentError, Dump, UnreadError, lines

ARGUMENTS: Final = "kubelet"
"""The name of the probe of the kubelet's arguments, of kind ``arguments``: one per line."""

_CONFIG: Final = "config"


def flags(dump: Dump) -> Mapping[str, str]:
    """Read the command line of the kubelet that runs.

    Go's flags: ``--name=value``, ``--name value``, and ``--name`` alone for a truth value; the last counts.
    """
    return flags_of(lines(dump.read("arguments", ARGUMENTS))[1:])


def flags_of(words: Sequence[str]) -> Mapping[str, str]:
    """Read the flags among arguments."""
    found: dict[str, str] = {}
    for word, after in pairwise([*words, "--"]):
        name, given, value = word.lstrip("-").partition("=")
        if word.startswith("-"):
            found[name] = value if given else "true" if after.startswith("-") else after
    return found


_EMBEDDING: Final = frozenset({"k3s", "kubelite", "edgecore"})
"""Programs that run a kubelet within themselves, and give it flags that no command line shows."""


def check_own_flags(dump: Dump) -> None:
    """Raise UnreadError where the kubelet is part of another program."""
    program = dump.read("arguments", ARGUMENTS).partition("\n")[0].rpartition("/")[2]
    if program in _EMBEDDING:
        raise UnreadError(f"the kubelet is part of {program}, whose command line does not show its flags")


def config(dump: Dump, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Read the configuration file that the flags name."""
    path = given.get(_CONFIG)
    if not path:
        return {}
    try:
        found = list(yaml.load_all(dump.read("file", path)))
    except AbsentError:
        raise UnreadError(f"{path}: the kubelet's configuration file is missing") from None
    except InputError as error:
        raise UnreadError(f"{path}: {error}") from None
    if len(found) != 1 or not isinstance(found[0], Mapping):
        raise UnreadError(f"{path}: want one KubeletConfiguration")
    return found[0]
