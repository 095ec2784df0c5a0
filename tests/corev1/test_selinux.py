"""SELinux labels of the volumes behind claims."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.core.corev1.selinux import labels_of_claims

LEVEL = {"level": "s0:c1,c2"}
OTHER = {"level": "s0:c3,c4", "type": "container_t"}
CLAIM = {"name": "v", "persistentVolumeClaim": {"claimName": "data"}}


def spec(*contexts: Any, volumes: Any = (CLAIM,), mounts: Any = ("v",), **of_pod: Any) -> dict[str, Any]:
    """Return a spec whose containers, one for each context, mount volumes."""
    mounted = [{"name": name, "mountPath": f"/{name}"} for name in mounts]
    containers = [
        {"name": f"c{index}", "volumeMounts": mounted, "securityContext": context}
        for index, context in enumerate(contexts)
    ]
    return {"containers": containers, "volumes": list(volumes), "securityContext": of_pod}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (spec(None), {"data": set()}),
        (spec({"seLinuxOptions": LEVEL}), {"data": {":::s0:c1,c2"}}),
        (spec(None, seLinuxOptions=LEVEL), {"data": {":::s0:c1,c2"}}),
        (spec({"seLinuxOptions": OTHER}, seLinuxOptions=LEVEL), {"data": {"::container_t:s0:c3,c4"}}),
        (spec({"seLinuxOptions": {}}, seLinuxOptions=LEVEL), {"data": set()}),
        (spec({"seLinuxOptions": {}}, None, seLinuxOptions=LEVEL), {"data": {"", ":::s0:c1,c2"}}),
        (spec({"seLinuxOptions": LEVEL}, None), {"data": {":::s0:c1,c2"}}),
        (spec(None, seLinuxOptions=LEVEL, seLinuxChangePolicy="Recursive"), {"data": set()}),
        (spec(None, seLinuxOptions=LEVEL, seLinuxChangePolicy="MountOption"), {"data": {":::s0:c1,c2"}}),
        (
            spec({"seLinuxOptions": OTHER}, None, seLinuxOptions=LEVEL, seLinuxChangePolicy="Recursive"),
            {"data": {":::s0:c1,c2", "::container_t:s0:c3,c4"}},
        ),
        (spec(None, mounts=(), seLinuxOptions=LEVEL), {}),
        (spec(None, volumes=({"name": "v", "hostPath": {}},), seLinuxOptions=LEVEL), {}),
        (
            spec(None, volumes=({"name": "v", "ephemeral": {}},), seLinuxOptions=LEVEL),
            {"p-v": {":::s0:c1,c2"}},
        ),
        (spec(None, volumes=("x", {"name": 1}), seLinuxOptions=LEVEL), {}),
        ({}, {}),
        ({"containers": "c", "volumes": {}, "securityContext": []}, {}),
    ],
)
def test_labels_of_claims(given: Any, expected: dict[str, set[str]]) -> None:
    """As pkg/volume/util/selinux.go ``GetMountSELinuxLabel`` has it in 1.37.2."""
    assert labels_of_claims(given, "p") == expected


def test_init_and_ephemeral_containers_count() -> None:
    given = spec(None, seLinuxOptions=LEVEL)
    for key in ("initContainers", "ephemeralContainers"):
        moved = {**given, key: given["containers"], "containers": []}
        assert labels_of_claims(moved, "p") == {"data": {":::s0:c1,c2"}}
