"""Strategy accept: the kubelet takes a container for unchanged also when an older release recorded its hash.

New containers get the new hash, so the fleet converges, and the patch can be dropped once no old container is left.
"""

from __future__ import annotations

from typing import Final

from hashcompat.patch.gosource import IMPORT, package
from hashcompat.patch.hashlike import dispatcher, resize_note
from hashcompat.patch.model import FileEdit, Patch, Task
from hashcompat.patch.steps import AddImport, InFunction

_MANAGER: Final = "pkg/kubelet/kuberuntime/kuberuntime_manager.go"
_INSERT: Final = """	if containerStatus.Hash != expectedHash && hashlike.Accepts(container, containerStatus.ID.String(), containerStatus.Hash) {
		// An older kubelet created this container from the same spec.
		return expectedHash, containerStatus.Hash, false
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
    end = (
        f"After {task.until} it accepts nothing any more."
        if task.until
        else "It can be dropped once no container of those kubelets is left."
    )
    paragraphs = [
        f"kubelet {task.new.release} hashes containers in another way than {names}, so\nafter an in-place upgrade it takes every container "
        "that hashes differently\nfor changed, and kills and recreates it.",
        "containerChanged now accepts a recorded hash also when it is the one that\nsuch a kubelet records for the very same container. It is "
        "computed over\nthe Go types of that release, copied field by field. New containers get\nthe new hash.",
        _NEW_FIELDS[task.accept_new_fields],
        end,
    ]
    if resize_note(task):
        paragraphs.append(
            "Old hashes cover resources: a container that is kept by an old hash\nrestarts at its first in-place resize, even if its resizePolicy "
            "says\nNotRequired."
        )
    return "\n\n".join(paragraphs)


_NEW_FIELDS: Final = {
    False: "An old hash does not count for a container that sets a field which the old\nkubelet did not know, unless to a default that API "
    "servers write by\nthemselves: such a spec means something that never ran.",
    True: "An old hash counts also for a container that sets fields which the old\nkubelet did not know and so dropped: they take effect "
    "when the container\nrestarts for another reason.",
}
