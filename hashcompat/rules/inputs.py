"""Rules about the input: the release of a node, what decodes, and what the API server makes of a manifest."""

from __future__ import annotations

from typing import Final

from hashcompat.rules import ids, steps
from hashcompat.rules.model import Rows, Rule, Since, Step

_SERVER: Final = Step("The API server's release:", "kubectl version")

_DRY_RUN: Final = Step(
    "Or let an API server complete the manifest of a pod, without creating it (1.18 and newer), and compare "
    "what both kubelets compute then:",
    "kubectl create --dry-run=server -o json -f FILE | hashcompat hash --kubelet OLD,NEW -f -",
)

RULES: Final = (
    Rule(
        ids.NODE_RELEASE,
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
        ids.NODE_DISPUTED,
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
        ids.NOT_DECODED,
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
        ids.API_DEFAULT,
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
        ids.ADMISSION,
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
        ids.SERVER_GATE,
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
