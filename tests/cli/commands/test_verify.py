"""``verify`` of a golden directory of folders: whole, it passes; nothing that was tampered with does."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.program import Run
from tests.helpers.slices import sliced

CASE = "recorded-prometheus-node-exporter"
RELEASES = ("1.7.16", "1.27.15", "1.36.3")
Tamper = Callable[[bytes], bytes]


def flipped(place: float) -> Tamper:
    def tamper(data: bytes) -> bytes:
        at = min(int(len(data) * place), len(data) - 1)
        return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]

    return tamper


TAMPERED: dict[str, Tamper] = {
    "first byte": flipped(0),
    "a quarter in": flipped(0.25),
    "the middle": flipped(0.5),
    "last byte": flipped(1),
    "invalid UTF-8": lambda data: data[:20] + b"\xff" + data[21:],
    "only the start": lambda data: data[:10],
    "nothing": lambda _: b"",
    "one byte less": lambda data: data[:-1],
    "a newline more": lambda data: data + b"\n",
    "a byte more in front": lambda data: b" " + data,
}


@pytest.fixture
def golden(golden_folders: Path) -> Path:
    """Return a golden directory with a file for each text."""
    return golden_folders


def mismatches(run: Run, directory: Path) -> list[dict[str, str]]:
    result = run("verify", directory, "-o", "json")
    assert result.code == 2
    (item,) = result.items
    rows: list[dict[str, str]] = item["mismatches"]
    return rows


def test_a_whole_directory_passes_in_silence(run: Run, golden: Path) -> None:
    result = run("verify", golden)
    assert (result.code, result.out) == (0, "")
    assert result.err == f"{golden}: 15 hashes of 5 cases compared, 0 differ\n"


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("release", sliced(RELEASES, RELEASES[:1]))
@pytest.mark.parametrize("change", TAMPERED.values(), ids=TAMPERED)
def test_a_changed_text_is_found_with_case_release_and_place(
    run: Run, golden: Path, release: str, change: Tamper
) -> None:
    path = golden / release / f"{CASE}.txt"
    before = path.read_bytes()
    path.write_bytes(change(before))
    (mismatch,) = mismatches(run, golden)
    changed = path.read_bytes()
    first = next(
        (i for i, (a, b) in enumerate(zip(before, changed, strict=False)) if a != b),
        min(len(before), len(changed)),
    )
    assert (mismatch["release"], mismatch["case"]) == (release, CASE)
    assert mismatch["problem"].startswith(f"text: character {first + 1}")


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("digit", [0, 1, -1])
def test_one_wrong_digit_of_a_hash_is_found(run: Run, golden: Path, release: str, digit: int) -> None:
    path = golden / release / "HASHES"
    line = next(line for line in path.read_text().splitlines() if line.endswith(CASE))
    right = line.split()[0]
    wrong = list(right)
    wrong[digit] = str((int(wrong[digit]) + 1) % 10)
    path.write_text(path.read_text().replace(line, f"{''.join(wrong)}  {CASE}"))
    assert mismatches(run, golden) == [
        {"release": release, "case": CASE, "problem": f"hash: golden {''.join(wrong)}, computed {right}"}
    ]


@pytest.mark.parametrize("spelling", ["0{}", "+{}", "{}.0", "0x5cee1837"])
def test_a_hash_in_another_spelling_is_a_difference(run: Run, golden: Path, spelling: str) -> None:
    path = golden / "1.7.16" / "HASHES"
    path.write_text(path.read_text().replace("1559107639", spelling.format("1559107639")))
    assert [mismatch["case"] for mismatch in mismatches(run, golden)] == [CASE]


def test_a_missing_text_is_found(run: Run, golden: Path) -> None:
    (golden / "1.7.16" / f"{CASE}.txt").unlink()
    assert mismatches(run, golden) == [{"release": "1.7.16", "case": CASE, "problem": "has no text here"}]


def test_a_missing_hash_is_found(run: Run, golden: Path) -> None:
    path = golden / "1.7.16" / "HASHES"
    path.write_text("".join(line for line in path.read_text().splitlines(keepends=True) if CASE not in line))
    assert mismatches(run, golden) == [{"release": "1.7.16", "case": CASE, "problem": "has no hash here"}]


def test_a_text_and_a_hash_without_input_are_found(run: Run, golden: Path) -> None:
    (golden / "1.7.16" / "stray.txt").write_text("x")
    with (golden / "1.36.3" / "HASHES").open("a") as file:
        file.write("1  other\n")
    assert [(mismatch["release"], mismatch["case"]) for mismatch in mismatches(run, golden)] == [
        ("1.36.3", "other"),
        ("1.7.16", "stray"),
    ]


def test_a_case_that_a_release_lacks_altogether_is_found(run: Run, golden: Path) -> None:
    shutil.copy(golden / "inputs" / f"{CASE}.json", golden / "inputs" / "new.json")
    assert [mismatch["case"] for mismatch in mismatches(run, golden)] == ["new"] * 3


def test_a_case_that_a_release_refuses_has_no_text(run: Run, golden: Path) -> None:
    """1.1 knows no suffix n; 1.7 does, so there the same line is a lie."""
    case = "quantity-zero-forms"
    (golden / "1.7.16").rename(golden / "1.1.8")
    for other in golden.glob("inputs/*.json"):
        if other.stem != case:
            other.unlink()
            for text in golden.glob(f"*/{other.stem}.txt"):
                text.unlink()
    for release in ("1.1.8", "1.27.15", "1.36.3"):
        path = golden / release / "HASHES"
        path.write_text("".join(line for line in path.read_text().splitlines(keepends=True) if case in line))
    said = [{"release": "1.1.8", "case": case, "problem": "golden data says that this release refuses it"}]
    (golden / "1.1.8" / "HASHES").write_text(f"refused  {case}\n")
    assert mismatches(run, golden) == said
    (golden / "1.1.8" / f"{case}.txt").unlink()
    assert run("verify", golden).code == 0
    (golden / "1.1.8").rename(golden / "1.7.16")
    assert mismatches(run, golden) == [{**said[0], "release": "1.7.16"}]


def test_a_changed_input_is_found_in_every_release(run: Run, golden: Path) -> None:
    path = golden / "inputs" / f"{CASE}.json"
    path.write_text(
        path.read_text().replace('"name": "prometheus-node-exporter"', '"name": "prometheus-node-exporteR"')
    )
    assert [(mismatch["release"], mismatch["case"]) for mismatch in mismatches(run, golden)] == [
        (release, CASE) for release in ("1.27.15", "1.36.3", "1.7.16")
    ]


def test_the_table_and_the_names_say_the_same(run: Run, golden: Path) -> None:
    (golden / "1.7.16" / f"{CASE}.txt").write_text("x")
    table = run("verify", golden)
    assert table.out.splitlines()[0].split() == ["DIRECTORY", "KUBELET", "CASE", "PROBLEM"]
    assert f"1.7.16     {CASE}  text: character 1" in table.out
    assert table.err.endswith(", 1 differs\n")
    assert run("verify", golden, "-o", "name", "-q").out == f"1.7.16/{CASE}\n"


def test_the_place_is_named_by_field_never_by_what_looks_like_one(run: Run, golden: Path) -> None:
    """Text before the difference may be part of a secret: ``hunter2:(`` is not a field of Kubernetes."""
    path = golden / "inputs" / f"{CASE}.json"
    document = json.loads(path.read_text())
    document["container"]["args"] = ["hunter2:(string)x"]
    path.write_text(json.dumps(document))
    text = golden / "1.7.16" / f"{CASE}.txt"
    text.write_text(text.read_text().replace("Args:([]string)<nil>", "Args:([]string)[hunter2:(string)y]"))
    shown = run("verify", golden).out + json.dumps(mismatches(run, golden))
    assert "in Args: golden 'y', computed 'x'" in shown
    assert "hunter2" not in shown
    assert "hunter2" in run("verify", golden, "--show-values").out


def test_several_directories_are_reported_one_by_one(run: Run, golden: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(golden, other)
    (other / "1.7.16" / f"{CASE}.txt").write_text("x")
    result = run("verify", golden, other, "-o", "json")
    assert result.code == 2
    assert [(item["directory"], len(item["mismatches"])) for item in result.items] == [
        (str(golden), 0),
        (str(other), 1),
    ]


def broken_input(golden: Path) -> Path:
    path = golden / "inputs" / f"{CASE}.json"
    path.write_text('{"about":')
    return path


def input_of_another_form(golden: Path) -> Path:
    path = golden / "inputs" / f"{CASE}.json"
    path.write_text('{"about": "x", "source": "cloud", "container": {}}')
    return path


def input_that_does_not_decode(golden: Path) -> Path:
    path = golden / "inputs" / f"{CASE}.json"
    path.write_text('{"about": "x", "source": "api", "container": {"args": 3}}')
    return path


def broken_hashes(golden: Path) -> Path:
    path = golden / "1.7.16" / "HASHES"
    path.write_text("one two three\n")
    return path


def hashes_twice(golden: Path) -> Path:
    """The wrong one of two lines for one case must not hide behind the right one."""
    path = golden / "1.7.16" / "HASHES"
    path.write_text(f"1  {CASE}\n{path.read_text()}")
    return path


def no_hashes(golden: Path) -> Path:
    path = golden / "1.7.16" / "HASHES"
    path.unlink()
    return path


def unknown_release(golden: Path) -> Path:
    return (golden / "1.7.16").rename(golden / "2.7.16")


def text_that_is_a_directory(golden: Path) -> Path:
    path = golden / "1.7.16" / f"{CASE}.txt"
    path.unlink()
    path.mkdir()
    return path


def no_inputs(golden: Path) -> Path:
    shutil.rmtree(golden / "inputs")
    return golden


def no_releases(golden: Path) -> Path:
    for release in RELEASES:
        shutil.rmtree(golden / release)
    return golden


def nothing_at_all(golden: Path) -> Path:
    shutil.rmtree(golden)
    return golden


BROKEN = (
    broken_input,
    input_of_another_form,
    input_that_does_not_decode,
    broken_hashes,
    hashes_twice,
    no_hashes,
    unknown_release,
    text_that_is_a_directory,
    no_inputs,
    no_releases,
    nothing_at_all,
)


@pytest.mark.parametrize("damage", BROKEN, ids=lambda damage: damage.__name__)
def test_a_broken_form_is_a_failure_that_names_the_file(
    run: Run, golden: Path, damage: Callable[[Path], Path]
) -> None:
    culprit = damage(golden)
    result = run("verify", golden)
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
    assert str(culprit) in result.err
