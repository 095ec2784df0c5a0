"""``hashcompat convert``: a saved document shown again, the same to the byte; and what is refused."""

from __future__ import annotations

import gzip
import json
import stat
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from hashcompat.core.errors import InputError
from hashcompat.core.go.jsonstream import parts
from hashcompat.core.model.items import ContainerName, Item, PodName, Prediction
from hashcompat.core.model.plan import Hop, Plan, ReleaseFacts, Share, Suggestion
from hashcompat.core.model.pods import ContainerType
from hashcompat.core.model.results import Making
from hashcompat.core.model.verdicts import Reason, Verdict
from hashcompat.output.formats import FORMATS
from hashcompat.output.formats.model import Style
from hashcompat.output.report.plan import PLAN
from hashcompat.output.report.planview import without_kept
from hashcompat.sources.files import plans
from hashcompat.sources.files.reports import PREFLIGHT, checks_of
from hashcompat.sources.files.saved import Saved, opened
from tests.helpers.pods import as_json, node, pod
from tests.helpers.program import ROOT, Result, Run, formats_of, ran, reports, said_of
from tests.helpers.randomness import FRESH

SAMPLE = ("plan", "--from", "1.13.12", "--to", "1.14.10", "--sample", "-q")
FORMS = formats_of("convert")
SCHEMA = ROOT / "schemas" / "documents" / "RestartPlan.schema.json"


@pytest.fixture(scope="module")
def document() -> str:
    """Return what ``--out`` saves of a plan of the sample."""
    result = ran(*SAMPLE, "-o", "json")
    assert result.code == 0
    return result.out


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of a saved plan and of what it looks like in each format."""
    place = tmp_path_factory.mktemp("shop")
    done = ran(*SAMPLE, "-n", "shop", "--out", place / "plan.json", *reports(place, FORMS))
    assert done.code == 0, done.err
    assert ran(*SAMPLE, "-n", "shop", "--details", "--out", place / "detailed.json").code == 0
    return place


def test_objects_of_kubectl_are_no_plan_and_what_is_wanted_is_said(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps({"apiVersion": "v1", "items": [pod(), node("v1.30.14")], "kind": "List"}))
    result = run("convert", path)
    wanted = "what hashcompat plan or hashcompat preflight saves with --out FILE"
    assert (result.code, result.out) == (1, "")
    assert result.err == f"Error: {path}: $.items[0]: a Kubernetes object; want {wanted}\n"


@pytest.fixture
def saved(document: str, tmp_path: Path) -> Path:
    path = tmp_path / "plan.json"
    path.write_text(document)
    return path


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.partition("=")[0])
def test_a_saved_plan_looks_as_the_plan_did(run: Run, shop: Path, form: str) -> None:
    """``test_reports.py`` compares such files with what is printed."""
    looked = (shop / form.partition("=")[0]).read_bytes().decode()
    saved = shop / ("detailed.json" if form == "html" else "plan.json")
    assert run("convert", saved, "-q", "-o", form) == Result(0, looked, "")


@pytest.mark.parametrize("form", ["table", "html"])
def test_a_saved_plan_is_of_pods_as_old_as_they_were(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    beat = (datetime.now(UTC) - timedelta(days=3, hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    made = node("v1.30.14")
    made["status"]["conditions"] = [{"type": "Ready", "status": "True", "lastHeartbeatTime": beat}]
    (tmp_path / "a.json").write_bytes(as_json(made, pod()))
    saved, page = tmp_path / "plan.json", tmp_path / "page"
    words = ("--details", "--out", saved, "--report", f"{form}={page}", "-q")
    run("plan", "--from", "auto", "--to", "1.31.14", "-f", tmp_path / "a.json", *words)
    looked = page.read_text()
    assert f"taken {beat}, 3 days old: 1 pod" in looked
    assert run("convert", saved, "-q", "-o", form).out == looked


@pytest.mark.usefixtures("untraced")
def test_the_details_of_a_plan_are_saved_where_they_are_asked_for(run: Run, saved: Path) -> None:
    page = str(saved.with_suffix(".html"))
    assert "details" not in run(*SAMPLE, "-o", "json", "--report", f"html={page}").document
    document = run(*SAMPLE, "--details", "-o", "json").document
    assert {item["difference"] for item in document["items"]} >= {None, 1}
    saved.write_text(json.dumps(document))
    assert run("convert", saved, "-q", "-o", "json").document == document
    Draft202012Validator(json.loads(SCHEMA.read_text())).validate(document)


DAMAGES: dict[str, tuple[Callable[[Any], object], str]] = {
    "a difference that is missing": (
        lambda details: details["differences"].clear(),
        "$.details.differences: fewer than an item counts",
    ),
    "a piece of no kind": (
        lambda details: details["differences"][0]["fragment"][0].update(kind="x"),
        "$.details.differences[0].fragment[0].kind: want one of same, removed, added, gap",
    ),
    "a scope of no kind": (
        lambda details: details["pairs"][0].update(scope=1),
        "$.details.pairs[0].scope: want a string",
    ),
    "a count that is no number": (
        lambda details: details["pairs"][0].update(findings="3"),
        "$.details.pairs[0].findings: want an integer from 0",
    ),
    "text instead of details": (lambda details: details.update(pairs="x"), "$.details.pairs: want a list"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damaged_details_are_an_error_that_names_the_place(run: Run, saved: Path, name: str) -> None:
    damage, words = DAMAGES[name]
    document = run(*SAMPLE, "-n", "shop", "--details", "-o", "json").document
    damage(document["details"])
    saved.write_text(json.dumps(document))
    result = run("convert", saved, "-o", "html")
    assert (result.code, result.out) == (1, "")
    assert words in result.err


def test_a_saved_plan_is_explained_by_the_same_lines(run: Run, saved: Path) -> None:
    assert said_of(run("convert", saved)) == said_of(run(*SAMPLE[:-1]))


@pytest.mark.parametrize("way", ["--only-restarts", "--no-hashes"])
def test_what_is_left_out_is_left_out_of_a_saved_plan_too(run: Run, saved: Path, way: str) -> None:
    wanted = run(*SAMPLE, way, "-o", "json")
    assert run("convert", saved, "-q", way, "-o", "json") == wanted
    saved.write_text(wanted.out)
    assert run("convert", saved, "-q", "-o", "json") == wanted
    assert run("convert", saved, "-q", way, "-o", "json") == wanted


@pytest.mark.parametrize("way", [(), ("--only-restarts",)], ids=["whole", "only restarts"])
def test_a_plan_with_pods_on_nodes_that_the_input_lacks_is_read_again(
    run: Run, tmp_path: Path, way: tuple[str, ...]
) -> None:
    app = {"name": "app", "image": "nginx"}
    objects = [node("v1.30.14"), *(pod(app, name=name, node=on) for name, on in (("a", "n1"), ("b", "gone")))]
    path, text = tmp_path / "plan.json", as_json(*objects)
    wanted = run("plan", "--to", "1.31.14", "-f", "-", *way, "--out", path, "-o", "json", stdin=text)
    assert [item["verdict"] for item in wanted.items] == ["UNKNOWN", "RESTART"]
    converted = run("convert", path, "-o", "json")
    assert (converted.out, converted.code) == (wanted.out, 0)
    assert said_of(converted)[-1] == said_of(wanted)[-1]


def test_standard_input_and_compressed_files_are_read(run: Run, saved: Path, tmp_path: Path) -> None:
    text = saved.read_bytes()
    (tmp_path / "plan.json.gz").write_bytes(gzip.compress(text))
    assert run("convert", "-", "-q", "-o", "json", stdin=text).out == text.decode()
    assert run("convert", tmp_path / "plan.json.gz", "-q", "-o", "json").out == text.decode()


def test_keys_in_another_order_are_read(run: Run, saved: Path) -> None:
    """As jq -S writes them: the items come before the kind."""
    wanted = run("convert", saved, "-q", "-o", "json").out
    document = json.loads(saved.read_text())
    saved.write_text(json.dumps(document, sort_keys=True))
    releases = json.dumps(json.loads(wanted)["spec"]["releases"])
    converted = run("convert", saved, "-q", "-o", "json").document
    assert (converted, json.dumps(converted["spec"]["releases"])) == (json.loads(wanted), releases)


def test_a_plan_of_an_older_version_keeps_it_and_has_no_names_of_fields(run: Run, saved: Path) -> None:
    document = json.loads(saved.read_text())
    document["spec"]["tool"]["version"] = "0.0.9"
    for item in document["items"]:
        for reason in item["reasons"]:
            del reason["field"]
    del document["digest"]
    saved.write_text(json.dumps(document))
    converted = run("convert", saved, "-q", "-o", "json").document
    assert converted["spec"]["tool"]["version"] == "0.0.9"
    fields = {reason["path"]: reason["field"] for item in converted["items"] for reason in item["reasons"]}
    assert fields["volumeMounts[*].subPathExpr"] == "subPathExpr"


def test_a_source_that_a_plan_names_is_read(saved: Path) -> None:
    document = json.loads(saved.read_text())
    document["items"][0]["source"] = {"file": "web.yaml", "line": 7}
    document["items"][1]["source"] = None
    del document["digest"]
    saved.write_text(json.dumps(document))
    items = plans.read(str(saved)).items
    assert (items[0].pod.file, items[0].line) == ("web.yaml", 7)
    assert (items[1].pod.file, items[1].line) == ("", 0)


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.partition("=")[0])
def test_a_saved_preflight_looks_as_the_preflight_did(run: Run, tmp_path: Path, form: str) -> None:
    words = ("preflight", "--to", "1.31.14", "--no-node", "-f", "-")
    path, given_nodes = tmp_path / "preflight.json", as_json(node("v1.30.0"), node("v1.31.0", "n2"))
    wanted = run(*words, "-o", form, "--out", path, stdin=given_nodes)
    converted = run("convert", path, "-o", form)
    assert (converted.out, converted.err, converted.code) == (wanted.out, wanted.err, 0)


@pytest.mark.parametrize("flag", ["--only-restarts", "--no-hashes"])
def test_a_preflight_has_no_restarts_and_no_hashes(run: Run, tmp_path: Path, flag: str) -> None:
    path = tmp_path / "preflight.json"
    words = ("preflight", "--to", "1.31.14", "--no-node", "-f", "-", "-q", "--out", path)
    run(*words, stdin=as_json(node("v1.31.0")))
    result = run("convert", path, flag)
    assert (result.code, result.out, result.err) == (64, "", f"Error: {flag} is about plans\n")


Change = Callable[[Any], object]

REFUSED: dict[str, tuple[Change, str]] = {
    "another kind": (lambda d: d.update(kind="HashList"), "$.kind: want RestartPlan or PreflightReport"),
    "no kind": (lambda d: d.pop("kind"), "$.kind: want RestartPlan"),
    "another version": (
        lambda d: d.update(apiVersion="hashcompat.io/v2"),
        "$.apiVersion: want hashcompat",
    ),
    "no version": (lambda d: d.pop("apiVersion"), "$.apiVersion"),
    "no spec": (lambda d: d.pop("spec"), "$.spec: want an object, got null"),
    "no summary": (lambda d: d.pop("summary"), "$.summary: want an object, got null"),
    "no items": (lambda d: d.pop("items"), "$.summary: not the counts of its items"),
    "items are an object": (lambda d: d.update(items={}), "$.items: want a list"),
    "an item is a number": (lambda d: d["items"].insert(3, 1), "$.items[3]: want an object, got an integer"),
    "an item too few": (lambda d: d["items"].pop(), "$.summary: not the counts of its items"),
    "a finding too few": (lambda d: d["items"].pop(0), "$.summary: not the counts of its items"),
    "an item twice": (lambda d: d["items"].append(d["items"][0]), "$.summary: not the counts of its items"),
    "an unknown verdict": (
        lambda d: d["items"][2].update(verdict="MAYBE"),
        "$.items[2].verdict: want one of RESTART, KILL, KEEP, UNKNOWN",
    ),
    "an edited verdict": (lambda d: d["items"][0].update(verdict="KEEP"), "$.summary: not the counts"),
    "an unknown type": (
        lambda d: d["items"][0].update(containerType="pod"),
        "$.items[0].containerType: want one of container, init, sidecar, ephemeral",
    ),
    "a pod that is a number": (
        lambda d: d["items"][4].update(pod=7),
        "$.items[4].pod: want a string, got an integer",
    ),
    "no node": (lambda d: d["items"][4].pop("node"), "$.items[4].node: want a string, got nothing"),
    "a long name": (lambda d: d["items"][0].update(pod="x" * 1025), "$.items[0].pod: more than 1,024"),
    "a hash that is a text": (
        lambda d: d["items"][0]["hash"].update(to="1"),
        "$.items[0].hash.to: want an integer of 32 bits or null, got a string",
    ),
    "a hash of 33 bits": (lambda d: d["items"][0]["hash"].update(to=1 << 32), "$.items[0].hash.to: want"),
    "a hash that is true": (lambda d: d["items"][0]["hash"].update(to=True), "$.items[0].hash.to: want"),
    "no hash": (lambda d: d["items"][0]["hash"].pop("to"), "$.items[0].hash.to: want"),
    "calibrated by a number": (
        lambda d: d["items"][0].update(calibrated=0),
        "$.items[0].calibrated: want true",
    ),
    "a recreated pod in words": (
        lambda d: d["items"][0].update(podRecreated="no"),
        "$.items[0].podRecreated: want true or false, got a string",
    ),
    "reasons that are a text": (
        lambda d: d["items"][0].update(reasons="x"),
        "$.items[0].reasons: want a list",
    ),
    "a reason without a text": (
        lambda d: d["items"][0]["reasons"][0].pop("text"),
        "$.items[0].reasons[0].text: want a string, got nothing",
    ),
    "assumptions of numbers": (
        lambda d: d["spec"].update(assumptions=[1]),
        "$.spec.assumptions: want a list of strings, got a list",
    ),
    "a release that is a text": (
        lambda d: d["spec"]["releases"].update({"1.13.12": "old"}),
        "$.spec.releases.1.13.12: want an object, got a string",
    ),
    "a rollback in words": (lambda d: d["spec"].update(rollback="no"), "$.spec.rollback: want an object"),
    "a negative count": (lambda d: d["summary"].update(pods=-1), "$.summary.pods: want an integer from 0"),
    "an edited reason": (lambda d: d["items"][0]["reasons"][0].update(text="x"), "$.digest: not that of its"),
    "an edited digest": (lambda d: d.update(digest="sha256:0"), "$.digest: not that of its content"),
    "a digest that is a number": (lambda d: d.update(digest=1), "$.digest: want a string, got an integer"),
    "a time in words": (lambda d: d["spec"].update(createdAt="now"), "$.spec.createdAt: want a time"),
    "no version of the tool": (lambda d: d["spec"].update(tool={}), "$.spec.tool.version: want a string"),
}


@pytest.mark.parametrize("how", REFUSED)
def test_what_is_not_a_whole_plan_is_refused(run: Run, saved: Path, tmp_path: Path, how: str) -> None:
    change, why = REFUSED[how]
    document = json.loads(saved.read_text())
    change(document)
    saved.write_text(json.dumps(document))
    result = run("convert", saved, "-o", "json", "--report", f"csv={tmp_path / 'x.csv'}")
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1), result.err
    assert result.err.startswith(f"Error: {saved}: "), result.err
    assert why in result.err
    assert [path.name for path in tmp_path.iterdir()] == ["plan.json"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"", "empty"),
        (b"  \n", "empty"),
        (b"[]", "$.kind: want"),
        (b"{}", "$.kind: want"),
        (b'{"kind": ["RestartPlan"]}', "$.kind: want"),
        (b"kind: RestartPlan\n", "line 1"),
        (b"\x00", "binary data"),
        (as_json(pod()), "$.kind: want"),
        (b'{"kind": "RestartPlan", "kind": "RestartPlan"}', "twice"),
    ],
)
def test_what_is_no_plan_at_all_is_refused(run: Run, text: bytes, why: str) -> None:
    result = run("convert", "-", stdin=text)
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1), result.err
    assert why in result.err


@pytest.mark.parametrize("part", [0.1, 0.3, 0.5, 0.9, 0.999])
def test_a_cut_plan_is_refused(run: Run, saved: Path, part: float) -> None:
    text = saved.read_text().rstrip()
    result = run("convert", "-", stdin=text[: int(len(text) * part)].encode())
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)


def test_two_plans_in_one_file_are_refused(run: Run, saved: Path) -> None:
    result = run("convert", "-", stdin=saved.read_bytes() * 2)
    assert (result.code, result.out) == (1, "")
    assert "more than one document" in result.err


def test_a_missing_file_is_an_error_and_a_missing_argument_is_a_usage_error(run: Run, tmp_path: Path) -> None:
    assert run("convert", tmp_path / "none.json").code == 1
    assert run("convert").code == 64


def test_a_report_of_a_new_file_is_for_its_owner_alone(run: Run, saved: Path, tmp_path: Path) -> None:
    run("convert", saved, "-q", "--report", f"csv={tmp_path / 'x.csv'}")
    assert stat.S_IMODE((tmp_path / "x.csv").stat().st_mode) == 0o600


def test_a_kind_after_the_items_that_is_another_one_is_refused(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "preflight.json"
    words = ("preflight", "--to", "1.31.14", "--no-node", "-f", "-", "-q", "--out", path)
    run(*words, stdin=as_json(node("v1.31.0")))
    path.write_text(json.dumps(json.loads(path.read_text()), sort_keys=True))
    assert run("convert", path).code == 1


def test_checks_whose_counts_are_not_theirs_are_refused(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "preflight.json"
    words = ("preflight", "--to", "1.31.14", "--no-node", "-f", "-", "-q", "--out", path)
    run(*words, stdin=as_json(node("v1.31.0")))
    document = json.loads(path.read_text())
    document["items"].pop()
    path.write_text(json.dumps(document))
    with (
        opened(str(path), (PREFLIGHT,), "checks") as report,
        pytest.raises(InputError, match="summary"),
    ):
        checks_of(report)


CHARACTERS = st.characters(exclude_categories=["Cs"])
NAMES = st.text(CHARACTERS, max_size=20)
TEXTS = st.text(CHARACTERS, min_size=1, max_size=20)
HASHES = st.none() | st.integers(0, (1 << 32) - 1)
NUMBERS = st.integers(0, 1000)
REASONS = st.builds(Reason, st.sampled_from(["HC001", "HC004"]), TEXTS, NAMES, NAMES)
HOPS = st.builds(Hop, TEXTS, TEXTS, NUMBERS, NUMBERS, st.just(()))
ITEMS = st.builds(
    Item,
    st.builds(PodName, NAMES, NAMES, NAMES, NAMES, NAMES),
    st.builds(ContainerName, NAMES, st.sampled_from(ContainerType)),
    st.builds(
        Prediction,
        NAMES,
        st.sampled_from(Verdict),
        st.lists(REASONS, max_size=3).map(tuple),
        st.booleans(),
        st.none() | st.booleans(),
        creator=st.sampled_from(["", "1.9.11"]),
    ),
    HASHES,
    HASHES,
    HASHES,
)
PLANS = st.builds(
    Plan,
    TEXTS,
    TEXTS,
    st.lists(ITEMS, max_size=6).map(tuple),
    st.lists(TEXTS, max_size=2).map(tuple),
    st.lists(TEXTS, max_size=2).map(tuple),
    st.builds(Share, NUMBERS, NUMBERS),
    st.lists(HOPS, max_size=2).map(tuple),
    st.none() | HOPS,
    NAMES,
    st.none() | st.builds(Suggestion, TEXTS, st.lists(TEXTS, min_size=1, max_size=2).map(tuple), NUMBERS),
    releases=st.lists(
        st.builds(ReleaseFacts, TEXTS, TEXTS, TEXTS, TEXTS, st.booleans(), st.booleans()),
        max_size=2,
        unique_by=lambda facts: facts.name,
    ).map(tuple),
    making=st.builds(
        Making, st.none() | st.datetimes(timezones=st.just(UTC)), TEXTS, TEXTS, st.none() | st.dates(), NAMES
    ),
)


@pytest.mark.usefixtures("untraced")
@settings(max_examples=300 if FRESH else 20)
@given(PLANS, st.booleans())
def test_any_plan_is_the_same_to_the_byte(plan: Plan, whole: bool) -> None:
    text = "".join(FORMATS["json"].render(PLAN, plan if whole else without_kept(plan), Style()))
    again = plans.plan_of(Saved(parts([text]), (plans.KIND,), plans.WANTED))
    assert "".join(FORMATS["json"].render(PLAN, again, Style())) == text


SEVERAL: list[tuple[str, ...]] = [
    ("convert",),
    ("gate", "--plan"),
    ("diff", "plan.json"),
    ("gate", "--plan", "plan.json", "--baseline"),
    ("gate", "--plan", "plan.json", "--preflight"),
]


@pytest.mark.parametrize("argv", SEVERAL, ids=[" ".join(argv) for argv in SEVERAL])
def test_a_directory_with_several_documents_is_an_error(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("plan", "--from", "1.30", "--to", "1.31", "--sample", "--out", "plan.json").code == 0
    Path("d").mkdir()
    for name in ("a.json", "b.json"):
        (Path("d") / name).write_bytes(Path("plan.json").read_bytes())
    result = run(*argv, "d")
    assert (result.code, result.out) == (1, "")
    assert "Error: d: a directory with 2 files; name one\n" in result.err
    (Path("d") / "b.json").unlink()
    assert "a directory with" not in run(*argv, "d").err


@pytest.mark.parametrize(
    ("argv", "wanted"),
    [
        (("convert",), "what hashcompat plan or hashcompat preflight saves with --out FILE"),
        (("gate", "--plan"), "a plan, as hashcompat plan --out FILE saves it"),
        (("diff", "plan.json"), "what hashcompat plan --out FILE or hashcompat snapshot --out FILE saves"),
    ],
)
def test_what_is_not_json_is_told_what_is_wanted(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...], wanted: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("plan", "--from", "1.30", "--to", "1.31", "--sample", "--out", "plan.json").code == 0
    Path("pod.yaml").write_text("apiVersion: v1\nkind: Pod\n")
    result = run(*argv, "pod.yaml")
    said = f"Error: pod.yaml: line 1 column 1: not valid JSON: Expecting value; want {wanted}\n"
    assert (result.code, result.out, result.err) == (1, "", said)
