"""Replicas: of the pods that follow one template, only the first is decided.

A reader hands on pods of one shape (``sources/replicas/``): they have the same containers but for strings in
slots. What is left to do for the second such pod is three questions.

1. *What else decides?* (``kinds.py``) Everything of a pod, its status and its node does, but what is listed
   there, so that a field that this program does not know counts too. Pods of one kind share their verdicts
   if their hashes compare alike.
2. *What are its hashes?* (``templates.py``) A container's text is printed once for each template and
   kubelet, and digested up to the first slot; of each pod only the rest is. No verdict depends on a hash as
   such, only on which kubelets' hashes are equal.
3. *Has that been decided?* (``rulings.py``) Containers of one kind and template whose hashes compare alike
   have one ruling: verdict, reasons, warnings. ``repeats.py`` asks the three questions of a pod once for a
   plan, its hops and its way back together.

Records, mirror pods, manifests and patches decide by names or by records: such pods are decided one by one,
by the same judge (``analysis/planning/judge.py``), which never looks at any of this.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Protocol

import msgspec

from hashcompat.analysis.planning.hops import Counted, Hops
from hashcompat.analysis.planning.latest import Latest
from hashcompat.analysis.planning.planner import Planner, Ruling
from hashcompat.analysis.planning.templates import Named, Templates
from hashcompat.analysis.planning.view import View
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.kubelet.template import Around
from hashcompat.core.model.items import Item
from hashcompat.core.model.plan import Details, Way
from hashcompat.core.model.pods import Pod
from hashcompat.core.model.verdicts import Hash


class Gathering(Protocol):
    """Gathers details while pods pass, each once, by itself or as a replica of one that passed."""

    def kubelets(self) -> tuple[Kubelet, ...]:
        """Return the kubelets whose hashes decide, besides those of the plan and its hops."""

    def decisive(self, pod: Pod) -> Hashable:
        """Return what of a pod decides besides its hashes and its kind (``Rulings.kind``)."""

    def add(self, pod: Pod) -> Any:
        """Take one more pod; return what its replicas share, None where they may differ.

        Replicas are as for ``Rulings.of``, under all ``kubelets``. Errors as ``Judge.drafts``.
        """

    def repeat(self, gathered: Any, pod: Pod) -> None:
        """Take a replica of a pod."""

    def numbers(self, items: Callable[[], Sequence[Item]]) -> Sequence[int]:
        """Return the number of each item's difference; ``items`` returns them in the order of the pods."""

    def details(self) -> Details | None:
        """Return the details, once the numbers are known."""


Gather = Callable[[Way, View, Templates], Gathering]
"""Begins to gather."""


class Nothing:
    """Gathers nothing."""

    def __init__(self, _way: Way, _view: View, _templates: Templates) -> None: ...

    def kubelets(self) -> tuple[Kubelet, ...]:
        """Return none."""
        return ()

    def decisive(self, _: Pod) -> Hashable:
        """Return what is the same for all pods."""
        return None

    def add(self, _: Pod) -> Any:
        """Return what is shared by all pods."""
        return ()

    def repeat(self, _gathered: Any, _pod: Pod) -> None:
        """Keep nothing."""

    def numbers(self, _: Callable[[], Sequence[Item]]) -> Sequence[int]:
        """Return none."""
        return ()

    def details(self) -> None:
        """Return none."""


Pattern = tuple[int, ...]
"""For each kubelet the first one that hashes a container alike."""


class _Hashes(msgspec.Struct, frozen=True):
    """The hashes of a container of replicas by its names."""

    arounds: Sequence[Around]
    """Each one that a kubelet on the way has; the first is that of the current one."""
    new: int
    """The place of that of the target kubelet."""
    pattern: Pattern
    """How they compare."""

    @classmethod
    def of(cls, named: Named, kubelets: tuple[Kubelet, ...]) -> _Hashes | None:
        """Return the hashes of a container under kubelets, the current and the target one first.

        None without a template, and where a kubelet has two hashes.
        """
        all_arounds = named.template.each(kubelets) if named.template else []
        if not all_arounds:
            return None
        # most kubelets hash as another one does
        arounds = list({id(around): around for around in all_arounds}.values())
        place = next(place for place, around in enumerate(arounds) if around is all_arounds[1])
        return cls(arounds, place, _pattern([around.hash(named.names) for around in arounds]))

    def repeated(self, names: Sequence[str]) -> tuple[Hash, Hash] | None:
        """Return the hashes of the current and the target kubelet; None where hashes compare otherwise."""
        hashes = [around.hash(names) for around in self.arounds]
        return (hashes[0], hashes[self.new]) if _pattern(hashes) == self.pattern else None


class _Repeated(msgspec.Struct, frozen=True):
    """What replicas share."""

    rulings: Sequence[Ruling]
    """Of their containers."""
    counted: Counted
    """What the hops count of them."""
    gathered: Any
    """What is gathered of them."""
    hashes: Sequence[_Hashes]
    """Of each container."""


class Repeats:
    """Adds pods to a plan and its hops."""

    def __init__(self, planner: Planner, hops: Hops, templates: Templates, gathering: Gathering) -> None:
        self._planner, self._hops, self._templates = planner, hops, templates
        self._gathering = gathering
        self._repeated: Latest[Hashable, _Repeated] = Latest()
        self._kubelets: dict[str, tuple[Kubelet, ...]] = {}

    def add(self, pod: Pod) -> None:
        """Decide one more pod; errors as Judge's."""
        release = self._hops.release_of(pod)
        kubelets = self._kubelets_of(pod, release) if self._may_repeat(pod) else ()
        if not kubelets:
            _, ended = self._planner.add(pod)
            self._hops.add(pod, ended)
            self._gathering.add(pod)
            return
        kind = self._planner.rulings.kind(pod, kubelets[0])
        hashed = tuple([container.blank for container in pod.containers])
        key = kind, hashed, release, self._gathering.decisive(pod)
        cached = self._repeated.get(key)
        if cached is not None:
            pairs = zip(pod.containers, cached.hashes, strict=True)
            answers = [hashes.repeated(container.own) for container, hashes in pairs]
            matching = [pair for pair in answers if pair is not None]
            if len(matching) == len(answers):
                self._planner.repeat(pod, cached.rulings, matching)
                self._hops.repeat(cached.counted)
                self._gathering.repeat(cached.gathered, pod)
                return
        rulings, ended = self._planner.add(pod)
        counted, gathered = self._hops.add(pod, ended), self._gathering.add(pod)
        if rulings is not None and counted is not None and gathered is not None and cached is None:
            self._learn(key, pod, kubelets, (rulings, counted, gathered))

    def _learn(
        self,
        key: Hashable,
        pod: Pod,
        kubelets: tuple[Kubelet, ...],
        shared: tuple[Sequence[Ruling], Counted, Any],
    ) -> None:
        """Remember what pods of one kind share."""
        if any(container.blank is None for container in pod.containers):
            return
        named = self._templates.all_of(pod)
        all_kubelets = [
            (*kubelets, *self._planner.rulings.possible_creators(container, kubelets[0]))
            for container in pod.containers
        ]
        answers = [
            _Hashes.of(container, own_kubelets)
            for container, own_kubelets in zip(named, all_kubelets, strict=True)
        ]
        hashes = [answer for answer in answers if answer is not None]
        if len(hashes) == len(answers):
            self._repeated.add(
                key, _Repeated(*shared, hashes), sum(container.likeness.size for container in named)
            )

    def _may_repeat(self, pod: Pod) -> bool:
        return pod.shape is not None and self._planner.rulings.is_shared(pod)

    def _kubelets_of(self, pod: Pod, release: str) -> tuple[Kubelet, ...]:
        """Return all kubelets on the way of a pod, its own and the target one first.

        Nothing where they do not decide alone.
        """
        if release not in self._kubelets:
            own, hop_kubelets = self._planner.rulings.pair(pod), self._hops.kubelets(pod, release)
            kubelets = (*own, *hop_kubelets, *self._gathering.kubelets()) if own and hop_kubelets else ()
            self._kubelets[release] = kubelets
        return self._kubelets[release]


def _pattern(hashes: list[Hash]) -> Pattern:
    return tuple(map(hashes.index, hashes))
