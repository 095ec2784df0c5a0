"""What kubelets do besides hashing, what they write about it, what changed, and which feature gates decide.

API servers and kubelets know the same gates: the rows of gates.json, and what a user sets. Source:
k8s.io/component-base/featuregate/feature_gate.go ``SetFromMap`` and ``Enabled`` (1.14 - 1.37;
pkg/util/config/feature_gate.go in 1.4 and 1.5, then k8s.io/apiserver).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, Literal

import msgspec

from hashcompat.core.catalog.files import DataFiles, fitted
from hashcompat.core.catalog.releases import Range, parse_range
from hashcompat.core.model.results import Minor, Object, PullRequest, Text
from hashcompat.core.release import Release, parse_release

Settings = frozenset[tuple[str, bool]]
"""What ``--feature-gates`` says: names, and whether they are to be on."""

NO_SETTINGS: Final[Settings] = frozenset()


def joined(settings: Settings, winning: Settings) -> Settings:
    """Return settings together with others, which win."""
    return frozenset({**dict(settings), **dict(winning)}.items()) if winning else settings


_OF_STAGE: Final = {"ALPHA": "AllAlpha", "BETA": "AllBeta"}
"""The gates that set every gate of a stage that is not set by its own name."""


BOOLEANS: Final = {
    **dict.fromkeys(("1", "t", "T", "true", "TRUE", "True"), True),
    **dict.fromkeys(("0", "f", "F", "false", "FALSE", "False"), False),
}
"""The texts that Go's ``strconv.ParseBool`` takes, by which gates and flags are set."""


class FeatureGate(msgspec.Struct, frozen=True):
    """What a gate is in some releases."""

    releases: Range
    stage: str
    """``ALPHA``, ``BETA``, ``GA`` or ``DEPRECATED``."""
    on: bool
    """Its default."""
    locked: bool = False
    """Whether nothing else can be set."""
    needs: tuple[str, ...] = ()
    """The gates that have to be on where it is (1.35 and later)."""

    @property
    def begun(self) -> Range:
        """These releases, and every one after them."""
        return parse_range(f">={self.releases.since}")


class GateTable:
    """The rows of gates.json, read when they are first asked for."""

    def __init__(self, data: DataFiles) -> None:
        self._data = data
        self._specs: dict[str, tuple[FeatureGate, ...]] = {}
        self._of_releases: dict[tuple[str, str], FeatureGate | None] = {}

    @cached_property
    def _rows(self) -> Mapping[str, list[Mapping[str, Any]]]:
        rows: Mapping[str, list[Mapping[str, Any]]] = self._data.table("gates")["gates"]
        return rows

    @cached_property
    def needing(self) -> tuple[str, ...]:
        """The gates that need others in some release."""
        return tuple(name for name, rows in self._rows.items() if any("needs" in row for row in rows))

    def known_to(self, release: Release) -> list[str]:
        """Name the gates that a release knows."""
        return [name for name in self._rows if self.spec(name, release) is not None]

    def spec(self, name: str, release: Release) -> FeatureGate | None:
        """Return what a gate is in a release; None where the release does not know it."""
        key = name, release.upstream
        if key not in self._of_releases:
            specs = (spec for spec in self._of(name) if spec.releases.holds(release))
            self._of_releases[key] = next(specs, None)
        return self._of_releases[key]

    def is_on_by_default(self, name: str, release: Release) -> bool:
        """Return whether what a gate guards is there by default.

        It is not before the gate is; after the gate was removed it is as it last was.
        """
        begun = [spec for spec in self._of(name) if spec.begun.holds(release)]
        return bool(begun) and begun[-1].on

    def _of(self, name: str) -> tuple[FeatureGate, ...]:
        if name not in self._specs:
            self._specs[name] = fitted("gates.json", self._rows.get(name, []), tuple[FeatureGate, ...])
        return self._specs[name]


class Gates:
    """The feature gates of one kubelet or API server, set as its flag says; compared by identity."""

    def __init__(
        self, table: GateTable, release: Release, settings: Settings, *, complete: bool = False
    ) -> None:
        """``complete``: no other gate is set, so that what has its default is known as well."""
        self._table, self._release, self._settings = table, release, dict(settings)
        self._complete = complete
        self._on: dict[str, bool] = {}

    def with_settings(self, settings: Settings) -> Gates:
        """Return the gates of the same release with other ones set."""
        return Gates(self._table, self._release, settings)

    def beside(self, settings: Settings) -> Gates:
        """Return the gates with some set besides, which win over those that are set already."""
        return self.with_settings(joined(frozenset(self._settings.items()), settings))

    def completed(self) -> Gates:
        """Return the same gates, of which every one is known."""
        return Gates(self._table, self._release, frozenset(self._settings.items()), complete=True)

    def spec(self, name: str) -> FeatureGate | None:
        """Return what a gate is in the release; None where the release has no gate of this name."""
        return self._table.spec(name, self._release)

    def knows(self, name: str) -> bool:
        """Return whether the release has a gate of this name."""
        return self._table.spec(name, self._release) is not None

    def sets(self, name: str) -> bool:
        """Return whether the settings decide a gate that the release has."""
        spec = self._table.spec(name, self._release)
        return spec is not None and (self._complete or self._chosen(name, spec) is not None)

    def is_of_new(self, name: str) -> bool:
        """Return whether the release has a gate of this name for what is new: alpha or beta."""
        spec = self._table.spec(name, self._release)
        return spec is not None and spec.stage in _OF_STAGE

    def is_on(self, name: str) -> bool:
        """Return whether what a gate guards is there: as set, or by default; a lock wins."""
        if name not in self._on:
            spec = self._table.spec(name, self._release)
            chosen = None if spec is None or spec.locked else self._chosen(name, spec)
            self._on[name] = self._table.is_on_by_default(name, self._release) if chosen is None else chosen
        return self._on[name]

    def _chosen(self, name: str, spec: FeatureGate) -> bool | None:
        """Return what is set: a gate's own name wins over AllAlpha and AllBeta, in whatever order."""
        if name in self._settings:
            return self._settings[name]
        of_stage = _OF_STAGE.get(spec.stage, "")
        return self._settings.get(of_stage) if self.knows(of_stage) else None

    def refusals(self) -> Iterator[str]:
        """Say why what has these gates would not start, if it would not."""
        for name, on in sorted(self._settings.items()):
            spec = self._table.spec(name, self._release)
            if spec is not None and spec.locked and spec.on != on:
                yield f"{self._release} locks {name} to {'true' if spec.on else 'false'}"
        yield from self.missing()

    def missing(self) -> Iterator[str]:
        """Say which gates are on without those that they need."""
        for name in self._table.needing if self._settings else ():
            spec = self._table.spec(name, self._release)
            off = [needed for needed in spec.needs if not self.is_on(needed)] if spec else []
            if off and self.is_on(name):
                yield f"{name}, which is on in {self._release}, needs {', '.join(off)}"


# What a kubelet does with running containers besides hashing them, by release: rows of behaviour.json.


class PodFeature(msgspec.Struct, frozen=True, rename="camel"):
    """A feature that a pod may ask for."""

    name: str
    """Its feature gate, by which a node has it."""
    handler: str
    """The gate of what refuses pods that ask for it; empty where that has none."""
    uses: tuple[tuple[tuple[str, ...], Any], ...]
    """What a pod that asks for it has: at one of some paths in its spec a value, or one of a list of values;
    null for any that is not empty."""
    on_windows: bool = True
    """Whether a node with Windows can have it."""
    of_runtime: bool = False
    """Whether the container runtime has to have it too."""


class Room(msgspec.Struct, frozen=True, rename="camel"):
    """What of pods' requests admission compares with what the node can give."""

    beside: str
    """What counts of the pods that are admitted already: their ``containers``, ``containers and overhead``,
    or ``whole pods`` with init containers too."""
    overhead: str
    """Whether a pod's overhead is ``ignored``, counted ``by gate``, or ``counted``."""
    unrequested: bool
    """Whether a resource of which there is too little already refuses a pod that asks for none of it, if it
    asks for another one."""
    sidecars: bool
    """Whether sidecars are added up."""
    missing_extended: str
    """Whether extended resources that the node does not have are ``counted``, ``ignored in containers`` but
    not in init containers, or ``ignored``."""
    claims: str
    """Whether resources that a claim backs are ``counted`` or, with the gate DRAExtendedResource, ``left
    out``; or whatever the node does not list is, or has none of (``left out where the node lists none``,
    ``left out where the node has none``)."""
    freed: str
    """What a critical pod gains of one whose room it takes: what that asks for ``by containers``, with init
    containers, or ``as requests`` are summed."""
    critical: str
    """Which pods take the room of others: ``none``, those ``by priority``, or ``static or by priority``."""
    victims: str
    """Whose room they take: that of pods that are ``not critical``, or of any that is ``less important``, by
    its priority."""
    ending: str
    """Whether a pod that has finished is ``ignored``, or counts ``while running``, which its containers may
    do still, or ``until ended``, which takes the kubelet a moment after its start."""
    deleted: bool
    """Whether a pod that is being deleted counts though no regular container of it runs."""
    resized: str
    """Whether of resources that are allocated and those that are in use the larger ones count ``by
    container`` or ``by pod``."""
    resizes: str
    """Whether resizes that wait are tried ``in any order``, or ``sorted``."""


class HostPorts(msgspec.Struct, frozen=True, rename="camel"):
    """How admission compares pods' host ports."""

    told_apart: str
    """What tells two ports apart: their numbers alone (``by number``), protocols too (``by protocol``), or
    also addresses (``by address``)."""
    sidecars: bool
    """Whether those of sidecars count."""
    reason: str
    """The reason in the status of a pod that is refused."""


class Behaviour(msgspec.Struct, frozen=True):
    """What one release does; the rows name their sources."""

    sidecars_compared: bool
    """Whether restartable init containers are compared as regular ones are."""
    sidecar_startup_probe: str
    """When a sidecar with a startupProbe is compared: at once (``compared``), when the probe has passed again
    (``waits``), or not at all (``never``)."""
    missing_hash: str
    """A container without a recorded hash is left alone (``kept``) or counts as changed (``restarts``)."""
    hash_place: str
    """Where the recorded hash is: in the container's ``name``, or in an ``annotation``."""
    hash_without_resources: bool
    """Whether a second hash decides too where the feature gate InPlacePodVerticalScaling is on."""
    resources_recorded: bool
    """Whether the kubelet records the resources of containers."""
    missing_resource_record: str
    """A pod without that record is resized (``restarts``), or gets the record of its spec (``filled``)."""
    static_pods_resized: bool
    """Whether static pods are resized too."""
    pod_limits: str
    """What a pod's limits are: ``ignored``, ``the pod's``, ``recorded`` too, or ``the container's``."""
    sandbox_maker: str
    """What makes sandboxes: a kubelet replaces those of another maker."""
    sandbox_checks: Sequence[str]
    """What replaces a sandbox, in the kubelet's order, by the names of core/kubelet/decide/sandbox.py."""
    newest_sandbox: Sequence[str]
    """By what the newest of a pod's sandboxes is found: ``created``, ``attempt``, or one after the other."""
    first_sandbox: str
    """Which pods without any sandbox get one: ``always``, or ``unless Never``."""
    removed_containers: str
    """What runs in a pod whose spec does not have it any more is ``killed``, or ``left running``."""
    pod_cgroups: str
    """How a pod's cgroup is found, which no record shows; where it differs the whole pod is killed."""
    qos_containers: str
    """Which containers count for a pod's QoS class: ``regular``, or ``regular and init``."""
    finished_pods: str
    """Whether pods that have finished are ``admitted again`` at a restart, or ``left alone``."""
    lost_containers: str
    """What a container is that ran, by the status of its pod, and that the runtime lacks, or does not know
    the state of: ``waiting``, so that it is created, or ``ended`` with an error, so that a pod that never
    restarts has failed. ``ended if unknown``: it is waiting where the runtime lacks it."""
    aligned_cpus: str
    """Whether exclusive CPUs under the policy option full-pcpus-only are ``kept`` at a restart, have to be a
    number of cores (``by whole cores``), or are ``asked for again``."""
    cpus_asked: str
    """How many exclusive CPUs are asked for at a restart: ``by spec``, or ``by status`` where containers can
    be resized."""
    numa_affinity: str
    """How the NUMA nodes of a container's CPUs and memory have to be with the topology manager's policy
    restricted: ``equal``, or ``shared`` in part."""
    pod_qos: str
    """Whose resources decide about the QoS class of a pod that has some of its own: ``by containers``,
    ``by the pod``, or ``by the pod where set``."""
    pod_class: str
    """Whether the QoS class of a pod that an API server serves is ``computed``, or ``as shown`` by its
    status."""
    pause_image: str | None
    """The image of the infra container whose hash decides over the pod; None where there is no such hash."""
    mount_helpers: str
    """Where processes that serve mounts run: ``in the kubelet's cgroup``, with which systemd ends them, or
    ``in a scope of their own``."""
    infra_image: str | None
    """The image of which dockershim, and what came before it, makes sandboxes by default; None where there is
    neither."""
    dockershim: bool
    """Whether the kubelet can drive Docker by itself."""
    static_pod_digest: str
    """The digest of a static pod's UID."""
    static_pod_source: Mapping[str, str]
    """What follows the pod in that digest, by kind of source."""
    quantity_text: str
    """When a parsed quantity keeps its text, which a static pod's UID digests: ``where it is canonical`` by
    a quick look, or ``always``."""
    mirror_pod_owner: str
    """What a mirror pod's controller is: ``none``, or ``the node``."""
    token_mount: Mapping[str, str]
    """How the volume is named that an API server of this release mounts a service account's token from: a
    ``prefix``, with ``{account}`` for the account's name, and five characters of an ``alphabet``."""
    minors_behind_server: int
    """How many minors older than the API server upstream's version skew policy allows."""
    node_affinity: str
    """What of a pod's node selection admission looks at: the ``selector``, ``labels`` for affinity too, or
    ``labels and fields``."""
    labels_at_admission: str
    """Whether admission waits until the node's labels are ``read``, or they ``may be missing``."""
    room: Room
    """How room on the node is counted."""
    pressure_tolerated: str
    """Whether a toleration of memory pressure ``counts`` at admission, ``by gate``, or is ``ignored``."""
    host_ports: HostPorts
    """How host ports are compared."""
    pod_system: bool
    """Whether admission looks at the operating system that a pod is for."""
    system_label: str
    """Whether admission compares a pod's node selection with the node's label kubernetes.io/os ``as it is``,
    or puts that right: ``mended last``, after it has compared the first pods, or ``mended first``."""
    no_execute_taints: bool
    """Whether admission looks at taints with the effect NoExecute."""
    strict_groups: bool
    """Whether the supplementalGroupsPolicy Strict needs the node's feature."""
    static_references: Sequence[str]
    """The kinds of API objects that no manifest of a static pod may name, whatever the feature gate."""
    safe_sysctls: Mapping[str, str]
    """The sysctls that every pod may set, each with the oldest kernel on which it may; empty for any."""
    privileged_pods: str
    """Whether pods with a privileged container run ``always``, ``if allowed`` by ``--allow-privileged``, or
    ``unless forbidden`` by it."""
    sysctl_names: str
    """How the names of sysctls are read: ``with dots``, ``with dots or slashes``, or ``not read`` at all."""
    namespaced_sysctls: Sequence[str]
    """How sysctls begin that ``--allowed-unsafe-sysctls`` may name."""
    device_health: str
    """Whether the health of devices is ``checked`` when a container is admitted again: not if one of its name
    runs (``checked unless any runs``), or if one that is picked does (``checked unless one runs``)."""
    host_users_by_gate: bool
    """Whether no container of a pod that sets hostUsers is created while the gate for that is off."""
    services_read: str
    """Which services the kubelet has to read before it creates a container: ``all``, or those ``with a
    cluster IP``, by a field that API servers of older minors refuse to select by."""
    pod_features: Sequence[PodFeature]
    """The features that a pod may ask for and whose absence makes the kubelet refuse it."""
    volumes_without_plugin: Mapping[str, str]
    """The keys of a volume's source that the kubelet has no plugin for, each with the feature gate that gives
    it one; empty where none does."""
    exec_probe_timeout: str
    """Whether the timeoutSeconds of exec probes is ``ignored`` or ``enforced``."""
    readiness_at_restart: str
    """Whether containers with a readinessProbe are ``kept`` ready when the kubelet starts, or ``reset``."""
    restart_log: str
    """What the kubelet logs when the hash of a regular container differs."""
    sidecar_restart_event: str
    """The message of the event when the hash of a sidecar differs; empty where none is compared."""


# What a kubelet writes into its log and its events when it kills a container: rows of messages.json.


class Messages(msgspec.Struct, frozen=True):
    """The texts of one release, to be formatted with names; ``…`` stands for what only the node knows."""

    restart_line: str
    """The line of the log about a regular container whose hash differs, around ``restart_log``."""
    restart_verbosity: int
    """The least ``--v`` at which that line is written."""
    killing: str
    """The message of the event ``Killing`` for a container that is killed for a reason of its own."""
    killing_with_pod: str
    """The same for one that is killed with its pod."""
    sandbox_logs: Mapping[str, str]
    """The line about a sandbox that is replaced, by what is found: a check of core/kubelet/decide/sandbox.py,
    ``hash`` of the infra container, or ``none`` at all. At ``--v=2`` or more."""
    sandbox_events: Mapping[str, str]
    """The event about it, as ``REASON: MESSAGE``; where none is written there is no key."""
    refusals: Mapping[str, str]
    """The reason in the status of a pod that is not admitted, and of the event, by why it is not."""
    static_refusal: str
    """The line about a static pod that refers to API objects; empty where it is read."""
    resize: str
    """The message of the event ``Killing`` for a container whose resources are applied by a restart."""


# What changed between releases, by which pull request, and what users reported: rows of changes.json.


class FieldChange(Object, frozen=True):
    """An upstream change of a field."""

    release: Minor
    type: Text
    field: Text
    change: Literal["added", "removed", "retyped", "renamed", "retagged", "reordered"]
    json: str
    old: str | None = msgspec.field(name="from")
    new: str | None = msgspec.field(name="to")
    pr: PullRequest | None
    issues: tuple[PullRequest, ...]
    gate: str | None
    stage: Literal["alpha", "beta", "GA"] | None
    about: Text


class EraChange(Object, frozen=True):
    """An upstream change of the steps of the hash."""

    release: Minor
    old: Text = msgspec.field(name="from")
    new: Text = msgspec.field(name="to")
    pr: PullRequest
    also: tuple[PullRequest, ...]
    issues: tuple[PullRequest, ...]
    about: Text


class GoChange(msgspec.Struct, frozen=True):
    """A patch release that is built with a Go whose encoding/json writes some characters differently."""

    release: str
    """The first patch release, such as ``1.27.16``."""
    old: str = msgspec.field(name="from")
    """The Go minor before."""
    new: str = msgspec.field(name="to")
    """The Go minor from this release on."""
    pr: str
    also: tuple[str, ...]
    """Pull requests that belong to it."""
    about: str
    """The change in words."""


class Changes(msgspec.Struct, frozen=True):
    """The tables of changes.json, each oldest first."""

    fields: tuple[FieldChange, ...]
    """What changed in the hashed types."""
    eras: tuple[EraChange, ...]
    """What changed in the steps of the hash."""
    go: tuple[GoChange, ...]
    """What changed in the Go that builds the kubelet."""

    def find(
        self, type_name: str, field: str, change: str = "added", minors: Collection[str] | None = None
    ) -> FieldChange | None:
        """Return a field's first change of that kind, in one of ``minors`` if given; None without one."""
        return next(
            (
                row
                for row in self.fields
                if (row.type, row.field, row.change) == (type_name, field, change)
                and (minors is None or row.release in minors)
            ),
            None,
        )

    def of_field(self, type_name: str, field: str) -> FieldChange | None:
        """Return the first change of a field, of whatever kind; None if there is none."""
        return next((row for row in self.fields if (row.type, row.field) == (type_name, field)), None)

    def eras_in(self, minors: Collection[str]) -> tuple[EraChange, ...]:
        """Return the changes of era that came with one of some minors."""
        return tuple(row for row in self.eras if row.release in minors)

    def go_in(self, minors: Collection[str]) -> tuple[GoChange, ...]:
        """Return the changes of Go that came with a patch release of one of some minors."""
        return tuple(row for row in self.go if parse_release(row.release).minor in minors)
