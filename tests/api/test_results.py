"""Results in Python: their elements, rows and frames, how they print themselves, what they are made of."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import hashcompat
from hashcompat import HashcompatError, InputError, UsageError
from hashcompat.core.model.results import Result
from hashcompat.core.model.verdicts import Recorded
from hashcompat.core.records.index import index
from tests.helpers.pods import as_json, listed, node, pod
from tests.helpers.program import SAMPLE, Run

OLD, NEW = "1.7.16", "1.9.11"
PODS = hashcompat.load_sample()


@pytest.fixture(scope="module")
def plan() -> hashcompat.Plan:
    return hashcompat.plan(PODS, OLD, NEW)


RESULTS: dict[str, Callable[[hashcompat.Plan], Result[Any]]] = {
    "Plan": lambda plan: plan,
    "GateResult": hashcompat.gate,
    "Hashed": lambda _: hashcompat.hashes(PODS, [OLD, NEW]),
    "Explanations": lambda _: hashcompat.explain(PODS, "deploy/web", OLD, NEW),
    "Matrix": lambda _: hashcompat.matrix(from_="1.9", to="1.11"),
    "Impact": lambda _: hashcompat.impact(PODS, OLD, NEW),
    "Snapshot": lambda _: hashcompat.snapshot(PODS),
    "ReleaseList": lambda _: hashcompat.releases(),
    "DocumentDifference": lambda plan: hashcompat.diff(plan, hashcompat.plan(PODS, OLD, "1.8")),  # type: ignore[dict-item,return-value]  # of two plans
    "RecordCheck": lambda _: hashcompat.calibrate(
        PODS, OLD, records=index([Recorded("", "shop", "web-0", "web", 7, running=True)])
    ),
    "Normalization": lambda _: hashcompat.normalize(PODS, OLD, NEW),
    "Preflight": lambda _: hashcompat.preflight_nodes(None, "1.31", "1.30", source=PODS),
    "Audit": lambda _: hashcompat.patch_audit(PODS, "1.9.11", "1.8.15"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_has_elements_rows_and_a_view(plan: hashcompat.Plan, name: str) -> None:
    result = RESULTS[name](plan)
    assert type(result).__name__ == name
    assert len(result) == len(list(result))
    assert result
    assert repr(result).startswith(f"<{name}: ")
    assert len(repr(result)) < 300
    html = result._repr_html_()
    assert html.startswith('<div class="hashcompat"><p><b>')
    assert html.count("<div") == html.count("</div>") == 1
    if name != "Snapshot":
        assert all(isinstance(row, dict) for row in result.rows())


def test_rows_are_those_of_csv_and_numbers_are_numbers(run: Run, plan: hashcompat.Plan) -> None:
    printed = list(
        csv.reader(io.StringIO(run("plan", "--from", OLD, "--to", NEW, "--sample", "-o", "csv").out))
    )
    rows = plan.rows()
    assert list(rows[0]) == printed[0]
    assert len(rows) == len(printed) - 1 == len(plan)
    own = [name for name in rows[0] if name in ("NODE", "POD", "VERDICT", "FROM", "TO")]
    places = [printed[0].index(name) for name in own]
    assert [["" if row[name] is None else str(row[name]) for name in own] for row in rows] == [
        [cells[place] for place in places] for cells in printed[1:]
    ]
    assert all(isinstance(row["FROM"], int) for row in rows if row["VERDICT"] == "RESTART")


def test_a_frame_has_the_rows(plan: hashcompat.Plan) -> None:
    frame = plan.to_pandas()
    assert list(frame.columns) == list(plan.rows()[0])
    assert len(frame) == len(plan)
    assert (frame["VERDICT"] == "RESTART").sum() == plan.summary.findings


def test_without_pandas_that_is_said(plan: hashcompat.Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UsageError, match=r"to_pandas needs pandas: pip install pandas"):
        plan.to_pandas()


def test_a_view_escapes_names_and_has_no_more_than_some_rows() -> None:
    objects = [pod({"name": "c", "image": "i"}, name=f"<b>{number}\x1b[2J") for number in range(60)]
    html = hashcompat.plan(objects, OLD, NEW)._repr_html_()
    assert "<b>0" not in html
    assert "&lt;b&gt;0" in html
    assert "\x1b" not in html
    assert html.count("<tr>") == 51
    assert "10 more rows; .rows() and .to_pandas() have all" in html


def test_a_result_that_nobody_shows_has_a_name_and_a_number(
    plan: hashcompat.Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Result, "shows", None)
    assert repr(plan) == f"<Plan: {len(plan)}>"
    assert plan._repr_html_() == ""
    with pytest.raises(UsageError, match=r"Plan has no rows"):
        plan.rows()


@pytest.mark.usefixtures("untraced")
def test_what_has_no_rows_says_so() -> None:
    with pytest.raises(UsageError, match=r"Snapshot has no rows; hashcompat.to_document has all of it"):
        hashcompat.snapshot(PODS).rows()


def test_the_current_release_is_by_default_what_nodes_report() -> None:
    objects = [pod(), node("v1.30.1")]
    assert hashcompat.plan(objects, to="1.31") == again(hashcompat.plan(objects, "auto", "1.31"))
    assert hashcompat.impact(objects, to="1.31").to_release == "1.31.14"
    assert hashcompat.explain(objects, "ns/p", to="1.31").items[0].item.from_release == "v1.30.1"


def again(plan: hashcompat.Plan) -> Any:
    """Return what equals a plan that was made at another time."""

    class Same:
        def __eq__(self, other: object) -> bool:
            return isinstance(other, hashcompat.Plan) and other.items == plan.items

        __hash__ = None  # type: ignore[assignment]

    return Same()


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(
    ("scope", "rule"),
    [
        ({"namespace": "shop"}, lambda item: item.pod.namespace == "shop"),
        ({"namespace": ["shop", "data"]}, lambda item: item.pod.namespace in ("shop", "data")),
        ({"exclude_namespace": "shop"}, lambda item: item.pod.namespace != "shop"),
        ({"node": "node-a1"}, lambda item: item.pod.node == "node-a1"),
        ({"owner": "deploy/web"}, lambda item: item.pod.workload == "Deployment/web"),
    ],
)
def test_keywords_narrow_the_pods(plan: hashcompat.Plan, scope: Any, rule: Callable[[Any], bool]) -> None:
    expected = [item.pod.name for item in plan if rule(item)]
    assert expected
    assert [item.pod.name for item in hashcompat.plan(PODS, OLD, NEW, **scope)] == expected
    hashed = hashcompat.hashes(PODS, NEW, **scope)
    assert {row.pod.name for row in hashed.items} == {*expected}
    assert all(row.name == "node-a1" for row in hashcompat.impact(PODS, OLD, NEW, node="node-a1"))


BAD: dict[str, tuple[Callable[[], object], str]] = {
    "no target": (lambda: hashcompat.plan(PODS, OLD), "^to: want the target release"),
    "a number for a release": (lambda: hashcompat.plan(PODS, OLD, 5), "^to: want a release"),  # type: ignore[arg-type]
    "an unknown target": (lambda: hashcompat.plan(PODS, OLD, "1.99"), "^to: '1.99' is not a known kubelet"),
    "an unknown start": (lambda: hashcompat.plan(PODS, "1.x", NEW), "^from_: '1.x' is not a kubelet release"),
    "no start": (lambda: hashcompat.plan(PODS, "", NEW), "^from_: want a release"),
    "a keyword that is misspelled": (
        lambda: hashcompat.plan(PODS, OLD, NEW, keep_goin=True),  # type: ignore[call-arg]
        "^keep_goin: no such keyword; did you mean keep_going",
    ),
    "a text for a truth": (
        lambda: hashcompat.plan(PODS, OLD, NEW, keep_going="yes"),  # type: ignore[arg-type]
        "^keep_going: want True or False, got str",
    ),
    "a number for a name": (
        lambda: hashcompat.plan(PODS, OLD, NEW, namespace=5),  # type: ignore[arg-type]
        "^namespace: want a name, or several, got int",
    ),
    "a node that is not there": (
        lambda: hashcompat.plan(PODS, OLD, NEW, node="node-a11"),
        "^no node node-a11 in the input; near it: node-a1",
    ),
    "a limit in words": (lambda: hashcompat.Policy(max_restarts="few"), "^max_restarts: want a number of"),
    "a limit below zero": (lambda: hashcompat.Policy(max_per_node=-1), "^max_per_node: want a number of"),
    "a limit that is a truth": (
        lambda: hashcompat.Policy(max_per_owner=True),
        "^max_per_owner: want a number",
    ),
    "a word that fails nothing": (
        lambda: hashcompat.Policy(fail_on="restarts"),
        "^fail_on: 'restarts': want",
    ),
    "a number that fails nothing": (lambda: hashcompat.Policy(fail_on=3), "^fail_on: '3': want"),  # type: ignore[arg-type]
    "a dict for a plan": (lambda: hashcompat.gate({}), "^plan: want a Plan, got dict"),  # type: ignore[arg-type]
    "a text for a policy": (
        lambda: hashcompat.gate(hashcompat.plan(PODS, OLD, NEW), "5%"),  # type: ignore[arg-type]
        "^policy: want a Policy, or what load_policy returned, got str",
    ),
    "a text for a batch": (
        lambda: hashcompat.impact(PODS, OLD, NEW, batch="3"),  # type: ignore[arg-type]
        "^batch: want a number of nodes, got str",
    ),
    "a list for a target": (
        lambda: hashcompat.explain(PODS, ["web"], OLD, NEW),  # type: ignore[arg-type]
        "^target: want NAMESPACE/POD",
    ),
    "nothing to load": (hashcompat.load, "^load: want what load or snapshot returned, a path, a URL"),
    "None for pods": (lambda: hashcompat.load(None), "^source: want what load or .* got NoneType"),  # type: ignore[arg-type]
    "bytes for pods": (lambda: hashcompat.plan(b"{}", OLD, NEW), "^source: want .* got bytes"),
    "a plan for pods": (
        lambda: hashcompat.plan(hashcompat.plan(PODS, OLD, NEW), OLD, NEW),
        "^source: want what load or snapshot returned, .* got Plan",
    ),
    "a plan among pods": (lambda: hashcompat.load([hashcompat.plan(PODS, OLD, NEW)]), "^source: .* got Plan"),
    "two inventories": (lambda: hashcompat.load(PODS, PODS), "^source: want .* got Inventory"),
    "None for a dump": (lambda: hashcompat.load_dumps(None), "^paths: want a path, got NoneType"),  # type: ignore[arg-type]
    "None for records": (lambda: hashcompat.load_records(None), "^paths: want a path"),  # type: ignore[arg-type]
    "a number for a file": (lambda: hashcompat.load_policy(5), "^config: want a path, got int"),  # type: ignore[arg-type]
    "None for a directory": (lambda: hashcompat.load_static_pods(None, "n"), "^directory: want a path"),  # type: ignore[arg-type]
    "None for a node": (lambda: hashcompat.load_static_pods("/", None), "^node_name: want a name"),  # type: ignore[arg-type]
    "a number for a golden directory": (lambda: hashcompat.verify(5), "^directories: want a path"),  # type: ignore[arg-type]
    "a golden directory that is not there": (lambda: hashcompat.verify("/no/such"), "^/no/such: no such dir"),
    "pods for a snapshot": (lambda: hashcompat.diff(PODS, PODS), "^old: want a plan, .* got Inventory"),  # type: ignore[arg-type]
    "a path for dumps": (lambda: hashcompat.preflight_nodes("a.dump", NEW), "^dumps: want what load_dumps"),  # type: ignore[arg-type]
    "a keyword that preflight does not have": (
        lambda: hashcompat.preflight_nodes(None, NEW, source=PODS, ignore=["all"]),  # type: ignore[call-arg]
        "^ignore: no such keyword; did you mean ignored",
    ),
    "a keyword that a cluster does not have": (
        lambda: hashcompat.load_cluster(contxt="a"),  # type: ignore[call-arg]
        "^contxt: no such keyword; did you mean context",
    ),
    "a cluster that is not reached": (
        lambda: hashcompat.load_cluster(kubeconfig="/no/such"),
        "^cannot read the cluster: .",
    ),
    "None for filters": (lambda: hashcompat.select(PODS, None), "^chosen: want Filters, got NoneType"),  # type: ignore[arg-type]
    "a key that a policy does not have": (
        lambda: hashcompat.Policy(max_restart="5%"),  # type: ignore[call-arg]
        "^max_restart: no such keyword; did you mean max_restarts",
    ),
    "a key that filters do not have": (
        lambda: hashcompat.Filters(foo=1),  # type: ignore[call-arg]
        "^foo: no such keyword; there are namespaces, ",
    ),
    "an unknown kubelet": (lambda: hashcompat.container_hash({}, "1.99"), "^kubelet: '1.99' is not a known"),
    "an unknown like": (lambda: hashcompat.patch(NEW, "1.99"), "^like: '1.99' is not a known"),
    "a text for release data": (
        lambda: hashcompat.plan(PODS, OLD, NEW, catalog="x"),  # type: ignore[arg-type]
        "^catalog: want a Catalog or None, got str",
    ),
    "a text for details": (
        lambda: hashcompat.plan(PODS, OLD, NEW, details="no"),  # type: ignore[arg-type]
        "^details: want True or False, got str",
    ),
    "gates with their values": (
        lambda: hashcompat.plan(PODS, OLD, NEW, gates={"NodeSwap": False}),
        "^gates: want a name, or several, got dict",
    ),
    "a strategy that no plan assumes": (
        lambda: hashcompat.plan(PODS, OLD, NEW, patch=hashcompat.AssumePatch("strip")),
        "^patch: no plan assumes the strategy 'strip'; it may be accept or pin",
    ),
    "a number among releases": (
        lambda: hashcompat.plan(PODS, OLD, NEW, patch=hashcompat.AssumePatch("accept", (1,))),  # type: ignore[arg-type]
        "^patch: want a name, or several",
    ),
    "auto for a release to hash": (lambda: hashcompat.hashes(PODS, "auto"), "^kubelets: 'auto' is not a"),
    "auto for a release to compare": (lambda: hashcompat.compare("auto", NEW), "^from_: 'auto' is not a"),
    "auto for a release to patch": (lambda: hashcompat.patch("auto", OLD), "^kubelet: 'auto' is not a"),
    "no release": (lambda: hashcompat.container_hash({}, ""), "^kubelet: '' is not a kubelet release"),
    "None for a container": (
        lambda: hashcompat.container_hash(None, NEW),  # type: ignore[arg-type]
        "^container: want a container as an object, got NoneType",
    ),
    "a strategy that is not there": (
        lambda: hashcompat.patch(NEW, OLD, "keep"),
        "^strategy: no strategy 'keep'; the strategies are accept, pin, strip",
    ),
    "a dict for choices": (
        lambda: hashcompat.patch(NEW, OLD, "accept", {}),  # type: ignore[arg-type]
        "^choices: want Choices, got dict",
    ),
    "None for a patch": (
        lambda: hashcompat.patch_text(None, {}),  # type: ignore[arg-type]
        "^made: want what patch returned, and not None, got NoneType",
    ),
    "a patch without its source": (
        lambda: hashcompat.patch_text(hashcompat.patch("1.31.0", "1.30.14"), {}),  # type: ignore[arg-type]
        "^source: want the text of pkg/kubelet/kuberuntime/kuberuntime_manager.go",
    ),
    "a file for exceptions": (
        lambda: hashcompat.gate(hashcompat.plan(PODS, OLD, NEW), exemptions="accepted.yaml"),  # type: ignore[arg-type]
        "^exemptions: want Exemptions; load_policy reads those of a file, got str",
    ),
    "a file for a preflight": (
        lambda: hashcompat.gate(hashcompat.plan(PODS, OLD, NEW), preflight="report.json"),  # type: ignore[arg-type]
        "^preflight: want what preflight_nodes returned, got str",
    ),
    "a moment for a day": (
        lambda: hashcompat.gate(hashcompat.plan(PODS, OLD, NEW), today=datetime.now(UTC)),
        "^today: want a date, got datetime",
    ),
    "a moment without a zone": (
        lambda: hashcompat.gate_after(
            hashcompat.plan(PODS, OLD, NEW),
            PODS,
            "node-a1",
            begun={"node-a1": datetime(2026, 1, 1)},  # noqa: DTZ001 - what is refused
        ),
        "^begun: want a datetime with its zone for node-a1",
    ),
    "a file for records": (
        lambda: hashcompat.gate_after(hashcompat.plan(PODS, OLD, NEW), PODS, "node-a1", records="a.dump"),  # type: ignore[arg-type]
        "^records: want Records, such as load_records returns, got str",
    ),
    "a file for the records of a snapshot": (
        lambda: hashcompat.snapshot(PODS, records="a.dump"),  # type: ignore[arg-type]
        "^records: want what load_records returned, got str",
    ),
    "numbers for dumps": (
        lambda: hashcompat.preflight_nodes([1], NEW),  # type: ignore[list-item]
        "^dumps: want what load_dumps returned, or None, got list",
    ),
    "a check that is not there": (
        lambda: hashcompat.preflight_nodes(None, NEW, source=PODS, ignored="PF-999"),
        "^ignored: no check 'PF-999'",
    ),
    "a number for a check": (
        lambda: hashcompat.preflight_nodes(None, NEW, source=PODS, ignored=[3]),  # type: ignore[list-item]
        "^ignored: want a name, or several, got list",
    ),
    "a text for the time": (
        lambda: hashcompat.preflight_nodes(None, NEW, source=PODS, now="2026-01-01"),  # type: ignore[arg-type]
        "^now: want a datetime with its zone, got str",
    ),
    "a text for the time of a request": (
        lambda: hashcompat.load_cluster(timeout="5"),  # type: ignore[arg-type]
        "^timeout: want a number of seconds, got str",
    ),
    "a number for the namespaces of a cluster": (
        lambda: hashcompat.load_cluster(namespaces=3),  # type: ignore[arg-type]
        "^namespaces: want a name, or several, got int",
    ),
    "an empty path": (lambda: hashcompat.load(""), "^source: the path is empty"),
    "an empty path among others": (lambda: hashcompat.load(SAMPLE, ""), "^source: the path is empty"),
    "an empty path of records": (lambda: hashcompat.load_records(""), "^paths: the path is empty"),
    "an empty path to compare": (lambda: hashcompat.diff("", "plan.json"), "^old: the path is empty"),
    "a calibration without records": (
        lambda: hashcompat.calibrate(PODS, OLD),
        "^records: want at least one record",
    ),
    "a path for an inventory": (
        lambda: hashcompat.load_records("a.dump", source="a.json"),  # type: ignore[arg-type]
        "^source: want an Inventory, such as load returns, or None, got str",
    ),
    "a number for a path on a node": (
        lambda: hashcompat.load_static_pods("/", "n", 3),  # type: ignore[arg-type]
        "^path_on_node: want a path, got int",
    ),
    "a number among the filters": (
        lambda: hashcompat.Filters(nodes=(3,)),  # type: ignore[arg-type]
        "^nodes: want a name, or several",
    ),
    "a limit that is none": (lambda: hashcompat.Limit("few"), "^text: want a number of findings"),
    "a text for a truth of a policy": (
        lambda: hashcompat.Policy(strict="no"),  # type: ignore[arg-type]
        "^strict: want True or False",
    ),
    "a text for an age": (
        lambda: hashcompat.Policy(max_age="24h"),  # type: ignore[arg-type]
        "^max_age: want a timedelta; load_policy",
    ),
    "a limit in words, as a flag": (
        lambda: hashcompat.load_policy(max_restarts="few"),
        "^max_restarts: want",
    ),
    "a list for what a flag has as a text": (
        lambda: hashcompat.load_policy(fail_on=["restart"]),  # type: ignore[arg-type]
        "^fail_on: want a text as the flag has it, or None, got list",
    ),
    "what is no result": (lambda: hashcompat.to_json(3), "^result: want the result of a command, got int"),
    "a node without a name": (
        lambda: hashcompat.gate_after(hashcompat.plan(PODS, OLD, NEW), PODS, ""),
        "^nodes: a name is empty",
    ),
    # What comes of nothing would look like a pass.
    "no nodes": (
        lambda: hashcompat.gate_after(hashcompat.plan(PODS, OLD, NEW), PODS, []),
        "^nodes: want at least one name",
    ),
    "no releases": (lambda: hashcompat.hashes(PODS, []), "^kubelets: want at least one name"),
    "nothing to be like": (lambda: hashcompat.patch(NEW, []), "^like: want at least one name"),
    "no dumps": (lambda: hashcompat.preflight_nodes([], NEW), "^dumps: want at least one dump, or None"),
    "no path of a dump": (hashcompat.load_dumps, "^paths: want at least one path"),
    "no path of records": (hashcompat.load_records, "^paths: want at least one path"),
    "no golden directory": (hashcompat.verify, "^directories: want at least one directory"),
}


@pytest.mark.parametrize("name", BAD)
def test_an_error_names_its_argument(name: str) -> None:
    call, message = BAD[name]
    with pytest.raises(HashcompatError, match=message):
        call()


def test_one_name_of_a_filter_is_not_its_letters() -> None:
    every = [row.namespace for row in hashcompat.select(PODS, hashcompat.Filters(namespaces="shop")).pods]  # type: ignore[arg-type]
    assert set(every) == {"shop"}


def test_one_check_is_ignored_by_its_name() -> None:
    assert hashcompat.preflight_nodes(None, NEW, source=PODS, ignored="pf-110").ignored == ("PF-110",)


def test_a_policy_takes_what_flags_take() -> None:
    made = hashcompat.Policy(max_restarts="5%", max_per_node=2, fail_on="restart")
    assert made == hashcompat.Policy(
        hashcompat.Limit("5%"), max_per_node=hashcompat.Limit("2"), fail_on=(hashcompat.FailOn.RESTART,)
    )
    assert hashcompat.Policy(fail_on=["kill", hashcompat.FailOn.PDB]).fail_on == ("kill", "pdb")
    assert hashcompat.Policy(fail_on=()).fail_on == ()


@pytest.mark.usefixtures("untraced")
def test_a_snapshot_is_taken_for_pods(plan: hashcompat.Plan) -> None:
    taken = hashcompat.snapshot(PODS)
    for given in (taken, [taken], hashcompat.to_document(taken)):
        made = hashcompat.plan(given, OLD, NEW)
        assert [(item.pod.name, item.verdict) for item in made] == [
            (item.pod.name, item.verdict) for item in plan
        ]


def test_a_snapshot_keeps_all_of_the_records_that_are_given(tmp_path: Path) -> None:
    given = pod(name="p", uid="11111111-2222-3333-4444-555555555555")
    metadata = {"name": "p", "namespace": given["metadata"]["namespace"], "uid": given["metadata"]["uid"]}
    path = tmp_path / "pods.json"
    path.write_text(json.dumps({"items": [{"id": "s", "metadata": metadata, "state": "SANDBOX_NOTREADY"}]}))
    records = hashcompat.load_records(path)
    way = ("1.31.14", "1.32.13")
    (wanted,) = hashcompat.plan([given], *way, records=records)
    (item,) = hashcompat.plan(hashcompat.snapshot([given], records=records), *way)
    assert wanted.reasons[0].id == "HC027"
    assert [item.verdict, item.reasons] == [wanted.verdict, wanted.reasons]


class TestFileObjects:
    TEXT = SAMPLE.read_text()

    @pytest.mark.usefixtures("untraced")
    def test_of_bytes_and_of_text(self, plan: hashcompat.Plan) -> None:
        for stream in (io.StringIO(self.TEXT), io.BytesIO(self.TEXT.encode())):
            inventory = hashcompat.load(stream)
            assert inventory.origin.names == ("a file object",)
            assert len(hashcompat.plan(inventory, OLD, NEW)) == len(plan)

    def test_that_are_open_files(self, plan: hashcompat.Plan) -> None:
        with SAMPLE.open() as text, SAMPLE.open("rb") as data:
            for stream in (text, data):
                inventory = hashcompat.load(stream)
                assert inventory.origin.names == (str(SAMPLE),)
        assert len(hashcompat.plan(inventory, OLD, NEW)) == len(plan)

    def test_beside_files(self, tmp_path: Path) -> None:
        path = tmp_path / "a.json"
        path.write_bytes(as_json(pod(name="a")))
        inventory = hashcompat.load(path, io.BytesIO(as_json(pod(name="b"))))
        assert {subject.name for subject in inventory.pods} == {"a", "b"}
        with pytest.raises(UsageError, match=r"not both at once"):
            hashcompat.load(path, pod())

    def test_that_hold_no_pods_are_errors(self) -> None:
        with pytest.raises(InputError, match=r"^a file object: empty"):
            hashcompat.load(io.BytesIO(b""))
        with pytest.raises(InputError, match=r"^a file object: a table of kubectl"):
            hashcompat.load(io.StringIO("NAME   READY\nweb   1/1\n"))

    def test_that_cannot_be_read_are_errors(self, tmp_path: Path) -> None:
        path = tmp_path / "a.json"
        path.write_bytes(b"\xe4")
        with (
            path.open(encoding="utf-8") as stream,
            pytest.raises(InputError, match=r"a.json: cannot read: 'utf"),
        ):
            hashcompat.load(stream)
        with pytest.raises(InputError, match=r"a.json: cannot read: .* closed file"):
            hashcompat.load(stream)
        with path.open("w") as stream, pytest.raises(InputError, match=r"a.json: cannot read: not readable"):
            hashcompat.load(stream)


class TestFsspec:
    def test_a_url_of_another_scheme_is_opened_by_it(self) -> None:
        import fsspec  # type: ignore[import-untyped,unused-ignore]

        with fsspec.open("memory://dumps/a.json", "wb") as stream:
            stream.write(json.dumps(listed(pod(), node("v1.30.1"))).encode())
        inventory = hashcompat.load("memory://dumps/a.json")
        assert inventory.origin.names == ("memory://dumps/a.json",)
        assert len(hashcompat.plan(inventory, to="1.31")) == 1

    def test_what_it_says_is_an_error_that_names_the_url(self) -> None:
        with pytest.raises(InputError, match=r"^memory://dumps/none.json: cannot read: "):
            hashcompat.load("memory://dumps/none.json")
        with pytest.raises(InputError, match=r"^nosuch://x: cannot read: "):
            hashcompat.load("nosuch://x")

    def test_without_it_that_is_said(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "fsspec", None)
        with pytest.raises(InputError, match=r"want http:// or https://, or install fsspec"):
            hashcompat.load("s3://bucket/a.json")
