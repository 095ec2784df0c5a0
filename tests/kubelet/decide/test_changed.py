"""HC046: pods whose spec changed after their kubelet last saw it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hashcompat.core.corev1.defaults import is_same_image
from tests.helpers.pods import Json, as_json, node
from tests.helpers.program import Run
from tests.helpers.rulecases import CPU_RESTARTS, KEEP, SIZED, C, Expected, changed
from tests.helpers.upgrades import decided, hash_of, planned, record, recorded

RESTART: Expected = ("RESTART", ["HC046"])
UNKNOWN: Expected = ("UNKNOWN", ["HC046"])
FULL = "docker.io/library/i:latest"
RESIZED: Json = {**SIZED, **CPU_RESTARTS}
HALF: Json = {"limits": {"cpu": "500m"}, "requests": {"cpu": "500m"}}
SAME: Json = {"limits": {"cpu": "1000m"}, "requests": {"cpu": "1"}}


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(changed(image=FULL), UNKNOWN, id="the same name, as of an image with two names"),
        pytest.param(changed(image="docker.io/library/i:1"), RESTART, id="another tag"),
        pytest.param(changed(image="docker.io/library/i:1", observed=2), KEEP, id="seen already"),
        pytest.param(changed(image="docker.io/library/i:1", observed=0), KEEP, id="never reported"),
        pytest.param(changed(image="sha256:0123"), UNKNOWN, id="an id"),
        pytest.param(changed(), UNKNOWN, id="no image is shown"),
        pytest.param(changed(RESIZED, image=FULL, resources=HALF), RESTART, id="a resize by a restart"),
        pytest.param(changed(RESIZED, image=FULL, resources=SAME), UNKNOWN, id="no resize"),
    ],
)
def test_hc046_a_change_that_the_kubelet_has_not_seen(
    run: Run, tmp_path: Path, given: Json, expected: Expected
) -> None:
    assert decided(run, "1.36.4", "1.36.5", given) == expected
    (tmp_path / "s.json").write_text(run("snapshot", "-f", "-", stdin=as_json(given)).out)
    kept = run("plan", "--from", "1.36.4", "--to", "1.36.5", "-f", tmp_path / "s.json", "-o", "json")
    assert [item["verdict"] for item in kept.items] == [expected[0]]


@pytest.mark.parametrize(
    ("container", "row", "verdict"),
    [
        pytest.param(C, {}, "KEEP", id="no resizePolicy"),
        pytest.param(SIZED, {"resources": HALF}, "KEEP", id="a resize in place"),
        pytest.param(RESIZED, {"resources": SAME}, "KEEP", id="no resize"),
        pytest.param(RESIZED, {"resources": HALF}, "RESTART", id="a resize by a restart"),
        pytest.param(RESIZED, {}, "UNKNOWN", id="no resources are shown"),
    ],
)
def test_hc046_a_record_of_the_new_spec_shows_that_its_image_was_seen(
    run: Run, tmp_path: Path, container: Json, row: Json, verdict: str
) -> None:
    told = recorded(tmp_path, record(hash_of(run, "1.36.5", container)))
    item = planned(run, "1.36.4", "1.36.5", changed(container, image=FULL, **row), more=told)["c"]
    assert item["verdict"] == verdict


@pytest.mark.parametrize(("shown", "verdict"), [("512Mi", "RESTART"), ("1Gi", "KEEP")])
def test_hc046_a_record_shows_nothing_of_the_pods_own_limit(
    run: Run, tmp_path: Path, shown: str, verdict: str
) -> None:
    container = {**C, "resizePolicy": [{"resourceName": "memory", "restartPolicy": "RestartContainer"}]}
    told = recorded(tmp_path, record(hash_of(run, "1.36.5", container)))
    given = changed(container, image=FULL, resources={})
    given["spec"]["resources"] = {"requests": {"memory": "1Gi"}, "limits": {"memory": "1Gi"}}
    given["status"]["resources"] = {"requests": {"memory": shown}, "limits": {"memory": shown}}
    item = planned(run, "1.36.4", "1.36.5", given, more=told)["c"]
    assert item["verdict"] == verdict


@pytest.mark.parametrize(("seconds", "verdict"), [(1, "UNKNOWN"), (None, "KEEP")])
def test_hc046_a_record_shows_nothing_of_what_ends_the_pod(
    run: Run, tmp_path: Path, seconds: int | None, verdict: str
) -> None:
    told = recorded(tmp_path, record(hash_of(run, "1.36.5", C)))
    given = changed(C, image=FULL)
    given["spec"]["activeDeadlineSeconds"] = seconds
    item = planned(run, "1.36.4", "1.36.5", given, more=told)["c"]
    assert item["verdict"] == verdict


def test_a_record_of_another_spec_makes_no_other_verdict_doubtful(run: Run, tmp_path: Path) -> None:
    told = recorded(tmp_path, record(1))
    item = planned(run, "1.36.4", "1.36.5", changed(image="old:1"), more=told)["c"]
    assert (item["verdict"], item["reasons"][0]["id"]) == ("RESTART", "HC013")
    given = as_json(changed(image="old:1"), node("v1.36.4"))
    result = run("verify", "--kubelet", "1.36.4", "-f", "-", *told, "-o", "json", stdin=given)
    assert result.code != 70, result.err


@pytest.mark.parametrize(
    ("image", "other", "expected"),
    [
        ("nginx", "docker.io/library/nginx:latest", True),
        ("nginx:1.27", "index.docker.io/library/nginx:1.27", True),
        ("team/app:1", "docker.io/team/app:1", True),
        ("team/v1.2/app:1", "docker.io/team/v1.2/app:1", True),
        ("quay.io/team/app:1", "quay.io/team/app:2", False),
        ("localhost/app", "docker.io/localhost/app", False),
        ("registry:5000/app", "registry:5000/app:latest", True),
        ("app@sha256:01", "docker.io/library/app@sha256:01", True),
        ("app:1@sha256:01", "docker.io/library/app@sha256:02", False),
        ("app:1", "docker.io/library/app@sha256:01", None),
        ("app:1", "sha256:01", None),
        ("app:1", "***", None),
        ("", "", True),
        ("app:1", "", None),
    ],
)
def test_names_of_one_image(image: str, other: str, expected: object) -> None:
    assert is_same_image(image, other) is is_same_image(other, image) is expected
