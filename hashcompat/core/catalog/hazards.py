"""What can break at a node when a kubelet of some release is started: rows of hazards.json; distributions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.core.catalog.eras import TypeBuilder
from hashcompat.core.catalog.files import DataFiles, DataTable, camel
from hashcompat.core.catalog.kubeletsettings import ConfigTable, FlagTable, ValueTable
from hashcompat.core.catalog.releases import Range
from hashcompat.core.go import metav1
from hashcompat.core.go.metav1 import DEFAULTS
from hashcompat.core.go.types import GoType, Pointer, Struct
from hashcompat.core.regex import regex
from hashcompat.core.release import Release, parse_release


class Hazards(msgspec.Struct, frozen=True):
    """What one release does at its start; the rows name their sources."""

    cgroup_v1: str
    """A node with cgroup v1 is ``supported``, or ``refused`` unless failCgroupV1 is false."""
    cpu_entries_migrate: bool
    """Whether CPUs by container id are given to the containers of those ids, which have to exist."""
    cpus_have_to_match: bool
    """Whether a static CPU policy needs the file's CPUs to be those of the node."""
    drop_ins: str
    """How files of --config-dir are merged: ``as patches``, ``with defaults`` of their own, or so that
    ``nulls are nothing``."""
    drop_ins_lose: tuple[str, ...]
    """The fields that count in the configuration file, and that files of --config-dir set in vain."""
    flags: FlagTable
    """The flags that kubelets accept."""
    config: ConfigTable
    """The fields of the configuration file that kubelets know."""
    values: ValueTable
    """The values of both with which kubelets do not start."""
    states: StateFiles
    """What it makes of the state files in the kubelet's root directory."""
    orphaned_container: str
    """A container whose sandbox the runtime does not list is ``ignored``, ``refused``, so that the kubelet
    does not start, or ``logged``."""
    cadvisor_docker: str
    """cAdvisor's Docker plugin, which waits for each container without end: ``linked`` or ``absent``."""
    docker_stop_repairs: str
    """The range of Docker versions in which stopping a container whose task is missing succeeds."""
    sandbox_checkpoint: Mapping[str, Any] | None
    """The type tree of the kubelet's own checkpoints of Docker sandboxes; None where it has none. Notation:
    schemas/types/README.md; the root is what the checksum is made over."""
    cri_dockerd_checkpoint: Mapping[str, Any]
    """The type tree of cri-dockerd's checkpoints of sandboxes."""
    runtime_endpoint: str
    """Which runtime a kubelet drives that is given no endpoint: ``dockershim``, ``none`` where it does not
    start, or the endpoint that it takes by default."""
    cri_api: str
    """Which versions of CRI the kubelet speaks: ``v1alpha2``, ``both`` or ``v1``."""
    old_containerd: str
    """Whether containerd 1 is ``supported`` by that minor, or ``tolerated`` until a later one."""
    cgroup_driver_from_cri: bool
    """Whether the kubelet by default takes the cgroup driver that the runtime reports."""
    cgroup_v1_controllers: tuple[str, ...]
    """The hierarchies of cgroup v1 in which a cgroup has to be, of those that are mounted."""
    cgroup_v2_controllers: tuple[str, ...]
    """The controllers that a cgroup has to have with cgroup v2, of those that the root has."""
    reserved_cgroup: str
    """How a slice is found that a kubelet with the driver systemd reserves for: ``by slices``, whose last
    parts make its name; ``by path``, whose parts do; or ``by name``, the last one of the path."""
    subordinate_ids: str
    """Where the ids of pods with user namespaces are from: a ``fixed`` range, or those ``of the user``
    kubelet where the node has one."""
    watchdog: str
    """The watchdog of systemd is ``never`` notified, or ``notified`` unless SystemdWatchdog is off."""
    gates_that_end: tuple[str, ...]
    """The feature gates that it knows, and does not start with where they are true."""
    cloud_config: str
    """Whether the file of --cloud-config is ``read``, or ``not read``."""
    provider_files: str
    """Where credential providers are configured: in ``one file``, or also in a ``directory`` of files."""
    provider_versions: tuple[str, ...]
    """The versions of their configuration that the kubelet knows, and of what it says to them."""
    provider_fields: tuple[str, ...] | None
    """The fields of a credential provider; None where others are dropped, and not refused."""
    provider_tokens: Mapping[str, bool]
    """The fields of its tokenAttributes, with whether each has to be given."""
    oom_kill: str
    """What the kernel ends where a container on cgroup v2 is out of memory: a ``process``, the whole
    ``container``, or as singleProcessOOMKill is ``configured``."""
    swap: str
    """Which swap containers may use: with NodeSwap off all that the node has (``left alone``), all with that
    gate on (``by gate``), or ``none`` unless swapBehavior is LimitedSwap."""
    fail_swap_on: bool
    """Whether the kubelet by default does not start on a node with swap."""
    image_gc_high: int
    """The default of imageGCHighThresholdPercent, in percent."""
    eviction_hard: Mapping[str, str]
    """The default of evictionHard, on Linux: the signals and their thresholds."""
    volumes_by_driver: tuple[str, ...]
    """The kinds of clouds' volumes that the kubelet has no plugin of its own for."""
    reservations: str
    """Reservations larger than the node are ``ignored``, or ``refused``: the kubelet does not start."""


# The state files of kubelets: which of them a release reads, in which forms, and how they are protected.

_CODECS: Final = {"cpuset-entry": metav1.CPU_ENTRY}
"""The types with their own JSON methods, by their name in a tree."""

_CHECKPOINT: Final = "checkpoint"
"""The kind of trees that checksums are made over."""


class StateFileForm(msgspec.Struct, frozen=True):
    """One way to write a state file."""

    name: str
    """Its name in the table."""
    by: str
    """The releases that write it, in words."""
    digest: str
    """``fnv32a`` or ``crc32``; empty for a form without a checksum."""
    type: GoType
    """The type whose go-spew text is hashed, or that the hashed string holds as JSON."""
    text: str = ""
    """The key of that string; empty where no string is hashed."""
    under: str = ""
    """The key of the value that is hashed; empty for the whole file without its checksum."""
    checksum: str = ""
    """The key of the checksum."""
    filled: Mapping[str, Any] = msgspec.field(default_factory=dict)
    """What is empty and not nil where the file lacks it: keys, and empty values of their kinds."""
    needs: frozenset[str] = frozenset()
    """The keys that such a file has."""
    opaque: frozenset[str] = frozenset()
    """The keys whose values are not modelled: a file that has one cannot be verified."""
    zero: bool = False
    """Whether a checksum of 0 is accepted."""
    alone: bool = False
    """Whether no other form is tried where the file has the text."""
    by_id: bool = False
    """Whether entries name containers by their ids."""
    prefilled: bool = False
    """Whether a file with neither text nor checksum is accepted."""


class StateFile(msgspec.Struct, frozen=True):
    """A state file, and what one release makes of it."""

    path: str
    """Where it is, below the kubelet's root directory."""
    all_forms: tuple[StateFileForm, ...]
    """The forms that any release writes, the newest first."""
    forms: tuple[StateFileForm, ...] = ()
    """Those that this release reads, in its order; empty where it does not read the file."""
    gated: Mapping[str, tuple[StateFileForm, ...]] | None = None
    """Those that it reads before them where a feature gate is on."""
    gate: str = ""
    """The feature gate without which it does not read the file; empty where it always does."""
    refusal: str = ""
    """What it does about a file that it cannot read: ``stops``, ``warns`` or ``resets``."""
    empty: bool = False
    """Whether an empty file is as good as none."""


class StateFiles(msgspec.Struct, frozen=True):
    """What one release makes of each state file."""

    cpu_manager_state: StateFile
    """CPUs that containers have for themselves."""
    memory_manager_state: StateFile
    """Memory that containers have for themselves."""
    pod_status_state: StateFile
    """Resources that were allocated to containers, up to 1.32."""
    dra_manager_state: StateFile
    """Claims of dynamic resources that were prepared."""
    allocated_pods_state: StateFile
    """Resources that were allocated to containers, from 1.33."""
    actuated_pods_state: StateFile
    """Resources that containers were given, from 1.33."""
    device_plugins_state: StateFile
    """Devices that containers have."""


class StateForms:
    """The forms of statefiles.json, with the types of types/checkpoint; read on demand."""

    def __init__(self, data: DataFiles) -> None:
        self._data = data

    @cached_property
    def _table(self) -> Mapping[str, Any]:
        table: Mapping[str, Any] = self._data.table("statefiles")
        return table

    @cached_property
    def _forms(self) -> Mapping[str, StateFileForm]:
        return {name: self._form(name, row) for name, row in self._table["forms"].items()}

    def _form(self, name: str, row: Mapping[str, Any]) -> StateFileForm:
        sets: dict[str, Any] = {key: frozenset(row.get(key, ())) for key in ("needs", "opaque")}
        plain: dict[str, Any] = {
            key: row[key]
            for key in ("text", "under", "checksum", "filled", "zero", "alone", "by_id", "prefilled")
            if key in row
        }
        return StateFileForm(name, row["by"], row["digest"], self._type(row), **plain, **sets)

    def _type(self, row: Mapping[str, Any]) -> GoType:
        if "type" not in row:
            return Struct("struct {}", ())
        tree = self._data.tree(_CHECKPOINT, row["type"])
        chosen = {name: _CODECS[codec] for name, codec in tree.get("codecs", {}).items()}
        go_type = TypeBuilder(tree, {**DEFAULTS, **chosen}).resolve(tree["root"])
        return Pointer(f"*{go_type.name}", go_type) if row.get("pointer") else go_type

    def files(self, table: DataTable, release: Release) -> StateFiles:
        """Return what a release makes of each file, by the rows of hazards.json."""
        names = {name: camel(name) for name in StateFiles.__struct_fields__}
        return StateFiles(**{name: self._file(key, table.value(key, release)) for name, key in names.items()})

    def _file(self, key: str, row: Mapping[str, Any] | None) -> StateFile:
        """Return what a row makes of a file; it is null where a release does not read the file."""
        about = self._table["files"][key]
        forms = self._named(about["forms"])
        if row is None:
            return StateFile(about["path"], forms)
        gated = {gate: self._named(names) for gate, names in row.get("gated", {}).items()}
        plain = {name: row[name] for name in ("gate", "refusal", "empty") if name in row}
        return StateFile(about["path"], forms, self._named(row["forms"]), gated, **plain)

    def _named(self, names: list[str]) -> tuple[StateFileForm, ...]:
        return tuple(self._forms[name] for name in names)


# Distributions: how their versions read, and whether their kubelet is upstream's.

_EDGE: Final = regex(r"-kubeedge-v?(\d+\.\d+)\b")


class Vendor(msgspec.Struct, frozen=True):
    """A row of vendors.json."""

    name: str
    """The distribution."""
    kubelet: str
    """What its kubelet is built from."""
    static_pods: str
    """Where its static pods come from, in a word."""

    @property
    def is_closed(self) -> bool:
        """Whether nobody outside can read what its kubelet hashes."""
        return self.kubelet == "not public"

    @property
    def sets_uids(self) -> bool:
        """Whether it gives its static pods UIDs that it computes itself."""
        return self.static_pods == "own uid"


class Vendors:
    """The rows of vendors.json, and the releases of Kubernetes that KubeEdge contains."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._rows = [
            (regex(row["suffix"]), Vendor(row["name"], row["kubelet"], row["staticPods"]))
            for row in document["vendors"]
            if row["suffix"]
        ]
        self._edges: Mapping[str, str] = document["kubeedge"]

    def of(self, release: Release) -> Vendor | None:
        """Return the distribution that a release's suffix names; None for upstream and others."""
        if not release.vendor:
            return None
        return next((vendor for suffix, vendor in self._rows if suffix.fullmatch(release.vendor)), None)

    @property
    def aliases(self) -> dict[str, str]:
        """The releases that ``kubeedge:1.21`` and the like contain, as their nodes report them."""
        return {
            f"kubeedge:{v}{edge}": f"v{contained}-kubeedge-v{edge}"
            for edge, contained in self._edges.items()
            for v in ("", "v")
        }

    def true(self, release: Release) -> Release:
        """Return what a release really contains: 1.18 and 1.19 of KubeEdge report another one."""
        edge = _EDGE.match(release.vendor) if release.vendor else None
        if edge is None or edge[1] not in self._edges:
            return release
        contained = parse_release(self._edges[edge[1]])
        return structs.replace(release, minor_number=contained.minor_number, patch=contained.patch)


# Container runtimes: the faults of their versions, and what their versions can do.

REWRITABLE: Final = "rewritten records"
"""The ability of runtimes with which ``normalize`` was tried."""

_VERSION: Final = regex(r"v?([0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4})")
"""What a version begins with; distributions append their own: ``1.6.20~ds1``, ``1.7.11-k3s2``."""


class RuntimeFault(msgspec.Struct, frozen=True):
    """A row of runtimes.json."""

    runtime: str
    """The runtime's name, as in ``containerd://1.6.12``."""
    versions: Range
    """Its versions that have the fault."""
    fixed: tuple[str, ...]
    """Vendors' builds of such versions that do not."""
    about: str
    """The fault in words."""
    source: str
    """The issue."""

    def concerns(self, reported: str) -> bool:
        """Return whether a node that reports this runtime has the fault."""
        name, _, version = reported.partition("://")
        if name != self.runtime or version in self.fixed:
            return False
        release = _read(version)
        return release is not None and self.versions.holds(release)


class RuntimeAbility(msgspec.Struct, frozen=True):
    """A row of abilities.json."""

    runtime: str
    """The runtime's name, as in ``containerd://1.6.12``."""
    versions: Range
    """Its versions that can do it; all others cannot."""
    can: str
    """What they can do: ``CRI v1``, ``CRI v1alpha2``, ``RuntimeConfig``."""
    source: str
    """The pull request."""


class Runtimes(msgspec.Struct, frozen=True):
    """What is known of container runtimes."""

    faults: tuple[RuntimeFault, ...] = ()
    """The faults of some versions."""
    abilities: tuple[RuntimeAbility, ...] = ()
    """What some versions can do."""

    def faults_of(self, reported: str) -> Iterator[RuntimeFault]:
        """Yield the faults of the runtime that a node reports."""
        return (fault for fault in self.faults if fault.concerns(reported))

    def can(self, reported: str, what: str) -> bool | None:
        """Return whether the runtime that a node reports can do something; None where that is not known."""
        name, _, version = reported.partition("://")
        release = _read(version)
        rows = [row for row in self.abilities if (row.runtime, row.can) == (name, what)]
        return any(row.versions.holds(release) for row in rows) if rows and release is not None else None


def _read(version: str) -> Release | None:
    """Return the version of a runtime without what a distribution appends; None for what is none.

    Docker's have zeros before a month: 19.03.15.
    """
    match = _VERSION.match(version)
    return parse_release(".".join(part.lstrip("0") or "0" for part in match[1].split("."))) if match else None
