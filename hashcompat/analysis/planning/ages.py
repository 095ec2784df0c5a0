"""When the pods were taken that a plan is made of: the times in them, added up while they pass.

A container starts and ends by the clock of its node, and its kubelet reports it: nobody who may only create
pods chooses such a time. What such people write (annotations, labels, managed fields, and by the grace period
the time of a deletion) never counts. Source: pkg/registry/core/pod/strategy.go ``PrepareForCreate`` drops the
status that a pod is created with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import structs

from hashcompat.core.model.escape import count
from hashcompat.core.model.pods import Inventory, Origin, Pod
from hashcompat.core.model.uids import Dating, Reach, reach_of, taken_of

_NONE = Reach()


class Ages:
    """Adds up how far the times in the pods of each file reach."""

    def __init__(self, dating: Dating | None) -> None:
        self._dating = dating
        self._says = {one.file for one in dating.files if one.says} if dating else set()
        self.found: dict[str, Reach] = {}
        """By the files of the pods."""

    def add(self, pod: Pod) -> None:
        """Take one more pod into account."""
        if self._dating is None or pod.file in self._says:
            return
        known = self.found.get(pod.file)
        if known is None:
            known = self.found[pod.file] = _NONE
        newest = known.newest
        for one in pod.containers:
            started, ended = one.started, one.ended.finished if one.ended else None
            if (started and not (newest and started <= newest)) or (
                ended and not (newest and ended <= newest)
            ):
                known = known.joined(reach_of((started, ended), self._dating.until))
                newest = known.newest
        self.found[pod.file] = known

    def merge(self, found: Mapping[str, Reach]) -> None:
        """Add what another process found in its share of the pods."""
        for file, reach in found.items():
            self.found[file] = self.found.get(file, _NONE).joined(reach)

    def dated(self, origin: Origin) -> Origin:
        """Return where the pods come from, with when they were taken."""
        return structs.replace(origin, taken=taken_of(self._files)) if self._dating else origin

    def warnings(self) -> Iterator[str]:
        """Yield in which files times do not count because they have not come yet."""
        for file, reach in sorted(self._files.items()):
            if reach.latest:
                yield (
                    f"{file or 'the input'}: {count(reach.ahead, 'time')} in it, up to "
                    f"{reach.latest:%Y-%m-%dT%H:%M:%SZ}, {'is' if reach.ahead == 1 else 'are'} in the future "
                    "and cannot show its age; check the clocks of the nodes"
                )

    @property
    def _files(self) -> dict[str, Reach]:
        files = {one.file: one.reach for one in self._dating.files} if self._dating else {}
        return {
            file: files.get(file, _NONE).joined(self.found.get(file, _NONE))
            for file in {**files, **self.found}
        }


def dated(inventory: Inventory) -> Origin:
    """Return where an inventory comes from, with when it was taken; its pods are iterated over."""
    ages = Ages(inventory.dating)
    for pod in inventory.pods:
        ages.add(pod)
    return ages.dated(inventory.origin)
