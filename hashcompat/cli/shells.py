"""Completion as shells and kubectl ask for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import click
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

from hashcompat.core.errors import UsageError

VARIABLE: Final = "_HASHCOMPAT_COMPLETE"
"""The environment variable by which a shell's script asks for completions; named as click names it."""
_PROGRAM: Final = "hashcompat"


class _Fish(FishComplete):
    """Click's own script splits at every comma, and so cuts a list of releases."""

    source_template = FishComplete.source_template.replace('string split ","', 'string split -m 1 ","')


SHELLS: Final[Mapping[str, type[ShellComplete]]] = {"bash": BashComplete, "zsh": ZshComplete, "fish": _Fish}


def script(shell: str, root: click.Command) -> str:
    """Return what a shell has to read once."""
    return SHELLS[shell](root, {}, _PROGRAM, VARIABLE).source()


def answer(instruction: str, root: click.Command) -> str:
    """Return what a script asks for by ``bash_complete`` and the like; the words are in the environment.

    Raises UsageError where no script of this program asks.
    """
    made = SHELLS.get(instruction.removesuffix("_complete"))
    completion = made(root, {}, _PROGRAM, VARIABLE) if made else None
    if completion is None or not _is_asked(completion):
        raise UsageError(
            f"{VARIABLE}={instruction} is not what the scripts of 'hashcompat completion' set; unset it"
        )
    return completion.complete()


def _is_asked(completion: ShellComplete) -> bool:
    """Return whether the environment holds the words, and the number of the one that is completed."""
    try:
        completion.get_completion_args()
    except (KeyError, ValueError):
        return False
    return True


_DIRECTIVES: Final[Mapping[str, int]] = {"plain": 4, "file": 0, "dir": 16}
"""By cobra's ShellCompDirective: candidates alone, files, directories."""


def kubectl_answer(root: click.Command, words: Sequence[str]) -> Iterator[str]:
    """Yield candidates for the last of some words, each with a tab and its help, and kubectl's directive.

    Source: k8s.io/kubectl/pkg/cmd/plugin/plugin_completion.go (kubernetes/kubernetes#105867).
    """
    *before, incomplete = words or [""]
    candidates = ShellComplete(root, {}, "kubectl hashcompat", "").get_completions(before, incomplete)
    plain = [item for item in candidates if item.type == "plain"]
    yield from (f"{item.value}\t{item.help}" if item.help else item.value for item in plain)
    yield f":{_DIRECTIVES[candidates[0].type if candidates and not plain else 'plain']}"
