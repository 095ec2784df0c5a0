"""``hashcompat rules``: the reasons behind verdicts and the checks of nodes, all or some with their pages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Final

from hashcompat.cli import output
from hashcompat.cli.args.declare import argument, group
from hashcompat.cli.args.declare import command as declared
from hashcompat.cli.args.output import Shown, shows
from hashcompat.core.errors import UsageError
from hashcompat.core.rules import Rule
from hashcompat.core.rules.pages import CHECKS, RuleList, every
from hashcompat.output.report.rules import PAGES, RULES

_ID: Final = re.compile(r"(HC|PF)[-_ ]?(\d{1,3})", re.IGNORECASE)
"""An id as people write it: ``hc4``, ``HC-004``, ``pf103``."""


@group
class Arguments:
    """What ``rules`` is asked."""

    ids: tuple[str, ...] = argument(nargs=-1, metavar="[RULE...]")
    shown: Annotated[Shown, shows(RULES, PAGES)]


@declared("rules", Arguments, short_help="List the rules behind verdicts and the checks of nodes.")
def command(arguments: Arguments) -> None:
    """List the rules behind verdicts and the checks of preflight by their stable ids.

    With RULE, such as HC004 or PF-103: what it means, how to confirm it on a node, how to avoid it, since
    which release it occurs, and the upstream change.
    """
    known = {rule.id: rule for rule in (*every(), *every(CHECKS))}
    wanted = {_known(name, known) for name in arguments.ids} or known.keys()
    chosen = RuleList(tuple(rule for name, rule in known.items() if name in wanted))
    output.show(PAGES if arguments.ids else RULES, chosen, arguments.shown)


def _known(name: str, known: Mapping[str, Rule]) -> str:
    """Return the id that is meant; raises UsageError, with the nearest ones, where there is not one."""
    match = _ID.fullmatch(name)
    meant = f"{match[1].upper()}{'-' * (match[1].upper() == 'PF')}{int(match[2]):03}" if match else name
    if meant in known:
        return meant
    raise UsageError(f"no rule {name!r}; near it: {', '.join(_near(name, meant, known))}")


def _near(name: str, meant: str, known: Mapping[str, Rule]) -> list[str]:
    """Return the ids nearest to one, or those of rules whose names have the word."""
    named = [rule.id for rule in known.values() if len(name) > 2 and name.lower() in rule.name.lower()]
    first, *_, last = known
    return named[:3] or get_close_matches(meant.upper(), known, n=3) or [first, last]
