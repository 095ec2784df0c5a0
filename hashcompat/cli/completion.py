"""Completion as shells and kubectl ask for it, and the values that they complete.

Every command imports this module for its options, and few runs complete anything: what click has for that is
imported where it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import click

from hashcompat.core.errors import UsageError
from hashcompat.core.release import LATEST

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem, ShellComplete

Completer = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]


def _among(values: Callable[[str], Iterable[str]]) -> Completer:
    """Return what completes one of some values, which may depend on what is typed already."""

    def complete(
        _context: click.Context, _parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return [_item(value) for value in values(incomplete) if value.startswith(incomplete)]

    return complete


def _by_shell(kind: str) -> Completer:
    """Let the shell complete what is a ``file`` or a ``dir``."""
    return lambda _context, _parameter, incomplete: [_item(incomplete, type=kind)]


def _releases(typed: str) -> list[str]:
    """Return the known releases and minors, with or without their ``v``, and ``latest``."""
    lead = "v" if typed.startswith("v") else ""
    return [LATEST, *(f"{lead}{name}" for name in _release_names())]


def _in_list(typed: str, names: Iterable[str]) -> list[str]:
    """Return names as the last one of ``NAME[,NAME...]``."""
    before, comma, _ = typed.rpartition(",")
    return [f"{before}{comma}{name}" for name in names]


def _checks(typed: str) -> list[str]:
    """Return the ids of checks as the last one of ``CHECK[,CHECK...]``, or ``all``."""
    from hashcompat.analysis.preflight import ALL, CHECKS

    return [*([] if "," in typed else [ALL]), *_in_list(typed, (check.id for check in CHECKS))]


def _files_and_releases(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete a release, and let the shell complete a file."""
    return [*_among(_releases)(context, parameter, incomplete), _item(incomplete, type="file")]


def _rule_ids(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the id of a rule or of a check, with its name."""
    from hashcompat.core.rules import CHECKS, all_rules

    wanted, rules = incomplete.upper(), (*all_rules(), *all_rules(CHECKS))
    return [_item(rule.id, help=rule.name) for rule in rules if rule.id.startswith(wanted)]


def _commands(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete a command's name."""
    root = context.find_root()
    names = root.command.list_commands(root) if isinstance(root.command, click.Group) else []
    return [_item(name) for name in names if name.startswith(incomplete)]


def _release_names() -> list[str]:
    """Return the minors, which mean their newest releases, and the releases; newest first."""
    from hashcompat.core.catalog.lookup import default_catalog

    releases = default_catalog().known
    return [*reversed(releases.minors), *reversed(releases.names)]


def _item(value: str, **more: str) -> CompletionItem:
    from click.shell_completion import CompletionItem

    return CompletionItem(value, **more)


BY_METAVAR: Final[Mapping[str, Completer]] = {
    "RELEASE": _among(_releases),
    "RELEASE|auto": _among(lambda typed: ["auto", *_releases(typed)]),
    "RELEASE[,RELEASE...]": _among(lambda typed: _in_list(typed, (LATEST, *_release_names()))),
    "[RULE...]": _rule_ids,
    "CHECK[,CHECK...]|all": _among(_checks),
    "[COMMAND [PART]]": _commands,
    **dict.fromkeys(("DIR", "DIR|URL", "SOURCE...", "[PATH...]"), _by_shell("dir")),
    **dict.fromkeys(("FILE", "FILE|DIR", "FILE|none", "FILE|DIR|URL|-", "FILE|URL"), _by_shell("file")),
    "FILE|RELEASE": _files_and_releases,
    "FILE|configmap:NAMESPACE/NAME": _by_shell("file"),
}


# Completion as shells and kubectl ask for it.

VARIABLE: Final = "_HASHCOMPAT_COMPLETE"
"""The environment variable by which a shell's script asks for completions; named as click names it."""
SHELLS: Final = ("bash", "zsh", "fish")
_PROGRAM: Final = "hashcompat"


def script(shell: str, root: click.Command) -> str:
    """Return what a shell has to read once."""
    return _completion(shell, root).source()


def answer(instruction: str, root: click.Command) -> str:
    """Return what a script asks for by ``bash_complete`` and the like; the words are in the environment.

    Raises UsageError where no script of this program asks.
    """
    shell = instruction.removesuffix("_complete")
    completion = _completion(shell, root) if shell in SHELLS else None
    if completion is None or not _is_asked(completion):
        raise UsageError(
            f"{VARIABLE}={instruction} is not what the scripts of 'hashcompat completion' set; unset it"
        )
    return completion.complete()


def _completion(shell: str, root: click.Command) -> ShellComplete:
    from click.shell_completion import BashComplete, FishComplete, ZshComplete

    class Fish(FishComplete):
        """Click's own script splits at every comma, and so cuts a list of releases."""

        source_template = FishComplete.source_template.replace('string split ","', 'string split -m 1 ","')

    kinds = {"bash": BashComplete, "zsh": ZshComplete, "fish": Fish}
    return kinds[shell](root, {}, _PROGRAM, VARIABLE)


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
    from click.shell_completion import ShellComplete

    *before, incomplete = words or [""]
    candidates = ShellComplete(root, {}, "kubectl hashcompat", "").get_completions(before, incomplete)
    plain = [item for item in candidates if item.type == "plain"]
    yield from (f"{item.value}\t{item.help}" if item.help else item.value for item in plain)
    yield f":{_DIRECTIVES[candidates[0].type if candidates and not plain else 'plain']}"
