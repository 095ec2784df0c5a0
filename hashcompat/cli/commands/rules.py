"""``hashcompat rules``: the reasons behind verdicts, one by one."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Annotated

from hashcompat.cli import output
from hashcompat.cli.args.declare import argument
from hashcompat.cli.args.declare import command as declared
from hashcompat.cli.args.output import Shown, shows
from hashcompat.errors import UsageError
from hashcompat.report.rules import RULES
from hashcompat.rules import RULES as EVERY_RULE
from hashcompat.rules import Rule, RuleList


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """What ``rules`` is asked."""

    ids: tuple[str, ...] = argument(nargs=-1, metavar="[RULE...]")
    shown: Annotated[Shown, shows(RULES)]


@declared("rules", Arguments, short_help="List the rules behind verdicts by their ids.")
def command(given: Arguments) -> None:
    """List the rules behind verdicts: the stable id, what it means, and its source in Kubernetes.

    With RULE, such as HC004: that one alone.
    """
    output.show(RULES, RuleList(_chosen(given.ids)), given.shown)


def _chosen(ids: tuple[str, ...]) -> tuple[Rule, ...]:
    known = {rule.id: rule for rule in EVERY_RULE}
    for name in ids:
        if name.upper() not in known:
            near = get_close_matches(name.upper(), known, n=3) or [EVERY_RULE[0].id, EVERY_RULE[-1].id]
            raise UsageError(f"no rule {name!r}; near it: {', '.join(near)}")
    wanted = {name.upper() for name in ids} or known.keys()
    return tuple(rule for rule in EVERY_RULE if rule.id in wanted)
