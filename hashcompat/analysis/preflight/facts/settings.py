"""What the next kubelet is given, as one configuration: its file, those of --config-dir, and its flags."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from hashcompat.analysis.preflight.facts.kubelet import FlagArgument, configuration, gates, truth
from hashcompat.core import shown
from hashcompat.core.catalog.behaviour import Settings as GateSettings
from hashcompat.core.catalog.kubeletsettings import ConfigField
from hashcompat.core.errors import DecodeError
from hashcompat.core.go import quantity
from hashcompat.core.go.jsonpath import reach
from hashcompat.core.go.jsontext import Number, integer
from hashcompat.core.go.metav1 import parse_duration
from hashcompat.core.records.probes import NOT_COLLECTED, AbsentError, Dump, UnparsedError, UnreadError, lines

Documents = Sequence[tuple[str, Mapping[str, Any]]]
"""Configuration files by their paths, in the order in which a kubelet reads them."""

DROP_IN: Final = ".conf"
"""How the files of --config-dir end; a kubelet passes over others."""

_OF_FILE: Final = re.compile(r"[.](?!d\Z)[A-Za-z][A-Za-z0-9_~-]{0,15}\Z|~\Z")
"""How the name of a file ends: in an extension, or as editors name a copy; ``.d`` is a directory's."""

_INTEGER: Final = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|[1-9][0-9]*|0)")

_LONGEST: Final = 70
"""Characters of a number of 64 bits in any base."""

_OCTAL: Final = re.compile(r"\A([-+]?)0(?=[0-7])")


class Setting(msgspec.Struct, frozen=True):
    """A value that a kubelet is given."""

    name: str
    """The path of a field, or a flag with its dashes."""
    value: Any
    """The value: of a flag, what its kind makes of it."""
    source: str
    """The file that it is in, or ``the running kubelet``."""


class KubeletSettings:
    """What a kubelet is given; a flag wins over the files, and each file over the ones before it."""

    def __init__(
        self, documents: Documents, flags: Iterable[FlagArgument], *, nulls_remove: bool = True
    ) -> None:
        """Merge the documents; ``nulls_remove``: whether null takes back what a file before it gives."""
        self.documents = documents
        self._config = merged([document for _, document in documents], nulls_remove=nulls_remove)
        self.flags = tuple(flag for flag in flags if flag.definition is not None)
        """The flags that the release knows, as often as each is given."""
        self._flags_by_name = _joined(self.flags)

    @property
    def gates(self) -> GateSettings:
        """The feature gates; those of flags win over those of files."""
        return self._gates(self._config)

    @property
    def gates_of_flags(self) -> GateSettings:
        """The feature gates that flags set."""
        return self._gates({})

    def _gates(self, config: Mapping[str, Any]) -> GateSettings:
        flag = self._flags_by_name.get("feature-gates")
        return gates({"feature-gates": flag.value} if flag else {}, config)

    def flag(self, name: str) -> Setting | None:
        """Return what a flag is given; None where it is not, or where its value is of another kind."""
        flag = self._flags_by_name.get(name)
        value = None if flag is None else flag_value(flag)
        return None if flag is None or value is None else Setting(f"--{name}", value, flag.source)

    def find(self, field: str, flag: str = "") -> Setting | None:
        """Return what a flag, or else the field, is given; None where neither is."""
        if flag and flag in self._flags_by_name:
            return self.flag(flag)
        value = reach(self._config, field.split(".")) if field else None
        if value is None:
            return None
        sources = [path for path, document in self.documents if reach(document, field.split(".")) is not None]
        return Setting(field, value, sources[-1])


def flag_value(flag: FlagArgument) -> Any:
    """Return the value of a flag as its kind has it; None for a value of another kind.

    As pflag reads it (``strconv.ParseInt`` with base 0, ``strconv.ParseBool``, ``time.ParseDuration``,
    ``resource.ParseQuantity``).
    """
    kind, text = flag.definition.kind if flag.definition else "string", flag.value
    match kind:
        case "bool":
            return truth(text)
        case "int":
            number = integer_of(text)
            fitting = numbers_of(flag.definition.type if flag.definition else "")
            # A range looks for what is no int element by element.
            return number if number is not None and number in fitting else None
        case "duration":
            return text if parse_duration(text) is not None else None
        case "quantity":
            return text if _is_quantity(text) else None
        case "map":
            return _map_of(flag.name, text)
        case "list":
            return text.split(",") if text else []
    return text


def integer_of(text: str) -> int | None:
    """Return the whole number that a flag is given, whatever its size; None for another text."""
    if len(text) > _LONGEST or not _INTEGER.fullmatch(text):
        return None
    return int(_OCTAL.sub(r"\g<1>0o", text), 0)


_AT_MOST: Final = frozenset({"eviction-hard", "eviction-soft"})
"""Flags whose values are thresholds, ``memory.available<100Mi``."""

_WITHOUT: Final = frozenset({"node-labels"})
"""Flags whose names need no value."""


def _map_of(flag: str, text: str) -> Mapping[str, str] | None:
    """Return the map that a flag is given; None where a part of it is no pair.

    Source: component-base cli/flag/map_string_string.go, map_string_bool.go (feature gates) and
    langle_separated_map_string_string.go, configuration_map.go (labels), 0.31.14; before 1.15 the same in
    pkg/util/flag.
    """
    separator = "<" if flag in _AT_MOST else "="
    entries: dict[str, str] = {}
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition(separator)
        if not (equals or flag in _WITHOUT or shown.MASK in part):
            return None
        if flag == "feature-gates" and shown.MASK not in part and truth(value.strip()) is None:
            return None
        entries[name.strip()] = value.strip()
    return entries


def _joined(flags: Iterable[FlagArgument]) -> Mapping[str, FlagArgument]:
    """Return the flags by their names: the last of each counts, and of lists and maps all do."""
    joined: dict[str, FlagArgument] = {}
    pairs = [(argument, argument.definition) for argument in flags if argument.definition is not None]
    for argument, flag in pairs:
        name, value = flag.name, argument.value
        before = joined.get(name)
        value = flag.joined(before.value if before else "", value)
        joined[name] = FlagArgument(name, value, argument.source, flag)
    return joined


def merged(documents: Iterable[Mapping[str, Any]], *, nulls_remove: bool) -> Mapping[str, Any]:
    """Return configuration files as a kubelet merges them, each over the ones before it.

    ``nulls_remove``: whether null takes back what a file before it gives.
    """
    config: Mapping[str, Any] = {}
    for document in documents:
        config = _merged(config, document, nulls_remove=nulls_remove)
    return config


def _merged(base: Mapping[str, Any], patch: Mapping[str, Any], *, nulls_remove: bool) -> Mapping[str, Any]:
    """Return a document with a JSON merge patch (RFC 7386), as mergeKubeletConfigurations applies it."""
    document = dict(base)
    for name, value in patch.items():
        if value is None:
            if nulls_remove:
                document.pop(name, None)
        elif isinstance(value, Mapping):
            under = document.get(name)
            document[name] = _merged(
                under if isinstance(under, Mapping) else {}, value, nulls_remove=nulls_remove
            )
        else:
            document[name] = value
    return document


def repeated(path: str, text: str) -> list[str]:
    """Return the keys that a mapping of a configuration has twice.

    A kubelet takes the last one (pkg/kubelet/kubeletconfig/util/codec/codec.go, 1.18.19 - 1.37.1: where
    strict decoding fails, lenient decoding does not; before 1.18 there is only that).
    """
    names: list[str] = []
    configuration(path, text, names)
    return list(dict.fromkeys(names))


def drop_ins(dump: Dump, directory: str) -> Documents:
    """Read the files of --config-dir in their order, and those of the directories below it; none without it.

    Raises UnreadError where one of them, or a list of them, is not in the dump, and UnparsedError for one
    that no kubelet can parse, and where there is no such file or directory (``mergeKubeletConfigurations`` in
    cmd/kubelet/app/server.go, 1.28.15 - 1.37.1; ``WalkDir`` in Go's path/filepath).
    """
    plain = directory.rstrip("/")
    if not directory:
        return ()
    return list(_walked(dump, plain if ("directory", plain) in dump.probes else directory))


def _walked(dump: Dump, directory: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the drop-ins of a directory as WalkDir comes to them: by their names, each directory whole.

    Any other name may be that of a directory as long as nothing says what it is; but one that ends as those
    of files do, such as ``10-own.yaml``, is none.
    """
    for name in sorted(lines(_read(dump, "directory", directory))):
        path = f"{directory.rstrip('/')}/{name}"
        if ("directory", path) in dump.probes:
            yield from _walked(dump, path)
        elif name.endswith(DROP_IN):
            yield path, configuration(path, _read(dump, "file", path), [])
        elif not _OF_FILE.search(name) and dump.read("path", path) == "directory":
            raise UnreadError(f"{path}: {NOT_COLLECTED}")


def _read(dump: Dump, kind: str, path: str) -> str:
    try:
        return dump.read(kind, path)
    except AbsentError:
        raise UnparsedError(path, "it is missing") from None


# Kinds of values, as encoding/json reads them into the Go types of a configuration; null is no value.

TEXTS: Final = ("string", "time", "quantity", "map", "list")
"""The kinds of values of which the collector hides some that fit."""

KINDS: Final = {
    "object": "an object",
    "map": "a map",
    "list": "a list",
    "string": "text",
    "time": "text",
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "quantity": "a quantity",
    "duration": "a duration such as 1m30s",
}
"""The kinds of values in words."""

_NANOSECONDS: Final = frozenset({"logging.flushFrequency"})
"""Durations that may be numbers (``TimeOrMetaDuration`` in component-base). kubeadm writes 0."""


def _is_quantity(value: object) -> bool:
    """Return whether Quantity.UnmarshalJSON takes a value."""
    try:
        quantity.from_json(value)
    except DecodeError:
        return False
    return value != ""


_FITS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "object": lambda value: isinstance(value, Mapping),
    "map": lambda value: isinstance(value, Mapping),
    "list": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "time": lambda value: isinstance(value, str),
    "bool": lambda value: isinstance(value, bool),
    "float": lambda value: number_of(value) is not None and not isinstance(value, str),
    "quantity": _is_quantity,
    "duration": lambda value: isinstance(value, str) and parse_duration(value) is not None,
}


def fits(field: ConfigField, value: object) -> bool:
    """Return whether a value is one that encoding/json reads into a field."""
    if field.kind == "int" or field.path in _NANOSECONDS:
        try:
            integer(value, _bits(field.type), signed=not field.type.startswith("u"))
        except DecodeError:
            return field.kind != "int" and _FITS[field.kind](value)
        return True
    return _FITS[field.kind](value)


def _bits(go_type: str) -> int:
    return int(go_type.lstrip("uint") or 64)


def numbers_of(go_type: str) -> range:
    """Return the numbers that a Go type of whole numbers holds; an int has 64 bits, as on every node."""
    bits = _bits(go_type)
    return range(1 << bits) if go_type.startswith("u") else range(-1 << bits - 1, 1 << bits - 1)


def why_not(kind: str, go_type: str, value: object) -> str:
    """Return why a value is none of a kind: another one, or a number that the Go type does not hold."""
    if kind == "int" and type(value) is int:
        numbers = numbers_of(go_type)
        return f"it is not between {numbers[0]} and {numbers[-1]}"
    return f"it is not {KINDS[kind]}"


def values(
    fields: Mapping[str, ConfigField], document: Mapping[str, Any], prefix: str
) -> Iterator[tuple[ConfigField, Any]]:
    """Yield the fields that a release knows and a document gives, also those in lists, with their values."""
    for name, value in document.items():
        field = fields.get(f"{prefix}{name}")
        if field is None or value is None:
            continue
        yield field, value
        if field.kind == "object" and isinstance(value, Mapping):
            yield from values(fields, value, f"{field.path}.")
        for path, element in _elements(field, value):
            if field.of == "object" and isinstance(element, Mapping):
                yield from values(fields, element, f"{path}.")
            elif element is not None:
                is_number = field.of.startswith(("int", "uint"))
                kind = "int" if is_number else field.of
                yield ConfigField(path, field.releases, kind, field.of * is_number), element


def _elements(field: ConfigField, value: object) -> Iterator[tuple[str, Any]]:
    if field.kind == "list" and isinstance(value, list):
        yield from ((f"{field.path}[]", element) for element in value)
    elif field.kind == "map" and isinstance(value, Mapping):
        yield from ((f"{field.path}.{shown.name(str(key))[:60]}", element) for key, element in value.items())


def number_of(value: object) -> int | float | None:
    """Return a number, or the nanoseconds of a duration."""
    if isinstance(value, str):
        return parse_duration(value)
    if isinstance(value, Number):
        return float(value.raw)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
