"""Rules about cpu and memory, which kubelets that resize in place look at apart from the hash."""

from __future__ import annotations

from typing import Final

from hashcompat.rules import ids, steps
from hashcompat.rules.model import Rows, Rule, Since, Step

RULES: Final = (
    Rule(
        ids.RESIZE_POLICY,
        "restarted to apply resources",
        "From 1.33 to 1.36, a container with the resizePolicy RestartContainer restarts if the kubelet has "
        "no record of the resources that it applied. 1.37 fills a missing record first. Limits of a whole "
        "pod become those of its containers in 1.36.",
        "pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodResizeAction",
        effect="Its hash is the same, but without the record, which is in the file actuated_pods_state, the "
        "kubelet takes the cpu and memory that the container sets for newly resized.",
        confirm=(
            Step(
                "Whether the container has such a policy:",
                "kubectl get pod POD -n NAMESPACE -o jsonpath='{.spec.containers[*].resizePolicy}'",
            ),
            Step(
                "Whether the kubelet has a record of the pod (0: none; up to 1.32 there is no such file):",
                "grep -c POD_UID /var/lib/kubelet/actuated_pods_state",
            ),
            Step(
                "Afterwards, in the kubelet's log, at any verbosity:",
                "journalctl -u kubelet | grep 'Missing actuated resource record'",
            ),
            Step(
                "Afterwards, in the events:",
                "kubectl get events --all-namespaces | grep 'resize requires restart'",
            ),
        ),
        avoid=(
            steps.DRAIN,
            Step(
                "Or turn resizing off on the new kubelet, which 1.33 and 1.34 still allow:",
                "hashcompat plan --from OLD --to NEW --feature-gates InPlacePodVerticalScaling=false",
            ),
            Step(
                "A record that an earlier 1.33 or newer left on the node, before a rollback, still counts. "
                "Let the plan read it there:",
                "hashcompat collector | ssh NODE sudo sh > NODE.json",
            ),
        ),
        since=Since(
            "the target kubelet is one of these; for limits of a whole pod, one of the two is 1.36 or newer",
            (Rows("behaviour", ("resourcesRecorded",), "value", value=True),),
            within=(Rows("behaviour", ("missingResourceRecord",), "value", "restarts"),),
        ),
        links=(
            "https://github.com/kubernetes/kubernetes/blob/v1.33.13/pkg/kubelet/kuberuntime/kuberuntime_manager.go#computePodResizeAction",
            "https://github.com/kubernetes/kubernetes/blob/v1.37.1/pkg/kubelet/kuberuntime/kuberuntime_manager.go#InitializeActuatedPod",
        ),
    ),
    Rule(
        ids.RESIZE_GATE,
        "hash without resources is the same",
        "With the feature gate InPlacePodVerticalScaling on, 1.27 - 1.30 restart a container only if its "
        "hash without resources differs too.",
        "kubernetes/kubernetes#102884",
        effect="The recorded hash differs, but only because of cpu or memory, so this container is kept. "
        "Without the gate, and for static pods, the same difference restarts it. The second hash must have "
        "been recorded: a missing one is 0, which differs.",
        confirm=(
            Step(
                "Both recorded hashes of the container (container.hash and container.hashWithoutResources):",
                "crictl ps -q --label io.kubernetes.pod.name=POD --name CONTAINER | xargs crictl inspect "
                "| grep io.kubernetes.container.hash",
            ),
            Step(
                "Whether the kubelet has the gate on (1) or off (0):",
                "kubectl get --raw /api/v1/nodes/NODE/proxy/metrics "
                """| grep 'kubernetes_feature_enabled{name="InPlacePodVerticalScaling"'""",
            ),
        ),
        avoid=(
            Step(
                "The container is kept as long as the new kubelet has the gate on too. Plan with the gates "
                "that it will have:",
                "hashcompat plan --from OLD --to NEW --recorded NODE.json "
                "--feature-gates InPlacePodVerticalScaling=true",
            ),
        ),
        since=Since(
            "the target kubelet is one of these; from 1.31 on resources are in no hash",
            (Rows("behaviour", ("hashWithoutResources",), "value", value=True),),
        ),
        links=(
            "https://github.com/kubernetes/kubernetes/pull/102884",
            "https://github.com/kubernetes/kubernetes/blob/v1.30.14/pkg/kubelet/container/helpers.go#HashContainerWithoutResources",
        ),
    ),
)
