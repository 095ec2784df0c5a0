"""PF-101 and PF-122 over the files that kubeadm of several releases wrote (golden/kubeadm)."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.helpers.dumps import GONE, Key, dump, findings, upgrade
from tests.helpers.program import GOLDEN
from tests.preflight.checks.test_flags import ENV
from tests.preflight.checks.test_flags import NODE as UNITS

WRITTEN = GOLDEN / "kubeadm"
RELEASES = sorted(
    (path.name for path in WRITTEN.iterdir() if path.name != "inputs"),
    key=lambda name: [*map(int, name.split("."))],
)
CASES = sorted(path.stem for path in (WRITTEN / "inputs").glob("*.json"))
FILES = [path for release in RELEASES for path in sorted((WRITTEN / release).glob("*.env"))]
CONFIG: Key = ("file", "/var/lib/kubelet/config.yaml")

TARGETS = ("1.15.12", "1.18.20", "1.23.17", "1.24.17", "1.26.15", "1.27.16", "1.34.10", "1.35.0", "1.37.1")
GONE_SINCE = {
    "network-plugin": 24,
    "cgroup-driver": 99,
    "container-runtime": 27,
    "pod-infra-container-image": 35,
}
"""In which minor kubelets ceased to accept flags that kubeadm, or the operator in extra-args, wrote."""

NEW_IN = {"image-credential-provider-config": 20}
"""In which minor kubelets began to accept others."""


def node(release: str, case: str) -> dict[Key, Any]:
    files = WRITTEN / release
    return {
        **UNITS,
        ENV: (files / f"{case}.env").read_text(),
        CONFIG: (files / f"{case}.yaml").read_text(),
        ("arguments", "kubelet"): GONE,
    }


def minor(release: str) -> int:
    return int(release.split(".")[1])


def refused(text: str, target: str) -> set[str]:
    flags = set(re.findall(r"(?<!\S)--([a-z-]+)=", text.partition('"')[2]))
    return {
        f"--{flag}"
        for flag in flags
        if minor(target) >= GONE_SINCE.get(flag, 99) or minor(target) < NEW_IN.get(flag, 0)
    }


def test_there_are_files_of_six_releases_and_more() -> None:
    assert len(RELEASES) >= 6
    written = {(path.parent.name, path.stem) for path in FILES}
    assert {case for _, case in written} == set(CASES)
    assert {release for release, case in written if case == "docker"} == {"1.15.12", "1.18.19", "1.21.14"}


@pytest.mark.parametrize("target", TARGETS)
def test_pf101_names_the_flags_in_them_that_the_target_refuses(target: str) -> None:
    for path in FILES:
        found = findings("PF-101", dump(node(path.parent.name, path.stem)), upgrade(target))
        errors = {each.object for each in found if each.status == "ERROR" and each.object.startswith("--")}
        assert errors - {"--feature-gates"} == refused(path.read_text(), target), (path, target)


@pytest.mark.parametrize("release", RELEASES)
def test_pf122_a_release_knows_every_field_that_its_kubeadm_wrote(release: str) -> None:
    for path in sorted((WRITTEN / release).glob("*.yaml")):
        (found,) = findings("PF-122", dump(node(release, path.stem)), upgrade(release))
        assert found.status == "OK", (path, found.text)


@pytest.mark.parametrize("target", TARGETS)
def test_pf122_newer_releases_know_the_fields_of_older_ones(target: str) -> None:
    for path in (path for path in FILES if minor(path.parent.name) <= minor(target)):
        (found,) = findings("PF-122", dump(node(path.parent.name, path.stem)), upgrade(target))
        assert found.status == "OK", (path, found.text)
