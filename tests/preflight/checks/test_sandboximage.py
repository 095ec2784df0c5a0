"""PF-314: the image of sandboxes is not on the node."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.helpers.dumps import GONE, INFO, Key, docker, docker_row, dump, failed, status, upgrade

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
        (
            {("cri", "info"): info(), IMAGES: '{"images":[{"repoTags":["p:1"],"pinned":true}]}'},
            ("OK", ""),
        ),
        (
            {("cri", "info"): info(), IMAGES: '{"images":[{"repoTags":["p:1"],"pinned":false}]}'},
            ("UNKNOWN", ""),
        ),
        ({IMAGES: failed()}, ("UNKNOWN", "")),
    ],
)
def test_pf314_the_image_is_missing(changes: Any, expected: tuple[str, str]) -> None:
    assert status("PF-314", dump(changes), upgrade("1.31.0")) == [expected]


CRIO: dict[Key, Any] = {
    ("cri", "version"): json.dumps({"runtimeName": "cri-o", "runtimeVersion": "1.31.2"}),
    ("cri", "info"): info(),
    ("directory", "/etc/crio/crio.conf.d"): "10-crio.conf\n",
    ("file", "/etc/crio/crio.conf"): GONE,
    ("file", "/etc/crio/crio.conf.d/10-crio.conf"): f'[crio.image]\npause_image = "{PAUSE}"\n',
}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({IMAGES: images(PAUSE)}, ("OK", "")),
        ({IMAGES: images("a:1")}, ("WARN", PAUSE)),
        (
            {
                ("file", "/etc/crio/crio.conf.d/10-crio.conf"): "[crio.image]\n",
                IMAGES: '{"images":[{"repoTags":["p:1"],"pinned":true}]}',
            },
            ("OK", ""),
        ),
        ({("file", "/etc/crio/crio.conf.d/10-crio.conf"): failed()}, ("UNKNOWN", "")),
    ],
)
def test_pf314_crio_makes_sandboxes_of_the_image_in_its_files(
    changes: Any, expected: tuple[str, str]
) -> None:
    assert status("PF-314", dump({**CRIO, **changes}), upgrade("1.31.0")) == [expected]


LIST = ("docker", "list")
OWN = ("docker", "images")
FLAG = {("arguments", "kubelet"): "/usr/bin/kubelet\n--pod-infra-container-image=mine/pause:9\n"}
ENDED = {**docker_row("5" * 64, "k8s_POD_p_ns_u_0", "podsandbox", state="exited"), "Status": "Exited"}
STOPPED = json.dumps([ENDED])
DEFAULT = json.dumps([{"RepoTags": ["k8s.gcr.io/pause:3.1"]}])


@pytest.mark.parametrize(
    ("way", "changes", "expected"),
    [
        (("1.17.17", "1.17.9"), {}, ("OK", "")),
        (("1.17.17", "1.17.9"), {LIST: STOPPED, OWN: DEFAULT}, ("OK", "")),
        (("1.17.17", "1.17.9"), {LIST: STOPPED, OWN: "[]"}, ("WARN", "k8s.gcr.io/pause:3.1")),
        (("1.17.17", "1.17.9"), {LIST: STOPPED}, ("UNKNOWN", "")),
        (("1.17.17", "1.17.9"), {LIST: failed(), OWN: DEFAULT}, ("UNKNOWN", "")),
        (("1.18.19", "1.17.9"), {OWN: DEFAULT}, ("WARN", "k8s.gcr.io/pause:3.2")),
        (("1.18.19", "1.17.9"), {OWN: '[{"RepoTags":["k8s.gcr.io/pause:3.2"]},{}]'}, ("OK", "")),
        (("1.18.19", "1.17.9"), {OWN: failed()}, ("UNKNOWN", "")),
        (("1.18.19", "1.17.9"), {**FLAG, OWN: failed()}, ("OK", "")),
        (("1.18.19", ""), {OWN: DEFAULT}, ("WARN", "k8s.gcr.io/pause:3.2")),
        (("1.18.19", "1.17.9"), {**FLAG, LIST: STOPPED, OWN: DEFAULT}, ("WARN", "mine/pause:9")),
        (("1.22.17", "1.21.14"), {OWN: '[{"RepoTags":["k8s.gcr.io/pause:3.5"]}]'}, ("OK", "")),
        (("1.24.17", "1.23.17"), {OWN: DEFAULT}, ("UNKNOWN", "")),
    ],
)
def test_pf314_dockershim_has_its_image_in_a_flag(
    way: tuple[str, str], changes: Any, expected: tuple[str, str]
) -> None:
    given = dump({**docker("19.3.15"), ("cri", "images"): GONE, **changes})
    assert status("PF-314", given, upgrade(*way)) == [expected]
