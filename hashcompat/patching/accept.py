"""Strategy accept: the kubelet also treats a container as unchanged if an older release recorded its hash.

New containers get the new hash, so the patch can be dropped once no old container is left.
"""

from __future__ import annotations

from typing import Final

from hashcompat.patching.gosource import IMPORT, package
from hashcompat.patching.hashlike import dispatcher, resize_note
from hashcompat.patching.model import FileEdit, Patch, Task
from hashcompat.patching.steps import AddImport, InFunction

_MANAGER: Final = "pkg/kubelet/kuberuntime/kuberuntime_manager.go"

_INSERT: Final = """	id, recorded := containerStatus.ID.String(), containerStatus.Hash
	if recorded != expectedHash && hashlike.Accepts(container, id, recorded) {
		// An older kubelet created this container from the same spec.
		return expectedHash, recorded, false
	}
"""


def accept(task: Task) -> Patch:
    """Return the patch that makes ``containerChanged`` accept the hash of the new or of any old release."""
    names = ", ".join(str(old.release) for old in task.olds)
    new_files = [file for old in task.olds for file in package(task, old)]
    change = InFunction(task.site, "containerChanged", "\treturn expectedHash,", _INSERT, "hashlike.Accepts(")
    return Patch(
        subject=f"kubelet: keep containers whose hash {names} recorded",
        explanation=_explanation(task, names),
        new_files=(*new_files, *dispatcher(task)),
        edits=(FileEdit(_MANAGER, (change, AddImport(IMPORT))),),
    )


def _explanation(task: Task, names: str) -> str:
    paragraphs = [
        _WHAT.format(new=task.new.release, names=names),
        _HOW,
        _NEW_FIELDS[task.accept_new_fields],
        f"Kubelets newer than {task.until} no longer accept old hashes." if task.until else _END,
    ]
    return "\n\n".join([*paragraphs, _RESIZE] if resize_note(task) else paragraphs)


_WHAT: Final = (
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
