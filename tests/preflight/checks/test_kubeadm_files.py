"""PF-101 and PF-122 over the files that kubeadm of several releases wrote (golden/kubeadm)."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.helpers.dumps import GONE, Key, dump, findings, upgrade
from tests.helpers.golden import releases, rows
from tests.helpers.slices import sliced
from tests.preflight.checks.test_flags import ENV
from tests.preflight.checks.test_flags import NODE as UNITS

RELEASES = releases("kubeadm")
WRITTEN = [(release, case) for release in RELEASES for case in rows("kubeadm", release)]
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
    written = rows("kubeadm", release)[case]
    return {
        **UNITS,
        ENV: written["flags"],
        CONFIG: written["config"],
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
    assert {case for _, case in WRITTEN} == set(rows("kubeadm"))
    assert {release for release, case in WRITTEN if case == "docker"} == {"1.15.12", "1.18.19", "1.21.14"}


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("target", sliced(TARGETS, TARGETS[::5]))
def test_pf101_names_the_flags_in_them_that_the_target_refuses(target: str) -> None:
    for release, case in WRITTEN:
        results = findings("PF-101", dump(node(release, case)), upgrade(target))
        errors = {each.object for each in results if each.status == "ERROR" and each.object.startswith("--")}
        assert errors - {"--feature-gates"} == refused(rows("kubeadm", release)[case]["flags"], target), (
            release,
            case,
        )


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("release", RELEASES)
def test_pf122_a_release_knows_every_field_that_its_kubeadm_wrote(release: str) -> None:
    for case in rows("kubeadm", release):
        (finding,) = findings("PF-122", dump(node(release, case)), upgrade(release))
        assert finding.status == "OK", (case, finding.text)


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("target", sliced(TARGETS, TARGETS[3::5]))
def test_pf122_newer_releases_know_the_fields_of_older_ones(target: str) -> None:
    for release, case in WRITTEN:
        if minor(release) <= minor(target):
            (finding,) = findings("PF-122", dump(node(release, case)), upgrade(target))
            assert finding.status == "OK", (release, case, finding.text)
