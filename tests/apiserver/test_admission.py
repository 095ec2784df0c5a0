"""What admission adds to a pod: the service account's volume mount, and the resources of a LimitRange."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.core.apiserver.created import with_limit_range, with_token_mount
from hashcompat.core.model.pods import Pod
from hashcompat.sources.objects import read_object

PATH = "/var/run/secrets/kubernetes.io/serviceaccount"


def manifest(metadata: dict[str, Any] | None = None, **spec: Any) -> Pod:
    (pod,) = read_object(
        {"kind": "Pod", "metadata": metadata or {}, "spec": {"containers": [{"name": "c"}], **spec}}, "f"
    )
    assert isinstance(pod, Pod)
    return pod


@pytest.mark.parametrize(
    ("pod", "container", "mounts"),
    [
        pytest.param(manifest(), {}, 1, id="a manifest"),
        pytest.param(manifest(), {"volumeMounts": [{"mountPath": "/data"}]}, 2, id="after its own mounts"),
        pytest.param(manifest(automountServiceAccountToken=True), {}, 1, id="asked for"),
        pytest.param(manifest(automountServiceAccountToken=False), {}, None, id="not wanted"),
        pytest.param(manifest(), {"volumeMounts": [{"mountPath": PATH}]}, None, id="mounted already"),
        pytest.param(
            manifest(), {"volumeMounts": ["odd", {"mountPath": f"{PATH}/sub"}]}, 3, id="mounted elsewhere"
        ),
        pytest.param(manifest({"uid": "u"}), {}, None, id="an API pod has it"),
        pytest.param(
            manifest({"annotations": {"kubernetes.io/config.mirror": ""}}),
            {},
            None,
            id="a static pod never gets it",
        ),
    ],
)
def test_the_mount_is_added_to_manifests(pod: Pod, container: dict[str, Any], mounts: int | None) -> None:
    result = with_token_mount(pod, container)
    assert (None if result is None else len(result["volumeMounts"])) == mounts
    if result is not None:
        assert result["volumeMounts"][-1] == {"name": "default-token", "readOnly": True, "mountPath": PATH}


@pytest.mark.parametrize(
    ("pod", "resources", "expected"),
    [
        pytest.param(
            manifest(),
            None,
            {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "1", "memory": "1Gi"}},
            id="nothing set",
        ),
        pytest.param(
            manifest(),
            {"limits": {"cpu": "2", "memory": "2Gi"}},
            {"limits": {"cpu": "2", "memory": "2Gi"}, "requests": {"cpu": "1", "memory": "1Gi"}},
            id="what is set stays",
        ),
        pytest.param(
            manifest(),
            {"limits": {"cpu": 1, "memory": 1}, "requests": {"cpu": 1, "memory": 1}},
            None,
            id="all set",
        ),
        pytest.param(manifest({"uid": "u"}), None, None, id="an API pod has them"),
        pytest.param(
            manifest({"annotations": {"kubernetes.io/config.mirror": ""}}),
            None,
            None,
            id="a static pod never gets them",
        ),
    ],
)
def test_a_limit_range_fills_what_manifests_leave_out(pod: Pod, resources: Any, expected: Any) -> None:
    result = with_limit_range(pod, {"resources": resources})
    assert (result and result["resources"]) == expected
