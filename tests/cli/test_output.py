"""One analysis, five formats: the same items in each, results alone on stdout, files whole or missing."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.pods import as_json, pod
from tests.helpers.program import FORMATS, SCRIPTS, Result, Run, files_in, ran, reports, rows_in

pytestmark = pytest.mark.usefixtures("untraced")

PLAN = ("plan", "--from", "1.13.12", "--to", "1.14.10", "--sample")


@cache
def plan_in(form: str) -> Result:
    """Return the plan in a format, as several tests compare it with others."""
    return ran(*PLAN, "-o", form)


FILTERS: list[tuple[str, ...]] = [
    (),
    ("-n", "shop"),
    ("-n", "shop", "-n", "data"),
    ("--exclude-namespace", "kube-system", "--exclude-namespace", "shop"),
    ("--node", "node-a1"),
    ("--owner", "DaemonSet/kube-proxy"),
    ("--owner", "StatefulSet/kafka", "--owner", "StatefulSet/redis", "--node", "node-c1"),
    ("--only-restarts",),
    ("-n", "shop", "--only-restarts"),
]


def names(result: Result, form: str) -> list[str]:
    """Return NAMESPACE/POD/CONTAINER of each item, as a format shows them."""
    if form in ("json", "yaml"):
        return [f"{item['namespace']}/{item['pod']}/{item['container']}" for item in result.items]
    if form == "name":
        return result.out.splitlines()
    lines = rows_in(result.out) if form == "table" else result.out.splitlines()
    return ["/".join(line.split()[1:4]) for line in lines[1:]]


EVERY_ROW: dict[str, tuple[str, ...]] = {"table": ("--group-by", "none"), "name": ("--all",)}
"""What a format needs to show every container."""


@pytest.mark.parametrize("filters", FILTERS, ids=" ".join)
def test_every_format_shows_the_same_items(run: Run, tmp_path: Path, filters: tuple[str, ...]) -> None:
    together = [form for form in FORMATS if form not in EVERY_ROW]
    run(*PLAN, *filters, *reports(tmp_path, together))
    every = {form: Result(0, (tmp_path / form).read_text(), "") for form in together}
    every |= {form: run(*PLAN, *filters, "-o", form, *more) for form, more in EVERY_ROW.items()}
    shown = {form: names(result, form) for form, result in every.items()}
    assert shown["json"]
    assert shown == dict.fromkeys(FORMATS, shown["json"])


@pytest.mark.parametrize("form", ["table", "wide", "json", "yaml"])
def test_every_format_shows_the_same_verdicts(run: Run, form: str) -> None:
    result = run(*PLAN, "-n", "shop", "-o", form, *EVERY_ROW.get(form, ()))
    lines = rows_in(result.out) if form == "table" else result.out.splitlines()
    verdicts = (
        [item["verdict"] for item in result.items]
        if form in ("json", "yaml")
        else [line.split()[4] for line in lines[1:]]
    )
    assert (verdicts.count("RESTART"), verdicts.count("KEEP"), len(verdicts)) == (3, 11, 14)


def test_json_and_yaml_are_one_document() -> None:
    assert plan_in("json").document == plan_in("yaml").document


def test_names_are_targets_of_explain(run: Run) -> None:
    for target in run(*PLAN, "-o", "name", "--only-restarts", "-n", "shop").out.splitlines():
        assert run("explain", target, *PLAN[1:]).out.startswith(f"{target}: RESTART")


def test_wide_adds_type_owner_uid_and_rules(run: Run) -> None:
    header, line = run(
        "plan", "--from", "1.7.16", "--to", "1.9.11", "-f", "-", "-o", "wide", stdin=as_json(pod())
    ).out.splitlines()
    more = ["TYPE", "OWNER", "UID", "RELEASE", "FROM-HEX", "TO-HEX", "RULES", "RECORDED", "WORKLOAD"]
    assert header.split()[-9:] == more
    assert (line.split()[-9:-5], line.split()[-3]) == (["container", "-", "uid-p", "1.7.16"], "HC004")


@pytest.mark.parametrize("form", FORMATS)
def test_the_summary_goes_to_stderr_and_nothing_else(form: str) -> None:
    result = plan_in(form)
    line = r"1\.13\.12 -> 1\.14\.10: \d+ of 66 running containers restart in \d+ of 58 pods on 5 nodes; "
    line += r"\d+ kept, \d+ unknown; 9 more are never compared\n"
    *before, last = result.err.splitlines(keepends=True)
    assert re.fullmatch(line, last)
    first = [words.partition(" ")[0] for words in before]
    assert first == [*["Assumed:"] * 4, "Warning:", *["Besides"] * 2, "Rolling", "A", "Next:", ""]
    assert ("running containers restart" in result.out) is (form == "table")


def test_the_summary_counts_what_the_document_counts(run: Run) -> None:
    result = run(*PLAN, "-o", "json")
    count, verdicts = result.document["summary"], [item["verdict"] for item in result.items]
    assert count["containers"] == len(verdicts) == 75
    assert count["compared"] == sum(item["counted"] for item in result.items) == 66
    assert count["notCompared"] == 9
    assert {name: count[name.lower()] for name in ("RESTART", "KEEP", "UNKNOWN", "KILL")} == {
        name: verdicts.count(name) for name in ("RESTART", "KEEP", "UNKNOWN", "KILL")
    }
    assert (
        f"{count['restart']} of 66 running containers restart in "
        f"{count['podsAffected']} of {count['pods']} pods" in result.err
    )


@pytest.mark.parametrize("form", FORMATS)
def test_quiet_says_nothing_but_the_result(run: Run, form: str) -> None:
    quiet, loud = run(*PLAN, "-q", "-o", form), plan_in(form)
    assert (quiet.err, quiet.out) == ("", loud.out)


def test_verbose_reports_each_dropped_field_once(run: Run) -> None:
    stdin = as_json(pod({"name": "c", "image": "i", "startupProbe": {}, "bogus": 1}))
    err = run("plan", "--from", "1.13.12", "--to", "1.18.0", "-f", "-", "-v", stdin=stdin).err
    assert [line for line in err.splitlines() if line.startswith("Dropped: ")] == [
        "Dropped: standard input: $.spec.containers[0].startupProbe: unknown to 1.13.12",
        "Dropped: standard input: $.spec.containers[0].bogus: unknown to 1.13.12",
        "Dropped: standard input: $.spec.containers[0].bogus: unknown to 1.18.0",
    ]


def test_the_target_of_an_ephemeral_container_is_no_dropped_field(run: Run) -> None:
    ephemeral = {"name": "d", "image": "i", "targetContainerName": "c", "bogus": 1}
    stdin = as_json(pod({"name": "c", "image": "i"}, spec={"ephemeralContainers": [ephemeral]}))
    err = run("plan", "--from", "1.33.5", "--to", "1.34.4", "-f", "-", "-v", stdin=stdin).err
    assert [line for line in err.splitlines() if line.startswith("Dropped: ")] == [
        "Dropped: standard input: $.spec.ephemeralContainers[0].bogus: unknown to 1.33.5",
        "Dropped: standard input: $.spec.ephemeralContainers[0].bogus: unknown to 1.34.4",
    ]


def test_without_verbose_dropped_fields_are_not_reported(run: Run) -> None:
    assert (
        "Dropped"
        not in run(
            "plan",
            "--from",
            "1.13.12",
            "--to",
            "1.18.0",
            "-f",
            "-",
            stdin=as_json(pod({"name": "c", "bogus": 1})),
        ).err
    )


@pytest.mark.parametrize(
    "argv",
    [(*PLAN, "-o", "wide"), ("hash", "--kubelet", "1.9.11", "--sample"), ("releases",)],
    ids=["plan", "hash", "releases"],
)
def test_no_headers_takes_one_line_away(run: Run, argv: tuple[str, ...]) -> None:
    bare, full = (run(*argv, *more).out.splitlines() for more in (["--no-headers"], []))
    assert [line.split() for line in bare] == [line.split() for line in full[1:]]


COLOURS: list[tuple[dict[str, str], bool, str, bool]] = [
    ({}, False, "auto", False),
    ({}, True, "auto", True),
    ({"NO_COLOR": "1"}, True, "auto", False),
    ({"FORCE_COLOR": "1"}, False, "auto", True),
    ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, "auto", False),
    ({"NO_COLOR": ""}, True, "auto", True),
    ({}, False, "always", True),
    ({"NO_COLOR": "1"}, False, "always", True),
    ({}, True, "never", False),
    ({"FORCE_COLOR": "1"}, True, "never", False),
]


@pytest.mark.parametrize(("environment", "terminal", "flag", "coloured"), COLOURS)
def test_colour_follows_flag_then_environment_then_terminal(
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    terminal: bool,
    flag: str,
    coloured: bool,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal, raising=False)
    assert run(*PLAN, "--color", flag).out.startswith("\x1b[31m") is coloured


def test_colour_does_not_widen_a_column(run: Run) -> None:
    coloured, bare = (run(*PLAN, "--color", when).out for when in ("always", "never"))
    assert re.sub(r"\x1b\[\d*m", "", coloured) == bare


@pytest.mark.parametrize("form", ["name", "json", "yaml"])
def test_formats_for_programs_are_never_coloured(run: Run, form: str) -> None:
    assert "\x1b" not in run(*PLAN, "--color", "always", "-o", form).out


def test_a_process_writes_no_colour_into_a_pipe() -> None:
    environment = {
        name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")
    }
    done = subprocess.run([SCRIPTS / "hashcompat", *PLAN], capture_output=True, check=True, env=environment)
    assert b"\x1b" not in done.stdout + done.stderr


HOSTILE = "a\x1b[2Jb\nc\rd\x07e\x9b31mf\u202eg\x7f"


def hostile_pod() -> dict[str, Any]:
    container = {"name": f"c{HOSTILE}", "image": "i", HOSTILE: 1}
    return pod(container, name=HOSTILE, node=HOSTILE, metadata={"namespace": HOSTILE, "uid": HOSTILE})


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    "argv",
    [("plan", "--from", "1.9.11", "--to", "1.10.0", "-v"), ("hash", "--kubelet", "1.9.11", "-v")],
    ids=["plan", "hash"],
)
@pytest.mark.parametrize("color", ["always", "never"])
def test_names_cannot_drive_a_terminal(run: Run, form: str, argv: tuple[str, ...], color: str) -> None:
    result = run(*argv, "-f", "-", "-o", form, "--color", color, stdin=as_json(hostile_pod()))
    own_colour = re.compile(r"\x1b\[(32|0)m(?:KEEP)?")
    assert set(own_colour.sub("", result.out + result.err)) & set("\x1b\r\x07\x9b\u202e\x7f") == set()


def test_a_line_break_in_a_name_stays_within_its_row(run: Run) -> None:
    rows = ("plan", "--from", "1.9.11", "--to", "1.10.0", "-f", "-", "--group-by", "none")
    result = run(*rows, stdin=as_json(hostile_pod()))
    assert len(rows_in(result.out)) == 2
    assert "a\\x1b[2Jb\\nc\\rd" in result.out


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_documents_give_hostile_names_back_unchanged(run: Run, form: str) -> None:
    item = run(
        "plan", "--from", "1.9.11", "--to", "1.10.0", "-f", "-", "-o", form, stdin=as_json(hostile_pod())
    ).item
    assert [item[key] for key in ("pod", "node", "namespace", "uid")] == [HOSTILE] * 4


@pytest.mark.parametrize("form", FORMATS)
def test_out_to_stdout_prints_the_document_in_place_of_the_result(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*PLAN, "-o", form, "--out", "-") == plan_in("json")
    assert files_in(tmp_path) == []


@pytest.mark.parametrize("form", FORMATS)
def test_out_saves_the_document_whatever_the_format(run: Run, tmp_path: Path, form: str) -> None:
    path = tmp_path / "plan.json"
    assert run(*PLAN, "-o", form, "--out", path) == plan_in(form)
    assert json.loads(path.read_text()) == plan_in("json").document
    assert files_in(tmp_path) == ["plan.json"]


def test_broken_input_leaves_the_saved_file_as_it_was(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text("old")
    result = run("plan", "--from", "1.9.11", "--to", "1.10.0", "-f", "-", "--out", path, stdin=b"{")
    assert (result.code, path.read_text(), files_in(tmp_path)) == (1, "old", ["plan.json"])


def test_a_failure_while_writing_leaves_the_saved_file_as_it_was(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "plan.json"
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    result = run(*PLAN, "--out", path)
    assert (result.code, result.out, path.read_text(), files_in(tmp_path)) == (1, "", "old", ["plan.json"])
    assert result.err == f"Error: {path}: cannot write: No space left on device\n"


@pytest.mark.parametrize("where", ["missing/plan.json", "file/plan.json", "."])
@pytest.mark.parametrize("form", FORMATS)
def test_a_place_that_cannot_be_written_prints_nothing(
    run: Run, tmp_path: Path, where: str, form: str
) -> None:
    (tmp_path / "file").write_text("")
    result = run(*PLAN, "--out", tmp_path / where, "-o", form)
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
    assert str(tmp_path) in result.err


def test_a_pipe_is_written_to_not_replaced(run: Run, tmp_path: Path) -> None:
    """``--out /dev/null`` as root must not turn the device into a file."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    received: list[str] = []
    reader = threading.Thread(target=lambda: received.append(fifo.read_text()))
    reader.start()
    assert run("version", "--out", fifo).code == 0
    reader.join(10)
    assert json.loads(received[0])["kind"] == "Version"
    assert stat.S_ISFIFO(fifo.stat().st_mode)


def test_a_link_is_followed_not_replaced(run: Run, tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to("real.json")
    run("version", "--out", tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert json.loads((tmp_path / "real.json").read_text())["kind"] == "Version"


def test_the_summary_counts_what_only_restarts_leaves_out(run: Run) -> None:
    shown = run(*PLAN, "--only-restarts", "-o", "json").document
    whole = run(*PLAN, "-o", "json").document
    assert shown["summary"] == whole["summary"]
    assert len(shown["items"]) < len(whole["items"])


def test_a_new_file_is_for_its_owner_alone(run: Run, tmp_path: Path) -> None:
    given = as_json(pod())
    for name in ("snapshot.json", "snapshot.json.gz"):
        assert run("snapshot", "-f", "-", "--out", tmp_path / name, stdin=given).code == 0
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["snapshot.json", "snapshot.json.gz"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o444])
def test_a_file_keeps_the_permissions_of_the_one_that_it_replaces(
    run: Run, tmp_path: Path, mode: int
) -> None:
    path, link = tmp_path / "plan.json", tmp_path / "link.json"
    path.touch()
    path.chmod(mode | stat.S_ISUID)
    link.symlink_to(path)
    run(*PLAN, "--out", link)
    assert json.loads(path.read_text())["kind"] == "RestartPlan"
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_the_content_is_on_the_disk_before_the_name(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    sizes: list[int] = []

    def synced(descriptor: int) -> None:
        steps.append("fsync")
        sizes.append(os.fstat(descriptor).st_size)

    def renamed(self: Path, target: Path) -> None:
        steps.append("rename")
        os.rename(self, target)  # noqa: PTH104 - Path.rename is what is replaced

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", renamed)
    run(*PLAN, "--out", tmp_path / "plan.json.gz")
    assert steps == ["fsync", "rename"]
    assert sizes == [(tmp_path / "plan.json.gz").stat().st_size]


def test_a_failure_leaves_the_old_file_and_no_other(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    path = tmp_path / "plan.json"
    path.write_text("old")
    result = run(*PLAN, "--out", path)
    assert (result.code, result.err) == (1, f"Error: {path}: cannot write: No space left on device\n")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("plan.json", "old")]


def test_one_is_not_counted_in_the_plural(run: Run) -> None:
    up = ("plan", "--from", "1.7.16", "--to", "1.9.11", "-f", "-")
    err = run(*up, stdin=as_json(pod(node=""))).err
    assert (
        err.splitlines()[-1]
        == "1.7.16 -> 1.9.11: 1 of 1 running container restarts in 1 of 1 pod; 0 kept, 0 unknown"
    )
    err = run(*up, stdin=as_json(pod(node="n"), pod(node="n", name="q"))).err
    assert err.splitlines()[-1] == (
        "1.7.16 -> 1.9.11: 2 of 2 running containers restart in 2 of 2 pods on 1 node; 0 kept, 0 unknown"
    )
    err = run("matrix", *up[1:], stdin=as_json(pod())).err
    assert err.splitlines()[-1].startswith("Cheapest path, 1 restart: ")
    assert (
        run("snapshot", "-f", "-", stdin=as_json(pod())).err == "1 container in 1 pod, 0 nodes, 0 records\n"
    )


def test_two_sources_are_both_named(run: Run) -> None:
    result = run("plan", "--from", "1.7.16", "--to", "1.9.11", "-f", "mine.json", "--sample")
    assert (result.code, result.err.splitlines()[0]) == (
        64,
        "Error: -f mine.json and --sample are two sources of pods; give one of them",
    )
