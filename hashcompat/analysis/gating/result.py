"""What a gate found: each line of the policy, and each container that is not kept."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from hashcompat.core.errors import ExitCode
from hashcompat.core.model.escape import count, never_compared
from hashcompat.core.model.items import Item
from hashcompat.core.model.making import Making
from hashcompat.core.model.plan import Plan
from hashcompat.core.policies.exceptions import Exemption
from hashcompat.core.policies.policy import Policy


class Outcome(StrEnum):
    """What comes of a line of the policy, and of the whole gate; worst first."""

    FAIL = "FAIL"
    UNDECIDED = "UNDECIDED"
    PASS = "PASS"  # noqa: S105 - no password


class Standing(StrEnum):
    """How a container counts that is not kept."""

    VIOLATION = "VIOLATION"
    """It is part of what a line of the policy does not allow."""
    UNDECIDED = "UNDECIDED"
    """Its verdict is UNKNOWN, which the policy does not allow; after the upgrade: what became of it is not
    known."""
    ALLOWED = "ALLOWED"
    """It is within every limit, or of a verdict that the policy does not name."""
    EXCEPTED = "EXCEPTED"
    """An exception covers it."""
    BASELINE = "BASELINE"
    """An earlier plan has it already."""
    SURPRISE = "SURPRISE"
    """After the upgrade: it is not as the plan predicted."""
    UNPREDICTED = "UNPREDICTED"
    """After the upgrade: the plan predicted nothing, for its verdict was UNKNOWN."""
    CHANGED = "CHANGED"
    """After the upgrade: its pod or itself changed for another reason, so the plan is not about it."""
    AS_PREDICTED = "AS_PREDICTED"
    """After the upgrade: it is as the plan predicted."""

    __hash__ = str.__hash__  # that of Enum is a function in Python, and reports count standings


class Whole(msgspec.Struct, frozen=True):
    """The containers of a plan, an owner or a node: a percentage is of those that are compared."""

    compared: int = 0
    not_compared: int = 0

    def __str__(self) -> str:
        return f"{count(self.compared, 'running container')}{never_compared(self.not_compared)}"


def whole_of(items: Sequence[Item]) -> Whole:
    """Return how many of some containers are compared, and how many are not."""
    compared = sum(item.compared for item in items)
    return Whole(compared, len(items) - compared)


class Line(msgspec.Struct, frozen=True):
    """One line of the policy, judged."""

    key: str
    """The key of the policy file, ``max-restarts``; of ``fail-on`` with the word, ``fail-on restart``."""
    subject: str
    """What it is about, where it is not everything: an owner, a node, a check."""
    found: int
    allowed: int
    noun: str
    """What is counted, in the plural where it is not one."""
    outcome: Outcome
    why: str = ""
    """What is shown in place of the numbers; empty for these."""
    limit: str = ""
    """The percentage that is allowed, as it was given; empty where a number is."""
    whole: Whole | None = None
    """What that is a part of."""

    def __str__(self) -> str:
        about = f"{self.subject}: " if self.subject else ""
        part = f" ({self.limit} of {self.whole})" if self.whole else ""
        return f"{self.key}: {about}{self.why or f'{self.found} {self.noun}, allowed {self.allowed}{part}'}"


class Judged(msgspec.Struct, frozen=True, gc=False):
    """One container that is not kept."""

    item: Item
    standing: Standing
    exemption: Exemption | None = None
    seen: str = ""
    """What became of it, in words; empty before the upgrade."""


class GateResult(msgspec.Struct, frozen=True):
    """A plan, judged by a policy."""

    plan: Plan
    policy: Policy
    lines: tuple[Line, ...]
    """Each line of the policy; of limits for owners and nodes those that are exceeded, or the fullest one."""
    judged: tuple[Judged, ...]
    """The containers that are not kept, in the order of the plan; after the upgrade all of its nodes'."""
    warnings: tuple[str, ...] = ()
    """What is wrong with exceptions, and which pods the plan lacks, one line each."""
    after: bool = False
    """Whether it compares the plan with what was seen after the upgrade."""
    making: Making = Making()
    """What judged it, and when."""

    @property
    def whole(self) -> Whole:
        """The containers of the plan."""
        return whole_of(self.plan.items)

    @property
    def deciding(self) -> Line:
        """The line of the policy that decided: the first of the worst ones."""
        return min(self.lines, key=lambda line: [*Outcome].index(line.outcome))

    @property
    def outcome(self) -> Outcome:
        """What comes of it, whether it is only reported or not."""
        return self.deciding.outcome

    @property
    def exit_code(self) -> ExitCode:
        """What the command exits with."""
        return ExitCode.OK if self.policy.report_only else _CODES[self.outcome]


_CODES = {
    Outcome.FAIL: ExitCode.FINDING,
    Outcome.UNDECIDED: ExitCode.UNDECIDED,
    Outcome.PASS: ExitCode.OK,
}
