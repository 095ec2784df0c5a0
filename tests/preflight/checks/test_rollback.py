"""PF-118: state files of a newer kubelet."""

from __future__ import annotations

import pytest

from tests.helpers.dumps import Key, dump, failed, findings, found, upgrade

ALLOCATED: Key = ("file", "/var/lib/kubelet/allocated_pods_state")
ACTUATED: Key = ("file", "/var/lib/kubelet/actuated_pods_state")


@pytest.mark.parametrize(
    ("to", "changes", "expected"),
    [
        ("1.32.13", {}, [("OK", "")]),
        ("1.32.13", {ALLOCATED: "{}", ACTUATED: ""}, [("WARN", ALLOCATED[1]), ("WARN", ACTUATED[1])]),
        ("1.32.13", {ACTUATED: "{}"}, [("WARN", ACTUATED[1])]),
        ("1.33.0", {ALLOCATED: "{}", ACTUATED: "{}"}, [("OK", "")]),
        ("1.32.13", {ALLOCATED: failed()}, [("UNKNOWN", "")]),
        ("1.33.0", {ALLOCATED: failed()}, [("OK", "")]),
    ],
)
def test_pf118_files_that_the_older_kubelet_does_not_know(
    to: str, changes: dict[Key, object], expected: list[tuple[str, str]]
) -> None:
    shown = found("PF-118", dump(changes), upgrade(to))  # type: ignore[arg-type]
    assert [each[:2] for each in shown] == expected


def test_pf118_says_when_to_remove_them() -> None:
    (finding,) = findings("PF-118", dump({ALLOCATED: "{}"}), upgrade("1.32.13"))
    assert finding.advice == "once kubelet 1.32.13 runs: rm /var/lib/kubelet/allocated_pods_state"
