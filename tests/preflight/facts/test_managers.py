"""What a snapshot keeps of the files of a node that decide about CPUs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hashcompat.analysis.preflight.facts.managers import reduced
from hashcompat.analysis.preflight.facts.nodemanagers import shown
from hashcompat.analysis.preflight.facts.statefiles import string_digest
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.model.verdicts import Files

CONFIG = "/etc/config.yaml"
STATE = "/var/lib/kubelet/cpu_manager_state"
ONLINE = "/sys/devices/system/cpu/online"
NUMA = "/sys/devices/system/node"
HIDDEN = "not in the snapshot"
CONTENT = {"policyName": "static", "defaultCpuSet": "0-3", "entries": {"u": {"c": "4-5"}}}


def files(config: str, *probes: tuple[str, str, str | None, str]) -> Files:
    head = "kind: KubeletConfiguration\napiVersion: kubelet.config.k8s.io/v1beta1\n"
    given = (
        ("arguments", "kubelet", f"kubelet\n--config={CONFIG}\n", ""),
        ("file", CONFIG, f"{head}{config}\n", ""),
    )
    return Files("n1", frozenset({"u"}), (*given, *probes))


def alias(uid: str) -> str:
    return f"alias-of-{uid}"


def kept(catalog: Catalog, given: Files, name: str) -> tuple[str | None, str]:
    return next((text, why) for _, path, text, why in reduced(given, catalog, alias) if path == name)


def test_settings_are_kept_and_what_may_be_anything_is_masked(catalog: Catalog) -> None:
    config = (
        "cpuManagerPolicy: none\nkubeReserved: {cpu: 1, memory: 1Gi}\nclusterDomain: secret\n"
        "featureGates: {A: true}\nreservedSystemCPUs: 's(e)cret'\nsystemReserved: [secret]"
    )
    text, _ = kept(catalog, files(config, ("file", STATE, "{}", "")), "/var/lib/kubelet/config.yaml")
    assert json.loads(text or "") == {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "cpuManagerPolicy": "none",
        "featureGates": {"A": True},
        "kubeReserved": {"cpu": 1, "memory": "1Gi"},
        "reservedSystemCPUs": "***",
        "systemReserved": "***",
    }


def test_of_a_kubelet_whose_settings_cannot_be_read_nothing_is_kept(catalog: Catalog) -> None:
    assert reduced(files("{"), catalog, alias) == ()
    assert reduced(Files("n1", frozenset(), ()), catalog, alias) == ()


def with_data(content: dict[str, Any]) -> str:
    text = json.dumps({**content, "podEntries": {}})
    return json.dumps({**content, "checksum": 7, "data": text, "dataChecksum": string_digest(text)})


@pytest.mark.parametrize("text", [json.dumps({**CONTENT, "checksum": 0}), with_data(CONTENT)])
def test_a_state_with_aliases_is_read_as_before(catalog: Catalog, text: str) -> None:
    given = files("cpuManagerPolicy: static\nreservedSystemCPUs: '0'", ("file", STATE, text, ""))
    hidden = Files("n1", given.uids, reduced(given, catalog, alias))
    for release in ("1.35.8", "1.36.5", "1.37.2"):
        state = shown(given, catalog.kubelet(release), catalog)
        again = shown(hidden, catalog.kubelet(release), catalog)
        assert state is not None
        assert again is not None
        if "data" in text and release != "1.37.2":
            # for whose form the checksum does not hold
            assert state[0].unstarted
            continue
        assert state[0].held == {"u": {"c": frozenset({4, 5})}}
        assert again[0].held == {"alias-of-u": {"c": frozenset({4, 5})}}
        assert again[0].available == state[0].available == 3


@pytest.mark.parametrize("content", [{**CONTENT, "checksum": 7}, json.loads(with_data(CONTENT))])
def test_a_state_without_aliases_stays_as_it_is(catalog: Catalog, content: dict[str, Any]) -> None:
    text = json.dumps(content)
    given = files("cpuManagerPolicy: static", ("file", STATE, text, ""))
    every = reduced(given, catalog, lambda uid: uid)
    assert ("file", STATE, text, "") in every


@pytest.mark.parametrize(
    ("text", "problem", "expected"),
    [
        (None, "", (None, "")),
        (None, "permission denied", (None, HIDDEN)),
        ("{", "", (None, HIDDEN)),
        ("[]", "", (None, HIDDEN)),
        ('{"entries": {}, "more": "secret"}', "", (None, HIDDEN)),
        ('{"policyName": "static", "data": "{"}', "", (None, HIDDEN)),
        ('{"policyName": "static", "data": 1}', "", ('{"policyName": "static"}', "")),
        ('{"policyName": "static", "entries": {"u": {}}}', "", None),
    ],
)
def test_of_a_state_what_kubelets_write_is_kept(
    catalog: Catalog, text: str | None, problem: str, expected: tuple[str | None, str] | None
) -> None:
    content, why = kept(catalog, files("cpuManagerPolicy: static", ("file", STATE, text, problem)), STATE)
    if expected is None:
        assert json.loads(content or "") == {"policyName": "static", "entries": {"alias-of-u": {}}}
    else:
        assert (content and json.loads(content), why) == (
            expected[0] and json.loads(expected[0]),
            expected[1],
        )


@pytest.mark.parametrize(
    ("kind", "name", "text", "problem", "expected"),
    [
        ("file", ONLINE, "0-3,5\n", "", ("0-3,5\n", "")),
        ("file", ONLINE, "secret", "", (None, HIDDEN)),
        ("file", ONLINE, None, "", (None, "")),
        ("file", ONLINE, None, "no", (None, HIDDEN)),
        ("directory", NUMA, "node0\nsecret\nnode1\n", "", ("node0\nnode1", "")),
        ("directory", NUMA, None, "", (None, "")),
        ("directory", NUMA, None, "no", (None, HIDDEN)),
    ],
)
def test_of_cpus_numbers_are_kept(
    catalog: Catalog, kind: str, name: str, text: str | None, problem: str, expected: Any
) -> None:
    given = files("cpuManagerPolicy: static", (kind, name, text, problem), ("file", f"{NUMA}/x", "1", ""))
    assert kept(catalog, given, name) == expected
    assert len(reduced(given, catalog, alias)) == 3
