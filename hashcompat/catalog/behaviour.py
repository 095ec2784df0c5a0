"""What a kubelet does with running containers besides hashing them, by release: rows of behaviour.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec


class Behaviour(msgspec.Struct, frozen=True):
    """What one release does; the rows name their sources."""

    sidecars_compared: bool
    """Whether restartable init containers are compared as regular ones are."""
    sidecar_startup_probe: str
    """When a sidecar with a startupProbe is compared: at once (``compared``), when the probe has passed again
    (``waits``), or not at all (``never``)."""
    missing_hash: str
    """A container without a recorded hash is left alone (``kept``) or counts as changed (``restarts``)."""
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
    """What replaces a sandbox, in the kubelet's order; the names are those of kubelet/decide/sandbox.py."""
    newest_sandbox: Sequence[str]
    """By what the newest of a pod's sandboxes is found: ``created``, ``attempt``, or one after the other."""
    pod_cgroups: str
    """How a pod's cgroup is found, which no record shows; where it differs the whole pod is killed."""
    qos_containers: str
    """Which containers count for a pod's QoS class: ``regular``, or ``regular and init``."""
    pause_image: str | None
    """The image of the infra container whose hash decides over the pod; None where there is no such hash."""
    dockershim: bool
    """Whether the kubelet can drive Docker by itself."""
    static_pod_digest: str
    """The digest of a static pod's UID."""
    static_pod_source: Mapping[str, str]
    """What follows the pod in that digest, by kind of source."""
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
    no_execute_taints: bool
    """Whether admission looks at taints with the effect NoExecute."""
    strict_groups: bool
    """Whether the supplementalGroupsPolicy Strict needs the node's feature."""
    safe_sysctls: Sequence[str]
    """The sysctls that every pod may set."""
    device_health: str
    """Whether the health of devices is ``checked`` when a running container is admitted again."""
    exec_probe_timeout: str
    """Whether the timeoutSeconds of exec probes is ``ignored`` or ``enforced``."""
    restart_log: str
    """What the kubelet logs when the hash of a regular container differs."""
    sidecar_restart_event: str
    """The message of the event when the hash of a sidecar differs; empty where none is compared."""
