"""The host below the kubelet: mounts, memory, file systems, certificates, users, and what a kubelet asks."""

from __future__ import annotations

import base64
import re
import ssl
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, Final

import msgspec

from hashcompat.core import shown
from hashcompat.core.corev1.resources import amount
from hashcompat.core.errors import DecodeError
from hashcompat.core.go.metav1 import parse_cpus
from hashcompat.core.records.probes import (
    CGROUP_DEPTH,
    CGROUP_NAME,
    CGROUPS,
    CGROUPS_OF_SERVICES,
    CPUS,
    GETSUBIDS,
    MOUNTS,
    NAME_SERVICES,
    NOT_COLLECTED,
    NUMA,
    ONLINE,
    SERVICE_PATH,
    SWAPS,
    USERS,
    AbsentError,
    Dump,
    UnreadError,
    lines,
)

_REMOTE: Final = frozenset({"nfs", "nfs4", "cifs", "smb3", "ceph", "glusterfs", "9p"})

_LOCAL: Final = frozenset({"fuse.lxcfs", "fuse.portal", "fuse.gvfsd-fuse", "fuse.snapfuse"})
"""FUSE without a server elsewhere."""


class Mount(msgspec.Struct, frozen=True):
    """A line of a mount table."""

    device: str
    """What is mounted."""
    path: str
    """Where."""
    kind: str
    """The file system's type, such as ``cgroup2``."""

    @property
    def is_fuse(self) -> bool:
        """Whether a process serves it."""
        return self.kind == "fuse" or self.kind.startswith("fuse.")

    @property
    def is_remote(self) -> bool:
        """Whether a server elsewhere or a process serves it, and may be gone."""
        return self.kind in _REMOTE or (self.is_fuse and self.kind not in _LOCAL)


def mounts(text: str) -> tuple[Mount, ...]:
    """Read a mount table, fstab(5); raises UnreadError for one of nothing, which no node has."""
    rows = (line.split(" ") for line in lines(text))
    table = tuple(Mount(row[0], _unescaped(row[1]), row[2]) for row in rows if len(row) > 2)
    if not table:
        raise UnreadError("nothing is in the mount table: /proc of the node could not be seen")
    return table


def _unescaped(path: str) -> str:
    """Return a path in which the kernel wrote blanks, backslashes and the like in octal."""
    return re.sub(r"\\([0-7]{3})", lambda escape: chr(int(escape[1], 8)), path)


_BLOCK: Final = 1024

_DF: Final = re.compile(r".*?\s(\d+|-)\s+(\d+|-)\s+(-?\d+|-)\s+(?:\d+%|-)\s+/.*")
"""Device, size, used, available, share, directory; the first and the last may hold blanks."""


class Usage(msgspec.Struct, frozen=True):
    """How full a file system is; 0 of what it does not count, such as inodes of btrfs."""

    size: int
    """Its size in bytes."""
    used: int
    """What holds something, in bytes; what is kept for root counts as free."""
    available: int
    """What a process without privileges may still write, in bytes; negative where root used its own."""
    inodes: int
    """How many files and directories it can hold."""
    inodes_used: int
    """How many it holds."""
    inodes_free: int
    """How many more it can hold."""


def meminfo(text: str) -> Mapping[str, int]:
    """Read /proc/meminfo, in bytes."""
    rows = (line.replace(":", " ").split() for line in text.splitlines())
    return {row[0]: int(row[1]) * _BLOCK for row in rows if len(row) > 1 and row[1].isdecimal()}


def usage(text: str) -> Usage:
    """Read the last line of ``df -Pk`` and that of ``df -Pi``; raises UnreadError for something else."""
    matches = [_DF.fullmatch(line.strip()) for line in text.splitlines() if line.strip()]
    counts = [[0 if word == "-" else int(word) for word in match.groups()] for match in matches if match]
    # Without inodes a file system has none to run out of; without blocks nothing is known of its space.
    if len(counts) != len(matches) or len(counts) != 2 or (matches[0] and "-" in matches[0].groups()):
        raise UnreadError("want a line of df -Pk and one of df -Pi")
    blocks, inodes = counts
    return Usage(*(count * _BLOCK for count in blocks), *inodes)


def thresholds(setting: Any, defaults: Mapping[str, str], *, merged: bool) -> Mapping[str, str]:
    """Return evictionHard: what the kubelet is given, as flag or mapping, instead of all the defaults.

    ``merged``: mergeDefaultEvictionSettings (1.33), with which the defaults are kept for other signals.
    """
    if setting is None:
        return defaults
    if isinstance(setting, Mapping):
        limits = {str(signal): str(value) for signal, value in setting.items()}
    else:
        pairs = (pair.partition("<") for pair in str(setting).split(","))
        limits = {signal.strip(): value.strip() for signal, _, value in pairs if value}
    return {**defaults, **limits} if merged else limits


def least(threshold: str, whole: int) -> Fraction:
    """Return the threshold of a signal; ``whole`` is 100 %."""
    try:
        if threshold.endswith("%"):
            return amount(threshold[:-1]) * whole / 100
        return amount(threshold)
    except DecodeError:
        raise UnreadError("a value that is not a threshold") from None


def swaps(dump: Dump) -> list[str]:
    """Return what the node swaps to; nothing too where its kernel does not swap."""
    try:
        rows = dump.read("file", SWAPS).splitlines()
    except AbsentError:
        return []
    return [words[0] for words in map(str.split, rows) if words][1:]


def reserved(setting: Any, resource: str) -> Fraction:
    """Return what of a resource is reserved, by a flag, ``memory=1Gi,cpu=1``, or a mapping."""
    if not isinstance(setting, Mapping):
        pairs = (pair.partition("=") for pair in str(setting or "").split(","))
        setting = {name.strip(): value.strip() for name, _, value in pairs}
    return least(str(setting.get(resource, "0")), 0)


_LINE: Final = "notAfter="
_PEM: Final = "-----BEGIN CERTIFICATE-----"
_PEM_END: Final = "-----END CERTIFICATE-----"


class Expiry(msgspec.Struct, frozen=True):
    """When one certificate expires."""

    path: str
    """The file that it is in."""
    at: datetime | None
    """The last moment of its validity, UTC; None where it could not be read."""
    problem: str = ""
    """Why it could not be read."""


def expiries(dump: Dump) -> Iterator[Expiry]:
    """Yield when each certificate expires that is on the node; of several in a file, the first one.

    Raises UnreadError where no certificate was looked for.
    """
    probes = list(dump.of_kind("certificate"))
    if not probes:
        raise UnreadError(f"certificates: {NOT_COLLECTED}")
    for probe in probes:
        if probe.problem:
            yield Expiry(probe.name, None, probe.problem)
        elif probe.text is not None:
            try:
                yield Expiry(probe.name, _not_after(probe.text))
            except ValueError:
                yield Expiry(probe.name, None, "neither a certificate nor the line notAfter= of one")


def _not_after(text: str) -> datetime:
    """Read the line that ``openssl x509 -enddate`` prints, or the first block of PEM."""
    line = next((line for line in text.splitlines() if line.startswith(_LINE)), None)
    if line is not None:
        return datetime.fromtimestamp(ssl.cert_time_to_seconds(line.removeprefix(_LINE).strip()), UTC)
    return _expiry_of(_der(text))


def _der(text: str) -> bytes:
    """Return what is in the first block of PEM; raises ValueError where there is none."""
    _, _, after = text.partition(_PEM)
    block, ends, _ = after.partition(_PEM_END)
    if not ends:
        raise ValueError("no block of PEM")
    return base64.b64decode("".join(block.split()), validate=True)


# The end of a certificate's validity is a time in the first of its DER's nested elements, behind a version
# and three elements whose content does not matter (RFC 5280, section 4.1). The standard library reads
# certificates by a private function alone, and a library for all of X.509 is larger than this program.

_INTEGER, _UTC_TIME, _TIME, _SEQUENCE, _VERSION = 0x02, 0x17, 0x18, 0x30, 0xA0
"""Tags of DER; ``_VERSION`` is that of the one element which a certificate may lack."""

_DIGITS: Final = {_UTC_TIME: re.compile(rb"[0-9]{12}Z"), _TIME: re.compile(rb"[0-9]{14}Z")}
_LONG_LENGTH: Final = 0x80


def _expiry_of(der: bytes) -> datetime:
    """Return the last moment of a certificate's validity; raises ValueError for what is not one."""
    _, validity, _ = _element(_fields(der), _SEQUENCE)
    _, _, validity = _element(validity, *_DIGITS)
    tag, end, rest = _element(validity, *_DIGITS)
    if rest or not _DIGITS[tag].fullmatch(end):
        raise ValueError("not a time")
    digits = end[:-1].decode()
    if tag == _UTC_TIME:  # of 1950 to 2049
        digits = f"{'19' if digits >= '5' else '20'}{digits}"
    month, day, hour, minute, second = (int(digits[place : place + 2]) for place in range(4, 14, 2))
    return datetime(int(digits[:4]), month, day, hour, minute, second, tzinfo=UTC)


def _fields(der: bytes) -> bytes:
    """Return the elements of a certificate from its validity on; raises ValueError for what is not one."""
    _, certificate, rest = _element(der, _SEQUENCE)
    _, fields, signature = _element(certificate, _SEQUENCE)
    if rest or not signature:
        raise ValueError("not one certificate")
    if fields[:1] == bytes([_VERSION]):
        _, _, fields = _element(fields, _VERSION)
    for tag in (_INTEGER, _SEQUENCE, _SEQUENCE):  # the serial number, the algorithm, the issuer
        _, _, fields = _element(fields, tag)
    return fields


def _element(der: bytes, *tags: int) -> tuple[int, bytes, bytes]:
    """Return the tag and content of the first element of DER, and what follows it (X.690, section 8.1).

    Raises ValueError where it has none of the tags, is cut off, or has a length in another form than DER's.
    """
    if len(der) < 2 or der[0] not in tags:
        raise ValueError("another element")
    length, start = der[1], 2
    if length >= _LONG_LENGTH:
        start += length - _LONG_LENGTH
        length = int.from_bytes(der[2:start], "big")
        if length < _LONG_LENGTH or der[2] == 0:
            raise ValueError("a length that is not in its shortest form")
    if start + length > len(der):
        raise ValueError("cut off")
    return der[0], der[start : start + length], der[start + length :]


_SET: Final = 0x31

_COMMON_NAME: Final = re.compile(rb"\x06\x03\x55\x04\x03[\x0c\x13].", re.DOTALL)
"""Its identifier (2.5.4.3), and the head of a UTF8String or PrintableString of fewer than 128 bytes."""

_OF_NODE: Final = "system:node:"


def node_of_certificates(dump: Dump) -> str:
    """Return the node that a client certificate of the kubelet is of; empty where none shows it.

    The first block of a file counts, as for a kubelet; the line of openssl has no name.
    """
    for probe in dump.of_kind("certificate"):
        if _PEM not in (probe.text or "") or "client" not in probe.name.removesuffix("client-ca.crt"):
            continue
        try:
            name = _common_name(_der(probe.text or ""))
        except ValueError:
            continue
        if name.startswith(_OF_NODE):
            return name.removeprefix(_OF_NODE)
    return ""


def _common_name(der: bytes) -> str:
    """Return the name that a certificate is for; raises ValueError where it has none."""
    _, _, rest = _element(_fields(der), _SEQUENCE)
    _, subject, _ = _element(rest, _SEQUENCE)
    while subject:
        _, attribute, subject = _element(subject, _SET)
        _, pair, _ = _element(attribute, _SEQUENCE)
        if match := _COMMON_NAME.match(pair):
            return pair[match.end() :].decode()
    raise ValueError("no common name")


# The ids that a node has for pods with user namespaces: the user ``kubelet``, its ranges, and getsubids.
# From 1.30 on a kubelet whose node has that user runs getsubids, which reads what is read here
# (pkg/kubelet/kubelet_pods.go ``getKubeletMappings``).

USER: Final = "kubelet"

_NUMBER: Final = re.compile("[0-9]{1,19}")


class IdRange(msgspec.Struct, frozen=True):
    """Ids that belong to a user."""

    first: int
    """The first of them."""
    length: int
    """How many they are."""


def has_user(dump: Dump) -> bool:
    """Return whether the node has a user of that name."""
    return _line(dump) is not None


def _line(dump: Dump) -> list[str] | None:
    rows = (line.split(":") for line in lines(dump.read("file", USERS)))
    return next((row for row in rows if row[0] == USER), None)


def has_program(dump: Dump) -> bool:
    """Return whether getsubids is in a directory of the PATH; raises UnreadError where that is not known."""
    unread: list[str] = []
    for directory in SERVICE_PATH:
        path = f"{directory}/{GETSUBIDS}"
        kind, name = ("directory", directory) if ("directory", directory) in dump.probes else ("path", path)
        try:
            text = dump.read(kind, name)
        except AbsentError:
            continue
        except UnreadError as error:
            unread.append(str(error))
            continue
        if kind == "path" or GETSUBIDS in text.splitlines():
            return True
    # One list of names without it settles nothing alone, but a distribution has it in /usr/bin.
    if unread and ("directory", "/usr/bin") not in dump.probes:
        raise UnreadError(unread[0])
    return False


def ranges(dump: Dump, path: str) -> tuple[IdRange, ...]:
    """Return the ranges of the user in a file, by its name or id; raises UnreadError for no numbers."""
    user = _line(dump) or [USER]
    owners = {USER, *user[2:3]}
    rows = [line.split(":") for line in _read(dump, path)]
    id_ranges = list[IdRange]()
    for parts in [row[1:] for row in rows if row[0] in owners]:
        numbers = [part.strip() for part in parts]
        if len(numbers) != 2 or not all(map(_NUMBER.fullmatch, numbers)):
            raise UnreadError(f"{path}: a line of {USER} is not NAME:FIRST:LENGTH")
        id_ranges.append(IdRange(*map(int, numbers)))
    return tuple(id_ranges)


def _read(dump: Dump, path: str) -> list[str]:
    try:
        return lines(dump.read("file", path))
    except AbsentError:
        return []


def other_service(dump: Dump) -> str:
    """Return what answers for ranges of ids instead of these files; empty where they count."""
    for line in _read(dump, NAME_SERVICES):
        name, _, services = line.partition(":")
        if name.strip() == "subid":
            first = (services.split() or ["files"])[0]
            return "" if first == "files" else first
    return ""


def recorded_ranges(dump: Dump, root: str) -> Mapping[str, IdRange]:
    """Return the ids that a kubelet recorded of pods with user namespaces, by their UIDs.

    Raises UnreadError, also for a record that is not of one range.
    """
    id_ranges, place = dict[str, IdRange](), f"{root.rstrip('/')}/pods"
    try:
        recorded = lines(dump.read("mappings", place))
    except AbsentError:
        return id_ranges
    for line in recorded:
        uid, _, content = line.partition(" ")
        if not content:  # a kubelet passes over an empty file
            continue
        match = _MAPPED.fullmatch(content)
        if match is None or match[1] != match[3] or match[2] != match[4]:
            raise UnreadError(f"{place}/{shown.name(uid)[:40]}/userns: not one mapping of ids")
        id_ranges[uid] = IdRange(int(match[1]), int(match[2]))
    return id_ranges


_OF_IDS: Final = r'\[\{"hostId":([0-9]{1,10}),"containerId":0,"length":([0-9]{1,10})\}\]'
_MAPPED: Final = re.compile(rf'\{{"uidMappings":{_OF_IDS},"gidMappings":{_OF_IDS}\}}')


SIBLINGS: Final = "thread_siblings_list"
"""The file below a CPU's topology that names the CPUs of its core."""


def online_cpus(dump: Dump) -> frozenset[int]:
    """Return the numbers of the CPUs that the kernel uses; raises AbsentError and UnreadError."""
    return _cpus(dump, ONLINE)


def cpus_of(dump: Dump, node: str) -> frozenset[int]:
    """Return the numbers of the CPUs of a NUMA node; raises AbsentError and UnreadError."""
    return _cpus(dump, f"{NUMA}/node{node}/cpulist")


def cores(dump: Dump) -> frozenset[frozenset[int]]:
    """Return the CPUs of each core; raises AbsentError and UnreadError, as for an older collector's dump."""
    return frozenset(_cpus(dump, f"{CPUS}/cpu{cpu}/topology/{SIBLINGS}") for cpu in online_cpus(dump))


def _cpus(dump: Dump, path: str) -> frozenset[int]:
    try:
        return parse_cpus(dump.read("file", path).strip())
    except DecodeError as error:
        raise UnreadError(str(error)) from None


CGROUP_V2: Final = "cgroup2"
"""The type of the file system at the top of the cgroups with cgroup v2 alone."""


def cgroups(dump: Dump) -> str:
    """Return the type of file system at the top of the cgroups; raises AbsentError and UnreadError."""
    table = mounts(dump.read("file", MOUNTS))
    kind = next((mount.kind for mount in table if mount.path == CGROUPS), None)
    if kind is None:
        raise UnreadError(f"nothing is mounted at {CGROUPS}")
    return kind


def controllers(dump: Dump) -> Mapping[str, frozenset[str]]:
    """Return the controllers of each cgroup of slices and services, by its path; ``/`` is the root.

    With cgroup v1 they are the hierarchies that it is in. Raises AbsentError and UnreadError, as for the dump
    of an older collector.
    """
    rows = (line.split(" ") for line in lines(dump.read(*CGROUPS_OF_SERVICES)))
    controllers_by_path = {path: frozenset(filter(None, names)) for path, *names in rows}
    if "/" not in controllers_by_path:
        raise UnreadError(f"{CGROUPS}: no cgroups are shown")
    return controllers_by_path


def shows_cgroup(path: str) -> bool:
    """Return whether a dump would have a cgroup if it were there."""
    parts = path.strip("/").split("/")
    return len(parts) <= CGROUP_DEPTH and all(map(CGROUP_NAME.fullmatch, parts))


def numa_nodes(dump: Dump) -> frozenset[int]:
    """Return the numbers of the host's NUMA nodes.

    Raises AbsentError where the kernel knows none, and UnreadError where the directory is not in the dump.
    """
    names = dump.read("directory", NUMA).split()
    return frozenset(int(name.removeprefix("node")) for name in names if re.fullmatch("node[0-9]+", name))
