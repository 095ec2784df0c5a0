"""What one upgrade does to replicas, decided once for all of them.

The pods of one workload differ by names and by when they started. No decision reads those (``kinds``), nor
a hash itself: only how the hashes of the two kubelets compare. So containers of one template and one kind,
whose hashes compare alike, share all but their names and hashes; each one's hashes are computed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from datetime import date
from functools import partial
from typing import Generic, NamedTuple, TypeVar

from hashcompat.analysis.planning.creators import is_settled
from hashcompat.analysis.planning.judge import Draft, Judge
from hashcompat.analysis.planning.kinds import Dates
from hashcompat.analysis.planning.latest import KEPT, Latest
from hashcompat.analysis.planning.reading import rows
from hashcompat.analysis.planning.templates import Named
from hashcompat.analysis.planning.view import is_plain
from hashcompat.core.catalog.lookup import Catalog, Kubelet
from hashcompat.core.kubelet.alike import never_alike
from hashcompat.core.kubelet.decide.container import by_creators
from hashcompat.core.model.pods import Container, Pod

Ruling = TypeVar("Ruling")


class Ruled(NamedTuple, Generic[Ruling]):
    """One container with its ruling."""

    ruling: Ruling
    """What the draft leads to."""
    draft: Draft
    """The container's own, or that of a container that it is a replica of."""
    replica: Named | None = None
    """The container with its own name and hashes, where the draft is not its own."""


class Rulings(Generic[Ruling]):
    """Remembers what the drafts of the latest replicas lead to."""

    def __init__(
        self, judge: Judge, rule: Callable[[Draft], Ruling], *, kept: int = KEPT, verdicts: bool = False
    ) -> None:
        """``rule`` may read of a draft what its replicas share, and nothing else.

        ``verdicts``: whether it reads no more than verdicts, which containers of all templates share whose
        hashes compare alike.
        """
        self._judge, self._rule, self._verdicts = judge, rule, verdicts
        self._plain = is_plain(judge.view)
        self._olds: dict[str, Kubelet | None] = {}
        self._dates: dict[Kubelet, Dates] = {}
        self._ruled: Latest[Hashable, Ruled[Ruling]] = Latest(kept)

    def of(self, pod: Pod) -> tuple[list[Ruled[Ruling]], bool]:
        """Return the ruling of each container of a pod, and whether those of replicas are the same.

        Replicas are pods of the same kind, of the same templates, whose hashes compare alike. Errors as
        ``Judge.drafts``.
        """
        old = self.old(pod) if self.is_shared(pod) else None
        if old is None:
            return [Ruled(self._rule(draft), draft) for draft in self._judge.drafts(pod)], False
        templates, new = self._judge.templates, self._judge.new
        kind, ruled, all_shared = self.kind(pod, old), list[Ruled[Ruling]](), True
        for place, named in enumerate(templates.all_of(pod)):
            compared = named.compared(old, new)
            comparisons = tuple(
                [
                    named.compared(creator, new)
                    for creator in self.possible_creators(pod.containers[place], old)
                ]
            )
            template = named.template if not self._verdicts else named.template is not None
            key = kind, place, old, template, compared, comparisons
            cached = self._ruled.get(key) if compared else None
            if cached is not None:
                ruled.append(Ruled(cached.ruling, cached.draft, named))
                continue
            draft = self._judge.draft(pod, pod.containers[place])
            entry = Ruled(self._rule(draft), draft)
            if compared is not None and _is_repeated(draft):
                self._ruled.add(key, entry, named.likeness.size)
            else:
                all_shared = False
            ruled.append(entry)
        return ruled, all_shared

    def kind(self, pod: Pod, old: Kubelet) -> object:
        """Return what stands for all of a pod that decides besides hashes (``Templates.kind``)."""
        judge = self._judge
        if judge.view.dated and old not in self._dates:
            self._dates[old] = Dates(old.published, partial(_names, judge.view.catalog, old))
        return judge.templates.kind(pod, judge.nodes.get(pod.node), self._dates.get(old))

    def possible_creators(self, container: Container, old: Kubelet) -> list[Kubelet]:
        """Return the kubelets besides the current one whose hashes may show who created a container.

        Those that were there when it started, unless the target kubelet keeps nothing that they created.
        """
        if not self._judge.view.dated or container.started is None or is_settled(container, old):
            return []
        predecessors = self._judge.view.catalog.predecessors(old.release, container.started.date())
        return [
            predecessor.kubelet
            for predecessor in predecessors
            if not never_alike(predecessor.kubelet, self._judge.new)
        ]

    def is_shared(self, pod: Pod) -> bool:
        """Return whether other pods may have the same answer: none whose records or names decide."""
        served = not pod.manifest and pod.static_manifest is None
        view = self._judge.view
        if view.concerns(pod) or view.options.records.files_of(pod) is not None:
            return False
        return self._plain and served and not (pod.static or pod.mirror_doubt or pod.doubt)

    def pair(self, pod: Pod) -> tuple[Kubelet, Kubelet] | None:
        """Return the current and the target kubelet; None where no pods share their rulings."""
        old = self.old(pod)
        return (old, self._judge.new) if old else None

    def old(self, pod: Pod) -> Kubelet | None:
        """Return a pod's current kubelet.

        None for an unknown one, and where a default that only its API server writes decides.
        """
        if self._judge.is_disputed(pod):
            return None
        release = self._judge.release_of(pod)
        if release not in self._olds:
            view, new = self._judge.view, self._judge.new
            old = view.current(release) if view.catalog.knows(release) else None
            self._olds[release] = None if old is None or rows(old, new, view)[1] else old
        return self._olds[release]


def _is_repeated(draft: Draft) -> bool:
    """Return whether both kubelets see the container as it is, and no reason names a day."""
    prepared = draft.prepared
    if prepared is None or prepared.template is None:
        return False
    return prepared.case.creators is None or by_creators(prepared.case) is None


def _names(catalog: Catalog, old: Kubelet, day: date) -> Hashable:
    """Return what stands for the releases that may have created a container on a day."""
    return tuple(
        [
            (predecessor.kubelet.release, predecessor.maintained)
            for predecessor in catalog.predecessors(old.release, day)
        ]
    )
