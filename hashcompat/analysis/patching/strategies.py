"""The strategies by name; a new one is a function from a task to a patch, and a row in ``BY_NAME``.

With ``accept``, the kubelet also treats a container as unchanged if an older release recorded its hash. New
containers get the new hash, so the patch can be dropped once no old container is left. With ``pin``, it
hashes as an old release does: switching between the two restarts nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from hashcompat.analysis.patching import (
    AddImport,
    Body,
    DropUnusedImports,
    FileEdit,
    FileStep,
    Goal,
    InFunction,
    Literals,
    Patch,
    RemoveFunction,
)
from hashcompat.analysis.patching.gosource import (
    IMPORT,
    dispatcher,
    hash_as,
    package,
    package_name,
    resize_note,
)
from hashcompat.analysis.patching.strip import check_strip, strip
from hashcompat.analysis.planning.patched import check_patchable, check_pin
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.catalog.releases import parse_range
from hashcompat.core.errors import UsageError
from hashcompat.core.kubelet import alike
from hashcompat.core.model.results import Keywords
from hashcompat.core.release import parse_release

_MANAGER: Final = "pkg/kubelet/kuberuntime/kuberuntime_manager.go"
_INSERT: Final = """	id, recorded := containerStatus.ID.String(), containerStatus.Hash
	if recorded != expectedHash && hashlike.Accepts(container, id, recorded) {
		// An older kubelet created this container from the same spec.
		return expectedHash, recorded, false
	}
"""


def accept(task: Goal) -> Patch:
    """Return the patch that makes ``containerChanged`` accept the hash of the new or of any old release."""
    names = ", ".join(str(old.release) for old in task.olds)
    new_files = [file for old in task.olds for file in package(task, old)]
    change = InFunction(task.site, "containerChanged", "\treturn expectedHash,", _INSERT, "hashlike.Accepts(")
    paragraphs = [
        _ACCEPT_WHAT.format(new=task.new.release, names=names),
        _HOW,
        _NEW_FIELDS[task.accept_new_fields],
        f"Kubelets newer than {task.until} no longer accept old hashes." if task.until else _END,
    ]
    return Patch(
        subject=f"kubelet: keep containers whose hash {names} recorded",
        explanation="\n\n".join([*paragraphs, _RESIZE] if resize_note(task) else paragraphs),
        new_files=(*new_files, *dispatcher(task)),
        edits=(FileEdit(_MANAGER, (change, AddImport(IMPORT))),),
    )


_ACCEPT_WHAT: Final = (
    "kubelet {new} hashes containers differently from {names}. After an in-place upgrade it treats every "
    "container whose hash differs as changed: it kills the container and creates it again."
)
_HOW: Final = (
    "containerChanged now also accepts a recorded hash that such a kubelet records for the same container. "
    "That hash is computed over the Go types of that release, to which the container is copied field by "
    "field. New containers get the new hash. Static pods are still identified by their UID, which does not "
    "change."
)
_NEW_FIELDS: Final = {
    False: (
        "An old hash does not count for a container that sets a field which the old kubelet did not know, "
        "unless the value is a default that API servers set: such a spec means something that never ran."
    ),
    True: (
        "An old hash also counts for a container that sets fields which the old kubelet did not know, and "
        "so dropped: they take effect when the container restarts for another reason."
    ),
}
_END: Final = "The patch can be dropped once no container of those kubelets is left."
_RESIZE: Final = (
    "Old hashes cover resources: a container that is kept because of an old hash restarts at its first "
    "in-place resize, even if its resizePolicy is NotRequired."
)
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


def pin(task: Goal) -> Patch:
    """Return the patch that makes ``HashContainer`` return what the only old release would."""
    (old,) = task.olds
    name = package_name(old)
    paragraphs = [_PIN_WHAT.format(old=old.release, new=task.new.release), _DROPPED]
    if task.site.assertions:
        paragraphs.append("The hashes that Kubernetes' own tests assert are changed to the old ones.")
    if task.new.behaviour.resources_recorded and old.era.whole:
        why = "The old hash covers resources, so every in-place resize of a container restarts it."
        paragraphs.append(why)
    body = _BODY.format(old=old.release, name=name)
    steps: list[FileStep] = [
        Body(task.site, "HashContainer", body, f"{name}.HashContainer("),
        AddImport(f"{IMPORT}/{name}", name),
    ]
    if task.site.function("pickFieldsToHash"):
        steps.append(RemoveFunction(task.site, "pickFieldsToHash"))
    steps.append(DropUnusedImports(_FREED))
    return Patch(
        subject=f"kubelet: hash containers as {old.release} does",
        explanation="\n\n".join(paragraphs),
        new_files=package(task, old),
        edits=(FileEdit(_HELPERS, tuple(steps)), *_assertions(task)),
    )


def _assertions(task: Goal) -> list[FileEdit]:
    """Return the edits of Kubernetes' own tests that assert hashes."""
    pairs: dict[str, list[tuple[int, int]]] = {}
    for assertion in task.site.assertions:
        for container in assertion.containers:
            hashes = hash_as(task.new, container), hash_as(task.olds[0], container)
            pairs.setdefault(assertion.file, []).append(hashes)
    return [FileEdit(file, (Literals(tuple(rows)),)) for file, rows in pairs.items()]


_PIN_WHAT: Final = (
    "HashContainer returns what kubelet {old} would, computed over the Go types of that release, to which "
    "the container is copied field by field. Switching between {old} and {new} restarts no container "
    "because of its hash."
)
_DROPPED: Final = (
    "Fields that the old release does not know are not part of the hash: changing only those does not "
    "restart the container."
)


class Choices(msgspec.Struct, frozen=True, metaclass=Keywords):
    """What the user can choose besides releases and strategy."""

    accept_new_fields: bool = False
    """As in :class:`Goal`."""
    until: str = ""
    """As in :class:`Goal`."""
    article: bool = False
    """As in :class:`Goal`."""
    force: bool = False
    """Whether to pin even where every in-place resize would then restart the container."""


BY_NAME: Final[Mapping[str, Callable[[Goal], Patch]]] = {"accept": accept, "pin": pin, "strip": strip}


def make_patch(
    kubelet: str, like: Sequence[str], strategy: str, catalog: Catalog, choices: Choices = Choices()
) -> Patch | None:
    """Return the patch of a release's source; None if it already hashes like every old release.

    Raises UsageError for unknown releases, and for releases or choices that the strategy cannot handle.
    """
    if strategy not in BY_NAME:
        raise UsageError(f"strategy: no strategy {strategy!r}; the strategies are {', '.join(BY_NAME)}")
    new, olds = catalog.kubelet(kubelet), [catalog.kubelet(name) for name in like]
    site = catalog.source_site(new)
    check_patchable(new, site, olds)
    for value, flag, taker in (
        (choices.until, "--until", "accept can end; the others change the hash itself"),
        (choices.accept_new_fields, "--accept-new-fields", "accept looks at new fields"),
        (choices.article, "--article", "strip has this literal, global form"),
    ):
        if value and strategy != taker.partition(" ")[0]:
            raise UsageError(f"{flag}: only --strategy {taker}")
    # releases that hash as the target or as one another need no code of their own
    wanted = alike.distinct(olds, new, new_fields=choices.accept_new_fields)
    if not wanted:
        return None
    # accept works for all releases that can be patched
    if strategy == "pin":
        check_pin(new, olds, force=choices.force)
    if strategy == "strip":
        check_strip(new, olds)
    until = parse_release(choices.until).upstream if choices.until else ""
    if until and parse_range(f"<{new.release.upstream}").holds(parse_release(until)):
        raise UsageError(f"--until: {until} is before {new.release}, which then accepts no other hash")
    task = Goal(
        new, wanted, site, tuple(catalog.server_defaults()), choices.accept_new_fields, until, choices.article
    )
    return BY_NAME[strategy](task)
