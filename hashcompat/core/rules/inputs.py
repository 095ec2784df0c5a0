"""Rules about the input: nodes, what decodes, what an API server makes of a manifest, and records."""

from __future__ import annotations

from typing import Final

from hashcompat.core import rules
from hashcompat.core.rules import Rows, Rule, Since, Step, steps

_SERVER: Final = Step("The API server's release:", "kubectl version")

_DRY_RUN: Final = Step(
    "Or let an API server complete the manifest of a pod, without creating it (1.18 and newer), and compare "
    "what both kubelets compute then:",
    "kubectl create --dry-run=server -o json -f FILE | hashcompat hash --kubelet OLD,NEW -f -",
)

_OF_INPUTS: Final = (
    Rule(
        rules.NODE_RELEASE,
        "kubelet release unknown",
        "The input does not contain the kubelet release of the pod's node, or this program does not know "
        "that release.",
        "",
        effect="Without the current release nothing can be compared, so the pods of this node are UNKNOWN. "
        "Either the node's object is missing from the input, or its version is newer than this program or "
        "of a form that it does not read.",
        confirm=(steps.NODES, Step("The releases that this program knows:", "hashcompat releases")),
        avoid=(
            Step(
                "Give the nodes along with the pods:",
                "kubectl get nodes,pods --all-namespaces -o json | hashcompat plan --from auto --to NEW -f -",
            ),
            Step(
                "Or name the release; where the node reports another one, that takes "
                "--override-node-releases too:",
                "hashcompat plan --from OLD --to NEW --node NODE",
            ),
            Step(
                "Or make a release known that is newer than this program:",
                "hashcompat releases --add VERSION",
            ),
        ),
        since=Since("depends on the input, not on a release", releases="every release"),
        links=(
            "https://github.com/kubernetes/kubernetes/blob/v1.36.3/staging/src/k8s.io/api/core/v1/types.go#NodeSystemInfo",
        ),
    ),
    Rule(
        rules.NODE_DISPUTED,
        "another release than the node reports",
        "The plan is given a current release that the pod's node contradicts: its status reports another.",
        "",
        effect="What nodes report wins: a plan from a release that does not run there is not about the "
        "kubelet that does. So these pods are UNKNOWN, and a gate refuses the plan. Two releases of one "
        "minor that hash and behave alike do not contradict each other, nor do a vendor's build and the "
        "upstream release that it names; the node's own release is planned with then.",
        confirm=(steps.NODES,),
        avoid=(
            Step(
                "Take what each node reports:",
                "kubectl get nodes,pods --all-namespaces -o json | hashcompat plan --from auto --to NEW -f -",
            ),
            Step(
                "Or override what the nodes' objects report, where that is known to be wrong:",
                "hashcompat plan --from OLD --to NEW --override-node-releases",
            ),
        ),
        since=Since("depends on the input, not on a release", releases="every release"),
        links=(
            "https://github.com/kubernetes/kubernetes/blob/v1.36.3/staging/src/k8s.io/api/core/v1/types.go#NodeSystemInfo",
        ),
    ),
    Rule(
        rules.NOT_DECODED,
        "does not decode",
        "The container's JSON does not fit the kubelet's Go types.",
        "",
        effect="A number where the types have a text, a list where they have an object: no API server "
        "accepts such a pod, so it is an error of the input, most often of a manifest that a template made. "
        "The reason names the path of the field.",
        confirm=(
            Step(
                "The path of the field and what is wrong with it:",
                "hashcompat hash --kubelet OLD,NEW -f FILE",
            ),
            Step(
                "What an API server makes of it, without creating it (1.18 and newer):",
                "kubectl create --dry-run=server -f FILE",
            ),
        ),
        avoid=(
            Step("Correct the field in the manifest; numbers in env and args need quotes."),
            Step(
                "Or plan without it; it counts as UNKNOWN:",
                "hashcompat plan --from OLD --to NEW --keep-going -f FILE",
            ),
        ),
        since=Since("depends on the input, not on a release", releases="every release"),
        links=(
            "https://github.com/kubernetes/kubernetes/blob/v1.36.3/staging/src/k8s.io/api/core/v1/types.go#Container",
        ),
    ),
    Rule(
        rules.API_DEFAULT,
        "new API server default",
        "The target API server sets a default when it reads the pod, so the new spec has another hash.",
        "kubernetes/kubernetes#63814, #78633",
        effect="API servers fill in defaults each time they read a stored pod, old pods included. So the "
        "upgrade of the API server changes what kubelets see, and may restart containers before any kubelet "
        "is upgraded. Up to 1.30 the hash covers the whole container and such a default counts.",
        confirm=(
            _SERVER,
            Step(
                "Whether the field that the reason names is in the pod; compare before and after the API "
                "server's upgrade:",
                "kubectl get pod POD -n NAMESPACE -o yaml",
            ),
            steps.COMPUTED,
            *steps.RECORDED[:2],
        ),
        avoid=(
            Step(
                "Give the releases of the API server now and after, if they are not those of the kubelets:",
                "hashcompat plan --from OLD --to NEW --apiserver SERVER --apiserver-to NEW_SERVER",
            ),
            Step(
                "Let the API server skip the patch releases that set the default: procMount is set by 1.14.0 "
                "- 1.14.3 and not by 1.14.4. resizePolicy is set only with the feature gate "
                "InPlacePodVerticalScaling on."
            ),
            steps.DRAIN,
        ),
        since=Since(
            "releases of the API server in which a default of this kind begins",
            (Rows("apiserver"),),
            begins=True,
        ),
        links=(
            "https://github.com/kubernetes/kubernetes/issues/63814",
            "https://github.com/kubernetes/kubernetes/issues/78633",
            "https://github.com/kubernetes/kubernetes/pull/78883",
            "https://github.com/kubernetes/kubernetes/pull/122028",
            "https://github.com/kubernetes/kubernetes/blob/v1.14.0/pkg/apis/core/v1/defaults.go#SetDefaults_SecurityContext",
        ),
    ),
    Rule(
        rules.ADMISSION,
        "depends on admission",
        "The input is a manifest, and the verdict depends on what admission adds to it: the service "
        "account's volume mount, or a LimitRange's resources.",
        "plugin/pkg/admission/serviceaccount, plugin/pkg/admission/limitranger",
        effect="The pod in the cluster has more in it than the manifest, and whether that part restarts the "
        "container is not in the file: UNKNOWN. For pods read from the cluster the question does not arise.",
        confirm=(
            Step(
                "What the pod in the cluster has besides:",
                "kubectl get pod POD -n NAMESPACE -o jsonpath='{.spec.containers[*].volumeMounts}'",
            ),
            Step("The LimitRanges of the namespace:", "kubectl get limitrange -n NAMESPACE -o yaml"),
        ),
        avoid=(
            steps.FROM_CLUSTER,
            _DRY_RUN,
            Step(
                "Or set automountServiceAccountToken to false, and resources, in the manifest where that is "
                "what you want."
            ),
        ),
        since=Since(
            "the current or the target kubelet hashes mounts and resources, as all up to 1.30 do",
            (
                Rows("eras", ("spew-adler32",)),
                Rows("eras", ("spew-fnv32a",)),
                Rows("eras", ("json-spew-fnv32a",)),
            ),
        ),
        links=(
            "https://github.com/kubernetes/kubernetes/blob/v1.30.14/plugin/pkg/admission/serviceaccount/admission.go#mountServiceAccountToken",
            "https://github.com/kubernetes/kubernetes/blob/v1.30.14/plugin/pkg/admission/limitranger/admission.go#mergeContainerResources",
        ),
    ),
    Rule(
        rules.SERVER_GATE,
        "depends on a feature gate",
        "The input is a manifest that sets a field of a feature that is off by default, and the verdict "
        "depends on that field. API servers drop it unless the feature gate is on; pods read from the "
        "cluster show whether they did.",
        "pkg/api/pod/util.go DropDisabledPodFields",
        effect="With the gate on, the field is part of the pod and may restart the container; with the gate "
        "off it never gets as far as the kubelet. The file does not show which: UNKNOWN.",
        confirm=(
            Step(
                "Whether the pod in the cluster has the field:",
                "kubectl get pod POD -n NAMESPACE -o json | grep -n FIELD",
            ),
            Step(
                "Whether the API server has the gate on (1) or off (0), from 1.26 on:",
                """kubectl get --raw /metrics | grep 'kubernetes_feature_enabled{name="GATE"'""",
            ),
        ),
        avoid=(
            Step(
                "Give the gates as the API server has them:",
                "hashcompat plan --from OLD --to NEW --feature-gates GATE=true -f FILE",
            ),
            steps.FROM_CLUSTER,
            _DRY_RUN,
        ),
        since=Since("releases of the API server; each field has a gate of its own", (Rows("dropped"),)),
        links=(
            "https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/api/pod/util.go#DropDisabledPodFields",
        ),
    ),
)


# Rules about recorded hashes: what a runtime keeps of the kubelet that created a container.

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

_OF_RECORDS: Final = (
    Rule(
        rules.RECORDED,
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
        rules.NOT_REPRODUCED,
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
        rules.NOT_CALIBRATED,
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
        rules.HASH_MISSING,
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
        rules.NOT_STORED,
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

RULES: Final = (*_OF_INPUTS, *_OF_RECORDS)
