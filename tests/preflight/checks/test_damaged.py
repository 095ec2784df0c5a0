"""PF-112: damaged state files."""

from __future__ import annotations

import re

import pytest

from tests.helpers.dumps import GONE, Key, dump, failed, found, numbers, upgrade
from tests.helpers.golden import state_file

ROOT = "/var/lib/kubelet"
CPU, MEMORY = f"{ROOT}/cpu_manager_state", f"{ROOT}/memory_manager_state"
DEVICES = f"{ROOT}/device-plugins/kubelet_internal_checkpoint"
ALLOCATED, ACTUATED = f"{ROOT}/allocated_pods_state", f"{ROOT}/actuated_pods_state"
CONFIG: Key = ("file", f"{ROOT}/config.yaml")
ARGUMENTS: Key = ("arguments", "kubelet")
OK = ("OK", "", "nothing found: damaged state files")
STOPS = "kubelet {} does not start with it"
WARNS = "kubelet {} starts without what it holds"


def check(to: str, changes: dict[str, object]) -> list[tuple[str, str, str]]:
    files: dict[Key, object] = {("file", path): text for path, text in changes.items()}
    return found("PF-112", dump(files), upgrade(to))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("to", "path", "text", "status", "says"),
    [
        ("1.34.10", CPU, "", "ERROR", "it is empty: " + STOPS),
        ("1.12.0", CPU, "", "ERROR", "it is empty: " + STOPS),
        ("1.11.10", CPU, "", "OK", ""),
        ("1.11.10", CPU, "{", "ERROR", "it holds no JSON object: " + STOPS),
        ("1.34.10", CPU, "[]", "ERROR", "it holds no JSON object: " + STOPS),
        ("1.34.10", CPU, '{"checksum":1}', "OK", ""),
        ("1.34.10", MEMORY, "{", "ERROR", "it holds no JSON object: " + STOPS),
        ("1.20.15", MEMORY, "{", "OK", ""),
        ("1.34.10", DEVICES, "", "WARN", "it is empty: " + WARNS),
        ("1.7.5", DEVICES, "", "OK", ""),
        ("1.34.10", DEVICES, '{"Data":{},"Checksum":1}', "WARN", "its checksum does not hold: " + WARNS),
        ("1.34.10", DEVICES, '{"Data":[],"Checksum":1}', "WARN", "its checksum does not hold: " + WARNS),
        ("1.34.10", DEVICES, "1.21.14/devices-numa", "OK", ""),
        ("1.19.16", DEVICES, "1.15.12/devices-list", "OK", ""),
        ("1.20.13", DEVICES, "1.15.12/devices-list", "WARN", "a kubelet of 1.11 - 1.19 wrote it"),
        ("1.20.14", DEVICES, "1.15.12/devices-list", "OK", ""),
        ("1.21.7", DEVICES, "1.15.12/devices-list", "WARN", "a kubelet of 1.11 - 1.19 wrote it"),
        ("1.21.8", DEVICES, "1.15.12/devices-list", "OK", ""),
        ("1.22.4", DEVICES, "1.15.12/devices-list", "WARN", "a kubelet of 1.11 - 1.19 wrote it"),
        ("1.22.5", DEVICES, "1.15.12/devices-list", "OK", ""),
        ("1.30.14", DEVICES, "1.15.12/devices-list", "OK", ""),
        ("1.31.0", DEVICES, "1.15.12/devices-list", "WARN", "a kubelet of 1.11 - 1.19 wrote it"),
        ("1.19.16", DEVICES, "1.21.14/devices-numa", "WARN", "a kubelet of 1.20 and later wrote it"),
        ("1.11.10", DEVICES, '{"PodDeviceEntries":null}', "WARN", "a kubelet of 1.8 - 1.10 wrote it"),
        ("1.10.13", DEVICES, '{"PodDeviceEntries":null}', "OK", ""),
        ("1.10.13", DEVICES, "1.15.12/devices-list", "WARN", "a kubelet of 1.11 - 1.19 wrote it"),
        ("1.33.13", ALLOCATED, "1.34.10/allocation-some", "OK", ""),
        ("1.37.1", ALLOCATED, "1.34.10/allocation-some", "OK", ""),
        ("1.33.13", ALLOCATED, '{"data":"{}","checksum":1}', "ERROR", "its checksum does not hold: " + STOPS),
        ("1.32.13", ALLOCATED, '{"data":"{}","checksum":1}', "OK", ""),
        ("1.33.13", ACTUATED, "{}", "ERROR", "its checksum does not hold: " + STOPS),
        ("1.33.13", ALLOCATED, failed(), "UNKNOWN", f"{ALLOCATED}: permission denied"),
        ("1.33.13", ALLOCATED, GONE, "OK", ""),
    ],
    ids=numbers(),
)
def test_pf112_each_file(to: str, path: str, text: object, status: str, says: str) -> None:
    if isinstance(text, str) and text.startswith("1."):
        text = state_file(text)
    state, object_, words = check(to, {path: text})[0]
    assert state == status
    assert words.startswith(says.format(to) or OK[2])
    assert object_ in {"", path, path.removeprefix(f"{ROOT}/")}


def test_pf112_the_gate_decides_whether_a_file_is_read() -> None:
    off = "featureGates: {InPlacePodVerticalScaling: false}\n"
    changes: dict[str, object] = {CONFIG[1]: off, ALLOCATED: "", ACTUATED: ""}
    assert check("1.34.10", changes) == [OK]
    assert [object_ for _, object_, _ in check("1.35.0", changes)] == [ALLOCATED, ACTUATED]


def test_pf112_one_file_that_was_not_read_hides_no_other() -> None:
    shown = check("1.34.10", {CPU: failed(), MEMORY: ""})
    assert [(state, object_) for state, object_, _ in shown] == [
        ("UNKNOWN", "cpu_manager_state"),
        ("ERROR", MEMORY),
    ]


def test_pf112_a_file_that_is_only_replaced() -> None:
    files: dict[Key, object] = {
        ("file", CPU): "{",
        ARGUMENTS: "kubelet\n--feature-gates=CPUManager=true\n",
    }
    assert found("PF-112", dump(files), upgrade("1.9.11")) == [  # type: ignore[arg-type]
        ("WARN", CPU, "it holds no JSON object: kubelet 1.9.11 starts an empty one")
    ]


def test_pf112_what_a_dump_leaves_out_is_not_damage() -> None:
    """The collector blanks what device plugins answered, so that its dumps show no checksum that holds."""
    whole = state_file("1.37.1/devices-numa")
    blanked = re.sub(r'"AllocResp":"[^"]*"', '"AllocResp":""', whole)
    assert blanked != whole
    assert check("1.37.1", {DEVICES: whole}) == [OK]
    assert check("1.37.1", {DEVICES: blanked}) == [
        ("INFO", DEVICES, "its checksum is not verified: a dump leaves out what device plugins answered")
    ]
    damaged = whole.replace('"Checksum":', '"Checksum":1')
    assert [state for state, *_ in check("1.37.1", {DEVICES: damaged})] == ["WARN"]
