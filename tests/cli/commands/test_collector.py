"""The collector for nodes without Python, and the ways of running it on all of them."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.helpers.program import ROOT, SCRIPTS, Run

SCRIPT = ROOT / "hashcompat" / "collector" / "collect.sh"
DAEMONSET = ROOT / "examples" / "collect-daemonset.yaml"
WITHOUT_SHELL = ROOT / "examples" / "collect-daemonset-without-shell.yaml"


def test_the_command_prints_the_script(run: Run) -> None:
    result = run("collector")
    assert (result.code, result.out, result.err) == (0, SCRIPT.read_text(), "")


def test_preflight_is_the_same_script_with_one_word_changed(run: Run) -> None:
    plain, more = run("collector").out.splitlines(), run("collector", "--preflight").out.splitlines()
    changed = [pair for pair in zip(plain, more, strict=True) if pair[0] != pair[1]]
    assert changed == [("WANTED=records", "WANTED=preflight")]


def test_it_is_plain_posix_shell() -> None:
    assert SCRIPT.read_text().startswith("#!/bin/sh\n")
    subprocess.run(["/bin/sh", "-n", SCRIPT], check=True)


@pytest.mark.parametrize("words", [("--help",), ("-h",), ("a", "b")])
def test_what_is_no_directory_makes_none(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = subprocess.run(
        ["/bin/sh", SCRIPT, *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, [*tmp_path.iterdir()]) == (1, "", [])
    assert done.stderr.startswith("collect.sh: ")


@pytest.mark.slow
def test_shellcheck_finds_nothing() -> None:
    done = subprocess.run([SCRIPTS / "shellcheck", SCRIPT], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_sockets_are_those_that_the_program_asks() -> None:
    from hashcompat.sources.node import cri

    assert f"SOCKETS='{' '.join(cri.SOCKETS)}'" in SCRIPT.read_text()


def test_every_distributions_socket_and_root_directory_are_among_them() -> None:
    vendors = json.loads((ROOT / "schemas" / "tables" / "vendors.json").read_text())["vendors"]
    for variable, column in (("SOCKETS", "socket"), ("ROOTS", "root")):
        line = re.search(rf"^{variable}='(.*)'$", SCRIPT.read_text(), re.MULTILINE)
        assert line
        assert {row[column] for row in vendors} <= set(line[1].split())


def daemonset(path: Path = DAEMONSET) -> Any:
    """The DaemonSet in an example, below its namespace."""
    (manifest,) = (
        document for document in yaml.safe_load_all(path.read_text()) if document["kind"] == "DaemonSet"
    )
    return manifest


@pytest.mark.parametrize("path", [DAEMONSET, WITHOUT_SHELL], ids=lambda path: path.stem)
def test_the_daemonset_is_one_to_this_program_too(run: Run, path: Path) -> None:
    result = run("hash", "--kubelet", "1.36.0", "-f", path, "-o", "json")
    assert (result.code, result.item["container"]) == (0, "collect")


def test_the_daemonset_can_only_read() -> None:
    spec = daemonset()["spec"]["template"]["spec"]
    (container,) = spec["containers"]
    assert {mount["name"]: mount["readOnly"] for mount in container["volumeMounts"]} == {
        "host": True,
        "script": True,
    }
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"], "add": ["SYS_CHROOT"]},
    }
    assert not {"hostPID", "hostNetwork", "hostIPC"} & spec.keys()
    assert spec["automountServiceAccountToken"] is False


def test_the_daemonset_for_nodes_without_a_shell_differs_in_where_the_programs_are() -> None:
    usual, other = daemonset(), daemonset(WITHOUT_SHELL)
    for made in (usual, other):
        (container,) = made["spec"]["template"]["spec"]["containers"]
        made["command"] = container.pop("command")
        made["image"] = container.pop("image")
        made["capabilities"] = container["securityContext"].pop("capabilities")
        container["securityContext"].pop("runAsUser", None)
        container["env"] = [variable for variable in container["env"] if variable["name"] != "HOST"]
    assert other.pop("command") == ["sh", "-c", "sh /script/collect.sh && exec sleep 2147483647"]
    assert other.pop("capabilities") == {"drop": ["ALL"]}
    assert "collector" in other.pop("image")
    for name in ("command", "image", "capabilities"):
        usual.pop(name)
    assert other == usual
