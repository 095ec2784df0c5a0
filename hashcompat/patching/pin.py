"""Strategy pin: the kubelet hashes as an old release does; switching between them restarts nothing."""

from __future__ import annotations

from typing import Final

from hashcompat.patching.gosource import IMPORT, hash_as, package, package_name
from hashcompat.patching.model import FileEdit, Patch, Step, Task
from hashcompat.patching.steps import AddImport, Body, DropUnusedImports, Literals, RemoveFunction

_HELPERS: Final = "pkg/kubelet/container/helpers.go"

_FREED: Final = (
    ("encoding/json", "json"),
    ("hash/fnv", "fnv"),
    ("k8s.io/kubernetes/pkg/util/hash", "hashutil"),
)

_BODY: Final = """	// The hash of kubelet {old}: switching between the two restarts nothing.
	hash, _ := {name}.HashContainer(container)
	return hash
"""


def pin(task: Task) -> Patch:
    """Return the patch that makes ``HashContainer`` return what the only old release would."""
    (old,) = task.olds
    name = package_name(old)
    body = _BODY.format(old=old.release, name=name)
    steps: list[Step] = [
        Body(task.site, "HashContainer", body, f"{name}.HashContainer("),
        AddImport(f"{IMPORT}/{name}", name),
    ]
    if task.site.function("pickFieldsToHash"):
        steps.append(RemoveFunction(task.site, "pickFieldsToHash"))
    steps.append(DropUnusedImports(_FREED))
    return Patch(
        subject=f"kubelet: hash containers as {old.release} does",
        explanation=_explanation(task),
        new_files=package(task, old),
        edits=(FileEdit(_HELPERS, tuple(steps)), *_assertions(task)),
    )


def _assertions(task: Task) -> list[FileEdit]:
    """Return the edits of Kubernetes' own tests that assert hashes."""
    files = dict.fromkeys(assertion.file for assertion in task.site.assertions)
    return [FileEdit(file, (Literals(tuple(_pairs(task, file))),)) for file in files]


def _pairs(task: Task, file: str) -> list[tuple[int, int]]:
    return [
        (hash_as(task.new, container), hash_as(task.olds[0], container))
        for assertion in task.site.assertions
        if assertion.file == file
        for container in assertion.containers
    ]


def _explanation(task: Task) -> str:
    (old,) = task.olds
    paragraphs = [_WHAT.format(old=old.release, new=task.new.release), _DROPPED]
    if task.site.assertions:
        paragraphs.append("The hashes that Kubernetes' own tests assert are changed to the old ones.")
    if task.new.behaviour.resources_recorded and old.era.whole:
        paragraphs.append(
            "The old hash covers resources, so every in-place resize of a container restarts it."
        )
    return "\n\n".join(paragraphs)


_WHAT: Final = (
    "HashContainer returns what kubelet {old} would, computed over the Go types of that release, to which "
    "the container is copied field by field. Switching between {old} and {new} restarts no container "
    "because of its hash."
)

_DROPPED: Final = (
    "Fields that the old release does not know are not part of the hash: changing only those does not "
    "restart the container."
)
