"""What a kubelet is configured with."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.errors import DecodeError
from hashcompat.preflight.facts import kubelet


@pytest.mark.parametrize(
    ("flags", "root"),
    [({}, "/var/lib/kubelet"), ({"root-dir": "/data/"}, "/data"), ({"root-dir": "/"}, "/")],
)
def test_the_root_directory(flags: dict[str, str], root: str) -> None:
    assert kubelet.root(flags) == root


def test_a_flag_wins_over_the_file_and_the_file_over_the_default() -> None:
    assert kubelet.chosen({"a": "1"}, "a", {"b": "2"}, "b", "3") == "1"
    assert kubelet.chosen({}, "a", {"b": "2"}, "b", "3") == "2"
    assert kubelet.chosen({"a": ""}, "a", {"b": ""}, "b", "3") == "3"


@pytest.mark.parametrize(
    ("flags", "config", "expected"),
    [
        ({}, {}, set()),
        ({"feature-gates": "A=true,B=f, C = 1,D=x,E,=true"}, {}, {("A", True), ("B", False), ("C", True)}),
        ({"feature-gates": "A=false"}, {"featureGates": {"A": True, "B": True}}, {("A", False), ("B", True)}),
        ({}, {"featureGates": {"A": "true", "B": 1}}, {("A", True)}),
        ({}, {"featureGates": ["A"]}, set()),
    ],
)
def test_feature_gates(
    flags: dict[str, str], config: dict[str, Any], expected: set[tuple[str, bool]]
) -> None:
    assert kubelet.gates(flags, config) == expected


@pytest.mark.parametrize(
    ("flags", "config", "expected"),
    [
        ({}, {}, {}),
        ({"reserved-memory": "0:memory=1Gi,hugepages-1Gi=1Gi;1:memory=1.5M"}, {}, {0: 1 << 30, 1: 1500000}),
        (
            {},
            {
                "reservedMemory": [
                    {"limits": {"memory": 5}},
                    {"numaNode": 0, "limits": {"memory": "1k"}},
                    {"numaNode": 1, "limits": {"hugepages-2Mi": "2Mi"}},
                    {"numaNode": 2},
                ]
            },
            {0: 1005},
        ),
    ],
)
def test_reserved_memory(flags: dict[str, str], config: dict[str, Any], expected: dict[int, int]) -> None:
    assert kubelet.reserved_memory(flags, config) == expected


@pytest.mark.parametrize("text", ["a:memory=1", "0:memory=x"])
def test_what_is_no_reserved_memory(text: str) -> None:
    with pytest.raises(DecodeError):
        kubelet.reserved_memory({"reserved-memory": text}, {})
