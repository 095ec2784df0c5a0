"""The page of each rule: whole, with commands that exist and change nothing, and links of a known form."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from hashcompat.analysis.preflight import CHECKS
from hashcompat.cli.program import cli
from hashcompat.core.catalog.files import DataFiles, default_directory
from hashcompat.core.errors import InputError
from hashcompat.core.model.escape import printable
from hashcompat.core.rules import CHECKS as OF_PREFLIGHT
from hashcompat.core.rules import Advice, Rule, all_rules, find, findings, page, read, respects, steps
from hashcompat.output.report.rules import paged
from tests.helpers.program import ROOT

PAGES = [*all_rules(), *map(paged, (check for check in CHECKS))]
STEPS = [(rule.id, step) for rule in PAGES for step in (*rule.confirm, *rule.avoid)]
READING = {
    "kubectl": {"get", "version", "describe"},
    "crictl": {"ps", "pods", "inspect", "inspectp"},
    "docker": {"ps", "inspect"},
    "hashcompat": {
        "hash",
        "explain",
        "plan",
        "matrix",
        "verify",
        "preflight",
        "collector",
        "releases",
        "version",
    },
}
"""Programs with the commands that change nothing."""
ONLY_READ = {"grep", "journalctl", "find", "scp"}
LINK = re.compile(
    r"https://github\.com/[\w.-]+/[\w.-]+/"
    r"(?:(?:pull|issues)/\d+|blob/(?:v|go)\d+\.\d+\.\d+/[\w./-]+\.go#[A-Za-z]\w*)"
)


def programs(command: str) -> list[list[str]]:
    """Return the commands of a pipeline, with what xargs runs in place of xargs, and without redirections."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars="|>")
    lexer.whitespace_split = True
    commands: list[list[str]] = [[]]
    for word in lexer:
        if word == "|":
            commands.append([])
        elif word == ">":
            next(lexer)
        elif (word, commands[-1]) != ("xargs", []):
            commands[-1].append(word)
    return commands


def hashcompat_calls() -> list[tuple[str, list[str]]]:
    calls = [
        (rule, words[1:])
        for rule, step in STEPS
        if step.command
        for words in programs(step.command)
        if words[0] == "hashcompat"
    ]
    return list({shlex.join(words): (rule, words) for rule, words in calls}.values())


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.id)
def test_every_part_of_a_page_is_there(rule: Rule) -> None:
    assert rule.meaning.endswith(".")
    assert rule.effect.endswith(".")
    assert 2 <= len(re.findall(r"\.(?= |$)", f"{rule.meaning} {rule.effect}")) <= 5
    assert any(step.command for step in rule.confirm)
    assert rule.avoid
    assert rule.links
    assert rule.since
    assert rule.since.note
    assert bool(rule.since.rows) is not bool(rule.since.releases)


@pytest.mark.parametrize("rule", PAGES, ids=lambda rule: rule.id)
def test_a_step_is_a_sentence_and_a_command_of_one_line(rule: Rule) -> None:
    for step in (*rule.confirm, *rule.avoid):
        assert step.text.endswith(":" if step.command else ".")
        assert printable(step.command) == step.command
        assert not step.command or shlex.split(step.command)


@pytest.mark.parametrize(("rule", "words"), hashcompat_calls(), ids=lambda value: "-".join(value)[:150])
def test_a_command_of_this_program_has_only_options_that_exist(rule: str, words: list[str]) -> None:
    """Click parses it as it would for a user, without running it."""
    name, *rest = words
    command = cli.get_command(click.Context(cli), name)
    assert command, rule
    with command.make_context(name, rest) as context:
        assert not context.args


def test_a_command_with_an_option_that_does_not_exist_would_be_seen() -> None:
    command = cli.get_command(click.Context(cli), "plan")
    assert command
    with pytest.raises(click.NoSuchOption):
        command.make_context("plan", ["--no-such-option"])


@pytest.mark.parametrize("rule", PAGES, ids=lambda rule: rule.id)
def test_what_confirms_a_rule_changes_nothing(rule: Rule) -> None:
    for step in rule.confirm:
        if step.command:
            assert [words for words in programs(step.command) if not only_reads(words, step)] == []


def only_reads(words: list[str], step: Advice) -> bool:
    program, *rest = words
    if program == "ssh":
        return step.command.startswith("hashcompat collector") and rest == ["NODE", "sudo", "sh"]
    if rest[:2] == ["create", "--dry-run=server"]:
        return program == "kubectl"
    return program in ONLY_READ or bool({*rest[:1]} & READING.get(program, set()) and "--out" not in rest)


@pytest.mark.parametrize(
    "command",
    ["kubectl delete pod POD", "crictl rm ID", "docker ps -q | xargs docker stop", "sh", "ssh NODE sudo sh"],
)
def test_a_command_that_changes_something_would_be_seen(command: str) -> None:
    assert not all(only_reads(words, Advice("", command)) for words in programs(command))


@pytest.mark.parametrize("rule", PAGES, ids=lambda rule: rule.id)
def test_links_are_of_a_known_form_and_each_is_there_once(rule: Rule) -> None:
    assert [address for address in rule.links if not LINK.fullmatch(address)] == []
    assert len(set(rule.links)) == len(rule.links)


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.id)
def test_a_pull_request_of_the_source_is_linked_unless_it_is_one_of_several(rule: Rule) -> None:
    """The source names them for a reader of the table; the page has links for at least one of them."""
    cited = set(re.findall(r"#(\d{4,})", rule.source))
    linked = {address.rpartition("/")[2] for address in rule.links}
    assert not cited or cited & linked


def test_the_log_lines_are_those_of_the_release_data() -> None:
    """Each line that a kubelet logs has just one of the patterns; so has the event of a sidecar."""
    patterns = re.findall(r"'(.*)'", steps()["logged"].command)[0].split("|")
    behaviour = DataFiles(default_directory()).table("behaviour")
    for row in behaviour["restartLog"]:
        assert sum(pattern in row["value"] for pattern in patterns) == 1
    (event,) = re.findall(r"'(.*)'", steps()["sidecar-events"].command)
    values = [row["value"] for row in behaviour["sidecarRestartEvent"]]
    assert [bool(re.search(event, value)) for value in values] == [bool(value) for value in values]


def test_the_keys_of_recorded_hashes_are_those_that_records_are_read_by() -> None:
    labels = (ROOT / "hashcompat" / "core" / "records" / "documents.py").read_text()
    for step in (steps()["in-cri"], steps()["in-docker"]):
        (key,) = re.findall(r"io\.kubernetes\.container\.hash", step.command)
        assert f'"{key}"' in labels


STEPS_FILE = 'drain = ["Move the pods away:", "kubectl drain NODE"]\n'
PAGE = '[HC900]\nname = "n"\nmeaning = """\nIt\n  happens."""\navoid = ["drain", ["Wait."]]\n'


def files(directory: Path, page: str, shared: str = STEPS_FILE) -> tuple[Path, Path]:
    """Write a file of pages, and one of steps."""
    paths = directory / "pages.toml", directory / "steps.toml"
    for path, text in zip(paths, (page, shared), strict=True):
        path.write_text(text)
    return paths


def test_a_page_is_read_from_its_file_with_the_steps_that_it_names(tmp_path: Path) -> None:
    assert read(*files(tmp_path, PAGE)) == {
        "HC900": Rule(
            "HC900",
            "n",
            "It happens.",
            avoid=(Advice("Move the pods away:", "kubectl drain NODE"), Advice("Wait.")),
        )
    }


@pytest.mark.parametrize(
    ("page", "shared", "says"),
    [
        (f"{PAGE}x = 1\n", STEPS_FILE, "pages.toml: HC900: damaged release data: Object contains unknown"),
        ("[HC900]\nname = 1\n", STEPS_FILE, "pages.toml: HC900: damaged release data: Expected `str`"),
        ("HC900 = 1\n", STEPS_FILE, "pages.toml: HC900: damaged release data: "),
        (PAGE, "", "pages.toml: HC900: 'drain' is no step of steps.toml"),
        (f"{PAGE}[HC900]\n", STEPS_FILE, "pages.toml: damaged release data: Cannot declare"),
        (PAGE, "drain = [", "steps.toml: damaged release data: "),
    ],
    ids=["unknown key", "wrong type", "no table", "unknown step", "twice", "damaged steps"],
)
def test_what_is_no_page_is_an_error_that_names_the_file_and_the_rule(
    tmp_path: Path, page: str, shared: str, says: str
) -> None:
    with pytest.raises(InputError) as error:
        read(*files(tmp_path, page, shared))
    assert str(error.value).startswith(f"{tmp_path}/{says}")


def test_a_rule_is_found_by_its_id_and_only_in_its_kind() -> None:
    assert page("HC004") is find("HC004")
    assert find("PF-103") is None
    assert page("PF-103", OF_PREFLIGHT).name == "no dockershim"
    assert [rule.id for rule in findings("strip-misses")] == ["strip-misses"]
    assert find("HC004]\n[HC005") is None
    with pytest.raises(KeyError):
        page("HC999")


def test_every_shared_step_is_in_a_page() -> None:
    used = {step for rule in all_rules() for step in (*rule.confirm, *rule.avoid)}
    assert [name for name, step in steps().items() if step not in used] == []


def test_a_plan_reads_no_page_until_one_is_asked_for() -> None:
    code = (
        "import hashcompat, sys; from hashcompat.core import rules; "
        "rules._tables = None; "
        "plan = hashcompat.plan([{'kind': 'Pod', 'spec': {'containers': [{}]}}], '1.9.11', '1.10.0'); "
        "hashcompat.to_json(plan)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_every_respect_of_kubelets_has_a_name() -> None:
    rows = json.loads((ROOT / "schemas" / "tables" / "behaviour.json").read_text(encoding="utf-8"))
    assert rows.keys() == respects().keys()
    assert all(respects().values())
