"""Steps that several rules share; commands that confirm something change nothing."""

from __future__ import annotations

from typing import Final

from hashcompat.core.rules import Step

IN_CRI: Final = Step(
    "Under a CRI runtime such as containerd or CRI-O, the recorded hash is an annotation of the container:",
    "crictl ps -q --label io.kubernetes.pod.name=POD --name CONTAINER | xargs crictl inspect "
    "| grep io.kubernetes.container.hash",
)

IN_DOCKER: Final = Step(
    "In Docker, under dockershim (1.6 - 1.23) or cri-dockerd, it is a label:",
    "docker ps -q --filter label=io.kubernetes.pod.name=POD "
    "--filter label=io.kubernetes.container.name=CONTAINER "
    "| xargs docker inspect | grep annotation.io.kubernetes.container.hash",
)

IN_NAMES: Final = Step(
    "Up to 1.5 it is in the name of the Docker container, after the dot (k8s_CONTAINER.HASH_POD_...):",
    "docker ps --no-trunc | grep k8s_CONTAINER",
)

RECORDED: Final = (IN_CRI, IN_DOCKER, IN_NAMES)
"""Where a kubelet recorded the hash, by runtime and release."""

COMPUTED: Final = Step(
    "What both kubelets compute for the pod as the API server has it (column HEX):",
    "kubectl get pod POD -n NAMESPACE -o json | hashcompat hash --kubelet OLD,NEW -f -",
)

EXPLAINED: Final = Step(
    "Which field it is, and which upstream change brought it:",
    "hashcompat explain NAMESPACE/POD/CONTAINER --from OLD --to NEW",
)

NODES: Final = Step(
    "The kubelet (VERSION) and the runtime (CONTAINER-RUNTIME) of each node:",
    "kubectl get nodes -o wide",
)

LOGGED: Final = Step(
    "Afterwards, in the kubelet's log ('hash changed' up to 1.13, 'definition changed' from 1.14 on; "
    "from 1.8 on only with --v=2 or more):",
    "journalctl -u kubelet | grep -E 'hash changed|definition changed'",
)

EVENTS: Final = Step(
    "Afterwards, from 1.8 on, in the events, which the API server keeps for an hour by default:",
    "kubectl get events --all-namespaces | grep -E 'hash changed|definition changed'",
)

SIDECAR_EVENTS: Final = Step(
    "Afterwards, in the events, because the log does not name the reason:",
    "kubectl get events --all-namespaces | grep -E 'Init container .* definition changed'",
)

SANDBOX_EVENTS: Final = Step(
    "Afterwards, from 1.7 on, in the events, which the API server keeps for an hour by default:",
    "kubectl get events --all-namespaces | grep 'Pod sandbox changed'",
)

REFUSED: Final = Step(
    "Afterwards, the pod has failed, and its status names the reason:",
    "kubectl get pod POD -n NAMESPACE -o jsonpath='{.status.reason}: {.status.message}'",
)

DRAIN: Final = Step(
    "Move the pods away before the kubelet is replaced. Pods of DaemonSets and static pods stay, so what "
    "the plan lists of those still happens:",
    "kubectl drain NODE --ignore-daemonsets",
)

ACCEPT: Final = Step(
    "Or run a kubelet (1.8 or newer) that accepts the hashes of the old one as well:",
    "hashcompat patch --kubelet NEW --like OLD --strategy accept --out accept.patch",
)

ASSUME: Final = Step(
    "What restarts in spite of that patch:",
    "hashcompat plan --from OLD --to NEW --assume-patch accept",
)

PIN: Final = Step(
    "Or one that goes on hashing as the old one does, so that a rollback restarts nothing either (not "
    "for 1.33 and newer, where each resize in place would restart the container):",
    "hashcompat patch --kubelet NEW --like OLD --strategy pin --out pin.patch",
)

COLLECT: Final = Step(
    "Collect what the node's runtime recorded; the script only reads:",
    "hashcompat collector | ssh NODE sudo sh > NODE.json",
)

BY_RECORDS: Final = Step(
    "Then the recorded hash decides, whichever release made it:",
    "hashcompat plan --from OLD --to NEW --recorded NODE.json",
)

RECORDS: Final = (COLLECT, BY_RECORDS)
"""How the hashes of a node get into a plan."""

FROM_CLUSTER: Final = Step(
    "Plan for the pods of the cluster in place of manifests:",
    "kubectl get pods --all-namespaces -o json | hashcompat plan --from OLD --to NEW -f -",
)
