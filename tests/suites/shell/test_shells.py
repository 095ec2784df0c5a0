"""Completion in real shells."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.helpers.program import SCRIPTS, Run

pytestmark = pytest.mark.shell

CASES = [
    ("hashcompat expl", ["explain"]),
    ("hashcompat plan --from 1.9.1", ["1.9.11", "1.9.10", "1.9.1"]),
    ("hashcompat plan --from a", ["auto"]),
    ("hashcompat hash --kubelet 1.7.16,1.36.", [f"1.7.16,1.36.{patch}" for patch in range(9, -1, -1)]),
    ("hashcompat patch --strategy s", ["strip"]),
    (
        "hashcompat explain -o ",
        ["table", "json", "yaml", "html", "custom-columns", "jsonpath", "slack", "summary", "teams"],
    ),
    ("hashcompat rules HC00", [f"HC00{number}" for number in range(1, 10)]),
    ("hashcompat help ver", ["verify", "version"]),
    ("hashcompat completion ", ["bash", "zsh", "fish"]),
]
SHELLS = {
    "bash": """
source <(hashcompat completion bash)
COMP_WORDS=($LINE); [[ $LINE == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=()
_hashcompat_completion hashcompat; printf '%s\\n' "${COMPREPLY[@]}"
""",
    "zsh": """
autoload -Uz compinit; compinit -u -d "$HOME/dump"
compadd() { print -rl -- "${(@P)@[-1]}" }; _describe() { print -rl -- "${(@P)3}" }
source <(hashcompat completion zsh)
words=(${(z)LINE}); [[ $LINE == *" " ]] && words+=("")
CURRENT=${#words}; _hashcompat_completion
""",
    "fish": """
hashcompat completion fish | source
complete -C "$LINE"
""",
}


@pytest.fixture
def known(run: Run) -> list[str]:
    return run("releases", "-o", "name").out.split()


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(("line", "wanted"), CASES, ids=[line for line, _ in CASES])
def test_a_shell_completes(
    tmp_path: Path, known: list[str], shell: str, line: str, wanted: list[str]
) -> None:
    """CI installs all three shells; a candidate's help follows it after a tab or a colon."""
    program = shutil.which(shell)
    assert program, f"{shell} is missing: apt-get install {shell}"
    done = subprocess.run(
        [program, "-c", SHELLS[shell]],
        env={"PATH": f"{SCRIPTS}:{os.environ['PATH']}", "HOME": str(tmp_path), "LINE": line},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    names = [name.partition("\t")[0].partition(":")[0] for name in done.stdout.splitlines()]
    candidates = [name for name in names if not name.startswith("1.7.16,") or name.split(",")[1] in known]
    expected = [name for name in wanted if not name.startswith("1.7.16,") or name.split(",")[1] in known]
    assert (sorted(candidates), done.stderr) == (sorted(expected), "")
