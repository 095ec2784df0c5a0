"""Rules about what a kubelet compares, and when."""

from __future__ import annotations

from typing import Final

from hashcompat.rules import ids, steps
from hashcompat.rules.model import Rows, Rule, Since, Step

_SIDECARS: Final = Step(
    "Whether it is a sidecar (an init container with the restartPolicy Always):",
    "kubectl get pod POD -n NAMESPACE -o jsonpath='{.spec.initContainers[*].restartPolicy}'",
)

RULES: Final = (
    Rule(
        ids.NOT_COMPARED,
        "not compared",
        "The kubelet does not compare the hash of this container: the container is not running, its pod "
        "has finished or is being deleted, or it is an init container, an ephemeral container or, before "
        "1.32, a sidecar.",
        "pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions; sidecars "
        "kubernetes/kubernetes#126525",
        effect="So the upgrade does not restart it. A container that is not running starts again by its "
        "restartPolicy alone, as it would without the upgrade, and is created by the new kubelet then.",
        confirm=(
            Step(
                "The state that the API server has:",
                "kubectl get pod POD -n NAMESPACE -o wide",
            ),
            Step("The state that the runtime has, which decides:", "crictl ps -a --name CONTAINER"),
            Step("The same in Docker:", "docker ps -a --filter label=io.kubernetes.container.name=CONTAINER"),
            _SIDECARS,
        ),
        avoid=(
            Step("Nothing restarts, so there is nothing to avoid."),
            Step(
                "If the pod is older than what its status shows, plan by the runtime's state:",
                "hashcompat plan --from OLD --to NEW --recorded NODE.json",
            ),
        ),
        since=Since("whatever the two kubelets are", (Rows("behaviour", ("sidecarsCompared",)),)),
        links=(
            "https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/kubelet/kuberuntime/kuberuntime_manager.go#computePodActions",
            "https://github.com/kubernetes/kubernetes/pull/126525",
        ),
    ),
    Rule(
        ids.NEVER_COMPARED,
        "compared for the first time",
        "Only the new kubelet compares the hash of this container. The recorded hash may come from a "
        "kubelet that is older than the current one.",
        "kubernetes/kubernetes#126525",
        effect="This is a sidecar: kubelets up to 1.31 leave it alone, 1.32 begins to compare it. One that "
        "1.30 or older created has survived the change of the algorithm in 1.31 with its old hash, and "
        "1.32 restarts it; one that 1.31 created stays.",
        confirm=(_SIDECARS, *steps.RECORDED[:1], steps.COMPUTED, steps.SIDECAR_EVENTS),
        avoid=(
            *steps.RECORDS,
            steps.DRAIN,
            Step(
                "Or run a kubelet that accepts the hash of the release that created the sidecar:",
                "hashcompat patch --kubelet NEW --like CREATOR --out accept.patch",
            ),
        ),
        since=Since(
            "the target kubelet is one of these, and the current one is older",
            (Rows("behaviour", ("sidecarsCompared",), "value", value=True),),
        ),
        links=(
            "https://github.com/kubernetes/kubernetes/pull/126525",
            "https://github.com/kubernetes/kubernetes/blob/v1.32.13/pkg/kubelet/kuberuntime/kuberuntime_container.go#computeInitContainerActions",
        ),
    ),
    Rule(
        ids.STARTUP_PROBE,
        "restart after the startup probe",
        "A sidecar with a startupProbe is compared only once the probe has passed again, so it restarts some "
        "time after the kubelet does.",
        "kubernetes/kubernetes#126525, #137146",
        effect="A node that looks fine right after the upgrade can thus still restart containers, as late "
        "as the probe's delays and periods allow, or never if the probe does not pass (UNKNOWN). 1.35.0 - "
        "1.35.3 do not run the probe again for a sidecar that has started, and so never compare it.",
        confirm=(
            Step(
                "Whether the probe has passed (true or false for each init container):",
                "kubectl get pod POD -n NAMESPACE -o jsonpath='{.status.initContainerStatuses[*].started}'",
            ),
            Step(
                "The probe's delays, and how often it is tried:",
                "kubectl get pod POD -n NAMESPACE -o jsonpath='{.spec.initContainers[*].startupProbe}'",
            ),
            *steps.RECORDED[:1],
            steps.SIDECAR_EVENTS,
        ),
        avoid=(
            Step("Call a node done only when its startup probes have passed and the events are quiet."),
            steps.DRAIN,
            Step(
                "Or run a kubelet that accepts the hash of the release that created the sidecar:",
                "hashcompat patch --kubelet NEW --like CREATOR --out accept.patch",
            ),
        ),
        since=Since(
            "the target kubelet is one of these; older ones compare no sidecar",
            (Rows("behaviour", ("sidecarsCompared",), "value", value=True),),
        ),
        links=(
            "https://github.com/kubernetes/kubernetes/pull/126525",
            "https://github.com/kubernetes/kubernetes/issues/137146",
            "https://github.com/kubernetes/kubernetes/pull/137885",
            "https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/kubelet/kuberuntime/kuberuntime_container.go#computeInitContainerActions",
        ),
    ),
    Rule(
        ids.NOT_CREATED,
        "not created again",
        "The new kubelet kills the container because its hash changed, and then fails to create it: it sets "
        "subPathExpr, whose feature gate is off in 1.14.",
        "feature gate VolumeSubpathEnvExpansion; pkg/kubelet/kubelet_pods.go makeMounts",
        effect="Kubelets up to 1.13 do not know the field and run the container with the whole volume; those "
        "from 1.15 on have the gate on. API servers whose own gate is off drop the field, so it reaches a "
        "kubelet of 1.14 from the manifest of a static pod, or from a newer API server. The kubelet tries "
        "again and again.",
        confirm=(
            Step(
                "Whether a container sets it:",
                "kubectl get pod POD -n NAMESPACE -o jsonpath='{.spec.containers[*].volumeMounts}'",
            ),
            Step(
                "Afterwards, the container waits with the message `volume subpath expansion is disabled`:",
                "kubectl get pod POD -n NAMESPACE "
                "-o jsonpath='{.status.containerStatuses[*].state.waiting.message}'",
            ),
        ),
        avoid=(
            Step(
                "Turn the gate on in the configuration of the 1.14 kubelet; plan with:",
                "hashcompat plan --from OLD --to NEW --feature-gates VolumeSubpathEnvExpansion=true",
            ),
            steps.DRAIN,
        ),
        since=Since(
            "the target kubelet knows the field, and has the gate off",
            (Rows("gates", ("gates", "VolumeSubpathEnvExpansion"), "on", value=False),),
        ),
        links=(
            "https://github.com/kubernetes/kubernetes/blob/v1.14.10/pkg/kubelet/kubelet_pods.go#makeMounts",
            "https://github.com/kubernetes/kubernetes/pull/71351",
        ),
    ),
)
