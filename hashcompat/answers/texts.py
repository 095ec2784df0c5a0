"""What two kubelets hash of one container, as texts in which values are masked."""

from __future__ import annotations

from typing import Any

import msgspec

from hashcompat.catalog.lookup import Kubelet
from hashcompat.errors import DecodeError, NotStoredError
from hashcompat.kubelet.decide.whole import Whole
from hashcompat.kubelet.hashing import Hasher, hashers
from hashcompat.model.mask import masked
from hashcompat.planning.judge import Draft
from hashcompat.planning.patched import as_decoded
from hashcompat.planning.reading import Transition, read
from hashcompat.planning.view import Spec, View


class Texts(msgspec.Struct, frozen=True):
    """What one kubelet hashes of a container."""

    kubelet: Kubelet
    """The kubelet."""
    readable: str
    """What is hashed, as people can read it."""
    _hasher: Hasher
    _spec: Spec

    @property
    def hashed(self) -> str:
        """What is hashed."""
        return self._hasher.text(self._spec)

    @property
    def tree(self) -> Any:
        """What is hashed, as plain data."""
        return self._hasher.tree(self._spec)


def texts_of(
    draft: Draft, new: Kubelet, view: View, *, show_values: bool = False
) -> tuple[Texts | None, Texts | None]:
    """Return what the two kubelets hash; None for an unknown one, and where nothing decodes or is stored."""
    pod, container = draft.pod, draft.container
    old = view.current(draft.release) if view.catalog.knows(draft.release) else None
    keep_empty = view.keeps_empty(pod)
    try:
        transition = Transition(pod, container, old or new, new, Whole(pod), old_known=old is not None)
        specs = _specs(draft, transition, view)
        before, after = [
            _texts(kubelet, as_decoded(spec if show_values else masked(spec), kubelet), keep_empty=keep_empty)
            for kubelet, spec in zip((old or new, new), specs, strict=True)
        ]
    except (DecodeError, NotStoredError):
        return None, None
    return (before if old else None), after


def _specs(draft: Draft, transition: Transition, view: View) -> tuple[Spec, Spec]:
    if draft.prepared:
        return draft.prepared.old_spec, draft.prepared.new_spec
    spec = view.seen(draft.pod, draft.container, transition.old)
    return spec, read(spec, transition, view).spec


def _texts(kubelet: Kubelet, spec: Spec, *, keep_empty: bool) -> Texts:
    """Raise DecodeError for a spec that is not of the kubelet's Go types."""
    hasher = hashers(kubelet, keep_empty=keep_empty)[0]
    return Texts(kubelet, hasher.readable(spec), hasher, spec)
