"""The Go package by which a patched kubelet checks whether an older one recorded a hash."""

from __future__ import annotations

from hashcompat.catalog.lookup import Kubelet
from hashcompat.patching.gosource import (
    CORE,
    IMPORT,
    ROOT,
    expectations,
    header,
    imports,
    lost_fields,
    package_name,
    quoted,
    template,
)
from hashcompat.patching.model import NewFile, Task

_RESIZE = """
// Old hashes cover resources, this kubelet's hash does not: a container that
// is accepted by an old hash restarts at its first in-place resize."""

_CHECK = """	if ended(version.Get().GitVersion) {
		return ""
	}
"""


def resize_note(task: Task) -> bool:
    """Return whether the patch must mention in-place resizes.

    That is if the new kubelet resizes in place, and an old hash covers resources where the new one does not.
    """
    return (
        task.new.behaviour.resources_recorded
        and not task.new.era.whole
        and any(old.era.whole for old in task.olds)
    )


def dispatcher(task: Task) -> tuple[NewFile, ...]:
    """Return the files of the package."""
    code = template(
        "hashlike",
        imports=_imports(task),
        rows="\n".join(f'\t{{"{old.release}", {package_name(old)}.HashContainer}},' for old in task.olds),
        resize=_RESIZE if resize_note(task) else "",
        log=_log(task),
        ended=_CHECK if task.until else "",
        known="_" if task.accept_new_fields else "known",
        and_known="" if task.accept_new_fields else " && known",
    )
    if task.until:
        code += template("until", until=task.until)
    return NewFile(f"{ROOT}/hashlike.go", header() + code), NewFile(
        f"{ROOT}/hashlike_test.go", header() + _test(task)
    )


def _imports(task: Task) -> str:
    others = [
        CORE,
        ("", task.site.log),
        *((package_name(old), f"{IMPORT}/{package_name(old)}") for old in task.olds),
    ]
    if task.until:
        others += [("", task.site.version), ("utilversion", task.site.version_util)]
    return imports(["sync"], others)


def _log(task: Task) -> str:
    """Return the logging call in the style of the release: structured from klog v2 on."""
    if task.site.log.endswith("/v2"):
        pairs = '"container", container.Name, "containerID", id, "kubelet", release'
        return f'klog.InfoS("Kept a container whose hash an older kubelet recorded", {pairs})'
    package = task.site.log.rpartition("/")[2]
    arguments = "container.Name, id, release"
    return f'{package}.Infof("Kept container %s (%s): kubelet %s recorded its hash", {arguments})'


def _test(task: Task) -> str:
    rows = [row for old in task.olds for row in _rows(task, old)]
    block = imports(["encoding/json", "testing"], [CORE])
    code = template("hashlike_test", imports=block, rows="\n".join(rows))
    return code + (
        template("until_test", until=task.until, new=task.new.release.upstream) if task.until else ""
    )


def _rows(task: Task, old: Kubelet) -> list[str]:
    """Return test rows for one old release.

    A container with fields that it does not know is left out if another old release may know them, because
    that one may record the same hash.
    """
    return [
        f"\t\t{{{quoted(spec)}, {value:#x}, {str(known or task.accept_new_fields).lower()}}},"
        for spec, value, known in expectations(task, old)
        if known
        or task.accept_new_fields
        or all(other is old or lost_fields(task, other, spec) for other in task.olds)
    ]
