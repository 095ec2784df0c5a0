"""The service account's volume mount, which plugin/pkg/admission/serviceaccount adds to a pod."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.kubelet.admission import with_token_mount
from hashcompat.model import Pod
from hashcompat.sources.objects import read_object

PATH = "/var/run/secrets/kubernetes.io/serviceaccount"


def manifest(metadata: dict[str, Any] | None = None, **spec: Any) -> Pod:
    (pod,) = read_object({"kind": "Pod", "metadata": metadata or {}, "spec": {"containers": [{"name": "c"}], **spec}}, "f")
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
        pytest.param(manifest(), {"volumeMounts": ["odd", {"mountPath": f"{PATH}/sub"}]}, 3, id="mounted elsewhere"),
        pytest.param(manifest({"uid": "u"}), {}, None, id="an API pod has it"),
        pytest.param(manifest({"annotations": {"kubernetes.io/config.source": "file"}}), {}, None, id="a static pod never gets it"),
    ],
)
def test_the_mount_is_added_to_manifests(pod: Pod, container: dict[str, Any], mounts: int | None) -> None:
    result = with_token_mount(pod, container)
    assert (None if result is None else len(result["volumeMounts"])) == mounts
    if result is not None:
        assert result["volumeMounts"][-1] == {"name": "default-token", "readOnly": True, "mountPath": PATH}
