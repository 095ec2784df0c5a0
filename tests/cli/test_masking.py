"""Values of env, args, commands and headers appear nowhere unless ``--show-values`` asks for them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.helpers.pods import as_json, pod
from tests.helpers.program import Result, Run, formats_of, reports
from tests.helpers.randomness import FRESH, TIMED
from tests.helpers.slices import sliced

SECRET = "S3cr3tHunter2"  # noqa: S105 - planted

PLACES: dict[str, Callable[[str], dict[str, Any]]] = {
    "env value": lambda secret: {"env": [{"name": "A", "value": secret}]},
    "args": lambda secret: {"args": ["--password", secret]},
    "command": lambda secret: {"command": [secret]},
    "probe command": lambda secret: {"livenessProbe": {"exec": {"command": ["x", secret]}}},
    "startup probe command": lambda secret: {"startupProbe": {"exec": {"command": [secret]}}},
    "hook command": lambda secret: {"lifecycle": {"postStart": {"exec": {"command": [secret]}}}},
    "probe header": lambda secret: {
        "readinessProbe": {"httpGet": {"port": 1, "httpHeaders": [{"name": "A", "value": secret}]}}
    },
    "hook header": lambda secret: {
        "lifecycle": {"preStop": {"httpGet": {"port": 1, "httpHeaders": [{"name": "A", "value": secret}]}}}
    },
}
BOUNDARIES = [
    ("1.7.16", "1.9.11"),
    ("1.9.11", "1.9.11"),
    ("1.13.12", "1.16.0"),
    ("1.18.0", "1.19.0"),
    ("1.27.15", "1.27.16"),
    ("1.30.0", "1.31.0"),
]

EVERYWHERE = [(place, *pair) for place in PLACES for pair in BOUNDARIES]
KEPT = [
    (place, *pair) for number, place in enumerate(PLACES) for pair in [BOUNDARIES[number % len(BOUNDARIES)]]
]
"""Each place in the text of some boundary, and each boundary with some place."""


def commands(old: str, new: str) -> list[tuple[str, ...]]:
    return [
        ("plan", "--from", old, "--to", new, "-v"),
        ("explain", "ns/p", "--from", old, "--to", new),
        ("explain", "ns/p/c", "--from", old, "--to", new, "--color", "always", "--full"),
        ("explain", "ns/q", "--from", old, "--to", new),
        ("hash", "--kubelet", f"{old},{new}", "-v"),
        ("hash", "--kubelet", old, "--show-values"),
        ("hash", "--kubelet", old, "--show-input"),
    ]


def holds(result: Result, secret: str) -> bool:
    """Return whether a result holds a secret: as it is, as JSON spells it, or as the list of its bytes."""
    shown = result.out + result.err
    spelled = json.dumps(secret)[1:-1]
    as_bytes = " ".join(str(byte) for byte in secret.encode(errors="replace"))
    return any(form in shown for form in (secret, spelled, as_bytes))


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(("place", "old", "new"), sliced(EVERYWHERE, KEPT))
def test_no_command_and_no_format_shows_a_value(
    run: Run, tmp_path: Path, place: str, old: str, new: str
) -> None:
    """A format is the same printed and saved: ``test_reports.py`` compares them for every command."""
    stdin = as_json(pod({"name": "c", "image": "i", "unknownField": 1, **PLACES[place](SECRET)}))
    for argv in commands(old, new):
        forms = formats_of(argv[0])
        result = run(*argv, "-f", "-", *reports(tmp_path, forms), stdin=stdin)
        saved = {path.name: path.read_bytes().decode() for path in tmp_path.iterdir()}
        refused = "ns/q" in argv or "--show-input" in argv
        assert len(saved) == (0 if refused else len(forms)), result.err
        assert not holds(result, SECRET), argv
        for form, text in saved.items():
            assert not holds(Result(0, text, ""), SECRET), (argv, form)
            (tmp_path / form).unlink()


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("form", ["table", "json"])
def test_show_values_shows_it(run: Run, place: str, form: str) -> None:
    """So the tests above could fail: the value is in the text that is hashed."""
    stdin = as_json(pod({"name": "c", "image": "i", **PLACES[place](SECRET)}))
    shown = run(
        "explain",
        "ns/p",
        "--from",
        "1.18.0",
        "--to",
        "1.19.0",
        "-f",
        "-",
        "-o",
        form,
        "--show-values",
        "--full",
        stdin=stdin,
    )
    assert holds(shown, SECRET)
    assert holds(
        run(
            "hash", "--kubelet", "1.18.0", "-f", "-", "-o", form, "--show-values", "--show-input", stdin=stdin
        ),
        SECRET,
    )


def test_masked_values_are_counted_not_dropped(run: Run) -> None:
    stdin = as_json(pod({"name": "c", "image": "i", "args": [SECRET, SECRET]}))
    item = run(
        "explain", "ns/p", "--from", "1.9.11", "--to", "1.10.0", "-f", "-", "-o", "json", stdin=stdin
    ).item
    assert "Args:([]string)[*** ***] " in item["from"]["text"]


def test_masking_changes_no_hash(run: Run) -> None:
    stdin = as_json(pod({"name": "c", "image": "i", "args": [SECRET]}))
    hashes = [
        run(
            "explain",
            "ns/p",
            "--from",
            "1.9.11",
            "--to",
            "1.16.0",
            "-f",
            "-",
            "-o",
            "json",
            *more,
            stdin=stdin,
        ).item["hash"]
        for more in ((), ("--show-values",))
    ]
    assert hashes[0] == hashes[1]


@settings(
    max_examples=30 if FRESH else 8, suppress_health_check=[*TIMED, HealthCheck.function_scoped_fixture]
)
@given(
    st.text(min_size=1, max_size=12).map(lambda text: f"{SECRET}{text}"),
    st.sampled_from(list(PLACES)),
    st.sampled_from(BOUNDARIES),
)
def test_no_value_whatever_is_in_it_is_shown(
    run: Run, secret: str, place: str, boundary: tuple[str, str]
) -> None:
    stdin = as_json(pod({"name": "c", "image": "i", **PLACES[place](secret)}))
    for argv in commands(*boundary)[:6]:
        assert not holds(run(*argv, "-f", "-", stdin=stdin), SECRET)


LEAKY_YAML = [
    "value: *{}",
    "value: !{} x",
    "value: !{}!x y",
    "value: !<{}",
    "value: '{}",
    "value: @{}",
    "value: %{}",
    "value: `{}",
    "value: {}: x",
    "value: &{0} &{0} x",
    'value: "\\q{}"',
    "value: !!int {}",
    "value: !!binary {}=",
    "value: |{}",
    "value: [{}",
    "value: {}\n      value: x",
    "value: {{a: {}}}",
    "value: {}\n   bad: x",
]


@pytest.mark.parametrize("line", LEAKY_YAML)
def test_no_error_about_yaml_quotes_what_it_could_not_read(run: Run, line: str) -> None:
    text = "kind: Pod\nspec:\n  containers:\n  - name: c\n    env:\n    - name: A\n"
    text += f"      {line.format(SECRET)}\n"
    result = run("plan", "--from", "1.9.11", "--to", "1.10.0", "-f", "-", "-v", stdin=text.encode())
    assert not holds(result, SECRET)


LEAKY_JSON: list[dict[str, Any]] = [
    {"args": SECRET},
    {"args": [SECRET, 1]},
    {"args": [[SECRET]]},
    {"args": {"a": SECRET}},
    {"env": [{"name": "A", "value": [SECRET]}]},
    {"env": [{"name": "A", "value": SECRET}, 1]},
    {"env": {"name": "A", "value": SECRET}},
    {"env": [SECRET]},
    {"command": SECRET},
    {"livenessProbe": {"exec": {"command": SECRET}}},
    {"livenessProbe": {"httpGet": {"port": SECRET, "httpHeaders": SECRET}}},
    {"livenessProbe": SECRET},
    {"resources": {"limits": {"cpu": SECRET}}},
    {"ports": [{"containerPort": SECRET}]},
]


@pytest.mark.parametrize("fields", LEAKY_JSON, ids=json.dumps)
@pytest.mark.parametrize("more", [(), ("--keep-going",)], ids=["stop", "keep going"])
def test_no_error_about_a_wrong_type_quotes_the_value(
    run: Run, fields: dict[str, Any], more: tuple[str, ...]
) -> None:
    stdin = as_json(pod({"name": "c", **fields}))
    assert not holds(
        run("plan", "--from", "1.9.11", "--to", "1.10.0", "-f", "-", "-v", *more, stdin=stdin), SECRET
    )


@pytest.mark.parametrize("cut", range(60, 200, 7))
def test_no_error_about_json_that_ends_early_quotes_it(run: Run, cut: int) -> None:
    data = as_json(pod({"name": "c", "args": [SECRET] * 5}))[:cut]
    assert not holds(run("plan", "--from", "1.9.11", "--to", "1.10.0", "-f", "-", stdin=data), SECRET)


def test_a_bug_in_the_program_shows_no_value(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError(SECRET)

    monkeypatch.setattr("hashcompat.analysis.planning.make", fail)
    result = run("plan", "--from", "1.9.11", "--to", "1.10.0", "--sample")
    assert (result.code, result.out) == (1, "")
    assert not holds(result, SECRET)


@pytest.mark.parametrize("form", formats_of("verify"))
def test_verify_shows_one_character_and_no_value(run: Run, golden_folders: Path, form: str) -> None:
    path = golden_folders / "inputs" / "recorded-prometheus-node-exporter.json"
    document = json.loads(path.read_text())
    document["container"]["args"] = [SECRET]
    path.write_text(json.dumps(document))
    result = run("verify", golden_folders, "-o", form)
    assert result.code == 2
    assert not holds(result, SECRET)


@pytest.mark.parametrize(
    "url", [f"http://user:{SECRET}@127.0.0.1:1/x", f"http://127.0.0.1:1/x?token={SECRET}"]
)
def test_an_error_about_a_url_shows_no_credentials(run: Run, url: str) -> None:
    result = run("plan", "--from", "1.9.11", "--to", "1.10.0", "-f", url)
    assert (result.code, "http://127.0.0.1:1/x" in result.err) == (1, True)
    assert not holds(result, SECRET)
