"""Why a container gets its verdict: both hashed texts, the fields, the upstream change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Final

from hashcompat import rules
from hashcompat.answers.deep import differences
from hashcompat.answers.marking import mark
from hashcompat.catalog.changes import Change, EraChange
from hashcompat.catalog.lookup import Catalog, Kubelet
from hashcompat.errors import DecodeError, InputError, NotStoredError, UsageError
from hashcompat.go import allowance as allowances
from hashcompat.kubelet.hashing import hashers
from hashcompat.model.escape import name_path
from hashcompat.model.hashes import HiddenHash
from hashcompat.model.mask import masked
from hashcompat.model.plan import Item, Verdict, Way
from hashcompat.model.pods import ContainerType, Inventory, Pod
from hashcompat.planning import bound
from hashcompat.planning.judge import Draft
from hashcompat.planning.patched import as_decoded
from hashcompat.planning.planner import Planner
from hashcompat.planning.reading import Transition, read
from hashcompat.planning.view import Spec, View

_BY_HASH: Final = frozenset(
    {
        rules.ALGORITHM,
        rules.GO_ESCAPES,
        rules.FIELD_ADDED,
        rules.FIELD_REMOVED,
        rules.FIELD_DROPPED,
        rules.FIELD_RETYPED,
        rules.API_DEFAULT,
        rules.NOT_REPRODUCED,
        rules.OTHER_CREATOR,
        rules.HASH_MISSING,
    }
)
"""The reasons of a RESTART for which the kubelet logs that the hash changed."""


@dataclass(frozen=True, slots=True)
class Side:
    """One kubelet's view of a container."""

    release: str
    """The kubelet's release."""
    era: str
    """The name of its era."""
    hash: int | None
    """The unsigned 32-bit hash; None where a vendor's Go decides."""
    text: str
    """What is hashed."""
    readable: str
    """The JSON where the hashed text is a list of its bytes, or else that text."""


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """A place where what the two sides hash differs."""

    path: str
    """The place, such as ``ports[0].name``."""
    old: Any
    """The current value; ``absent`` where the current release does not know the field."""
    new: Any
    """The target value; ``absent`` where the target release does not know the field."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything about one container's verdict."""

    item: Item
    """Its item of the plan."""
    old: Side | None
    """The current kubelet; None where only a record decides, or the container does not decode."""
    new: Side | None
    """The target kubelet; None where the container does not decode."""
    log_line: str
    """What the target kubelet logs; empty where the hash is not what changed."""
    event: str
    """The message of the event that the target kubelet writes instead, for a sidecar; else empty."""
    masked: bool
    """Whether texts and values are masked."""
    compared: bool
    """Whether the hash is compared: a kubelet recreates or refuses a whole pod before that."""
    fields: tuple[FieldDifference, ...] = ()
    """The places where what the two kubelets hash differs; empty across eras."""
    marked: str = ""
    """The target kubelet's text with ``[-removed-]`` and ``{+added+}`` words; empty across eras."""
    upstream: tuple[Change | EraChange, ...] = ()
    """Rows of changes.json behind the difference."""


@dataclass(frozen=True, slots=True)
class Explanations:
    """The explanations of the containers that a name selects."""

    items: tuple[Explanation, ...]
    """One per container."""


def explain(
    inventory: Inventory, target: str, way: Way, view: View, *, show_values: bool = False
) -> Explanations:
    """Explain the verdicts of the containers that ``NAMESPACE/POD[/CONTAINER]`` names.

    The verdicts are those of a plan of the same inventory. Texts and values are masked unless
    ``show_values``. Where several objects have the name, all are explained. Raises UsageError for a malformed
    name and for unknown releases, InputError where nothing has that name, where it does not decode, and where
    its kubelet is unknown.
    """
    namespace, name, wanted = _parsed(target)
    view, _ = bound(way, inventory, view)
    planner = Planner(way, inventory.nodes, replace(view, options=replace(view.options, keep_going=True)))
    found: list[tuple[int, Draft]] = []
    allowance = allowances.explained()
    for pod in inventory.pods:
        is_target = (pod.namespace, pod.name) == (namespace, name) or _is_quoted(target, pod)
        # A record that is not reproduced makes the other containers of its node doubtful.
        if is_target or view.options.records:
            drafts = planner.add(pod)
            if is_target:
                found += drafts
                allowance.take(len(drafts))
    chosen = [row for row in found if _is_wanted(target, wanted, row[1])]
    if not chosen:
        raise _not_found(target, wanted, [draft.container.name for _, draft in found], inventory.pods)
    items = planner.settled()
    for place, _ in chosen:
        if why := next((reason for reason in items[place].reasons if reason.id == rules.NODE_RELEASE), None):
            raise InputError(f"{target}: {why.text}")
    chosen.sort(key=lambda row: (not row[1].pod.node, row[1].pod.node))
    return Explanations(
        tuple(_explained(items[place], draft, way, view, show_values=show_values) for place, draft in chosen)
    )


def _parsed(target: str) -> tuple[str, str, str]:
    namespace, _, rest = target.partition("/")
    name, _, container = rest.partition("/")
    if not namespace or not name:
        raise UsageError(f"{target!r} is not NAMESPACE/POD or NAMESPACE/POD/CONTAINER")
    return namespace, name, container


def _is_quoted(target: str, pod: Pod) -> bool:
    """Return whether a target is of a pod as ``-o name`` prints it, its names quoted as needed."""
    return '"' in target and f"{target}/".startswith(f"{name_path(pod.namespace, pod.name)}/")


def _is_wanted(target: str, wanted: str, draft: Draft) -> bool:
    """Return whether a target names a pod's container, or all of them."""
    pod, name = draft.pod, draft.container.name
    paths = (name_path(pod.namespace, pod.name), name_path(pod.namespace, pod.name, name))
    return wanted in ("", name) or target in paths


def _not_found(target: str, container: str, containers: list[str], pods: Iterable[Pod]) -> InputError:
    known = containers or list(dict.fromkeys(name_path(pod.namespace, pod.name) for pod in pods))
    near = get_close_matches(container or target, dict.fromkeys(known), n=3, cutoff=0.3) or known[:3]
    return InputError(
        f"no {'container' if containers else 'pod'} {target} in the input; "
        f"near it: {', '.join(dict.fromkeys(near))}"
    )


@dataclass(frozen=True, slots=True)
class _Shown:
    """A container as it is shown for one kubelet."""

    kubelet: Kubelet
    """The kubelet."""
    text: str
    """What is hashed."""
    readable: str
    """What is hashed, as people can read it."""
    tree: Any
    """What is hashed, as plain data."""

    def side(self, value: int | None) -> Side:
        """Return the hash with its texts; it is that of the true values even where they are masked."""
        return Side(str(self.kubelet.release), self.kubelet.era.name, value, self.text, self.readable)


def _show(kubelet: Kubelet, spec: Spec, *, keep_empty: bool) -> _Shown:
    hasher = hashers(kubelet, keep_empty=keep_empty)[0]
    return _Shown(kubelet, hasher.text(spec), hasher.readable(spec), hasher.tree(spec))


def _explained(item: Item, draft: Draft, way: Way, view: View, *, show_values: bool) -> Explanation:
    if not view.options.keep_going and any(reason.id == rules.NOT_DECODED for reason in item.reasons):
        raise InputError(f"{draft.pod.origin}: {item.reasons[0].text}")
    compared = not (item.pod_recreated or item.verdict is Verdict.KILL)
    old, new = _shown(draft, view.kubelet(way.new), view, show_values=show_values)
    explanation = Explanation(
        item=item,
        old=old.side(item.hashes.from_) if old else None,
        new=new.side(item.hashes.to) if new else None,
        log_line="" if _is_hidden(draft) else _log_line(item, view.kubelet(way.new)),
        event=_event(item, view.kubelet(way.new)),
        masked=not show_values,
        compared=compared,
    )
    return _with_differences(explanation, old, new, view.catalog) if compared and old and new else explanation


def _with_differences(explanation: Explanation, old: _Shown, new: _Shown, catalog: Catalog) -> Explanation:
    """Add what causes the difference; across eras the texts have nothing in common."""
    upstream = tuple(_upstream(explanation.item, old.kubelet, new.kubelet, catalog))
    if old.kubelet.era is not new.kubelet.era or explanation.old is None or explanation.new is None:
        return replace(explanation, upstream=upstream)
    marked = mark(explanation.old.readable, explanation.new.readable)
    return replace(explanation, upstream=upstream, fields=tuple(_fields(old, new)), marked=marked)


def _shown(
    draft: Draft, new: Kubelet, view: View, *, show_values: bool
) -> tuple[_Shown | None, _Shown | None]:
    """Return what the two kubelets see; None for an unknown one, and where nothing decodes or is stored."""
    pod, container = draft.pod, draft.container
    old = view.current(draft.release) if view.catalog.knows(draft.release) else None
    keep_empty = view.keeps_empty(pod)
    try:
        specs = _specs(draft, Transition(pod, container, old or new, new, old_known=old is not None), view)
        before, after = [
            _show(kubelet, as_decoded(spec if show_values else masked(spec), kubelet), keep_empty=keep_empty)
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


def _fields(old: _Shown, new: _Shown) -> Iterator[FieldDifference]:
    for found in differences(old.tree, new.tree):
        yield FieldDifference(found.place, found.old, found.new)


def _upstream(item: Item, old: Kubelet, new: Kubelet, catalog: Catalog) -> Iterator[Change | EraChange]:
    minors = catalog.known.minors_between(old.release, new.release)
    if old.era is not new.era:
        yield from catalog.changes.eras_in(minors)
        return
    paths = {reason.path.rpartition(".")[2] for reason in item.reasons if reason.path}
    for row in catalog.changes.fields:
        if row.change == "added" and row.json in paths and row.release in minors:
            yield row


def _is_restarted_by_hash(item: Item) -> bool:
    return item.verdict is Verdict.RESTART and any(reason.id in _BY_HASH for reason in item.reasons)


def _event(item: Item, new: Kubelet) -> str:
    """Return the message of the event that the target kubelet writes for a sidecar's changed hash."""
    if item.container.type is not ContainerType.SIDECAR or not _is_restarted_by_hash(item):
        return ""
    return new.behaviour.sidecar_restart_event.format(container=item.container.name)


def _is_hidden(draft: Draft) -> bool:
    """Return whether a snapshot hides the recorded hash, which the log of the target kubelet may have."""
    record = draft.prepared.case.recorded if draft.prepared else None
    return record is not None and isinstance(record.hash, HiddenHash)


def _log_line(item: Item, new: Kubelet) -> str:
    """Return what the target kubelet logs for a changed hash, with the recorded one where its log has it."""
    if item.container.type is ContainerType.SIDECAR or not _is_restarted_by_hash(item):
        return ""
    old_hash = item.hashes.from_ if item.hashes.recorded is None else item.hashes.recorded
    hashes = {"from": 0 if _is_missing(item) else old_hash, "to": item.hashes.to}
    if "{from}" in new.behaviour.restart_log and None in hashes.values():
        return ""
    return new.behaviour.restart_log.format(pod=item.pod.name, container=item.container.name, **hashes)


def _is_missing(item: Item) -> bool:
    return any(reason.id == rules.HASH_MISSING for reason in item.reasons)
