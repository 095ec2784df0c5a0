"""What the next kubelet is given, as one configuration: its file, those of --config-dir, and its flags."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from hashcompat.analysis.preflight.facts.kubelet import Given, gates, pairs, truth
from hashcompat.core.catalog.gates import Settings as GateSettings
from hashcompat.core.errors import InputError
from hashcompat.core.go import yaml
from hashcompat.core.go.metav1 import parse_duration
from hashcompat.core.records.probes import Dump, UnreadError

Documents = Sequence[tuple[str, Mapping[str, Any]]]
"""Configuration files by their paths, in the order in which a kubelet reads them."""

DROP_IN: Final = ".conf"
"""How the files of --config-dir end; a kubelet passes over others."""

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


class Settings:
    """What a kubelet is given; a flag wins over the files, and each file over the ones before it."""

    def __init__(self, documents: Documents, flags: Iterable[Given]) -> None:
        self.documents = documents
        self._config: Mapping[str, Any] = {}
        for _, document in documents:
            self._config = _merged(self._config, document)
        self._texts = _joined(flags)

    @property
    def gates(self) -> GateSettings:
        """The feature gates; those of flags win over those of files."""
        given = self._texts.get("feature-gates")
        return gates({"feature-gates": given.value} if given else {}, self._config)

    def flag(self, name: str) -> Setting | None:
        """Return what a flag is given; None where it is not, or where its value is of another kind."""
        given = self._texts.get(name)
        value = None if given is None else flag_value(given)
        return None if given is None or value is None else Setting(f"--{name}", value, given.source)

    @property
    def flags(self) -> Iterable[Given]:
        """The flags that the release knows, each once."""
        return self._texts.values()

    def find(self, field: str, flag: str = "") -> Setting | None:
        """Return what a flag, or else the field, is given; None where neither is."""
        if flag and flag in self._texts:
            return self.flag(flag)
        value = _at(self._config, field) if field else None
        if value is None:
            return None
        sources = [path for path, document in self.documents if _at(document, field) is not None]
        return Setting(field, value, sources[-1])


def flag_value(given: Given) -> Any:
    """Return the value of a flag as its kind has it; None for a value of another kind.

    As pflag reads it (``strconv.ParseInt`` with base 0, ``strconv.ParseBool``, ``time.ParseDuration``).
    """
    kind, text = given.flag.kind if given.flag else "string", given.value
    match kind:
        case "bool":
            return truth(text or "true")
        case "int":
            is_one = len(text) <= _LONGEST and _INTEGER.fullmatch(text)
            return int(_OCTAL.sub(r"\g<1>0o", text), 0) if is_one else None
        case "duration":
            return text if parse_duration(text) is not None else None
        case "map":
            return dict(pairs(text))
        case "list":
            return [part for part in text.split(",") if part]
    return text


def _joined(flags: Iterable[Given]) -> Mapping[str, Given]:
    """Return the flags by their names: the last of each counts, and of lists and maps all do."""
    joined: dict[str, Given] = {}
    for given in flags:
        if given.flag is None:
            continue
        name = given.flag.name
        before = joined.get(name)
        if before is not None and given.flag.kind in ("map", "list"):
            joined[name] = Given(name, f"{before.value},{given.value}", given.source, given.flag)
        else:
            joined[name] = Given(name, given.value, given.source, given.flag)
    return joined


def _merged(base: Mapping[str, Any], patch: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a document with a JSON merge patch (RFC 7386), as mergeKubeletConfigurations applies it."""
    merged = dict(base)
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        elif isinstance(value, Mapping):
            under = merged.get(name)
            merged[name] = _merged(under if isinstance(under, Mapping) else {}, value)
        else:
            merged[name] = value
    return merged


def _at(document: object, path: str) -> Any:
    for name in path.split("."):
        document = document.get(name) if isinstance(document, Mapping) else None
    return document


def drop_ins(dump: Dump, directory: str) -> Documents:
    """Read the files of --config-dir in their order.

    Raises UnreadError where one of them, or the list of them, is not in the dump, and AbsentError where there
    is no such directory.
    """
    names = dump.read("directory", directory).splitlines()
    paths = [f"{directory.rstrip('/')}/{name}" for name in sorted(names) if name.endswith(DROP_IN)]
    return [(path, _document(dump, path)) for path in paths]


def _document(dump: Dump, path: str) -> Mapping[str, Any]:
    try:
        documents = list(yaml.load_all(dump.read("file", path)))
    except InputError as error:
        raise UnreadError(f"{path}: {error}") from None
    if len(documents) != 1 or not isinstance(documents[0], Mapping):
        raise UnreadError(f"{path}: want one KubeletConfiguration")
    return documents[0]
