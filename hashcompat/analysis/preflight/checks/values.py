"""Values of flags and configuration fields with which the new kubelet does not start: PF-126."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from ipaddress import IPv4Address, IPv6Address, ip_address
from types import MappingProxyType
from typing import Any, Final

import msgspec

from hashcompat.analysis.preflight.checks import Check, Problem, Upgrade
from hashcompat.analysis.preflight.facts import Facts, host
from hashcompat.analysis.preflight.facts.kubelet import Given, given_flags, reserved_memory, truth
from hashcompat.analysis.preflight.facts.settings import (
    TEXTS,
    Documents,
    Setting,
    Settings,
    drop_ins,
    fits,
    flag_value,
    integer_of,
    number_of,
    repeated,
    values,
    why_not,
)
from hashcompat.analysis.preflight.facts.units import Start
from hashcompat.core import shown
from hashcompat.core.catalog.gates import Gates
from hashcompat.core.catalog.kubeletsettings import Limits, MostNodes, Other, Sysctls, ValueRow
from hashcompat.core.catalog.releases import minor_before
from hashcompat.core.corev1.resources import amount
from hashcompat.core.errors import DecodeError
from hashcompat.core.go.metav1 import parse_duration
from hashcompat.core.go.strconv import parse_cpus, show_cpus
from hashcompat.core.model.preflight import Status
from hashcompat.core.records.probes import AbsentError, Dump, UnparsedError, UnreadError

_DIRECTORY: Final = "config-dir"


def _find_values(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    release = upgrade.target.release
    if not upgrade.hazards.values.rows(release):
        raise UnreadError(f"the values that kubelet {release} refuses are not known")
    path = facts.flags.get("config", "")  # raises where the kubelet is part of another program
    try:
        start = facts.start
    except UnreadError as error:
        yield Problem(Status.UNKNOWN, "", str(error))
        start = Start((), complete=False)
    words = start.words if start.complete else (*start.words, *facts.words)
    flags = tuple(given_flags(words, upgrade.hazards.flags, release))
    documents: Documents | None = None
    try:
        others = _drop_ins(facts, flags)
        documents = [(path, facts.config_file), *others] if path else others
    except UnparsedError as error:
        yield Problem(
            Status.ERROR,
            error.path,
            f"kubelet {release} does not start: {error}; checks that need it were left out",
            f"mend {error.path}, and check the node again",
        )
    except (UnreadError, AbsentError) as error:
        yield Problem(Status.UNKNOWN, "", str(error))
    if documents and len(documents) > bool(path) and upgrade.hazards.drop_ins == "with defaults":
        text = f"{release} merges each file of --config-dir with all of its defaults"
        yield Problem(Status.UNKNOWN, f"--{_DIRECTORY}", text)
        documents = None
    for file, _ in documents or ():
        for name in repeated(file, facts.dump.read("file", file)):
            yield Problem(
                Status.WARN,
                name,
                f"{file} has {name} twice: the kubelet takes the last one, and kubeadm refuses the file",
                f"remove one of the two from {file}",
            )
    merged = Settings(documents or (), flags, nulls_remove=upgrade.hazards.drop_ins != "nulls are nothing")
    given = _Given(merged, start, upgrade, facts.dump)
    yield from given.wrong_kinds()
    yield from given.refused(is_whole=documents is not None)


def _drop_ins(facts: Facts, flags: tuple[Given, ...]) -> Documents:
    directory = Settings((), flags).flag(_DIRECTORY)
    return drop_ins(facts.dump, directory.value) if directory and directory.value else ()


class _Refusal(msgspec.Struct, frozen=True):
    why: str
    """Why a value is refused, in as few words as the kubelet's."""
    advice: str = ""
    """What to do; empty for changing the value."""
    value: str = ""
    """The value, or the part of it that is refused, as it may be shown."""
    status: Status = Status.ERROR


class _Given:
    """What the next kubelet is given, held against what its release accepts."""

    def __init__(self, settings: Settings, start: Start, upgrade: Upgrade, dump: Dump) -> None:
        self.dump = dump
        self.settings = settings
        self.start = start
        self.release = upgrade.target.release
        self.gates: Gates = upgrade.target.gates.with_settings(settings.gates)
        self._gates_of_flags: Gates = upgrade.target.gates.with_settings(settings.gates_of_flags)
        builds = (upgrade.target, upgrade.current)
        self.is_of_vendor = any(build is not None and build.vendor_assumed for build in builds)
        self._hazards = upgrade.hazards

    def shown(self, value: object) -> str:
        """Return a value as it may be shown: numbers, durations, and words of the table."""
        if isinstance(value, bool):
            return "true" if value else "false"
        known = isinstance(value, str) and (
            value in self._hazards.values.words or parse_duration(value) is not None
        )
        number = number_of(value)
        return str(value) if known else "" if number is None else str(number)

    # Values of another kind than their flag or field: the kubelet cannot even read them.

    def wrong_kinds(self) -> Iterator[Problem]:
        """Yield the flags and fields that have a value of another kind."""
        rows = self._hazards.values.rows(self.release)
        judged = {row.field for row in rows}, {row.flag for row in rows}
        for flag in self.settings.given:
            kind = flag.flag.kind if flag.flag else ""
            if shown.MASK in flag.value and (kind not in TEXTS or flag.name in judged[1]):
                yield self._hidden(f"--{flag.name}", flag.source)
            elif flag_value(flag) is None:
                setting = Setting(f"--{flag.name}", None, flag.source)
                go_type = flag.flag.type if flag.flag else ""
                why = "it is not all pairs such as NAME=VALUE"
                yield self._problem(
                    setting,
                    _Refusal(why if kind == "map" else why_not(kind, go_type, integer_of(flag.value))),
                )
        fields = self._hazards.config.fields(self.release)
        for path, document in self.settings.documents:
            for field, value in values(fields, document, ""):
                if _is_hidden(value) and (field.kind not in TEXTS or field.path in judged[0]):
                    yield self._hidden(field.path, path)
                elif not fits(field, value):
                    setting = Setting(field.path, None, path)
                    why = why_not(field.kind, field.type, value)
                    is_plain = field.kind == "string" and not isinstance(value, list | Mapping)
                    advice = f"put it in quotes in {path}" if is_plain else ""
                    yield self._problem(setting, _Refusal(why, advice, self.shown(value)))

    def _hidden(self, name: str, source: str) -> Problem:
        return Problem(Status.UNKNOWN, name, f"the value of {name} of {source} is not in the dump")

    # Values that the release refuses.

    def refused(self, *, is_whole: bool) -> Iterator[Problem]:
        """Yield the values that the release refuses; without the files only those of flags by themselves."""
        seen = set[tuple[str, ...]]()
        for row in self._hazards.values.rows(self.release):
            gates = row.needs_gate or row.with_gate or row.without_gate
            if not is_whole and (row.field or gates or row.drop_ins_need):
                continue
            if not self._counts(row):
                continue
            setting = self._of(row)
            if setting is None:
                continue
            for refusal in self._refusals(row, setting):
                # Of two rows with accepted words, one says enough.
                key = (setting.name, refusal.value) if row.one_of else (setting.name, refusal.why)
                if key not in seen:
                    seen.add(key)
                    yield self._problem(setting, refusal)

    def _counts(self, row: ValueRow) -> bool:
        if row.with_gate and not self.gates.is_on(row.with_gate):
            return False
        if row.without_gate and self.gates.is_on(row.without_gate):
            return False
        return row.only_with is None or self._has(row.only_with) is not None

    def _of(self, row: ValueRow) -> Setting | None:
        """Return the setting of a row; None where it is as good as not given."""
        setting = self.settings.find(row.field, row.flag)
        if setting is None or (
            _is_unset(setting.value, row) and not (self._is_object(setting) or _is_empty_word(setting, row))
        ):
            if row.default is None or setting is not None:
                return None
            setting = Setting(row.field, row.default, "")
        if row.having and not row.having.intersection(_elements(setting.value)):
            return None
        excepted = any(_is_same(setting.value, each) for each in row.excepted)
        return None if excepted else setting

    def _is_object(self, setting: Setting) -> bool:
        """Return whether a value is an object of Go: to a pointer an empty one is not as good as none."""
        field = self._hazards.config.fields(self.release).get(setting.name)
        return field is not None and field.kind == "object" and isinstance(setting.value, Mapping)

    def _has(self, other: Other) -> Setting | None:
        """Return another setting where it has one of the values that count; its default may be one."""
        setting = self.settings.find(other.field, other.flag)
        if setting is None or _is_unset(setting.value, other):
            if other.default is None:
                return None
            setting = Setting(other.field, other.default, "")
        counts = not other.values or any(_is_same(setting.value, each) for each in other.values)
        return setting if counts else None

    def _problem(self, setting: Setting, refusal: _Refusal) -> Problem:
        effect = "does not start" if refusal.status is Status.ERROR else "may not start"
        value = f" {refusal.value}" if refusal.value else ""
        where = f" of {setting.source}" if setting.source else ", its default"
        place = f" in {setting.source}" if setting.source else ""
        return Problem(
            refusal.status,
            setting.name,
            f"kubelet {self.release} {effect} with {setting.name}{value}{where}: {refusal.why}",
            refusal.advice or f"change or remove {setting.name}{place}",
        )

    def _refusals(self, row: ValueRow, setting: Setting) -> Iterator[_Refusal]:
        for name, form in FORMS.items():
            if wanted := getattr(row, name):
                yield from form(self, wanted, setting)

    def one_of(self, accepted: tuple[object, ...], setting: Setting) -> Iterator[_Refusal]:
        """Yield the words that are none of those accepted."""
        words = ", ".join(self.shown(word) or str(word) for word in accepted)
        for value in setting.value if isinstance(setting.value, list) else [setting.value]:
            if not any(_is_same(value, word) for word in accepted):
                why = f"it has to be {'one of: ' if len(accepted) > 1 else ''}{words}"
                if len(accepted) > _MOST_WORDS:
                    why = f"it is none of the {len(accepted)} that this release knows"
                yield _Refusal(why, "", self.shown(value))

    def keys_one_of(self, keys: Mapping[str, str], setting: Setting) -> Iterator[_Refusal]:
        """Yield the keys that are none of those accepted, or whose gate is off."""
        for key in setting.value if isinstance(setting.value, Mapping) else ():
            gate = keys.get(key)
            if gate is None:
                yield _Refusal(f"it has only: {', '.join(keys)}", "", self.shown(key))
            elif gate and not self.gates.is_on(gate):
                yield self._without(gate, setting, self.shown(key))

    def needs_gate(self, gate: str, setting: Setting) -> Iterator[_Refusal]:
        """Yield that the feature gate is off."""
        if not self.gates.is_on(gate):
            yield self._without(gate, setting, self.shown(setting.value))

    def needs_gate_in_flags(self, gate: str, setting: Setting) -> Iterator[_Refusal]:
        """Yield that no flag turns the feature gate on, and it is not on by default."""
        if not self._gates_of_flags.is_on(gate):
            advice = f"remove {setting.name} from {setting.source}, or add --feature-gates={gate}=true there"
            why = f"it needs the feature gate {gate}, which no flag turns on"
            yield _Refusal(why, advice, self.shown(setting.value))

    def _without(self, gate: str, setting: Setting, value: str) -> _Refusal:
        advice = f"remove {setting.name} from {setting.source}, or set the feature gate {gate}"
        return _Refusal(f"it needs the feature gate {gate}, which is off", advice, value)

    def range(self, limits: Limits, setting: Setting) -> Iterator[_Refusal]:
        """Yield that a number or duration is outside of its limits."""
        number = number_of(setting.value)
        if number is None:
            return
        least, most, above = map(number_of, (limits.least, limits.most, limits.above))
        too_small = (least is not None and number < least) or (above is not None and number <= above)
        if too_small or (most is not None and number > most):
            yield _Refusal(f"it has to be {_within(limits)}", "", self.shown(setting.value))

    def multiple_of(self, unit: int, setting: Setting) -> Iterator[_Refusal]:
        """Yield that a number is no multiple."""
        number = number_of(setting.value)
        if number is not None and number % unit:
            yield _Refusal(f"it has to be a multiple of {unit}", "", self.shown(setting.value))

    def at_most_field(self, other: Other, setting: Setting) -> Iterator[_Refusal]:
        """Yield that it is more than another setting."""
        yield from self._compared(other, setting, "at most", lambda one, two: one <= two)

    def less_than_field(self, other: Other, setting: Setting) -> Iterator[_Refusal]:
        """Yield that it is not less than another setting."""
        yield from self._compared(other, setting, "less than", lambda one, two: one < two)

    def more_than_field(self, other: Other, setting: Setting) -> Iterator[_Refusal]:
        """Yield that it is not more than another setting."""
        yield from self._compared(other, setting, "more than", lambda one, two: one > two)

    def _compared(
        self, other: Other, setting: Setting, words: str, holds: Callable[[Any, Any], bool]
    ) -> Iterator[_Refusal]:
        found = self.settings.find(other.field, other.flag)
        if found is None or _is_unset(found.value, other):
            found = Setting(other.field, other.default, "")
        one, two = number_of(setting.value), number_of(found.value)
        if one is not None and two is not None and not holds(one, two):
            why = f"it has to be {words} {found.name}, which is {self.shown(found.value)}"
            yield _Refusal(why, f"change {setting.name} or {found.name}", self.shown(setting.value))

    def not_with(self, other: Other, setting: Setting) -> Iterator[_Refusal]:
        """Yield that another setting rules it out."""
        if found := self._has(other):
            value = f" {self.shown(found.value)}" if other.values else ""
            yield _Refusal(
                f"it cannot be given with {found.name}{value}",
                f"change or remove {setting.name} or {found.name}",
                self.shown(setting.value),
            )

    def needs_field(self, other: Other, setting: Setting) -> Iterator[_Refusal]:
        """Yield that another setting is missing."""
        if self._has(other) is None:
            flag = f" (--{other.flag})" if other.flag else ""
            yield _Refusal(f"it needs {other.field}{flag}", f"set {other.field}, or remove {setting.name}")

    def values_are(self, kind: str, setting: Setting) -> Iterator[_Refusal]:
        """Yield the values of a map that are not of a kind."""
        for key, value in setting.value.items() if isinstance(setting.value, Mapping) else ():
            known = f"{shown.name(str(key))[:60]}: {self.shown(value)}".rstrip(": ")
            if value is None or _is_hidden(value):
                continue
            if isinstance(value, str) and not _AMOUNTS[kind](value):
                yield _Refusal(f"the value of {known} is not {_IN_WORDS[kind]}")

    def keys_are(self, kinds: Mapping[str, str], setting: Setting) -> Iterator[_Refusal]:
        """Yield the values of keys that are not of their kind."""
        for key, value in setting.value.items() if isinstance(setting.value, Mapping) else ():
            kind = kinds.get(key)
            if kind and isinstance(value, str) and not _is_hidden(value) and not _AMOUNTS[kind](value):
                number = value if re.fullmatch("[0-9]{1,9}", value) else ""
                known = f"{key}: {self.shown(value) or number}".rstrip(": ")
                yield _Refusal(f"the value of {known} is not {_IN_WORDS[kind]}")

    def keys_in(self, other: Other, setting: Setting) -> Iterator[_Refusal]:
        """Yield the thresholds that another map lacks; those of 0 % and 100 % are none."""
        found = self.settings.find(other.field, other.flag)
        there = found.value if found is not None and isinstance(found.value, Mapping) else {}
        for key, value in setting.value.items() if isinstance(setting.value, Mapping) else ():
            if key not in there and value not in ("0%", "100%"):
                flag = f" (--{other.flag})" if other.flag else ""
                yield _Refusal(f"{shown.name(str(key))[:60]} is not in {other.field}{flag}")

    def format(self, wanted: str, setting: Setting) -> Iterator[_Refusal]:
        """Yield that a text is not what it has to be."""
        if wanted == "previous minor":
            words = minor_before(self.release)
            is_fit = setting.value == words
        else:
            test, words = _FORMATS[wanted]
            every = setting.value if isinstance(setting.value, list) else [setting.value]
            is_fit = all(test(str(one)) for one in every if one is not None and not _is_hidden(one))
        if not is_fit:
            yield _Refusal(f"it has to be {words}")

    def alone(self, word: str, setting: Setting) -> Iterator[_Refusal]:
        """Yield that an element is not the only one."""
        if isinstance(setting.value, list) and word in setting.value and len(setting.value) > 1:
            yield _Refusal(f"it has {word}, which has to be the only element", "", word)

    def unique(self, _unique: bool, setting: Setting) -> Iterator[_Refusal]:
        """Yield the elements that are in a list twice."""
        elements = list(map(str, setting.value)) if isinstance(setting.value, list) else []
        for word in dict.fromkeys(word for word in elements if elements.count(word) > 1):
            yield _Refusal("it has an element twice", "", self.shown(word))

    def not_together(self, words: tuple[str, ...], setting: Setting) -> Iterator[_Refusal]:
        """Yield that a list has more than one of these elements, or a map of these keys that are true."""
        elements = _elements(setting.value)
        if all(word in elements for word in words):
            yield _Refusal(f"it has both {' and '.join(words)}, of which one may be given")

    def labels(self, labels: Any, setting: Setting) -> Iterator[_Refusal]:
        """Yield the labels of Kubernetes' namespaces that a kubelet does not set on its own node."""
        for key in setting.value:
            space, slash, _ = key.partition("/")
            ours = slash and _is_below(space, ("kubernetes.io", "k8s.io"))
            if ours and key not in labels.allowed and not _is_below(space, labels.namespaces):
                yield _Refusal(
                    f"{shown.name(key)[:100]} is none of the labels that a kubelet may set",
                    f"remove it from {setting.source}, and set it with kubectl label node",
                    # OpenShift starts its own kubelets with node-role.kubernetes.io/worker.
                    status=Status.UNKNOWN if self.is_of_vendor else Status.ERROR,
                )

    def valid_labels(self, _valid: bool, setting: Setting) -> Iterator[_Refusal]:
        """Yield the labels whose name or value is none."""
        for key, value in setting.value.items() if isinstance(setting.value, Mapping) else ():
            if _is_hidden(key) or _is_hidden(value):
                continue
            if not _is_qualified(key) or (value and not _LABEL.fullmatch(value)):
                yield _Refusal(f"{shown.name(key)[:100]} is no label, or its value is none of one")

    def taints(self, wanted: str, setting: Setting) -> Iterator[_Refusal]:
        """Yield what is no taint (pkg/util/taints/taints.go ``CheckTaintValidation`` and ``ParseTaints``)."""
        listed = setting.value if isinstance(setting.value, list) else []
        added = list[tuple[str, str]]()
        for each in listed:
            if isinstance(each, Mapping):
                yield from _refused_taint(each)
            elif isinstance(each, str) and not _is_hidden(each):
                taint = _taint(each, wanted)
                if taint is None:
                    yield _Refusal(f"a taint is not written {_TAINTS[wanted]}")
                    continue
                yield from _refused_taint(taint)
                if not each.endswith("-"):
                    added.append((taint["key"], taint["effect"]))
        if wanted == "once" and len(set(added)) < len(added):
            yield _Refusal("it has the key and the effect of a taint twice")

    def memory_of_nodes(self, _reserved: bool, setting: Setting) -> Iterator[_Refusal]:
        """Yield the limits of reservedMemory that are refused (``validateReservedMemoryConfiguration``)."""
        seen = set[tuple[str, str]]()
        rows = setting.value if isinstance(setting.value, list) else []
        for row in (each for each in rows if isinstance(each, Mapping)):
            limits, node = row.get("limits"), str(row.get("numaNode") or 0)
            for kind, limit in limits.items() if isinstance(limits, Mapping) else ():
                if kind != "memory" and not kind.startswith("hugepages-"):
                    yield _Refusal(f"{shown.name(kind)[:60]} is neither memory nor huge pages")
                if _quantity(str(limit)) == 0:
                    yield _Refusal(f"it reserves nothing of {shown.name(kind)[:60]}")
                if (node, kind) in seen:
                    yield _Refusal(f"it has {shown.name(kind)[:60]} of a NUMA node twice")
                seen.add((node, kind))

    def not_on_cgroup_v1(self, values: tuple[object, ...], setting: Setting) -> Iterator[_Refusal]:
        """Yield a value that needs cgroup v2, on a host without it."""
        if not any(_is_same(setting.value, each) for each in values):
            return
        try:
            kind = host.cgroups(self.dump)
        except (AbsentError, UnreadError) as error:
            why = f"it needs cgroup v2, and whether the host has that is not known: {error}"
            yield _Refusal(why, value=self.shown(setting.value), status=Status.UNKNOWN)
            return
        if kind != host.CGROUP_V2:
            yield _Refusal("it needs cgroup v2, and the host has cgroup v1", "", self.shown(setting.value))

    def cpus_exist(self, which: str, setting: Setting) -> Iterator[_Refusal]:
        """Yield the CPUs of a set that the host does not have."""
        try:
            wanted = parse_cpus(str(setting.value))
        except DecodeError:
            return  # another form says so
        try:
            online = host.online_cpus(self.dump)
        except (AbsentError, UnreadError) as error:
            yield _Refusal(f"which CPUs the host has is not known: {error}", status=Status.UNKNOWN)
            return
        missing = wanted - (online if which == "online" else frozenset(range(len(online))))
        if missing:
            yield _Refusal(f"the host has the CPUs {show_cpus(online)}, and not {show_cpus(missing)}")

    def nodes_exist(self, _exist: bool, setting: Setting) -> Iterator[_Refusal]:
        """Yield the NUMA nodes of reservedMemory that the host does not have."""
        rows = setting.value if isinstance(setting.value, list) else []
        given = (row.get("numaNode") or 0 for row in rows if isinstance(row, Mapping))
        wanted = {node for node in given if isinstance(node, int)}
        try:
            missing = sorted(wanted - host.numa_nodes(self.dump))
        except AbsentError:
            return
        except UnreadError as error:
            yield _Refusal(f"which NUMA nodes the host has is not known: {error}", status=Status.UNKNOWN)
            return
        for node in missing:
            yield _Refusal(f"the host has no NUMA node {node}")

    def most_nodes(self, limit: MostNodes, setting: Setting) -> Iterator[_Refusal]:
        """Yield that the host has more NUMA nodes than the topology manager takes."""
        options = self.settings.find("topologyManagerPolicyOptions", "topology-manager-policy-options")
        given = options.value.get(limit.option) if options and isinstance(options.value, Mapping) else None
        most = int(given) if isinstance(given, str) and _is_enough_nodes(given) else limit.most
        try:
            count = len(host.numa_nodes(self.dump))
        except AbsentError:
            return
        except UnreadError as error:
            why = f"it has to have at most {most} NUMA nodes: {error}"
            yield _Refusal(why, value=self.shown(setting.value), status=Status.UNKNOWN)
            return
        if count > most:
            advice = f"set {limit.option} of topologyManagerPolicyOptions to {count}" if limit.option else ""
            why = f"the host has {count} NUMA nodes, and it has to have at most {most}"
            yield _Refusal(why, advice, self.shown(setting.value))

    def sysctls(self, known: Sysctls, setting: Setting) -> Iterator[_Refusal]:
        """Yield the names that are not known to be of a namespace; those of a map are checked further."""
        seen = set[str]()
        is_map = isinstance(setting.value, Mapping)
        listed = setting.value if is_map or isinstance(setting.value, list) else []
        for text in (each for each in listed if isinstance(each, str) and not _is_hidden(each)):
            if is_map and (len(text) > 253 or not _SYSCTL.fullmatch(text)):
                yield _Refusal(f"{shown.name(text)[:60]} is no name of a sysctl")
                continue
            whole = _dotted(text)
            if is_map and whole in seen:
                yield _Refusal(f"it has {shown.name(text)[:60]} twice")
            seen.add(whole)
            name = text.replace("/", ".").partition("*")[0]
            if name not in known.names and not name.startswith(known.prefixes):
                yield _Refusal(f"{shown.name(text)[:60]} is not known to be of a namespace")

    def reserved(self, resource: str, setting: Setting) -> Iterator[_Refusal]:
        """Yield that nothing of a resource is reserved, or not what reservedMemory has.

        Of memory the thresholds of evictionHard count too, as far as they are no percentages.
        """
        if resource == "cpu" and self.settings.find("reservedSystemCPUs", "reserved-cpus"):
            return
        kept = [self._amounts(field, flag).get(resource, "0") for field, flag in _RESERVING]
        if resource == "memory":
            default = self._hazards.eviction_hard
            kept.append(self._amounts(*_EVICTING, default=default).get("memory.available", "0"))
        numbers = [_quantity(str(each)) for each in kept]
        if any(number is None for number in numbers):
            return
        total = sum(number for number in numbers if number is not None)
        if resource == "cpu" and not total:
            why = "it needs cpu in kubeReserved or systemReserved, or reservedSystemCPUs"
            yield _Refusal(why, "reserve CPUs", self.shown(setting.value))
        elif resource == "memory" and not any(map(self.settings.find, _UNJUDGED, _UNJUDGED)):
            found = self.settings.find("reservedMemory")
            try:
                own = sum(reserved_memory({}, {"reservedMemory": found and found.value}).values())
            except DecodeError:
                return
            if own != total:
                why = f"reservedMemory has {own} bytes, and {total} are reserved by other settings"
                yield _Refusal(why, "give as much in reservedMemory", self.shown(setting.value))

    def _amounts(self, field: str, flag: str, default: Mapping[str, str] = MappingProxyType({})) -> Any:
        found = self.settings.find(field, flag)
        return found.value if found is not None and isinstance(found.value, Mapping) else default

    def needs_variable(self, name: str, _setting: Setting) -> Iterator[_Refusal]:
        """Yield that an environment variable is not set, or not known to be."""
        if name not in self.start.variables:
            known = self.start.complete
            why = f"the environment variable {name} is {'not set' if known else 'not known to be set'}"
            status = Status.ERROR if known else Status.UNKNOWN
            yield _Refusal(why, f"set {name} in the unit of the kubelet", status=status)

    def drop_ins_need(self, wanted: Mapping[str, str], setting: Setting) -> Iterator[_Refusal]:
        """Yield the files of the directory that lack a field, or are of another kind."""
        for path, document in self.settings.documents:
            if not path.startswith(f"{setting.value.rstrip('/')}/"):
                continue
            if missing := [name for name in wanted if not document.get(name)]:
                yield _Refusal(f"{path} has no {' and no '.join(missing)}", f"add it to {path}")
            for name, value in wanted.items():
                if name not in missing and document[name] != value:
                    yield _Refusal(f"the {name} of {path} is not {value}", f"move {path} elsewhere")


_MOST_WORDS: Final = 12
"""So many accepted words are named."""

_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")

_LABEL: Final = re.compile(r"(?=.{1,63}\Z)[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")

_SUBDOMAIN: Final = re.compile(
    r"(?=.{1,253}\Z)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
)


_TAINTS: Final[Mapping[str, str]] = {
    "whole": "KEY=VALUE:EFFECT",
    "optional effect": "KEY, KEY:EFFECT or KEY=VALUE:EFFECT",
    "once": "KEY:EFFECT or KEY=VALUE:EFFECT",
}
"""How releases want the taints of a flag."""


def _taint(text: str, wanted: str) -> Mapping[str, str] | None:
    """Return a taint of a flag, or None; one that ends with - is taken away again, and needs no effect."""
    is_removed = wanted == "once" and text.endswith("-")
    pair, colon, effect = text.removesuffix("-" if is_removed else "").partition(":")
    key, equals, value = pair.partition("=") if colon else (pair, "", "")
    needs_effect = colon or not (is_removed or wanted == "optional effect")
    if (needs_effect and not effect) or (wanted == "whole" and not equals):
        return None
    return {"key": key, "value": value, "effect": effect}


def _refused_taint(taint: Mapping[str, Any]) -> Iterator[_Refusal]:
    key, value, effect = (str(taint.get(part) or "") for part in ("key", "value", "effect"))
    if any(map(_is_hidden, (key, value, effect))):
        return
    if not _is_qualified(key):
        yield _Refusal("the key of a taint is no qualified name such as example.com/name")
    if value and not _LABEL.fullmatch(value):
        yield _Refusal("the value of a taint is no value of a label")
    if effect and effect not in _EFFECTS:
        yield _Refusal(f"the effect of a taint is none of: {', '.join(_EFFECTS)}")
    if taint.get("timeAdded") is not None:
        yield _Refusal("a taint has timeAdded, which may not be given")


def _is_qualified(key: str) -> bool:
    """Return whether a text is a qualified name (apimachinery util/validation ``IsQualifiedName``)."""
    space, slash, name = key.rpartition("/")
    return _LABEL.fullmatch(name) is not None and (not slash or _SUBDOMAIN.fullmatch(space) is not None)


_RESERVING: Final = (("kubeReserved", "kube-reserved"), ("systemReserved", "system-reserved"))

_EVICTING: Final = ("evictionHard", "eviction-hard")

_UNJUDGED: Final = (
    "reserved-memory",
    "experimental-allocatable-ignore-eviction",
    "mergeDefaultEvictionSettings",
)
"""Settings that make another sum."""

FORMS: Final[Mapping[str, Callable[[_Given, Any, Setting], Iterator[_Refusal]]]] = {
    name: getattr(_Given, name)
    for name in (
        "one_of",
        "keys_one_of",
        "needs_gate",
        "needs_gate_in_flags",
        "range",
        "multiple_of",
        "at_most_field",
        "less_than_field",
        "more_than_field",
        "not_with",
        "needs_field",
        "values_are",
        "keys_are",
        "keys_in",
        "format",
        "alone",
        "unique",
        "not_together",
        "labels",
        "valid_labels",
        "taints",
        "memory_of_nodes",
        "not_on_cgroup_v1",
        "cpus_exist",
        "nodes_exist",
        "most_nodes",
        "sysctls",
        "reserved",
        "needs_variable",
        "drop_ins_need",
    )
}
"""The forms of rows, each with what yields the refusals."""


def _quantity(text: str) -> Fraction | None:
    try:
        return amount(text)
    except DecodeError:
        return None


_SYSCTL: Final = re.compile("([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?")


def _dotted(name: str) -> str:
    """Return the name of a sysctl with dots (component-helpers node/util/sysctl ``NormalizeName``)."""
    is_path = "/" in name.partition(".")[0]
    return name.translate(str.maketrans("./", "/.")) if is_path else name


_SCHEME: Final = re.compile("([A-Za-z][A-Za-z0-9+.-]*):")


def _is_unix_endpoint(text: str) -> bool:
    scheme = _SCHEME.match(text)
    return scheme is None or scheme[1].lower() == "unix"


def _is_cpu_set(text: str) -> bool:
    try:
        parse_cpus(text)
    except DecodeError:
        return False
    return True


def _is_whole(text: str) -> bool:
    number = _quantity(text)
    return number is not None and number.denominator == 1


def _is_absolute_path(text: str) -> bool:
    return text.startswith("/") and posixpath.normpath(text) == text and text.isascii()


def _is_pair_of_addresses(text: str) -> bool:
    """Return whether there is at most one address of each family; what is no address is passed over."""
    found = _addresses(text)
    kinds = {4 if isinstance(address, IPv4Address) or address.ipv4_mapped else 6 for address in found}
    return len(found) < 2 or (len(found) == len(kinds) and not any(each.is_unspecified for each in found))


def _is_one_address(text: str) -> bool:
    return len(_addresses(text)) < 2


def _addresses(text: str) -> list[IPv4Address | IPv6Address]:
    return [address for part in text.split(",") if (address := _address(part.strip())) is not None]


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return None if "%" in text else ip_address(text)
    except ValueError:
        return None


_WORD: Final = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_HOST: Final = rf"(?:{_WORD}(?:\.{_WORD})*|\[[0-9A-Fa-f:]+\])(?::[0-9]+)?"
_PART: Final = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_IMAGE: Final = re.compile(rf"(?:{_HOST}/)?({_PART}(?:/{_PART})*)", re.ASCII)
"""The name of an image without tag and digest (github.com/distribution/reference regexp.go)."""

_LONGEST_IMAGE: Final = 255
"""Characters behind the registry."""


def _is_image_pattern(text: str) -> bool:
    """Return whether a text is one of an image's names, or the beginning of some with ``/*`` behind it."""
    start = text[:-1] if text.endswith("/*") else text
    if text != text.strip() or not start or "*" in start:
        return False
    if start != text:
        return len(start) > 1
    found = _IMAGE.fullmatch(text)
    return found is not None and len(found[1]) <= _LONGEST_IMAGE


def _is_whole_image_pattern(text: str) -> bool:
    """Return whether it is one, with its registry, as names are once their defaults are filled in."""
    if text.endswith("/*") or not _is_image_pattern(text):
        return _is_image_pattern(text)
    host, _, rest = text.partition("/")
    is_host = "." in host or ":" in host or host == "localhost" or host != host.lower()
    is_default = host == "index.docker.io" or (host == "docker.io" and "/" not in rest)
    return bool(rest) and is_host and not is_default


_FORMATS: Final[Mapping[str, tuple[Callable[[str], bool], str]]] = {
    "cpus": (_is_cpu_set, "a set of CPUs such as 0-3,6"),
    "whole quantity": (_is_whole, "a quantity such as 10Mi"),
    "absolute path": (_is_absolute_path, "an absolute path in its shortest form"),
    "node IPs": (_is_pair_of_addresses, "one address, or one of IPv4 and one of IPv6, not 0.0.0.0 or ::"),
    "one node IP": (_is_one_address, "one address with this --cloud-provider"),
    "single-stack node IP": (_is_one_address, "one address while the feature gate for a second one is off"),
    "image patterns": (_is_image_pattern, "names of images without tag and digest, or REGISTRY/*"),
    "whole image patterns": (
        _is_whole_image_pattern,
        "names of images with their registry, without tag and digest, or REGISTRY/*",
    ),
    "unix endpoint": (_is_unix_endpoint, "a socket such as unix:///run/containerd/containerd.sock"),
}
"""What a text has to be, with a test of it and in words."""


def _percentage(text: str) -> float | None:
    number = text.rstrip("%")
    return float(number) if _FLOAT.fullmatch(number) else None


def _is_quantity(text: str) -> bool:
    number = _quantity(text)
    return number is not None and number >= 0


def _is_threshold(text: str) -> bool:
    """Return whether a text is a threshold of eviction (eviction/helpers.go ``parseThresholdStatement``)."""
    if text.endswith("%"):
        percentage = _percentage(text)
        return percentage is not None and 0 <= percentage <= 100
    number = _quantity(text)
    return number is not None and number > 0


def _is_reclaim(text: str) -> bool:
    """Return whether a text is a minimum to reclaim (eviction/helpers.go ``parseMinimumReclaims``)."""
    if text.endswith("%"):
        percentage = _percentage(text)
        return percentage is not None and percentage > 0
    return _is_quantity(text)


def _is_period(text: str) -> bool:
    period = parse_duration(text)
    return period is not None and period >= 0


def _is_enough_nodes(text: str) -> bool:
    number = int(text) if re.fullmatch(r"[-+]?[0-9]{1,99}", text) else 0
    return 8 <= number < 2**63


_FLOAT: Final = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")

_PERCENTAGE: Final = re.compile(r"\+?0*(100|[1-9]?[0-9])%")

_AMOUNTS: Final[Mapping[str, Callable[[str], bool]]] = {
    "percentage": lambda text: _PERCENTAGE.fullmatch(text) is not None,
    "quantity": _is_quantity,
    "threshold": _is_threshold,
    "reclaim": _is_reclaim,
    "duration": _is_period,
    "boolean": lambda text: truth(text) is not None,
    "8 or more": _is_enough_nodes,
}
"""The kinds of a map's values."""

_IN_WORDS: Final = {
    "percentage": "a percentage between 0% and 100%",
    "quantity": "a quantity that is not negative",
    "threshold": "a quantity greater than 0, or a percentage",
    "reclaim": "a quantity that is not negative, or a percentage greater than 0",
    "duration": "a duration such as 1m30s",
    "boolean": "true or false",
    "8 or more": "a number of 8 or more",
}


def _elements(value: object) -> list[str]:
    """Return the elements of a list, or the keys of a map whose value is true."""
    if isinstance(value, Mapping):
        return [str(key) for key, given in value.items() if truth(given)]
    return list(map(str, value)) if isinstance(value, list) else []


def _is_same(value: object, other: object) -> bool:
    if isinstance(value, bool) is not isinstance(other, bool):
        return False
    number = number_of(value)
    return value == other or (number is not None and number == number_of(other))


def _is_unset(value: object, row: ValueRow | Other) -> bool:
    """Return whether a value is as good as none; what the collector hid is not judged either."""
    if _is_hidden(value) or value in ("", [], {}) or any(_is_same(value, each) for each in row.unset):
        return True
    number, above = number_of(value), number_of(row.only_above)
    return number is not None and above is not None and number <= above


def _is_empty_word(setting: Setting, row: ValueRow) -> bool:
    """Return whether a flag is given as empty where only some words are accepted: it gets no default."""
    return (
        bool(row.one_of) and setting.name == f"--{row.flag}" and setting.value == "" and "" not in row.unset
    )


def _is_hidden(value: object) -> bool:
    return isinstance(value, str) and shown.MASK in value


def _is_below(space: str, namespaces: tuple[str, ...]) -> bool:
    return any(space == each or space.endswith(f".{each}") for each in namespaces)


def _within(limits: Limits) -> str:
    if limits.above is not None:
        return f"greater than {limits.above} and at most {limits.most}"
    if limits.least is None:
        return f"at most {limits.most}"
    if limits.most is not None:
        return f"between {limits.least} and {limits.most}, inclusive"
    return f"at least {limits.least}"


VALUES: Final = Check("PF-126", _find_values)
