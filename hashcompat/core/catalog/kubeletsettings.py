"""What kubelets are given: the flags, the fields of the config file and their values that releases accept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final

import msgspec

from hashcompat.core.catalog.files import DataFiles, fitted, named_rows
from hashcompat.core.catalog.releases import Range, parse_range
from hashcompat.core.release import Release, parse_release

# The command line that kubelets accept: the rows of kubeletflags.json.
#
# A kubelet parses its flags before anything else and ends with an error at one that it does not know. Source:
# ``NewKubeletCommand`` in cmd/kubelet/app/server.go (1.10 - 1.37), ``main`` in cmd/kubelet/kubelet.go before.

_WITHOUT_VALUE: Final = ("bool", "version")
"""The kinds of flags that are complete without a value."""

_REPLACED: Final = "register-with-taints"
"""A list of which the last one counts (``Set`` of taintsVar, pkg/util/taints/taints.go, 1.10 - 1.37)."""

_RESERVED_MEMORY: Final = "reserved-memory"
"""A list whose elements have commas (``Set`` of ReservedMemoryVar, pkg/util/flag/flags.go, 1.21 - 1.37)."""


class Flag(msgspec.Struct, frozen=True):
    """What a flag is in some releases."""

    name: str
    """Its name, with - between words."""
    releases: Range
    kind: str
    """``bool``, ``string``, ``duration``, ``int``, ``float``, ``map``, ``list``, ``quantity`` or
    ``version``."""
    deprecated: bool = False
    """Whether a kubelet logs a warning when it is used."""
    hidden: bool = False
    """Whether ``--help`` leaves it out, though it is not deprecated."""
    shorthand: str = ""
    """The letter that can be written for it (``-v``); empty for most."""
    type: str = ""
    """The Go type of a number: ``int32``, ``uint``; empty for one of 64 bits with a sign, and for others."""

    @property
    def takes_value(self) -> bool:
        """Whether the next argument is its value where it has no =: ``--v 4``, but ``--runonce`` alone."""
        return self.kind not in _WITHOUT_VALUE

    def joined(self, before: str, value: str) -> str:
        """Return the value of the flag where it is given once more: lists and maps have both."""
        if self.kind not in ("list", "map") or self.name == _REPLACED:
            return value
        return (";" if self.name == _RESERVED_MEMORY else ",").join(filter(None, (before, value)))


class FlagTable:
    """The rows of kubeletflags.json, read when they are first asked for.

    Names are as a user writes them: kubelets read ``_`` as ``-`` (``WordSepNormalizeFunc``).
    """

    def __init__(self, data: DataFiles) -> None:
        self._data = data
        self._flags: dict[str, Mapping[str, Flag]] = {}

    @cached_property
    def _rows(self) -> Mapping[str, tuple[Flag, ...]]:
        rows = named_rows(self._data.table("kubeletflags")["flags"], "name")
        return fitted("kubeletflags.json", rows, dict[str, tuple[Flag, ...]])

    def flags(self, release: Release) -> Mapping[str, Flag]:
        """Return the flags that a release accepts, by name; empty for releases before 1.6."""
        if release.upstream not in self._flags:
            accepted = (flag for rows in self._rows.values() for flag in rows if flag.releases.holds(release))
            self._flags[release.upstream] = {flag.name: flag for flag in accepted}
        return self._flags[release.upstream]

    def find(self, release: Release, name: str) -> Flag | None:
        """Return what a flag is in a release; None where the release does not accept it."""
        return self.flags(release).get(dashed(name))

    def by_shorthand(self, release: Release, letter: str) -> Flag | None:
        """Return the flag that one letter is written for in a release, or None."""
        return next((flag for flag in self.flags(release).values() if flag.shorthand == letter), None)

    def accepts(self, release: Release, name: str) -> bool:
        """Return whether a kubelet of a release starts with the flag."""
        return self.find(release, name) is not None

    def takes_value(self, name: str) -> bool:
        """Return whether a flag never was complete without a value, in any release."""
        rows = self._rows.get(dashed(name), ())
        return bool(rows) and all(flag.takes_value for flag in rows)

    def find_any(self, name: str) -> Flag | None:
        """Return a flag of the newest release that has it; None where none does."""
        rows = self._rows.get(dashed(name), ())
        return rows[-1] if rows else None

    def removed_in(self, release: Release, name: str) -> str:
        """Return the release in or before ``release`` that removed a flag; empty where none did."""
        return "" if self.accepts(release, name) else _end(self._rows.get(dashed(name), ()), release)

    def nearest(self, release: Release, name: str) -> list[str]:
        """Name up to three flags of a release that are written almost like a name, the nearest first."""
        from difflib import get_close_matches  # noqa: PLC0415

        return get_close_matches(dashed(name), self.flags(release), n=3, cutoff=0.7)


def dashed(name: str) -> str:
    """Return the name of a flag with - between words, as kubelets read _ too."""
    return name.replace("_", "-")


def _end(rows: Iterable[Flag | ConfigField], release: Release) -> str:
    """Return the last release up to one with which a row ends; empty where none does."""
    ends = (row.releases.until for row in rows)
    passed = [end for end in ends if end and parse_range(f">={end}").holds(release)]
    return passed[-1] if passed else ""


# The config file of kubelets: the rows of kubeletconfig.json.
#
# Since 1.17 a kubelet decodes it strictly. Where that fails for unknown or repeated fields alone, it decodes
# leniently and logs a warning: v1beta1 is the only version, and such a field never keeps a kubelet
# from starting (``DecodeKubeletConfiguration`` in pkg/kubelet/kubeletconfig/util/codec/codec.go, 1.17 -
# 1.37). Up to 1.16 such fields are dropped in silence. A value of another kind is an error in every release.


class ConfigField(msgspec.Struct, frozen=True):
    """What a field of the config file is in some releases."""

    path: str
    """Where it is: ``authentication.anonymous.enabled``, ``registerWithTaints[].key``."""
    releases: Range
    kind: str
    """``object``, ``list``, ``map``, ``string``, ``bool``, ``int``, ``float``, ``duration``, ``time`` or
    ``quantity``."""
    type: str = ""
    """The Go type of a number: ``int32``, ``uint8``; empty for one of 64 bits with a sign, and for others."""
    of: str = ""
    """The kind of what is in a list or map; empty for others."""


class ConfigVersion(msgspec.Struct, frozen=True, rename="camel"):
    """How some releases read a config file."""

    releases: Range
    api_version: str
    """What the file gives as apiVersion."""
    flag: str
    """The flag that names the file, or the directory that it is in."""


class _Decoding(msgspec.Struct, frozen=True):
    releases: Range
    unknown: str


class ConfigTable:
    """The rows of kubeletconfig.json, read when they are first asked for."""

    def __init__(self, data: DataFiles) -> None:
        self._data = data
        self._fields: dict[str, Mapping[str, ConfigField]] = {}

    @cached_property
    def _rows(self) -> Mapping[str, tuple[ConfigField, ...]]:
        rows = named_rows(self._data.table("kubeletconfig")["fields"], "path")
        return fitted("kubeletconfig.json", rows, dict[str, tuple[ConfigField, ...]])

    @cached_property
    def _versions(self) -> tuple[ConfigVersion, ...]:
        return self._data.rows("kubeletconfig", tuple[ConfigVersion, ...], "versions")

    @cached_property
    def _decoding(self) -> tuple[_Decoding, ...]:
        return self._data.rows("kubeletconfig", tuple[_Decoding, ...], "decoding")

    def version(self, release: Release) -> ConfigVersion | None:
        """Return how a release reads its config file; None where it reads none (up to 1.7)."""
        return next((row for row in self._versions if row.releases.holds(release)), None)

    def on_unknown(self, release: Release) -> str:
        """Return what is done to an unknown field: ``dropped``, ``warned``, ``refused``; empty up to 1.7."""
        return next((row.unknown for row in self._decoding if row.releases.holds(release)), "")

    def fields(self, release: Release) -> Mapping[str, ConfigField]:
        """Return the fields that a release knows, by path."""
        if release.upstream not in self._fields:
            rows = (row for rows in self._rows.values() for row in rows if row.releases.holds(release))
            self._fields[release.upstream] = {row.path: row for row in rows}
        return self._fields[release.upstream]

    def removed_in(self, release: Release, path: str) -> str:
        """Return the release in or before ``release`` that removed a field; empty where none did."""
        return "" if path in self.fields(release) else _end(self._rows.get(path, ()), release)

    def unknown_in(self, release: Release, document: Mapping[str, Any]) -> Iterator[str]:
        """Yield the path of each field of a config file that a release does not know.

        What is below such a field is not looked at. Values of another kind than their field are passed over.
        """
        return _unknown(self.fields(release), document, "")


def _unknown(fields: Mapping[str, ConfigField], document: Mapping[str, Any], prefix: str) -> Iterator[str]:
    for name, value in document.items():
        path = f"{prefix}{name}"
        kind = fields[path].kind if path in fields else ""
        if not kind:
            yield path
        elif kind == "object" and isinstance(value, dict):
            yield from _unknown(fields, value, f"{path}.")
        elif kind == "list" and isinstance(value, list):
            for element in value:
                yield from _unknown(fields, element if isinstance(element, dict) else {}, f"{path}[].")


# The values with which kubelets do not start: the rows of kubeletvalues.json.
#
# A kubelet checks its flags and its configuration, with the defaults filled in, before anything else, and
# ends with an error (``ValidateKubeletConfiguration`` in pkg/kubelet/apis/config/validation/validation.go
# and ``ValidateKubeletFlags`` in cmd/kubelet/app/options/options.go, 1.15 - 1.37). Each row names its own
# source.

Scalar = bool | int | float | str


class SettingReference(msgspec.Struct, frozen=True, rename={"values": "is", "only_above": "onlyAbove"}):
    """Another setting that decides about a value."""

    field: str
    """Its path in the configuration file."""
    flag: str = ""
    """The flag that wins over it; empty where there is none."""
    values: tuple[Scalar, ...] = ()
    """The values that count; empty for every one."""
    default: Any = None
    """What a kubelet takes where it is not given."""
    unset: tuple[Scalar, ...] = ()
    """The values that are as good as none."""
    only_above: Scalar | None = None
    """What a number or duration has to be greater than to count; None where any counts."""


class Bounds(msgspec.Struct, frozen=True):
    """The numbers or durations that are accepted; durations as Go writes them."""

    least: int | float | str | None = None
    """The smallest one."""
    most: int | float | str | None = None
    """The largest one."""
    above: int | float | str | None = None
    """The number that it has to be greater than."""


class MostNodes(msgspec.Struct, frozen=True):
    """How many NUMA nodes a host may have."""

    most: int
    """So many by default."""
    option: str = ""
    """The key of topologyManagerPolicyOptions that sets another number; empty for none."""


class Labels(msgspec.Struct, frozen=True):
    """The labels in the namespaces of Kubernetes that a kubelet sets on its own node."""

    allowed: frozenset[str]
    """Their keys."""
    namespaces: tuple[str, ...]
    """Namespaces in which, and below which, every key is accepted."""


class Sysctls(msgspec.Struct, frozen=True):
    """The settings of the kernel that are known to be of a namespace."""

    names: frozenset[str]
    """Their names, with dots."""
    prefixes: tuple[str, ...]
    """How others begin."""


class ValueRow(msgspec.Struct, frozen=True, rename="camel"):
    """What some releases ask of the value of a flag or a field; one of the forms is given."""

    releases: Range
    source: str
    """The Go file and the releases in which it was read."""
    field: str = ""
    """The path in the configuration file; empty for a flag alone."""
    flag: str = ""
    """The flag, which wins over the field; empty for a field alone."""
    with_gate: str = ""
    """The feature gate that has to be on for the row to count; empty for none."""
    without_gate: str = ""
    """The feature gate that has to be off for the row to count; empty for none."""
    only_with: SettingReference | None = None
    """The other setting that has to have one of its values for the row to count."""
    having: frozenset[str] = frozenset()
    """The elements of a list, or keys of a map that are true, of which one has to be there for the row to
    count; empty where any list or map counts."""
    unset: tuple[Scalar, ...] = ()
    """The values that are as good as none."""
    only_above: Scalar | None = None
    """What a number or duration has to be greater than for the row to count; None where any does."""
    default: Any = None
    """What a kubelet takes where it is not given, for forms that compare it with another setting."""
    excepted: tuple[Scalar, ...] = msgspec.field(default=(), name="except")
    """The values that are accepted in spite of the form."""
    one_of: tuple[Scalar, ...] = ()
    """Form: the accepted values, or elements of a list."""
    keys_one_of: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Form: the accepted keys of a map, each with the feature gate that it needs or an empty text."""
    needs_gate: str = ""
    """Form: the feature gate without which it may not be given."""
    needs_gate_in_flags: str = ""
    """Form: the feature gate without which a flag may not be given, set by a flag: no file is read yet."""
    range: Bounds | None = None
    """Form: the limits."""
    multiple_of: int = 0
    """Form: what a number is a multiple of."""
    at_most_field: SettingReference | None = None
    """Form: the setting that it may not be more than."""
    less_than_field: SettingReference | None = None
    """Form: the setting that it has to be less than."""
    more_than_field: SettingReference | None = None
    """Form: the setting that it has to be more than."""
    not_with: SettingReference | None = None
    """Form: the setting with whose values it may not be given."""
    needs_field: SettingReference | None = None
    """Form: the setting that has to be given too."""
    values_are: str = ""
    """Form: the kind of a map's values: ``quantity``, ``threshold``, ``reclaim``, ``duration`` or
    ``percentage``."""
    keys_are: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Form: what the value of a key has to be, by key: ``boolean`` or ``8 or more``."""
    keys_in: SettingReference | None = None
    """Form: the map that has to have each key of this one whose value is a threshold that counts."""
    format: str = ""
    """Form: what a text has to be: ``cpus``, an ``absolute path``, a ``whole quantity``, the ``previous
    minor`` of the release, ``node IPs``, ``one node IP``, ``single-stack node IP``, ``unix endpoint``,
    ``tracing endpoint`` or ``cgroup below the root``; or each of a list, ``image patterns`` or ``whole image
    patterns``."""
    alone: str = ""
    """Form: the element that has to be the only one of a list."""
    unique: bool = False
    """Form: whether no element of a list may be in it twice."""
    not_together: tuple[str, ...] = ()
    """Form: elements of a list, or keys of a map that are true, of which there may be one."""
    labels: Labels | None = None
    """Form: the labels that a kubelet sets on its own node."""
    valid_labels: bool = False
    """Form: whether each name and value of a map has to be one of a label."""
    taints: str = ""
    """Form: that each element is a taint; of a flag ``whole``, with ``optional effect``, or ``once``."""
    memory_of_nodes: bool = False
    """Form: whether a list reserves memory and huge pages alone, some of each, and once for a NUMA node."""
    not_on_cgroup_v1: tuple[Scalar, ...] = ()
    """Form: the values that need a host with cgroup v2."""
    cpus_exist: str = ""
    """Form: which CPUs of the host those of a set have to be: ``online``, or ``below their number``."""
    nodes_exist: bool = False
    """Form: whether each row of reservedMemory has to be of a NUMA node of the host."""
    most_nodes: MostNodes | None = None
    """Form: how many NUMA nodes the host may have."""
    sysctls: Sysctls | None = None
    """Form: what the elements of a list, names or the beginnings of names with ``*``, have to be."""
    reserved: str = ""
    """Form: the resource of which some has to be reserved, ``cpu``, or just that of reservedMemory."""
    needs_variable: str = ""
    """Form: the environment variable without which the flag is refused."""
    drop_ins_need: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Form: the fields without which, and without whose values, a file of the directory is refused."""

    @property
    def words(self) -> Iterator[str]:
        """The words that the row knows: accepted values, keys and exceptions."""
        settings = (self.only_with, self.not_with)
        values = (*self.one_of, *self.excepted, *self.keys_one_of, *self.having, *self.not_together)
        values = (*values, *self.not_on_cgroup_v1)
        yield from (word for word in values if isinstance(word, str))
        for setting in settings:
            yield from (word for word in (setting.values if setting else ()) if isinstance(word, str))


_FIRST: Final = parse_release("1.10.0")
"""The first release whose values are known."""


class ValueTable:
    """The rows of kubeletvalues.json, read when they are first asked for."""

    def __init__(self, data: DataFiles) -> None:
        self._data = data

    @cached_property
    def _rows(self) -> tuple[ValueRow, ...]:
        return self._data.rows("kubeletvalues", tuple[ValueRow, ...], "rows")

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word that some release accepts somewhere, so that it can be shown."""
        return frozenset(word for row in self._rows for word in row.words)

    def knows(self, release: Release) -> bool:
        """Return whether it is known what a release asks of values: it is from 1.10 on."""
        return any(row.releases.holds(release) for row in self._rows)

    def rows(self, release: Release) -> tuple[ValueRow, ...]:
        """Return what a release asks of values; of one before those that are known, what the first one asks.

        Each release asks nearly all that the one before it does, and more.
        """
        asked = release if self.knows(release) else _FIRST
        return tuple(row for row in self._rows if row.releases.holds(asked))
