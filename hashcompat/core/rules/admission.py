"""Rules about pods that are not admitted again, and about who created their containers."""

from __future__ import annotations

from typing import Final

from hashcompat.core import rules
from hashcompat.core.rules import Rows, Rule, Since, Step, steps

_FILES: Final = "https://github.com/kubernetes/kubernetes/blob"

_PREFLIGHT: Final = Step(
    "Every pod of the node that a new kubelet refuses, among other things:",
    "hashcompat preflight --to NEW --from OLD --no-node --node NODE",
)

_LOST: Final = (
    "A refused pod is Failed for good, whatever its restartPolicy: its containers are killed, and only a "
    "controller creates another pod, on a node that fits."
)

_OF_ADMISSION: Final = (
    Rule(
        rules.OTHER_NODE,
        "node selector not met",
        "A kubelet that starts admits its pods again. The node's labels have changed since, so that the "
        "pod's nodeSelector or required node affinity does not match: the pod fails. Static pods as well.",
        "pkg/kubelet/lifecycle/predicate.go Admit; pkg/scheduler/eventhandlers.go AdmissionCheck",
        effect="Any restart of the kubelet does this, not only an upgrade: the refused pod is Failed for "
        "good, whatever its restartPolicy, and only a controller creates another one, on a node that fits.",
        confirm=(
            Step(
                "What the pod asks for:",
                "kubectl get pod POD -n NAMESPACE -o jsonpath='{.spec.nodeSelector} "
                "{.spec.affinity.nodeAffinity}'",
            ),
            Step("What the node has:", "kubectl get node NODE --show-labels"),
            Step(
                "Afterwards, the pod has failed with the reason NodeAffinity (up to 1.17 MatchNodeSelector):",
                "kubectl get pod POD -n NAMESPACE -o jsonpath='{.status.reason}: {.status.message}'",
            ),
        ),
        avoid=(
            Step(
                "Give the node its labels back before the kubelet restarts:",
                "kubectl label node NODE KEY=VALUE",
            ),
            Step(
                "Or let the workload move first, at a time of your choice:",
                "kubectl delete pod POD -n NAMESPACE",
            ),
            _PREFLIGHT,
        ),
        since=Since("the target kubelet is any of these", (Rows("behaviour", ("nodeAffinity",)),)),
        links=(
            f"{_FILES}/v1.36.3/pkg/kubelet/lifecycle/predicate.go#Admit",
            f"{_FILES}/v1.33.13/pkg/scheduler/eventhandlers.go#AdmissionCheck",
        ),
    ),
    Rule(
        rules.TAINT,
        "taint not tolerated",
        "From 1.24 on, a kubelet that starts refuses pods that do not tolerate a taint of its node with the "
        "effect NoExecute. Static pods are exempt.",
        "kubernetes/kubernetes#101218",
        effect="Usually the controller for taints has evicted such pods long ago; what is left has lived "
        "under "
        f"the taint because nothing evicted it. {_LOST}",
        confirm=(
            Step("The node's taints:", "kubectl get node NODE -o jsonpath='{.spec.taints}'"),
            Step(
                "What the pod tolerates:",
                "kubectl get pod POD -n NAMESPACE -o jsonpath='{.spec.tolerations}'",
            ),
            Step(
                "Afterwards, the pod has failed with the reason TaintToleration:",
                "kubectl get pod POD -n NAMESPACE -o jsonpath='{.status.reason}: {.status.message}'",
            ),
        ),
        avoid=(
            Step(
                "Remove the taint before the kubelet restarts (the - at the end removes it):",
                "kubectl taint node NODE KEY:NoExecute-",
            ),
            Step("Or add a toleration to the workload's template, which is a rollout of its own."),
            _PREFLIGHT,
        ),
        since=Since(
            "the target kubelet is one of these",
            (Rows("behaviour", ("noExecuteTaints",), "value", value=True),),
        ),
        links=(
            "https://github.com/kubernetes/kubernetes/pull/101218",
            f"{_FILES}/v1.24.17/pkg/kubelet/lifecycle/predicate.go#generalFilter",
        ),
    ),
    Rule(
        rules.SIDECAR_REFUSED,
        "sidecars refused",
        "1.28 knows sidecars, but its feature gate is off: it refuses pods that have any.",
        "feature gate SidecarContainers; pkg/kubelet/lifecycle/predicate.go Admit",
        effect="This happens on rollback from 1.29 or newer; 1.27 and older do not know the field, "
        f"drop it, and treat the sidecar as an init container. {_LOST}",
        confirm=(
            Step(
                "Whether the pod has a sidecar (an init container with the restartPolicy Always):",
                "kubectl get pod POD -n NAMESPACE -o jsonpath='{.spec.initContainers[*].restartPolicy}'",
            ),
            Step(
                "Whether the kubelet has the gate on (1) or off (0):",
                "kubectl get --raw /api/v1/nodes/NODE/proxy/metrics "
                """| grep 'kubernetes_feature_enabled{name="SidecarContainers"'""",
            ),
            Step(
                "Afterwards, the pod has failed with the reason InitContainerRestartPolicyForbidden:",
                "kubectl get pod POD -n NAMESPACE -o jsonpath='{.status.reason}: {.status.message}'",
            ),
        ),
        avoid=(
            Step(
                "Turn the gate on in the configuration of the 1.28 kubelet; plan with:",
                "hashcompat plan --from OLD --to NEW --feature-gates SidecarContainers=true",
            ),
            steps.DRAIN,
            _PREFLIGHT,
        ),
        since=Since(
            "the target kubelet is one of these",
            (Rows("gates", ("gates", "SidecarContainers"), "on", value=False),),
        ),
        links=(f"{_FILES}/v1.28.15/pkg/kubelet/lifecycle/predicate.go#Admit",),
    ),
    Rule(
        rules.STRICT_GROUPS,
        "supplementalGroupsPolicy not supported",
        "From 1.33 on, a kubelet that starts refuses pods with the supplementalGroupsPolicy Strict unless "
        "its node's status reports the feature, which older kubelets do not report by default.",
        "pkg/kubelet/lifecycle/predicate.go Admit, 1.33.13",
        effect="The runtime has to support the policy, which containerd does from 2.0 on. Where the current "
        "kubelet does not report it, whether the new one does so before it admits its pods is not "
        f"determined, and the verdict is UNKNOWN. {_LOST}",
        confirm=(
            Step(
                "Whether the pod asks for it:",
                "kubectl get pod POD -n NAMESPACE "
                "-o jsonpath='{.spec.securityContext.supplementalGroupsPolicy}'",
            ),
            Step(
                "Whether the node reports it:",
                "kubectl get node NODE -o jsonpath='{.status.features}'",
            ),
            steps.NODES,
            Step(
                "Afterwards, the pod has failed with the reason SupplementalGroupsPolicyNotSupported:",
                "kubectl get pod POD -n NAMESPACE -o jsonpath='{.status.reason}: {.status.message}'",
            ),
        ),
        avoid=(
            steps.DRAIN,
            Step("Or upgrade the runtime first, or use the policy Merge in the workload's template."),
            _PREFLIGHT,
        ),
        since=Since(
            "the target kubelet is one of these",
            (Rows("behaviour", ("strictGroups",), "value", value=True),),
        ),
        links=(
            f"{_FILES}/v1.33.13/pkg/kubelet/lifecycle/predicate.go#rejectPodAdmissionBasedOnSupplementalGroupsPolicy",
        ),
    ),
    Rule(
        rules.SYSCTL,
        "sysctl not safe",
        "The pod sets a sysctl that the new kubelet, usually an older release, does not hold safe: it "
        "refuses the pod unless --allowed-unsafe-sysctls names the sysctl.",
        "pkg/kubelet/sysctl/safe_sysctls.go; kubernetes/kubernetes#85463, #103326, #115374, #118846, #121240",
        effect="Each of these releases holds more sysctls safe than the one before, so this happens on "
        f"rollback from it. {_LOST}",
        confirm=(
            Step(
                "The sysctls of the pod:",
                "kubectl get pod POD -n NAMESPACE -o jsonpath='{.spec.securityContext.sysctls}'",
            ),
            Step(
                "What the kubelet allows besides the safe ones:",
                "kubectl get --raw /api/v1/nodes/NODE/proxy/configz | grep -o 'allowedUnsafeSysctls[^]]*'",
            ),
            Step(
                "Afterwards, the pod has failed with the reason SysctlForbidden:",
                "kubectl get pod POD -n NAMESPACE -o jsonpath='{.status.reason}: {.status.message}'",
            ),
        ),
        avoid=(
            Step(
                "Name the sysctl in allowedUnsafeSysctls of the kubelet's configuration, or in "
                "--allowed-unsafe-sysctls, before the older kubelet starts."
            ),
            steps.DRAIN,
            _PREFLIGHT,
        ),
        since=Since(
            "the current kubelet is one of these or newer, the target one is older",
            (Rows("behaviour", ("safeSysctls",)),),
            begins=True,
        ),
        links=(
            "https://github.com/kubernetes/kubernetes/pull/85463",
            "https://github.com/kubernetes/kubernetes/pull/103326",
            "https://github.com/kubernetes/kubernetes/pull/115374",
            "https://github.com/kubernetes/kubernetes/pull/118846",
            "https://github.com/kubernetes/kubernetes/pull/121240",
            "https://github.com/kubernetes/kubernetes/pull/138389",
            f"{_FILES}/v1.36.3/pkg/kubelet/sysctl/safe_sysctls.go#SafeSysctlAllowlist",
        ),
    ),
    Rule(
        rules.FEATURE_REFUSED,
        "feature not there",
        "The pod asks for a feature that the new kubelet has off, or that its node does not have: the "
        "kubelet refuses it. Resources of a whole pod need the gate PodLevelResources from 1.34 on, and "
        "Linux; with the gate NodeDeclaredFeatures, on from 1.36, more features are looked at.",
        "pkg/kubelet/lifecycle/handlers.go declaredFeaturesAdmitHandler, podFeaturesAdmitHandler",
        effect="A rollback, and a gate that was set for the old kubelet alone, are where this happens. "
        f"{_LOST}",
        confirm=(
            Step(
                "What the pod asks for:",
                "kubectl get pod POD -n NAMESPACE -o yaml "
                "| grep -E 'hostNetwork|hostUsers|RestartAllContainers|bindMountOptions'",
            ),
            Step(
                "The features that the node declares, from 1.35 on:",
                "kubectl get node NODE -o jsonpath='{.status.declaredFeatures}'",
            ),
            Step(
                "Afterwards, the pod has failed with the reason PodFeatureUnsupported or "
                "PodLevelResourcesNotAdmitted:",
                "kubectl get pod POD -n NAMESPACE -o jsonpath='{.status.reason}: {.status.message}'",
            ),
        ),
        avoid=(
            Step("Set the feature gate that the reason names in the new kubelet's configuration too."),
            steps.DRAIN,
            _PREFLIGHT,
        ),
        since=Since(
            "the target kubelet is one of these",
            (Rows("behaviour", ("podFeatures",), "value", value=[], unlike=True),),
        ),
        links=(
            f"{_FILES}/v1.36.3/pkg/kubelet/lifecycle/handlers.go#declaredFeaturesAdmitHandler",
            f"{_FILES}/v1.34.10/pkg/kubelet/lifecycle/features_linux.go#isPodLevelResourcesSupported",
        ),
    ),
    Rule(
        rules.DEVICES,
        "devices without a plugin",
        "1.25.10 - 1.25.13, 1.26.5 - 1.26.8 and 1.27.2 - 1.27.5 check the health of devices before any "
        "device plugin has registered again: they refuse every pod with devices.",
        "kubernetes/kubernetes#118559, #119707, #119706, #119432",
        effect=f"Each restart of such a kubelet fails all pods with GPUs or other devices of a plugin. "
        f"{_LOST}",
        confirm=(
            Step(
                "Whether the pod has resources of a device plugin, such as nvidia.com/gpu:",
                "kubectl get pod POD -n NAMESPACE -o jsonpath='{.spec.containers[*].resources}'",
            ),
            Step(
                "Afterwards, the pod has failed with the reason UnexpectedAdmissionError (no healthy devices "
                "present):",
                "kubectl get pod POD -n NAMESPACE -o jsonpath='{.status.reason}: {.status.message}'",
            ),
        ),
        avoid=(
            Step("Go to a patch release with the fix: 1.25.14, 1.26.9, 1.27.6 or newer."),
            steps.DRAIN,
            _PREFLIGHT,
        ),
        since=Since(
            "the target kubelet is one of these",
            (Rows("behaviour", ("deviceHealth",), "value", "checked"),),
        ),
        links=(
            "https://github.com/kubernetes/kubernetes/issues/118559",
            "https://github.com/kubernetes/kubernetes/pull/119432",
            "https://github.com/kubernetes/kubernetes/pull/119706",
            "https://github.com/kubernetes/kubernetes/pull/119707",
        ),
    ),
)


# Rules about who created a container: another release, a patched kubelet, or one that is not public.

_EVERY: Final = (Rows("behaviour", ("missingHash",)),)

_CREATED: Final = (
    "https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/kubelet/kuberuntime/labels.go"
    "#newContainerAnnotations"
)

_STARTED: Final = Step(
    "When the containers of the pod started:",
    "kubectl get pod POD -n NAMESPACE -o jsonpath='{.status.containerStatuses[*].state.running}'",
)

_REPORTED: Final = Step(
    "How many of the node's records this program computes again, and which release made the others:",
    "hashcompat verify --recorded NODE.json",
)

_OF_CREATION: Final = (
    Rule(
        rules.PATCHED,
        "kept by a patch",
        "The plan assumes a kubelet patched to accept the hashes of older releases (hashcompat patch "
        "--strategy accept).",
        "this program's own patch; kuberuntime_manager.go containerChanged",
        effect="The recorded hash is not the new one, but one that the patched kubelet accepts, so the "
        "container is kept. Without the patch on the node it restarts.",
        confirm=(
            Step(
                "That the kubelet is patched: it logs a line for each container that it keeps so:",
                "journalctl -u kubelet | grep -E 'Kept a container|Kept container'",
            ),
            *steps.RECORDED[:2],
        ),
        avoid=(
            Step("Nothing restarts as long as the patched kubelet runs. The patch:", steps.ACCEPT.command),
            Step(
                "What restarts when a kubelet without the patch follows it:",
                "hashcompat plan --from NEW --to NEWER --from-patched accept --like OLD --recorded NODE.json",
            ),
        ),
        since=Since(
            "the releases of the kubelet that can be patched",
            (Rows("patch", ("functions",), "name", "containerChanged"),),
        ),
        links=(
            "https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/kubelet/kuberuntime/kuberuntime_manager.go#containerChanged",
        ),
    ),
    Rule(
        rules.OTHER_CREATOR,
        "created by another release",
        "The recorded hash is exactly that of another known release than the current one, which therefore "
        "created the container: a patched kubelet kept it at an earlier upgrade, or none compared it.",
        "pkg/kubelet/kuberuntime/labels.go newContainerAnnotations",
        effect="The new kubelet computes another hash than that, so the container restarts. The record is "
        "sound, and so are the node's other ones: only the release differs.",
        confirm=(steps.COLLECT, _REPORTED, *steps.RECORDED[:2], _STARTED),
        avoid=(
            steps.DRAIN,
            Step(
                "Or let the target kubelet accept the hash of the release that the reason names:",
                "hashcompat patch --kubelet NEW --like CREATOR --strategy accept --out accept.patch",
            ),
        ),
        since=Since("wherever a kubelet is patched, or does not compare sidecars (up to 1.31)", _EVERY),
        links=(_CREATED, "https://github.com/kubernetes/kubernetes/pull/126525"),
    ),
    Rule(
        rules.CREATOR,
        "creator not known",
        "The container is older than its kubelet's release, or that kubelet is patched, so another release "
        "may have created it; the verdict depends on which. The recorded hash decides: give it with "
        "--recorded or --runtime.",
        "the dates of releases; pkg/kubelet/kuberuntime/labels.go newContainerAnnotations",
        effect="A container that started before the current release was published cannot have been created "
        "by it. It has survived an earlier upgrade, with the hash of a release that the input does not name.",
        confirm=(_STARTED, steps.NODES, *steps.RECORDED),
        avoid=(
            *steps.RECORDS,
            Step(
                "Or, on the node itself:",
                "hashcompat plan --from OLD --to NEW --node NODE --runtime auto",
            ),
            Step(
                "If the kubelet that runs now is patched, name that as well:",
                "hashcompat plan --from CURRENT --to NEW --from-patched accept --like OLD",
            ),
        ),
        since=Since("depends on when the container started", _EVERY),
        links=(_CREATED,),
    ),
    Rule(
        rules.CLOSED_BUILD,
        "kubelet not public",
        "The vendor's kubelet is not public, and may keep comparing hashes of an older release. Where "
        "upstream changes the algorithm, only recorded hashes that are reproduced, or --assume-upstream, "
        "decide.",
        "annotation alibabacloud.com/container-hash-version",
        effect="Alibaba Cloud (ACK), Tencent (TKE), Huawei and Baidu (CCE) build such kubelets, which "
        "upgrade nodes in place and may avoid the restarts that upstream causes. Where upstream does not "
        "change the algorithm, the plan is as certain as for any other kubelet.",
        confirm=(
            steps.NODES,
            Step(
                "By which release the kubelet compares, where it records that (ACK):",
                "crictl ps -q --label io.kubernetes.pod.name=POD --name CONTAINER | xargs crictl inspect "
                "| grep container-hash-version",
            ),
            steps.IN_CRI,
        ),
        avoid=(
            *steps.RECORDS,
            Step(
                "Or plan as if it were upstream's, the worst case for most:",
                "hashcompat plan --from OLD --to NEW --assume-upstream",
            ),
        ),
        since=Since(
            "vendors' builds, where the plan passes one of these changes of the algorithm",
            (Rows("eras"),),
            begins=True,
        ),
        links=(
            "https://github.com/kubernetes/kubernetes/pull/57741",
            "https://github.com/kubernetes/kubernetes/pull/124220",
        ),
    ),
)

RULES: Final = (*_OF_ADMISSION, *_OF_CREATION)
