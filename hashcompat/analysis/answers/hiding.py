"""A container without its values, and which kubelets hash it alike: what stands for it in a snapshot.

Names stand for the UIDs of static pods, and numbers for a container's hashes: kubelets compute both of
manifests with all their values. A number is equal where the hashes are, and in the order in which they come
up: so the numbers are the same for every container in which the same kubelets hash alike, and show nothing of
a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import blake2b
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.analysis.answers.keeping import FieldKeeper, may_be_kept
from hashcompat.analysis.planning.latest import Latest
from hashcompat.analysis.planning.wayhashes import differing
from hashcompat.core.apiserver import as_read, as_unread
from hashcompat.core.catalog.eras import Era, Schema
from hashcompat.core.catalog.lookup import Catalog, Kubelet
from hashcompat.core.errors import DecodeError, InputError, NotStoredError
from hashcompat.core.go.digest import Digest
from hashcompat.core.go.jsonpath import leaves
from hashcompat.core.go.jsontext import ESCAPES
from hashcompat.core.kubelet.hashing import Hasher, true_hash
from hashcompat.core.kubelet.sections import Printing, SectionPrinter, Sections, printing_of
from hashcompat.core.kubelet.template import Around, around_in
from hashcompat.core.model.pods import Blank, Container, Pod
from hashcompat.core.model.uids import is_computed
from hashcompat.core.model.verdicts import Applied, Files, Hash, HiddenHash, Record, Recorded, StoredHashes

Spec = Mapping[str, Any]
Pair = tuple[Spec, Spec]
"""A container's JSON with its values, and without."""
Ways = Mapping[Era, Sequence[Schema]]
"""Ways of hashing, but for encoding/json."""
_PATCHED: Final = "fnv32a"
"""The digest of the releases that a patched kubelet can be like."""
_LARGEST: Final = 1 << 23
"""Bytes of all texts that are kept of pod templates: of some hundred each."""
_PRINTED: Final = 1 << 21
"""Characters of the sections that are kept for other containers."""

_ESCAPED: Final = frozenset("\b\f")
_SHORTEST_MASK: Final = 3
"""Stars; the usual mask."""
_LONGEST_MASK: Final = 20
"""Stars; that two of a hundred texts share a hash under each of so many masks is not by chance."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """A container as a snapshot holds it."""

    spec: Spec
    """Its JSON with values hidden."""
    true: Mapping[int, Hash]
    """The hash with values, by that of the JSON with values hidden: each kubelet's that decodes it."""
    public: frozenset[int]
    """The hashes in which no hidden value takes part."""

    @property
    def has_values(self) -> bool:
        """Whether a hidden value takes part in any hash."""
        return len(self.public) < len(self.true)

    @property
    def is_distinct(self) -> bool:
        """Whether no two of its texts share a hash."""
        return len(set(self.true.values())) == len(self.true)


class Replicas(msgspec.Struct, frozen=True, eq=False):
    """The containers of one pod template, each with a few texts of its own that a snapshot hides."""

    spec: Spec
    """The JSON that a snapshot shows."""
    keys: tuple[int, ...]
    """The hashes of that."""
    public: frozenset[int]
    """Those in which no hidden value takes part."""
    true_hashes: tuple[tuple[int, Around], ...]
    """The hash with values, by that of what the snapshot shows."""

    @property
    def size(self) -> int:
        """The bytes that it keeps."""
        return sum(text.size for _, text in self.true_hashes)

    def hidden(self, own: Sequence[str]) -> Hidden:
        """Return the container with texts of its own."""
        hashes = {key: text.hash(own) for key, text in self.true_hashes}
        return Hidden(self.spec, {key: hashes.get(key, key) for key in self.keys}, self.public)


class Hider:
    """Hides containers, by the release data of all known kubelets."""

    def __init__(self, catalog: Catalog, keeper: FieldKeeper) -> None:
        kubelets = [catalog.kubelet(name) for name in catalog.releases()]
        patched = [kubelet for kubelet in kubelets if kubelet.era.digest == _PATCHED]
        gated = [kubelet for kubelet in kubelets if kubelet.behaviour.hash_without_resources]
        self._keeper, self._defaults = keeper, catalog.every_read_default
        self._printer = SectionPrinter()
        self._shown: Latest[Blank, list[tuple[int, str]]] = Latest()
        self._replicas: Latest[tuple[Blank, tuple[str, ...]], Replicas | None] = Latest(largest=_LARGEST)
        self._ways, self._patched_ways, self._gated_ways = map(_ways, (kubelets, patched, gated))
        self._schemas = tuple(dict.fromkeys(kubelet.schema for kubelet in patched))

    def replicas(self, container: Container, origin: str) -> Replicas | None:
        """Return a container with the others of its pod template; errors as ``hidden``.

        None for a container that is not known to be one, or that has to be hidden by itself.
        """
        blank = container.blank
        if blank is None or container.stored is not None:
            return None
        # What a snapshot may show decides what of it is shown: such texts are part of what they share.
        if blank not in self._shown:
            self._shown[blank] = _may_be_shown(blank)
        shown = {word: container.own[number] for number, word in self._shown[blank]}
        key = blank, tuple(shown.values())
        if key not in self._replicas:
            with _placed(origin, container):
                spec, table = self._tried(_filled(blank.spec, shown) if shown else blank.spec, _SHORTEST_MASK)
            replicas = table.replicas(spec, blank.words)
            self._replicas.add(key, replicas, replicas.size if replicas else 0)
        return self._replicas[key]

    def hidden(self, container: Container, origin: str) -> Hidden:
        """Return a container without its values.

        Raises InputError, which names ``origin`` and the path, for a value of the wrong type.
        """
        with _placed(origin, container):
            for length in range(_SHORTEST_MASK, _LONGEST_MASK):
                spec, table = self._tried(container.spec, length)
                made = table.hidden(spec, container.stored)
                if made is not None:
                    return made
        raise InputError(f"{origin}: {container.path}: no mask tells its hashes apart")

    def _tried(self, spec: Spec, length: int) -> tuple[Spec, _Table]:
        """Return a container with a mask of so many stars for its values, and its texts with and without."""
        if self._printer.size > _PRINTED:
            self._printer = SectionPrinter()
        original = self._keeper.container(spec, lambda text: text)
        shown = self._keeper.container(spec, _hide("*" * length))
        return shown, self._table(original, shown)

    def _table(self, original: Spec, spec: Spec) -> _Table:
        """Return the texts of a container with its values, and without."""
        printer = self._printer
        table, done = _Table(printer), set[tuple[object, ...]]()
        variants = list(ESCAPES) if _is_escaped(original) else list(ESCAPES)[:1]
        for (true_form, hidden_form), ways in self._forms(original, spec):
            keys = printer.keys(true_form)
            for era, schemas in ways.items():
                # a text of some fields is the same for every schema, and in every form that leaves them alone
                picked = tuple([(era, id(true_form.get(key))) for key in era.picked])
                for schema in _unlike(schemas, keys) if era.hashes_json else schemas:
                    if picked and picked in done:
                        break
                    with suppress(DecodeError):  # the same answer with and without values
                        for escapes in variants if era.hashes_json else variants[:1]:
                            table.add(printing_of(schema, era, escapes), true_form, hidden_form)
                        done.add(picked)
        return table

    def _forms(self, original: Spec, spec: Spec) -> Iterator[tuple[Pair, Ways]]:
        """Yield each form in which a plan may hash a container, with values and without, and for whom.

        An API server of any release may serve it (planning/reading), a patched kubelet decodes its own types
        before it hashes another release's (planning/patched), and the resize gate leaves resources out.
        """
        printer = self._printer
        forms: list[Pair] = [(printer.shared(original, {}), printer.shared(spec, {}))]
        add = partial(_add, forms, printer)
        for default in self._defaults:
            add(forms, partial(as_read, defaults=[default]))
            if default.gate is None:
                add(forms, partial(as_unread, default=default))
        served = [(form, _unlike(self._schemas, printer.keys(form[0]))) for form in forms]
        for schema in self._schemas:
            among = [form for form, unlike in served if schema in unlike]
            add(among, partial(printer.pruned, schema))
        without: list[Pair] = []
        _add(without, printer, forms, lambda form: {**form, "resources": {}})
        yield from ((form, self._ways) for form, _ in served)
        yield from ((form, self._patched_ways) for form in forms[len(served) :])
        yield from ((form, self._gated_ways) for form in without)


def _may_be_shown(blank: Blank) -> list[tuple[int, str]]:
    """Return the words of a blank, with their numbers, in whose places a snapshot may show texts."""
    numbers = {word: number for number, word in enumerate(blank.words)}
    return [
        (numbers[value], value)
        for steps, value in leaves(blank.spec)
        if value in numbers and may_be_kept(".".join([step for step in steps if isinstance(step, str)]))
    ]


def _filled(value: Any, texts: Mapping[str, str]) -> Any:
    """Return JSON with texts in place of words."""
    if isinstance(value, Mapping):
        return {key: _filled(item, texts) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, texts) for item in value]
    return texts.get(value, value) if isinstance(value, str) else value


@contextmanager
def _placed(origin: str, container: Container) -> Iterator[None]:
    """Name where a container is in what is wrong with it."""
    try:
        yield
    except DecodeError as error:
        raise InputError(f"{origin}: {container.path}{error}") from None


def _ways(kubelets: Iterable[Kubelet]) -> Ways:
    ways = dict[Era, dict[Schema, None]]()
    for kubelet in kubelets:
        ways.setdefault(kubelet.era, {})[kubelet.schema] = None
    return {era: tuple(schemas) for era, schemas in ways.items()}


@lru_cache(maxsize=1 << 10)
def _unlike(schemas: Sequence[Schema], keys: frozenset[str]) -> list[Schema]:
    """Return those of some schemas that may decode a container differently in which these keys are set.

    A field that only one of two kubelets knows leaves no trace in JSON where it is unset.
    """
    distinct = list[Schema]()
    for schema in schemas:
        if not any(keys.isdisjoint(differing(schema, other)) for other in distinct):
            distinct.append(schema)
    return distinct


def _is_escaped(spec: Spec) -> bool:
    """Return whether a text may hold a character that Go 1.22 writes differently in JSON."""
    shown = repr(spec)
    return any(repr(character)[1:-1] in shown for character in _ESCAPED)


def _add(
    forms: list[Pair], printer: SectionPrinter, among: Iterable[Pair], change: Callable[[Spec], Spec]
) -> None:
    """Add what a change makes of some forms, where it is new."""
    for form in tuple(among):
        new = change(form[0]), change(form[1])
        if new not in forms:
            forms.append((printer.shared(new[0], form[0]), printer.shared(new[1], form[1])))


def _hide(mask: str) -> Callable[[str], str]:
    """Hide texts, but not whether they are empty, nor whether Go 1.22 writes them differently in JSON."""

    def hide(text: str) -> str:
        return (mask + ("\b" if _ESCAPED & set(text) else "")) if text else ""

    return hide


class _Printed(msgspec.Struct, frozen=True):
    """What one kubelet prints of a container."""

    hasher: Hasher
    hidden: Sections
    """The hashed text of what a snapshot shows."""
    true: Sections
    """That of the container itself."""


class _Table:
    """The texts of a container with values, by those without."""

    def __init__(self, printer: SectionPrinter) -> None:
        self._printer = printer
        self._printed: dict[tuple[Digest, Sections], _Printed] = {}
        self._doubtful: set[tuple[Digest, Sections]] = set()

    def add(self, printing: Printing, true_form: Spec, hidden_form: Spec) -> None:
        """Add what one kubelet prints; raises DecodeError for what it does not decode.

        Where two kubelets print the same text without values but another one with them, neither is stored.
        """
        hasher = printing.hasher
        hidden = self._printer.sections(printing, hidden_form)
        own = hidden if true_form is hidden_form else self._printer.sections(printing, true_form)
        key = hasher.digest, hidden
        if self._printed.setdefault(key, _Printed(hasher, hidden, own)).true != own:
            self._doubtful.add(key)

    def hidden(self, spec: Spec, stored: StoredHashes | None) -> Hidden | None:
        """Return the container as a snapshot holds it; None where two texts share a hash.

        ``stored`` is what a snapshot stores of it already.
        """
        true, public, doubtful = dict[int, Hash](), set[int](), set[int]()
        for place, printed in self._printed.items():
            digest, is_shown = printed.hasher.digest, printed.true == printed.hidden
            key = digest([printed.hidden.text])
            computed = key if is_shown else digest([printed.true.text])
            with suppress(NotStoredError):
                value = true_hash(stored, computed)
                if key in true:
                    return None
                true[key] = value
                if place in self._doubtful:
                    doubtful.add(key)
                elif value == computed and is_shown:
                    public.add(key)
        sure = {key: value for key, value in true.items() if key not in doubtful}
        return Hidden(spec, sure, frozenset(public))

    def replicas(self, spec: Spec, words: Sequence[str]) -> Replicas | None:
        """Return the containers with other texts in place of words that a snapshot hides.

        None where two texts share a hash, and where some are not stored.
        """
        keys = tuple([printed.hasher.digest([printed.hidden.text]) for printed in self._printed.values()])
        if self._doubtful or len(set(keys)) < len(keys):
            return None
        public, true_hashes = set[int](), list[tuple[int, Around]]()
        for key, printed in zip(keys, self._printed.values(), strict=True):
            if printed.true == printed.hidden:
                public.add(key)
            else:
                true_hashes.append((key, around_in(printed.true.text, printed.hasher, words)))
        return Replicas(spec, keys, frozenset(public), tuple(true_hashes))


_BYTES: Final = 16
"""As many as a computed UID has, so that its alias still reads as computed."""


class Aliases:
    """What stands for each UID of a static pod whose name is known: a digest of its names alone."""

    def __init__(self) -> None:
        self._alias_by_uid: dict[str, str] = {}
        self._count_by_pod: dict[tuple[str, str], int] = {}

    def see_pod(self, pod: Pod) -> None:
        """Take one more pod."""
        for uid in (pod.config_hash, _computed(pod.uid)):
            self._see(uid, pod.namespace, pod.name)

    def see_records(self, records: Iterable[Record]) -> None:
        """Take records, after all pods."""
        for record in records:
            if not isinstance(record, Applied | Files):
                self._see(_computed(record.uid), record.namespace, record.pod)

    def _see(self, uid: str, namespace: str, name: str) -> None:
        if uid and uid not in self._alias_by_uid:
            number = self._count_by_pod[namespace, name] = self._count_by_pod.get((namespace, name), 0) + 1
            text = f"{namespace}/{name}/{number}".encode(errors="surrogatepass")
            digest = blake2b(text, digest_size=_BYTES).hexdigest()
            self._alias_by_uid[uid] = digest if is_computed(uid) else f"static-{digest}"

    def __contains__(self, uid: object) -> bool:
        return uid in self._alias_by_uid

    def of(self, uid: str) -> str:
        """Return what stands for a UID; itself where it is not one of those."""
        return self._alias_by_uid.get(uid, uid)


def _computed(uid: str) -> str:
    return uid if is_computed(uid) else ""


class Numbers:
    """The numbers of one container's hashes, those of its records included."""

    def __init__(self, hidden: Hidden) -> None:
        self._hidden = hidden
        self._public = frozenset(hidden.true[text] for text in hidden.public)
        self._number_by_hash: dict[Hash, HiddenHash] = {}

    def stored(self) -> StoredHashes:
        """Return which kubelets hash alike; what no hidden value takes part in is as it is."""
        true, public = self._hidden.true, self._hidden.public
        by_text = {text: hash_ if text in public else self._number(hash_) for text, hash_ in true.items()}
        return StoredHashes(by_text, hidden=True)

    def recorded(self, record: Recorded) -> Recorded:
        """Return the record of the container with numbers for its hashes."""
        return structs.replace(
            record,
            hash=self._numbered(record.hash),
            without_resources=self._numbered(record.without_resources),
        )

    def _numbered(self, value: Hash | None) -> Hash | None:
        return value if value is None or value in self._public else self._number(value)

    def _number(self, value: Hash) -> HiddenHash:
        return self._number_by_hash.setdefault(value, HiddenHash(len(self._number_by_hash) + 1))


def has_hidden(record: Recorded) -> bool:
    """Return whether a hash of a record is hidden."""
    return any(isinstance(value, HiddenHash) for value in (record.hash, record.without_resources))
