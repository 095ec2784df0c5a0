"""Why one container's hash differs between two kubelets, in full; and what differs between two releases at all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Final

from deepdiff import DeepDiff

from hashcompat.catalog.lookup import Catalog, Kubelet
from hashcompat.kubelet.hashing import hashers
from hashcompat.model.mask import masked
from hashcompat.model.plan import Item, Verdict
from hashcompat.model.pods import Container, Pod
from hashcompat.planning.options import Options
from hashcompat.planning.prepare import keeps_empty, seen_specs

ABSENT: Final = "absent"

_WORDS: Final = re.compile(r"\s?[^\s{}\[\]]+|[{}\[\]]|\s")


@dataclass(frozen=True, slots=True)
class Side:
    """One kubelet's view of a container; ``text`` is what is hashed, ``readable`` the JSON where that is a list of bytes."""

    release: str
    era: str
    hash: int | None
    text: str
    readable: str


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """A place in what is hashed where the two sides differ; ``absent`` where a side does not know the field."""

    path: str
    old: Any
    new: Any


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything about one container's verdict; ``marked`` is the text with ``[-removed-]`` and ``{+added+}`` words."""

    item: Item
    old: Side
    new: Side
    fields: tuple[FieldDifference, ...]
    marked: str
    upstream: tuple[Mapping[str, Any], ...]
    log_line: str
    masked: bool


def explain(
    pod: Pod,
    container: Container,
    item: Item,
    to_release: str,
    catalog: Catalog,
    options: Options,
    *,
    show_values: bool = False,
) -> Explanation:
    """Explain a container's item of a plan; texts and values are masked unless ``show_values``."""
    old, new = catalog.kubelet(item.from_release), catalog.kubelet(to_release)
    specs = seen_specs(pod, container, (old, new), catalog, options)
    shown = [spec if show_values else masked(spec) for spec in specs]
    keep_empty = keeps_empty(pod, options)
    sides = [
        _side(kubelet, value, spec, keep_empty=keep_empty)
        for kubelet, value, spec in zip((old, new), (item.hashes.from_, item.hashes.to), shown, strict=True)
    ]
    same_era = old.era is new.era
    fields = _fields((old, new), shown, keep_empty=keep_empty) if same_era else ()
    return Explanation(
        item=item,
        old=sides[0],
        new=sides[1],
        fields=tuple(fields),
        marked=mark(sides[0].readable, sides[1].readable) if same_era else "",
        upstream=tuple(_upstream_of_item(item, old, new, catalog)),
        log_line=_log_line(item, new),
        masked=not show_values,
    )


def _side(kubelet: Kubelet, value: int | None, shown: Mapping[str, Any], *, keep_empty: bool) -> Side:
    hasher = hashers(kubelet, keep_empty=keep_empty)[0]
    return Side(str(kubelet.release), kubelet.era.name, value, hasher.text(shown), hasher.readable(shown))


def _fields(
    kubelets: tuple[Kubelet, Kubelet], shown: Sequence[Mapping[str, Any]], *, keep_empty: bool
) -> Iterator[FieldDifference]:
    trees = [
        hashers(kubelet, keep_empty=keep_empty)[0].tree(spec)
        for kubelet, spec in zip(kubelets, shown, strict=True)
    ]
    for path, before, after in _deep_differences(*trees):
        yield FieldDifference(_dotted(path), before, after)


def _deep_differences(old: Any, new: Any) -> list[tuple[list[Any], Any, Any]]:
    """Return path, old and new value wherever two trees differ, ``absent`` for what one of them lacks."""
    found = DeepDiff(old, new, view="tree", verbose_level=2)
    rows = []
    for kind, changes in found.items():
        for change in changes:
            before = ABSENT if kind.endswith("_added") else change.t1
            after = ABSENT if kind.endswith("_removed") else change.t2
            rows.append((change.path(output_format="list"), before, after))
    return sorted(rows, key=lambda row: [str(step) for step in row[0]])


def _dotted(path: list[Any]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")


def mark(old: str, new: str) -> str:
    """Return ``new`` with what it has more as ``{+…+}`` and what it lacks as ``[-…-]``, word by word, as wdiff does."""
    before, after = _WORDS.findall(old), _WORDS.findall(new)
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    old_part, new_part = before[start : len(before) - end], after[start : len(after) - end]
    marked = ["".join(after[:start])]
    for tag, *bounds in SequenceMatcher(None, old_part, new_part).get_opcodes():
        removed = "".join(old_part[bounds[0] : bounds[1]])
        added = "".join(new_part[bounds[2] : bounds[3]])
        marked.append(
            added
            if tag == "equal"
            else (f"[-{removed}-]" if removed else "") + (f"{{+{added}+}}" if added else "")
        )
    return "".join([*marked, *after[len(after) - end :]])


def _common(one: list[str], other: list[str]) -> int:
    """Return how many words two lists begin with in common."""
    return next(
        (index for index, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )


def _upstream_of_item(
    item: Item, old: Kubelet, new: Kubelet, catalog: Catalog
) -> Iterator[Mapping[str, Any]]:
    if old.era is not new.era:
        yield from _era_changes(old, new, catalog)
        return
    paths = {reason.path.rpartition(".")[2] for reason in item.reasons if reason.path}
    for row in catalog.changes["fields"]:
        if row["change"] == "added" and row["json"] in paths and _between(row["release"], old, new, catalog):
            yield row


def _era_changes(old: Kubelet, new: Kubelet, catalog: Catalog) -> Iterator[Mapping[str, Any]]:
    for row in catalog.changes["eras"]:
        if _between(row["release"], old, new, catalog):
            yield row


def _between(minor: str, old: Kubelet, new: Kubelet, catalog: Catalog) -> bool:
    """Tell whether a change that came with a minor release lies between two releases, whichever way they go."""
    order = list(catalog.rows)
    first, last = sorted(order.index(kubelet.release.minor) for kubelet in (old, new))
    return minor in order and first < order.index(minor) <= last


def _log_line(item: Item, new: Kubelet) -> str:
    if item.verdict is not Verdict.RESTART:
        return ""
    hashes = {"from": item.hashes.from_, "to": item.hashes.to}
    return new.rules.restart_log.format(pod=item.pod.name, container=item.container.name, **hashes)
