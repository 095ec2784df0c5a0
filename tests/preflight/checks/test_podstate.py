"""PF-106: pod_status_manager_state."""

from __future__ import annotations

import pytest

from tests.helpers.dumps import GONE, Key, dump, failed, found, numbers, upgrade
from tests.helpers.golden import state_file

STATE: Key = ("file", "/var/lib/kubelet/pod_status_manager_state")
CONFIG: Key = ("file", "/var/lib/kubelet/config.yaml")
GATED = "featureGates: {InPlacePodVerticalScaling: true}\n"
OK = "nothing found: state of pod resizes"
OTHER = "a kubelet of {} wrote it, in a form that this one does not read: kubelet {} does not start with it"
NEW = '{"data":"{\\"allocationEntries\\":{}}","checksum":2462286846}'


@pytest.mark.parametrize(
    ("to", "config", "text", "status", "says"),
    [
        ("1.32.13", GATED, "old", "ERROR", OTHER.format("1.27 - 1.31", "1.32.13")),
        ("1.32.0", GATED, "old", "ERROR", OTHER.format("1.27 - 1.31", "1.32.0")),
        ("1.31.14", GATED, "old", "OK", OK),
        ("1.27.16", GATED, "old", "OK", OK),
        ("1.26.15", GATED, "old", "OK", OK),
        ("1.33.13", GATED, "old", "OK", OK),
        ("1.32.13", "kind: x\n", "old", "OK", OK),
        (
            "1.32.13",
            GATED,
            "decimal",
            "ERROR",
            "its checksum does not hold: kubelet 1.32.13 does not start with it",
        ),
        (
            "1.31.14",
            GATED,
            "decimal",
            "ERROR",
            "its checksum does not hold: kubelet 1.31.14 does not start with it",
        ),
        ("1.32.13", GATED, "{}", "OK", OK),
        ("1.31.14", GATED, GONE, "OK", OK),
        ("1.31.14", GATED, failed(), "UNKNOWN", f"{STATE[1]}: permission denied"),
        ("1.31.14", GATED, "{", "OK", OK),
    ],
    ids=numbers(),
)
def test_pf106_the_form_of_1_32(to: str, config: str, text: object, status: str, says: str) -> None:
    samples = {"old": "1.31.14/pods-canonical", "decimal": "1.31.14/pods-decimal"}
    if isinstance(text, str) and text in samples:
        text = state_file(samples[text])
    given = dump({STATE: text, CONFIG: config})  # type: ignore[dict-item]
    assert [(state, words) for state, _, words in found("PF-106", given, upgrade(to))] == [(status, says)]
