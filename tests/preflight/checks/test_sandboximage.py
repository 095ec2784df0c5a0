"""PF-314: the image of sandboxes is not on the node."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.helpers.dumps import INFO, dump, failed, status, upgrade

IMAGES = ("cri", "images")
PAUSE = "registry.k8s.io/pause:3.10"


def images(*names: str) -> str:
    """Return what crictl prints of images."""
    return json.dumps({"images": [{"repoTags": [name]} for name in names]})


def info(**config: Any) -> str:
    """Return what crictl prints of the runtime."""
    return json.dumps({**INFO, "config": config})


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ("OK", "")),
        ({IMAGES: images("a:1", "b:2")}, ("WARN", PAUSE)),
        ({IMAGES: json.dumps({"images": [{"repoTags": None, "repoDigests": [PAUSE]}, {}]})}, ("OK", "")),
        ({IMAGES: "{}"}, ("WARN", PAUSE)),
        (
            {
                ("cri", "info"): info(pinnedImages={"sandbox": "pause:1"}),
                IMAGES: images("docker.io/library/pause:1"),
            },
            ("OK", ""),
        ),
        ({("cri", "info"): info()}, ("UNKNOWN", "")),
        ({IMAGES: failed()}, ("UNKNOWN", "")),
    ],
)
def test_pf314_the_image_is_missing(changes: Any, expected: tuple[str, str]) -> None:
    assert status("PF-314", dump(changes), upgrade("1.31.0")) == [expected]
