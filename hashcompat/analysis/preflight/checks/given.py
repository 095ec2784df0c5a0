"""What the next kubelet is given, as the rows of values ask for it: PF-126."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from hashcompat.analysis.preflight.checks import KubeletStart
from hashcompat.analysis.preflight.facts.kubelet import truth
from hashcompat.analysis.preflight.facts.settings import GivenSettings, Setting, number_of
from hashcompat.analysis.preflight.facts.units import Start
from hashcompat.core import shown
from hashcompat.core.catalog.behaviour import Gates
from hashcompat.core.catalog.kubeletsettings import Other, ValueRow
from hashcompat.core.go.metav1 import parse_duration
from hashcompat.core.model.preflight import Status
from hashcompat.core.records.probes import Dump


class RefusedValue(msgspec.Struct, frozen=True):
    """That a value is refused."""

    why: str
    """Why a value is refused, in as few words as the kubelet's."""
    advice: str = ""
    """What to do; empty for changing the value."""
    value: str = ""
    """The value, or the part of it that is refused, as it may be shown."""
    status: Status = Status.ERROR


class GivenCheck:
    """What the next kubelet is given, held against what its release accepts."""

    def __init__(self, settings: GivenSettings, start: Start, upgrade: KubeletStart, dump: Dump) -> None:
        self.dump = dump
        self.settings = settings
        self.start = start
        self.release = upgrade.target.release
        self.gates: Gates = upgrade.target.gates.with_settings(settings.gates)
        self.gates_of_flags: Gates = upgrade.target.gates.with_settings(settings.gates_of_flags)
        builds = (upgrade.target, upgrade.current)
        self.is_of_vendor = any(build is not None and build.vendor_assumed for build in builds)
        self.hazards = upgrade.hazards

    def shown(self, value: object) -> str:
        """Return a value as it may be shown: numbers, durations, and words of the table."""
        if isinstance(value, bool):
            return "true" if value else "false"
        known = isinstance(value, str) and (
            value in self.hazards.values.words or parse_duration(value) is not None
        )
        number = number_of(value)
        return str(value) if known else "" if number is None else str(number)

    def counts(self, row: ValueRow) -> bool:
        """Return whether the gates, and the setting that a row names, are those for which it judges."""
        if row.with_gate and not self.gates.is_on(row.with_gate):
            return False
        if row.without_gate and self.gates.is_on(row.without_gate):
            return False
        return row.only_with is None or self.has(row.only_with) is not None

    def of(self, row: ValueRow) -> Setting | None:
        """Return the setting of a row; None where it is as good as not given."""
        setting = self.settings.find(row.field, row.flag)
        if setting is None or (
            is_unset(setting.value, row) and not (self._is_object(setting) or _is_empty_word(setting, row))
        ):
            if row.default is None or setting is not None:
                return None
            setting = Setting(row.field, row.default, "")
        if row.having and not row.having.intersection(elements(setting.value)):
            return None
        excepted = any(is_same(setting.value, each) for each in row.excepted)
        return None if excepted else setting

    def _is_object(self, setting: Setting) -> bool:
        """Return whether a value is an object of Go: to a pointer an empty one is not as good as none."""
        field = self.hazards.config.fields(self.release).get(setting.name)
        return field is not None and field.kind == "object" and isinstance(setting.value, Mapping)

    def has(self, other: Other) -> Setting | None:
        """Return another setting where it has one of the values that count; its default may be one."""
        setting = self.settings.find(other.field, other.flag)
        if setting is None or is_unset(setting.value, other):
            if other.default is None:
                return None
            setting = Setting(other.field, other.default, "")
        counts = not other.values or any(is_same(setting.value, each) for each in other.values)
        return setting if counts else None


def elements(value: object) -> list[str]:
    """Return the elements of a list, or the keys of a map whose value is true."""
    if isinstance(value, Mapping):
        return [str(key) for key, given in value.items() if truth(given)]
    return list(map(str, value)) if isinstance(value, list) else []


def is_same(value: object, other: object) -> bool:
    """Return whether two values are one to a kubelet: ``1m`` and ``60s`` are."""
    if isinstance(value, bool) is not isinstance(other, bool):
        return False
    number = number_of(value)
    return value == other or (number is not None and number == number_of(other))


def is_unset(value: object, row: ValueRow | Other) -> bool:
    """Return whether a value is as good as none; what the collector hid is not judged either."""
    if is_hidden(value) or value in ("", [], {}) or any(is_same(value, each) for each in row.unset):
        return True
    number, above = number_of(value), number_of(row.only_above)
    return number is not None and above is not None and number <= above


def _is_empty_word(setting: Setting, row: ValueRow) -> bool:
    """Return whether a flag is given as empty where only some words are accepted: it gets no default."""
    return (
        bool(row.one_of) and setting.name == f"--{row.flag}" and setting.value == "" and "" not in row.unset
    )


def is_hidden(value: object) -> bool:
    """Return whether the collector left a value out."""
    return isinstance(value, str) and shown.MASK in value
