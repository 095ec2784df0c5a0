"""The rules behind verdicts: stable ids, their meaning, and the upstream source of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, which the reasons of a plan cite by its id."""

    id: str
    """The stable id, ``HC001``; an id is never reused."""

    name: str
    """The rule in a few words."""

    meaning: str
    """What it means to an operator, in one or two sentences."""

    source: str
    """A file of Kubernetes or a pull request; empty where the rule is about the input, not about
    Kubernetes."""


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

OTHER_CREATOR: Final = "HC031"

CREATOR: Final = "HC032"

OTHER_NODE: Final = "HC033"

TAINT: Final = "HC034"

SIDECAR_REFUSED: Final = "HC035"

STRICT_GROUPS: Final = "HC036"

SYSCTL: Final = "HC037"

DEVICES: Final = "HC038"

QOS: Final = "HC039"

CLOSED_BUILD: Final = "HC040"

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
        "The kubelet does not compare the hash of this container: the container is not running, its pod "
        "has finished or is being deleted, or it is an init container, an ephemeral container or, before "
        "1.32, a sidecar.",
        "pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions; sidecars "
        "kubernetes/kubernetes#126525",
    ),
    Rule(
        GO_ESCAPES,
        "Go 1.22 escapes",
        "The spec contains a backspace or form feed, which encoding/json escapes differently since Go 1.22.",
        "kubernetes/kubernetes#125895 - #125898",
    ),
    Rule(
        FIELD_ADDED,
        "new field in the Go types",
        "The new kubelet's types have a field that the old kubelet's types lack. Up to 1.15 the hashed "
        "text includes unset fields.",
        "kubernetes/kubernetes#53644, #84443; the reason cites the field's own pull request",
    ),
    Rule(
        FIELD_REMOVED,
        "field missing from the Go types",
        "The new kubelet's types, usually those of an older release, lack a field that is part of the "
        "recorded hash.",
        "as HC004, in the other direction",
    ),
    Rule(
        FIELD_DROPPED,
        "set field that one kubelet drops",
        "The container sets a field that only one of the two kubelets knows; the other drops it and hashes "
        "without it.",
        "kubernetes/kubernetes#57741: JSON omits unset fields, so only set fields count",
    ),
    Rule(
        STATIC_POD,
        "static pod's UID unknown",
        "A static pod is recreated when its UID changes; the input does not show whether it does.",
        "pkg/kubelet/config/common.go applyDefaults",
    ),
    Rule(
        NODE_RELEASE,
        "kubelet release unknown",
        "The input does not contain the kubelet release of the pod's node, or this program does not know "
        "that release.",
        "",
    ),
    Rule(NOT_DECODED, "does not decode", "The container's JSON does not fit the kubelet's Go types.", ""),
    Rule(
        VENDOR_GO,
        "vendor's Go version",
        "A backspace or form feed in the spec makes the hash depend on the Go that the vendor built with.",
        "as HC003",
    ),
    Rule(
        NEVER_COMPARED,
        "compared for the first time",
        "Only the new kubelet compares the hash of this container. The recorded hash may come from a "
        "kubelet that is older than the current one.",
        "kubernetes/kubernetes#126525",
    ),
    Rule(
        RECORDED,
        "the recorded hash decides",
        "The new kubelet compares its own hash with the recorded one, which the input contains.",
        "pkg/kubelet/kuberuntime/labels.go",
    ),
    Rule(
        NOT_REPRODUCED,
        "recorded hash not reproduced",
        "Neither the old nor the new kubelet computes the recorded hash, so the container restarts: it was "
        "created by another release, or from another spec.",
        "pkg/kubelet/kuberuntime/kuberuntime_manager.go containerChanged",
    ),
    Rule(
        NOT_CALIBRATED,
        "node not calibrated",
        "Some recorded hashes of this node were not reproduced, and this container has no record.",
        "",
    ),
    Rule(
        HASH_MISSING,
        "no hash recorded",
        "The container has no recorded hash. From 1.6 on, a kubelet reads 0, which differs from any hash.",
        "pkg/kubelet/kuberuntime/labels.go getContainerInfoFromAnnotations",
    ),
    Rule(
        RUNTIME_GONE,
        "dockershim removed",
        "The new kubelet has no dockershim. It creates everything again in another runtime, and the old "
        "Docker containers are left behind.",
        "kubernetes/kubernetes#97252 (1.24)",
    ),
    Rule(
        SANDBOX_REPLACED,
        "sandbox not recognised",
        "The new kubelet does not recognise the sandboxes that the old kubelet created, and recreates "
        "every pod.",
        "kubernetes/kubernetes#40727 (1.6)",
    ),
    Rule(
        PAUSE_IMAGE,
        "infra container changed",
        "Up to 1.5 the infra container has its own hash, which covers the pause image; when it changes, "
        "the pod is recreated.",
        "pkg/kubelet/dockertools/docker_manager.go computePodContainerChanges",
    ),
    Rule(
        RESIZE_POLICY,
        "restarted to apply resources",
        "From 1.33 to 1.36, a container with the resizePolicy RestartContainer restarts if the kubelet has "
        "no record of the resources that it applied. 1.37 fills a missing record first. Limits of a whole "
        "pod become those of its containers in 1.36.",
        "pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodResizeAction",
    ),
    Rule(
        RESIZE_GATE,
        "hash without resources is the same",
        "With the feature gate InPlacePodVerticalScaling on, 1.27 - 1.30 restart a container only if its "
        "hash without resources differs too.",
        "kubernetes/kubernetes#102884",
    ),
    Rule(
        STATIC_REFUSED,
        "static pod refused",
        "From 1.34 on, kubelets reject static pods that refer to Secrets, ConfigMaps, service accounts or "
        "other API objects: the pod disappears. From 1.37 on no feature gate allows them.",
        "feature gate PreventStaticPodAPIReferences, kubernetes/kubernetes#140226",
    ),
    Rule(
        STATIC_UID,
        "static pod with a new UID",
        "The UID of a static pod is a hash of the whole pod. A new UID means a new pod: every container is "
        "recreated.",
        "kubernetes/kubernetes#87461 (1.21), #133511 (1.35), #116080",
    ),
    Rule(
        API_DEFAULT,
        "new API server default",
        "The target API server sets a default when it reads the pod, so the new spec has another hash.",
        "kubernetes/kubernetes#63814, #78633",
    ),
    Rule(
        ADMISSION,
        "depends on admission",
        "The input is a manifest, and the verdict depends on what admission adds to it: the service "
        "account's volume mount, or a LimitRange's resources.",
        "plugin/pkg/admission/serviceaccount, plugin/pkg/admission/limitranger",
    ),
    Rule(
        STARTUP_PROBE,
        "restart after the startup probe",
        "A sidecar with a startupProbe is compared only once the probe has passed again, so it restarts some "
        "time after the kubelet does.",
        "kubernetes/kubernetes#126525, #137146",
    ),
    Rule(
        FIELD_RETYPED,
        "field with another Go type",
        "Both kubelets know the field, but with different Go types. Up to 1.15 the hashed text includes "
        "type names and inner fields.",
        "the Go types of 1.0 - 1.3; the reason names the release",
    ),
    Rule(
        SANDBOX_BROKEN,
        "sandbox not usable",
        "The runtime reports a sandbox that no kubelet keeps: none is ready or more than one is, it is on "
        "another network than the pod requests, or, from 1.8 on, it has no IP address. A new sandbox "
        "restarts the whole pod.",
        "pkg/kubelet/kuberuntime/kuberuntime_manager.go podSandboxChanged",
    ),
    Rule(
        PATCHED,
        "kept by a patch",
        "The plan assumes a kubelet patched to accept the hashes of older releases (hashcompat patch "
        "--strategy accept).",
        "this program's own patch; kuberuntime_manager.go containerChanged",
    ),
    Rule(
        NOT_STORED,
        "not in the snapshot",
        "The input is a snapshot with hidden values, and the version of this program that made it did not "
        "know this kubelet; or a recorded hash is not from the snapshot, which hides those to compare it "
        "with. Take a new snapshot, with the records.",
        "",
    ),
    Rule(
        SERVER_GATE,
        "depends on a feature gate",
        "The input is a manifest that sets a field of a feature that is off by default, and the verdict "
        "depends on that field. API servers drop it unless the feature gate is on; pods read from the "
        "cluster show whether they did.",
        "pkg/api/pod/util.go DropDisabledPodFields",
    ),
    Rule(
        OTHER_CREATOR,
        "created by another release",
        "The recorded hash is exactly that of another known release than the current one, which therefore "
        "created the container: a patched kubelet kept it at an earlier upgrade, or none compared it.",
        "pkg/kubelet/kuberuntime/labels.go newContainerAnnotations",
    ),
    Rule(
        CREATOR,
        "creator not known",
        "The container is older than its kubelet's release, or that kubelet is patched, so another release "
        "may have created it; the verdict depends on which. The recorded hash decides: give it with "
        "--recorded or --runtime.",
        "the dates of releases; pkg/kubelet/kuberuntime/labels.go newContainerAnnotations",
    ),
    Rule(
        OTHER_NODE,
        "node selector not met",
        "A kubelet that starts admits its pods again. The node's labels have changed since, so that the "
        "pod's nodeSelector or required node affinity does not match: the pod fails. Static pods as well.",
        "pkg/kubelet/lifecycle/predicate.go Admit; pkg/scheduler/eventhandlers.go AdmissionCheck",
    ),
    Rule(
        TAINT,
        "taint not tolerated",
        "From 1.24 on, a kubelet that starts refuses pods that do not tolerate a taint of its node with the "
        "effect NoExecute. Static pods are exempt.",
        "kubernetes/kubernetes#101218",
    ),
    Rule(
        SIDECAR_REFUSED,
        "sidecars refused",
        "1.28 knows sidecars, but its feature gate is off: it refuses pods that have any.",
        "feature gate SidecarContainers; pkg/kubelet/lifecycle/predicate.go Admit",
    ),
    Rule(
        STRICT_GROUPS,
        "supplementalGroupsPolicy not supported",
        "From 1.33 on, a kubelet that starts refuses pods with the supplementalGroupsPolicy Strict unless "
        "its node's status reports the feature, which older kubelets do not report by default.",
        "pkg/kubelet/lifecycle/predicate.go Admit, 1.33.13",
    ),
    Rule(
        SYSCTL,
        "sysctl not safe",
        "The pod sets a sysctl that the new kubelet, usually an older release, does not hold safe: it "
        "refuses the pod unless --allowed-unsafe-sysctls names the sysctl.",
        "pkg/kubelet/sysctl/safe_sysctls.go; kubernetes/kubernetes#85463, #103326, #115374, #118846, #121240",
    ),
    Rule(
        DEVICES,
        "devices without a plugin",
        "1.25.10 - 1.25.13, 1.26.5 - 1.26.8 and 1.27.2 - 1.27.5 check the health of devices before any "
        "device plugin has registered again: they refuse every pod with devices.",
        "kubernetes/kubernetes#118559, #119707, #119706, #119432",
    ),
    Rule(
        QOS,
        "another QoS class",
        "From 1.16 on, init containers count for the QoS class of a pod, whose cgroup is then another one. A "
        "kubelet kills a running pod without a cgroup and recreates it; a Never pod is not started again.",
        "pkg/apis/core/v1/helper/qos/qos.go GetPodQOS; pkg/kubelet/kubelet.go syncPod",
    ),
    Rule(
        CLOSED_BUILD,
        "kubelet not public",
        "The vendor's kubelet is not public, and may keep comparing hashes of an older release. Where "
        "upstream changes the algorithm, only recorded hashes that are reproduced, or --assume-upstream, "
        "decide.",
        "annotation alibabacloud.com/container-hash-version",
    ),
)


@dataclass(frozen=True, slots=True)
class RuleList:
    """Some of the rules, as a result to show."""

    rules: tuple[Rule, ...] = RULES
