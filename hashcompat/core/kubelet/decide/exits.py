"""What becomes of a container that ended, by its exit code, its policy and its rules.

Source: pkg/api/v1/pod/util.go ``ContainerShouldRestart`` and ``FindMatchingContainerRestartRule``,
pkg/kubelet/container/helpers.go ``ShouldContainerBeRestarted`` and ``ShouldAllContainersRestart`` (1.35.8,
1.36.5 and 1.37.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from hashcompat.core.go.jsonpath import mapping, rows
from hashcompat.core.model.pods import Container

RESTART_ALL: Final = "RestartAllContainers"

_OTHER_CODE: Final = 256
"""Stands for an exit code that no rule names, and that is not 0."""


class Rules(NamedTuple):
    """Which feature gates of a kubelet are on that give containers restart policies of their own."""

    own: bool
    """ContainerRestartRules."""
    all: bool
    """RestartAllContainersOnContainerExits."""


def exit_codes(container: Container) -> list[int]:
    """Return the exit codes that a container may have ended with; none where it has not."""
    if container.running is not False or container.ended is None or not container.ended.final:
        return []
    if container.ended.code is not None:
        return [container.ended.code]
    return [0, *(code for rule in _rules(container.spec) for code in _codes(rule)), _OTHER_CODE]


def starts_again(spec: Mapping[str, Any], policy: str, code: int, rules: Rules) -> bool:
    """Return whether a kubelet starts a container again that ended with an exit code."""
    own = spec.get("restartPolicy") if rules.own else None
    if own is not None:
        action = action_of(spec, code)
        if action == "Restart" or (action == RESTART_ALL and rules.all):
            return True
    policy = own if own in ("Always", "OnFailure", "Never") else policy
    return policy != "Never" and (policy != "OnFailure" or code != 0)


def action_of(spec: Mapping[str, Any], code: int) -> str:
    """Return what the first rule that an exit code matches does; empty for none."""
    for rule in _rules(spec):
        operator = mapping(rule.get("exitCodes")).get("operator")
        if operator in ("In", "NotIn") and (code in _codes(rule)) == (operator == "In"):
            return str(rule.get("action"))
    return ""


def _rules(spec: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [rule for rule in rows(spec, "restartPolicyRules") if isinstance(rule, Mapping)]


def _codes(rule: Mapping[str, Any]) -> list[int]:
    return [code for code in rows(mapping(rule.get("exitCodes")), "values") if type(code) is int]
