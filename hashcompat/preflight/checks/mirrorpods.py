"""PF-219: static pods that the API server does not know."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hashcompat.model.escape import name_path
from hashcompat.model.preflight import Status
from hashcompat.model.records import Sandbox
from hashcompat.preflight.checks.check import Check, Need, Problem, Upgrade
from hashcompat.preflight.facts import Facts, driver
from hashcompat.records.documents import from_node
from hashcompat.rules import Rule

_COMPUTED: Final = re.compile(r"[0-9a-f]{32}")
"""A static pod's uid (pkg/kubelet/config/common.go ``applyDefaults``); that of any other pod has hyphens."""


def _find(facts: Facts, _upgrade: Upgrade) -> Iterator[Problem]:
    known = {(pod.namespace, pod.name) for pod in facts.pods}
    for record in from_node(driver.document(facts.dump, "cri", "pods")):
        if not isinstance(record, Sandbox) or not record.ready or not _COMPUTED.fullmatch(record.uid):
            continue
        if (record.namespace, record.pod) not in known:
            pod = name_path(record.namespace, record.pod)
            yield Problem(
                Status.WARN,
                pod,
                f"{pod} is a static pod without a mirror pod: no plan made from the API server has it",
                "give its manifest to plan with --static-pod-dir; see why the API server refuses its mirror",
            )


MIRROR_PODS: Final = Check(
    Rule(
        "PF-219",
        "static pod without a mirror pod",
        "A static pod runs on the node and the API server does not have its mirror pod, for it refused it or "
        "could not be reached. Plans and kubectl drain do not see it.",
        "pkg/kubelet/config/common.go applyDefaults; pkg/kubelet/pod/mirror_client.go CreateMirrorPod",
    ),
    ("the sandboxes of a CRI runtime", "the node's pods"),
    _find,
    (frozenset({Need.NODE, Need.OBJECTS}),),
)
