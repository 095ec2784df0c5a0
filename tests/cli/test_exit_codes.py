"""The exit codes: one table for every command, the same in every format and way of saving."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

import hashcompat
from hashcompat.cli.program import cli
from hashcompat.output.formats import FORMATS
from tests.disruption.pods import budget, replica
from tests.helpers.golden import small_lines
from tests.helpers.pods import PLAIN, as_json, mirror_pod, node, pod
from tests.helpers.program import Run, formats_of, options_of, ran, reports
from tests.helpers.slices import sliced
from tests.helpers.upgrades import record

pytestmark = pytest.mark.usefixtures("untraced")

UP = ("--from", "1.8.15", "--to", "1.9.11")
SAME = ("--from", "1.10.0", "--to", "1.11.0")
NEVER_BEFORE = ("--from", "1.31.0", "--to", "1.32.0")
RESTARTS = as_json(pod())
UNDECIDED = as_json(pod(spec={"initContainers": [{"name": "s", "image": "i", "restartPolicy": "Always"}]}))
BOTH = as_json(mirror_pod({"name": "m", "image": "i"}), pod({"name": "c", "securityContext": {}}, name="q"))


def _node(runtime: str, **conditions: str) -> bytes:
    """Return a node that is Ready, with a runtime and more conditions."""
    states = [{"type": name, "status": state} for name, state in {"Ready": "True", **conditions}.items()]
    machine = node("v1.31.0")
    machine["status"] = {
        "nodeInfo": {"kubeletVersion": "v1.31.0", "containerRuntimeVersion": runtime},
        "conditions": states,
    }
    machine["metadata"]["labels"] = {}
    return as_json(machine)


def watched(kubelet: str, identity: str) -> bytes:
    """Return a node, and a pod on it whose container has an ID; statuses are from after any upgrade."""
    machine = node(kubelet)
    machine["status"]["conditions"] = [
        {"type": "Ready", "status": "True", "lastHeartbeatTime": "2100-01-01T00:00:00Z"}
    ]
    state = {"running": {"startedAt": "2100-01-01T00:00:00Z"}}
    status = {"name": "c", "containerID": f"x://{identity}", "restartCount": 0, "state": state}
    return as_json(pod(status={"phase": "Running", "containerStatuses": [status]}), machine)


AFTER = ("gate", "--plan", "WATCHED", "--node", "n1", "--after")
BEFORE = ("gate", "--plan", "WATCHED", "--node", "n1", "--max-restarts", "9")
GUARDED = as_json(replica("web-0", "n1"), budget(minAvailable=1))
STRIP = ("--audit", "--kubelet", "1.9.11", "--like", "1.7.16")
KEPT = as_json(pod({"name": "c", "image": "i"}))
HIT = as_json(pod({"name": "c", "securityContext": {"allowPrivilegeEscalation": True}}))
NODES = _node("containerd://2.1.4")
RUNNING = as_json(pod(), node("v1.30.14"))
STRAY = as_json(pod(node=""), node("v1.30.14"))
FULL = _node("containerd://2.1.4", DiskPressure="True")
UNSEEN = _node("other://1")

MANY = b"MANY"
SNAPSHOT = b"SNAPSHOT"
MADE = {
    MANY: ("plan", "--from", "1.8.15", "--to", "1.10.13", "--sample", "-q", "-o", "json"),
    SNAPSHOT: ("snapshot", "--sample", "-n", "shop"),
}
"""Commands whose output is what another one reads, by what stands for it in the table."""

TABLE: list[tuple[int, tuple[str, ...], bytes]] = [
    (0, ("plan", *UP, "-f", "-"), RESTARTS),
    (0, ("plan", *NEVER_BEFORE, "-f", "-"), UNDECIDED),
    (0, ("plan", *SAME, "-f", "-", "--detailed-exitcode"), RESTARTS),
    (2, ("plan", *UP, "-f", "-", "--detailed-exitcode"), RESTARTS),
    (2, ("plan", *UP, "-f", "-", "--detailed-exitcode", "-q", "--only-restarts"), RESTARTS),
    (3, ("plan", *NEVER_BEFORE, "-f", "-", "--detailed-exitcode"), UNDECIDED),
    (2, ("plan", "--from", "1.9.11", "--to", "1.10.0", "-f", "-", "--detailed-exitcode"), BOTH),
    (3, ("plan", "--from", "auto", "--to", "1.9.11", "-f", "-", "--detailed-exitcode"), RESTARTS),
    (2, ("plan", "--to", "1.32", "-f", "-", "--detailed-exitcode"), RUNNING),
    (64, ("plan", "--to", "1.32", "-f", "-"), RESTARTS),
    (64, ("plan", "--to", "1.32", "-f", "-"), STRAY),
    (0, ("plan", "--from", "1.31", "--to", "latest", "-f", "-"), RESTARTS),
    (64, ("plan", "--from", "1.31", "--to", "1.99", "-f", "-"), RESTARTS),
    (1, ("plan", *UP, "-f", "-", "--owner", "deploy/web"), RESTARTS),
    (1, ("plan", *UP, "-f", "-", "--detailed-exitcode"), b"{"),
    (1, ("plan", *UP, "-f", "-", "-n", "nowhere"), RESTARTS),
    (64, ("plan", "--from", "1.8.15", "--to", "9.9.9", "-f", "-"), RESTARTS),
    (1, ("plan", *UP, "--detailed-exitcode"), b""),
    (64, ("plan", *UP, "-f", "-", "--context", "here"), RESTARTS),
    (64, ("plan", *UP, "--as-group", "g"), b""),
    (64, ("plan", *UP, "--request-timeout", "soon"), b""),
    (0, ("gate", *SAME, "-f", "-"), RESTARTS),
    (0, ("gate", "--plan", "SAVED", "--max-restarts", "1"), b""),
    (0, ("gate", "--plan", "SAVED", "--report-only", "-q"), b""),
    (0, ("gate", *UP, "-f", "-", "--baseline", "SAVED"), RESTARTS),
    (2, ("gate", *UP, "-f", "-"), RESTARTS),
    (2, ("gate", "--plan", "SAVED"), b""),
    (2, ("gate", "--plan", "SAVED", "--max-restarts", "99.9%", "-q"), b""),
    (2, ("gate", "--from", "1.9.11", "--to", "1.10.0", "-f", "-"), BOTH),
    (3, ("gate", *NEVER_BEFORE, "-f", "-"), UNDECIDED),
    (3, ("gate", *NEVER_BEFORE, "-f", "-", "--max-restarts", "9"), UNDECIDED),
    (1, ("gate", "--plan", "SAVED", "--plan-max-age", "1h"), b""),
    (1, ("gate", "--plan", "SAVED", "--to", "1.10.13", "--report-only"), b""),
    (1, ("gate", "--plan", "BROKEN"), b""),
    (1, ("gate", *UP, "-f", "-"), b"{"),
    (0, ("gate", *SAME, "-f", "-", "--fail-on", "pdb"), RESTARTS),
    (2, ("gate", *UP, "-f", "-", "--fail-on", "pdb"), GUARDED),
    (3, ("gate", "--plan", "SAVED", "--fail-on", "pdb", "-f", "-"), GUARDED),
    (1, ("gate", "--plan", "SAVED", "--fail-on", "pdb"), b""),
    (0, (*AFTER, "-f", "-"), watched("v1.9.11", "new")),
    (2, (*AFTER, "-f", "-"), watched("v1.9.11", "old")),
    (2, (*AFTER, "-f", "-", "--state", "OPENED"), watched("v1.9.11", "old")),
    (3, (*AFTER, "-f", "-"), watched("v1.8.15", "old")),
    (0, (*AFTER, "-f", "-", "--report-only"), watched("v1.9.11", "old")),
    (1, (*AFTER, "-f", "-"), b"{"),
    (1, (*AFTER, "-f", "-", "--state", "NO-STATE"), watched("v1.9.11", "new")),
    (2, (*BEFORE, "--state", "FAILED"), b""),
    (3, (*BEFORE, "--state", "STARTED"), b""),
    (1, (*BEFORE, "--state", "SAVED"), b""),
    (64, (*BEFORE, "--state", "configmap:x"), b""),
    (64, ("gate", "--plan", "SAVED", "--after"), b""),
    (64, ("gate", "--plan", "SAVED", "-f", "-"), RESTARTS),
    (64, ("gate", *UP, "-f", "-", "--max-restarts", "some"), RESTARTS),
    (64, ("gate", "-f", "-"), RESTARTS),
    (0, ("hash", "--kubelet", "1.9.11", "-f", "-"), RESTARTS),
    (1, ("hash", "--kubelet", "1.9.11", "-f", "-"), b""),
    (64, ("hash", "--kubelet", "9.9.9", "-f", "-"), RESTARTS),
    (1, ("hash", "--kubelet", "1.9.11"), b""),
    (0, ("explain", "ns/p", *UP, "-f", "-"), RESTARTS),
    (0, ("explain", "ns/p", *NEVER_BEFORE, "-f", "-"), UNDECIDED),
    (0, ("explain", *UP), b""),
    (64, ("explain", *UP, "--assume-patch", "accept"), b""),
    (64, ("explain", *UP, "--recorded", "RIGHT"), b""),
    (1, ("explain", "ns/other", *UP, "-f", "-"), RESTARTS),
    (1, ("explain", "ns/p", *UP, "-f", "-"), b"\0"),
    (64, ("explain", "p", *UP, "-f", "-"), RESTARTS),
    (0, ("explain", "p", "-n", "ns", *UP, "-f", "-"), RESTARTS),
    (0, ("explain", "pod/p", *UP, "-f", "-"), RESTARTS),
    (1, ("explain", "deploy/p", *UP, "-f", "-"), RESTARTS),
    (0, ("explain", "ns/p", "--to", "1.32", "-f", "-"), RUNNING),
    (64, ("explain", "ns/p", "--to", "1.32", "-f", "-"), RESTARTS),
    (64, ("explain", "--to", "1.32"), b""),
    (1, ("explain", "ns/p", *UP), b""),
    (0, ("verify", "GOLDEN"), b""),
    (2, ("verify", "TAMPERED"), b""),
    (2, ("verify", "GOLDEN", "TAMPERED", "-q"), b""),
    (1, ("verify", "TAMPERED", "BROKEN"), b""),
    (64, ("verify",), b""),
    (0, ("verify", "--recorded", "RIGHT", "--kubelet", "1.9.11", "-f", "-"), RESTARTS),
    (0, ("verify", "--recorded", "RIGHT", "--kubelet", "1.8.15", "-f", "-"), RESTARTS),
    (2, ("verify", "--recorded", "WRONG", "--kubelet", "1.9.11", "-f", "-"), RESTARTS),
    (
        2,
        ("verify", "--recorded", "WRONG", "--recorded", "GONE", "--kubelet", "1.9.11", "-f", "-", "-q"),
        RESTARTS,
    ),
    (3, ("verify", "--recorded", "RIGHT", "--recorded", "GONE", "--kubelet", "1.9.11", "-f", "-"), RESTARTS),
    (1, ("verify", "--recorded", "BROKEN", "--kubelet", "1.9.11", "-f", "-"), RESTARTS),
    (1, ("verify", "--recorded", "RIGHT"), b""),
    (64, ("verify", "GOLDEN", "--context", "here"), b""),
    (0, ("matrix", *UP), b""),
    (0, ("matrix", *SAME, "-f", "-"), RESTARTS),
    (1, ("matrix", *SAME, "-f", "-"), b"{"),
    (64, ("matrix", "--from", "1.99"), b""),
    (0, ("matrix", "--from", "1.36", "--to", "latest"), b""),
    (64, ("matrix", *UP, "--feature-gates", "AppArmor=true"), b""),
    (64, ("matrix", *UP, "-n", "ns"), b""),
    (1, ("matrix", *SAME, "--context", "here"), b""),
    (0, ("rbac",), b""),
    (0, ("rbac", "-n", "a", "--node", "n", "--service-account", "tools:hashcompat"), b""),
    (64, ("rbac", "--service-account", "hashcompat"), b""),
    (0, ("preflight", "--to", "1.31.14", "--no-node", "-f", "-"), NODES),
    (2, ("preflight", "--to", "1.31.14", "--no-node", "-f", "-"), FULL),
    (3, ("preflight", "--to", "1.31.14", "--no-node", "-f", "-", "-q"), UNSEEN),
    (0, ("preflight", "--to", "1.31.14", "--no-node", "-f", "-", "--ignore-preflight-errors", "all"), FULL),
    (1, ("preflight", "--to", "1.31.14", "--no-node", "-f", "-"), b"{"),
    (1, ("preflight", "--to", "1.31.14", "--dump", "GOLDEN"), b""),
    (64, ("preflight", "--no-node", "-f", "-"), NODES),
    (0, ("normalize", *UP, "-f", "-", "--recorded", "RIGHT"), RESTARTS),
    (1, ("normalize", *UP, "-f", "-", "--recorded", "RIGHT"), b"{"),
    (1, ("normalize", *UP, "-f", "-", "--recorded", "BROKEN"), RESTARTS),
    (64, ("normalize", *UP, "-f", "-"), RESTARTS),
    (0, ("impact", *UP, "-f", "-"), RESTARTS),
    (0, ("impact", *SAME, "-f", "-", "--detailed-exitcode"), RESTARTS),
    (0, ("impact", *UP, "-f", "-", "--detailed-exitcode", "--all-budgets", "--batch", "2"), RESTARTS),
    (2, ("impact", *UP, "-f", "-", "--detailed-exitcode"), GUARDED),
    (3, ("impact", *UP, "-f", "-", "--detailed-exitcode"), RESTARTS),
    (1, ("impact", *UP, "-f", "-", "--detailed-exitcode"), b"{"),
    (1, ("impact", *UP), b""),
    (64, ("impact", *UP, "-f", "-", "--batch", "0"), RESTARTS),
    (64, ("impact", *UP, "--all-budgets"), b""),
    (64, ("impact", *UP, "-l", "app=web"), b""),
    (0, ("convert", "SAVED"), b""),
    (0, ("convert", "SAVED", "--only-restarts", "-q"), b""),
    (0, ("convert", "CHECKED"), b""),
    (1, ("convert", "BROKEN"), b""),
    (0, ("report", "PAGES"), b""),
    (1, ("report", "SAVED"), b""),
    (64, ("report",), b""),
    (1, ("convert", "-"), RESTARTS),
    (1, ("convert", "-"), b"{"),
    (64, ("convert",), b""),
    (64, ("convert", "CHECKED", "--only-restarts"), b""),
    (0, ("diff", "SAVED", "WATCHED"), b""),
    (0, ("diff", "SAVED", "SAVED", "--detailed-exitcode", "-q"), b""),
    (2, ("diff", "SAVED", "WATCHED", "--detailed-exitcode"), b""),
    (2, ("diff", "SAVED", "-", "--detailed-exitcode"), MANY),
    (1, ("diff", "SAVED", "BROKEN"), b""),
    (1, ("diff", "SAVED", "CHECKED"), b""),
    (1, ("diff", "SAVED", "-"), b"{"),
    (1, ("diff", "SAVED", "-", "--detailed-exitcode"), SNAPSHOT),
    (64, ("diff", "SAVED", "1.31"), b""),
    (64, ("diff", "1.31", "1.99"), b""),
    (64, ("diff", "-", "-"), b""),
    (64, ("diff", "SAVED"), b""),
    (0, ("patch", *STRIP, "-f", "-"), KEPT),
    (2, ("patch", *STRIP, "-f", "-"), HIT),
    (1, ("patch", *STRIP, "-f", "-"), b"{"),
    (64, ("patch", "--audit", "--kubelet", "1.9.11", "-f", "-"), RESTARTS),
    (0, ("rules",), b""),
    (0, ("rules", "HC001"), b""),
    (64, ("rules", "HC999"), b""),
    (0, ("releases",), b""),
    (64, ("releases", "1.9"), b""),
    (0, ("version",), b""),
    (64, ("version", "--verbose"), b""),
]


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return golden directories: whole, different, broken; files with recorded hashes; saved documents."""
    golden = small_lines(tmp_path_factory.mktemp("places") / "golden")
    made = {"GOLDEN": str(golden)}
    saved = {"SAVED": ("plan", *UP), "CHECKED": ("preflight", "--to", "1.31.14", "--no-node")}
    for name, words in saved.items():
        made[name] = str(golden.parent / f"{name.lower()}.json")
        ran(*words, "-f", "-", "-q", "--out", made[name], stdin=RESTARTS if name == "SAVED" else NODES)
    made["PAGES"] = str(golden.parent / "pages")
    (golden.parent / "pages").mkdir()
    ran("plan", *UP, "-f", "-", "-q", "--report", f"html={made['PAGES']}/plan.html", stdin=RESTARTS)
    made |= _rollout(golden.parent)
    for name in ("TAMPERED", "BROKEN"):
        directory = golden.parent / name.lower()
        (directory / "inputs").mkdir(parents=True)
        (directory / "inputs" / "a.json").write_text('{"about": "", "source": "api", "container": {}}')
        (directory / "1.9.11").mkdir()
        (directory / "1.9.11" / "HASHES").write_text("1  a\n" if name == "TAMPERED" else "a\n")
        made[name] = str(directory)
    value = hashcompat.container_hash(PLAIN, "1.9.11").value
    records = {"RIGHT": record(value), "WRONG": record(7), "GONE": record(value, "gone")}
    for name, told in records.items():
        path = golden.parent / f"{name.lower()}.json"
        path.write_text(json.dumps({"containers": [told]}))
        made[name] = str(path)
    return made


def _rollout(directory: Path) -> dict[str, str]:
    """Return a plan with what was seen before the upgrade, and states of its rollout."""
    names = ("WATCHED", "OPENED", "STARTED", "FAILED", "NO-STATE")
    made = {name: str(directory / f"{name.lower()}.json") for name in names}
    ran(
        *("plan", "--to", "1.9.11", "-f", "-", "-q", "--out", made["WATCHED"]),
        stdin=watched("v1.8.15", "old"),
    )
    for name in ("OPENED", "STARTED", "FAILED"):
        ran(*(made.get(word, word) for word in BEFORE), "-q", "--state", made[name])
    after = [made.get(word, word) for word in AFTER]
    ran(*after, "-f", "-", "-q", "--state", made["FAILED"], stdin=watched("v1.9.11", "old"))
    return made


FIRST = {(code, argv[0]): (code, argv) for code, argv, _ in reversed(TABLE)}.values()
"""A row of each command and code: the one that is tried in every format."""


@pytest.mark.parametrize(
    ("code", "argv", "stdin"),
    sliced(TABLE, [row for place, row in enumerate(TABLE) if row[:2] in FIRST or place % 2]),
    ids=[f"{code} {' '.join(argv)}" for code, argv, _ in TABLE],
)
def test_the_exit_code_depends_on_the_result_never_on_the_format(
    run: Run,
    places: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    code: int,
    argv: tuple[str, ...],
    stdin: bytes,
) -> None:
    monkeypatch.setenv("PATH", "")  # no kubectl: no cluster can be reached
    words = [places.get(word, word) for word in argv]
    if stdin in MADE:
        stdin = ran(*MADE[stdin]).out.encode()
    forms = formats_of(argv[0])[:: 3 if code in (1, 64) else 1] if (code, argv) in FIRST else []
    ways = [
        *(("-o", form) for form in forms),
        ("--out", str(tmp_path / "out.json"), *reports(tmp_path, ["json"])),
        ("--no-headers", "--color", "always"),
    ]
    results = [run(*words, *more, stdin=stdin) for more in ways]
    assert [result.code for result in results] == [code] * len(ways)
    for name in ("out.json", "json"):
        assert (tmp_path / name).exists() == (code not in (1, 64))
    if code in (1, 64):
        assert {result.out for result in results} == {""}


ELSEWHERE = {"fleet"}
"""Its ``--out`` is a place of many tables: tests/cli/commands/test_fleet.py has its exit codes."""

SHOWN = [
    name
    for name in cli.list_commands(click.Context(cli))
    if "format" in options_of(name) and name not in ELSEWHERE
]
"""The commands that have ``-o``."""


def test_the_table_has_every_command_with_success_and_with_usage_errors() -> None:
    """One more command needs rows here; its formats are all tried by themselves."""
    assert {argv[0] for code, argv, _ in TABLE if code == 0} == {*SHOWN}
    assert {argv[0] for code, argv, _ in TABLE if code == 64} == {*SHOWN}
    reading = {*SHOWN} - {"rbac", "rules", "releases", "version"}
    assert {argv[0] for code, argv, _ in TABLE if code == 1} == reading
    assert {argv[0] for code, argv, _ in TABLE if code == 2} == {
        "plan",
        "gate",
        "impact",
        "verify",
        "preflight",
        "patch",
        "diff",
    }
    undecided = {"plan", "gate", "impact", "verify", "preflight"}
    assert {argv[0] for code, argv, _ in TABLE if code == 3} == undecided


def test_every_format_is_tried() -> None:
    tried = {form.partition("=")[0] for name in SHOWN for form in formats_of(name)}
    assert tried == FORMATS.keys()


@pytest.mark.parametrize("command", SHOWN)
def test_help_is_a_success_on_stdout(run: Run, command: str) -> None:
    result = run(command, "--help")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(f"Usage: hashcompat {command} [OPTIONS]")
