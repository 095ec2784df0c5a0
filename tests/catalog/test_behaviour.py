"""What kubelets do and write."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.core.catalog.behaviour import Behaviour, Messages
from hashcompat.core.catalog.lookup import Catalog

# Rows of behaviour.json: each release has exactly one value in each respect.


@pytest.mark.parametrize(
    ("respect", "values"),
    [
        ("sidecars_compared", {"1.28.0": False, "1.31.14": False, "1.32.0": True, "1.36.0": True}),
        (
            "sidecar_startup_probe",
            {"1.31.0": "never", "1.32.0": "waits", "1.34.13": "waits", "1.35.3": "never", "1.35.4": "waits"},
        ),
        ("missing_hash", {"1.0.0": "kept", "1.5.8": "kept", "1.6.0": "restarts", "1.36.0": "restarts"}),
        ("hash_without_resources", {"1.26.15": False, "1.27.0": True, "1.30.14": True, "1.31.0": False}),
        ("resources_recorded", {"1.32.13": False, "1.33.0": True}),
        ("sandbox_maker", {"1.5.8": "dockertools", "1.6.0": "CRI"}),
        (
            "pause_image",
            {
                "1.1.8": "gcr.io/google_containers/pause:0.8.0",
                "1.2.0": "gcr.io/google_containers/pause:2.0",
                "1.6.0": None,
            },
        ),
        ("dockershim", {"1.23.17": True, "1.24.0": False}),
        ("missing_resource_record", {"1.36.6": "restarts", "1.37.0": "filled"}),
        ("minors_behind_server", {"1.24.17": 2, "1.25.0": 3}),
    ],
)
def test_the_value_on_both_sides_of_each_boundary(
    catalog: Catalog, respect: str, values: dict[str, Any]
) -> None:
    assert {release: getattr(catalog.kubelet(release).behaviour, respect) for release in values} == values


def test_the_behaviour_of_every_known_release_is_known(catalog: Catalog) -> None:
    for release in catalog.releases():
        assert isinstance(catalog.kubelet(release).behaviour, Behaviour)


def test_every_row_cites_its_source(catalog: Catalog) -> None:
    rows = [row for rows in catalog._behaviour.rows.values() for row in rows]
    assert all(row.source and row.about for row in rows)


# Rows of messages.json: each release has exactly one text in each respect, which its names fit.

NAMES = {"pod": "p", "namespace": "ns", "uid": "u", "container": "c", "message": "M"}


def texts(messages: Messages) -> dict[str, str]:
    """Return every text of a release, its names filled in."""
    plain = {"line": messages.restart_line, "killing": messages.killing, "pod": messages.killing_with_pod}
    rows = {
        **plain,
        **messages.sandbox_logs,
        **{f"{key} event": row for key, row in messages.sandbox_events.items()},
    }
    return {key: text.format(**NAMES) for key, text in {**rows, "resize": messages.resize}.items()}


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (
            "line",
            {
                "1.7.16": "M",
                "1.8.0": 'Container "c" ({"…" "…"}) of pod p_ns(u): M',
                "1.20.15": 'Container "c" ({"…" "…"}) of pod p_ns(u): M',
                "1.21.0": '"Message for Container of pod" containerName="c" containerStatusID=… '
                'pod="ns/p" containerMessage="M"',
            },
        ),
        (
            "killing",
            {
                "1.1.8": "Killing with docker id …",
                "1.2.0": "Killing container with docker id …: M",
                "1.6.0": "Killing container with id …:M",
                "1.14.0": "M",
            },
        ),
        (
            "pod",
            {
                "1.5.8": "Killing container with docker id …: Need to kill pod.",
                "1.13.12": "Killing container with id …:Need to kill Pod",
                "1.14.0": "Stopping container c",
            },
        ),
        (
            "ready",
            {
                "1.1.8": 'Need to restart pod infra container for "p_ns" because it is not found',
                "1.6.0": 'No ready sandbox for pod "p_ns(u)" can be found. Need to start a new one',
                "1.21.0": '"No ready sandbox for pod can be found. Need to start a new one" pod="ns/p"',
            },
        ),
        (
            "single",
            {
                "1.6.0": 'No ready sandbox for pod "p_ns(u)" can be found. Need to start a new one',
                "1.7.0": 'More than 1 sandboxes for pod "p_ns(u)" are ready. Need to reconcile them',
                "1.17.0": 'Multiple sandboxes are ready for Pod "p_ns(u)". Need to reconcile them',
            },
        ),
        ("resize", {"1.26.15": "", "1.27.0": "Container c resize requires restart"}),
    ],
)
def test_the_text_on_both_sides_of_each_boundary(
    catalog: Catalog, key: str, expected: dict[str, str]
) -> None:
    rows = {release: texts(catalog.messages(catalog.kubelet(release).release)) for release in expected}
    assert {release: row[key] for release, row in rows.items()} == expected


def test_every_check_of_a_sandbox_has_a_line_in_its_release(catalog: Catalog) -> None:
    for release in catalog.releases():
        kubelet = catalog.kubelet(release)
        messages = catalog.messages(kubelet.release)
        texts(messages)
        assert set(kubelet.behaviour.sandbox_checks) <= messages.sandbox_logs.keys()


def test_static_pods_are_refused_for_more_from_1_34_on(catalog: Catalog) -> None:
    refusals = {
        minor: catalog.messages(catalog.kubelet(f"{minor}.0").release).static_refusal
        for minor in ("1.28", "1.29", "1.33", "1.34")
    }
    words = {
        minor: text.partition("static pods may not ")[2].split(" ")[0] for minor, text in refusals.items()
    }
    assert words == {"1.28": "", "1.29": "use", "1.33": "use", "1.34": "reference"}


def test_a_network_of_another_kind_has_no_event(catalog: Catalog) -> None:
    """The sandbox's id is left empty there (kuberuntime_manager.go podSandboxChanged, 1.6.13 and 1.37.1)."""
    events = catalog.messages(catalog.kubelet("1.31.0").release).sandbox_events
    assert set(events) == {"single", "ready", "ip"}


def test_every_message_cites_its_source(catalog: Catalog) -> None:
    rows = [row for rows in catalog._messages.rows.values() for row in rows]
    assert all(row.source and row.about for row in rows)
