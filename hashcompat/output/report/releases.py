"""The releases that are known and what differs between two, the texts of a container, versions and roles.

Upstream changes are shown with the addresses of their pull requests.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from hashcompat.analysis.answers.comparison import (
    ABSENT,
    KnownMinor,
    ReleaseDifference,
    ReleaseList,
    Versions,
    resize_restarts,
    restarts,
    static_restarts,
)
from hashcompat.analysis.answers.explanation import Explanation, Side
from hashcompat.analysis.answers.texts import mark
from hashcompat.analysis.planning.assumptions import facts
from hashcompat.core.catalog.behaviour import EraChange, FeatureGate, FieldChange
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.model.escape import name_path
from hashcompat.core.rules import find, respects
from hashcompat.output.documents import releases as docs
from hashcompat.output.report.model import (
    Coloured,
    Document,
    Line,
    Prose,
    Report,
    Section,
    Table,
    document,
    filled,
)

if TYPE_CHECKING:
    from hashcompat.sources.cluster.own import Roles  # which imports what reads a cluster


_COLUMNS: Final = ("MINOR", "RELEASES", "TYPES", "ERA", "GO")


def _cells(minor: KnownMinor) -> list[object]:
    releases = f"{minor.releases[0]} - {minor.releases[-1]}"
    go = " -> ".join(dict.fromkeys(build.go for build in minor.go))
    return [minor.name, Prose(_added(minor) or releases), minor.types, minor.era, Prose(go)]


def _wide_cells(minor: KnownMinor) -> list[object]:
    """Name every patch release and where the types were made from too."""
    go = ", ".join(f"{build.go} since {build.since}" for build in minor.go)
    releases = _added(minor) or " ".join(minor.releases)
    return [minor.name, Prose(releases), minor.types, minor.era, Prose(go), Prose(minor.made_from)]


def _added(minor: KnownMinor) -> str:
    pre = ", a pre-release" if minor.pre_release else ""
    return f"{minor.releases[-1]}, added{pre}" if minor.user_added else ""


RELEASES: Final[Report[ReleaseList]] = Report(
    "ReleaseList",
    document=lambda releases: document(docs.ReleaseList, items=releases.minors),
    table=lambda releases: Table(_COLUMNS, lambda: map(_cells, releases.minors)),
    wide=lambda releases: Table((*_COLUMNS, "MADE-FROM"), lambda: map(_wide_cells, releases.minors)),
    names=lambda releases: (release for minor in releases.minors for release in minor.releases),
)


VERSION: Final[Report[Versions]] = Report(
    "Version",
    document=lambda version: document(
        docs.Version, version=version.tool, oldest_kubelet=version.oldest, newest_kubelet=version.newest
    ),
    text=lambda version: [
        Section([[f"hashcompat {version.tool}"], [f"kubelet releases {version.oldest} - {version.newest}"]])
    ],
    names=lambda version: (version.tool,),
)


ROLES: Final[Report[Roles]] = Report(
    "List",
    # the ``List`` that kubectl applies
    document=lambda roles: {"apiVersion": "v1", "kind": "List", "items": list(roles.objects)},
    # a line for each rule: where it holds, and what it allows
    table=lambda roles: Table(
        ("KIND", "NAMESPACE", "VERBS", "RESOURCES", "NAMES"),
        lambda: (
            [
                *(role["kind"], role["metadata"].get("namespace")),
                *(Prose(", ".join(rule.get(key, ()))) for key in ("verbs", "resources", "resourceNames")),
            ]
            for role in roles.objects
            for rule in role.get("rules", ())
        ),
    ),
    # ``Kind/[namespace/]name``
    names=lambda roles: (
        name_path(role["kind"], *filter(None, map(role["metadata"].get, ("namespace", "name"))))
        for role in roles.objects
    ),
)


# What differs between two releases, and between the two texts of a container.

_NUMBER: Final = re.compile(r"(?:kubernetes/kubernetes)?#(\d+)")
_DATED: Final = re.compile(r"(?:kubernetes/kubernetes)?#\d+ \((\d+\.\d+)\)")
"""A pull request and the release that it came with."""
PULL: Final = "https://github.com/kubernetes/kubernetes/pull/"


def change_lines(rows: Iterable[FieldChange | EraChange]) -> Iterator[Line]:
    """Yield each change with its release, and then the address of its pull request."""
    for row in rows:
        what = f"{row.field}: " if isinstance(row, FieldChange) else ""
        see = f" (see also {', '.join(row.issues)})" if row.issues else ""
        yield [f"{row.release}  {what}{row.about}{see}"]
        yield from ([link] for link in _links(row.pr or ""))


def rule_lines(ids: Iterable[str], minors: Collection[str]) -> Iterator[Line]:
    """Yield the sources of rules in Kubernetes, with the addresses of pull requests; none about the input.

    Of pull requests that came with a release, only those of ``minors``. Where there are none of these, it is
    what came with no release, if there is such.
    """
    for rule in ids:
        if (entry := find(rule)) and (source := entry.source):
            dated = [match[0] for match in _DATED.finditer(source) if match[1] in minors]
            undated = [part for part in source.split(", ") if not _DATED.search(part)]
            shown = ", ".join(dated or undated) or source
            shown = f"kubernetes/kubernetes{shown}" if shown.startswith("#") else shown
            yield [f"{rule}  {shown}"]
            yield from ([link] for link in _links(shown))


def _links(text: str) -> Iterator[str]:
    yield from (f"{PULL}{number}" for number in _NUMBER.findall(text))


def _document(difference: ReleaseDifference) -> Document:
    return document(
        docs.ReleaseDifference,
        from_=_release(difference.old),
        to=_release(difference.new),
        types=difference.types,
        upstream=difference.upstream,
        behaviour=[
            docs.BehaviourDifference(row.place, _or_null(row.old), _or_null(row.new))
            for row in difference.behaviour
        ],
        defaults=difference.defaults,
        gates=[docs.GateDifference(row.name, _gate(row.old), _gate(row.new)) for row in difference.gates],
        static_pods=difference.static_pods,
    )


def _or_null(value: Any) -> Any:
    return None if value is ABSENT else value


def _gate(spec: FeatureGate | None) -> docs.GateFacts | None:
    return filled(docs.GateFacts, spec) if spec else None


def _release(kubelet: Kubelet) -> docs.ReleaseSide:
    name = str(kubelet.release)
    return filled(docs.ReleaseSide, facts(name, kubelet), release=name, steps=kubelet.era.described())


def _text(difference: ReleaseDifference) -> Iterator[Section]:
    besides = [say(difference.old, difference.new) for say in (static_restarts, resize_restarts)]
    yield Section([[text] for text in (restarts(difference), *besides) if text], wraps=True)
    sides = (("from", difference.old), ("to", difference.new))
    rows = [[label, side.release, side.era.name, Prose(side.schema.made_from)] for label, side in sides]
    yield Section(Table(("", "KUBELET", "ERA", "TYPES MADE FROM"), lambda: rows))
    if difference.upstream:
        yield Section([*change_lines(difference.upstream)], "Upstream", wraps=True)
    if difference.types:
        types = [
            [
                *(row.type, row.field or "(type)", Prose(row.old or ""), Prose(row.new or "")),
                *([row.upstream.release, row.upstream.pr] if row.upstream else [None, None]),
            ]
            for row in difference.types
        ]
        yield Section(Table(("TYPE", "FIELD", "FROM", "TO", "SINCE", "UPSTREAM"), lambda: types))
    else:
        yield Section([["The type trees are the same."]])
    if difference.since:
        lines = [[row.since, Prose(respects()[row.key]), Prose(row.about)] for row in difference.since]
        yield Section(Table(("SINCE", "WHAT", "KUBELETS"), lambda: lines), "What kubelets do")
    if difference.defaults:
        defaults = [(row.field, row.old, row.new) for row in difference.defaults]
        yield Section(_sides_table("FIELD", defaults), "What API servers write into containers of new pods")
    if difference.gates:
        gates = [(row.name, _gate_words(row.old), _gate_words(row.new)) for row in difference.gates]
        yield Section(_sides_table("GATE", gates), "Feature gates")


def _sides_table(column: str, rows: Sequence[tuple[str, Any, Any]]) -> Table:
    cells = [
        [name, *(Prose(side if isinstance(side, str) else json.dumps(side)) for side in sides)]
        for name, *sides in rows
    ]
    return Table((column, "FROM", "TO"), lambda: cells)


def _gate_words(spec: FeatureGate | None) -> str:
    if spec is None:
        return ABSENT
    needs = f", needs {', '.join(spec.needs)}" if spec.needs else ""
    return f"{spec.stage}, {'on' if spec.on else 'off'}{', locked' if spec.locked else ''}{needs}"


DIFFERENCE: Final[Report[ReleaseDifference]] = Report("ReleaseDifference", document=_document, text=_text)
SHOW: Final = "--show-values prints what is really hashed"
_MARKS: Final = (
    (re.compile(r"(\[-.*?-\])", re.DOTALL), "red"),
    (re.compile(r"(\{\+.*?\+\})", re.DOTALL), "green"),
)


def whole_sections(explanation: Explanation) -> Iterator[Section]:
    """Yield the fields and the texts: of one era as one text with marks, else one after the other."""
    if explanation.fields:
        lines = [
            [field.path, _short(field.old), Prose("->"), _short(field.new)] for field in explanation.fields
        ]
        yield Section(Table((), lambda: lines), "Fields that make the difference")
    note = f" (values are masked; {SHOW})" if explanation.masked else ""
    old, new = explanation.old, explanation.new
    if old and new and old.era == new.era and explanation.compared:
        title = f"Hashed text, [-only {old.release}-] {{+only {new.release}+}}{note}"
        yield Section([_coloured(mark(old.readable, new.readable))], title)
        return
    for side in filter(None, (old, new)):
        yield Section([[side.readable]], f"{_text_title(side)}{note}")


def _short(value: Any) -> Prose:
    if isinstance(value, str):
        return Prose(value)
    return Prose("nil" if value is None else json.dumps(value, ensure_ascii=False))


def _text_title(side: Side) -> str:
    if side.readable == side.text:
        return f"Text that {side.release} hashes"
    return f"JSON whose bytes {side.release} hashes, as {side.text[: side.text.find(' ', 20)]} …]"


def _coloured(marked: str) -> Line:
    """Return a text in pieces, those between marks coloured."""
    pieces: list[str | Coloured] = [marked]
    for pattern, colour in _MARKS:
        # of what is split by a pattern in parentheses, every other piece is what it matches
        pieces = [
            Coloured(str(part), colour) if number % 2 else part
            for piece in pieces
            for number, part in enumerate([piece] if isinstance(piece, Coloured) else pattern.split(piece))
        ]
    return pieces
