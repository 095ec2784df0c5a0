"""Rules about who created a container: another release, a patched kubelet, or one that is not public."""

from __future__ import annotations

from typing import Final

from hashcompat.rules import ids, steps
from hashcompat.rules.model import Rows, Rule, Since, Step

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

RULES: Final = (
    Rule(
        ids.PATCHED,
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
        ids.OTHER_CREATOR,
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
        ids.CREATOR,
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
        ids.CLOSED_BUILD,
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
