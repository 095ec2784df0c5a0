"""Rules about how the hash is computed: its steps, and the Go that builds the kubelet."""

from __future__ import annotations

from typing import Final

from hashcompat.rules import ids, steps
from hashcompat.rules.model import Rows, Rule, Since, Step

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

RULES: Final = (
    Rule(
        ids.ALGORITHM,
        "hash algorithm changed",
        "The steps of the hash differ between the two releases, so every hash differs.",
        "kubernetes/kubernetes#40297 (1.6), #57741 (1.16), #124220 and #129385 (1.31)",
        effect="Nothing is wrong with the pods. The new kubelet reads the recorded hash, computes another "
        "one by its own steps, and takes each running container for a changed one: it kills the "
        "container and creates it again, whatever its restartPolicy, within seconds of its start.",
        confirm=(*steps.RECORDED, steps.COMPUTED, steps.LOGGED, steps.EVENTS),
        avoid=(steps.DRAIN, steps.ACCEPT, steps.ASSUME, steps.PIN),
        since=Since(
            "an upgrade that passes one of these restarts every container, and so does the way back",
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
        ids.GO_ESCAPES,
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
        ids.VENDOR_GO,
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
