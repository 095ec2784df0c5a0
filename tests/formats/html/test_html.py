"""A page: everything in one file, nothing from elsewhere, and a plan's numbers wherever they are shown."""

from __future__ import annotations

import base64
import hashlib
import re
import tracemalloc
from typing import Any
from xml.etree.ElementTree import Element

import pytest
from msgspec import structs

import hashcompat
from hashcompat.core.model.items import Item
from hashcompat.core.model.plan import Plan
from hashcompat.core.model.verdicts import Verdict
from hashcompat.output.formats import FORMATS
from hashcompat.output.formats.model import Style
from hashcompat.output.report.model import Prose, Report, Table
from hashcompat.output.report.plan import PLAN
from hashcompat.output.report.planpage import Whys
from hashcompat.output.report.planview import without_kept
from tests.helpers.pods import node, pod
from tests.helpers.readback import html_cells, page, words_of

MOUNTED = {"name": "c", "image": "i", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}
PODS = [
    node("v1.13.12"),
    node("v1.13.12", "n2"),
    pod(MOUNTED, name="a"),
    pod(MOUNTED, name="b", node="n2"),
    pod({"name": "c", "image": "i"}, name="kept"),
    pod({"name": "c", "image": "i"}, name="done", status={"phase": "Succeeded"}),
]


@pytest.fixture(scope="module")
def plan() -> Plan:
    return hashcompat.plan(PODS, "1.13.12", "1.15.12", details=True)


def shown(result: Any, report: Report[Any] = PLAN, style: Style | None = None) -> str:
    return "".join(FORMATS["html"].render(report, result, style or Style()))


def by_id(text: str, name: str) -> Element:
    (element,) = (element for element in page(text).iter() if element.get("id") == name)
    return element


def test_a_page_is_the_same_each_time_and_ends_with_a_line_break(plan: Plan) -> None:
    assert shown(plan) == shown(plan)
    assert shown(plan).endswith("</html>\n")


def test_the_policy_allows_this_style_and_this_script_alone(plan: Plan) -> None:
    text = shown(plan)
    (policy,) = (meta.get("content", "") for meta in page(text).iter("meta") if "http-equiv" in meta.attrib)
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    for tag in ("style", "script"):
        (inside,) = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert rules.pop(f"{tag}-src") == f"'sha256-{digest}'"
    nothing = {"default-src": "'none'", "base-uri": "'none'", "form-action": "'none'"}
    assert rules == {**nothing, "img-src": "data:"}


def test_nothing_is_loaded_and_every_link_leads_upstream(plan: Plan) -> None:
    text = shown(plan)
    links = {anchor.get("href", "") for anchor in page(text).iter("a")}
    assert {link.partition("#")[0] for link in links if "://" not in link} == {""}
    assert set(re.findall(r"[a-z]+://[^/\"' ]+", text)) == {"https://github.com"}
    assert "url(" not in text.replace("url(#p-", "")
    assert "@import" not in text


def test_each_part_has_its_place(plan: Plan) -> None:
    text = shown(plan)
    assert words_of(by_id(text, "answer")).startswith(
        "2 of 3 running containers restart: 2 owners on 2 nodes"
    )
    assert [words_of(cell) for cell in by_id(text, "by-node").iter("th")][-2:] == ["n1", "n2"]
    assert (
        len([element for element in by_id(text, "by-namespace").iter() if element.tag.endswith("}svg")]) == 1
    )
    (reason, *_) = by_id(text, "reasons")
    assert words_of(reason).strip().startswith("1. HC004")
    assert len(by_id(text, "hops")) == len(plan.hops) + 1 == 3
    (theme,) = (button for button in page(text).iter("button") if button.get("id") == "theme")
    assert "hidden" in theme.attrib  # it needs a script, which shows it
    assert len(list(page(text).iter("main"))) == len(list(page(text).iter("h1"))) == 1


def supposed(old: str, new: str) -> int:
    """Return how many containers would restart, whatever release the nodes report."""
    return hashcompat.plan(PODS, old, new, override_node_releases=True).summary.findings


def test_the_matrix_has_the_counts_of_plans(plan: Plan) -> None:
    header, *rows = html_cells(shown(plan), "matrix")
    releases = header[1:]
    for old, *cells in rows:
        for new, cell in zip(releases, cells, strict=True):
            wanted = "=" if old == new else str(supposed(old, new))
            assert cell == wanted, (old, new)
    assert releases == ["1.13.12", "1.14.10", "1.15.12"]


def test_a_row_leads_to_its_explanation_with_the_difference_marked(plan: Plan) -> None:
    text = shown(plan)
    rows = [row for row in by_id(text, "containers").iter("tr") if "data-verdict" in row.attrib]
    links = {words_of(row[4]): [link.get("href", "")[1:] for link in row[0].iter("a")] for row in rows}
    assert links["a"] == links["b"]
    assert links["kept"] == []
    why = by_id(text, links["a"][0])
    assert [words_of(element) for element in why.iter("ins")][1:] == [" SubPathExpr:(string)"]
    assert "2 containers, the first is ns/a/c" in words_of(why)
    assert "the pod has finished" in words_of(by_id(text, links["done"][0]))


def test_a_plan_that_was_saved_without_details_says_how_to_get_them(plan: Plan) -> None:
    text = shown(structs.replace(plan, details=None))
    assert "plan --details" in words_of(by_id(text, "matrix"))
    assert not list(page(text).iter("ins"))


def test_what_is_left_out_of_the_rows_still_counts(plan: Plan) -> None:
    text = shown(without_kept(plan))
    assert [row[0] for row in html_cells(text)[1:]] == ["RESTART", "RESTART"]
    assert words_of(by_id(text, "answer")).startswith("2 of 3 running containers")


def test_in_an_encoding_without_more_all_is_ascii(plan: Plan) -> None:
    items = tuple(structs.replace(item, pod=structs.replace(item.pod, name="中")) for item in plan.items)
    text = shown(structs.replace(plan, items=items), style=Style(encoding="ascii"))
    assert text.isascii()
    assert {row[3] for row in html_cells(text)[1:]} == {"\\u4e2d"}


def test_many_bars_are_summed_up(plan: Plan) -> None:
    items = tuple(
        structs.replace(plan.items[0], pod=structs.replace(plan.items[0].pod, node=f"n{n:03}"))
        for n in range(50)
    )
    rows = [
        [words_of(cell) for cell in row]
        for row in by_id(shown(structs.replace(plan, items=items)), "by-node").iter("tr")
    ]
    assert len(rows) == 1 + 30 + 1
    assert rows[-1] == ["and 20 other nodes", "", "0", "20", "0", "0"]
    assert sum(int(row[3]) for row in rows[1:]) == 50


def with_reasons(item: Item, number: int) -> Item:
    reasons = (structs.replace(item.reasons[0], text=f"r{number}"),)
    prediction = structs.replace(item.prediction, verdict=Verdict.UNKNOWN, reasons=reasons)
    return structs.replace(item, prediction=prediction)


def test_too_many_explanations_are_counted_and_the_rows_remain(plan: Plan) -> None:
    items = tuple(with_reasons(plan.items[0], number) for number in range(600))
    whys = Whys(plan, items)
    assert len(whys.listed) == 500
    assert whys.note.startswith("100 more explanations")
    assert [bool(whys.in_short(item)[0]) for item in items] == [True] * 500 + [False] * 100


@pytest.mark.usefixtures("untraced")
def test_rows_are_made_while_they_are_written(plan: Plan) -> None:
    """Memory does not grow with the rows: the text of these has megabytes."""
    items = plan.items * 1000
    length = 0
    pieces = FORMATS["html"].render(PLAN, structs.replace(plan, items=items), Style())
    next(pieces)
    tracemalloc.start()
    for piece in pieces:
        length += len(piece)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert length > 950_000
    assert peak < 500_000


def test_any_other_result_is_a_page_of_its_table_and_notes() -> None:
    table = Table(("NAME", "WHY"), lambda: [["</style>", Prose("a < b")], [None, 1]])
    report: Report[str] = Report("Kind", table=lambda _: table, notes=lambda _: ["see #12345"])
    text = shown("", report)
    assert html_cells(text, "rows") == [["Name", "Why"], ["</style>", "a < b"], ["", "1"]]
    (link,) = (anchor for anchor in page(text).iter("a") if anchor.get("rel"))
    assert link.get("href") == "https://github.com/kubernetes/kubernetes/pull/12345"


def test_numbers_in_entities_are_no_pull_requests() -> None:
    report: Report[str] = Report("Kind", notes=lambda _: ['it\'s "x"'], table=lambda _: Table((), list))
    assert not [anchor for anchor in page(shown("", report)).iter("a") if anchor.get("rel")]
