"""A kubectl that misbehaves, as a shell script: it is stopped, and what it says is shown."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from hashcompat.sources.cluster import kubectl
from hashcompat.sources.cluster.kubeapi import UnreachableError

CONFIG = """{"current-context": "c", "clusters": [{"cluster": {"server": "https://s"}}]}"""


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the path of a kubectl that is first on the PATH."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(kubectl, "_END_SECONDS", 0.2)
    return tmp_path / "kubectl"


def write(path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if "sleep" in text:
        monkeypatch.setattr(kubectl, "_START_SECONDS", 0.3)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("sleep 60", "no message"),
        ("sleep 60 & exit 1", "no message"),
        ("sleep 60 >/dev/null 2>&1 & echo 'error: no' >&2; exit 1", "no"),
        (r"printf '\377\376' >&2; exit 1", "\ufffd\ufffd"),
        ("cat >&2; echo 'error: no password' >&2; exit 1", "no password"),
        ("head -c 300000 /dev/zero | tr '\\0' x >&2; echo >&2; echo 'error: end' >&2; exit 1", "end"),
    ],
    ids=[
        "hangs",
        "its child hangs",
        "its silent child hangs",
        "not UTF-8",
        "asks for a password",
        "a long line",
    ],
)
def test_a_kubectl_that_does_not_start_is_given_up(
    script: Path, monkeypatch: pytest.MonkeyPatch, text: str, says: str
) -> None:
    write(script, text, monkeypatch)
    start = time.monotonic()
    with (
        pytest.raises(UnreachableError, match=f"^kubectl does not start: {says}$"),
        kubectl.proxy((), lambda _: None),
    ):
        pass
    assert time.monotonic() - start < 10


@pytest.mark.parametrize("said", [r"printf 'Listening \377\n'", "yes"], ids=["not UTF-8", "without end"])
def test_what_kubectl_prints_does_not_matter(
    script: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    write(script, f"trap '' TERM\n{said}\nsleep 60", monkeypatch)
    monkeypatch.setattr(kubectl, "_START_SECONDS", 20)
    start = time.monotonic()
    with kubectl.proxy((), lambda _: None):
        pass
    assert time.monotonic() - start < 10


@pytest.mark.parametrize("stream", ["1", "2"])
def test_what_kubectl_started_does_not_outlive_it(
    script: Path, monkeypatch: pytest.MonkeyPatch, stream: str
) -> None:
    """A process that prints without end is stopped by nobody reading it, once kubectl has ended."""
    monkeypatch.setattr(kubectl, "_START_SECONDS", 20)
    monkeypatch.setattr(kubectl, "_MOST_LINES", 3)
    child = script.parent / "child"
    write(script, f"yes >&{stream} & echo $! > {child}; echo Listening; wait", monkeypatch)
    with kubectl.proxy((), lambda _: None):
        pass
    deadline = time.monotonic() + 10
    while is_running(int(child.read_text())):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_running(pid: int) -> bool:
    """Return whether a process is there and not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_what_plugins_say_is_limited(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kubectl, "_MOST_LINES", 3)
    write(script, "seq 1 10 >&2; echo Listening; sleep 60", monkeypatch)
    monkeypatch.setattr(kubectl, "_START_SECONDS", 20)
    heard: list[str] = []
    with kubectl.proxy((), heard.append):
        deadline = time.monotonic() + 10
        while len(heard) < 3 and time.monotonic() < deadline:
            time.sleep(0.01)
    assert heard == ["1", "2", "3"]


def test_what_kubectl_says_before_it_ends_is_the_error_alone(
    script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(script, "seq 1 10 >&2; exit 1", monkeypatch)
    heard: list[str] = []
    with (
        pytest.raises(UnreachableError, match=r"^kubectl does not start: 10$"),
        kubectl.proxy((), heard.append),
    ):
        pass
    assert heard == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"echo '{CONFIG}'", ("c", "https://s")),
        (f"echo noise >&2; echo '{CONFIG}'", ("c", "https://s")),
        (r'printf "\377\376"', ("", "")),
        (
            r"""printf '{"current-context": "\377", "clusters": [{"cluster": {"server": "s"}}]}'""",
            ("\ufffd", "s"),
        ),
        ("exit 1", ("", "")),
        (f"echo '{CONFIG}'; exit 1", ("", "")),
        ("echo '[]'", ("", "")),
        ("""echo '{"current-context": "c", "clusters": []}'""", ("", "")),
        ("""echo '{"current-context": "c", "clusters": 7}'""", ("", "")),
        ("head -c 100000 /dev/zero | tr '\\0' '['", ("", "")),
        ("sleep 60", ("", "")),
        ("exec yes", ("", "")),
    ],
)
def test_the_target_is_known_where_kubectl_shows_it(
    script: Path, monkeypatch: pytest.MonkeyPatch, text: str, expected: tuple[str, str]
) -> None:
    write(script, text, monkeypatch)
    assert kubectl.target(()) == expected


def test_without_kubectl_the_target_is_not_known(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(script.parent))
    assert kubectl.target(()) == ("", "")


STATE = "/api/v1/namespaces/ops/configmaps/roll.1"
PASSED = {
    "/api/v1/pods": "reads",
    "/api/v1/namespaces/a/pods": "reads",
    "/api/v1/nodes/n": "reads",
    "/api/v1/namespaces/kube-system": "reads",
    "/apis/policy/v1/poddisruptionbudgets": "reads",
    "/apis/policy/v1beta1/namespaces/a/poddisruptionbudgets": "reads",
    "/api/v1/namespaces/ops/configmaps": "writes",
    STATE: "writes",
    "/api/v1/namespaces/ops/configmaps/other": "",
    "/api/v1/namespaces/ops/configmaps/roll-1": "",
    "/api/v1/namespaces/ops/secrets": "",
    "/apis/policy/v1/namespaces/a/poddisruptionbudgets/web": "",
}


@pytest.mark.parametrize("path", PASSED)
def test_the_proxy_passes_on_what_it_is_for(path: str) -> None:
    for use, written in (("reads", ""), ("writes", STATE)):
        flags = dict(flag.split("=", 1) for flag in kubectl._arguments("socket", written)[1:])
        passes = any(re.search(pattern, path) for pattern in flags["--accept-paths"].split(","))
        assert passes == (PASSED[path] == use)
        assert ("PUT" in flags["--reject-methods"].split(",")) == (use == "reads")
        assert "DELETE" in flags["--reject-methods"].split(",")
