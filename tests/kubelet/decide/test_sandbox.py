"""Sandboxes that a kubelet keeps, and those with which it replaces the whole pod."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.helpers.pods import Json, as_json, mirror_pod, pod
from tests.helpers.program import Run
from tests.helpers.rulecases import KEEP, C, Expected
from tests.helpers.upgrades import decided


def cri_pod(
    state: str = "SANDBOX_READY",
    *,
    attempt: int = 0,
    network: str = "POD",
    ip: str | None = "10.0.0.1",
    created: str = "",
) -> Json:
    """Return a sandbox of the pod ``p`` as ``crictl inspectp`` shows it."""
    metadata = {"name": "p", "uid": "uid-p", "namespace": "ns", "attempt": attempt}
    told = {} if ip is None else {"network": {"ip": ip}}
    return {
        "status": {
            "metadata": metadata,
            "state": state,
            **({"createdAt": created} if created else {}),
            "linux": {"namespaces": {"options": {"network": network}}},
            **told,
        }
    }


def infra(*, running: bool = True, mode: str = "none", name: str = "k8s_POD.1_p_ns_uid-p_1a2b3c4d") -> Json:
    """Return the infra container of the pod ``p`` as ``docker inspect`` shows it."""
    return {"Id": "0", "Name": f"/{name}", "State": {"Running": running}, "HostConfig": {"NetworkMode": mode}}


HOST: Json = {"hostNetwork": True}
BROKEN: Expected = ("RESTART", ["HC027"])
NOT_READY = "SANDBOX_NOTREADY"


@pytest.mark.parametrize(
    ("new", "told", "spec", "expected"),
    [
        pytest.param("1.9.11", [cri_pod()], {}, KEEP, id="as it should be"),
        pytest.param("1.9.11", [cri_pod(), cri_pod(attempt=1)], {}, BROKEN, id="two are ready"),
        pytest.param("1.9.11", [cri_pod(NOT_READY), cri_pod(attempt=1)], {}, KEEP, id="the latest is ready"),
        pytest.param(
            "1.9.11", [cri_pod(), cri_pod(NOT_READY, attempt=1)], {}, BROKEN, id="the latest is not ready"
        ),
        pytest.param(
            "1.9.11",
            [cri_pod(NOT_READY)],
            {"restartPolicy": "Never"},
            ("KILL", ["HC027"]),
            id="Never: killed for good",
        ),
        pytest.param(
            "1.9.11", [cri_pod(network="NODE")], {}, BROKEN, id="on the host's network, unlike the pod"
        ),
        pytest.param("1.9.11", [cri_pod()], HOST, BROKEN, id="not on the host's network, unlike the pod"),
        pytest.param("1.9.11", [cri_pod(network="NODE", ip="")], HOST, KEEP, id="both on the host's network"),
        pytest.param("1.9.11", [cri_pod(network="?")], HOST, KEEP, id="the network is not told"),
        pytest.param("1.9.11", [cri_pod(ip="")], {}, BROKEN, id="no IP"),
        pytest.param("1.9.11", [cri_pod(ip=None)], {}, KEEP, id="the IP is not told"),
        pytest.param("1.7.5", [cri_pod(ip="")], {}, KEEP, id="no IP, before 1.8"),
        pytest.param("1.5.8", [infra()], {}, KEEP, id="1.5: as it should be"),
        pytest.param("1.5.8", [infra(running=False)], {}, BROKEN, id="1.5: the infra container does not run"),
        pytest.param(
            "1.5.8",
            [infra(running=False), infra(name="k8s_POD.1_p_ns_uid-p_5e6f7a8b")],
            {},
            KEEP,
            id="1.5: another one runs",
        ),
        pytest.param("1.5.8", [infra(mode="bridge")], HOST, BROKEN, id="1.5: not on the host's network"),
        pytest.param("1.5.8", [infra(mode="host")], {}, KEEP, id="1.5: only a host-network pod is looked at"),
        pytest.param(
            "1.23.17",
            [infra(mode="host", name="k8s_POD_p_ns_uid-p_0")],
            {},
            BROKEN,
            id="dockershim, the host's network",
        ),
    ],
)
def test_hc027_a_sandbox_that_no_kubelet_keeps(
    run: Run, tmp_path: Path, new: str, told: list[Json], spec: Json, expected: Expected
) -> None:
    """podSandboxChanged of 1.6.13, 1.7.5, 1.8.0 and 1.36.0; podInfraContainerChanged of 1.5.8."""
    (tmp_path / "told.json").write_text(json.dumps(told))
    assert decided(run, new, new, pod(C, spec=spec), more=("--recorded", tmp_path / "told.json")) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (pod(C, name="q"), KEEP),
        (mirror_pod(C), BROKEN),
        (pod(C, status={"phase": "Failed"}), ("KEEP", ["HC002"])),
    ],
)
def test_hc027_a_sandbox_belongs_to_one_pod(
    run: Run, tmp_path: Path, given: Json, expected: Expected
) -> None:
    """By its uid; a mirror pod's sandboxes have the uid of the manifest, so its names count."""
    told = cri_pod(NOT_READY)
    if "annotations" in given["metadata"]:
        told["status"]["metadata"] |= {"uid": "0123", "name": "p-n1"}
    (tmp_path / "told.json").write_text(json.dumps(told))
    assert decided(run, "1.9.11", "1.9.11", given, more=("--recorded", tmp_path / "told.json")) == expected


EARLY, LATE = "2026-01-31T12:00:00.123456788Z", "2026-01-31T12:00:00.123456789Z"


@pytest.mark.parametrize(
    ("new", "told", "expected"),
    [
        ("1.34.13", [cri_pod(NOT_READY, attempt=1, created=EARLY), cri_pod(created=LATE)], KEEP),
        ("1.34.13", [cri_pod(NOT_READY, created=LATE), cri_pod(attempt=1, created=EARLY)], BROKEN),
        ("1.35.10", [cri_pod(NOT_READY, attempt=1, created=EARLY), cri_pod(created=LATE)], BROKEN),
        ("1.35.10", [cri_pod(NOT_READY, created=LATE), cri_pod(attempt=1, created=EARLY)], KEEP),
        ("1.36.6", [cri_pod(NOT_READY, created=LATE), cri_pod(attempt=1, created=EARLY)], KEEP),
        ("1.36.6", [cri_pod(NOT_READY, created=LATE), cri_pod(created=EARLY)], BROKEN),
        ("1.36.6", [cri_pod(NOT_READY, created=EARLY), cri_pod(created=LATE)], KEEP),
        ("1.34.13", [cri_pod(NOT_READY, created=LATE), cri_pod(attempt=1)], KEEP),
        ("1.34.13", [cri_pod(NOT_READY, created="1769860800123456789"), cri_pod(created=EARLY)], BROKEN),
        ("1.34.13", [cri_pod(NOT_READY, created="1769860800123456788"), cri_pod(created=LATE)], KEEP),
        ("1.34.13", [cri_pod(NOT_READY, created="2026-01-31T13:00:00+01:00"), cri_pod(created=EARLY)], KEEP),
        ("1.34.13", [cri_pod(NOT_READY, created="2026-01-31T12:00:00+99:00"), cri_pod(attempt=1)], KEEP),
    ],
)
def test_hc027_the_newest_sandbox_is_found_in_each_releases_order(
    run: Run, tmp_path: Path, new: str, told: list[Json], expected: Expected
) -> None:
    (tmp_path / "told.json").write_text(json.dumps(told))
    assert decided(run, new, new, pod(C), more=("--recorded", tmp_path / "told.json")) == expected
    given = run("snapshot", "-f", "-", "--recorded", tmp_path / "told.json", stdin=as_json(pod(C))).out
    assert decided(run, new, new, json.loads(given)) == expected
