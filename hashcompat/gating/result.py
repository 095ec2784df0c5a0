"""What a gate found: each line of the policy, and each container that is not kept."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from hashcompat.errors import ExitCode
from hashcompat.gating.exceptions import Exemption
from hashcompat.gating.policy import Policy
from hashcompat.model.plan import Item, Plan


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
    """Its verdict is UNKNOWN, which the policy does not allow."""
    ALLOWED = "ALLOWED"
    """It is within every limit, or of a verdict that the policy does not name."""
    EXCEPTED = "EXCEPTED"
    """An exception covers it."""
    BASELINE = "BASELINE"
    """An earlier plan has it already."""


@dataclass(frozen=True, slots=True)
class Line:
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

    def __str__(self) -> str:
        about = f"{self.subject}: " if self.subject else ""
        return f"{self.key}: {about}{self.found} {self.noun}, allowed {self.allowed}"


@dataclass(frozen=True, slots=True)
class Judged:
    """One container that is not kept."""

    item: Item
    standing: Standing
    exemption: Exemption | None = None


@dataclass(frozen=True, slots=True)
class GateResult:
    """A plan, judged by a policy."""

    plan: Plan
    policy: Policy
    lines: tuple[Line, ...]
    """Each line of the policy; of limits for owners and nodes those that are exceeded, or the fullest one."""
    judged: tuple[Judged, ...]
    """The containers that are not kept, in the order of the plan."""
    warnings: tuple[str, ...] = ()
    """What is wrong with exceptions, one line each."""

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
