"""One container's verdict with all that sentences about it need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from hashcompat.catalog.behaviour import Change, EraChange
from hashcompat.catalog.eras import Era
from hashcompat.kubelet.decide.case import Case
from hashcompat.model.items import Item
from hashcompat.model.verdicts import Reason

_DIGESTS = {"adler32": "Adler-32", "fnv32a": "FNV-1a"}


class Situation(msgspec.Struct, frozen=True):
    """What sentences about one container are made of."""

    item: Item
    """Its item of the plan."""
    new: str
    """The target release, as people write it."""
    case: Case | None = None
    """The case that was decided; None where nothing could be: see the reason."""
    upstream: tuple[Change | EraChange, ...] = ()
    """The changes behind the verdict."""
    same_text: bool = False
    """Whether both kubelets hash the same text."""
    patch: str = ""
    """The command that makes a patch which keeps the container; empty where none does."""

    @property
    def old(self) -> str:
        """The current release, or what it is where it is not known."""
        is_known = self.case is None or self.case.old_known
        return self.item.from_release if is_known and self.item.from_release else "the current kubelet"

    @property
    def decided(self) -> Case:
        """The case, which all rules have but those about missing input; raises ValueError without one."""
        if self.case is None:
            raise ValueError(f"no case was decided: {[reason.id for reason in self.item.reasons]}")
        return self.case

    def has(self, *ids: str) -> bool:
        """Return whether a rule is among the reasons."""
        return any(reason.id in ids for reason in self.item.reasons)


Reasons = Sequence[Reason]
"""The reasons that cite one rule; at least one."""

Clause = Callable[[Situation, Reasons], str]
"""Says why by one rule, as a part of a sentence."""


def hashed(era: Era, other: Era | None = None) -> str:
    """Say what is hashed in an era, and how where another era hashes the same."""
    if era.picked:
        return f"the JSON of its {' and '.join(era.picked)} alone"
    what = f"the {'JSON' if era.hashes_json else 'Go text'} of the whole container"
    alike = other is not None and other is not era and hashed(other) == what
    return f"{what} with {_DIGESTS.get(era.digest, era.digest)}" if alike else what


def listed(names: Iterable[str]) -> str:
    """Join names, each once, as a sentence does."""
    *most, last = dict.fromkeys(names)
    return f"{', '.join(most)} and {last}" if most else last


def after(text: str, mark: str) -> str:
    """Return what follows a mark in a text, or all of it where it has none."""
    _, has_mark, rest = text.partition(mark)
    return rest if has_mark else text
