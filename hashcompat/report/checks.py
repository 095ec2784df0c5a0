"""The checks of preflight: each as a rule with a page, and the reference page of all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import structs

from hashcompat.preflight import CHECKS
from hashcompat.preflight.checks import Check, Need
from hashcompat.report.rulepages import anchored
from hashcompat.rules import Rule, Step, anchor

_TITLE: Final = "# Checks of preflight"

_INTRODUCTION: Final = (
    "What `hashcompat preflight` looks for; see [preflight](preflight.md). Ids are stable: a check keeps its "
    "id, and an id is never reused. `hashcompat rules PF-103` prints one of them."
)

_REFERENCE: Final = re.compile(r"(?:(?<![\w.-])([\w.-]++/[\w.-]++))?#(\d+)")
"""An issue or pull request; without a repository it is of the one before."""

_DUMP: Final = "hashcompat collector --preflight | ssh NODE sudo sh > NODE.json"

_ON_NODE: Final = (
    Step("On the node:", "hashcompat preflight --to NEW"),
    Step("Or, without Python there, read the node first:", _DUMP),
    Step("and check what was read:", "hashcompat preflight --to NEW --dump NODE.json"),
)

_BY_BOTH: Final = (
    Step("Read the node:", _DUMP),
    Step("and the cluster's objects:", "kubectl get nodes,pods --all-namespaces -o json > CLUSTER.json"),
    Step("and check both together:", "hashcompat preflight --to NEW --dump NODE.json -f CLUSTER.json"),
)

_BY_PLAN: Final = (
    Step(
        "By a plan of the same upgrade and the cluster's objects:",
        "hashcompat preflight --to NEW --from OLD --no-node",
    ),
)

_BY_OBJECTS: Final = (Step("By the cluster's objects alone:", "hashcompat preflight --to NEW --no-node"),)


def paged(check: Check) -> Rule:
    """Return a check's rule with all that its page has."""
    accepted = f"hashcompat preflight --to NEW --ignore-preflight-errors {check.rule.id}"
    return structs.replace(
        check.rule,
        confirm=(
            Step(f"What is read: {'; '.join(check.reads)}."),
            *(step for need in check.needs for step in _made_by(need)),
        ),
        avoid=(
            Step("The finding names the object and what to do about it."),
            Step("Where that is accepted as it is, let it count as a warning:", accepted),
        ),
        links=tuple(_links(check.rule.source)),
    )


def _made_by(need: frozenset[Need]) -> tuple[Step, ...]:
    if Need.PLAN in need:
        return _BY_PLAN
    if need == {Need.NODE, Need.OBJECTS}:
        return _BY_BOTH
    return _BY_OBJECTS if need == {Need.OBJECTS} else _ON_NODE


def _links(source: str) -> Iterator[str]:
    """Yield the addresses of the issues and pull requests that a source names."""
    repository = ""
    for found in _REFERENCE.finditer(source):
        repository = found[1] or repository
        yield f"https://github.com/{repository}/issues/{found[2]}"


def checks_markdown() -> str:
    """Return the reference page docs/preflight-checks.md."""
    parts = [_TITLE, _INTRODUCTION, _table()]
    for check in CHECKS:
        rule = check.rule
        parts += [*anchored(rule), rule.meaning, f"Reads: {'; '.join(check.reads)}."]
        parts += [f"Made with: {_needs(check)}.", f"Source: {rule.source}"]
    return "\n\n".join(parts) + "\n"


def _table() -> str:
    rows = [
        f"| [{check.rule.id}](#{anchor(check.rule.id)}) | {check.rule.name} | {_needs(check)} |"
        for check in CHECKS
    ]
    return "\n".join(["| check | what | made with |", "|---|---|---|", *rows])


def _needs(check: Check) -> str:
    """Say what a run has to be given for a check to be made."""
    ways = [" and ".join(sorted(need)) for need in check.needs]
    return ", or ".join(way or "any run" for way in ways)
