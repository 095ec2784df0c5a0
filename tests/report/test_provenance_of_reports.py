"""What each kept report says of itself: of what, when, where and by what it was made."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from hashcompat import __version__
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.catalog.releases import span
from hashcompat.core.model.results import Making
from hashcompat.output.report.items import upgrade_of
from tests.helpers.pods import Json, as_json, node, pod
from tests.helpers.program import Run
from tests.helpers.readback import page, suite, words_of

UID = "7b1cf2b9-2f5e-4f0c-9f5e-0a4f6c1d2e3f"
SYSTEM = {"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": "kube-system", "uid": UID}}


def beating(kubelet: str, name: str = "n1") -> Json:
    """Return a node whose kubelet was seen an hour before the time of these tests."""
    made = node(kubelet, name)
    made["status"]["conditions"] = [{"type": "Ready", "lastHeartbeatTime": "2025-12-31T23:00:00Z"}]
    return made


CLUSTER = as_json(
    SYSTEM,
    pod(name="a"),
    pod(name="b", spec={"nodeName": "n2"}),
    beating("v1.30.14"),
    beating("v1.30.9", "n2"),
)
WAY = "v1.30.9 - v1.30.14 -> 1.31.14"
FACTS = {
    "upgrade": f"kubelet {WAY}",
    "input_taken": "2025-12-31T23:00:00Z",
    "report_made": "2026-01-01T00:00:00Z",
    "cluster": f"kube-system UID {UID}",
    "tool": f"hashcompat {__version__}",
    "release_data": "of 2026-10-28, newest known release 1.37.2",
}


def junit(text: str) -> dict[str, str]:
    assert suite(text)
    properties = re.findall(r'<property name="[a-z]+\.([a-z_]+)" value="([^"]*)"/>', text)
    return {key: value.replace("&gt;", ">") for key, value in properties}


def sarif(text: str) -> dict[str, str]:
    (run,) = json.loads(text)["runs"]
    (invocation,) = run["invocations"]
    assert invocation["startTimeUtc"] == FACTS["report_made"]
    assert invocation["commandLine"] == run["properties"]["command"]
    properties: dict[str, str] = run["properties"]
    return properties


def sheet(text: str) -> dict[str, str]:
    rows = [*csv.DictReader(io.StringIO(text))]
    assert len(rows) > 1
    (only,) = {tuple((key, row[key]) for key in row if key.replace(" ", "_").lower() in KEYS) for row in rows}
    return {key.replace(" ", "_").lower(): value for key, value in only}


def markdown(text: str) -> dict[str, str]:
    lines = [line[2:].replace("\\", "").replace("&gt;", ">") for line in text.splitlines()]
    facts = dict(line.split(": ", 1) for line in lines if ": " in line)
    return {key: facts[name] for key, name in NAMES.items() if name in facts}


def html(text: str) -> dict[str, str]:
    (made,) = (element for element in page(text).iter("dl") if element.get("id") == "made")
    texts = [words_of(element) for element in made.iter() if element.tag in ("dt", "dd")]
    facts = dict(zip(texts[::2], texts[1::2], strict=True))
    return {key: facts[name] for key, name in NAMES.items() if name in facts}


KEYS = {*FACTS, "source", "command"}
NAMES = {
    "upgrade": "Upgrade",
    "input_taken": "Data taken",
    "report_made": "Report made",
    "cluster": "Cluster",
    "source": "Source",
    "command": "Command",
    "tool": "Made by",
    "release_data": "Release data",
}
READ: dict[str, Callable[[str], dict[str, str]]] = {
    "junit": junit,
    "sarif": sarif,
    "csv": sheet,
    "markdown": markdown,
    "html": html,
}
COMMANDS = {
    "plan": ("plan", "--to", "1.31.14"),
    "gate": ("gate", "--to", "1.31.14"),
    "impact": ("impact", "--to", "1.31.14"),
    "preflight": ("preflight", "--to", "1.31.14", "--no-node"),
    "explain": ("explain", "ns/a", "--to", "1.31.14"),
}


@pytest.fixture
def cluster(tmp_path: Path) -> Path:
    (path := tmp_path / "cluster.json").write_bytes(CLUSTER)
    return path


@pytest.mark.parametrize("command", COMMANDS)
def test_every_kept_report_says_what_it_was_made_of(run: Run, cluster: Path, command: str) -> None:
    words = (*COMMANDS[command], "-f", str(cluster))
    upgrade = "kubelet v1.30.14 -> 1.31.14" if command == "explain" else FACTS["upgrade"]
    wanted = {**FACTS, "upgrade": upgrade, "source": str(cluster), "command": f"hashcompat {' '.join(words)}"}
    for form, read in READ.items():
        if command in {"impact", "explain"} and form in {"junit", "sarif"}:
            continue  # these have no findings
        if command == "explain" and form in {"csv", "markdown"}:
            continue  # and this no table
        text = run(*words, "-q", "-o", form).out
        facts = {key: value for key, value in read(text).items() if key in wanted}
        assert (form, facts) == (form, wanted)
        assert not re.search("kubelet auto|auto (->|to) |auto -&gt;", text), form


def test_metrics_have_it_as_labels_and_times(run: Run, cluster: Path) -> None:
    text = run("gate", "--to", "1.31.14", "-f", cluster, "-q", "-o", "prometheus").out
    (info,) = (line for line in text.splitlines() if line.startswith("hashcompat_gate_info"))
    for label, value in (
        ("upgrade", FACTS["upgrade"]),
        ("cluster", FACTS["cluster"]),
        ("source", str(cluster)),
    ):
        assert f'{label}="{value}"' in info
    assert "2026" not in info, "a time in a label makes a new series of each run"
    lines = [line.split() for line in text.splitlines() if "_seconds " in line and line[0] != "#"]
    times = {name: float(value) for name, value in lines}
    assert times == {
        f"hashcompat_gate_{what}_timestamp_seconds": when.timestamp()
        for what, when in {
            "input_taken": datetime(2025, 12, 31, 23, tzinfo=UTC),
            "plan_created": datetime(2026, 1, 1, tzinfo=UTC),
            "report_made": datetime(2026, 1, 1, tzinfo=UTC),
            "release_data": datetime(2026, 10, 28, tzinfo=UTC),
        }.items()
    }


def test_a_converted_plan_keeps_all_of_it(run: Run, cluster: Path, tmp_path: Path) -> None:
    saved = tmp_path / "plan.json"
    for words in (COMMANDS["plan"], COMMANDS["preflight"]):
        made = {form: run(*words, "-f", cluster, "-q", "-o", form).out for form in READ}
        run(*words, "-f", cluster, "-q", "--out", saved)
        cluster.rename(tmp_path / "elsewhere.json")
        assert {form: run("convert", saved, "-q", "-o", form).out for form in READ if form != "html"} == {
            form: text for form, text in made.items() if form != "html"
        }
        assert html(run("convert", saved, "-q", "-o", "html").out) == html(made["html"])
        (tmp_path / "elsewhere.json").rename(cluster)


def test_a_gate_names_its_plan_and_itself(run: Run, cluster: Path, tmp_path: Path) -> None:
    saved = tmp_path / "plan.json"
    run(*COMMANDS["plan"], "-f", cluster, "-q", "--out", saved)
    text = run("gate", "--plan", saved, "-q", "-o", "junit").out
    facts = junit(text)
    assert facts["plan_command"] == f"hashcompat plan --to 1.31.14 -f {cluster}"
    assert facts["command"] == f"hashcompat gate --plan {saved}"
    assert (facts["plan_created"], facts["report_made"]) == (FACTS["report_made"],) * 2


def test_the_command_line_shows_no_secret_and_no_form(run: Run, cluster: Path) -> None:
    words = (
        "-f",
        cluster,
        "-o",
        "json",
        "--jobs",
        "2",
        "-q",
        "--recorded",
        "https://me:pass@127.0.0.1:1/r?token=t",
    )
    result = run("plan", "--to", "1.31.14", *words)
    assert "pass" not in result.out + result.err
    command = run("plan", "--to", "1.31.14", "-f", cluster, "-o", "json", "--jobs", "2", "-q").document[
        "spec"
    ]["tool"]
    assert command["command"] == f"hashcompat plan --to 1.31.14 -f {cluster}"


def test_an_older_plan_is_read_without_it(run: Run, cluster: Path, tmp_path: Path) -> None:
    document: dict[str, Any] = run(*COMMANDS["plan"], "-f", cluster, "-q", "-o", "json").document
    document["spec"]["tool"] = {"name": "hashcompat", "version": "0.1.0"}
    del document["digest"]
    (path := tmp_path / "old.json").write_text(json.dumps(document))
    facts = junit(run("convert", path, "-q", "-o", "junit").out)
    assert (facts["tool"], facts["release_data"]) == ("hashcompat 0.1.0", "unknown")
    assert facts["command"].startswith("none")
    document["spec"]["tool"]["dataOf"] = "soon"
    path.write_text(json.dumps(document))
    assert "$.spec.tool.dataOf: want a day" in run("convert", path).err


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["1.34.6", "1.34.1", "1.34.6"], "1.34.1 - 1.34.6"),
        (["v1.30.9", "v1.30.14"], "v1.30.9 - v1.30.14"),
        (["1.9.11"], "1.9.11"),
        ([], ""),
        (["kubeedge:1.21", "1.9.11", "1.9.11"], "kubeedge:1.21, 1.9.11"),
    ],
)
def test_several_releases_are_the_oldest_and_the_newest(names: list[str], text: str) -> None:
    assert span(names) == text


def test_an_upgrade_is_never_from_auto() -> None:
    assert upgrade_of("auto", ("1.34.1", "1.34.6"), "1.36.6") == "1.34.1 - 1.34.6 -> 1.36.6"
    assert upgrade_of("auto", (), "1.36.6") == "unknown releases -> 1.36.6"
    assert upgrade_of("1.34.1", (), "1.36.6") == "1.34.1 -> 1.36.6"


def test_data_is_old_after_ninety_days(catalog: Catalog) -> None:
    made = catalog.making(datetime(2026, 2, 1, tzinfo=UTC))
    assert (made.newest, made.data_date) == (catalog.known.newest, date(2026, 10, 28))
    assert not made.stale
    assert not structs.replace(made, at=datetime(2027, 1, 26, tzinfo=UTC)).stale
    stale = structs.replace(made, at=datetime(2027, 1, 27, tzinfo=UTC)).stale
    assert stale.startswith(
        f"the release data is 91 days old: newest known release {made.newest}, data of 2026"
    )
    assert not Making(datetime(2027, 1, 27, tzinfo=UTC)).stale


def test_a_run_says_that_its_data_is_old(run: Run, cluster: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1830000000")  # 2027-12-28
    note = "Note: the release data is 426 days old: newest known release"
    assert note in run(*COMMANDS["plan"], "-f", cluster).err
    quiet = run(*COMMANDS["plan"], "-f", cluster, "-q", "-o", "junit")
    assert (note in quiet.err, "426 days old" in junit(quiet.out)["release_data"]) == (False, True)
