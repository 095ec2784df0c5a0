"""A rule and its page, as values: what it means, how to confirm and how to avoid it, since which release."""

from __future__ import annotations

import msgspec


class Step(msgspec.Struct, frozen=True):
    """Something to do, or to know."""

    text: str
    """What the command shows or does, or the advice itself; a colon ends it where a command follows."""
    command: str = ""
    """A command for a shell, in one line; words in capitals are to be replaced."""


class Rows(msgspec.Struct, frozen=True):
    """Rows of the release data that have releases: all of a list, or those with one value."""

    table: str
    """The file of schemas/tables, without ``.json``."""
    at: tuple[str, ...] = ()
    """The keys that lead to the list, or to one row."""
    field: str = ""
    """The field that decides; empty where every row counts."""
    value: object = None
    """The value that the field has in the rows that count."""
    unlike: bool = False
    """Whether the rows count in which the field has any other value."""


class Since(msgspec.Struct, frozen=True):
    """In which releases a rule can be a reason."""

    note: str
    """Which kubelet's or API server's releases they are, and what changes there."""
    rows: tuple[Rows, ...] = ()
    """The rows with the releases."""
    within: tuple[Rows, ...] = ()
    """Rows outside whose releases it cannot occur; none where nothing else limits it."""
    begins: bool = False
    """Whether it occurs only where a row begins, between that release and the one before."""
    releases: str = ""
    """The releases in words, where no data decides them."""


class Rule(msgspec.Struct, frozen=True):
    """One rule, which the reasons of a plan cite by its id, or one check of preflight."""

    id: str
    """The stable id, ``HC001``; an id is never reused."""
    name: str
    """The rule in a few words."""
    meaning: str
    """What is the case, in one or two sentences."""
    source: str
    """A file of Kubernetes or a pull request; empty where the rule is about the input, not about
    Kubernetes."""
    effect: str = ""
    """What follows for whoever is on call: what happens, when, and to which containers."""
    confirm: tuple[Step, ...] = ()
    """How to see on a node or in the cluster that it is so; the commands change nothing."""
    avoid: tuple[Step, ...] = ()
    """How to keep it from happening, or how to turn UNKNOWN into a verdict."""
    since: Since | None = None
    """The releases in which it can occur; None for a check, whose meaning names them."""
    links: tuple[str, ...] = ()
    """Upstream's pull requests and files."""
