"""Rules about what decides over a whole pod, its runtime, sandbox and cgroup, and about resources."""

from __future__ import annotations

from typing import Final

from hashcompat.core import rules
from hashcompat.core.rules import Rows, Rule, Since, Step, steps

_NEVER: Final = Step(
    "Pods with the restartPolicy Never are killed and not started again. Let them finish first, or expect "
    "their controllers to create others:",
    "kubectl get pods --all-namespaces --field-selector spec.restartPolicy=Never,spec.nodeName=NODE",
)

_INFRA: Final = Step(
    "The infra containers, their image, and their hash, which is in the name after the dot:",
    "docker ps --no-trunc | grep k8s_POD",
)

_OF_SANDBOXES: Final = (
    Rule(
        rules.FINISHED,
        "finished, and still running",
        "The pod has Succeeded or Failed, and a container of it runs all the same, as after an eviction that "
        "a kubelet did not bring to its end. A kubelet that starts ends it.",
        "pkg/kubelet/pod_workers.go UpdatePod; before 1.22 pkg/kubelet/kubelet_pods.go HandlePodCleanups",
        effect="Any restart of the kubelet does this, not only an upgrade. Nothing starts it again.",
        confirm=(
            Step(
                "The pod's phase, and the states of its containers:",
                "kubectl get pod POD -n NAMESPACE -o jsonpath='{.status.phase} "
                "{.status.containerStatuses[*].state}'",
            ),
            Step("On the node, whether it runs:", "crictl ps --label io.kubernetes.pod.name=POD"),
        ),
        avoid=(
            Step("If its work still counts, let it end before the kubelet restarts; else delete the pod."),
        ),
        since=Since("any release", (Rows("behaviour", ("missingHash",)),)),
        links=("https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/kubelet/pod_workers.go#UpdatePod",),
    ),
    Rule(
        rules.NOT_SEEN,
        "change not seen yet",
        "The pod's spec was changed after its kubelet last read it: metadata.generation is above "
        "status.observedGeneration, as from 1.34 on while no kubelet runs. The kubelet that starts applies "
        "the change: another image restarts the container, and so do resources whose resizePolicy says so.",
        "pkg/kubelet/status/status_manager.go, feature gate PodObservedGenerationTracking",
        effect="It happens without an upgrade as well, as soon as a kubelet runs. A recorded hash of such a "
        "pod is that of its former spec, so it does not count in a calibration.",
        confirm=(
            Step(
                "Both generations, and what the containers were made of:",
                "kubectl get pod POD -n NAMESPACE -o yaml | grep -iE 'generation:|image:'",
            ),
        ),
        avoid=(
            Step("Let a kubelet of the current release run until it has seen the change, and plan again."),
        ),
        since=Since("the current kubelet is one of these", releases="1.34 and later"),
        links=(
            "https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/kubelet/status/status_manager.go#updateStatusInternal",
        ),
    ),
    Rule(
        rules.NO_VOLUME,
        "volume without a plugin",
        "A container mounts a volume that the new kubelet has no plugin for: one that was removed (GlusterFS "
        "in 1.26, CephFS and RBD in 1.31, git volumes in 1.33), or, on a rollback, one that is newer. The "
        "kubelet waits for the volume before it looks at the containers, so none is compared.",
        "pkg/kubelet/kubelet.go syncPod; pkg/volume",
        effect="The containers run on, whatever their hashes, until one of them ends: it is not started "
        "again. A pod that is created again stays in ContainerCreating, with the event FailedMount.",
        confirm=(
            Step(
                "The pod's volumes:",
                "kubectl get pod POD -n NAMESPACE -o jsonpath='{.spec.volumes}'",
            ),
            Step("Afterwards, in the events:", "kubectl get events -n NAMESPACE | grep FailedMount"),
        ),
        avoid=(
            Step("Move the data to a volume of a CSI driver before the upgrade."),
            Step("For git volumes, clone in an init container, or set GitRepoVolumeDriver=true."),
        ),
        since=Since(
            "the target kubelet is one of these",
            (Rows("behaviour", ("volumesWithoutPlugin",)),),
        ),
        links=(
            "https://github.com/kubernetes/kubernetes/pull/112015",
            "https://github.com/kubernetes/kubernetes/pull/124544",
            "https://github.com/kubernetes/kubernetes/pull/124546",
            "https://github.com/kubernetes/kubernetes/pull/129923",
        ),
    ),
    Rule(
        rules.RUNTIME_GONE,
        "dockershim removed",
        "The new kubelet has no dockershim. It creates everything again in another runtime, and the old "
        "Docker containers are left behind.",
        "kubernetes/kubernetes#97252 (1.24)",
        effect="The old containers run on under Docker, next to their successors: they hold ports, memory "
        "and locks, and nothing in Kubernetes shows them: the kubelet kills them only with their pod's "
        "cgroup, as when a static pod gets another UID, or when the pod is deleted. Even pods with the "
        "restartPolicy Never are created a second time. The same happens wherever a kubelet gets another "
        "runtime, as on a rollback to Docker, which only --other-runtime shows.",
        confirm=(
            steps.NODES,
            Step("Afterwards, on the node: containers that Docker still runs:", "docker ps"),
            Step("Next to those that the kubelet knows:", "crictl ps"),
        ),
        avoid=(
            steps.DRAIN,
            Step(
                "Then, on the drained node, with the kubelet stopped, stop what Docker still runs:",
                "docker stop $(docker ps -q)",
            ),
            Step(
                "Or install cri-dockerd, which drives Docker for the new kubelet, and plan with it:",
                "hashcompat plan --from OLD --to NEW --cri-dockerd",
            ),
            Step(
                "Before a kubelet goes back to a runtime, remove what it left there, and plan with:",
                "hashcompat plan --from OLD --to NEW --other-runtime",
            ),
        ),
        since=Since(
            "the target kubelet is one of these, the current one is older, and the node runs Docker, as its "
            "Node object or a record shows; with --other-runtime, any",
            (Rows("behaviour", ("dockershim",), "value", value=False),),
        ),
        links=("https://github.com/kubernetes/kubernetes/pull/97252",),
    ),
    Rule(
        rules.SANDBOX_REPLACED,
        "sandbox not recognised",
        "The new kubelet does not recognise the sandboxes that the old kubelet created, and recreates "
        "every pod.",
        "kubernetes/kubernetes#40727 (1.6)",
        effect="With 1.6 the kubelet drives Docker through the CRI. It reads the wrong network mode from the "
        "infra containers of 1.5 and older, so it kills each pod with all its containers and makes a new "
        "sandbox. Pods with the restartPolicy Never are not started again.",
        confirm=(
            Step(
                "Infra containers of 1.5 and older, by their names (k8s_POD.HASH_...):",
                "docker ps --no-trunc | grep 'k8s_POD[.]'",
            ),
            Step(
                "Afterwards, in the kubelet's log, with --v=2 or more:",
                "journalctl -u kubelet | grep 'Need to start a new one'",
            ),
        ),
        avoid=(
            steps.DRAIN,
            _NEVER,
            Step("No patch is made for this: the hash plays no part in it."),
        ),
        since=Since(
            "from an older release to this one or a newer one, and on rollback",
            (Rows("behaviour", ("sandboxMaker",)),),
            begins=True,
        ),
        links=(
            "https://github.com/kubernetes/kubernetes/pull/40727",
            "https://github.com/kubernetes/kubernetes/blob/v1.6.13/pkg/kubelet/kuberuntime/kuberuntime_manager.go#podSandboxChanged",
        ),
    ),
    Rule(
        rules.PAUSE_IMAGE,
        "infra container changed",
        "Up to 1.5 the infra container has its own hash, which covers the pause image; when it changes, "
        "the pod is recreated.",
        "pkg/kubelet/dockertools/docker_manager.go computePodContainerChanges",
        effect="The infra container holds the pod's network, so all containers of the pod are killed with "
        "it. Its hash changes with the image that a release has built in, and with the types that are "
        "hashed. Pods with the restartPolicy Never are not started again.",
        confirm=(
            _INFRA,
            Step(
                "Afterwards, in the kubelet's log, with --v=2 or more:",
                "journalctl -u kubelet | grep 'Need to restart pod infra container'",
            ),
        ),
        avoid=(
            steps.DRAIN,
            _NEVER,
            Step("No patch is made for this: only kubelets from 1.8 on can be patched."),
        ),
        since=Since(
            "both kubelets are of these releases",
            (Rows("behaviour", ("pauseImage",), "value", unlike=True),),
        ),
        links=(
            "https://github.com/kubernetes/kubernetes/blob/v1.5.8/pkg/kubelet/dockertools/docker_manager.go#podInfraContainerChanged",
        ),
    ),
    Rule(
        rules.SANDBOX_BROKEN,
        "sandbox not usable",
        "The runtime reports a sandbox that no kubelet keeps: none is ready or more than one is, it is on "
        "another network than the pod requests, or, from 1.8 on, it has no IP address. A new sandbox "
        "restarts the whole pod.",
        "pkg/kubelet/kuberuntime/kuberuntime_manager.go podSandboxChanged",
        effect="Something broke before the upgrade, such as a pause process that died, and the kubelet that "
        "runs would repair it too: this restart is due with or without the upgrade. Pods with the "
        "restartPolicy Never are not started again.",
        confirm=(
            Step("The pod's sandboxes and their states:", "crictl pods --name POD --namespace NAMESPACE"),
            Step(
                "Network mode and IP address of the newest one:",
                "crictl pods -q --latest --name POD --namespace NAMESPACE | xargs crictl inspectp",
            ),
            Step(
                "In Docker:",
                "docker ps -a --filter label=io.kubernetes.docker.type=podsandbox "
                "--filter label=io.kubernetes.pod.name=POD",
            ),
            steps.SANDBOX_EVENTS,
        ),
        avoid=(
            Step(
                "Replace the pod at a time of your choice, before the upgrade:",
                "kubectl delete pod POD -n NAMESPACE",
            ),
            Step(
                "If many pods of a node are concerned, look at the runtime before anything else: containerd "
                "1.6.9 - 1.6.14 forgets the IP addresses of its sandboxes when it restarts. Whether it is "
                "such:",
                "hashcompat preflight --to NEW",
            ),
        ),
        since=Since(
            "the target kubelet is any of these; it looks for an IP address from 1.8 on",
            (Rows("behaviour", ("sandboxChecks",)),),
        ),
        links=(
            "https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/kubelet/kuberuntime/util/util.go#PodSandboxChanged",
            "https://github.com/kubernetes/kubernetes/blob/v1.9.11/pkg/kubelet/kuberuntime/kuberuntime_manager.go#podSandboxChanged",
            "https://github.com/containerd/containerd/issues/7843",
        ),
    ),
    Rule(
        rules.QOS,
        "another QoS class",
        "From 1.16 on, init containers count for the QoS class of a pod, whose cgroup is then another one. A "
        "kubelet kills a running pod without a cgroup and recreates it; a Never pod is not started again. Of "
        "a static pod with resources of its own, kubelets compute another class from 1.34 on, and where "
        "these are empty from 1.37 on.",
        "pkg/apis/core/v1/helper/qos/qos.go GetPodQOS; pkg/kubelet/kubelet.go syncPod",
        effect="Else only pods with init containers are concerned, and only where these change the class: a "
        "pod that is Guaranteed or BestEffort without them can be Burstable with them. All its containers "
        "restart, whatever their hashes.",
        confirm=(
            Step(
                "The class that the pod has now:",
                "kubectl get pod POD -n NAMESPACE -o jsonpath='{.status.qosClass}'",
            ),
            Step(
                "The resources that its init containers set:",
                "kubectl get pod POD -n NAMESPACE -o jsonpath='{.spec.initContainers[*].resources}'",
            ),
            Step(
                "On the node, the pod's cgroup, whose path has the class unless it is Guaranteed (with the "
                "systemd driver, the UID has _ for -):",
                "find /sys/fs/cgroup -type d -name '*POD_UID*'",
            ),
        ),
        avoid=(
            steps.DRAIN,
            Step(
                "Or give the init containers requests and limits of the same class as the others, in the "
                "workload's template: that is a rollout of its own."
            ),
        ),
        since=Since(
            "an upgrade that passes it, and a rollback",
            (Rows("behaviour", ("qosContainers",)), Rows("behaviour", ("podQos",))),
            begins=True,
        ),
        links=(
            "https://github.com/kubernetes/kubernetes/blob/v1.16.15/pkg/apis/core/v1/helper/qos/qos.go#GetPodQOS",
            "https://github.com/kubernetes/kubernetes/blob/v1.16.15/pkg/kubelet/kubelet.go#syncPod",
        ),
    ),
)


# Rules about cpu and memory, which kubelets that resize in place look at apart from the hash.

_OF_RESOURCES: Final = (
    Rule(
        rules.RESIZE_POLICY,
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
        rules.RESIZE_GATE,
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

RULES: Final = (*_OF_SANDBOXES, *_OF_RESOURCES)
