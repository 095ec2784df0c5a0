"""Readers of what was collected on nodes: dumps, their probes as the checks read them, saved plans."""

from __future__ import annotations

from functools import cache

from hashcompat.errors import InputError
from hashcompat.go import jsontext
from hashcompat.go.cpuset import parse
from hashcompat.preflight import examine
from hashcompat.preflight.checks.check import Upgrade
from hashcompat.records.collected import from_documents
from hashcompat.records.probes import Dump
from hashcompat.sources.files import dumps, plans
from tests.helpers.dumps import HEALTHY, dump, upgrade
from tests.suites.fuzz.places import named
from tests.suites.fuzz.target import Form, Target, fields, one_of

_PAIRS = (("1.37.1", "1.36.3"), ("1.23.13", "1.22.17"), ("1.17.17", "1.18.19"), ("1.32.13", "1.31.14"))

_KEYS = tuple(HEALTHY)


@cache
def _upgrade(pair: tuple[str, str]) -> Upgrade:
    return upgrade(*pair)


def _examined(given: Dump, data: bytes) -> None:
    found = list(examine(given, _upgrade(one_of(_PAIRS, data))))
    assert all(each.text for each in found)


def _dump(data: bytes) -> None:
    """Read the dumps in a file, and check the nodes."""
    with named(dumps, data) as name:
        found = dumps.collect((name,))
    for given in found:
        _examined(given, data)


def _probe(data: bytes) -> None:
    """Check a healthy node in which one probe has another text: the first line chooses which."""
    number, text = fields(data, 2)
    key = _KEYS[sum(number.encode(errors="surrogateescape")) % len(_KEYS)]
    _examined(dump({key: text}), data)


def _collected(data: bytes) -> None:
    """Read the records of a dump."""
    list(from_documents(jsontext.load_all(jsontext.decode_text(data)), "a dump"))


def _plan(data: bytes) -> None:
    """Read a saved plan."""
    with named(plans, data, "plan.json") as name:
        plans.read(name)


def _cpus(data: bytes) -> None:
    """Read a set of CPUs."""
    parse(jsontext.decode_text(data))


TARGETS = (
    Target("dump", _dump, ("sources/files/dumps", "records/probes"), longest=1024),
    Target(
        "probe",
        _probe,
        (
            "preflight/facts/runtime",
            "preflight/facts/statefiles",
            "preflight/facts/units",
            "preflight/facts/kubelet",
            "preflight/facts/processes",
        ),
        Form.TEXT,
        longest=512,
        raises=(),
    ),
    Target("collected", _collected, ("records/collected", "records/probes"), longest=1024),
    Target("saved-plan", _plan, ("sources/files/plans",), longest=1024),
    Target("cpus", _cpus, ("go/cpuset",), Form.TEXT, longest=64, raises=(InputError,)),
)
