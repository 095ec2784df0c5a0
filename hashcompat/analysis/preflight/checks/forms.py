"""The forms of the rows of values: each judges one setting, and yields why it is refused: PF-126."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from hashcompat.analysis.preflight.checks import formats
from hashcompat.analysis.preflight.checks.formats import (
    RefusedValue,
    SettingsCheck,
    elements,
    is_hidden,
    is_same,
    is_unset,
)
from hashcompat.analysis.preflight.facts.kubelet import reserved_memory
from hashcompat.analysis.preflight.facts.settings import Setting, number_of
from hashcompat.core import shown
from hashcompat.core.catalog.kubeletsettings import Bounds, SettingReference, Sysctls, ValueRow
from hashcompat.core.catalog.releases import minor_before
from hashcompat.core.errors import DecodeError
from hashcompat.core.model.preflight import Status

_MOST_WORDS: Final = 12
"""So many accepted words are named."""

_RESERVING: Final = (("kubeReserved", "kube-reserved"), ("systemReserved", "system-reserved"))
_EVICTING: Final = ("evictionHard", "eviction-hard")

_UNJUDGED: Final = (
    "reserved-memory",
    "experimental-allocatable-ignore-eviction",
    "mergeDefaultEvictionSettings",
)
"""Settings that make another sum."""

Form = Callable[[SettingsCheck, Any, Setting], Iterator[RefusedValue]]
"""Yields why a setting is refused, by what a row wants of it."""


def _one_of(check: SettingsCheck, accepted: tuple[object, ...], setting: Setting) -> Iterator[RefusedValue]:
    words = ", ".join(check.shown(word) or str(word) for word in accepted)
    for value in setting.value if isinstance(setting.value, list) else [setting.value]:
        if not any(is_same(value, word) for word in accepted):
            why = f"it has to be {'one of: ' if len(accepted) > 1 else ''}{words}"
            if len(accepted) > _MOST_WORDS:
                why = f"it is none of the {len(accepted)} that this release knows"
            yield RefusedValue(why, "", check.shown(value))


def _keys_one_of(check: SettingsCheck, keys: Mapping[str, str], setting: Setting) -> Iterator[RefusedValue]:
    """Yield the keys that are none of those accepted, or whose gate is off."""
    for key in setting.value if isinstance(setting.value, Mapping) else ():
        gate = keys.get(key)
        if gate is None:
            yield RefusedValue(f"it has only: {', '.join(keys)}", "", check.shown(key))
        elif gate and not check.gates.is_on(gate):
            yield _without(gate, setting, check.shown(key))


def _needs_gate(check: SettingsCheck, gate: str, setting: Setting) -> Iterator[RefusedValue]:
    if not check.gates.is_on(gate):
        yield _without(gate, setting, check.shown(setting.value))


def _needs_gate_in_flags(check: SettingsCheck, gate: str, setting: Setting) -> Iterator[RefusedValue]:
    """Yield that no flag turns the feature gate on, and it is not on by default."""
    if not check.gates_of_flags.is_on(gate):
        advice = f"remove {setting.name} from {setting.source}, or add --feature-gates={gate}=true there"
        why = f"it needs the feature gate {gate}, which no flag turns on"
        yield RefusedValue(why, advice, check.shown(setting.value))


def _without(gate: str, setting: Setting, value: str) -> RefusedValue:
    advice = f"remove {setting.name} from {setting.source}, or set the feature gate {gate}"
    return RefusedValue(f"it needs the feature gate {gate}, which is off", advice, value)


def _range(check: SettingsCheck, limits: Bounds, setting: Setting) -> Iterator[RefusedValue]:
    number = number_of(setting.value)
    if number is None:
        return
    least, most, above = map(number_of, (limits.least, limits.most, limits.above))
    too_small = (least is not None and number < least) or (above is not None and number <= above)
    if too_small or (most is not None and number > most):
        yield RefusedValue(f"it has to be {_within(limits)}", "", check.shown(setting.value))


def _multiple_of(check: SettingsCheck, unit: int, setting: Setting) -> Iterator[RefusedValue]:
    number = number_of(setting.value)
    if number is not None and number % unit:
        yield RefusedValue(f"it has to be a multiple of {unit}", "", check.shown(setting.value))


def _comparing(words: str, holds: Callable[[Any, Any], bool]) -> Form:
    """Return the form that yields that a comparison with another setting does not hold, in its words."""

    def form(check: SettingsCheck, reference: SettingReference, setting: Setting) -> Iterator[RefusedValue]:
        other_setting = check.settings.find(reference.field, reference.flag)
        if other_setting is None or is_unset(other_setting.value, reference):
            other_setting = Setting(reference.field, reference.default, "")
        number, other_number = number_of(setting.value), number_of(other_setting.value)
        if number is not None and other_number is not None and not holds(number, other_number):
            why = f"it has to be {words} {other_setting.name}, which is {check.shown(other_setting.value)}"
            yield RefusedValue(
                why, f"change {setting.name} or {other_setting.name}", check.shown(setting.value)
            )

    return form


def _not_with(check: SettingsCheck, reference: SettingReference, setting: Setting) -> Iterator[RefusedValue]:
    if other_setting := check.referenced(reference):
        value = f" {check.shown(other_setting.value)}" if reference.values else ""
        yield RefusedValue(
            f"it cannot be given with {other_setting.name}{value}",
            f"change or remove {setting.name} or {other_setting.name}",
            check.shown(setting.value),
        )


def _needs_field(
    check: SettingsCheck, reference: SettingReference, setting: Setting
) -> Iterator[RefusedValue]:
    if check.referenced(reference) is None:
        flag = [f"--{reference.flag}"] if reference.flag else []
        names = [*filter(None, [reference.field]), *flag]
        needed = names[0] if len(names) == 1 else f"{names[0]} ({names[1]})"
        yield RefusedValue(f"it needs {needed}", f"set {names[0]}, or remove {setting.name}")


def _values_are(check: SettingsCheck, kind: str, setting: Setting) -> Iterator[RefusedValue]:
    is_fit, words = formats.AMOUNTS[kind]
    for key, value in setting.value.items() if isinstance(setting.value, Mapping) else ():
        if isinstance(value, str) and not is_hidden(value) and not is_fit(value):
            entry = f"{shown.name(str(key))[:60]}: {check.shown(value)}".rstrip(": ")
            yield RefusedValue(f"the value of {entry} is not {words}")


def _keys_are(check: SettingsCheck, kinds: Mapping[str, str], setting: Setting) -> Iterator[RefusedValue]:
    for key, value in setting.value.items() if isinstance(setting.value, Mapping) else ():
        if key not in kinds or not isinstance(value, str) or is_hidden(value):
            continue
        is_fit, words = formats.AMOUNTS[kinds[key]]
        if not is_fit(value):
            number = value if re.fullmatch("[0-9]{1,9}", value) else ""
            entry = f"{key}: {check.shown(value) or number}".rstrip(": ")
            yield RefusedValue(f"the value of {entry} is not {words}")


def _keys_in(check: SettingsCheck, reference: SettingReference, setting: Setting) -> Iterator[RefusedValue]:
    """Yield the thresholds that another map lacks; those of 0 % and 100 % are none."""
    other_setting = check.settings.find(reference.field, reference.flag)
    there = (
        other_setting.value if other_setting is not None and isinstance(other_setting.value, Mapping) else {}
    )
    for key, value in setting.value.items() if isinstance(setting.value, Mapping) else ():
        if key not in there and value not in ("0%", "100%"):
            flag = f" (--{reference.flag})" if reference.flag else ""
            yield RefusedValue(f"{shown.name(str(key))[:60]} is not in {reference.field}{flag}")


def _format(check: SettingsCheck, wanted: str, setting: Setting) -> Iterator[RefusedValue]:
    if wanted == "previous minor":
        words = minor_before(check.release)
        is_fit = setting.value == words
    else:
        test, words = formats.FORMATS[wanted]
        values = setting.value if isinstance(setting.value, list) else [setting.value]
        is_fit = all(test(str(value)) for value in values if value is not None and not is_hidden(value))
    if not is_fit:
        yield RefusedValue(f"it has to be {words}")


def _alone(_check: SettingsCheck, word: str, setting: Setting) -> Iterator[RefusedValue]:
    if isinstance(setting.value, list) and word in setting.value and len(setting.value) > 1:
        yield RefusedValue(f"it has {word}, which has to be the only element", "", word)


def _unique(check: SettingsCheck, _unique: bool, setting: Setting) -> Iterator[RefusedValue]:
    words = list(map(str, setting.value)) if isinstance(setting.value, list) else []
    for word in dict.fromkeys(word for word in words if words.count(word) > 1):
        yield RefusedValue("it has an element twice", "", check.shown(word))


def _not_together(_check: SettingsCheck, words: tuple[str, ...], setting: Setting) -> Iterator[RefusedValue]:
    """Yield that a list has all of these elements, or a map all of these keys as true."""
    members = elements(setting.value)
    if all(word in members for word in words):
        yield RefusedValue(f"it has both {' and '.join(words)}, of which one may be given")


def _labels(check: SettingsCheck, labels: Any, setting: Setting) -> Iterator[RefusedValue]:
    """Yield the labels of Kubernetes' namespaces that a kubelet does not set on its own node."""
    for key in setting.value:
        space, slash, _ = key.partition("/")
        ours = slash and formats.is_below(space, ("kubernetes.io", "k8s.io"))
        if ours and key not in labels.allowed and not formats.is_below(space, labels.namespaces):
            yield RefusedValue(
                f"{shown.name(key)[:100]} is none of the labels that a kubelet may set",
                f"remove it from {setting.source}, and set it with kubectl label node",
                # OpenShift starts its own kubelets with node-role.kubernetes.io/worker.
                status=Status.UNKNOWN if check.is_of_vendor else Status.ERROR,
            )


def _valid_labels(_check: SettingsCheck, _valid: bool, setting: Setting) -> Iterator[RefusedValue]:
    """Yield the labels whose name or value is none."""
    for key, value in setting.value.items() if isinstance(setting.value, Mapping) else ():
        if is_hidden(key) or is_hidden(value):
            continue
        if not formats.is_qualified(key) or (value and not formats.LABEL.fullmatch(value)):
            yield RefusedValue(f"{shown.name(key)[:100]} is no label, or its value is none of one")


def _taints(_check: SettingsCheck, wanted: str, setting: Setting) -> Iterator[RefusedValue]:
    """Yield what is no taint (pkg/util/taints/taints.go ``CheckTaintValidation`` and ``ParseTaints``)."""
    listed = setting.value if isinstance(setting.value, list) else []
    added = list[tuple[str, str]]()
    for entry in listed:
        if isinstance(entry, Mapping):
            yield from _refused_taint(entry)
        elif isinstance(entry, str) and not is_hidden(entry):
            taint = formats.taint_of(entry, wanted)
            if taint is None:
                yield RefusedValue(f"a taint is not written {formats.TAINTS[wanted]}")
                continue
            yield from _refused_taint(taint)
            if not entry.endswith("-"):
                added.append((taint["key"], taint["effect"]))
    if wanted == "once" and len(set(added)) < len(added):
        yield RefusedValue("it has the key and the effect of a taint twice")


def _memory_of_nodes(_check: SettingsCheck, _reserved: bool, setting: Setting) -> Iterator[RefusedValue]:
    """Yield the limits of reservedMemory that are refused (``validateReservedMemoryConfiguration``)."""
    seen = set[tuple[str, str]]()
    rows = setting.value if isinstance(setting.value, list) else []
    for row in (entry for entry in rows if isinstance(entry, Mapping)):
        limits, node = row.get("limits"), str(row.get("numaNode") or 0)
        for kind, limit in limits.items() if isinstance(limits, Mapping) else ():
            if kind != "memory" and not kind.startswith("hugepages-"):
                yield RefusedValue(f"{shown.name(kind)[:60]} is neither memory nor huge pages")
            if formats.quantity_of(str(limit)) == 0:
                yield RefusedValue(f"it reserves nothing of {shown.name(kind)[:60]}")
            if (node, kind) in seen:
                yield RefusedValue(f"it has {shown.name(kind)[:60]} of a NUMA node twice")
            seen.add((node, kind))


def _sysctls(_check: SettingsCheck, sysctls: Sysctls, setting: Setting) -> Iterator[RefusedValue]:
    """Yield the names that are not known to be of a namespace; those of a map are checked further."""
    seen = set[str]()
    is_map = isinstance(setting.value, Mapping)
    listed = setting.value if is_map or isinstance(setting.value, list) else []
    for text in (entry for entry in listed if isinstance(entry, str) and not is_hidden(entry)):
        if is_map and (len(text) > 253 or not formats.SYSCTL.fullmatch(text)):
            yield RefusedValue(f"{shown.name(text)[:60]} is no name of a sysctl")
            continue
        whole = formats.dotted(text)
        if is_map and whole in seen:
            yield RefusedValue(f"it has {shown.name(text)[:60]} twice")
        seen.add(whole)
        name = text.replace("/", ".").partition("*")[0]
        if name not in sysctls.names and not name.startswith(sysctls.prefixes):
            yield RefusedValue(f"{shown.name(text)[:60]} is not known to be of a namespace")


def _reserved(check: SettingsCheck, resource: str, setting: Setting) -> Iterator[RefusedValue]:
    """Yield that nothing of a resource is reserved, or not what reservedMemory has.

    Of memory the thresholds of evictionHard count too, as far as they are no percentages.
    """
    if resource == "cpu" and check.settings.find("reservedSystemCPUs", "reserved-cpus"):
        return
    kept = [(_amounts(check, *names) or {}).get(resource, "0") for names in _RESERVING]
    if resource == "memory":
        evicting = _amounts(check, *_EVICTING)
        limits = check.hazards.eviction_hard if evicting is None else evicting
        kept.append(limits.get("memory.available", "0"))
    numbers = [formats.quantity_of(str(quantity)) for quantity in kept]
    if any(number is None for number in numbers):
        return
    total = sum(number for number in numbers if number is not None)
    if resource == "cpu" and not total:
        why = "it needs cpu in kubeReserved or systemReserved, or reservedSystemCPUs"
        yield RefusedValue(why, "reserve CPUs", check.shown(setting.value))
    elif resource == "memory" and not any(map(check.settings.find, _UNJUDGED, _UNJUDGED)):
        memory = check.settings.find("reservedMemory")
        try:
            own = sum(reserved_memory({}, {"reservedMemory": memory and memory.value}).values())
        except DecodeError:
            return
        if own != total:
            why = f"reservedMemory has {own} bytes, and {total} are reserved by other settings"
            yield RefusedValue(why, "give as much in reservedMemory", check.shown(setting.value))


def _amounts(check: SettingsCheck, field: str, flag: str) -> Mapping[str, Any] | None:
    setting = check.settings.find(field, flag)
    return setting.value if setting is not None and isinstance(setting.value, Mapping) else None


def _needs_variable(check: SettingsCheck, name: str, _setting: Setting) -> Iterator[RefusedValue]:
    """Yield that an environment variable is not set, or not known to be."""
    if name not in check.start.variables:
        is_complete = check.start.complete
        why = f"the environment variable {name} is {'not set' if is_complete else 'not known to be set'}"
        status = Status.ERROR if is_complete else Status.UNKNOWN
        yield RefusedValue(why, f"set {name} in the unit of the kubelet", status=status)


def _drop_ins_need(
    check: SettingsCheck, wanted: Mapping[str, str], setting: Setting
) -> Iterator[RefusedValue]:
    """Yield the files of the directory that lack a field, or are of another kind."""
    for path, document in check.settings.documents:
        if not path.startswith(f"{setting.value.rstrip('/')}/"):
            continue
        if missing := [name for name in wanted if not document.get(name)]:
            yield RefusedValue(f"{path} has no {' and no '.join(missing)}", f"add it to {path}")
        for name, value in wanted.items():
            if name not in missing and document[name] != value:
                yield RefusedValue(f"the {name} of {path} is not {value}", f"move {path} elsewhere")


def _refused_taint(taint: Mapping[str, Any]) -> Iterator[RefusedValue]:
    key, value, effect = (str(taint.get(part) or "") for part in ("key", "value", "effect"))
    if any(map(is_hidden, (key, value, effect))):
        return
    if not formats.is_qualified(key):
        yield RefusedValue("the key of a taint is no qualified name such as example.com/name")
    if value and not formats.LABEL.fullmatch(value):
        yield RefusedValue("the value of a taint is no value of a label")
    if effect and effect not in formats.EFFECTS:
        yield RefusedValue(f"the effect of a taint is none of: {', '.join(formats.EFFECTS)}")
    if taint.get("timeAdded") is not None:
        yield RefusedValue("a taint has timeAdded, which may not be given")


def _within(limits: Bounds) -> str:
    if limits.above is not None:
        return f"greater than {limits.above} and at most {limits.most}"
    if limits.least is None:
        return f"at most {limits.most}"
    if limits.most is not None:
        return f"between {limits.least} and {limits.most}, inclusive"
    return f"at least {limits.least}"


FORMS: Final[Mapping[str, Form]] = {
    "one_of": _one_of,
    "keys_one_of": _keys_one_of,
    "needs_gate": _needs_gate,
    "needs_gate_in_flags": _needs_gate_in_flags,
    "range": _range,
    "multiple_of": _multiple_of,
    "at_most_field": _comparing("at most", operator.le),
    "less_than_field": _comparing("less than", operator.lt),
    "more_than_field": _comparing("more than", operator.gt),
    "not_with": _not_with,
    "needs_field": _needs_field,
    "values_are": _values_are,
    "keys_are": _keys_are,
    "keys_in": _keys_in,
    "format": _format,
    "alone": _alone,
    "unique": _unique,
    "not_together": _not_together,
    "labels": _labels,
    "valid_labels": _valid_labels,
    "taints": _taints,
    "memory_of_nodes": _memory_of_nodes,
    "not_on_cgroup_v1": formats.not_on_cgroup_v1,
    "cpus_exist": formats.cpus_exist,
    "nodes_exist": formats.nodes_exist,
    "most_nodes": formats.most_nodes,
    "sysctls": _sysctls,
    "reserved": _reserved,
    "needs_variable": _needs_variable,
    "drop_ins_need": _drop_ins_need,
}
"""The forms of rows, each with what yields the refusals."""


def refusals(check: SettingsCheck, row: ValueRow, setting: Setting) -> Iterator[RefusedValue]:
    """Yield why the release refuses what a row judges; what the host decides and did not show is UNKNOWN."""
    try:
        for name, form in FORMS.items():
            if wanted := getattr(row, name):
                yield from form(check, wanted, setting)
    except formats.UnknownError as error:
        yield error.refusal
