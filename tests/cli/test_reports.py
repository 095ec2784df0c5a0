"""``--report``: one analysis, many files, each whole or not at all."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hashcompat.cli import output
from hashcompat.output.formats import FORMATS
from tests.helpers.pods import as_json, node, pod
from tests.helpers.program import EXAMPLES, ROOT, Run, files_in, formats_of, ran, reports
from tests.helpers.readback import markdown_cells

UP = ("--from", "1.7.16", "--to", "1.9.11", "-f", "-")
ONE = as_json(pod())
OTHER = ran("plan", *UP[:2], "--to", "1.8.15", "-f", "-", "-q", "-o", "json", stdin=ONE).out.encode()
FORMS = formats_of("plan")


def test_one_analysis_writes_every_format(run: Run, tmp_path: Path) -> None:
    result = run("plan", *UP, *reports(tmp_path, FORMS), stdin=ONE)
    assert (result.code, result.out) == (0, run("plan", *UP, stdin=ONE).out)
    for form in FORMS:
        printed = run("plan", *UP, "-q", "-o", form, stdin=ONE).out
        assert (tmp_path / form.partition("=")[0]).read_bytes().decode() == printed, form
    assert len(files_in(tmp_path)) == len(FORMS)


@pytest.mark.parametrize(
    ("argv", "stdin"),
    [
        (("hash", "--kubelet", "1.9.11", "-f", "-"), ONE),
        (("explain", "ns/p", *UP), ONE),
        (("explain", *UP[:4]), b""),
        (("matrix", *UP[:4]), b""),
        (("rules",), b""),
        (("releases",), b""),
        (("version",), b""),
        (("rbac",), b""),
        (("verify", "GOLDEN"), b""),
        (("patch", "--audit", "--kubelet", "1.9.11", "--like", "1.7.16", "-f", "-"), ONE),
        (("preflight", "--to", "1.32", "--no-node", "-f", "-"), as_json(node("v1.31.0"))),
        (("convert", "SAVED"), b""),
        (("diff", "SAVED", "-"), OTHER),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, tuple) else "",
)
@pytest.mark.usefixtures("untraced")
def test_a_report_holds_what_is_printed_in_every_format_of_every_command(
    run: Run, golden: Path, tmp_path: Path, argv: tuple[str, ...], stdin: bytes
) -> None:
    """So a test of one run with all reports is one of every ``-o``."""
    given = {"GOLDEN": golden, "SAVED": tmp_path / "plan.json"}
    run("plan", *UP, "--out", given["SAVED"], stdin=ONE)
    words = [given.get(word, word) for word in argv]
    every = {form: run(*words, "-o", form, stdin=stdin) for form in formats_of(argv[0])}
    printed = {form: result for form, result in every.items() if result.code != 64}
    assert printed.keys() > {"json", "yaml"}
    place = tmp_path / "reports"
    place.mkdir()
    result = run(*words, *reports(place, list(printed)), stdin=stdin)
    for form, answer in printed.items():
        assert (answer.code, answer.err) == (result.code, result.err), form
        assert (place / form.partition("=")[0]).read_bytes().decode() == answer.out, form


def test_a_patch_is_saved_as_it_is(run: Run, tmp_path: Path) -> None:
    words = ("patch", "--kubelet", "1.9.11", "--like", "1.7.16")
    result = run(*words, "--report", f"csv={tmp_path / 'x'}")
    assert (result.code, files_in(tmp_path)) == (64, [])
    assert "a patch is shown as table" in result.err


def test_a_report_for_stdout_takes_the_place_of_the_result(run: Run, tmp_path: Path) -> None:
    result = run("plan", *UP, "--report", "csv=-", "--report", f"json={tmp_path / 'x.json'}", stdin=ONE)
    assert result.out == run("plan", *UP, "-o", "csv", stdin=ONE).out
    assert json.loads((tmp_path / "x.json").read_text())["kind"] == "RestartPlan"


def test_reports_follow_the_headers_and_have_no_colours(run: Run, tmp_path: Path) -> None:
    run("plan", *UP, "--no-headers", "--color", "always", *reports(tmp_path, ["wide", "csv"]), stdin=ONE)
    texts = [(tmp_path / form).read_text() for form in ("wide", "csv")]
    assert [text.count("\n") for text in texts] == [1, 1]
    assert "\x1b" not in "".join(texts)


@pytest.mark.parametrize(
    "words",
    [
        ("--report", "csv"),
        ("--report", "csv="),
        ("--report", "=x"),
        ("--report", ""),
        ("--report", "nonsense=x"),
        ("--report", "CSV=x"),
        ("--report", "jsonpath=x"),
        ("--report", "jsonpath={.kind}"),
        ("--report", "jsonpath={.kind=x"),
        ("--report", "custom-columns=A=x"),
        ("--report", "csv=x", "--report", "csv=x"),
        ("--report", "csv=x", "--report", "json=./x"),
        ("--report", "csv=x", "--report", "json=link"),
        ("--report", "csv=x", "--out", "x"),
        ("--report", "csv=-", "--report", "json=-"),
        ("--report", "csv=-", "--out", "-"),
        ("-o", "nonsense"),
        ("-o", "csv="),
        ("-o", "csv=x"),
        ("-o", "jsonpath"),
        ("-o", "jsonpath="),
        ("-o", "jsonpath={.kind"),
        ("-o", "custom-columns=A"),
        ("-o", "custom-columns=A:{.b"),
    ],
    ids=" ".join,
)
def test_what_cannot_be_meant_is_a_usage_error_before_anything_is_read(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to("x")
    result = run("plan", *UP, *words, stdin=b"{")
    assert (result.code, result.out, files_in(tmp_path)) == (64, "", ["link"]), result.err


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("new/", "it names a directory; add the name of a file"),
        ("s3://bucket/x", "a URL; name a file, which other programs can upload"),
    ],
)
def test_a_name_that_is_none_of_a_file_is_an_error(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, why: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("plan", *UP, "--out", place, stdin=b"{")
    assert (result.code, result.out, result.err) == (1, "", f"Error: {place}: cannot write: {why}\n")
    if place.endswith("/"):
        assert run("snapshot", "--sample", "--out", place).err == result.err
    assert files_in(tmp_path) == []


@pytest.mark.parametrize("place", ["missing/x", "file/x", "."])
@pytest.mark.parametrize("command", ["plan", "explain", "hash", "matrix", "verify", "patch"])
def test_a_place_that_cannot_be_written_is_an_error_before_anything_is_read(
    run: Run, tmp_path: Path, command: str, place: str
) -> None:
    (tmp_path / "file").write_text("")
    words = {
        "plan": UP,
        "explain": ("ns/p", *UP),
        "hash": ("--kubelet", "1.9.11", "-f", "-"),
        "matrix": UP,
        "verify": ("--recorded", "none", "--kubelet", "1.9.11", "-f", "-"),
        "patch": ("--audit", "--kubelet", "1.9.11", "--like", "1.7.16", "-f", "-"),
    }[command]
    given = ("--report", f"yaml={tmp_path / place}", "--report", f"json={tmp_path / 'good'}")
    result = run(command, *words, *given, stdin=b"{")
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
    assert str(tmp_path / place) in result.err
    assert "cannot write" in result.err
    assert files_in(tmp_path) == ["file"]


@pytest.mark.parametrize(
    ("name", "why"), [("circle", "Too many levels of symbolic links"), ("x" * 300, "File name too long")]
)
@pytest.mark.parametrize("command", ["plan", "snapshot"])
def test_a_name_that_leads_nowhere_is_an_error(
    run: Run, tmp_path: Path, command: str, name: str, why: str
) -> None:
    (tmp_path / "circle").symlink_to("circle")
    result = run(command, *(UP if command == "plan" else ()), "--sample", "-q", "--out", tmp_path / name)
    assert (result.code, why in result.err) == (1, True), result.err
    assert (result.out, files_in(tmp_path)) == ("", ["circle"])


def test_a_usage_error_wins_over_a_place_that_cannot_be_written(run: Run) -> None:
    assert run("plan", "--to", "9.9.9", "-f", "-", "--report", "csv=/no/such/x").code == 64


def test_a_report_that_fails_leaves_the_others_whole(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = output.write_whole

    def full(path: Path, content: object) -> None:
        if path.name == "csv":
            path = tmp_path / "gone" / "csv"
        whole(path, content)  # type: ignore[arg-type]

    monkeypatch.setattr(output, "write_whole", full)
    result = run("plan", *UP, *reports(tmp_path, ["json", "csv", "yaml"]), stdin=ONE)
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
    assert sorted(files_in(tmp_path)) == ["json", "yaml"]
    assert json.loads((tmp_path / "json").read_text())["kind"] == "RestartPlan"


def test_a_device_takes_a_report(run: Run) -> None:
    assert run("version", "-o", "name", "--report", "json=/dev/null").code == 0
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)  # noqa: PTH116


def test_a_path_may_hold_the_sign_that_ends_a_format(run: Run, tmp_path: Path) -> None:
    run("version", "--report", f"json={tmp_path / 'a=b'}")
    template = 'jsonpath={range .items[?(@.verdict=="RESTART")]}{.pod}{end}'
    run("plan", *UP, "--report", f"{template}={tmp_path / 'pods'}", stdin=ONE)
    assert sorted(files_in(tmp_path)) == ["a=b", "pods"]
    assert (tmp_path / "pods").read_text() == "p"


def test_the_summary_of_a_step_is_added_once(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "summary.md"
    place.write_bytes(b"# before \xff\n\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(place))
    run("plan", *UP, "-o", "csv", stdin=ONE)
    assert place.read_bytes() == b"# before \xff\n\n"
    result = run("plan", *UP, "-o", "github", "--report", f"github={tmp_path / 'x'}", stdin=ONE)
    before, _, added = place.read_bytes().decode(errors="replace").partition("**")
    assert (result.code, before) == (0, "# before \ufffd\n\n")
    first, _, rest = added.partition("\n")
    assert first == "FAIL**: 1 of 1 running container restarts: 1 owner on 1 node, for 1 reason"
    cells = markdown_cells(rest)
    assert cells[1][:3] == ["ns/p/c", "RESTART", "HC004"]
    assert ["pods affected", "1"] in cells
    assert len(files_in(tmp_path)) == 2


def test_a_summary_that_cannot_be_written_is_an_error(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "/no/such/summary.md")
    result = run("plan", *UP, "-o", "github", stdin=ONE)
    assert (result.code, result.err.splitlines()[-1]) == (
        1,
        "Error: GITHUB_STEP_SUMMARY: /no/such/summary.md: cannot write: No such file or directory",
    )


KILLED = """
import os, signal, sys
from hashcompat.cli import main

left = int(sys.argv.pop(1))

import hashcompat.cli.output as output

def dying(stream, content, suffix):
    global left
    for piece in ([content] if isinstance(content, str) else content):
        for char in range(0, len(piece), 100):
            stream.write(piece[char : char + 100].encode())
            stream.flush()
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)

output._write = dying
sys.exit(main.main())
"""


@pytest.mark.slow
@pytest.mark.parametrize("after", [1, 200, 600])
def test_a_process_that_is_killed_while_it_writes_leaves_no_half_file(tmp_path: Path, after: int) -> None:
    """Each file is the old one or the new one; what was begun has another name, and is hidden."""
    forms = [form for form in FORMS if form not in EXAMPLES.values()]
    plan = ("plan", "--from", "1.13.12", "--to", "1.14.10", "--sample", "-q", "-n", "shop")
    clean = tmp_path / "clean"
    clean.mkdir()
    done = [sys.executable, "-m", "hashcompat", *plan, *reports(clean, forms)]
    subprocess.run(done, check=True, capture_output=True, cwd=ROOT)
    place = tmp_path / "killed"
    place.mkdir()
    for form in forms[::2]:
        (place / form).write_text("old")
    program = [sys.executable, "-c", KILLED, str(after), *plan, *reports(place, forms)]
    ended = subprocess.run(program, check=False, capture_output=True, cwd=ROOT)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    for path in place.iterdir():
        if not path.name.startswith(".hashcompat-"):
            assert path.read_bytes() in (b"old", (clean / path.name).read_bytes()), path.name
    new = [form for form in forms if (place / form).exists() and (place / form).read_text() != "old"]
    assert len(new) < len(forms)
    assert (after == 1) == (new == [])


@pytest.mark.slow
def test_a_process_killed_from_outside_leaves_no_half_file(tmp_path: Path) -> None:
    """Whenever the kill comes: it is sent while large reports are written, later each time."""
    big = tmp_path / "pods.json"
    big.write_bytes(as_json(*(pod(name=f"p{number}", uid=f"u{number}") for number in range(600))))
    words = ("plan", *UP[:4], "-f", str(big), "-q", "-o", "name")
    forms = ["json", "junit", "csv"]
    for delay in (0.0, 0.1):
        place = tmp_path / str(delay)
        place.mkdir()
        program = [sys.executable, "-m", "hashcompat", *words, *reports(place, forms)]
        with subprocess.Popen(
            program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT
        ) as process:
            while process.poll() is None and not files_in(place):
                time.sleep(0.005)
            time.sleep(delay)
            process.kill()
        for form in forms:
            if (place / form).exists():
                assert_whole(form, (place / form).read_text())


def assert_whole(form: str, text: str) -> None:
    ends = {"json": "\n}\n", "junit": "</testsuites>\n", "csv": "\n"}
    assert text.endswith(ends[form])
    assert text.count("p599") == 2


def test_every_format_has_an_example() -> None:
    assert {form.partition("=")[0] for form in FORMS} == FORMATS.keys()
