"""Rules about the fields of the Go types that are hashed."""

from __future__ import annotations

from typing import Final

from hashcompat.rules import ids, steps
from hashcompat.rules.model import Rows, Rule, Since, Step

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

RULES: Final = (
    Rule(
        ids.FIELD_ADDED,
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
        ids.FIELD_REMOVED,
        "field missing from the Go types",
        "The new kubelet's types, usually those of an older release, lack a field that is part of the "
        "recorded hash.",
        "as HC004, in the other direction",
        effect="This is the way back from an upgrade: the older kubelet prints the container without the "
        "field, gets another hash, and restarts the container. A rollback thus restarts what the upgrade "
        "restarted, a second time.",
        confirm=(steps.EXPLAINED, _WITHOUT_POD, steps.COMPUTED, *steps.RECORDED, steps.LOGGED),
        avoid=(
            Step(
                "Before the upgrade: a kubelet that goes on hashing as the old one does needs no restart "
                "on the way back either (NEW is the newer release, 1.8 or later):",
                "hashcompat patch --kubelet NEW --like OLD --strategy pin --out pin.patch",
            ),
            Step("Before the way back:", "kubectl drain NODE --ignore-daemonsets"),
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
        ids.FIELD_DROPPED,
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
        ids.FIELD_RETYPED,
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
            "an upgrade that passes one of these, and the way back",
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
