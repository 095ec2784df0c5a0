"""What the next kubelet is given, what texts in it have to be, and what the host has to have for it: PF-126.

``SettingsCheck`` holds settings against what a release accepts, as the rows of values ask for it; ``forms``
has the forms of these rows.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final, TypeVar

import msgspec

from hashcompat.analysis.preflight.checks import KubeletStart
from hashcompat.analysis.preflight.facts import host
from hashcompat.analysis.preflight.facts.kubelet import truth
from hashcompat.analysis.preflight.facts.settings import KubeletSettings, Setting, number_of
from hashcompat.analysis.preflight.facts.units import Start
from hashcompat.core import shown
from hashcompat.core.catalog.behaviour import Gates
from hashcompat.core.catalog.kubeletsettings import MostNodes, SettingReference, ValueRow
from hashcompat.core.corev1.resources import amount
from hashcompat.core.errors import DecodeError
from hashcompat.core.go.metav1 import parse_cpus, parse_duration, show_cpus
from hashcompat.core.model.preflight import Status
from hashcompat.core.records.probes import AbsentError, Dump, UnreadError


class RefusedValue(msgspec.Struct, frozen=True):
    """That a value is refused."""

    why: str
    """Why a value is refused, in as few words as the kubelet's."""
    advice: str = ""
    """What to do; empty for changing the value."""
    value: str = ""
    """The value, or the part of it that is refused, as it may be shown."""
    status: Status = Status.ERROR


class SettingsCheck:
    """What the next kubelet is given, held against what its release accepts."""

    def __init__(self, settings: KubeletSettings, start: Start, upgrade: KubeletStart, dump: Dump) -> None:
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
        is_safe = isinstance(value, str) and (
            value in self.hazards.values.words or parse_duration(value) is not None
        )
        number = number_of(value)
        return str(value) if is_safe else "" if number is None else str(number)

    def counts(self, row: ValueRow) -> bool:
        """Return whether the gates, and the setting that a row names, are those for which it judges."""
        if row.with_gate and not self.gates.is_on(row.with_gate):
            return False
        if row.without_gate and self.gates.is_on(row.without_gate):
            return False
        return row.only_with is None or self.referenced(row.only_with) is not None

    def setting(self, row: ValueRow) -> Setting | None:
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
        excepted = any(is_same(setting.value, value) for value in row.excepted)
        return None if excepted else setting

    def _is_object(self, setting: Setting) -> bool:
        """Return whether a value is an object of Go: to a pointer an empty one is not as good as none."""
        field = self.hazards.config.fields(self.release).get(setting.name)
        return field is not None and field.kind == "object" and isinstance(setting.value, Mapping)

    def referenced(self, reference: SettingReference) -> Setting | None:
        """Return another setting where it has one of the values that count; its default may be one."""
        setting = self.settings.find(reference.field, reference.flag)
        if setting is None or is_unset(setting.value, reference):
            if reference.default is None:
                return None
            setting = Setting(reference.field, reference.default, "")
        counts = not reference.values or any(is_same(setting.value, value) for value in reference.values)
        return setting if counts else None


def elements(value: object) -> list[str]:
    """Return the elements of a list, or the keys of a map whose value is true."""
    if isinstance(value, Mapping):
        return [str(key) for key, entry in value.items() if truth(entry)]
    return list(map(str, value)) if isinstance(value, list) else []


def is_same(value: object, other: object) -> bool:
    """Return whether two values are one to a kubelet: ``1m`` and ``60s`` are."""
    if isinstance(value, bool) is not isinstance(other, bool):
        return False
    number = number_of(value)
    return value == other or (number is not None and number == number_of(other))


def is_unset(value: object, row: ValueRow | SettingReference) -> bool:
    """Return whether a value is as good as none; what the collector hid is not judged either."""
    if is_hidden(value) or value in ("", [], {}) or any(is_same(value, unset) for unset in row.unset):
        return True
    number, above = number_of(value), number_of(row.only_above)
    return number is not None and above is not None and number <= above


def _is_empty_word(setting: Setting, row: ValueRow) -> bool:
    """Return whether a flag is given as empty where only some words are accepted: it gets no default."""
    is_empty = setting.name == f"--{row.flag}" and setting.value == ""
    return bool(row.one_of) and is_empty and "" not in row.unset


def is_hidden(value: object) -> bool:
    """Return whether the collector left a value out."""
    return isinstance(value, str) and shown.MASK in value


# What texts have to be.

EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")

LABEL: Final = re.compile(r"(?=.{1,63}\Z)[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")

_SUBDOMAIN: Final = re.compile(
    r"(?=.{1,253}\Z)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
)

TAINTS: Final[Mapping[str, str]] = {
    "whole": "KEY=VALUE:EFFECT",
    "optional effect": "KEY, KEY:EFFECT or KEY=VALUE:EFFECT",
    "once": "KEY:EFFECT or KEY=VALUE:EFFECT",
}
"""How releases want the taints of a flag."""


def taint_of(text: str, wanted: str) -> Mapping[str, str] | None:
    """Return a taint of a flag, or None; one that ends with - is taken away again, and needs no effect."""
    is_removed = wanted == "once" and text.endswith("-")
    pair, colon, effect = text.removesuffix("-" if is_removed else "").partition(":")
    key, equals, value = pair.partition("=") if colon else (pair, "", "")
    needs_effect = colon or not (is_removed or wanted == "optional effect")
    if (needs_effect and not effect) or (wanted == "whole" and not equals):
        return None
    return {"key": key, "value": value, "effect": effect}


def is_qualified(key: str) -> bool:
    """Return whether a text is a qualified name (apimachinery util/validation ``IsQualifiedName``)."""
    space, slash, name = key.rpartition("/")
    return LABEL.fullmatch(name) is not None and (not slash or _SUBDOMAIN.fullmatch(space) is not None)


def is_below(space: str, namespaces: tuple[str, ...]) -> bool:
    """Return whether what is before the slash of a label is one of some domains, or below it."""
    return any(space == namespace or space.endswith(f".{namespace}") for namespace in namespaces)


SYSCTL: Final = re.compile("([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?")


def dotted(name: str) -> str:
    """Return the name of a sysctl with dots (component-helpers node/util/sysctl ``NormalizeName``)."""
    is_path = "/" in name.partition(".")[0]
    return name.translate(str.maketrans("./", "/.")) if is_path else name


def quantity_of(text: str) -> Fraction | None:
    """Return the amount of a quantity; None for a text that is none."""
    try:
        return amount(text)
    except DecodeError:
        return None


_SCHEME: Final = re.compile("([A-Za-z][A-Za-z0-9+.-]*):")


def _is_unix_endpoint(text: str) -> bool:
    scheme = _SCHEME.match(text)
    return scheme is None or scheme[1].lower() == "unix"


def _is_tracing_endpoint(text: str) -> bool:
    """Return whether gRPC finds spans' receiver by a text: one without slashes is a host."""
    scheme = _SCHEME.match(text)
    return "//" not in text or (scheme is not None and scheme[1].lower() in ("dns", "unix", "unix-abstract"))


def _is_cpu_set(text: str) -> bool:
    try:
        parse_cpus(text)
    except DecodeError:
        return False
    return True


def _is_whole(text: str) -> bool:
    number = quantity_of(text)
    return number is not None and number.denominator == 1


def _is_absolute_path(text: str) -> bool:
    return text.startswith("/") and posixpath.normpath(text) == text and text.isascii()


def _is_pair_of_addresses(text: str) -> bool:
    """Return whether there is at most one address of each family; what is no address is passed over."""
    addresses = _addresses(text)
    kinds = {4 if isinstance(address, IPv4Address) or address.ipv4_mapped else 6 for address in addresses}
    return len(addresses) < 2 or (
        len(addresses) == len(kinds) and not any(address.is_unspecified for address in addresses)
    )


def _is_one_address(text: str) -> bool:
    return len(_addresses(text)) < 2


def _addresses(text: str) -> list[IPv4Address | IPv6Address]:
    return [address for part in text.split(",") if (address := _address(part.strip())) is not None]


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return None if "%" in text else ip_address(text)
    except ValueError:
        return None


_ZEROS: Final = re.compile(r"(?<![0-9])0+(?=[0-9])")


def _is_ip(text: str) -> bool:
    """Return whether a text is an address; those of IPv4 may have zeros in front (``ParseIPSloppy``)."""
    return _address(text if ":" in text else _ZEROS.sub("", text)) is not None


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
    match = _IMAGE.fullmatch(text)
    return match is not None and len(match[1]) <= _LONGEST_IMAGE


def _is_whole_image_pattern(text: str) -> bool:
    """Return whether it is one, with its registry, as names are once their defaults are filled in."""
    if text.endswith("/*") or not _is_image_pattern(text):
        return _is_image_pattern(text)
    host, _, rest = text.partition("/")
    is_host = "." in host or ":" in host or host == "localhost" or host != host.lower()
    is_default = host == "index.docker.io" or (host == "docker.io" and "/" not in rest)
    return bool(rest) and is_host and not is_default


FORMATS: Final[Mapping[str, tuple[Callable[[str], bool], str]]] = {
    "cpus": (_is_cpu_set, "a set of CPUs such as 0-3,6"),
    "whole quantity": (_is_whole, "a quantity such as 10Mi"),
    "absolute path": (_is_absolute_path, "an absolute path in its shortest form"),
    "IP address": (_is_ip, "an IP address such as 0.0.0.0"),
    "node IPs": (_is_pair_of_addresses, "one address, or one of IPv4 and one of IPv6, not 0.0.0.0 or ::"),
    "one node IP": (_is_one_address, "one address with this --cloud-provider"),
    "single-stack node IP": (_is_one_address, "one address while the feature gate for a second one is off"),
    "image patterns": (_is_image_pattern, "names of images without tag and digest, or REGISTRY/*"),
    "whole image patterns": (
        _is_whole_image_pattern,
        "names of images with their registry, without tag and digest, or REGISTRY/*",
    ),
    "tracing endpoint": (_is_tracing_endpoint, "HOST:PORT, or begin with dns, unix or unix-abstract"),
    "cgroup below the root": (lambda text: text != "/", "a cgroup below the root"),
    "unix endpoint": (_is_unix_endpoint, "a socket such as unix:///run/containerd/containerd.sock"),
}
"""What a text has to be, with a test of it and in words."""


def _percentage(text: str) -> float | None:
    number = text.rstrip("%")
    return float(number) if _FLOAT.fullmatch(number) else None


def _is_quantity(text: str) -> bool:
    number = quantity_of(text)
    return number is not None and number >= 0


def _is_threshold(text: str) -> bool:
    """Return whether a text is a threshold of eviction (eviction/helpers.go ``parseThresholdStatement``)."""
    if text.endswith("%"):
        percentage = _percentage(text)
        return percentage is not None and 0 <= percentage <= 100
    number = quantity_of(text)
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


def is_enough_nodes(text: str) -> bool:
    """Return whether a text is a number of NUMA nodes that the topology manager takes for an option."""
    number = int(text) if re.fullmatch(r"[-+]?[0-9]{1,99}", text) else 0
    return 8 <= number < 2**63


_FLOAT: Final = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")
_PERCENTAGE: Final = re.compile(r"\+?0*(100|[1-9]?[0-9])%")

AMOUNTS: Final[Mapping[str, tuple[Callable[[str], bool], str]]] = {
    "percentage": (
        lambda text: _PERCENTAGE.fullmatch(text) is not None,
        "a percentage between 0% and 100%",
    ),
    "quantity": (_is_quantity, "a quantity that is not negative"),
    "threshold": (_is_threshold, "a quantity greater than 0, or a percentage"),
    "reclaim": (_is_reclaim, "a quantity that is not negative, or a percentage greater than 0"),
    "duration": (_is_period, "a duration such as 1m30s"),
    "boolean": (lambda text: truth(text) is not None, "true or false"),
    "8 or more": (is_enough_nodes, "a number of 8 or more"),
}
"""What a map's value has to be, with a test of it and in words."""


# The rows that hold a setting against the host.

Fact = TypeVar("Fact")


class UnknownError(Exception):
    """What the host is decides, and is not known."""

    def __init__(self, refusal: RefusedValue) -> None:
        super().__init__(refusal.why)
        self.refusal = refusal
        """What is said of the setting then."""


def _read(read: Callable[[Dump], Fact], check: SettingsCheck, why: str, value: str = "") -> Fact:
    """Return a fact of the host; raises UnknownError, which says ``why``, where it was not read."""
    try:
        return read(check.dump)
    except (AbsentError, UnreadError) as error:
        raise UnknownError(RefusedValue(f"{why}: {error}", value=value, status=Status.UNKNOWN)) from None


def _numa_nodes(dump: Dump) -> frozenset[int] | None:
    """Return the numbers of the host's NUMA nodes; None where the kernel knows none. Raises UnreadError."""
    try:
        return host.numa_nodes(dump)
    except AbsentError:
        return None


def not_on_cgroup_v1(
    check: SettingsCheck, values: tuple[object, ...], setting: Setting
) -> Iterator[RefusedValue]:
    """Yield a value that needs cgroup v2, on a host without it."""
    if not any(is_same(setting.value, candidate) for candidate in values):
        return
    value = check.shown(setting.value)
    unknown = "it needs cgroup v2, and whether the host has that is not known"
    if _read(host.cgroups, check, unknown, value) != host.CGROUP_V2:
        yield RefusedValue("it needs cgroup v2, and the host has cgroup v1", "", value)


def cpus_exist(check: SettingsCheck, which: str, setting: Setting) -> Iterator[RefusedValue]:
    """Yield the CPUs of a set that the host does not have."""
    try:
        wanted = parse_cpus(str(setting.value))
    except DecodeError:
        return  # another form says so
    online = _read(host.online_cpus, check, "which CPUs the host has is not known")
    missing = wanted - (online if which == "online" else frozenset(range(len(online))))
    if missing:
        yield RefusedValue(f"the host has the CPUs {show_cpus(online)}, and not {show_cpus(missing)}")


def nodes_exist(check: SettingsCheck, _exist: bool, setting: Setting) -> Iterator[RefusedValue]:
    """Yield the NUMA nodes of reservedMemory that the host does not have."""
    rows = setting.value if isinstance(setting.value, list) else []
    named = (row.get("numaNode") or 0 for row in rows if isinstance(row, Mapping))
    wanted = {node for node in named if isinstance(node, int)}
    numa_nodes = _read(_numa_nodes, check, "which NUMA nodes the host has is not known")
    for node in sorted(wanted - numa_nodes) if numa_nodes is not None else ():
        yield RefusedValue(f"the host has no NUMA node {node}")


def most_nodes(check: SettingsCheck, limit: MostNodes, setting: Setting) -> Iterator[RefusedValue]:
    """Yield that the host has more NUMA nodes than the topology manager takes."""
    options = check.settings.find("topologyManagerPolicyOptions", "topology-manager-policy-options")
    option = options.value.get(limit.option) if options and isinstance(options.value, Mapping) else None
    most = int(option) if isinstance(option, str) and is_enough_nodes(option) else limit.most
    value = check.shown(setting.value)
    numa_nodes = _read(_numa_nodes, check, f"it has to have at most {most} NUMA nodes", value)
    if numa_nodes is not None and len(numa_nodes) > most:
        number = len(numa_nodes)
        advice = f"set {limit.option} of topologyManagerPolicyOptions to {number}" if limit.option else ""
        why = f"the host has {number} NUMA nodes, and it has to have at most {most}"
        yield RefusedValue(why, advice, value)
