"""Rows of messages.json: each release has exactly one text in each respect, which its names fit."""

from __future__ import annotations

import pytest

from hashcompat.catalog.behaviour import Messages
from hashcompat.catalog.lookup import Catalog

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
    found = {release: texts(catalog.messages(catalog.kubelet(release).release)) for release in expected}
    assert {release: row[key] for release, row in found.items()} == expected


def test_every_check_of_a_sandbox_has_a_line_in_its_release(catalog: Catalog) -> None:
    for release in catalog.releases():
        kubelet = catalog.kubelet(release)
        messages = catalog.messages(kubelet.release)
        texts(messages)
        assert set(kubelet.behaviour.sandbox_checks) <= messages.sandbox_logs.keys()


def test_static_pods_are_refused_from_1_34_on(catalog: Catalog) -> None:
    found = {release: catalog.messages(catalog.kubelet(release).release) for release in ("1.33.0", "1.34.0")}
    assert [bool(messages.static_refusal) for messages in found.values()] == [False, True]


def test_a_network_of_another_kind_has_no_event(catalog: Catalog) -> None:
    """The sandbox's id is left empty there (kuberuntime_manager.go podSandboxChanged, 1.6.13 and 1.37.1)."""
    events = catalog.messages(catalog.kubelet("1.31.0").release).sandbox_events
    assert set(events) == {"single", "ready", "ip"}


def test_every_row_cites_its_source(catalog: Catalog) -> None:
    rows = [row for rows in catalog._messages.rows.values() for row in rows]
    assert all(row.source and row.about for row in rows)
