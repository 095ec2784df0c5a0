"""Draw charts as SVG, for light and dark pages: bars next to each other, and lines over a linear scale."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count, takewhile
from typing import Final
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element, SubElement

_WIDTH: Final = 820
_LEFT: Final = 270
_RIGHT: Final = 70
_BAR: Final = 14
_HEIGHT: Final = 300
"""Of the space that lines have."""
_TOP: Final = 34
_COLUMNS: Final = 4
"""Names of series in one row above a chart."""
_ROW: Final = 18

_STYLE: Final = """
text { font: 12px sans-serif; fill: #24292f }
.end { text-anchor: end }
.middle { text-anchor: middle }
.grid { stroke: #8c959f; stroke-width: 0.5; opacity: 0.6 }
.line { fill: none; stroke-width: 2 }
.s0 { fill: #0969da } .line.s0 { fill: none; stroke: #0969da }
.s1 { fill: #bc4c00 } .line.s1 { fill: none; stroke: #bc4c00 }
.s2 { fill: #54aeff } .line.s2 { fill: none; stroke: #54aeff }
.s3 { fill: #fb8f44 } .line.s3 { fill: none; stroke: #fb8f44 }
.s4 { fill: #1a7f37 } .line.s4 { fill: none; stroke: #1a7f37 }
.s5 { fill: #8250df } .line.s5 { fill: none; stroke: #8250df }
.s6 { fill: #4ac26b } .line.s6 { fill: none; stroke: #4ac26b }
.s7 { fill: #c297ff } .line.s7 { fill: none; stroke: #c297ff }
@media (prefers-color-scheme: dark) { text { fill: #d1d7e0 } }
"""

Point = tuple[float, float]


def bars(title: str, series: Sequence[str], groups: Mapping[str, Sequence[float]]) -> bytes:
    """Return a group of bars for each name, a bar of it for each series."""
    step, begin = _BAR * len(series) + 12, _TOP + 20 + _more_rows(series)
    svg = _svg(title, begin + step * len(groups))
    most = max(value for values in groups.values() for value in values)
    _legend(svg, series)
    for top, (name, values) in zip(count(begin, step), groups.items(), strict=False):
        _text(svg, _LEFT - 10, top + step / 2, name, "end")
        for number, value in enumerate(values):
            width, y = (_WIDTH - _LEFT - _RIGHT) * value / most, top + number * _BAR
            SubElement(svg, "rect", _numbers(x=_LEFT, y=y, width=width, height=_BAR - 2) | _class(number))
            _text(svg, _LEFT + width + 5, y + _BAR - 3, f"{value:.2f}")
    return _bytes(svg)


def lines(title: str, across: str, series: Mapping[str, Sequence[Point]]) -> bytes:
    """Return a line for each series; both scales are linear and begin at zero."""
    more = _more_rows(list(series))
    svg = _svg(title, _TOP + _HEIGHT + 60 + more)
    points = [point for line in series.values() for point in line]
    right, top = (max(values) for values in zip(*points, strict=True))
    left, width, bottom = 60, _WIDTH - 60 - _RIGHT, _TOP + 20 + _HEIGHT + more
    for value in _ticks(top):
        y = bottom - _HEIGHT * value / top
        SubElement(svg, "line", _numbers(x1=left, x2=left + width, y1=y, y2=y) | {"class": "grid"})
        _text(svg, left - 8, y + 4, f"{value:,g}", "end")
    for value in _ticks(right):
        _text(svg, left + width * value / right, bottom + 18, f"{value:,g}", "middle")
    _text(svg, left + width / 2, bottom + 36, across, "middle")
    _legend(svg, list(series))
    for number, line in enumerate(series.values()):
        places = [(left + width * x / right, bottom - _HEIGHT * y / top) for x, y in sorted(line)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        SubElement(svg, "polyline", {"points": path, "class": f"line s{number}"})
        for x, y in places:
            SubElement(svg, "circle", _numbers(cx=x, cy=y, r=3) | _class(number))
    return _bytes(svg)


def _ticks(top: float) -> Iterator[float]:
    """Yield four to ten round numbers up to one."""
    step = 10 ** len(str(int(top))) / 10
    step = next(size for size in (step, step / 2, step / 5) if top / size >= 4)
    return takewhile(lambda value: value <= top, count(0, step))


def _svg(title: str, height: float) -> Element:
    size = {"viewBox": f"0 0 {_WIDTH} {height:g}", "width": str(_WIDTH), "height": f"{height:g}"}
    svg = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img", **size})
    SubElement(svg, "title").text = title
    SubElement(svg, "style").text = _STYLE
    _text(svg, 10, 18, title)
    return svg


def _legend(svg: Element, series: Sequence[str]) -> None:
    width = (_WIDTH - 60) / min(len(series), _COLUMNS)
    for number, name in enumerate(series):
        x, y = 60 + number % _COLUMNS * width, _TOP + number // _COLUMNS * _ROW
        SubElement(svg, "rect", _numbers(x=x, y=y - 6, width=10, height=10) | _class(number))
        _text(svg, x + 16, y + 4, name)


def _more_rows(series: Sequence[str]) -> float:
    """Return the height of the rows of a legend besides the first."""
    return (len(series) - 1) // _COLUMNS * _ROW


def _text(svg: Element, x: float, y: float, text: str, kind: str = "") -> None:
    SubElement(svg, "text", _numbers(x=x, y=y) | ({"class": kind} if kind else {})).text = text


def _numbers(**values: float) -> dict[str, str]:
    return {key: f"{value:.1f}" for key, value in values.items()}


def _class(number: int) -> dict[str, str]:
    return {"class": f"s{number}"}


def _bytes(svg: Element) -> bytes:
    ET.indent(svg)
    return ET.tostring(svg) + b"\n"
