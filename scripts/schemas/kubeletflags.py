"""Make schemas/tables/kubeletflags.json and kubeletconfig.json, what kubelets accept, from Go modules."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NotRequired, TypedDict

from scripts.lib.generated import Generated
from scripts.lib.gotool import GoError, download
from scripts.lib.paths import CACHE, KUBELET_CONFIG, KUBELET_FLAGS, ROOT, SCRIPTS
from scripts.lib.program import Program
from scripts.schemas.trees import load, ranges

MODULE: Final = SCRIPTS / "schemas" / "kubeletflags"
PROGRAM: Final = Program(CACHE / "kubeletflags" / "kubeletflags", MODULE)

KUBERNETES: Final = "k8s.io/kubernetes"
_CODEC: Final = "pkg/kubelet/kubeletconfig/util/codec/codec.go"
"""Where a kubelet decodes its config file."""

_ALPHA: Final = "kubeletconfig/v1alpha1", "init-config-dir"
_BETA: Final = "kubelet.config.k8s.io/v1beta1", "config"
"""What the config file gives as apiVersion, and the flag that names the file or its directory."""

_ABOUT_FLAGS: Final = (
    "Every command-line flag that upstream's kubelets for Linux accept: the kind of its value (of a "
    "number with fewer bits than 64, or without a sign, also its Go type), its shorthand of one letter, "
    "and whether using it logs that it is deprecated, or --help leaves it out (hidden). bool and version "
    "flags take a value only after =; every other flag takes the next argument too. _ is read as - in "
    "names. A kubelet that is given any other flag does not start. All rows are read from source, by an "
    "interpreter of what registers the flags. cAdvisor is read in 0.25.0 for 0.25.1 (1.6), in 0.27.1 for "
    "0.27.4 (1.8) and in 0.29.1 for 0.29.2 (1.10), which the module proxy lacks."
)
_ABOUT_CONFIG: Final = (
    "Every field of the kubelet's config file by its path, with the kind of its value, the Go type of a "
    "number with fewer bits than 64 or without a sign, and the kind of what is in a list or map: x[].y is "
    "y in each element of the list x. versions has the apiVersion that a release reads and the flag that "
    "names the file (or its directory); decoding, what becomes of a field that it does not know: dropped, "
    "dropped with a warning (warned), or the kubelet does not start (refused)."
)


class Source(TypedDict):
    """A row of kubeletflags/modules.json: where the flags are read that some releases of a minor have."""

    since: str
    """The first release that has these flags: a minor, or a patch release that changed some."""

    release: str
    """The release that is read: the newest of them that the module proxy has."""

    modules: dict[str, str]
    """Versions by Go module; up to 1.14, k8s.io/kubernetes has those of its staging directory in it."""

    config: NotRequired[str]
    """The package of KubeletConfiguration; absent where there is no config file."""


Row = dict[str, Any]


def programs() -> dict[str, Program]:
    """Describe the one program."""
    return {"kubeletflags": PROGRAM}


def sources() -> list[Source]:
    """Read the table of sources, oldest first."""
    rows: list[Source] = load(MODULE / "modules.json")
    return rows


def make() -> dict[Path, bytes]:
    """Compute both tables."""
    rows = sources()
    return {
        KUBELET_FLAGS.relative_to(ROOT): flag_table(rows, [flags(row) for row in rows]),
        KUBELET_CONFIG.relative_to(ROOT): config_table(rows, [config(row) for row in rows]),
    }


def flags(source: Source) -> dict[str, Row]:
    """Read the flags of one release by name; errors as GoError."""
    rows: dict[str, Row] = json.loads(PROGRAM.run(*_directories(source)))
    return rows


def config(source: Source) -> dict[str, str]:
    """Read the fields of one release's config file by path, with their kinds; empty where there is none."""
    if "config" not in source:
        return {}
    kinds: dict[str, str] = json.loads(PROGRAM.run("-config", source["config"], *_directories(source)))
    return kinds


_NUMBER: Final = re.compile(r"(int|float)|u?int\d+|uint|float\d+")


def _kind(text: str) -> Row:
    """Return a kind as rows have it, with the Go type of a number, and of a list or map the kind in it."""
    kind, _, inner = text.partition("/")
    if inner:
        return {"kind": kind, "of": inner.partition("/")[0]}
    if not _NUMBER.fullmatch(kind):
        return {"kind": kind}
    # A Go int has 64 bits, as JSON's numbers that are not further described; so has a float.
    plain = "float" if kind.startswith("float") else "int"
    return {"kind": plain, "type": "" if kind in ("int", "int64", "float", "float64") else kind}


def _directories(source: Source) -> list[str]:
    places = {name: download(f"{name}@{version}") for name, version in source["modules"].items()}
    return [flag for name, where in places.items() for flag in ("-dir", f"{name}={where}")]


def flag_table(rows: list[Source], tables: list[dict[str, Row]]) -> bytes:
    """Write the table of flags, one per line."""
    typed = [{name: {**row, **_kind(row["kind"])} for name, row in flags.items()} for flags in tables]
    table = {name: _history(rows, [flags.get(name) for flags in typed]) for name in _names(tables)}
    return _document({"about": _ABOUT_FLAGS}, "flags", table)


def config_table(rows: list[Source], tables: list[dict[str, str]]) -> bytes:
    """Write the table of the config file's fields, one per line."""
    kinds = [{path: _kind(kind) for path, kind in fields.items()} for fields in tables]
    table = {path: _history(rows, [fields.get(path) for fields in kinds]) for path in _names(kinds)}
    head = {
        "about": _ABOUT_CONFIG,
        "versions": _history(rows, [_version(row) for row in rows]),
        "decoding": _history(rows, [_decoding(row) for row in rows]),
    }
    return _document(head, "fields", table)


def _names(tables: Iterable[Mapping[str, object]]) -> list[str]:
    return sorted({name for names in tables for name in names})


def _history(rows: list[Source], values: list[Row | None]) -> list[Row]:
    """Return a row for each run of releases with equal values, without what is false or empty in it."""
    dated = [(row["since"], value) for row, value in zip(rows, values, strict=True)]
    return [
        {"releases": releases, **{key: fact for key, fact in value.items() if fact}}
        for releases, value in ranges(dated)
    ]


def _version(source: Source) -> Row | None:
    if "config" not in source:
        return None
    api_version, flag = _ALPHA if source["config"].endswith("/v1alpha1") else _BETA
    return {"apiVersion": api_version, "flag": flag}


@cache
def _codec(release: str) -> str:
    return (download(f"{KUBERNETES}@v{release}") / _CODEC).read_text(encoding="utf-8")


def _decoding(source: Source) -> Row | None:
    """Return what DecodeKubeletConfiguration does to fields that it does not know.

    Raises:
        GoError: it decodes in a way that no release had.
    """
    if "config" not in source:
        return None
    text = _codec(source["release"])
    strict, lenient = "IsStrictDecodingError" in text, "LenientSchemeAndCodecs(" in text
    if "UniversalDecoder().Decode(data" not in text or lenient > strict:
        raise GoError(f"{source['release']}: {_CODEC} decodes in a way that is not known")
    return {"unknown": "warned" if lenient else "refused" if strict else "dropped"}


def _document(head: Mapping[str, Any], key: str, table: Mapping[str, list[Row]]) -> bytes:
    top = "".join(f" {json.dumps(name)}: {json.dumps(value)},\n" for name, value in head.items())
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(rows)}" for name, rows in table.items())
    return f'{{\n{top} "{key}": {{\n{lines}\n }}\n}}\n'.encode()


GENERATED: Final = Generated(
    make, owned=("schemas/tables/kubeletflags.json", "schemas/tables/kubeletconfig.json")
)
