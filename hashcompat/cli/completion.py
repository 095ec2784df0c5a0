"""The values that a shell completes: releases and short names of them, alone or in lists, rule ids, files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final

import click

from hashcompat.core.release import LATEST

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_AUTO: Final = "auto"
Completer = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]


def _releases(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete a known release or minor, with or without its ``v``, or ``latest``."""
    lead = "v" if incomplete.startswith("v") else ""
    return _items([LATEST, *(f"{lead}{name}" for name in _known())], incomplete)


def _releases_or_auto(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete what is a release, or ``auto``."""
    return [*_items([_AUTO], incomplete), *_releases(context, parameter, incomplete)]


def _release_list(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the last release of ``RELEASE[,RELEASE...]``."""
    before, comma, _ = incomplete.rpartition(",")
    return _items((f"{before}{comma}{name}" for name in (LATEST, *_known())), incomplete)


def _rule_ids(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the id of a rule or of a check, with its name."""
    from hashcompat.core.rules import CHECKS, every

    wanted, rules = incomplete.upper(), (*every(), *every(CHECKS))
    return [_item(rule.id, help=rule.name) for rule in rules if rule.id.startswith(wanted)]


def _check_list(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the last id of ``CHECK[,CHECK...]``, or ``all``."""
    from hashcompat.analysis.preflight import CHECKS, EVERY

    before, comma, _ = incomplete.rpartition(",")
    ids = (f"{before}{comma}{check.id}" for check in CHECKS)
    return _items([*([] if comma else [EVERY]), *ids], incomplete)


def _commands(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete a command's name."""
    root = context.find_root()
    names = root.command.list_commands(root) if isinstance(root.command, click.Group) else []
    return _items(names, incomplete)


def _directories(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Let the shell complete a directory."""
    return [_item(incomplete, type="dir")]


def _files(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete a file."""
    return [_item(incomplete, type="file")]


def _files_and_releases(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete a release, and let the shell complete a file."""
    return [*_releases(context, parameter, incomplete), *_files(context, parameter, incomplete)]


def _known() -> list[str]:
    """Return the minors, which mean their newest releases, and the releases; newest first."""
    from hashcompat.core.catalog.lookup import default_catalog

    known = default_catalog().known
    return [*reversed(known.minors), *reversed(known.names)]


def _items(values: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [_item(value) for value in values if value.startswith(incomplete)]


def _item(value: str, **more: str) -> CompletionItem:
    from click.shell_completion import (
        CompletionItem,  # every command imports this module, to be asked by shells
    )

    return CompletionItem(value, **more)


BY_METAVAR: Final[Mapping[str, Completer]] = {
    "RELEASE": _releases,
    "RELEASE|auto": _releases_or_auto,
    "RELEASE[,RELEASE...]": _release_list,
    "[RULE...]": _rule_ids,
    "CHECK[,CHECK...]|all": _check_list,
    "[COMMAND [PART]]": _commands,
    "DIR": _directories,
    "DIR|URL": _directories,
    "SOURCE...": _directories,
    "[PATH...]": _directories,
    "FILE": _files,
    "FILE|DIR": _files,
    "FILE|none": _files,
    "FILE|DIR|URL|-": _files,
    "FILE|URL": _files,
    "FILE|RELEASE": _files_and_releases,
    "FILE|configmap:NAMESPACE/NAME": _files,
}
"""What completes a value, by the word that ``--help`` shows for it."""
