"""Files of variables are found in units and drop-ins, and no pattern is taken for a name."""

from __future__ import annotations

from pathlib import Path

from hashcompat.sources.node.root import Root
from hashcompat.sources.node.unitfiles import variables

UNIT = "[Service]\nEnvironmentFile=/etc/a.env\n  EnvironmentFile = -/etc/b.env \n#EnvironmentFile=/etc/c\n"
PATTERNS = (
    "EnvironmentFile=-/etc/*.env\nEnvironmentFile=/etc/%i\nEnvironmentFile=relative\nEnvironmentFile=\n"
)


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def test_files_of_variables(tmp_path: Path) -> None:
    write(tmp_path, "usr/local/lib/systemd/system/kubelet.service", UNIT)
    write(tmp_path, "etc/systemd/system/kubelet.service.d/1.conf", f"{PATTERNS}EnvironmentFile=/etc/d.env\n")
    write(tmp_path, "etc/systemd/system/kubelet.service.d/2.txt", "EnvironmentFile=/etc/e.env\n")
    assert list(variables(Root(tmp_path))) == ["/etc/d.env", "/etc/a.env", "/etc/b.env"]


def test_a_node_without_units(tmp_path: Path) -> None:
    assert list(variables(Root(tmp_path))) == []
