"""The Go packages that a patch adds: one that hashes as an old release does, and one that asks all of these.

The first has types, conversion, hash and its test; the second, ``hashlike``, is what a patched kubelet
calls.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any, Final

from hashcompat.analysis.patching import Goal, NewFile, import_line
from hashcompat.analysis.patching.gotypes import (
    conversion_functions,
    conversion_of,
    foreign_imports,
    type_declarations,
)
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.compile.gojson import unknown_fields as dropped
from hashcompat.core.go.jsontext import ESCAPES
from hashcompat.core.kubelet.alike import unknown_to
from hashcompat.core.kubelet.hashing import compile_hasher

ROOT: Final = "pkg/kubelet/container/hashlike"
IMPORT: Final = f"k8s.io/kubernetes/{ROOT}"
CORE: Final = ("corev1", "k8s.io/api/core/v1")
HASH_UTIL: Final = ("hashutil", "k8s.io/kubernetes/pkg/util/hash")


def package_name(kubelet: Kubelet) -> str:
    """Return the directory of a release's package, ``kubelet1716``; its Go name is v1."""
    release = kubelet.release
    return f"kubelet{release.major}{release.minor_number}{release.patch}"


def template(name: str, **values: str) -> str:
    """Fill in one of the templates; ``header`` returns what every generated file starts with."""
    return Template(_text(f"{name}.go.tmpl")).substitute(values)


def header() -> str:
    """Return the licence that Kubernetes requires, and the mark of generated code."""
    return _text("header.txt")


@cache
def _text(name: str) -> str:
    return files("hashcompat.analysis.patching").joinpath("templates", name).read_text(encoding="utf-8")


def imports(standard: Iterable[str], others: Iterable[tuple[str, str]]) -> str:
    """Return an import block: the standard library, then ``(alias, path)`` of the others, each sorted."""
    groups = [
        [import_line("", path) for path in sorted(standard)],
        [import_line(*pair) for pair in sorted(others, key=lambda pair: pair[1])],
    ]
    return "import (\n" + "\n".join("".join(group) for group in groups if group) + ")\n"


def package(task: Goal, old: Kubelet) -> tuple[NewFile, ...]:
    """Return the files of the package that hashes as ``old`` does."""
    release = str(old.release)
    whole = old.era.whole
    texts = {"hash.go": _hash(old, release), "hash_test.go": _test(task, old, release)}
    if whole:
        types = old.schema.types
        block = imports([], [("", path) for path in foreign_imports(types)])
        declarations = type_declarations(types, release=release, tags=old.era.hashes_json).rstrip("\n")
        conversion = conversion_of(old.schema.types, task.new.schema.types, task.defaults)
        texts |= {
            "types.go": template("types", release=release, imports=block, declarations=declarations),
            "convert.go": template(
                "convert",
                release=release,
                imports=imports([], [CORE]),
                functions=conversion_functions(conversion).rstrip("\n"),
            ),
        }
    place = f"{ROOT}/{package_name(old)}"
    return tuple(NewFile(f"{place}/{name}", header() + text) for name, text in sorted(texts.items()))


def _hash(old: Kubelet, release: str) -> str:
    if old.era.prints_unset_fields:
        return template("hash_spew", release=release, imports=imports(["hash/fnv"], [CORE, HASH_UTIL]))
    escapes = ESCAPES[old.escapes[-1]]
    block = imports(["bytes", "encoding/json", "hash/fnv"], [CORE, HASH_UTIL])
    form = _WHOLE if old.era.whole else _PICKED
    return template(
        "hash_json",
        release=release,
        imports=block,
        backspace=escapes[ord("\b")],
        form_feed=escapes[ord("\f")],
        **form,
    )


_WHOLE: Final = {
    "convert": "\tc := conversion{}\n\told := c.container(container)",
    "value": "&old",
    "known": "!c.lossy",
}
_PICKED: Final = {
    "convert": '\told := map[string]string{"name": container.Name, "image": container.Image}',
    "value": "old",
    "known": "true",
}


def _test(task: Goal, old: Kubelet, release: str) -> str:
    rows = [
        f"\t\t{{{quoted(spec)}, {value:#x}, {str(is_known).lower()}}},"
        for spec, value, is_known in expectations(task, old)
    ]
    block = imports(["encoding/json", "testing"], [CORE, ("", "k8s.io/apimachinery/pkg/api/equality")])
    return template("hash_test", release=release, imports=block, rows="\n".join(rows))


def expectations(task: Goal, old: Kubelet) -> list[tuple[Mapping[str, Any], int, bool]]:
    """Return containers for a Go test.

    With each come the hash that ``old`` records, and whether ``old`` knows every field that the container
    sets.
    """
    return [(spec, hash_as(old, spec), not lost_fields(task, old, spec)) for spec in decoded_examples(task)]


def decoded_examples(task: Goal) -> list[Mapping[str, Any]]:
    """Return the examples without fields that the patched kubelet drops."""
    return [spec for spec in examples() if not any(dropped(task.new.schema.container, spec))]


def hash_as(old: Kubelet, spec: Mapping[str, Any]) -> int:
    """Return the hash of ``old`` for a container as Go decodes it from JSON: empty lists stay empty."""
    return compile_hasher(old.schema, old.era, old.escapes[-1], True).hash(spec)


def lost_fields(task: Goal, old: Kubelet, spec: Mapping[str, Any]) -> list[str]:
    """Return the set fields that ``old`` does not know; none in an era that picks the fields to hash."""
    return unknown_to(spec, task.new, old, task.defaults) if old.era.whole else []


@cache
def examples() -> tuple[Mapping[str, Any], ...]:
    """Return the containers that generated tests use."""
    return tuple(json.loads(_text("examples.json")))


def quoted(spec: Mapping[str, Any]) -> str:
    """Return a container's JSON as a raw Go string."""
    # A raw Go string cannot contain its own quote; as an escape it means the same in JSON.
    return "`" + json.dumps(spec, separators=(",", ":")).replace("`", "\\u0060") + "`"


_RESIZE = """
// Old hashes cover resources, this kubelet's hash does not: a container that
// is accepted by an old hash restarts at its first in-place resize."""
_CHECK = """	if ended(version.Get().GitVersion) {
		return ""
	}
"""


def resize_note(task: Goal) -> bool:
    """Return whether the patch must mention in-place resizes.

    That is if the new kubelet resizes in place, and an old hash covers resources where the new one does not.
    """
    return (
        task.new.behaviour.resources_recorded
        and not task.new.era.whole
        and any(old.era.whole for old in task.olds)
    )


def dispatcher(task: Goal) -> tuple[NewFile, ...]:
    """Return the files of the package."""
    others = [
        CORE,
        ("", task.site.log),
        *((package_name(old), f"{IMPORT}/{package_name(old)}") for old in task.olds),
    ]
    if task.until:
        others += [("", task.site.version), ("utilversion", task.site.version_util)]
    code = template(
        "hashlike",
        imports=imports(["sync"], others),
        rows="\n".join(f'\t{{"{old.release}", {package_name(old)}.HashContainer}},' for old in task.olds),
        resize=_RESIZE if resize_note(task) else "",
        log=_log(task),
        ended=_CHECK if task.until else "",
        known="_" if task.accept_new_fields else "known",
        and_known="" if task.accept_new_fields else " && known",
    )
    if task.until:
        code += template("until", until=task.until)
    test = NewFile(f"{ROOT}/hashlike_test.go", header() + _hashlike_test(task))
    return NewFile(f"{ROOT}/hashlike.go", header() + code), test


def _log(task: Goal) -> str:
    """Return the logging call in the style of the release: structured from klog v2 on."""
    if task.site.log.endswith("/v2"):
        pairs = '"container", container.Name, "containerID", id, "kubelet", release'
        return f'klog.InfoS("Kept a container whose hash an older kubelet recorded", {pairs})'
    package = task.site.log.rpartition("/")[2]
    arguments = "container.Name, id, release"
    return f'{package}.Infof("Kept container %s (%s): kubelet %s recorded its hash", {arguments})'


def _hashlike_test(task: Goal) -> str:
    # A container with fields that an old release does not know is left out if another one may know them,
    # because that one may record the same hash.
    rows = [
        f"\t\t{{{quoted(spec)}, {value:#x}, {str(is_known or task.accept_new_fields).lower()}}},"
        for old in task.olds
        for spec, value, is_known in expectations(task, old)
        if is_known
        or task.accept_new_fields
        or all(other is old or lost_fields(task, other, spec) for other in task.olds)
    ]
    block = imports(["encoding/json", "testing"], [CORE])
    code = template("hashlike_test", imports=block, rows="\n".join(rows))
    if task.until:
        code += template("until_test", until=task.until, new=task.new.release.upstream)
    return code
