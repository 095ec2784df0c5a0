"""Why containers get their verdicts: sentences, where hashed texts differ, what will be seen.

A name selects containers: a pod, or what owns pods, and one or all of their containers. Each is explained by
the same judge that a plan asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec
from msgspec import structs

from hashcompat.analysis.answers.comparison import FieldDifference, ValueDifference, differences
from hashcompat.analysis.answers.expectation import Expected, event_of, expectations, message_of
from hashcompat.analysis.answers.sentences import Sentences, sentences
from hashcompat.analysis.answers.sentences.why import Situation, hashed
from hashcompat.analysis.answers.texts import NO_DIFFERENCE, Fragment, Texts, fragment, texts_of
from hashcompat.analysis.planning import among_all, bound
from hashcompat.analysis.planning.cluster import Ages
from hashcompat.analysis.planning.judge import Draft
from hashcompat.analysis.planning.planner import Planner
from hashcompat.analysis.planning.reasons import Suggester
from hashcompat.analysis.planning.view import View
from hashcompat.core import rules
from hashcompat.core.catalog.behaviour import EraChange, FieldChange
from hashcompat.core.catalog.lookup import Catalog, Kubelet
from hashcompat.core.errors import InputError, UsageError
from hashcompat.core.go import allowance as allowances
from hashcompat.core.model.escape import name_path, some
from hashcompat.core.model.items import NODE, POD, Item, Owner, is_kind, names_a_kind, near, near_owners
from hashcompat.core.model.plan import Suggestion, Way
from hashcompat.core.model.pods import Container, Inventory, Origin, Pod
from hashcompat.core.model.results import Making, Result
from hashcompat.core.model.verdicts import Verdict

_FORMS: Final = "NAMESPACE/POD, NAMESPACE/POD/CONTAINER or KIND/NAME, or POD with -n NAMESPACE"
_MOST_PARTS: Final = 3
_SHOWN: Final = 3


class NameReading(msgspec.Struct, frozen=True):
    """One way to read a name."""

    name: str
    """That of a pod, of an owner, or of a node."""
    namespace: str = ""
    """Empty for any."""
    kind: str = POD
    """The kind as it was written."""
    container: str = ""
    """Empty for all."""

    def covers(self, pod: Pod) -> bool:
        """Return whether a pod is, or belongs to, what is named."""
        if self.namespace not in ("", pod.namespace):
            return False
        if is_kind(self.kind, POD):
            return pod.name == self.name
        if is_kind(self.kind, NODE):
            return pod.node == self.name
        return Owner(self.kind, self.name).owns(pod)

    def names(self, _pod: Pod, container: Container) -> bool:
        """Return whether a container of such a pod is named."""
        return self.container in ("", container.name)


class Quoted(msgspec.Struct, frozen=True):
    """A name as ``-o name`` prints it, with quotes where it could pass for two."""

    text: str

    def covers(self, pod: Pod) -> bool:
        """Return whether it is that of a pod."""
        return f"{self.text}/".startswith(f"{name_path(pod.namespace, pod.name)}/")

    def names(self, pod: Pod, container: Container) -> bool:
        """Return whether it is that of a pod or of a container."""
        names = pod.namespace, pod.name
        return self.text in (name_path(*names), name_path(*names, container.name))


def readings(target: str, *, in_namespace: bool) -> list[NameReading | Quoted]:
    """Return the ways to read a name, the likeliest first; of those that name something, that one counts.

    ``NAMESPACE/POD[/CONTAINER]`` comes first, then ``[NAMESPACE/]KIND/NAME[/CONTAINER]`` as kubectl reads
    it; with ``in_namespace`` a pod goes without its own. Raises UsageError for a name of another form.
    """
    parts = target.split("/")
    if "" in parts[:2] or (len(parts) == 1 and not in_namespace):
        raise UsageError(f"{target!r} is not {_FORMS}")
    quoted = [Quoted(target)] if '"' in target else []
    full = [NameReading(parts[1], parts[0], container="/".join(parts[2:]))] if len(parts) > 1 else []
    return [*full, *quoted, *_short(parts, in_namespace=in_namespace)]


def _short(parts: Sequence[str], *, in_namespace: bool) -> Iterator[NameReading]:
    match parts:
        case [pod]:
            yield NameReading(pod)
        case [kind, name]:
            yield NameReading(name, kind=kind)
            if in_namespace:
                yield NameReading(kind, container=name)
        case [first, second, third]:
            yield NameReading(third, first, second)
            yield NameReading(second, kind=first, container=third)
        case [namespace, kind, name, container]:
            yield NameReading(name, namespace, kind, container)


def not_found(target: str, covered: Iterable[str], pods: Iterable[Pod]) -> InputError | UsageError:
    """Return the error of a name that nothing has; ``covered`` are the containers of pods that have it.

    One of too many parts is a UsageError: it could only be that of a container with a slash in its name.
    """
    if containers := list(dict.fromkeys(covered)):
        close = near(target.rpartition("/")[2], containers) or containers[:_SHOWN]
        return InputError(f"no container {target} in the input; near it: {', '.join(close)}")
    names, parts = _Names(pods), target.split("/")
    at = next((at for at, part in enumerate(parts[:2]) if names_a_kind(part) and at + 1 < len(parts)), None)
    if at is None and len(parts) > _MOST_PARTS:
        return UsageError(f"{target!r} is not {_FORMS}")
    of_pods = names.near_pods(*(parts if len(parts) > 1 else ("", *parts))[:2])
    owners = near_owners(Owner(*parts[at : at + 2]) if at is not None else Owner("", parts[-1]), names.owners)
    # a name with a kind is more likely that of an owner
    close_names = of_pods or owners if at is None else owners or of_pods
    return InputError(f"no pod {target} in the input; {names.near(close_names)}")


class _Names:
    """The names of all pods and owners, which is all that is kept of them."""

    def __init__(self, pods: Iterable[Pod]) -> None:
        self._pods: dict[str, dict[str, None]] = {}
        self.owners: dict[str, None] = {}
        self._namespaces: dict[str, None] = {}
        for pod in pods:
            self._pods.setdefault(pod.name, {})[pod.namespace] = None
            node = f"{NODE}/{pod.node}" if pod.node else ""
            self.owners |= dict.fromkeys(filter(None, (pod.workload, pod.owner, node)))
            self._namespaces[pod.namespace] = None

    def near_pods(self, namespace: str, name: str) -> list[str]:
        """Return pods near a name, those of its namespace first."""
        paths = [
            (other != namespace, place, name_path(other, close))
            for place, close in enumerate(near(name, self._pods))
            for other in self._pods[close]
        ]
        return [path for _, _, path in sorted(paths)[:_SHOWN]]

    def near(self, close: list[str]) -> str:
        """Say what is near, or where nothing is."""
        if close:
            return f"near it: {', '.join(close)}"
        return f"nothing is near it in {some(self._namespaces, _SHOWN)}"


BY_TEXT: Final = frozenset(
    {
        rules.ALGORITHM,
        rules.GO_ESCAPES,
        rules.FIELD_ADDED,
        rules.FIELD_REMOVED,
        rules.FIELD_DROPPED,
        rules.FIELD_RETYPED,
        rules.API_DEFAULT,
        rules.ADMISSION,
        rules.SERVER_GATE,
        rules.RESIZE_GATE,
        rules.NOT_CALIBRATED,
        rules.PATCHED,
    }
)
"""The reasons for which it matters where the texts differ that the two kubelets hash."""


class Side(msgspec.Struct, frozen=True):
    """One kubelet's view of a container."""

    release: str
    era: str
    hash: int | None
    """The unsigned 32-bit hash; None where a vendor's Go decides."""
    text: str
    """What is hashed."""
    readable: str
    """The JSON where the hashed text is a list of its bytes, or else that text."""
    hashes: str
    """What it hashes, in words."""


class Explanation(msgspec.Struct, frozen=True):
    """Everything about one container's verdict."""

    item: Item
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
    sentences: Sentences
    """What happens, why, and what to do."""
    expect: tuple[Expected, ...] = ()
    """What to expect of it."""
    fields: tuple[FieldDifference, ...] = ()
    """The places where what the two kubelets hash differs; empty across eras."""
    fragment: Fragment = NO_DIFFERENCE
    """Where the two texts differ, if that is why; empty across eras and where they are the same."""
    by_text: bool = False
    """Whether the difference between the two texts is why."""
    upstream: tuple[FieldChange | EraChange, ...] = ()
    """Rows of changes.json behind the difference."""
    minors: frozenset[str] = frozenset()
    """The minors whose changes lie between the two releases; empty where one is not known."""


def explained(item: Item, draft: Draft, way: Way, view: View, *, show_values: bool) -> Explanation:
    """Explain one container; raises InputError for one that does not decode, unless ``keep_going``."""
    if not view.options.keep_going and any(reason.id == rules.NOT_DECODED for reason in item.reasons):
        raise InputError(f"{draft.pod.origin}: {item.reasons[0].text}")
    new = view.kubelet(way.new)
    shown = texts_of(draft, new, view, show_values=show_values)
    case = draft.case
    ids = {reason.id for reason in item.reasons}
    compared = not item.pod_recreated and (item.verdict is not Verdict.KILL or rules.NOT_CREATED in ids)
    upstream = tuple(_upstream(item, *shown, view.catalog)) if compared else ()
    old_text, new_text = shown
    old_side = _side(old_text, item.hashes.from_, new_text) if old_text else None
    new_side = _side(new_text, item.hashes.to, old_text) if new_text else None
    same = bool(old_side and new_side and old_side.text == new_side.text)
    patch = _patch(item, draft, new, view)
    by_text = compared and any(reason.id in BY_TEXT for reason in item.reasons)
    minors = frozenset[str]()
    if case is not None and case.old_known:
        minors = frozenset(view.catalog.known.minors_between(case.old.release, case.new.release))
    fields, where = list[ValueDifference](), NO_DIFFERENCE
    # across eras two texts have nothing in common
    if compared and old_text and new_text and old_text.kubelet.era is new_text.kubelet.era:
        fields = differences(old_text.tree, new_text.tree)
        if by_text:
            json = old_text.kubelet.era.hashes_json
            where = fragment(old_text.readable, new_text.readable, json=json)
    return Explanation(
        item=item,
        old=old_side,
        new=new_side,
        log_line=message_of(item, new, case),
        event=event_of(item, new),
        masked=not show_values,
        compared=compared,
        sentences=sentences(Situation(item, str(new.release), case, upstream, same, patch)),
        expect=expectations(item, new, view.catalog.messages(new.release), case),
        fields=tuple(FieldDifference(field.place, field.old, field.new) for field in fields),
        fragment=where,
        by_text=by_text,
        upstream=upstream,
        minors=minors,
    )


def _side(texts: Texts, value: int | None, other: Texts | None) -> Side:
    """Return the hash with its texts; it is that of the true values even where they are masked."""
    kubelet = texts.kubelet
    words = hashed(kubelet.era, other.kubelet.era if other else None)
    return Side(str(kubelet.release), kubelet.era.name, value, texts.hashed, texts.readable, words)


def _patch(item: Item, draft: Draft, new: Kubelet, view: View) -> str:
    """Return the command that makes a patch which would keep the container; empty where there is none."""
    if item.verdict is not Verdict.RESTART or item.pod_recreated or draft.prepared is None:
        return ""
    if not Suggester(new, view).keeps(draft.prepared):
        return ""
    like = draft.prepared.case.old.release.upstream
    return Suggestion(new.release.upstream, (like,), saves=1).command


def _upstream(
    item: Item, old: Texts | None, new: Texts | None, catalog: Catalog
) -> Iterator[FieldChange | EraChange]:
    if old is None or new is None:
        return
    before, after = old.kubelet, new.kubelet
    minors = catalog.known.minors_between(before.release, after.release)
    if before.era is not after.era:
        if any(reason.id == rules.ALGORITHM for reason in item.reasons):
            yield from catalog.changes.eras_in(minors)
        return
    fields = {(reason.path.rpartition(".")[2], reason.field) for reason in item.reasons if reason.path}
    for row in catalog.changes.fields:
        if (row.json, row.field) in fields and row.release in minors:
            yield row


class Explanations(Result[Explanation], msgspec.Struct, frozen=True):
    """The explanations of the containers that a name selects."""

    items: tuple[Explanation, ...]
    """One per container."""
    full: bool = False
    """Whether people get to see the texts whole."""
    warnings: tuple[str, ...] = ()
    """Which nodes report another release than the current one that is given, and who may create the pods."""
    way: Way | None = None
    """From which release to which."""
    running: tuple[str, ...] = ()
    """The releases that ``auto`` stands for: those under which the containers run."""
    origin: Origin = Origin()
    """Where the pods come from."""
    making: Making = Making()
    """What it was made by, and when the pods were read."""
    besides: tuple[str, ...] = ()
    """What happens to these containers besides restarts, one line each."""


def explain(
    inventory: Inventory,
    target: str,
    way: Way,
    view: View,
    *,
    show_values: bool = False,
    in_namespace: bool = False,
) -> Explanations:
    """Explain the verdicts of the containers that ``NAMESPACE/POD[/CONTAINER]`` or ``KIND/NAME`` names.

    The verdicts are those of a plan of the same inventory. Texts and values are masked unless
    ``show_values``. With ``in_namespace`` a pod's name alone is enough. Where several objects have the name,
    all are explained. Raises UsageError for a malformed name and for unknown releases, InputError where
    nothing has that name, and where it does not decode.
    """
    asked = readings(target, in_namespace=in_namespace)
    view, _ = bound(way, inventory, view)
    view = among_all(inventory, way, view)
    lenient = structs.replace(view, options=structs.replace(view.options, keep_going=True))
    planner = Planner(way, inventory.nodes, lenient)
    covered: list[tuple[int, Draft]] = []
    allowance, ages = allowances.explained(), Ages(inventory.dating)
    for pod in inventory.pods:
        ages.add(pod)
        is_target = any(reading.covers(pod) for reading in asked)
        # A record that is not reproduced makes the other containers of its node doubtful.
        if is_target or view.options.records:
            drafts = planner.drafted(pod)
            if is_target:
                covered += drafts
                allowance.take(len(drafts))
    chosen: list[tuple[int, Draft]] = []
    for reading in asked:
        named = [row for row in covered if reading.covers(row[1].pod)]
        chosen = chosen or [row for row in named if reading.names(row[1].pod, row[1].container)]
    if not chosen:
        raise not_found(target, [draft.container.name for _, draft in covered], inventory.pods)
    items = planner.settled()
    chosen.sort(key=lambda row: (not row[1].pod.node, row[1].pod.node))
    _, warnings = planner.disputes(items[place] for place, _ in chosen)
    besides, doubts = planner.besides((items[place], draft) for place, draft in chosen)
    return Explanations(
        tuple(explained(items[place], draft, way, view, show_values=show_values) for place, draft in chosen),
        warnings=(*warnings, *doubts),
        way=way,
        running=tuple(dict.fromkeys(items[place].from_release for place, _ in chosen)),
        origin=ages.dated(inventory.origin),
        besides=besides,
    )
