"""``verify`` of a golden directory of lines, and of one that has both forms."""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.golden import SMALL_RELEASES, small_folders
from tests.helpers.program import Run

CASE = "recorded-prometheus-node-exporter"

Row = dict[str, Any]


def mismatches(run: Run, directory: Path) -> list[tuple[str, str, str]]:
    result = run("verify", directory, "-o", "json")
    assert result.code == 2
    (item,) = result.items
    return [(row["release"], row["case"], row["problem"]) for row in item["mismatches"]]


def rewrite(path: Path, case: str, change: Callable[[Row], object]) -> None:
    """Change the row of one case in a file."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        if row["case"] == case:
            change(row)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def without(path: Path, case: str) -> None:
    """Take the line of one case out of a file."""
    lines = [line for line in path.read_text().splitlines(keepends=True) if f'"{case}"' not in line]
    path.write_text("".join(lines))


def test_a_whole_directory_passes_in_silence(run: Run, golden: Path) -> None:
    result = run("verify", golden)
    assert (result.code, result.out) == (0, "")
    assert result.err == f"{golden}: 15 hashes of 5 cases compared, 0 differ\n"


def test_both_forms_of_the_same_data_have_the_same_result(run: Run, golden: Path, tmp_path: Path) -> None:
    folders = small_folders(tmp_path / "folders")
    rewrite(golden / "1.7.16.jsonl", CASE, lambda row: row.update(hash=7))
    hashes = folders / "1.7.16" / "HASHES"
    hashes.write_text(hashes.read_text().replace("1559107639", "7"))
    assert (
        mismatches(run, golden)
        == mismatches(run, folders)
        == [("1.7.16", CASE, "hash: golden 7, computed 1559107639")]
    )


def test_a_release_may_have_a_folder_while_others_have_lines(run: Run, golden: Path, tmp_path: Path) -> None:
    folders = small_folders(tmp_path / "folders")
    (golden / "1.7.16.jsonl").unlink()
    shutil.copytree(folders / "1.7.16", golden / "1.7.16")
    assert run("verify", golden).code == 0
    (golden / "1.7.16" / "emoji.txt").write_text("x")
    assert [mismatch[:2] for mismatch in mismatches(run, golden)] == [("1.7.16", "emoji")]


@pytest.mark.parametrize("release", SMALL_RELEASES)
@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda text: f"x{text}", 1),
        (lambda text: text[:10], 11),
        (lambda text: text[:0], 1),
        (lambda text: text[:20] + "\ud800" + text[21:], 21),
    ],
    ids=["a character more", "only the start", "nothing", "half of a character"],
)
def test_a_changed_text_is_found_with_case_release_and_place(
    run: Run, golden: Path, release: str, change: Callable[[str], str], place: int
) -> None:
    path = golden / f"{release}.jsonl"
    rewrite(path, CASE, lambda row: row.update(text=change(row["text"])))
    ((name, case, problem),) = mismatches(run, golden)
    assert (name, case) == (release, CASE)
    assert problem.startswith(f"text: character {place}")


def test_a_case_that_a_release_lacks_is_found(run: Run, golden: Path) -> None:
    without(golden / "1.7.16.jsonl", CASE)
    assert mismatches(run, golden) == [("1.7.16", CASE, "has no hash here")]


def test_a_case_without_input_is_found(run: Run, golden: Path) -> None:
    without(golden / "inputs.jsonl", CASE)
    assert mismatches(run, golden) == [
        (release, CASE, "has no input; every golden file must be used") for release in SMALL_RELEASES
    ]


def test_a_case_is_refused_by_a_release_that_cannot_decode_it(run: Run, golden: Path) -> None:
    """1.1 knows no suffix n; 1.7 does."""
    case = "quantity-zero-forms"
    for path in golden.glob("*.jsonl"):
        path.write_text("".join(line for line in path.read_text().splitlines(keepends=True) if case in line))
    refusal = f'{{"case": "{case}", "refused": true}}\n'
    (golden / "1.7.16.jsonl").rename(golden / "1.1.8.jsonl").write_text(refusal)
    assert run("verify", golden).code == 0
    (golden / "1.1.8.jsonl").rename(golden / "1.7.16.jsonl")
    assert mismatches(run, golden) == [("1.7.16", case, "golden data says that this release refuses it")]


def test_a_container_that_is_not_utf8_is_written_in_base64(run: Run, golden: Path) -> None:
    data = b'{"name": "c", "args": ["a\xffb"]}'

    def code(row: Row) -> None:
        del row["container"]
        row["containerBase64"] = base64.b64encode(data).decode()

    rewrite(golden / "inputs.jsonl", "emoji", code)
    for path in golden.glob("[0-9]*"):
        without(path, "emoji")
    folder = small_folders(golden.parent / "folders")
    (folder / "inputs" / "emoji.json").write_bytes(b'{"about": "", "source": "api", "container": %b}' % data)
    (golden / "1.7.16.jsonl").unlink()
    (folder / "1.7.16" / "emoji.txt").rename(folder / "1.7.16" / "none.txt")
    shutil.copytree(folder / "1.7.16", golden / "1.7.16")
    texts = {release: problem for release, case, problem in mismatches(run, golden) if case == "emoji"}
    assert texts == dict.fromkeys(("1.27.15", "1.36.3"), "has no hash here") | {"1.7.16": "has no text here"}


def test_lines_may_be_blank_and_end_as_windows_ends_them(run: Run, golden: Path) -> None:
    for path in golden.glob("*.jsonl"):
        path.write_bytes(b"\n" + path.read_bytes().replace(b"\n", b"\r\n") + b" \r\n")
    assert run("verify", golden).code == 0


def test_values_are_shown_only_when_asked_for(run: Run, golden: Path) -> None:
    rewrite(golden / "inputs.jsonl", CASE, lambda row: row["container"].update(args=["hunter2:(string)x"]))
    rewrite(
        golden / "1.7.16.jsonl",
        CASE,
        lambda row: row.update(
            text=row["text"].replace("Args:([]string)<nil>", "Args:([]string)[hunter2:(string)y]")
        ),
    )
    shown = run("verify", golden).out
    assert "in Args: golden 'y', computed 'x'" in shown
    assert "hunter2" not in shown
    assert "hunter2" in run("verify", golden, "--show-values").out


ANSWER = (
    'want {"case": "...", "hash": 1234, "text": "..."}, or {"case": "...", "refused": true} '
    "where that release cannot decode the case"
)
INPUT = 'want {"case": "...", "about": ..., "source": "api" or "file", "container": {...}}'
REFUSED = '"refused" is true and alone, or left out; ' + ANSWER

ANSWERS = {
    '{"case": "x", ': f"column 15: not valid JSON: Expecting property name enclosed in double quotes"
    f"; the text ends there: is it cut short?; {ANSWER}",
    "7": f"an integer, not an object; {ANSWER}",
    '{"case": "x", "hash": 1, "text": ""} {}': f"want one JSON document; {ANSWER}",
    '{"case": "x", "hash": 1, "hash": 1}': f"the key 'hash' appears twice in one object; {ANSWER}",
    '{"hash": 1, "text": ""}': f'no "case" in it; {ANSWER}',
    '{"case": "", "hash": 1, "text": ""}': f'"case" is empty; {ANSWER}',
    '{"case": 1, "hash": 1, "text": ""}': f'"case" is an integer; {ANSWER}',
    '{"case": "x", "text": ""}': f'no "hash" in it; {ANSWER}',
    '{"case": "x", "hash": "1", "text": ""}': f'"hash" is a string; {ANSWER}',
    '{"case": "x", "hash": true, "text": ""}': f'"hash" is a boolean; {ANSWER}',
    '{"case": "x", "hash": 1.0, "text": ""}': f'"hash" is a number with a fraction or an exponent; {ANSWER}',
    '{"case": "x", "hash": 1}': f'no "text" in it; {ANSWER}',
    '{"case": "x", "hash": 1, "text": null}': f'"text" is null; {ANSWER}',
    '{"case": "x", "refused": false}': REFUSED,
    '{"case": "x", "refused": true, "text": ""}': REFUSED,
    '{"case": "emoji", "refused": true}': "the case 'emoji' is on line 2 too; keep one of them",
}

BASE64 = '"containerBase64" is not an object of JSON in base64; write it again'

INPUTS = {
    '{"case": "x", "about": "", "container": {}}': f'no "source" in it; {INPUT}',
    '{"case": "x", "source": "cloud", "container": {}}': f'"source" is neither "api" nor "file"; {INPUT}',
    '{"case": "x", "source": "api"}': f'no "container" in it; {INPUT}',
    '{"case": "x", "source": "api", "container": []}': f'"container" is a list; {INPUT}',
    '{"case": "x", "source": "api", "container": {}, "containerBase64": "e30="}': (
        'both "container" and "containerBase64" in it; keep one of them'
    ),
    '{"case": "x", "source": "api", "containerBase64": 1}': f'"containerBase64" is an integer; {INPUT}',
    '{"case": "x", "source": "api", "containerBase64": "e30"}': BASE64,
    '{"case": "x", "source": "api", "containerBase64": "W10="}': BASE64,
    '{"case": "x", "source": "api", "containerBase64": "ew=="}': BASE64,
    '{"case": "x", "source": "api", "containerBase64": "\u00e9"}': BASE64,
}


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(
    ("name", "line", "problem"),
    [
        *(("1.36.3.jsonl", line, problem) for line, problem in ANSWERS.items()),
        *(("inputs.jsonl", line, problem) for line, problem in INPUTS.items()),
    ],
    ids=[*ANSWERS, *(f"input {line}" for line in INPUTS)],
)
def test_a_broken_line_is_one_error_that_names_it(
    run: Run, golden: Path, name: str, line: str, problem: str
) -> None:
    path = golden / name
    with path.open("a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")
    result = run("verify", golden)
    assert (result.code, result.out) == (1, "")
    assert result.err == f"Error: {path}: line 7: {problem}\n"


def test_a_container_that_does_not_decode_is_an_error_with_its_line(run: Run, golden: Path) -> None:
    rewrite(golden / "inputs.jsonl", CASE, lambda row: row.update(container={"args": 3}))
    result = run("verify", golden)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith(f"Error: {golden / 'inputs.jsonl'}: line 5: $.container.args: ")


def test_a_release_that_nobody_knows_is_an_error(run: Run, golden: Path) -> None:
    path = (golden / "1.7.16.jsonl").rename(golden / "2.7.16.jsonl")
    result = run("verify", golden)
    assert result.code == 1
    assert str(path) in result.err


@pytest.mark.parametrize(
    ("file", "folder"), [("inputs.jsonl", "inputs"), ("1.7.16.jsonl", "1.7.16")], ids=["inputs", "a release"]
)
def test_the_same_in_both_forms_is_an_error(run: Run, golden: Path, file: str, folder: str) -> None:
    shutil.copytree(small_folders(golden.parent / "folders") / folder, golden / folder)
    result = run("verify", golden)
    assert (result.code, result.out) == (1, "")
    assert result.err == f"Error: {golden}: has {file} and {folder}/ of the same; keep one of them\n"


@pytest.mark.parametrize(
    ("pattern", "missing"),
    [
        ("inputs.jsonl", "inputs.jsonl or inputs/*.json"),
        ("[0-9]*", "<release>.jsonl or <release>/HASHES"),
    ],
)
def test_a_directory_without_inputs_or_releases_is_an_error(
    run: Run, golden: Path, pattern: str, missing: str
) -> None:
    for path in golden.glob(pattern):
        path.unlink()
    result = run("verify", golden)
    assert (result.code, result.err) == (
        1,
        f"Error: {golden}: not a golden directory: no case in {missing}\n",
    )


def test_a_file_of_inputs_without_a_line_has_no_case(run: Run, golden: Path) -> None:
    (golden / "inputs.jsonl").write_text("\n")
    assert "no case in inputs.jsonl or inputs/*.json" in run("verify", golden).err
