"""Every document that a command prints fits its JSON Schema, and the schemas refuse what is wrong."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from hashcompat.output.report.registry import REPORTS
from hashcompat.output.report.releases import ROLES
from tests.disruption.pods import budget, replica
from tests.helpers.pods import ARTICLE_MANIFEST, as_json, mirror_pod, node, pod
from tests.helpers.program import CONTAINERS, ROOT, Result, Run, ran, read_yaml
from tests.helpers.slices import sliced
from tests.helpers.upgrades import hash_changed

DIRECTORY = ROOT / "schemas" / "documents"
SCHEMAS: dict[str, Any] = {
    path.name.partition(".")[0]: json.loads(path.read_text())
    for path in sorted(DIRECTORY.glob("*.schema.json"))
}
VALIDATORS = {kind: Draft202012Validator(schema) for kind, schema in SCHEMAS.items()}
ODD = [
    pod({"name": "", "args": ["\f"]}, {"image": "i", "bogus": 1}, name="", metadata={"namespace": ""}),
    pod(
        name="e\x1b\n\x9b\u202e😀",
        metadata={"ownerReferences": [{"kind": "Job", "name": "j", "controller": True}]},
    ),
    mirror_pod({"name": "c", "args": "not a list"}, name="m"),
    pod(
        name="init",
        spec={
            "initContainers": [{"name": "s", "restartPolicy": "Always"}],
            "ephemeralContainers": [{"name": "e"}],
        },
    ),
    pod(name="elsewhere", node="nowhere"),
    pod(name="done", status={"phase": "Succeeded"}),
    node("v1.27.3-gke.100"),
]
GOOD = [item for item in ODD if item["metadata"]["name"] != "m-n1"]

GUARDED = [
    replica("web-0", "n1"),
    replica("web-1", "n1", ready=""),
    budget(minAvailable=2),
    budget("odd", minAvailable="odd"),
]

STATIC = ("-f", "-", "--static-pod-path", "/m/x.yaml", "--node-name", "n")

EXPLAINED = [
    ("1.7.16", "1.9.11"),
    ("1.9.11", "1.7.16"),
    ("1.15.12", "1.16.0"),
    ("1.18.0", "1.19.0"),
    ("1.30.0", "1.31.0"),
    ("1.31.0", "1.32.0"),
]
COMPARED = [
    ("1.7.16", "1.9.11"),
    ("1.6.13", "1.36.0"),
    ("1.36.0", "1.6.13"),
    ("1.22.0", "1.23.0"),
    ("1.10.0", "1.11.0"),
    ("v1.30.2-gke.1", "1.31.99"),
]

SNAPSHOTS = [
    ROOT / "tests" / "answers" / "snapshots" / name for name in ("values-hidden.json", "paths-shown.json")
]
EXPORTER = "prometheus-node-exporter"
STARTED = "0501 18:44:50"
SAMPLED = (f"{EXPORTER}-fmvwp", EXPORTER)
CALIBRATION = ("verify", "--recorded", "-", "--sample", "--kubelet", "1.7.16")

NORMALIZATION = ("normalize", "--recorded", "-", "--sample", "--from", "1.7.16", "--to", "1.9.11")

OUTPUTS: list[tuple[str, tuple[str, ...], bytes]] = [
    ("RestartPlan", ("plan", "--from", "1.7.16", "--to", "1.9.11", "--sample"), b""),
    (
        "RestartPlan",
        ("plan", "--from", "auto", "--to", "1.36.99", "--sample", "-n", "shop", "--only-restarts"),
        b"",
    ),
    (
        "RestartPlan",
        ("plan", "--from", "1.10.0", "--to", "1.11.0", "--sample", "--only-restarts", "-n", "shop"),
        b"",
    ),
    ("RestartPlan", ("plan", "--from", "auto", "--to", "1.27.16", "--keep-going", "-f", "-"), as_json(*ODD)),
    (
        "RestartPlan",
        ("plan", "--from", "1.31.0+k3s1", "--to", "1.32.0", "--keep-going", "-f", "-"),
        as_json(*ODD),
    ),
    ("RestartPlan", ("plan", "--from", "1.7.16", "--to", "1.9.11", "-f", "-"), ARTICLE_MANIFEST.encode()),
    ("CalibrationResult", CALIBRATION, hash_changed(1559107639, *SAMPLED, at=STARTED).encode()),
    ("HashList", ("hash", "--kubelet", "1.7.16,v1.9.11", "--sample"), b""),
    ("HashList", ("hash", "--kubelet", "1.27.3-gke.100,1.36.99", "-f", "-"), as_json(*GOOD)),
    (
        "HashList",
        ("hash", "--kubelet", "1.27.16", "-f", "-", "--show-input", "--show-values"),
        as_json(*GOOD),
    ),
    ("HashList", ("hash", "--kubelet", "1.5.8,1.21.14", *STATIC), ARTICLE_MANIFEST.encode()),
    ("RestartPlan", ("plan", "--from", "1.5.8", "--to", "1.21.14", *STATIC), ARTICLE_MANIFEST.encode()),
    *(
        (
            "ExplanationList",
            ("explain", "platform/portal-nvbmvcj2qz-lfhjc", "--from", old, "--to", new, "--sample"),
            b"",
        )
        for old, new in EXPLAINED
    ),
    (
        "ExplanationList",
        ("explain", "ns/init", "--from", "1.27.3-gke.100", "--to", "1.27.16", "-f", "-"),
        as_json(*GOOD),
    ),
    *(("ReleaseDifference", ("explain", "--from", old, "--to", new), b"") for old, new in COMPARED),
    ("ReleaseDifference", ("diff", "1.30.14", "1.31.14"), b""),
    ("DocumentDifference", ("diff", *map(str, SNAPSHOTS)), b""),
    ("ReleaseList", ("releases",), b""),
    ("RestartMatrix", ("matrix", "--from", "1.7.16", "--to", "1.10.13"), b""),
    ("RestartMatrix", ("matrix", "--from", "1.27.14", "--to", "1.27.16", "--every-patch"), b""),
    ("RestartMatrix", ("matrix", "--from", "1.1.8", "--to", "1.3.0", "-f", "-"), as_json(pod())),
    ("RestartPlan", ("plan", "--from", "1.7.16", "--to", "1.9.11", "--sample", "--assume-patch", "pin"), b""),
    (
        "PatchAudit",
        ("patch", "--audit", "--kubelet", "1.9.11", "--like", "1.7.16", "--sample", "-n", "shop"),
        b"",
    ),
    ("Normalization", NORMALIZATION, hash_changed(1559107639, *SAMPLED, at=STARTED).encode()),
    (
        "PreflightReport",
        ("preflight", "--to", "1.9.11", "--no-node", "--sample", "--ignore-preflight-errors", "PF-125"),
        b"",
    ),
    ("GateReport", ("gate", "--from", "1.7.16", "--to", "1.9.11", "--sample", "--report-only"), b""),
    (
        "GateReport",
        (
            *("gate", "--from", "auto", "--to", "1.27.16", "--keep-going", "-f", "-", "--report-only"),
            *("--max-restarts", "5%", "--max-per-node", "1", "--plan-max-age", "1h"),
        ),
        as_json(*ODD),
    ),
    ("ImpactReport", ("impact", "--from", "auto", "--to", "1.36.99", "--sample", "--batch", "2"), b""),
    (
        "ImpactReport",
        ("impact", "--from", "1.8.15", "--to", "1.9.11", "--keep-going", "-f", "-", "--all-budgets"),
        as_json(*ODD, *GUARDED),
    ),
    ("RuleList", ("rules",), b""),
    ("RuleList", ("rules", "HC004", "PF-103"), b""),
    ("VerifyResult", ("verify", str(CONTAINERS)), b""),
    ("Version", ("version",), b""),
]
OBJECTS = {"ClusterSnapshot"}
"""Kinds that hold Kubernetes objects, which are open; tests/test_snapshot.py holds them to their schemas."""
ON_NODES = {"NormalizationRun"}
"""Kinds that are printed where a runtime is; tests/rewriting/test_apply.py holds them to their schemas."""
KEPT = {"RolloutState"}
"""Kinds that no command prints; tests/cli/commands/test_gate_after.py holds them to their schemas."""
JOINED = {"PageList"}
"""Kinds that are made of pages; tests/cli/commands/test_report.py holds them to their schemas."""
OF_FILES = {"FleetReport"}
"""Kinds that are made of many files; tests/cli/commands/test_fleet.py holds them to their schemas."""
CLOSED = sorted(SCHEMAS.keys() - OBJECTS)
IDS = [f"{kind} {' '.join(argv[1:5])}" for kind, argv, _ in OUTPUTS]
LIKE_OTHERS = [
    (kind, argv, stdin)
    for kind, argv, stdin in OUTPUTS
    if kind == "VerifyResult" or any({*pair} <= {*argv} for pair in (*EXPLAINED[1:5], *COMPARED[1:4]))
]
"""Those of which others show the same, of one more release; the tests below read a VerifyResult."""


def errors(kind: str, document: Any) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in VALIDATORS[kind].iter_errors(document)]


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(
    ("kind", "argv", "stdin"), sliced(OUTPUTS, [one for one in OUTPUTS if one not in LIKE_OTHERS]), ids=IDS
)
def test_every_document_fits_its_schema_and_is_the_same_in_yaml(
    run: Run, tmp_path: Path, kind: str, argv: tuple[str, ...], stdin: bytes
) -> None:
    result = run(*argv, "-o", "json", "--report", f"yaml={tmp_path / 'yaml'}", stdin=stdin)
    document = result.document
    assert (result.code, document["kind"]) == (0, kind)
    assert errors(kind, document) == []
    assert read_yaml((tmp_path / "yaml").read_text()) == document


def test_a_document_of_mismatches_fits_too(run: Run, golden_folders: Any) -> None:
    (golden_folders / "1.7.16" / "emoji.txt").write_text("x")
    document = run("verify", golden_folders, "-o", "json").document
    assert len(document["items"][0]["mismatches"]) == 1
    assert errors("VerifyResult", document) == []


def test_a_document_of_records_that_differ_or_have_no_pod_fits_too(run: Run) -> None:
    pods = (f"{EXPORTER}-fmvwp", f"{EXPORTER}-gone0")
    told = "\n".join(hash_changed(value, name, EXPORTER, at=STARTED) for value, name in enumerate(pods, 1))
    document = run(*CALIBRATION, "-o", "json", stdin=told.encode()).document
    assert [item["problem"] for item in document["items"]] == ["differs", "no such container in the source"]
    assert errors("CalibrationResult", document) == []
    document["items"][0]["hash"]["recorded"] = -1
    assert errors("CalibrationResult", document) != []


def test_every_kind_has_a_schema_and_every_schema_a_kind() -> None:
    kinds = {report.kind for report in REPORTS.values() if report is not ROLES}
    assert (
        kinds
        == set(SCHEMAS) - KEPT
        == {kind for kind, _, _ in OUTPUTS} | OBJECTS | ON_NODES | JOINED | OF_FILES
    )


@pytest.mark.parametrize("kind", SCHEMAS)
def test_a_schema_is_itself_valid_and_named_after_its_kind(kind: str) -> None:
    schema = SCHEMAS[kind]
    Draft202012Validator.check_schema(schema)
    assert (schema["title"], schema["properties"]["kind"]["const"]) == (kind, kind)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield every part of a schema that describes an object's fields."""
    if isinstance(schema, dict):
        if "properties" in schema:
            yield schema
        for child in schema.values():
            yield from parts(child)
    elif isinstance(schema, list):
        for child in schema:
            yield from parts(child)


HINTS = {
    "HashList": {"vendorAssumed", "patchAssumed", "text", "podUID"},
    "RestartPlan": {"details", "difference"},
}
"""What a document has only if it is asked for, or where it matters, by its kind."""


@pytest.mark.parametrize("kind", CLOSED)
def test_every_object_is_closed_and_requires_all_but_hints(kind: str) -> None:
    hints = HINTS.get(kind, set())
    for part in parts(
        {key: value for key, value in SCHEMAS[kind].items() if key != "properties"} | {"root": SCHEMAS[kind]}
    ):
        assert part["additionalProperties"] is False
        assert set(part["properties"]) - set(part["required"]) <= hints


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every object in a document, one of each list."""
    if isinstance(value, dict):
        yield path
        for key, child in value.items():
            yield from places(child, (*path, key))
    elif isinstance(value, list) and value:
        yield from places(value[0], (*path, 0))


def shortened(value: Any) -> Any:
    """Return a document with the first item of each list, which has whatever ``places`` looks at."""
    if isinstance(value, dict):
        return {key: shortened(child) for key, child in value.items()}
    return list(map(shortened, value[:1])) if isinstance(value, list) else value


def at(document: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        document = document[step]
    return document


def is_open(path: tuple[Any, ...]) -> bool:
    """Return whether any key is valid in a place: names of releases, and values in which two sides differ."""
    if path[-1:] in (("releases",), ("hashes",), ("from",)) or "fields" in path:
        return True
    return "changes" in path and bool({"from", "to"} & {*path[path.index("changes") :]})


FIRST: dict[str, tuple[tuple[str, ...], bytes]] = {
    kind: (argv, stdin) for kind, argv, stdin in reversed(OUTPUTS)
}


@cache
def ran_once(argv: tuple[str, ...], stdin: bytes) -> Result:
    return ran(*argv, "-o", "json", stdin=stdin)


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("kind", sorted(FIRST))
def test_a_field_more_or_less_anywhere_is_refused(kind: str) -> None:
    document = shortened(ran_once(*FIRST[kind]).document)
    assert errors(kind, document) == []
    checked = 0
    for path in places(document):
        if is_open(path):
            continue
        wrong = copy.deepcopy(document)
        at(wrong, path)["unheardOf"] = 1
        assert not VALIDATORS[kind].is_valid(wrong), f"one more at {path}"
        hints = {"vendorAssumed", "patchAssumed", "text"} if "hashes" in path else set()
        for name in set(at(document, path)) - hints:
            wrong = copy.deepcopy(document)
            del at(wrong, path)[name]
            assert not VALIDATORS[kind].is_valid(wrong), f"no {name} at {path}"
            checked += 1
    assert checked >= 5


WRONG: list[tuple[str, tuple[Any, ...], Any]] = [
    ("RestartPlan", ("apiVersion",), "hashcompat.io/v2"),
    ("RestartPlan", ("kind",), "HashList"),
    ("RestartPlan", ("items",), {}),
    ("RestartPlan", ("summary", "restart"), -1),
    ("RestartPlan", ("summary", "keep"), "3"),
    ("RestartPlan", ("spec", "to"), "auto"),
    ("RestartPlan", ("spec", "warnings"), [""]),
    ("RestartPlan", ("spec", "hops", 0, "from"), "1.9"),
    ("RestartPlan", ("spec", "hops", 0, "parts"), None),
    ("RestartPlan", ("spec", "hops", 0, "findings"), -1),
    ("RestartPlan", ("spec", "rollback", "unknown"), None),
    ("RestartPlan", ("spec", "rollback"), []),
    ("RestartPlan", ("summary", "recorded"), None),
    ("RestartPlan", ("summary", "reproduced"), -1),
    ("RestartMatrix", ("releases",), []),
    ("RestartMatrix", ("items", 0, "scope"), "most"),
    ("RestartMatrix", ("items", 0, "fields", 0, "added"), "yes"),
    ("RestartMatrix", ("items", 0, "findings"), -1),
    ("RestartMatrix", ("cheapestPath",), []),
    ("RuleList", ("items",), []),
    ("RuleList", ("items", 0, "id"), "HC1"),
    ("RuleList", ("items", 0, "meaning"), ""),
    ("RestartPlan", ("spec", "releases", "1.7.16", "vendorAssumed"), "yes"),
    ("RestartPlan", ("items", 0, "verdict"), "MAYBE"),
    ("RestartPlan", ("items", 0, "containerType"), "pod"),
    ("RestartPlan", ("items", 0, "hash", "from"), 2**32),
    ("RestartPlan", ("items", 0, "hash", "to"), -1),
    ("RestartPlan", ("items", 0, "hash", "to"), 1.5),
    ("RestartPlan", ("items", 0, "hash", "recorded"), "1"),
    ("RestartPlan", ("items", 0, "calibrated"), 0),
    ("RestartPlan", ("items", 0, "source"), "pods.yaml"),
    ("RestartPlan", ("items", 0, "source"), {"file": "pods.yaml"}),
    ("RestartPlan", ("items", 0, "source"), {"file": "", "line": 1}),
    ("RestartPlan", ("items", 0, "source"), {"file": "pods.yaml", "line": 0}),
    ("ExplanationList", ("items", 0, "source"), {"file": None, "line": None}),
    ("RestartPlan", ("items", 0, "podRecreated"), None),
    ("RestartPlan", ("items", 0, "reasons", 0, "id"), "HC4"),
    ("RestartPlan", ("items", 0, "reasons", 0, "text"), ""),
    ("CalibrationResult", ("summary", "compared"), -1),
    ("CalibrationResult", ("summary", "skipped"), None),
    ("CalibrationResult", ("items",), {}),
    ("HashList", ("items", 0, "hashes", "1.7.16", "hash"), 2**32),
    ("HashList", ("items", 0, "hashes", "1.7.16", "hex"), "0x5cee1837"),
    ("HashList", ("items", 0, "hashes", "1.7.16", "hex"), "05cee183"),
    ("HashList", ("items", 0, "hashes", "1.7.16", "hex"), "5CEE1837"),
    ("HashList", ("items", 0, "hashes", "1.7.16", "hex"), "15cee1837"),
    ("HashList", ("items", 0, "hashes", "1.7.16", "vendorAssumed"), False),
    ("HashList", ("items", 0, "hashes"), {}),
    ("HashList", ("items", 0, "hashes"), {"latest": {"hash": 1, "hex": "1", "era": "x"}}),
    ("ExplanationList", ("items",), []),
    ("ExplanationList", ("items", 0, "verdict"), "restart"),
    ("ExplanationList", ("items", 0, "upstream", 0, "change"), "moved"),
    ("ExplanationList", ("items", 0, "upstream", 0, "pr"), "46444"),
    ("ExplanationList", ("items", 0, "from", "hex"), ""),
    ("ReleaseDifference", ("types", 0, "type"), ""),
    ("ReleaseDifference", ("from", "steps"), []),
    ("ReleaseDifference", ("defaults",), {}),
    ("ReleaseDifference", ("gates",), None),
    ("DocumentDifference", ("of",), "HashList"),
    ("DocumentDifference", ("summary", "same"), -1),
    ("DocumentDifference", ("items", 0, "change"), "moved"),
    ("DocumentDifference", ("items", 0, "changes"), None),
    ("ReleaseList", ("items", 0, "minor"), 1.6),
    ("ReleaseList", ("items", 0, "releases"), []),
    ("VerifyResult", ("items",), []),
    ("VerifyResult", ("items", 0, "compared"), 0),
    ("Version", ("version",), "0.1"),
    ("Version", ("newestKubelet",), "newest"),
]


@cache
def fits(kind: str, argv: tuple[str, ...], stdin: bytes) -> bool:
    """Return whether a document is valid before a value of it is replaced."""
    return errors(kind, shortened(ran_once(argv, stdin).document)) == []


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(
    ("kind", "path", "value"), WRONG, ids=[f"{row[0]} {'.'.join(map(str, row[1]))} {row[2]}" for row in WRONG]
)
def test_a_wrong_value_is_refused(kind: str, path: tuple[Any, ...], value: Any) -> None:
    argv, stdin = FIRST[kind]
    if kind == "ExplanationList":  # a container with upstream changes
        argv = ("explain", "shop/api-gvjfpqrhdz-fd56z", *argv[2:])
    document = shortened(ran_once(argv, stdin).document)
    assert fits(kind, argv, stdin)
    at(document, path[:-1])[path[-1]] = value
    assert errors(kind, document) != []


def test_a_plan_of_nodes_of_several_releases_fits_its_schema(run: Run) -> None:
    nodes = [node("kubeedge:1.13", "a"), node("v1.24.3-gke.1", "b"), node("v9.9.9", "c")]
    pods = [pod(name=f"p-{name}", node=name) for name in "abc"]
    document = run("plan", "--to", "1.26", "-f", "-", "-o", "json", stdin=as_json(*nodes, *pods)).document
    assert errors("RestartPlan", document) == []
    hops = [*document["spec"]["hops"], document["spec"]["rollback"]]
    assert [len(hop["parts"]) for hop in hops] == [1, 2, 1, 2]
    assert {hop["from"] for hop in hops[:3]} == {hops[3]["to"]} == {"auto"}
    assert hops[0]["parts"][0]["from"] == "kubeedge:1.13"
