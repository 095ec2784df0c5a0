"""Rules about the hash: its steps, the fields of the types, and what of it a kubelet compares."""

from __future__ import annotations

from typing import Final

from hashcompat.core import rules
from hashcompat.core.rules import Rows, Rule, Since, Step, steps

_ESCAPED: Final = Step(
    "Whether the container has one of the two characters, in the pod as kubectl prints it:",
    "kubectl get pod POD -n NAMESPACE -o json "
    r"""| grep -nE '(^|[^\\])(\\\\)*\\(b|f|u0008|u000[cC])'""",
)

_CHARACTERS: Final = Step(
    "Or take the character out of the workload's template, at a time of your choice: that is a rollout of "
    "its own, and no later change of Go concerns the container."
)

_GO: Final = (Rows("changes", ("go",)),)

_OF_STEPS: Final = (
    Rule(
        rules.ALGORITHM,
        "hash algorithm changed",
        "The steps of the hash differ between the two releases, so every hash differs.",
        "kubernetes/kubernetes#40297 (1.6), #57741 (1.16), #124220 and #129385 (1.31)",
        effect="Nothing is wrong with the pods. The new kubelet reads the recorded hash, computes another "
        "one by its own steps, and takes each running container for a changed one: it kills the "
        "container and creates it again, whatever its restartPolicy, within seconds of its start.",
        confirm=(*steps.RECORDED, steps.COMPUTED, steps.LOGGED, steps.EVENTS),
        avoid=(steps.DRAIN, steps.ACCEPT, steps.ASSUME, steps.PIN),
        since=Since(
            "an upgrade that passes one of these restarts every container, and so does a rollback",
            (Rows("eras"),),
            begins=True,
        ),
        links=(
            "https://github.com/kubernetes/kubernetes/pull/40297",
            "https://github.com/kubernetes/kubernetes/pull/57741",
            "https://github.com/kubernetes/kubernetes/pull/124220",
            "https://github.com/kubernetes/kubernetes/issues/129385",
            "https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/kubelet/container/helpers.go#HashContainer",
        ),
    ),
    Rule(
        rules.GO_ESCAPES,
        "Go 1.22 escapes",
        "The spec contains a backspace or form feed, which encoding/json escapes differently since Go 1.22.",
        "kubernetes/kubernetes#125895 - #125898",
        effect="Kubelets 1.16 - 1.30 hash the container's JSON, in which older builds write \\u0008 and "
        "\\u000c, newer ones \\b and \\f. So a patch release alone can restart these few containers, and "
        "only these; from 1.31 on the JSON has only the name and the image.",
        confirm=(_ESCAPED, steps.COMPUTED, *steps.RECORDED[:2], steps.LOGGED),
        avoid=(
            Step(
                "Choose a target release that is built with a Go on the same side of 1.22; the Go of each:",
                "hashcompat releases -o wide",
            ),
            _CHARACTERS,
            steps.DRAIN,
            steps.ACCEPT,
        ),
        since=Since(
            "the first patch releases of their minors that are built with Go 1.22; 1.26 and older never "
            "are, 1.30 always is",
            _GO,
            begins=True,
        ),
        links=(
            "https://github.com/kubernetes/kubernetes/pull/125895",
            "https://github.com/kubernetes/kubernetes/pull/125896",
            "https://github.com/kubernetes/kubernetes/pull/125897",
            "https://github.com/kubernetes/kubernetes/pull/125898",
        ),
    ),
    Rule(
        rules.VENDOR_GO,
        "vendor's Go version",
        "A backspace or form feed in the spec makes the hash depend on the Go that the vendor built with.",
        "as HC003",
        effect="The vendor's builds of 1.16 - 1.30 may be built with a Go before or after 1.22, whatever "
        "upstream used for that patch release, and the two write these characters differently. So the "
        "verdict is UNKNOWN, for the containers with such a character only.",
        confirm=(
            _ESCAPED,
            Step(
                "Which Go built the kubelet that runs (go_version; in old releases goVersion):",
                "kubectl get --raw /api/v1/nodes/NODE/proxy/metrics | grep kubernetes_build_info",
            ),
        ),
        avoid=(
            Step(
                "If both builds are on the same side of Go 1.22, plan with upstream releases that are too, "
                "in place of the vendor's names: 1.27.15, 1.28.11 and 1.29.6 are the last before it, 1.30.0 "
                "is after it:",
                "hashcompat plan --from OLD --to NEW",
            ),
            _CHARACTERS,
            steps.DRAIN,
        ),
        since=Since(
            "vendors' builds around these upstream releases, all of 1.16 - 1.30; upstream's own are certain",
            _GO,
            begins=True,
        ),
        links=(
            "https://github.com/kubernetes/kubernetes/pull/125898",
            "https://github.com/golang/go/blob/go1.22.0/src/encoding/json/encode.go#appendString",
        ),
    ),
)


# Rules about the fields of the Go types that are hashed.

_SPEW: Final = (Rows("eras", ("spew-adler32",)), Rows("eras", ("spew-fnv32a",)))

_WITHOUT_POD: Final = Step(
    "What differs between the two releases for any container:",
    "hashcompat explain --from OLD --to NEW",
)

_PATH: Final = Step(
    "Whether another way to the target restarts fewer:",
    "hashcompat matrix --from OLD --to NEW -f PODS.json",
)

_STRIP: Final = Step(
    "Or, from 1.8 on, one that cuts the new fields out of the hashed text:",
    "hashcompat patch --kubelet NEW --like OLD --strategy strip --out strip.patch",
)

_OF_FIELDS: Final = (
    Rule(
        rules.FIELD_ADDED,
        "new field in the Go types",
        "The new kubelet's types have a field that the old kubelet's types lack. Up to 1.15 the hashed "
        "text includes unset fields.",
        "kubernetes/kubernetes#53644, #84443; the reason cites the field's own pull request",
        effect="So a field that nobody set changes the hash of every container that has the struct around "
        "it: a field of Container changes all, one of SecurityContext or VolumeMount those that have one. "
        "The new kubelet kills these containers and creates them again when it starts.",
        confirm=(steps.EXPLAINED, _WITHOUT_POD, steps.COMPUTED, *steps.RECORDED, steps.LOGGED),
        avoid=(steps.DRAIN, _PATH, steps.ACCEPT, _STRIP, steps.ASSUME),
        since=Since(
            "both kubelets are of these releases; from 1.16 on an unset field is not part of the hash", _SPEW
        ),
        links=(
            "https://github.com/kubernetes/kubernetes/issues/53644",
            "https://github.com/kubernetes/kubernetes/issues/84443",
            "https://github.com/kubernetes/kubernetes/blob/v1.15.12/pkg/util/hash/hash.go#DeepHashObject",
        ),
    ),
    Rule(
        rules.FIELD_REMOVED,
        "field missing from the Go types",
        "The new kubelet's types, usually those of an older release, lack a field that is part of the "
        "recorded hash.",
        "as HC004, in the other direction",
        effect="This happens on rollback: the older kubelet prints the container without the "
        "field, gets another hash, and restarts the container. A rollback thus restarts what the upgrade "
        "restarted, a second time.",
        confirm=(steps.EXPLAINED, _WITHOUT_POD, steps.COMPUTED, *steps.RECORDED, steps.LOGGED),
        avoid=(
            Step(
                "Before the upgrade: a kubelet that goes on hashing as the old one does needs no restart "
                "on rollback either (NEW is the newer release, 1.8 or later):",
                "hashcompat patch --kubelet NEW --like OLD --strategy pin --out pin.patch",
            ),
            Step("Before the rollback:", "kubectl drain NODE --ignore-daemonsets"),
        ),
        since=Since(
            "both kubelets are of these releases; from 1.16 on an unset field is not part of the hash", _SPEW
        ),
        links=(
            "https://github.com/kubernetes/kubernetes/issues/53644",
            "https://github.com/kubernetes/kubernetes/blob/v1.15.12/pkg/util/hash/hash.go#DeepHashObject",
        ),
    ),
    Rule(
        rules.FIELD_DROPPED,
        "set field that one kubelet drops",
        "The container sets a field that only one of the two kubelets knows; the other drops it and hashes "
        "without it.",
        "kubernetes/kubernetes#57741: JSON omits unset fields, so only set fields count",
        effect="The API server may have set it unasked, as with seccompProfile and appArmorProfile, which "
        "newer API servers derive from annotations. A kubelet that begins to know the field, or no longer "
        "does, computes another hash and restarts the container; containers without the field stay.",
        confirm=(
            steps.EXPLAINED,
            Step(
                "Whether the pod has the field that the reason names:",
                "kubectl get pod POD -n NAMESPACE -o json | grep -n FIELD",
            ),
            steps.COMPUTED,
            steps.IN_CRI,
            steps.LOGGED,
            steps.EVENTS,
        ),
        avoid=(
            steps.DRAIN,
            Step(
                "Or run a kubelet that accepts the old hash although the old release did not know the field:",
                "hashcompat patch --kubelet NEW --like OLD --accept-new-fields --out accept.patch",
            ),
            Step("Or do not set the field before the node's kubelet knows it."),
        ),
        since=Since(
            "both kubelets are of these releases; from 1.31 on only name and image are hashed",
            (Rows("eras", ("json-spew-fnv32a",)),),
        ),
        links=(
            "https://github.com/kubernetes/kubernetes/pull/57741",
            "https://github.com/kubernetes/kubernetes/blob/v1.30.14/pkg/kubelet/container/helpers.go#HashContainer",
        ),
    ),
    Rule(
        rules.FIELD_RETYPED,
        "field with another Go type",
        "Both kubelets know the field, but with different Go types. Up to 1.15 the hashed text includes "
        "type names and inner fields.",
        "the Go types of 1.0 - 1.3; the reason names the release",
        effect="The value is the same and prints as another text, such as int64 where it was int. The new "
        "kubelet takes the container for a changed one and creates it again.",
        confirm=(steps.EXPLAINED, _WITHOUT_POD, steps.COMPUTED, steps.IN_NAMES, steps.LOGGED),
        avoid=(
            steps.DRAIN,
            Step(
                "No patch is made for these releases: only kubelets from 1.8 on can be patched. Plan for "
                "the restart, one node at a time."
            ),
        ),
        since=Since(
            "an upgrade that passes one of these, and a rollback",
            (Rows("changes", ("fields",), "change", "retyped"),),
            within=_SPEW,
            begins=True,
        ),
        links=(
            "https://github.com/kubernetes/kubernetes/blob/v1.2.7/pkg/api/types.go#Probe",
            "https://github.com/kubernetes/kubernetes/blob/v1.2.7/pkg/kubelet/container/helpers.go#HashContainer",
        ),
    ),
)


# Rules about what a kubelet compares, and when.

_SIDECARS: Final = Step(
    "Whether it is a sidecar (an init container with the restartPolicy Always):",
    "kubectl get pod POD -n NAMESPACE -o jsonpath='{.spec.initContainers[*].restartPolicy}'",
)

_OF_COMPARISON: Final = (
    Rule(
        rules.NOT_COMPARED,
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
        rules.NEVER_COMPARED,
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
        rules.STARTUP_PROBE,
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
        rules.NOT_CREATED,
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

RULES: Final = (*_OF_STEPS, *_OF_FIELDS, *_OF_COMPARISON)
