"""Files of variables are found in units and drop-ins, and no pattern is taken for a name."""

from __future__ import annotations

from pathlib import Path

import pytest

from hashcompat.core.errors import InputError
from hashcompat.sources.node.kubelets import program, variables
from hashcompat.sources.node.root import Root
from tests.helpers.hostproc import write

UNIT = "[Service]\nEnvironmentFile=/etc/a.env\n  EnvironmentFile = -/etc/b.env \n#EnvironmentFile=/etc/c\n"
PATTERNS = (
    "EnvironmentFile=-/etc/*.env\nEnvironmentFile=/etc/%i\nEnvironmentFile=relative\nEnvironmentFile=\n"
)


def test_files_of_variables(tmp_path: Path) -> None:
    write(tmp_path, "usr/local/lib/systemd/system/kubelet.service", UNIT)
    write(tmp_path, "etc/systemd/system/kubelet.service.d/1.conf", f"{PATTERNS}EnvironmentFile=/etc/d.env\n")
    write(tmp_path, "etc/systemd/system/kubelet.service.d/2.txt", "EnvironmentFile=/etc/e.env\n")
    assert list(variables(Root(tmp_path))) == ["/etc/d.env", "/etc/a.env", "/etc/b.env"]


def test_a_node_without_units(tmp_path: Path) -> None:
    assert list(variables(Root(tmp_path))) == []


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, ""),
        ({"usr/lib kubelet.service": "[Service]\nExecStart=/a\n"}, "/a"),
        (
            {"usr/lib kubelet.service": "ExecStart=/a\n[Unit]\nExecStart=/b\n[Service]\nExecStart=/c x\n"},
            "/c",
        ),
        ({"usr/lib kubelet.service": "[Service]\nExecStart=/a\n", "etc kubelet.service": "[Service]\n"}, ""),
        ({"usr/lib kubelet.service": "[Service]\nExecStart = -+!/a b\n"}, "/a"),
        ({"usr/lib kubelet.service": '[Service]\nExecStart=\\\n# no\n  "/a b" \\\n --v=2\n'}, "/a b"),
        (
            {
                "usr/lib kubelet.service": "[Service]\nExecStart=/a\n",
                "usr/lib kubelet.service.d/2.conf": "[Service]\nExecStart=\nExecStart=/lib2\n",
                "etc kubelet.service.d/1.conf": "[Service]\nExecStart=\nExecStart=/etc1\n",
            },
            "/lib2",
        ),
        (
            {
                "usr/lib kubelet.service": "[Service]\nExecStart=/a\n",
                "usr/lib kubelet.service.d/1.conf": "[Service]\nExecStart=\nExecStart=/lib1\n",
                "etc kubelet.service.d/1.conf": "[Service]\nExecStart=\nExecStart=/etc1\n",
                "etc kubelet.service.d/2.txt": "[Service]\nExecStart=\nExecStart=/no\n",
            },
            "/etc1",
        ),
    ],
)
def test_the_program_of_a_unit(tmp_path: Path, files: dict[str, str], expected: str) -> None:
    for path, text in files.items():
        place, name = path.split(" ")
        write(tmp_path, f"{place}/systemd/system/{name}", text)
    assert program(Root(tmp_path), "kubelet.service") == expected


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("ExecStart=/a\nExecStart=/b", "more than one program"),
        ("ExecStart=%t/a", "no program without variables"),
        ("ExecStart=$A", "no program without variables"),
        ('ExecStart="/a', "no program without variables"),
        ("ExecStart=@", "no program without variables"),
    ],
)
def test_units_that_name_no_program(tmp_path: Path, line: str, why: str) -> None:
    write(tmp_path, "etc/systemd/system/kubelet.service", f"[Service]\n{line}\n")
    with pytest.raises(InputError, match=why):
        program(Root(tmp_path), "kubelet.service")


def test_a_unit_that_others_can_write_names_nothing(tmp_path: Path) -> None:
    write(
        tmp_path, "etc/systemd/system/kubelet.service", "[Service]\nExecStart=/a\nEnvironmentFile=/e\n", 0o666
    )
    with pytest.raises(InputError, match="writable by others"):
        program(Root(tmp_path), "kubelet.service")
    assert list(variables(Root(tmp_path))) == []
