"""Feature gates: what releases know, by the table, and how they read what is set."""

from __future__ import annotations

import pytest

from hashcompat.core.catalog.behaviour import Gates, GateTable, Settings
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.release import parse_release
from scripts.schemas import featuregates
from scripts.schemas.trees import minor

SIDECARS, RESIZE, HOST_PORTS = (
    "SidecarContainers",
    "InPlacePodVerticalScaling",
    "DefaultHostNetworkHostPortsInPodTemplates",
)


@pytest.fixture
def table(catalog: Catalog) -> GateTable:
    return catalog.gate_table


def gates(table: GateTable, release: str, **settings: bool) -> Gates:
    return Gates(table, parse_release(release), frozenset(settings.items()))


@pytest.mark.parametrize(
    ("gate", "release", "expected"),
    [
        (RESIZE, "1.26.15", None),
        (RESIZE, "1.27.0", ("ALPHA", False, False)),
        (RESIZE, "1.33.0", ("BETA", True, False)),
        (RESIZE, "1.35.0", ("GA", True, True)),
        (SIDECARS, "1.28.15", ("ALPHA", False, False)),
        (SIDECARS, "1.29.0", ("BETA", True, False)),
        (SIDECARS, "1.33.0", ("GA", True, True)),
        (SIDECARS, "1.37.0", None),
        ("AppArmor", "1.4.0", ("BETA", True, False)),
        ("DynamicVolumeProvisioning", "1.5.8", ("ALPHA", True, False)),
        ("AllBeta", "1.16.15", None),
        ("AllBeta", "1.17.17", ("BETA", False, False)),
        ("ContextualLogging", "1.29.15", ("ALPHA", False, False)),
        ("ContextualLogging", "1.30.0", ("BETA", True, False)),
        ("ComponentSLIs", "1.26.15", ("ALPHA", False, False)),
        ("CRDValidationRatcheting", "1.28.15", ("ALPHA", False, False)),
        ("WatchListClient", "1.30.14", ("BETA", False, False)),
        (HOST_PORTS, "1.30.14", ("DEPRECATED", False, False)),
        ("MaxUnavailableStatefulSet", "1.35.3", ("BETA", True, False)),
        ("MaxUnavailableStatefulSet", "1.35.4", ("BETA", False, False)),
        ("OrderedNamespaceDeletion", "1.30.10", None),
        ("OrderedNamespaceDeletion", "1.30.11", ("BETA", False, False)),
        ("CSIMigrationvSphere", "1.26.3", ("GA", True, True)),
        ("CSIMigrationvSphere", "1.26.4", ("GA", True, False)),
        ("sidecarContainers", "1.29.0", None),
    ],
)
def test_what_a_gate_is_in_a_release(
    table: GateTable, gate: str, release: str, expected: tuple[str, bool, bool] | None
) -> None:
    spec = table.spec(gate, parse_release(release))
    assert (spec and (spec.stage, spec.on, spec.locked)) == expected


def test_the_gates_of_every_minor_with_gates_were_read(catalog: Catalog) -> None:
    minors = [row.minor for row in catalog.known.rows]
    read = dict.fromkeys(minor(row["since"]) for row in featuregates.sources())
    assert list(read) == minors[minors.index("1.4") :]
    assert catalog.gate_table.known_to(parse_release("1.3.10")) == []


def test_no_release_refuses_its_own_defaults(catalog: Catalog) -> None:
    for row in catalog.known.rows:
        assert list(gates(catalog.gate_table, row.newest, AllAlpha=False).refusals()) == []


@pytest.mark.parametrize(
    ("release", "settings", "gate", "expected"),
    [
        ("1.26.15", {}, RESIZE, False),  # not yet
        ("1.26.15", {RESIZE: True}, RESIZE, False),
        ("1.27.16", {}, RESIZE, False),
        ("1.27.16", {RESIZE: True}, RESIZE, True),
        ("1.27.16", {"AllAlpha": True}, RESIZE, True),
        ("1.27.16", {"AllAlpha": True, RESIZE: False}, RESIZE, False),
        ("1.27.16", {"AllAlpha": False, RESIZE: True}, RESIZE, True),
        ("1.27.16", {"AllBeta": True}, RESIZE, False),
        ("1.33.13", {"AllAlpha": False}, RESIZE, True),
        ("1.33.13", {"AllBeta": False}, RESIZE, False),
        ("1.33.13", {"AllBeta": False, RESIZE: True}, RESIZE, True),
        ("1.35.8", {"AllBeta": False}, RESIZE, True),
        ("1.35.8", {RESIZE: False}, RESIZE, True),  # locked
        ("1.20.15", {"AllBeta": False}, "ExecProbeTimeout", True),  # GA from the start
        ("1.16.15", {"AllBeta": False}, "StartupProbe", False),
        ("1.16.15", {"AllBeta": False}, "TaintBasedEvictions", True),  # 1.16 has no AllBeta
        ("1.5.8", {"AllAlpha": False}, "DynamicVolumeProvisioning", False),
        ("1.37.1", {}, SIDECARS, True),  # removed, and there for good
        ("1.37.1", {SIDECARS: False}, SIDECARS, True),
        ("1.31.14", {}, HOST_PORTS, False),  # removed, and gone for good
        ("1.31.14", {}, "NoSuchGate", False),
    ],
)
def test_what_is_on(
    table: GateTable, release: str, settings: dict[str, bool], gate: str, expected: bool
) -> None:
    feature_gates = gates(table, release, **settings)
    assert [feature_gates.is_on(gate), feature_gates.is_on(gate)] == [expected, expected]


@pytest.mark.parametrize(
    ("release", "settings", "gate", "expected"),
    [
        ("1.27.16", {}, RESIZE, False),
        ("1.27.16", {RESIZE: False}, RESIZE, True),
        ("1.27.16", {"AllAlpha": False}, RESIZE, True),
        ("1.27.16", {"AllBeta": False}, RESIZE, False),
        ("1.26.15", {RESIZE: True}, RESIZE, False),
        ("1.16.15", {"AllBeta": False}, "TaintBasedEvictions", False),
    ],
)
def test_what_the_settings_decide(
    table: GateTable, release: str, settings: dict[str, bool], gate: str, expected: bool
) -> None:
    assert gates(table, release, **settings).sets(gate) == expected


@pytest.mark.parametrize(
    ("release", "settings", "expected"),
    [
        ("1.32.13", {SIDECARS: False}, []),
        ("1.33.13", {SIDECARS: False}, ["1.33.13 locks SidecarContainers to true"]),
        ("1.33.13", {SIDECARS: True}, []),
        ("1.37.1", {SIDECARS: False}, []),
        ("1.30.14", {RESIZE: False, "PodHostIPs": False}, ["1.30.14 locks PodHostIPs to true"]),
        (
            "1.36.3",
            {"PodLevelResources": False, "PodLevelResourceManagers": True},
            [
                "InPlacePodLevelResourcesVerticalScaling, which is on in 1.36.3, needs PodLevelResources",
                "PodLevelResourceManagers, which is on in 1.36.3, needs PodLevelResources",
            ],
        ),
        ("1.34.10", {"PodLevelResources": False}, []),  # gates need one another from 1.35 on
    ],
)
def test_what_does_not_start(
    table: GateTable, release: str, settings: dict[str, bool], expected: list[str]
) -> None:
    assert sorted(gates(table, release, **settings).refusals()) == expected


def test_settings_are_a_set_of_pairs(table: GateTable) -> None:
    settings: Settings = frozenset({(RESIZE, True)})
    assert Gates(table, parse_release("1.27.0"), settings).is_on(RESIZE)


def test_the_gates_that_need_others_are_found_in_the_table(catalog: Catalog) -> None:
    """A table of its own: that of the catalog may have been asked by an earlier test."""
    rows = catalog.gate_table._rows
    table = GateTable(catalog.gate_table._data)
    assert set(table.needing) == {name for name, each in rows.items() if any("needs" in row for row in each)}
    assert len(table.needing) > 2
