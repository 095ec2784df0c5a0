"""PF-147: volumes that one kubelet mounts with an SELinux label, and the other one without."""

from __future__ import annotations

from typing import Any

import pytest

import hashcompat
from hashcompat.analysis.preflight.facts import NodeObjects
from hashcompat.core.model.pods import Node
from tests.helpers.dumps import ALL, dump, failed, found, upgrade
from tests.helpers.pods import pod

MOUNTS = ("file", "/proc/1/mounts")
CONFIG = ("file", "/var/lib/kubelet/config.yaml")
TABLE = "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\nselinuxfs /sys/fs/selinux selinuxfs rw 0 0\n"
LEVEL = {"level": "s0:c1,c2"}


def claiming(name: str, options: Any = LEVEL, claims: tuple[str, ...] = ("data",), **of_pod: Any) -> Any:
    """Return a pod that mounts claims with a label."""
    mounts = [{"name": claim, "mountPath": f"/{claim}"} for claim in claims]
    volumes = [{"name": claim, "persistentVolumeClaim": {"claimName": claim}} for claim in claims]
    context = {"seLinuxOptions": options, **of_pod}
    made = pod(
        {"name": "c", "image": "i", "volumeMounts": mounts},
        spec={"securityContext": context, "volumes": volumes},
    )
    made["metadata"] |= {"name": name, "uid": f"uid-{name}"}
    return made


def rows(current: str, to: str, *pods: Any, **changes: Any) -> list[tuple[str, str, str]]:
    """Return what the check finds on a node with SELinux."""
    given = dump({MOUNTS: changes.get("mounts", TABLE), CONFIG: changes.get("config", "{}")})
    cluster = NodeObjects(Node("n1", current), tuple(hashcompat.load(list(pods)).pods))
    return found("PF-147", given, upgrade(to, current), cluster, ALL)


@pytest.mark.parametrize(
    ("current", "to", "expected"),
    [
        ("1.36.5", "1.37.2", "WARN"),
        ("1.31.14", "1.37.2", "WARN"),
        ("1.37.2", "1.36.5", "WARN"),
        ("1.37.1", "1.37.2", "OK"),
        ("1.35.8", "1.36.5", "OK"),
        ("", "1.37.2", "WARN"),
        ("", "1.36.5", "OK"),
    ],
)
def test_pf147_begins_and_ends_with_the_feature_gate(current: str, to: str, expected: str) -> None:
    """As pkg/volume/util/selinux.go ``VolumeSupportsSELinuxMount`` has it, 1.30 - 1.37.2."""
    ((state, _, text),) = rows(current, to, claiming("p"))
    assert state == expected
    assert ("without the label" in text) == (to == "1.36.5" and expected == "WARN")


@pytest.mark.parametrize(
    ("given", "changes", "expected"),
    [
        (claiming("p"), {"mounts": TABLE.splitlines()[0]}, "OK"),
        (claiming("p"), {"config": "featureGates: {SELinuxMount: false}"}, "OK"),
        (claiming("p", None), {}, "OK"),
        (claiming("p", seLinuxChangePolicy="Recursive"), {}, "OK"),
        (claiming("p", claims=()), {}, "OK"),
        (claiming("p") | {"status": {"phase": "Succeeded"}}, {}, "OK"),
        (claiming("p"), {"mounts": failed()}, "UNKNOWN"),
    ],
)
def test_pf147_other_pods_and_nodes(given: Any, changes: Any, expected: str) -> None:
    assert [row[0] for row in rows("1.36.5", "1.37.2", given, **changes)] == [expected]


def test_pf147_names_the_claim_or_counts_them() -> None:
    ((_, name, text),) = rows("1.36.5", "1.37.2", claiming("p"))
    ((_, _, two),) = rows("1.36.5", "1.37.2", claiming("p", claims=("a", "b")))
    assert name == "ns/p"
    assert text == (
        "ns/p mounts the claim data with an SELinux label: where the driver has seLinuxMount, kubelet 1.37.2 "
        "mounts such a volume with the label, and mounts anew what is mounted otherwise; until it can, no "
        "container of the pod starts again"
    )
    assert two.startswith("ns/p mounts 2 claims with an SELinux label: ")


@pytest.mark.parametrize(
    ("other", "divided"),
    [
        (claiming("q"), False),
        (claiming("q", claims=("else",)), False),
        (claiming("q", {"level": "s0:c3,c4"}), True),
        (claiming("q", None), True),
        (claiming("q", seLinuxChangePolicy="Recursive"), True),
    ],
)
def test_pf147_one_volume_with_different_labels(other: Any, divided: bool) -> None:
    """As pkg/kubelet/volumemanager/cache/desired_state_of_world.go ``AddPodToVolume`` has it in 1.37.2."""
    found_of_p = next(row for row in rows("1.36.5", "1.37.2", claiming("p"), other) if row[1] == "ns/p")
    assert found_of_p[2].endswith("used with different labels, of which it takes one") == divided
    back = next(row for row in rows("1.37.2", "1.36.5", claiming("p"), other) if row[1] == "ns/p")
    assert "different labels" not in back[2]
