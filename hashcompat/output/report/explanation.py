"""The explanation of some containers, as a text for a person and as a document.

Containers whose explanations differ in nothing but names, such as replicas, are explained once, the worst
verdict first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Final

import msgspec
from msgspec import structs

from hashcompat.analysis.answers.expectation import Expected, Where
from hashcompat.analysis.answers.explanation import Explanation, Explanations, Side
from hashcompat.analysis.answers.texts import beginning
from hashcompat.core.model.escape import MASK, count
from hashcompat.core.model.plan import Kind, Piece
from hashcompat.core.model.verdicts import Verdict
from hashcompat.core.regex import regex
from hashcompat.output.documents import containers as docs
from hashcompat.output.report.items import COLOURS, SEVERITY, Provenance, item_name, reason_words, upgrade_of
from hashcompat.output.report.model import (
    Coloured,
    Document,
    Headline,
    Line,
    Report,
    Section,
    Table,
    document,
    filled,
    verdict_cell,
)
from hashcompat.output.report.notes import BESIDES
from hashcompat.output.report.page import Count, MarkedText, Page, Why
from hashcompat.output.report.releases import PULL, SHOW, change_lines, rule_lines, whole_sections
from hashcompat.output.report.restartplan import container_verdict, source_of, tool_of


class ExplanationGroup(msgspec.Struct, frozen=True):
    """Containers whose explanations are the same."""

    explanation: Explanation
    """That of the first one."""
    alike: tuple[Explanation, ...]
    """Those of the others, in their order."""


def grouped(explanations: Iterable[Explanation]) -> list[ExplanationGroup]:
    """Put explanations together that are alike, the worst verdict first."""
    groups: dict[Hashable, list[Explanation]] = {}
    for explanation in sorted(explanations, key=lambda explained: SEVERITY[explained.item.verdict]):
        groups.setdefault(_likeness(explanation), []).append(explanation)
    return [ExplanationGroup(first, tuple(others)) for first, *others in groups.values()]


_MOUNT: Final = regex(
    r"(?<![a-z0-9.-])(kube-api-access|[a-z0-9.-]+-token)-[bcdfghjklmnpqrstvwxz2456789]{5}\b"
)
"""The token mount of a pod, whose name ends as API servers end names that they make (apimachinery
pkg/util/rand ``SafeEncodeString``)."""


def _likeness(explanation: Explanation) -> Hashable:
    """Return all that people are shown but names, and what was made of them: drains, logs, events, hashes.

    From 1.21 on each pod has a token mount with a name of its own (``kube-api-access-x7k2p``), which is
    hashed: the texts and hashes of replicas differ in it.
    """
    item, said = explanation.item, explanation.sentences
    sides = explanation.old, explanation.new
    return (
        *(item.container, item.from_release, item.verdict, item.reasons, item.calibrated),
        item.hashes.recorded is None,
        (said.what, said.why, said.todo),
        tuple((seen.where, seen.verbosity) for seen in explanation.expect),
        tuple(_MOUNT.sub("", side.readable) if side else None for side in sides),
    )


_SEPARATOR: Final = "-" * 72
_MOST_NAMES: Final = 5
_PLACES: Final = {
    Where.LOG: "log of the kubelet",
    Where.EVENT: "event",
    Where.STATUS: "pod's status",
    Where.UID: "new UID",
}
_MARKS: Final = {
    Kind.SAME: ("{}", ""),
    Kind.REMOVED: ("[-{}-]", "red"),
    Kind.ADDED: ("{{+{}+}}", "green"),
    Kind.GAP: ("…", ""),
}
"""How pieces are marked, as wdiff does, and their colours."""


def _document(explanations: Explanations) -> Document:
    return document(
        docs.ExplanationList,
        warnings=explanations.warnings,
        source=source_of(explanations.origin),
        tool=tool_of(explanations.making),
        created_at=explanations.making.at,
        items=list(map(_explained, explanations.items)),
        besides=explanations.besides,
    )


def _explained(explanation: Explanation) -> docs.Explained:
    return filled(
        docs.Explained,
        explanation,
        **structs.asdict(container_verdict(explanation.item)),
        from_=_side(explanation.old),
        to=_side(explanation.new),
        fragment=explanation.fragment.pieces,
        upstream=list(map(msgspec.to_builtins, explanation.upstream)),
    )


def _side(side: Side | None) -> docs.Side | None:
    return filled(docs.Side, side, hex=_hex(side.hash)) if side else None


def _hex(value: int | None) -> str | None:
    return None if value is None else f"{value:x}"


def _text(explanations: Explanations) -> Iterator[Section]:
    """Yield containers that are alike as one, and each upstream change where it comes first."""
    if explanations.warnings:
        yield Section([[f"Warning: {warning}"] for warning in explanations.warnings], wraps=True)
    shown: set[object] = set()
    for number, group in enumerate(grouped(explanations.items)):
        if number:
            yield Section([[_SEPARATOR]])
        yield from _sections(group, shown, full=explanations.full)
    if explanations.besides:
        yield Section([[line] for line in explanations.besides], BESIDES, wraps=True)


def _sections(group: ExplanationGroup, shown: set[object], *, full: bool) -> Iterator[Section]:
    """Yield the whole story of some containers that are alike."""
    explanation = group.explanation
    item, said = explanation.item, explanation.sentences
    yield Section([[item_name(item), ": ", verdict_cell(item)], *_alike(group)], wraps=True)
    yield Section([[said.what], [said.why], [said.todo], *_remarks(explanation)], wraps=True)
    if said.commands:
        yield Section([[command] for command in said.commands], "Commands")
    if (explanation.by_text or full) and (rows := _hash_rows(explanation)):
        yield Section(Table(("", "KUBELET", "HASH", "HEX", "ERA"), lambda: rows))
    if full:
        yield from whole_sections(explanation)
    elif explanation.by_text:
        yield from _difference(explanation)
    if lines := [*_upstream(explanation, shown)]:
        yield Section(lines, "Upstream", wraps=True)
    if explanation.expect:
        yield Section([*_expected(explanation.expect)], "What to expect", wraps=True)


def _remarks(explanation: Explanation) -> Iterator[Line]:
    """Yield why no text is shown, and what the verdict takes as given."""
    if not explanation.compared:
        yield ["This decides before any hash is compared."]
    if creator := explanation.item.creator:
        yield [f"Assumed: created by {creator}; the hash that its runtime recorded would confirm it."]


def _alike(group: ExplanationGroup) -> Iterator[Line]:
    if group.alike:
        names = [item_name(other.item) for other in group.alike[:_MOST_NAMES]]
        more = ", …" if len(group.alike) > _MOST_NAMES else ""
        hashes = {explanation.item.hashes for explanation in (group.explanation, *group.alike)}
        own = ", each with hashes of its own" if len(hashes) > 1 else ""
        yield [f"and {len(group.alike)} more like it{own}: {', '.join(names)}{more}"]


def _hash_rows(explanation: Explanation) -> list[list[object]]:
    recorded, sides = explanation.item.hashes.recorded, (("from", explanation.old), ("to", explanation.new))
    rows: list[list[object]] = [
        [label, side.release, side.hash, _hex(side.hash), side.era] for label, side in sides if side
    ]
    return rows if recorded is None else [["recorded", None, recorded, _hex(recorded), None], *rows]


def _difference(explanation: Explanation) -> Iterator[Section]:
    """Yield where the two texts differ; across eras what each hashes, and how that begins."""
    old, new = explanation.old, explanation.new
    if old is None or new is None:
        return
    if old.era != new.era:
        for side in (old, new):
            title = f"{side.release} hashes {side.hashes}"
            yield _fragment(beginning(side.readable), title, explanation)
    elif explanation.fragment.pieces:
        title = f"Where they differ, [-only {old.release}-] {{+only {new.release}+}}"
        yield _fragment(explanation.fragment.pieces, title, explanation)
    elif old.hash != new.hash or explanation.item.verdict is Verdict.RESTART:
        yield Section([[f"They differ in a masked value; {SHOW}."]], wraps=True)


def _fragment(pieces: Sequence[Piece], title: str, explanation: Explanation) -> Section:
    lines = [_marked(pieces)]
    if explanation.fragment.more:
        lines.append(["More places differ; --full shows all."])
    if explanation.masked and any(MASK in piece.text for piece in pieces):
        lines.append([f"Values are masked; {SHOW}."])
    return Section(lines, title, wraps=True)


def _marked(pieces: Sequence[Piece]) -> Line:
    line: list[str | Coloured] = []
    for before, piece, after in zip((None, *pieces), pieces, (*pieces[1:], None), strict=False):
        form, colour = _MARKS[piece.kind]
        text = form.format(piece.text)
        if piece.kind is Kind.GAP:
            text = f"{_space(before, -1)}{text}{_space(after, 0)}"
        line.append(Coloured(text, colour) if colour else text)
    return line


def _space(piece: Piece | None, end: int) -> str:
    """Return the space between a gap and the end of a piece, unless that has one or none is needed."""
    return "" if piece is None or (piece.kind is Kind.SAME and piece.text[end] == " ") else " "


def _expected(expect: Iterable[Expected]) -> Iterator[Line]:
    for seen in expect:
        at = f" at --v={seen.verbosity} or more" if seen.verbosity else ""
        yield [f"{_PLACES[seen.where]}{at}: {seen.text}"]


def _upstream(explanation: Explanation, shown: set[object]) -> Iterator[Line]:
    """Yield the changes behind a verdict, or the sources of its rules; but none that is known by now."""
    if explanation.item.verdict is Verdict.KEEP:
        return
    rows = [row for row in explanation.upstream if row not in shown]
    ids = dict.fromkeys(reason.id for reason in explanation.item.reasons)
    rules = [rule for rule in ids if rule not in shown] if not explanation.upstream else []
    shown.update(rows, rules)
    yield from change_lines(rows)
    yield from rule_lines(rules, explanation.minors)


def _headline(explanations: Explanations) -> Headline:
    """Return the worst verdict, and of how many containers there are it is that."""
    items = sorted(
        (explanation.item for explanation in explanations.items), key=lambda item: SEVERITY[item.verdict]
    )
    worst = items[0].verdict
    alike = sum(item.verdict is worst for item in items)
    whose = item_name(items[0]) if len(items) == 1 else f"{alike} of {count(len(items), 'container')}"
    return Headline(worst.value, f"{whose}: {reason_words(items[0])}", COLOURS[worst])


def _provenance(explanations: Explanations) -> Provenance:
    way = explanations.way
    upgrade = upgrade_of(way.old, explanations.running, way.new) if way else ""
    return Provenance(upgrade, explanations.origin, explanations.making)


def _page(explanations: Explanations) -> Page:
    from hashcompat.output.report.resultpages import framed  # noqa: PLC0415 - few runs make pages

    numbers = Counter(explanation.item.verdict for explanation in explanations.items)
    return framed(
        EXPLANATIONS,
        explanations,
        counts=[Count(numbers[word], word.value, word.value) for word in SEVERITY if numbers[word]],
        warnings=list(explanations.warnings),
        besides=list(explanations.besides),
        whys=[_why(number, group) for number, group in enumerate(grouped(explanations.items), 1)],
    )


def _why(number: int, group: ExplanationGroup) -> Why:
    explanation, others = group.explanation, group.alike
    item, said = explanation.item, explanation.sentences
    names = ", ".join(item_name(other.item) for other in others[:_MOST_NAMES])
    more = f", and {len(others) - _MOST_NAMES} more" if len(others) > _MOST_NAMES else ""
    lists = (
        ("Remarks", _remarks(explanation)),
        ("Upstream", _upstream(explanation, set())),
        ("What to expect", _expected(explanation.expect)),
    )
    return Why(
        number,
        item.verdict.value,
        reason_words(item),
        1 + len(others),
        item_name(item),
        [(reason.id, reason.text, reason.path) for reason in item.reasons],
        [said.what, said.why, said.todo, *([f"The same is true of {names}{more}."] if others else [])],
        [*_fragments(explanation)] if explanation.by_text else [],
        said.commands,
        [(title, [*_joined("".join(map(str, line)) for line in lines)]) for title, lines in lists],
    )


def _joined(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines with the pull request that is the next line's address at their ends: a page links it."""
    line = ""
    for text in lines:
        if (number := text.removeprefix(PULL)) != text:
            line += f" kubernetes/kubernetes#{number}" if f"#{number}" not in line else ""
            continue
        yield from filter(None, [line])
        line = text
    yield from filter(None, [line])


def _fragments(explanation: Explanation) -> Iterator[MarkedText]:
    old, new = explanation.old, explanation.new
    if old is None or new is None:
        return
    if old.era != new.era:
        for side in (old, new):
            pieces = [(piece.kind.value, piece.text) for piece in beginning(side.readable)]
            yield MarkedText(f"{side.release} hashes {side.hashes}; it begins", pieces)
        return
    excerpt = explanation.fragment
    more = "More places differ; hashcompat explain --full shows all." if excerpt.more else ""
    title = f"Where the text of {old.release} and that of {new.release} differ"
    if excerpt.pieces:
        yield MarkedText(title, [(piece.kind.value, piece.text) for piece in excerpt.pieces], more)
    elif old.hash != new.hash:
        yield MarkedText(title, (), f"They differ in a masked value; {SHOW}.")


EXPLANATIONS: Final[Report[Explanations]] = Report(
    "ExplanationList",
    document=_document,
    text=_text,
    page=_page,
    title="Explanation",
    headline=_headline,
    provenance=_provenance,
)
