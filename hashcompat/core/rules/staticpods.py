"""Rules about static pods, whose UID is a hash of their manifest."""

from __future__ import annotations

from typing import Final

from hashcompat.core import rules
from hashcompat.core.rules import Rows, Rule, Since, Step

_UID: Final = Step(
    "The UID that the kubelet gave the static pod, which is not that of its mirror pod:",
    r"kubectl get pod POD -n NAMESPACE -o jsonpath='{.metadata.annotations.kubernetes\.io/config\.hash}'",
)

_COPY: Final = Step(
    "Copy the node's manifests; the directory is the kubelet's staticPodPath:",
    "scp -r NODE:/etc/kubernetes/manifests MANIFESTS",
)

_UIDS: Final = Step(
    "The UIDs that both kubelets give (podUID in the document):",
    "hashcompat hash --kubelet OLD,NEW --node-name NODE --static-pod-dir MANIFESTS "
    "--static-pod-path /etc/kubernetes/manifests -o json",
)

_PLAN: Final = Step(
    "With the manifests, the plan decides:",
    "hashcompat plan --from OLD --to NEW --node-name NODE --static-pod-dir MANIFESTS "
    "--static-pod-path /etc/kubernetes/manifests",
)

_ONE_BY_ONE: Final = Step(
    "Draining does not move static pods. Upgrade one control plane node at a time, and wait until its etcd "
    "and API server are ready before the next."
)

_APPLY_DEFAULTS: Final = (
    "https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/kubelet/config/common.go#applyDefaults"
)

_EVERY: Final = (Rows("behaviour", ("staticPodDigest",)),)

RULES: Final = (
    Rule(
        rules.STATIC_POD,
        "static pod's UID unknown",
        "A static pod is recreated when its UID changes; the input does not show whether it does.",
        "pkg/kubelet/config/common.go applyDefaults",
        effect="The UID is a hash over the whole manifest as the kubelet decodes it, and the mirror pod in "
        "the API server does not have all of that. Only the manifest on the node decides: until the plan has "
        "it, the verdict is UNKNOWN.",
        confirm=(_UID, _COPY, _UIDS),
        avoid=(_COPY, _PLAN, _ONE_BY_ONE),
        since=Since("whatever the two kubelets are, unless they are of one minor", _EVERY),
        links=(
            _APPLY_DEFAULTS,
            "https://github.com/kubernetes/kubernetes/issues/116080",
        ),
    ),
    Rule(
        rules.STATIC_REFUSED,
        "static pod refused",
        "From 1.34 on, kubelets reject static pods that refer to Secrets, ConfigMaps, service accounts or "
        "other API objects: the pod disappears. From 1.37 on no feature gate allows them.",
        "feature gate PreventStaticPodAPIReferences, kubernetes/kubernetes#140226",
        effect="The manifest no longer becomes a pod, so the new kubelet kills its containers and nothing "
        "starts them again. The API server shows no failed pod; only the kubelet's log has the error.",
        confirm=(
            Step(
                "Manifests of the node that may refer to API objects:",
                "grep -liE 'secret|configmap|account|claim|csi' /etc/kubernetes/manifests/*",
            ),
            Step(
                "Afterwards, in the kubelet's log:",
                "journalctl -u kubelet | grep 'static pods may not reference'",
            ),
        ),
        avoid=(
            Step("Take the reference out of the manifest first; a hostPath volume can hold the same files."),
            Step("Or run the pod as a DaemonSet, which may refer to API objects."),
            Step(
                "Or, for 1.34 - 1.36, turn the gate off in the kubelet's configuration; plan with:",
                "hashcompat plan --from OLD --to NEW --feature-gates PreventStaticPodAPIReferences=false",
            ),
        ),
        since=Since(
            "the first target kubelet that refuses them; the newer ones do as well",
            (Rows("gates", ("gates", "PreventStaticPodAPIReferences"), "on", value=True),),
            begins=True,
        ),
        links=(
            "https://github.com/kubernetes/kubernetes/pull/131837",
            "https://github.com/kubernetes/kubernetes/pull/140226",
            "https://github.com/kubernetes/kubernetes/blob/v1.34.10/pkg/kubelet/config/common.go#tryDecodeSinglePod",
        ),
    ),
    Rule(
        rules.STATIC_UID,
        "static pod with a new UID",
        "The UID of a static pod is a hash of the whole pod. A new UID means a new pod: every container is "
        "recreated.",
        "kubernetes/kubernetes#87461 (1.21), #133511 (1.35), #116080",
        effect="On a control plane that is etcd, the API server, the scheduler and the controller manager, "
        "all at about the same time, within seconds of the new kubelet's start. The hash covers fields that "
        "nobody set, so most minors change it; 1.21 adds the node and the file, 1.35 takes another digest.",
        confirm=(
            _UID,
            _COPY,
            _UIDS,
            Step(
                "Afterwards: the same annotation has another value, and the sandbox is a new one:",
                "crictl pods --name POD",
            ),
        ),
        avoid=(
            _ONE_BY_ONE,
            Step(
                "A metadata.uid in the manifest takes the hash's place, so the pod keeps its UID from then "
                "on. Adding it is a new UID once, and later edits of the manifest no longer replace the pod."
            ),
            Step("No patch is made for this: it concerns container hashes alone."),
        ),
        since=Since("between most minors; patch releases of one minor agree", _EVERY),
        links=(
            "https://github.com/kubernetes/kubernetes/pull/87461",
            "https://github.com/kubernetes/kubernetes/pull/133511",
            "https://github.com/kubernetes/kubernetes/issues/116080",
            _APPLY_DEFAULTS,
        ),
    ),
)
