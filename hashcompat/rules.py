"""The rules behind verdicts by their stable ids, with what they mean and where upstream says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Rule:
    """A reason id: a name in a few words, what it means to an operator, and the source in Kubernetes."""

    id: str
    name: str
    meaning: str
    source: str


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

RULES: Final = (
    Rule(
        ALGORITHM,
        "hash algorithm changed",
        "The steps of the hash differ between the two releases, so every hash differs.",
        "kubernetes/kubernetes#40297 (1.6), #57741 (1.16), #124220 and #129385 (1.31)",
    ),
    Rule(
        NOT_COMPARED,
        "not compared",
        "The kubelet does not compare this container: it is not running, its pod is finished or being deleted, or it is an init, "
        "ephemeral or, before 1.32, a sidecar container.",
        "pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions; sidecars kubernetes/kubernetes#126525",
    ),
    Rule(
        GO_ESCAPES,
        "Go 1.22 escapes",
        "The spec holds a backspace or form feed, which encoding/json writes differently from Go 1.22 on.",
        "kubernetes/kubernetes#125895 - #125898",
    ),
    Rule(
        FIELD_ADDED,
        "new field in the Go types",
        "The new kubelet's types have a field that the old one's lack. Up to 1.15 unset fields are part of the hashed text too.",
        "kubernetes/kubernetes#53644, #84443; the field's own pull request stands in the reason",
    ),
    Rule(
        FIELD_REMOVED,
        "field missing on the way back",
        "The types that the kubelet comes back to lack a field, which is part of the recorded hash.",
        "as HC004, in the other direction",
    ),
    Rule(
        FIELD_DROPPED,
        "a set field that one kubelet drops",
        "A field is set that only one of the two kubelets knows; the other drops it in decoding and hashes without it.",
        "kubernetes/kubernetes#57741: JSON leaves out what is not set, so only set fields count",
    ),
    Rule(
        STATIC_POD,
        "static pod not decided",
        "A static pod is recreated when its UID changes; whether it does cannot be told from what is at hand.",
        "pkg/kubelet/config/common.go applyDefaults",
    ),
    Rule(
        NODE_RELEASE,
        "kubelet release not known",
        "The release of the pod's node is not in the input, or not known.",
        "",
    ),
    Rule(NOT_DECODED, "does not decode", "The container's JSON does not fit the Go types.", ""),
    Rule(
        VENDOR_GO,
        "a vendor's Go",
        "The hash depends on the Go that a vendor built the kubelet with, for a backspace or form feed in the spec.",
        "as HC003",
    ),
    Rule(
        NEVER_COMPARED,
        "compared for the first time",
        "Only the new kubelet compares this container. What is recorded may come from a kubelet that is older than the one that runs now.",
        "kubernetes/kubernetes#126525",
    ),
    Rule(
        RECORDED,
        "the recorded hash decides",
        "The runtime tells which hash was recorded, and that is what the new kubelet compares with.",
        "pkg/kubelet/kuberuntime/labels.go",
    ),
    Rule(
        NOT_REPRODUCED,
        "recorded hash not reproduced",
        "The recorded hash is neither what the old kubelet's release computes nor what the new one does, so the container restarts: "
        "it was created by another release, or from another spec.",
        "pkg/kubelet/kuberuntime/kuberuntime_manager.go containerChanged",
    ),
    Rule(
        NOT_CALIBRATED,
        "node not calibrated",
        "Not every recorded hash of this node was reproduced, and there is no record of this container.",
        "",
    ),
    Rule(
        HASH_MISSING,
        "no hash recorded",
        "The container bears no recorded hash. From 1.6 on a kubelet reads 0, which differs from any hash.",
        "pkg/kubelet/kuberuntime/labels.go getContainerInfoFromAnnotations",
    ),
    Rule(
        RUNTIME_GONE,
        "Docker is no longer driven",
        "The new kubelet has no dockershim. Everything is created anew in another runtime, and the old Docker containers stay behind.",
        "kubernetes/kubernetes#97252 (1.24)",
    ),
    Rule(
        SANDBOX_REPLACED,
        "sandbox not taken over",
        "The new kubelet does not recognise sandboxes that the old one made, and replaces every pod.",
        "kubernetes/kubernetes#40727 (1.6)",
    ),
    Rule(
        PAUSE_IMAGE,
        "infra container changed",
        "Up to 1.5 the infra container has a hash of its own with the pause image in it; when that changes, the pod is replaced.",
        "pkg/kubelet/dockertools/docker_manager.go computePodContainerChanges",
    ),
    Rule(
        RESIZE_POLICY,
        "restarted to apply resources",
        "From 1.33 on a container whose resizePolicy is RestartContainer restarts where the kubelet has no record of what it gave.",
        "pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodResizeAction",
    ),
    Rule(
        RESIZE_GATE,
        "hash without resources is the same",
        "With the gate InPlacePodVerticalScaling, 1.27 - 1.30 restart only when the hash without resources differs too.",
        "kubernetes/kubernetes#102884",
    ),
    Rule(
        STATIC_REFUSED,
        "static pod refused",
        "From 1.34 on static pods that name Secrets, ConfigMaps, service accounts or other API objects are refused: the pod vanishes.",
        "feature gate PreventStaticPodAPIReferences",
    ),
    Rule(
        STATIC_UID,
        "static pod with a new UID",
        "The UID of a static pod is a hash of the whole pod; a new UID is a new pod, and everything in it is recreated.",
        "kubernetes/kubernetes#87461 (1.21), #133511 (1.35), #116080",
    ),
    Rule(
        API_DEFAULT,
        "default of a new API server",
        "The API server writes a default into a field when it reads the pod, so the new spec has another hash.",
        "kubernetes/kubernetes#63814, #78633",
    ),
    Rule(
        ADMISSION,
        "depends on admission",
        "The input is a manifest. Admission adds to it, a service account's volume mount or a LimitRange's resources, which decides.",
        "plugin/pkg/admission/serviceaccount, plugin/pkg/admission/limitranger",
    ),
    Rule(
        STARTUP_PROBE,
        "after the startup probe",
        "A sidecar with a startupProbe is compared when the probe has passed again, so it restarts a while after the kubelet did.",
        "kubernetes/kubernetes#126525, #137146",
    ),
    Rule(
        FIELD_RETYPED,
        "another Go type of a field",
        "A field that both kubelets know has another Go type in one of them; up to 1.15 type names and inner fields are part of the text.",
        "the Go types of 1.0 - 1.3; the release stands in the reason",
    ),
    Rule(
        SANDBOX_BROKEN,
        "sandbox not usable",
        "The runtime tells of a sandbox that no kubelet keeps: none or more than one is ready, it is on another network than the pod asks "
        "for, or, from 1.8 on, it has no IP address. A new sandbox restarts the whole pod.",
        "pkg/kubelet/kuberuntime/kuberuntime_manager.go podSandboxChanged",
    ),
    Rule(
        PATCHED,
        "kept by a patch",
        "The plan assumes a kubelet that is patched to accept the hashes of older releases (hashcompat patch --strategy accept).",
        "this program's own patch; kuberuntime_manager.go containerChanged",
    ),
    Rule(
        NOT_STORED,
        "not in the snapshot",
        "The input is a snapshot, in which values are hidden, and it was made by a program that did not know this kubelet: take a new one.",
        "",
    ),
    Rule(
        SERVER_GATE,
        "depends on a feature gate",
        "The input is a manifest that sets a field of a feature that is off by default. API servers drop such a field unless the feature "
        "gate is on, and whether it is there decides. Pods of the cluster itself show what was kept.",
        "pkg/api/pod/util.go DropDisabledPodFields",
    ),
)
