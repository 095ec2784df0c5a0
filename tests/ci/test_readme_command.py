"""What CI takes from README and quick start is what they print."""

from __future__ import annotations

import runpy
import subprocess
import sys
from typing import Final

import pytest

from tests.helpers.program import ROOT

PROGRAM: Final = ROOT / ".ci" / "readme_command.py"
quick_start = runpy.run_path(str(PROGRAM))["quick_start"]
PAGE: Final = """\
<!-- needs: a cluster -->
```sh
a
```

```sh
b
c
```

<!-- stops -->
```sh
false
```
"""


def test_a_gate_that_stops_has_to_and_what_needs_a_cluster_is_left_out() -> None:
    *plain, gate = quick_start(PAGE)
    assert plain == ["b\nc"]
    for text, code in ((gate, 1), (gate.replace("false", "(exit 2)"), 0), (gate.replace("false", "true"), 1)):
        assert subprocess.run(["bash", "-euc", text], check=False).returncode == code


def test_a_mark_without_a_meaning_is_an_error() -> None:
    with pytest.raises(ValueError, match="later: no such mark"):
        list(quick_start("<!-- later -->\n```sh\na\n```\n"))


def test_all_commands_of_the_quick_start_are_printed() -> None:
    command = [sys.executable, str(PROGRAM), "setup", "quick-start"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert printed[0].startswith("python3 -m venv .venv && ")
    assert [line.split()[0] for line in printed[1:]] == ["hashcompat"] * 3 + ["code=0;", "hashcompat"] * 2
