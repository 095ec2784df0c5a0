"""Reports as other programs read them: the rows of each format, by other projects' readers if there are."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from html.parser import HTMLParser
from typing import Any
from xml.etree.ElementTree import Element

import html5lib
from junitparser import Error, Failure, JUnitXml, Skipped, TestCase
from markdown_it import MarkdownIt
from prometheus_client.parser import text_string_to_metric_families

from tests.helpers.hostile import name_of
from tests.helpers.program import read_yaml

Names = tuple[str, ...]
"""The namespace, pod and container of a row."""

Rows = list[tuple[Names, str]]
"""The names of each row, and the verdict that a format shows of it."""

_ESCAPE = re.compile(r"\\(?:(\\)|x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|([nrt]))")
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t"}
_KEYS = ("namespace", "pod", "container")


def unescaped(text: str) -> str:
    """Return what an escaped name stands for."""

    def char(match: re.Match[str]) -> str:
        backslash, *codes, control = match.groups()
        code = next(filter(None, codes), "")
        return backslash or _CONTROLS.get(control or "") or chr(int(code, 16))

    return _ESCAPE.sub(char, text)


class _Cells(HTMLParser):
    """The rows of the tables in a page of HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()
        self._open = False

    def handle_starttag(self, tag: str, _: Any) -> None:
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self._open = True

    def handle_endtag(self, tag: str) -> None:
        self._open = self._open and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self._open:
            self.rows[-1][-1] += data


def markdown_cells(text: str) -> list[list[str]]:
    """Return the cells that GitHub would show of tables; nothing in them is HTML, a link or a mark."""
    page = _Cells()
    page.feed(MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(text))
    assert page.tags <= {"table", "thead", "tbody", "tr", "th", "td", "p", "h3", "ul", "li"}, page.tags
    return page.rows


def csv_cells(text: str) -> list[list[str]]:
    """Return the cells of a spreadsheet, without the apostrophe before what looks like a formula."""
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    assert text.count("\r\n") == len(rows)
    return [[cell.removeprefix("'") for cell in row] for row in rows]


def _of_cells(rows: list[list[str]]) -> Rows:
    header, *lines = rows
    assert {len(line) for line in lines} <= {len(header)}
    records = [dict(zip(header, map(unescaped, line), strict=True)) for line in lines]
    return [(tuple(row[key.upper()] for key in _KEYS), row["VERDICT"]) for row in records]


def _of_items(items: list[Any]) -> Rows:
    return [(tuple(item[key] for key in _KEYS), item["verdict"]) for item in items]


def suite(text: str) -> list[TestCase]:
    """Return the cases of a JUnit report, whose counts are those of its cases."""
    report = JUnitXml.fromstring(text.encode())
    cases = [case for group in report for case in group]
    results = Counter(type(result) for case in cases for result in case.result)
    for group in (report, *report):
        assert (group.tests, group.failures, group.errors) == (len(cases), results[Failure], results[Error])
    assert [group.skipped for group in report] == [results[Skipped]]
    return cases


def outcome_of(case: TestCase) -> str:
    """Return the verdict in the message of a case, or KEEP for one that passed."""
    messages = [result.message for result in case.result]
    return str(messages[0]).partition(":")[0] if messages else "KEEP"


def _junit(text: str) -> Rows:
    return [(names_of(f"{case.classname}/{case.name}"), outcome_of(case)) for case in suite(text)]


def _sarif(text: str) -> Rows:
    (run,) = json.loads(text)["runs"]
    labels = [result["properties"] for result in run["results"]]
    return [(tuple(unescaped(row[key]) for key in _KEYS), row["verdict"]) for row in labels]


@lru_cache(2)  # what reads a page asks for several things in it
def page(text: str) -> Element:
    """Return a page as a browser reads it; it is well-formed, and loads and runs nothing but its own."""
    root: Element = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(text)
    for element in root.iter():
        names = {name.lower() for name in element.attrib}
        assert not names & {"src", "srcset", "style", "action", "background", "data", "xlink:href"}, names
        assert not [name for name in names if name.startswith("on")], names
        assert str(element.tag).rpartition("}")[2] in TAGS, element.tag
        href = element.get("href", "#")
        assert href.startswith(("#", "https://github.com/kubernetes/")), href
        assert href.startswith("#") or element.get("rel") == "noreferrer"
    ids = [element.get("id") for element in root.iter() if "id" in element.attrib]
    assert len(ids) == len({*ids})
    links = {element.get("href", "#").partition("#")[2] for element in root.iter() if _is_inner(element)}
    assert links <= {*ids}, links - {*ids}
    return root


def _is_inner(element: Element) -> bool:
    return element.get("href", "").startswith("#")


TAGS = frozenset(
    {
        *("html", "head", "meta", "title", "style", "script", "body", "header", "main", "footer", "nav"),
        *(
            "section",
            "article",
            "figure",
            "figcaption",
            "div",
            "span",
            "p",
            "a",
            "b",
            "strong",
            "pre",
            "code",
        ),
        *("h1", "h2", "h3", "h4", "ul", "ol", "li", "dl", "dt", "dd", "details", "summary", "del", "ins"),
        *("table", "thead", "tbody", "tr", "th", "td", "button", "label", "input", "select", "option"),
        *("svg", "defs", "pattern", "rect", "path", "circle"),
    }
)
"""The elements of a page."""


def words_of(element: Element) -> str:
    """Return the text in an element."""
    return "".join(element.itertext())


def html_cells(text: str, table: str = "containers") -> list[list[str]]:
    """Return the cells of one of a page's tables, the first column without a name left out."""
    (element,) = (element for element in page(text).iter("table") if element.get("id") == table)
    rows = [[words_of(cell) for cell in row] for row in element.iter("tr")]
    return [row[1:] if rows[0][0] == "Details" else row for row in rows]


def _html(text: str) -> Rows:
    header, *rows = html_cells(text)
    verdicts = [row.get("data-verdict") for row in page(text).iter("tr") if "data-verdict" in row.attrib]
    pairs = _of_cells([[name.upper() for name in header], *rows])
    assert [verdict for _, verdict in pairs] == verdicts
    return pairs


_PART = re.compile(r'"(?:\\.|[^"\\])*"|[^/"]+')
_IN_MESSAGE = re.compile(r'((?:"(?:\\.|[^"\\])*"|[^/" ]+)(?:/(?:"(?:\\.|[^"\\])*"|[^/" ]+?)){2}): ')


def names_of(path: str) -> Names:
    """Return the names in NAMESPACE/POD/CONTAINER, each as it is or in quotes."""
    parts = _PART.findall(path)
    assert "/".join(parts) == path
    return tuple(map(name_of, parts))


def _gitlab(text: str) -> Rows:
    pairs = []
    for issue in json.loads(text):
        name, verdict = re.findall("^(.*): (RESTART|KILL|UNKNOWN): ", issue["description"])[0]
        pairs.append((names_of(name), verdict))
    return pairs


def commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    """Return the command, properties and message of each line, as a runner of GitHub reads them."""
    rows = []
    for line in text.splitlines():
        match = re.fullmatch("::([a-z]+) ([^:]*)::(.*)", line)
        assert match, line
        properties = dict(pair.split("=", 1) for pair in match[2].split(","))
        decoded = {key: _percent(value) for key, value in properties.items()}
        rows.append((match[1], decoded, _percent(match[3])))
    return rows


def _percent(text: str) -> str:
    for code, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, char)
    return text


def _github(text: str) -> Rows:
    pairs = []
    for _, properties, message in commands(text):
        match = _IN_MESSAGE.match(message)
        assert match, message
        pairs.append((names_of(match[1]), properties["title"].split()[0]))
    return pairs


def _prometheus(text: str) -> Rows:
    pairs: Rows = []
    for sample in samples(text):
        if sample.name.endswith(("_finding", "_undecided")):
            names = tuple(unescaped(sample.labels[key]) for key in _KEYS)
            pairs += [(names, sample.labels["verdict"])] * int(sample.value)
    return pairs


def samples(text: str) -> list[Any]:
    """Return the samples of a metrics file; no two of them have the same name and labels."""
    metrics = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    keys = Counter((sample.name, *sorted(sample.labels.items())) for sample in metrics)
    assert set(keys.values()) <= {1}
    return metrics


COLUMNS = "custom-columns=NS:.namespace,POD:.pod,C:.container,VERDICT:.verdict"
_GAP = " <-> "
_PARTS = _GAP.join(f"{{.{key}}}" for key in (*_KEYS, "verdict"))
TEMPLATE = f"jsonpath={{range .items[*]}}{_PARTS}{{'\\n'}}{{end}}"


def _columns(text: str) -> Rows:
    _, *lines = (re.split(" {2,}", line) for line in text.splitlines())
    return [(tuple(map(unescaped, line[:3])), line[3]) for line in lines]


def _template(text: str) -> Rows:
    rows = [tuple(map(unescaped, line.split(_GAP))) for line in text.splitlines()]
    return [(row[:3], row[3]) for row in rows]


READERS: dict[str, Callable[[str], Rows]] = {
    "json": lambda text: _of_items(json.loads(text)["items"]),
    "yaml": lambda text: _of_items(read_yaml(text)["items"]),
    "csv": lambda text: _of_cells(csv_cells(text)),
    "markdown": lambda text: _of_cells(markdown_cells(text)),
    "junit": _junit,
    COLUMNS: _columns,
    TEMPLATE: _template,
    "sarif": _sarif,
    "github": _github,
    "gitlab": _gitlab,
    "html": _html,
    "prometheus": _prometheus,
}
"""How the rows of a plan are read back from each format that programs read, by the value of ``-o``."""

OF_FINDINGS = ("sarif", "github", "gitlab", "prometheus")
"""The formats that show findings and UNKNOWN alone."""
