"""PF-304: another OCI runtime, and PF-224: sandboxes of containerd 1."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hashcompat.analysis.preflight.checks import Need
from tests.helpers.dumps import GONE, Key, containerd, dump, failed, found, status, upgrade

CRIO = {("cri", "version"): '{"runtimeName":"cri-o","runtimeVersion":"1.29.9","runtimeApiVersion":"v1"}'}
MAIN, FOLDER = ("file", "/etc/crio/crio.conf"), ("directory", "/etc/crio/crio.conf.d")
PACKAGED = ("file", f"{FOLDER[1]}/10-crio.conf")
CRUN = """[crio.runtime]
default_runtime = "crun"
[crio.runtime.runtimes.crun]
runtime_path = "/usr/libexec/crio/crun"
"""
SHORT = '[crio.runtime]\ndefault_runtime = "crun"'
FILES: dict[Key, Any] = {MAIN: GONE, FOLDER: "10-crio.conf\n", PACKAGED: CRUN}


def conmon(program: str, flag: str = "-r") -> str:
    """Return the arguments of the process that waits for a container."""
    return f"/usr/bin/conmon\n-b\n/run/x/userdata\n-c\n{'a' * 64}\n{flag}\n{program}\n--runtime-arg\n"


ONE, TWO = ("arguments", "1200"), ("arguments", "1300")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "OK"),
        ({**CRIO, **FILES}, "OK"),
        ({**CRIO, **FILES, ONE: conmon("/usr/libexec/crio/crun")}, "OK"),
        ({**CRIO, **FILES, ONE: conmon("/usr/bin/crun")}, "OK"),
        ({**CRIO, **FILES, ONE: conmon("/usr/bin/kata-runtime")}, "OK"),
        ({**CRIO, **FILES, ONE: conmon("/usr/libexec/crio/runc")}, "WARN"),
        ({**CRIO, **FILES, ONE: conmon("/usr/libexec/crio/runc", "--runtime")}, "WARN"),
        (
            {**CRIO, **FILES, PACKAGED: SHORT, ONE: conmon("/bin/crun")},
            "OK",
        ),
        ({**CRIO, MAIN: GONE, FOLDER: GONE, ONE: conmon("/usr/bin/runc")}, "OK"),
        ({**CRIO, **FILES, ONE: "/usr/libexec/crio/conmon\n-b\n"}, "UNKNOWN"),
        ({**CRIO, **FILES, PACKAGED: failed(), ONE: conmon("/usr/bin/runc")}, "UNKNOWN"),
        ({**CRIO, ("cri", "version"): failed(), ("docker", "version"): GONE}, "UNKNOWN"),
    ],
)
def test_pf304_containers_of_another_runtime(changes: Any, expected: str) -> None:
    assert [row[0] for row in status("PF-304", dump(changes), upgrade("1.30.14"))] == [expected]


def test_pf304_counts_them() -> None:
    given = dump({**CRIO, **FILES, ONE: conmon("/usr/bin/runc"), TWO: conmon("/usr/libexec/crio/runc")})
    ((_, about, text),) = found("PF-304", given, upgrade("1.30.14"))
    assert about == "default_runtime"
    assert text.startswith("2 containers run under runc, and CRI-O's default_runtime is crun: when CRI-O is")


LABELS = {
    "io.kubernetes.container.name": "app",
    "io.kubernetes.pod.name": "web-0",
    "io.kubernetes.pod.namespace": "shop",
    "io.kubernetes.pod.uid": "u",
}
ROW = {"id": "a" * 64, "podSandboxId": "5" * 64, "state": "CONTAINER_RUNNING", "labels": LABELS}
CONTAINERS: dict[Key, Any] = {
    ("cri", "containers"): json.dumps({"containers": [{**ROW, "metadata": {"name": "app"}}]}),
    ("docker", "list"): GONE,
}
BOTH = frozenset({Need.NODE, Need.PLAN})


@pytest.mark.parametrize(
    ("version", "restarts", "expected"),
    [
        ("2.1.1", True, "WARN"),
        ("2.0.0", True, "WARN"),
        ("2.1.3-k3s1", True, "WARN"),
        ("2.1.1", False, "OK"),
        ("2.1.1", None, "OK"),
        ("2.1.4", True, "OK"),
        ("1.7.27", True, "OK"),
    ],
)
def test_pf224_a_restart_in_an_old_sandbox(version: str, restarts: bool | None, expected: str) -> None:
    of = upgrade("1.31.14", restarts=lambda uid, name: restarts if (uid, name) == ("u", "app") else None)
    given = dump({**containerd(version), **CONTAINERS})
    assert [row[0] for row in status("PF-224", given, of, needs=BOTH)] == [expected]


def test_pf224_what_could_not_be_read() -> None:
    of = upgrade("1.31.14", restarts=lambda *_: True)
    lists: Any = {("cri", "containers"): failed(), ("docker", "list"): GONE}
    assert status("PF-224", dump({**containerd("2.1.1"), **lists}), of, needs=BOTH) == [("UNKNOWN", "")]
    silent: Any = {("cri", "version"): failed(), ("docker", "version"): GONE}
    assert status("PF-224", dump(silent), of, needs=BOTH) == [("UNKNOWN", "")]
