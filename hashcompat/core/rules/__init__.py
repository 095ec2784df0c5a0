"""The rules behind verdicts: stable ids, and a page for each.

Reasons cite an id, such as ``rules.ALGORITHM``; people write ids into exceptions and dashboards, so an id is
never reused. All that people read about a rule is data: a table in the file of its subject in
``schemas/rules``, read as a ``Rule`` when a page is asked for. ``docs/rules.md`` and ``hashcompat rules``
show them; ``link`` says where. A new rule is an id here, a table there, and a test of its name.

There is one file a subject, in the folder of its kind; a table of the file is a page, under its id. Line
breaks and indents of a text are spaces. A step is a sentence, with a command or without one; a word in its
place names a step of ``steps.toml``, which several pages share.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec

from hashcompat.core.catalog.files import DataFiles, default_directory
from hashcompat.core.errors import InputError

ALGORITHM: Final = "HC001"
NOT_COMPARED: Final = "HC002"
GO_ESCAPES: Final = "HC003"
FIELD_ADDED: Final = "HC004"
FIELD_REMOVED: Final = "HC005"
FIELD_DROPPED: Final = "HC006"
STATIC_POD: Final = "HC007"
NODE_RELEASE: Final = "HC008"
NOT_DECODED: Final = "HC009"
VENDOR_GO: Final = "HC010"
NEVER_COMPARED: Final = "HC011"
RECORDED: Final = "HC012"
NOT_REPRODUCED: Final = "HC013"
NOT_CALIBRATED: Final = "HC014"
HASH_MISSING: Final = "HC015"
RUNTIME_GONE: Final = "HC016"
SANDBOX_REPLACED: Final = "HC017"
PAUSE_IMAGE: Final = "HC018"
RESIZE_POLICY: Final = "HC019"
RESIZE_GATE: Final = "HC020"
STATIC_REFUSED: Final = "HC021"
STATIC_UID: Final = "HC022"
API_DEFAULT: Final = "HC023"
ADMISSION: Final = "HC024"
STARTUP_PROBE: Final = "HC025"
FIELD_RETYPED: Final = "HC026"
SANDBOX_BROKEN: Final = "HC027"
PATCHED: Final = "HC028"
NOT_STORED: Final = "HC029"
SERVER_GATE: Final = "HC030"
OTHER_CREATOR: Final = "HC031"
CREATOR: Final = "HC032"
OTHER_NODE: Final = "HC033"
TAINT: Final = "HC034"
SIDECAR_REFUSED: Final = "HC035"
STRICT_GROUPS: Final = "HC036"
SYSCTL: Final = "HC037"
DEVICES: Final = "HC038"
QOS: Final = "HC039"
CLOSED_BUILD: Final = "HC040"
NOT_CREATED: Final = "HC041"
NODE_DISPUTED: Final = "HC042"
FEATURE_REFUSED: Final = "HC043"
NO_VOLUME: Final = "HC044"
FINISHED: Final = "HC045"
NOT_SEEN: Final = "HC046"
MANIFEST_MISSING: Final = "HC047"
ROOM: Final = "HC048"
DEADLINE: Final = "HC049"
EXIT_CODE: Final = "HC050"
HOST_PORT: Final = "HC051"
OTHER_SYSTEM: Final = "HC052"
MANAGERS: Final = "HC053"
STATE_UNKNOWN: Final = "HC054"
WAITS_FOR_SIDECAR: Final = "HC055"
PRESSURE: Final = "HC056"
PRIVILEGED: Final = "HC057"


class Advice(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Something to do, or to know."""

    text: str
    """What the command shows or does, or the advice itself; a colon ends it where a command follows."""
    command: str = ""
    """A command for a shell, in one line; words in capitals are to be replaced."""


class DataRows(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
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


class Since(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """In which releases a rule can be a reason."""

    note: str
    """Which kubelet's or API server's releases they are, and what changes there."""
    rows: tuple[DataRows, ...] = ()
    """The rows with the releases."""
    within: tuple[DataRows, ...] = ()
    """Rows outside whose releases it cannot occur; none where nothing else limits it."""
    begins: bool = False
    """Whether it occurs only where a row begins, between that release and the one before."""
    releases: str = ""
    """The releases in words, where no data decides them."""


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One rule, which the reasons of a plan cite by its id, or one check of preflight."""

    id: str
    """The stable id, ``HC001``; an id is never reused."""
    name: str
    """The rule in a few words."""
    meaning: str
    """What is the case, in one or two sentences."""
    source: str = ""
    """A file of Kubernetes or a pull request; empty where the rule is about the input, not about
    Kubernetes."""
    effect: str = ""
    """What follows for whoever is on call: what happens, when, and to which containers."""
    confirm: tuple[Advice, ...] = ()
    """How to see on a node or in the cluster that it is so; the commands change nothing."""
    avoid: tuple[Advice, ...] = ()
    """How to keep it from happening, or how to turn UNKNOWN into a verdict."""
    since: Since | None = None
    """The releases in which it can occur; None for a check, whose meaning names them."""
    links: tuple[str, ...] = ()
    """Upstream's pull requests and files."""
    reads: tuple[str, ...] = ()
    """What a check reads on a node, in words; nothing of a rule."""


SITE: Final = ""
"""The address of the source tree: ``Documentation`` of pyproject.toml without ``docs/``; empty for none."""

_PAGES: Final = {"HC": "docs/rules.md", "PF": "docs/preflight-checks.md"}


def link(rule: str) -> str:
    """Return the address of a rule's page by its id; a path in the source tree where ``SITE`` is empty.

    ``docs/rules.md#hc004`` for HC004, ``docs/preflight-checks.md#pf-103`` for PF-103. Raises KeyError for
    anything else.
    """
    return f"{SITE}{_PAGES[rule[:2]]}#{anchor(rule)}"


def anchor(rule: str) -> str:
    """Return the anchor of a rule in its page: ``hc004``."""
    return rule.lower()


# The pages, read from schemas/rules when one is asked for.

VERDICTS: Final = "verdicts"
"""The rules that reasons cite, ``HC001``."""

CHECKS: Final = "checks"
"""The checks of preflight, ``PF-001``."""

FINDINGS: Final = "findings"
"""What is found besides: by a gate of its policy, by the audit of a patch, by a comparison with records."""


def find(rule: str, kind: str = VERDICTS) -> Rule | None:
    """Return the rule of an id; None for one that is not known, as in a plan of a newer version.

    Only the file that has it is read. Raises InputError, naming the file, where that is damaged.
    """
    for path in _files(kind):
        if f"[{rule}]" in _text(path) and (entry := _read(path).get(rule)):
            return entry
    return None


def page(rule: str, kind: str = VERDICTS) -> Rule:
    """Return the rule of an id that the program has; errors as ``find``, and KeyError for another id."""
    entry = find(rule, kind)
    if entry is None:
        raise KeyError(rule)
    return entry


@cache
def all_rules(kind: str = VERDICTS) -> tuple[Rule, ...]:
    """Return every rule of a kind, sorted by id; errors as ``find``."""
    rules = (rule for path in _files(kind) for rule in _read(path).values())
    return tuple(sorted(rules, key=lambda rule: rule.id))


def findings(*rules: str) -> tuple[Rule, ...]:
    """Return the rules of some ids of FINDINGS; errors as ``page``."""
    return tuple(page(rule, FINDINGS) for rule in rules)


class RuleList(msgspec.Struct, frozen=True):
    """Some of the rules, as a result to show."""

    rules: tuple[Rule, ...] = msgspec.field(default_factory=all_rules)


@cache
def _files(kind: str) -> tuple[Path, ...]:
    return tuple(sorted((DataFiles(default_directory()).rules / kind).glob("*.toml")))


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def _read(path: Path) -> dict[str, Rule]:
    """Return the rules of a file by their ids."""
    return read(path, path.parent.parent / "steps.toml")


def read(path: Path, steps: Path) -> dict[str, Rule]:
    """Return the rules of one file by their ids; ``steps`` is the file of the steps that they share.

    Raises InputError, naming the file and the rule, for what is no page.
    """
    shared, rules = _tables(steps), {}
    for name, fields in _tables(path).items():
        try:
            for key in ("confirm", "avoid"):
                steps_of = fields.get(key, ())
                fields[key] = [shared[step] if isinstance(step, str) else step for step in steps_of]
            rules[name] = msgspec.convert({"id": name, **fields}, Rule)
        except KeyError as error:
            raise InputError(f"{path}: {name}: {error} is no step of {steps.name}") from error
        except (msgspec.ValidationError, AttributeError, TypeError) as error:
            raise InputError(f"{path}: {name}: damaged release data: {error}") from error
    return rules


def _tables(path: Path) -> dict[str, Any]:
    """Read a file of TOML, with each run of white space in its texts as one space."""
    import tomllib  # noqa: PLC0415 - plans name rules, and read no page of them

    try:
        tables: dict[str, Any] = _folded(tomllib.loads(_text(path)))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: damaged release data: {error}") from error
    return tables


def _folded(value: Any) -> Any:
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, list):
        return [_folded(element) for element in value]
    return {key: _folded(child) for key, child in value.items()} if isinstance(value, dict) else value


@cache
def steps() -> dict[str, Advice]:
    """Return the steps that several pages share, by name; errors as ``find``."""
    return msgspec.convert(_tables(DataFiles(default_directory()).rules / "steps.toml"), dict[str, Advice])


@cache
def respects() -> dict[str, str]:
    """Return what the respects of behaviour.json are called, by their keys; errors as ``find``."""
    return _tables(DataFiles(default_directory()).rules / "respects.toml")


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What ``explain`` says of a rule, as parts of sentences; empty where the case decides more of it."""

    why: str = ""
    """Why a verdict is what it is; ``{old}`` and ``{new}`` are the releases, ``{text}`` is the reason."""
    behind: str = ""
    """What is left out of the reason, with the colon behind it."""
    decides: str = ""
    """What would decide an UNKNOWN verdict: an option, a record, a file."""
    remedy: str = ""
    """What to do before containers are killed."""


@cache
def words() -> dict[str, Words]:
    """Return what ``explain`` says, by the ids of rules; errors as ``find``."""
    return msgspec.convert(_tables(DataFiles(default_directory()).rules / "sentences.toml"), dict[str, Words])
