"""The pages of rules, read from ``schemas/rules`` when one is asked for.

What only cites ids does not import this. There is one file a subject, in the folder of its kind; a table of
the file is a page, under its id. Line breaks and indents of a text are spaces. A step is a sentence, with a
command or without one; a word in its place names a step of ``steps.toml``, which several pages share.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec

from hashcompat.core.catalog.files import DataFiles, default_directory
from hashcompat.core.errors import InputError
from hashcompat.core.rules import Rule, Step

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
        if f"[{rule}]" in _text(path) and (found := _read(path).get(rule)):
            return found
    return None


def page(rule: str, kind: str = VERDICTS) -> Rule:
    """Return the rule of an id that the program has; errors as ``find``, and KeyError for another id."""
    found = find(rule, kind)
    if found is None:
        raise KeyError(rule)
    return found


@cache
def every(kind: str = VERDICTS) -> tuple[Rule, ...]:
    """Return every rule of a kind, sorted by id; errors as ``find``."""
    rules = (rule for path in _files(kind) for rule in _read(path).values())
    return tuple(sorted(rules, key=lambda rule: rule.id))


def findings(*rules: str) -> tuple[Rule, ...]:
    """Return the rules of some ids of FINDINGS; errors as ``page``."""
    return tuple(page(rule, FINDINGS) for rule in rules)


class RuleList(msgspec.Struct, frozen=True):
    """Some of the rules, as a result to show."""

    rules: tuple[Rule, ...] = msgspec.field(default_factory=every)


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
    try:
        found: dict[str, Any] = _folded(tomllib.loads(_text(path)))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: damaged release data: {error}") from error
    return found


def _folded(value: Any) -> Any:
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, list):
        return [_folded(element) for element in value]
    return {key: _folded(each) for key, each in value.items()} if isinstance(value, dict) else value


@cache
def steps() -> dict[str, Step]:
    """Return the steps that several pages share, by name; errors as ``find``."""
    return msgspec.convert(_tables(DataFiles(default_directory()).rules / "steps.toml"), dict[str, Step])
