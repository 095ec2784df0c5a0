"""``-o junit``: a test case per container or check, as Jenkins' junit-10.xsd describes it.

A finding is a failure and UNKNOWN is skipped, never passed. XML 1.0 cannot hold most control characters, so
what nobody sees is escaped before XML's own escapes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

from hashcompat.core.model.escape import distinct, printable
from hashcompat.output.formats.model import Style
from hashcompat.output.report.model import Case, Findings, Outcome, Report, time_text

_ELEMENTS: Final = {Outcome.FAILED: "failure", Outcome.UNDECIDED: "skipped"}


def render_junit(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield one suite; everything but ASCII as references where the encoding is not UTF-8."""
    if report.findings:
        for text in _suite(report.findings(result)):
            yield text if style.encoding == "utf-8" else text.encode("ascii", "xmlcharrefreplace").decode()


def _suite(findings: Findings) -> Iterator[str]:
    # a suite begins with its totals, so its cases are made twice
    outcomes = Counter(case.outcome for case in findings.cases())
    counts = _attributes(tests=str(outcomes.total()), failures=str(outcomes[Outcome.FAILED]), errors="0")
    skipped = _attributes(skipped=str(outcomes[Outcome.UNDECIDED]))
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f"<testsuites{_attributes(name='hashcompat')}{counts}>\n"
    yield f"  <testsuite{_attributes(name=findings.title)}{counts}{skipped}>\n    <properties>\n"
    for name, number in {**findings.totals, **findings.more}.items():
        yield f"      <property{_attributes(name=f'{findings.subject}.{name}', value=str(number))}/>\n"
    for name, time in findings.times.items():
        value = time_text(time) or "unknown"
        yield f"      <property{_attributes(name=f'{findings.subject}.{name}', value=value)}/>\n"
    yield "    </properties>\n"
    yield from map(_case, findings.cases())
    yield "  </testsuite>\n</testsuites>\n"


def _case(case: Case) -> str:
    head = f"    <testcase{_attributes(classname=case.group, name=case.name)}"
    lines = [f"{case.verdict}: {printable(case.text)}"]
    lines += [f"{label}: {distinct(name)}" for label, name in case.labels.items() if name]
    if case.file:
        lines.append(f"file: {distinct(case.file)}" + (f":{case.line}" if case.line else ""))
    text = "\n".join(lines)
    if case.outcome is Outcome.PASSED:
        return f"{head}/>\n"
    if element := _ELEMENTS.get(case.outcome):
        inner = f"<{element}{_attributes(type=case.rule, message=f'{case.verdict}: {case.text}')}>"
        return f"{head}>\n      {inner}{escape(text)}</{element}>\n    </testcase>\n"
    return f"{head}>\n      <system-out>{escape(text)}</system-out>\n    </testcase>\n"


def _attributes(**values: str) -> str:
    return "".join(f" {name}={quoteattr(printable(value))}" for name, value in values.items())
