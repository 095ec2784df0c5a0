"""Why two kubelets hash a container differently, and how many restarts a patch of the new one would save.

The causes are an API server's new defaults, and fields of the Go types.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.analysis.planning.latest import once
from hashcompat.analysis.planning.patched import Accepting, check_patchable
from hashcompat.analysis.planning.prepare import Prepared
from hashcompat.analysis.planning.templates import Named, Template
from hashcompat.analysis.planning.view import View
from hashcompat.core import rules
from hashcompat.core.catalog.eras import Schema
from hashcompat.core.catalog.lookup import Catalog, Kubelet
from hashcompat.core.catalog.releases import newer_of, oldest_first
from hashcompat.core.compile.gojson import omits
from hashcompat.core.errors import NotStoredError, UsageError
from hashcompat.core.go.types import Coded, Map, Member, MemberPair, Walk, compile_walk
from hashcompat.core.kubelet.alike import hash_alike
from hashcompat.core.kubelet.decide import decide
from hashcompat.core.kubelet.hashing import container_hash, hashers
from hashcompat.core.kubelet.template import Around
from hashcompat.core.model.plan import Suggestion
from hashcompat.core.model.verdicts import Hash, Reason, Verdict
from hashcompat.core.rules import (
    ALGORITHM,
    FIELD_ADDED,
    FIELD_DROPPED,
    FIELD_REMOVED,
    FIELD_RETYPED,
    GO_ESCAPES,
)


def by_template(prepared: Prepared) -> object:
    """Return what decides why two kubelets hash a container differently: no name in it does."""
    return prepared.template or prepared.group, prepared.case.old


def reasons(prepared: Prepared, view: View) -> Iterator[Reason]:
    """Name what causes the difference: the kubelets, the target API server's new defaults, or both."""
    case = prepared.case
    if prepared.filled:
        yield Reason(rules.API_DEFAULT, f"the new API server fills in {', '.join(prepared.filled)}")
        before = container_hash(prepared.old_spec, case.new, stored=case.container.stored)
        if before.candidates == case.old_hash.candidates:
            return
    spec = prepared.old_spec if prepared.template is None else prepared.template.spec
    yield from difference(spec, case.old, case.new, view.catalog)


class ChangedField(msgspec.Struct, frozen=True):
    """A field that two releases hash differently."""

    path: str
    """The field's JSON path, with ``[*]`` for the elements of a list."""
    type: str
    """The Go name of the struct that declares it, without the package."""
    field: str
    """The field's Go name."""
    added: bool | None
    """True where only the new side has it, False where only the old one, None where its Go type differs."""


def difference(spec: Mapping[str, Any], old: Kubelet, new: Kubelet, catalog: Catalog) -> tuple[Reason, ...]:
    """Return why two kubelets hash one container's JSON differently, which they must do."""
    if old.era is not new.era:
        newer = newer_of(old, new).era
        pulls = ", ".join(row.pr for row in catalog.changes.eras if row.new == newer.name)
        return (Reason(ALGORITHM, f"another hash algorithm ({pulls or newer.source})"),)
    changes = field_changes(spec, old, new)
    if not changes:
        escapes = "backspace or form feed: encoding/json of Go 1.22 escapes it differently"
        return (Reason(GO_ESCAPES, escapes),)
    every_field = old.era.prints_unset_fields
    return tuple(_reason(change, every_field, (old, new), catalog) for change in changes)


def _reason(
    change: ChangedField, every_field: bool, kubelets: tuple[Kubelet, Kubelet], catalog: Catalog
) -> Reason:
    if change.added is None:  # a field may change its type more than once
        minors = catalog.known.minors_between(*(kubelet.release for kubelet in kubelets))
        row = catalog.changes.find(change.type, change.field, "retyped", minors)
    else:
        row = catalog.changes.find(change.type, change.field)
    since = f" ({', '.join(filter(None, (row.release, row.pr)))})" if row else ""
    if not every_field:
        rule, text = FIELD_DROPPED, f"{change.field} is set, and only one of the kubelets knows it{since}"
    elif change.added is None:
        rule, text = FIELD_RETYPED, f"another Go type of field {change.field}{since}"
    elif change.added:
        rule, text = FIELD_ADDED, f"new field {change.field}{since}"
    else:
        rule, text = FIELD_REMOVED, f"field {change.field} is gone{since}"
    return Reason(rule, text, change.path, change.field)


def field_changes(spec: Mapping[str, Any], old: Kubelet, new: Kubelet) -> list[ChangedField]:
    """Return the fields of this container that the two hash differently, each path once."""
    old_value, new_value = (hashers(kubelet)[0].decode(spec) for kubelet in (old, new))
    every_field = old.era.prints_unset_fields
    walk = _differing(old.schema, new.schema, every_field)
    changes = (_field_change(pair, every_field=every_field) for pair in walk(old_value, new_value))
    return list(dict.fromkeys(filter(None, changes)))


@lru_cache(maxsize=256)
def _differing(old: Schema, new: Schema, every_field: bool) -> Walk:
    """Return the walk of the fields whose text may differ; most fields are never looked at."""

    def wanted(pair: MemberPair) -> bool:
        if pair.old is None or pair.new is None:
            return True
        return every_field and (_are_quantities(pair.old, pair.new) or _retyped(pair.old, pair.new))

    return compile_walk(old.container, new.container, wanted)


def _field_change(pair: MemberPair, *, every_field: bool) -> ChangedField | None:
    """Return what the text shows of a pair of fields; unset ones only where ``every_field`` is printed."""
    match pair.old, pair.new:
        case Member() as old, Member() as new if every_field and _retyped(old, new):
            return ChangedField(pair.path, old.type_name, old.field.name, None)
        case (Member() as member, None) | (None, Member() as member):
            if every_field or not omits(member.field, member.value):
                return ChangedField(pair.path, member.type_name, member.field.name, pair.new is not None)
    return None


def _retyped(old: Member, new: Member) -> bool:
    """Return whether a field of both sides prints differently: by its type's name, or as quantities do."""
    if _are_quantities(old, new):
        return bool(old.value != new.value)
    return old.field.type.name != new.field.type.name


def _are_quantities(old: Member, new: Member) -> bool:
    """Return whether both fields are maps of quantities, whose values alone show how they print."""
    old_type, new_type = old.field.type, new.field.type
    return isinstance(old_type, Map) and isinstance(new_type, Map) and isinstance(old_type.value, Coded)


# Names in a line: the first few are shown, the others only counted, so that none keeps a whole cluster.

_SHOWN: Final = 3
"""How many names a line shows before it counts them; the documents mark each."""


class FewNames:
    """Counts names that are added, and keeps the first few of them in their order."""

    def __init__(self) -> None:
        self._number = 0
        self._first: list[str] = []
        self._latest = ""

    def __len__(self) -> int:
        return self._number

    def add(self, name: str, *, repeated: bool = True) -> None:
        """Add a name; not ``repeated`` right after itself, as that of a pod by its containers."""
        if self._number and name == self._latest and not repeated:
            return
        self._number, self._latest = self._number + 1, name
        insort(self._first, name)
        del self._first[_SHOWN:]

    def __str__(self) -> str:
        return listed(self._first, self._number)


def listed(names: Iterable[str], number: int) -> str:
    """Return the first few of so many names, and how many there are besides."""
    more = [f"{number - _SHOWN} more"] if number > _SHOWN else []
    return ", ".join([*islice(names, _SHOWN), *more])


# What patching the target kubelet would save: the restarts that strategy accept turns into KEEP.


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
        self._arounds = once(self._by_names, lambda pair: pair)

    def accepts(self, prepared: Prepared, replica: Named | None = None) -> bool:
        """Return whether the patch accepts the hash of a container that ``spares`` finds, or of a replica."""
        old = prepared.case.old
        if replica is None or replica.template is None:
            return _compared(prepared) <= self._accepted(prepared)
        return replica.hash(old).candidates <= self._template_hashes(replica.names, replica.template, old)

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
            return self._template_hashes(prepared.names, prepared.template, case.old)
        alone = Template(prepared.new_spec, (), case.container.stored)
        made = self._arounds_of(alone, case.old, keep_empty=self._view.keeps_empty(case.pod))
        return frozenset(around.hash(()) for around in made)

    def accepts_replicas(self, prepared: Prepared) -> bool | None:
        """Return whether the patch accepts the hashes of all replicas, or of none; None if names decide."""
        template, old = prepared.template, prepared.case.old
        if template is None:
            return None
        accepted = {around.way for around in self._arounds((template, old))}
        if accepted.issuperset(around.way for around in template.arounds(old)):
            return True
        return None if accepted else False

    def _template_hashes(self, names: tuple[str, ...], template: Template, old: Kubelet) -> frozenset[Hash]:
        """Return the accepted hashes of the template's container with these names."""
        return frozenset(around.hash(names) for around in self._arounds((template, old)))

    def _by_names(self, pair: tuple[Template, Kubelet]) -> list[Around]:
        """Return the accepted hashes of a template's containers by their names; errors as ``_arounds_of``."""
        return self._arounds_of(*pair, keep_empty=False)

    def _arounds_of(self, template: Template, old: Kubelet, *, keep_empty: bool) -> list[Around]:
        """Return the hashes of a template that the patch accepts; nothing where a snapshot lacks one of them.

        Errors as Hasher.hash.
        """
        made = Accepting(self._new, [old], self._defaults).made(template.spec, keep_empty=keep_empty)
        try:
            return [template.around(hasher, decoded) for hasher, decoded in made]
        except NotStoredError:
            return []

    def suggestion(self, saved: Mapping[str, int]) -> Suggestion | None:
        """Return the patch that saves so many restarts of each current release; None where it saves none."""
        if not saved:
            return None
        olds = oldest_first(map(self._view.current, saved))
        names = dict.fromkeys(kubelet.release.upstream for kubelet in olds)
        return Suggestion(self._new.release.upstream, tuple(names), sum(saved.values()))
