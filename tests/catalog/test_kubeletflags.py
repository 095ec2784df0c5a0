"""The flags of kubelets: what releases accept, by the table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hashcompat.core.catalog.files import DataFiles
from hashcompat.core.catalog.kubeletsettings import FlagTable
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.catalog.releases import parse_range
from hashcompat.core.release import Release, parse_release
from scripts.schemas import kubeletflags
from scripts.schemas.trees import minor

REMOVED = {
    "1.8": ("api-servers", "low-diskspace-threshold-mb"),
    "1.10": ("require-kubeconfig", "init-config-dir"),
    "1.12": ("cadvisor-port",),
    "1.15": ("allow-privileged", "host-network-sources"),
    "1.16": ("containerized",),
    "1.23": ("seccomp-profile-root", "experimental-bootstrap-kubeconfig"),
    "1.24": (
        "network-plugin",
        "network-plugin-mtu",
        "cni-bin-dir",
        "cni-cache-dir",
        "cni-conf-dir",
        "docker-endpoint",
        "dynamic-config-dir",
        "image-pull-progress-deadline",
        "non-masquerade-cidr",
        "really-crash-for-testing",
        "experimental-dockershim-root-directory",
        "experimental-check-node-capabilities-before-mount",
    ),
    "1.25": ("experimental-kernel-memcg-notification",),
    "1.26": ("logtostderr", "log-dir"),
    "1.27": ("container-runtime", "master-service-namespace"),
    "1.31": ("iptables-drop-bit", "iptables-masquerade-bit", "keep-terminated-pod-volumes"),
    "1.34": ("cloud-config", "register-schedulable"),
    "1.35": ("pod-infra-container-image",),
    "1.37": ("containerd", "machine-id-file"),
}
"""Flags by the minor that removed them: read in cmd/kubelet/app/options at the minors before and after."""


def added_in(table: FlagTable, release: Release, name: str) -> str:
    """Return the release after ``release`` that is the next to accept a flag; empty where none does."""
    if table.accepts(release, name):
        return ""
    starts = (flag.releases.since for flag in table._rows.get(name, ()))
    return next((start for start in starts if not parse_range(f">={start}").holds(release)), "")


def deprecated_since(table: FlagTable, release: Release, name: str) -> str:
    """Return since which release a flag of ``release`` is deprecated; empty where it is not."""
    flag = table.find(release, name)
    if flag is None or not flag.deprecated:
        return ""
    since = flag.releases.since
    for row in reversed(table._rows[flag.name]):
        if row.deprecated and row.releases.until == since:
            since = row.releases.since
    return since


@pytest.fixture
def table(catalog: Catalog) -> FlagTable:
    return catalog.flag_table


def newest_before(catalog: Catalog, name: str) -> Release:
    minors = catalog.known.minors
    return parse_release(catalog.known.rows[minors.index(name) - 1].newest)


@pytest.mark.parametrize(
    ("release", "name"), [(minor, name) for minor, found in REMOVED.items() for name in found]
)
def test_when_a_flag_was_removed(catalog: Catalog, table: FlagTable, release: str, name: str) -> None:
    before, after = newest_before(catalog, release), parse_release(f"{release}.0")
    assert (table.accepts(before, name), table.removed_in(before, name)) == (True, "")
    assert (table.accepts(after, name), table.removed_in(after, name)) == (False, release)
    assert table.removed_in(parse_release("1.37.1"), name) == release


@pytest.mark.parametrize(
    ("release", "name", "kind", "takes_value"),
    [
        ("1.31.14", "runonce", "bool", False),
        ("1.31.14", "version", "version", False),
        ("1.31.14", "v", "int", True),
        ("1.31.14", "node-labels", "map", True),
        ("1.31.14", "sync-frequency", "duration", True),
        ("1.31.14", "config", "string", True),
        ("1.31.14", "kube_api_burst", "int", True),
        ("1.31.14", "register-with-taints", "list", True),
        ("1.6.0", "eviction-hard", "string", True),
        ("1.9.0", "eviction-hard", "map", True),
    ],
)
def test_what_a_flag_takes(table: FlagTable, release: str, name: str, kind: str, takes_value: bool) -> None:
    flag = table.find(parse_release(release), name)
    assert flag is not None
    assert (flag.kind, flag.takes_value) == (kind, takes_value)


@pytest.mark.parametrize(
    ("release", "name", "expected"),
    [
        ("1.37.1", "address", "1.10"),
        ("1.9.11", "address", ""),
        ("1.10.3", "experimental-bootstrap-kubeconfig", ""),
        ("1.22.17", "experimental-bootstrap-kubeconfig", "1.10.4"),
        ("1.30.14", "config", ""),
        ("1.30.14", "no-such-flag", ""),
        ("1.24.0", "network-plugin", ""),
    ],
)
def test_since_when_a_flag_is_deprecated(table: FlagTable, release: str, name: str, expected: str) -> None:
    assert deprecated_since(table, parse_release(release), name) == expected


def test_a_deprecation_is_as_old_as_the_first_of_its_rows(table: FlagTable) -> None:
    """A deprecated flag whose kind or shorthand changes has a row more, and is no less deprecated before."""
    newest = parse_release("1.37.1")
    for name, flag in table.flags(newest).items():
        since = deprecated_since(table, newest, name)
        assert bool(since) == flag.deprecated
        if since:
            first = table.find(parse_release(since if since.count(".") == 2 else f"{since}.0"), name)
            assert first is not None
            assert first.deprecated


@pytest.mark.parametrize(
    ("release", "name", "expected"),
    [
        ("1.27.16", "config-dir", "1.28"),
        ("1.28.0", "config-dir", ""),
        ("1.37.1", "network-plugin", ""),
        ("1.5.8", "address", "1.6"),
        ("1.31.14", "no-such-flag", ""),
    ],
)
def test_when_a_flag_is_added(table: FlagTable, release: str, name: str, expected: str) -> None:
    assert added_in(table, parse_release(release), name) == expected


def test_a_flag_that_never_was_has_no_release_that_removed_it(table: FlagTable) -> None:
    assert table.removed_in(parse_release("1.31.14"), "no-such-flag") == ""
    assert table.removed_in(parse_release("1.27.0"), "config-dir") == ""


def test_shorthands(table: FlagTable) -> None:
    flags = {letter: table.by_shorthand(parse_release("1.31.14"), letter) for letter in "vhx"}
    assert {letter: flag and flag.name for letter, flag in flags.items()} == {
        "v": "v",
        "h": "help",
        "x": None,
    }


def test_the_nearest_flags_are_of_the_release(table: FlagTable) -> None:
    assert table.nearest(parse_release("1.23.17"), "network_plugins")[0] == "network-plugin"
    assert "network-plugin" not in table.nearest(parse_release("1.24.0"), "network-plugin")
    assert table.nearest(parse_release("1.24.0"), "x") == []


def test_the_flags_of_every_minor_since_1_6_were_read(catalog: Catalog, table: FlagTable) -> None:
    minors = list(catalog.known.minors)
    read = dict.fromkeys(minor(row["since"]) for row in kubeletflags.sources())
    assert list(read) == minors[minors.index("1.6") :]
    assert table.flags(parse_release("1.5.8")) == {}
    assert table.flags(parse_release("1.31.14")) is table.flags(parse_release("1.31.14"))


def test_a_flag_that_changes_its_kind_stays_deprecated(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    rows = [
        {"releases": ">=1.8,<1.9", "kind": "string"},
        {"releases": ">=1.9,<1.10", "kind": "string", "deprecated": True},
        {"releases": ">=1.10", "kind": "map", "deprecated": True},
    ]
    (tmp_path / "tables" / "kubeletflags.json").write_text(json.dumps({"flags": {"foo": rows}}))
    table = FlagTable(DataFiles(tmp_path))
    assert deprecated_since(table, parse_release("1.11.0"), "foo") == "1.9"
