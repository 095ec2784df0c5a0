"""Rules about recorded hashes: what a runtime keeps of the kubelet that created a container."""

from __future__ import annotations

from typing import Final

from hashcompat.rules import ids, steps
from hashcompat.rules.model import Rows, Rule, Since, Step

_LABELS: Final = "https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/kubelet/kuberuntime/labels.go"

_CHANGED: Final = (
    "https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/kubelet/kuberuntime/kuberuntime_manager.go"
    "#containerChanged"
)

_EVERY: Final = (Rows("behaviour", ("missingHash",)),)

_VERIFY: Final = Step(
    "How many of the node's records this program computes again, and which release made the others:",
    "hashcompat verify --recorded NODE.json",
)

_DELETE: Final = Step(
    "Or replace the pod at a time of your choice; what the current kubelet creates, it records by itself:",
    "kubectl delete pod POD -n NAMESPACE",
)

_PATCHED: Final = Step(
    "If the kubelet that runs now is patched, name that in the plan:",
    "hashcompat plan --from CURRENT --to NEW --recorded NODE.json --from-patched accept --like OLD",
)

RULES: Final = (
    Rule(
        ids.RECORDED,
        "the recorded hash decides",
        "The new kubelet compares its own hash with the recorded one, which the input contains.",
        "pkg/kubelet/kuberuntime/labels.go",
        effect="Both are the same here, so the container is kept. This is the surest verdict there is: it "
        "does not depend on which release created the container, nor on what the API server changed since.",
        confirm=(*steps.RECORDED, steps.COMPUTED),
        avoid=(
            Step("Nothing restarts, so there is nothing to avoid."),
            Step(
                "A record is as old as its collection. Where pods were created or deleted since, collect "
                "again:",
                "hashcompat collector | ssh NODE sudo sh > NODE.json",
            ),
        ),
        since=Since("the hash is in the name up to 1.5, an annotation from 1.6 on", _EVERY),
        links=(f"{_LABELS}#newContainerAnnotations", _CHANGED),
    ),
    Rule(
        ids.NOT_REPRODUCED,
        "recorded hash not reproduced",
        "Neither the old nor the new kubelet computes the recorded hash, so the container restarts: it was "
        "created by another release, or from another spec.",
        "pkg/kubelet/kuberuntime/kuberuntime_manager.go containerChanged",
        effect="The usual causes: the input is a manifest that differs from the pod in the cluster, the "
        "pod's image was changed while no kubelet ran, or the kubelet is patched or a vendor's. If the "
        "input is right, even a restart of the same kubelet restarts the container.",
        confirm=(steps.COLLECT, _VERIFY, *steps.RECORDED, steps.COMPUTED),
        avoid=(
            Step(
                "Plan for the pods as the API server has them, not for their manifests:",
                "kubectl get pods --all-namespaces -o json "
                "| hashcompat plan --from OLD --to NEW --recorded NODE.json -f -",
            ),
            Step(
                "If only manifests are available, let it search the mount of the service account's token:",
                "hashcompat verify --recorded NODE.json --search-token-mount -f MANIFESTS",
            ),
            _PATCHED,
            _DELETE,
        ),
        since=Since("wherever a hash is recorded and the target kubelet computes another", _EVERY),
        links=(_CHANGED,),
    ),
    Rule(
        ids.NOT_CALIBRATED,
        "node not calibrated",
        "Some recorded hashes of this node were not reproduced, and this container has no record.",
        "",
        effect="What was computed for other containers of the node is not what its kubelet recorded, so what "
        "is computed for this one proves nothing: UNKNOWN. The records of the others decide about those.",
        confirm=(steps.COLLECT, _VERIFY),
        avoid=(
            Step(
                "Collect the records again, as root and with the runtime's socket, so that this container is "
                "among them:",
                "hashcompat collector | ssh NODE sudo sh > NODE.json",
            ),
            _PATCHED,
            steps.DRAIN,
        ),
        since=Since("depends on the input, not on a release", _EVERY),
        links=(f"{_LABELS}#newContainerAnnotations",),
    ),
    Rule(
        ids.HASH_MISSING,
        "no hash recorded",
        "The container has no recorded hash. From 1.6 on, a kubelet reads 0, which differs from any hash.",
        "pkg/kubelet/kuberuntime/labels.go getContainerInfoFromAnnotations",
        effect="Any start of such a kubelet restarts the container, an upgrade or not. No kubelet leaves the "
        "hash out, so something else created the container, or the runtime lost its annotations; up to 1.5 a "
        "missing hash is not compared.",
        confirm=(
            *steps.RECORDED,
            steps.LOGGED,
            steps.EVENTS,
        ),
        avoid=(
            steps.DRAIN,
            _DELETE,
            Step("No patch helps: there is no old hash that a kubelet could accept."),
        ),
        since=Since(
            "the target kubelet is one of these", (Rows("behaviour", ("missingHash",), "value", "restarts"),)
        ),
        links=(f"{_LABELS}#getContainerInfoFromAnnotations", _CHANGED),
    ),
    Rule(
        ids.NOT_STORED,
        "not in the snapshot",
        "The input is a snapshot with hidden values, and the version of this program that made it did not "
        "know this kubelet; or a recorded hash is not from the snapshot, which hides those to compare it "
        "with. Take a new snapshot, with the records.",
        "",
        effect="A snapshot holds which kubelets hash a container alike in place of its values, so a question "
        "about any other kubelet has no answer in it: UNKNOWN.",
        confirm=(
            Step("This program's version; an older one may have made the snapshot:", "hashcompat version"),
            Step("The releases that this version knows:", "hashcompat releases"),
        ),
        avoid=(
            steps.COLLECT,
            Step(
                "Take a new snapshot with this version and with the records:",
                "hashcompat snapshot --recorded NODE.json --out SNAPSHOT.json.gz",
            ),
            Step(
                "Or plan in the cluster itself, without a snapshot:",
                "hashcompat plan --from OLD --to NEW --recorded NODE.json",
            ),
        ),
        since=Since("depends on the input, not on a release", releases="every release"),
        links=(f"{_LABELS}#newContainerAnnotations",),
    ),
)
