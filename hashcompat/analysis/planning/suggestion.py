"""What patching the target kubelet would save: the restarts that strategy accept turns into KEEP."""

from __future__ import annotations

from msgspec import structs

from hashcompat.analysis.planning.latest import once
from hashcompat.analysis.planning.patched import Accepting, check_patchable
from hashcompat.analysis.planning.prepare import Prepared
from hashcompat.analysis.planning.templates import Named, Template
from hashcompat.analysis.planning.view import View
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.catalog.releases import oldest_first
from hashcompat.core.errors import NotStoredError, UsageError
from hashcompat.core.kubelet.alike import hash_alike
from hashcompat.core.kubelet.decide import decide
from hashcompat.core.kubelet.template import Around
from hashcompat.core.model.plan import Suggestion
from hashcompat.core.model.verdicts import Hash, Verdict


def _compared(prepared: Prepared) -> frozenset[Hash]:
    """Return what a patched kubelet looks for among the hashes that it accepts."""
    case = prepared.case
    recorded = case.recorded.hash if case.recorded else None
    return case.old_hash.candidates if recorded is None else frozenset({recorded})


class Suggester:
    """Counts the restarts that a patch would save, unless none can be made or one is assumed."""

    def __init__(self, new: Kubelet, view: View) -> None:
        self._new, self._view = new, view
        self._site, self._defaults = view.catalog.source_site(new), tuple(view.catalog.server_defaults())
        self._accepted = once(self._hashes, lambda prepared: (prepared.group, prepared.case.old))
        self._arounds = once(self._by_names, lambda given: given)
        self._likes: dict[Kubelet, None] = {}
        self._saved = 0

    def add(self, prepared: Prepared, replica: Named | None = None) -> None:
        """Count a container that ``spares`` finds, or a replica of it, if the patch accepts its hash."""
        old = prepared.case.old
        if replica is None or replica.template is None:
            is_accepted = _compared(prepared) <= self._accepted(prepared)
        else:
            is_accepted = replica.hash(old).candidates <= self._of(replica.names, replica.template, old)
        if is_accepted:
            self.save(old)

    def save(self, old: Kubelet) -> None:
        """Count a container whose hash the patch accepts."""
        self._likes[old] = None
        self._saved += 1

    def spares(self, prepared: Prepared) -> bool:
        """Return whether a patch can be made that keeps a restarting container, if it accepts its hash."""
        case = prepared.case
        if not case.old_known or not self._helps(case.old):
            return False
        return decide(structs.replace(case, accepted=_compared(prepared))).verdict is Verdict.KEEP

    def keeps(self, prepared: Prepared) -> bool:
        """Return whether a patch can be made that would keep a container which restarts for its hash."""
        case = prepared.case
        if not case.old_known or not self._helps(case.old):
            return False
        return decide(structs.replace(case, accepted=self._accepted(prepared))).verdict is Verdict.KEEP

    def _helps(self, old: Kubelet) -> bool:
        patched = self._view.patch is not None or self._view.current_patch is not None
        if patched or hash_alike(old, self._new):
            return False
        try:
            check_patchable(self._new, self._site, [old])
        except UsageError:
            return False
        return True

    def _hashes(self, prepared: Prepared) -> frozenset[Hash]:
        case = prepared.case
        if prepared.template is not None:
            return self._of(prepared.names, prepared.template, case.old)
        accepting = self._accepting(case.old)
        keep_empty, stored = self._view.keeps_empty(case.pod), case.container.stored
        try:
            return accepting.hashes(prepared.new_spec, keep_empty=keep_empty, stored=stored)
        except NotStoredError:
            return frozenset()

    def accepts_replicas(self, prepared: Prepared) -> bool | None:
        """Return whether the patch accepts the hashes of all replicas, or of none; None if names decide."""
        template, old = prepared.template, prepared.case.old
        if template is None:
            return None
        accepted = {one.way for one in self._arounds((template, old))}
        if accepted.issuperset(one.way for one in template.arounds(old)):
            return True
        return None if accepted else False

    def _of(self, names: tuple[str, ...], template: Template, old: Kubelet) -> frozenset[Hash]:
        """Return the accepted hashes of the template's container with these names."""
        return frozenset(one.hash(names) for one in self._arounds((template, old)))

    def _by_names(self, given: tuple[Template, Kubelet]) -> list[Around]:
        """Return the accepted hashes of a template's containers by their names; errors as Hasher.hash."""
        template, old = given
        made = self._accepting(old).made(template.spec, keep_empty=False)
        return [template.around(hasher, decoded) for hasher, decoded in made]

    def _accepting(self, old: Kubelet) -> Accepting:
        return Accepting(self._new, [old], self._defaults)

    @property
    def found(self) -> tuple[list[str], int]:
        """The releases whose hashes the patch accepts, and the restarts that it saves, so far."""
        return [kubelet.release.text for kubelet in self._likes], self._saved

    def merge(self, found: tuple[list[str], int]) -> None:
        """Add what was found in other pods."""
        names, saved = found
        self._likes.update(dict.fromkeys(map(self._view.current, names)))
        self._saved += saved

    def suggestion(self) -> Suggestion | None:
        """Return the patch and how many restarts it saves; None where it saves none."""
        if not self._saved:
            return None
        names = dict.fromkeys(kubelet.release.upstream for kubelet in oldest_first(self._likes))
        return Suggestion(self._new.release.upstream, tuple(names), self._saved)
