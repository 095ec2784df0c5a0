"""The registry of formats: what each can show, and how."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from hashcompat.core.go.yaml import load_all
from hashcompat.output.formats import FORMATS, offered
from hashcompat.output.formats.documents import to_json, to_yaml
from hashcompat.output.formats.model import Style
from hashcompat.output.report.model import Coloured, Prose, Report, Rows, Section, Table, document
from hashcompat.output.report.registry import REPORTS

PLAIN = Style()
ROWS: list[list[object]] = [["a", None], [Coloured("red", "red"), "x\x1b[2J\ny"]]
TABLE = Table(("ONE", "TWO"), lambda: ROWS)
REPORT: Report[str] = Report(
    "Example",
    document=lambda result: document("Example", text=result, items=Rows([1, 2], lambda value: {"n": value})),
    table=lambda _: TABLE,
    names=lambda result: [result, "ns/p\n"],
    text=lambda result: [Section([[result, Coloured("!", "red")]]), Section(TABLE, "Rows")],
)


def shown(form: str, style: Style = PLAIN, report: Report[str] = REPORT, result: str = "é\x9b") -> str:
    return "".join(FORMATS[form].render(report, result, style))


def test_a_report_offers_what_it_has() -> None:
    every = ("table", "name", "json", "yaml", "csv", "markdown", "html", "custom-columns", "jsonpath")
    assert offered(REPORT) == every
    assert offered(Report("Nothing")) == ()
    assert offered(Report("Raw", raw=lambda text: [str(text)])) == ("table",)


@pytest.mark.parametrize("report", list(dict.fromkeys(REPORTS.values())), ids=lambda report: str(report.kind))
def test_every_result_has_a_document_in_both_forms(report: Report[object]) -> None:
    assert {"json", "yaml"} <= {*offered(report)}
    assert offered(report)[0] == ("json" if report.kind == "ClusterSnapshot" else "table")


def test_a_table_escapes_all_but_its_own_colours() -> None:
    assert shown("table") == 'ONE    TWO\na      -\nred    "x\\x1b[2J\\ny"\n'
    painted = shown("table", Style(headers=False, paint=lambda text, colour: f"<{colour}>{text}<>"))
    assert painted == 'a    -\n<red>red<>  "x\\x1b[2J\\ny"\n'


def test_columns_are_aligned_by_what_a_terminal_shows() -> None:
    wide = Table(("ONE", "TWO"), lambda: [["中中中", "x"], ["a", Prose("y  z")]])
    lines = shown("table", report=Report("Wide", table=lambda _: wide))
    assert lines == "ONE     TWO\n中中中  x\na       y\\x20 z\n"


def test_what_an_encoding_lacks_counts_as_it_is_shown() -> None:
    lacking = Table(("ONE", "TWO"), lambda: [["ä", "x"], ["a", Coloured("b", "red")]])
    lines = shown("table", Style(encoding="ascii"), Report("Lacking", table=lambda _: lacking))
    assert lines == 'ONE     TWO\n"\\xe4"  x\na       b\n'


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_documents_are_ascii_where_the_encoding_is_not_utf_8(form: str) -> None:
    text = shown(form, Style(encoding="iso8859-1"), result="é\U0001f600\ud800")
    assert text.isascii()
    read = json.loads if form == "json" else yaml.safe_load
    assert read(text)["text"] == "é\U0001f600\ud800"


def test_a_bare_table_has_no_header_without_rows() -> None:
    empty = Table(("ONE",), list, caption="none", bare=True)
    assert shown("table", report=Report("Empty", table=lambda _: empty)) == "none\n"
    assert shown("table", report=Report("Empty", table=lambda _: Table(("ONE",), list))) == "ONE\n"


def test_rows_are_made_while_they_are_shown() -> None:
    made = []

    def rows() -> Iterator[list[int]]:
        for number in range(3):
            made.append(number)
            yield [number]

    lines = FORMATS["table"].render(Report("Lazy", table=lambda _: Table((), rows)), "", Style())
    assert next(lines) == "0\n"
    assert made == [0, 1, 2, 0]  # all for the widths, then one by one


def test_names_are_one_a_line_and_escaped() -> None:
    assert shown("name") == "é\\x9b\nns/p\\n\n"


def test_text_indents_what_has_a_title() -> None:
    prose = structs.replace(REPORT, table=None)
    assert (
        shown("table", report=prose)
        == 'é\\x9b!\n\nRows\n  ONE    TWO\n  a      -\n  red    "x\\x1b[2J\\ny"\n'
    )


def test_raw_text_is_unchanged() -> None:
    assert shown("table", report=Report("Raw", raw=lambda text: [text, "\x1b"]), result="\r") == "\r\x1b"


def test_json_and_yaml_are_the_same_document_and_escape_what_a_terminal_reads() -> None:
    texts = shown("json"), shown("yaml")
    assert json.loads(texts[0]) == yaml.safe_load(texts[1])
    assert json.loads(texts[0])["items"] == [{"n": 1}, {"n": 2}]
    assert "\x9b" not in "".join(texts)


@given(st.text("0123456789.eExXobyYnN+-_", max_size=8) | st.sampled_from(["on", "1e3", "7e1", "null", "~"]))
def test_kubernetes_reads_each_text_of_yaml_as_text(text: str) -> None:
    """PyYAML alone takes ``1e3`` and ``y`` for text: kubectl and yq read a number, and true."""
    document = {"a": text, "rows": Rows([{text: [text]}], dict)}
    written = "".join(to_yaml(document, "utf-8"))
    assert list(load_all(written)) == [{"a": text, "rows": [{text: [text]}]}]


def test_what_overflows_in_go_is_quoted_for_others() -> None:
    assert (
        "".join(to_yaml({"commit": "3e98765", "to": "1.31.14"}, "utf-8"))
        == "commit: '3e98765'\nto: 1.31.14\n"
    )


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_a_row_is_written_as_any_other_value(encoding: str) -> None:
    texts = ["", "\u00e9 \U0001f600", '"\\/\b\f\n\r\t\x00\x1f\x7f', "\u2028\u202e<&>", "\ud800", "\udcff x"]
    rows: list[dict[str, object]] = [
        {text: [text, {"a": {}, "b": []}, None, True, -1, 1 << 63, [[]]]} for text in texts
    ]
    first, other = {"items": Rows(rows, dict)}, {"items": rows}
    assert "".join(to_json(first, encoding)) == "".join(to_json(other, encoding))
