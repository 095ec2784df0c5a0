"""Readers of what was collected on nodes: dumps, their probes as the checks read them, saved plans."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import date
from functools import cache
from pathlib import Path
from typing import Final

from msgspec import structs

from hashcompat.analysis.answers.changes import compare
from hashcompat.analysis.preflight import examine
from hashcompat.analysis.preflight.checks import KubeletStart
from hashcompat.core.errors import InputError, UsageError
from hashcompat.core.go import jsontext
from hashcompat.core.go.jsonstream import parts
from hashcompat.core.go.metav1 import parse_cpus
from hashcompat.core.model.items import ContainerName, Item, PodName, Prediction
from hashcompat.core.model.pods import ContainerType
from hashcompat.core.model.results import KeptPage, KeptPages, SnapshotRows
from hashcompat.core.model.verdicts import Verdict
from hashcompat.core.policies import DEFAULT, PolicySetting, policy_of, settled
from hashcompat.core.policies.exceptions import Exemption, Exemptions, baseline_of
from hashcompat.core.records.collected import from_documents
from hashcompat.core.records.probes import Dump
from hashcompat.output.formats import FORMATS
from hashcompat.output.formats.documents import render_json
from hashcompat.output.formats.model import Style
from hashcompat.output.report.changes import CHANGES, LANDING
from hashcompat.output.report.plan import PLAN
from hashcompat.output.report.preflight import PREFLIGHT
from hashcompat.sources.files import dumps, plans, reports, rollout, saved, settings, snapshotrows
from hashcompat.sources.files.rollout import RolloutFile
from hashcompat.sources.files.saved import PlanRows, Saved, opened
from hashcompat.sources.node import kubelets, wanted
from tests.helpers.dumps import HEALTHY, dump, upgrade
from tests.suites.fuzz.places import named, on_disk
from tests.suites.fuzz.target import Form, Target, fields, one_of, replaced

_PAIRS = (("1.37.1", "1.36.3"), ("1.23.13", "1.22.17"), ("1.17.17", "1.18.19"), ("1.32.13", "1.31.14"))

_KEYS = tuple(HEALTHY)


@cache
def _upgrade(pair: tuple[str, str]) -> KubeletStart:
    return upgrade(*pair)


def _examined(given: Dump, data: bytes) -> None:
    findings = list(examine(given, _upgrade(one_of(_PAIRS, data))))
    assert all(each.text for each in findings)


def _dump(data: bytes) -> None:
    """Read the dumps in a file, and check the nodes."""
    with named(dumps, data) as name:
        node_dumps = dumps.dumps_in((name,))
    for given in node_dumps:
        _examined(given, data)


def _probe(data: bytes) -> None:
    """Check a healthy node in which one probe has another text: the first line chooses which."""
    number, text = fields(data, 2)
    key = _KEYS[sum(number.encode(errors="surrogateescape")) % len(_KEYS)]
    _examined(dump({key: text}), data)


_OF_THE_NODE: Final[tuple[Callable[[str], object], ...]] = (
    lambda text: kubelets.started(text.split("\n---\n"), "kubelet.service"),
    lambda text: kubelets.is_outside(text, "0::/init.scope\n3:cpu:/../x\n"),
    wanted.check_config,
    wanted.check_unit,
    wanted.check_variables,
    wanted.check_providers,
)


def _own(data: bytes) -> None:
    """Read a file of the node itself, as one of a kind: the first line is its number."""
    number, text = fields(data, 2)
    with suppress(OSError):  # as of a process that has ended
        _OF_THE_NODE[sum(number.encode(errors="surrogateescape")) % len(_OF_THE_NODE)](text)


def _collected(data: bytes) -> None:
    """Read the records of a dump."""
    list(from_documents(jsontext.load_all(jsontext.decode_text(data))))


def _plan(data: bytes) -> None:
    """Read a saved plan: what is read renders as a document that reads the same."""
    with (
        named(saved, data, "plan.json") as name,
        opened(name, (plans.KIND,), plans.WANTED, PlanRows().items) as document,
    ):
        plan = plans.plan_of(document)
    text = "".join(render_json(PLAN, plan, Style()))
    again = plans.plan_of(Saved(parts([text]), (plans.KIND,), plans.WANTED))
    assert "".join(render_json(PLAN, again, Style())) == text


def _compared(data: bytes) -> None:
    """Read what is compared: nothing changed between a document and itself, all between it and nothing."""
    with named(saved, data, "document.json") as name:
        value = snapshotrows.read(name).value
    assert not compare(value, value).is_different
    if isinstance(value, SnapshotRows):
        gone = compare(value, structs.replace(value, rows={}))
        assert len(gone.items) == len(value.rows)
        "".join(render_json(CHANGES, gone, Style()))


def _gate(data: bytes) -> None:
    """Read a saved gate, as a baseline."""
    with named(saved, data, "gate.json") as name, opened(name, (reports.GATE,), "a gate") as document:
        baseline_of(reports.items_of(document))


def _page(data: bytes) -> None:
    """Read what a page says of itself; a landing page shows it, so it has to be shown too."""
    about = reports.about_of(data)
    if about is not None:
        joined = KeptPages("pages", (KeptPage("page.html", about),))
        text = "".join(FORMATS["html"].render(LANDING, joined, Style()))
        assert reports.about_of(text.encode()) is not None


def _settings(data: bytes) -> None:
    """Read a settings file, what counts of it, and a file of exceptions: what is wrong has its line."""
    with named(settings, data, "settings.yaml") as name, replaced(settings, "check_writers", lambda _: None):
        with suppress(InputError):
            _excepted(settings.exemptions(Path(name)))
        own = settings.settings_file(Path(name))
        for given in ({}, {"max-restarts": PolicySetting("1", "--max-restarts")}):
            with suppress(UsageError):
                policy = policy_of(settled(given, [own]))
                assert not (given and policy.report_only)
                assert not given or policy.fail_on[: len(DEFAULT)] == DEFAULT or not policy.files[0].loosens


def _excepted(rows: Sequence[Exemption]) -> None:
    """Look exceptions up, and find what each of them alone would cover."""
    today = date(2026, 1, 31)
    for names in (("shop", "Deployment", "web"), ("a", "b", "c"), ("", "*", "[")):
        exemption = Exemptions(rows, today).find(_item(*names))
        alone = (row for row in rows if Exemptions((row,), today).find(_item(*names)))
        assert exemption == next(alone, None)


def _item(namespace: str, kind: str, name: str) -> Item:
    pod = PodName("n", namespace, kind, "", f"{kind}/{name}")
    return Item(pod, ContainerName(name, ContainerType.CONTAINER), Prediction("", Verdict.RESTART))


def _checks(data: bytes) -> None:
    """Read saved findings of a preflight."""
    with named(saved, data, "checks.json") as name, opened(name, (reports.PREFLIGHT,), "checks") as document:
        result = reports.checks_of(document)
    text = "".join(render_json(PREFLIGHT, result, Style()))
    assert reports.checks_of(Saved(parts([text]), (reports.PREFLIGHT,), "checks")) == result


def _rollout(data: bytes) -> None:
    """Read the state of a rollout: what is written reads the same."""
    state = RolloutFile(on_disk(data, "state.json")).read()
    assert rollout.rollout_of(rollout.text_of(state)) == state


def _cpus(data: bytes) -> None:
    """Read a set of CPUs."""
    parse_cpus(jsontext.decode_text(data))


TARGETS = (
    Target("dump", _dump, ("sources/files/dumps", "core/records/collected"), longest=1024),
    Target(
        "probe",
        _probe,
        (
            "analysis/preflight/facts/runtime",
            "analysis/preflight/facts/runtimefiles",
            "analysis/preflight/facts/host",
            "analysis/preflight/checks/starting",
            "analysis/preflight/facts/statefiles",
            "analysis/preflight/facts/units",
            "analysis/preflight/facts/kubelet",
            "analysis/preflight/facts/processes",
        ),
        Form.TEXT,
        longest=512,
        raises=(),
    ),
    Target(
        "own-files",
        _own,
        ("sources/node/kubelets", "sources/node/wanted"),
        Form.TEXT,
        longest=512,
        words=("[Service]", "ExecStart=", "kubepods", "kind: KubeletConfiguration"),
    ),
    Target("collected", _collected, ("core/records/collected", "core/records/probes"), longest=1024),
    Target(
        "saved-plan",
        _plan,
        (
            "sources/files/plans",
            "sources/files/saved",
            "sources/documents",
        ),
        longest=3072,
    ),
    Target(
        "compared",
        _compared,
        ("sources/files/snapshotrows", "sources/files/saved"),
        longest=2048,
        words=("ClusterSnapshot", "hashcompat.io/hashes", "containers", "recorded", "applied"),
    ),
    Target("kept-page", _page, ("sources/files/reports",), Form.TEXT, longest=1024, raises=()),
    Target("saved-gate", _gate, ("sources/files/reports", "sources/documents"), longest=1024),
    Target(
        "settings",
        _settings,
        ("sources/files/settings", "core/policies/__init__"),
        Form.YAML,
        longest=512,
    ),
    Target("saved-checks", _checks, ("sources/files/reports", "sources/documents"), longest=1024),
    Target("rollout", _rollout, ("sources/files/rollout",), longest=1024),
    Target("cpus", _cpus, ("core/go/metav1",), Form.TEXT, longest=64, raises=(InputError,)),
)
