"""Strategy accept: the kubelet takes a container for unchanged also when an older release recorded its hash.

New containers get the new hash, so the fleet converges, and the patch can be dropped once no old container is
left.
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
    """Return the patch after which ``containerChanged`` accepts the hash of the new release or of any old one."""
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
        f"After {task.until} it accepts nothing any more." if task.until else _END,
    ]
    return "\n\n".join([*paragraphs, _RESIZE] if resize_note(task) else paragraphs)


_WHAT: Final = (
    "kubelet {new} hashes containers in another way than {names}. After an in-place upgrade it takes every container that it "
    "hashes differently for changed, and kills and recreates it."
)

_HOW: Final = (
    "containerChanged now accepts a recorded hash also when it is the one that such a kubelet records for the very same container. "
    "It is computed over the Go types of that release, copied field by field. New containers get the new hash. Static pods are "
    "still told apart by their UID, which stays as it is."
)

_NEW_FIELDS: Final = {
    False: (
        "An old hash does not count for a container that sets a field which the old kubelet did not know, unless to a default that "
        "API servers write by themselves: such a spec means something that never ran."
    ),
    True: (
        "An old hash counts also for a container that sets fields which the old kubelet did not know and so dropped: they take effect "
        "when the container restarts for another reason."
    ),
}

_END: Final = "It can be dropped once no container of those kubelets is left."

_RESIZE: Final = (
    "Old hashes cover resources: a container that is kept by an old hash restarts at its first in-place resize, even if its "
    "resizePolicy says NotRequired."
)
