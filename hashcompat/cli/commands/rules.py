"""``hashcompat rules``: the reasons behind verdicts and the checks of nodes, one by one."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Annotated, Final

from hashcompat.cli import output
from hashcompat.cli.args.declare import argument
from hashcompat.cli.args.declare import command as declared
from hashcompat.cli.args.output import Shown, shows
from hashcompat.errors import UsageError
from hashcompat.preflight.registry import CHECKS
from hashcompat.report.rules import RULES
from hashcompat.rules import RULES as REASONS
from hashcompat.rules import Rule, RuleList

_EVERY: Final = (*REASONS, *(check.rule for check in CHECKS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """What ``rules`` is asked."""

    ids: tuple[str, ...] = argument(nargs=-1, metavar="[RULE...]")
    shown: Annotated[Shown, shows(RULES)]


@declared("rules", Arguments, short_help="List the rules behind verdicts and the checks of nodes.")
def command(given: Arguments) -> None:
    """List the rules behind verdicts and the checks of preflight: the stable id, what it means, its source.

    With RULE, such as HC004 or PF-103: that one alone.
    """
    output.show(RULES, RuleList(_chosen(given.ids)), given.shown)


def _chosen(ids: tuple[str, ...]) -> tuple[Rule, ...]:
    known = {rule.id: rule for rule in _EVERY}
    for name in ids:
        if name.upper() not in known:
            near = get_close_matches(name.upper(), known, n=3) or [_EVERY[0].id, _EVERY[-1].id]
            raise UsageError(f"no rule {name!r}; near it: {', '.join(near)}")
    wanted = {name.upper() for name in ids} or known.keys()
    return tuple(rule for rule in _EVERY if rule.id in wanted)
