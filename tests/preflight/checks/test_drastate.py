"""PF-107: dra_manager_state."""

from __future__ import annotations

import pytest

from tests.helpers.dumps import GONE, Key, dump, failed, found, numbers, upgrade
from tests.helpers.golden import state_file

STATE: Key = ("file", "/var/lib/kubelet/dra_manager_state")
CONFIG: Key = ("file", "/var/lib/kubelet/config.yaml")
GATED = "featureGates: {DynamicResourceAllocation: true}\n"
OK = "nothing found: state of dynamic resource allocation"
OTHER = "a kubelet of {} wrote it, in a form that this one does not read: kubelet {} does not start with it"
STRUCTURED = '{"version":"v1","entries":[{"ResourceHandles":[{"structuredData":{}}]}],"checksum":1}'


@pytest.mark.parametrize(
    ("to", "config", "text", "status", "says"),
    [
        ("1.31.0", GATED, "1.28.15/dra-handles", "ERROR", OTHER.format("1.28 and 1.29", "1.31.0")),
        ("1.31.0", "kind: x\n", "1.28.15/dra-handles", "OK", OK),
        ("1.34.10", "kind: x\n", "1.28.15/dra-handles", "ERROR", OTHER.format("1.28 and 1.29", "1.34.10")),
        ("1.28.15", GATED, "1.28.15/dra-handles", "OK", OK),
        ("1.29.15", GATED, "1.28.15/dra-handles", "OK", OK),
        ("1.30.14", GATED, "1.28.15/dra-handles", "ERROR", OTHER.format("1.28 and 1.29", "1.30.14")),
        ("1.27.16", GATED, "1.28.15/dra-handles", "ERROR", OTHER.format("1.28 and 1.29", "1.27.16")),
        ("1.26.15", GATED, "1.28.15/dra-handles", "OK", OK),
        ("1.30.14", GATED, "1.31.14/dra-claims", "ERROR", OTHER.format("1.31 and later", "1.30.14")),
        ("1.31.0", GATED, "1.31.14/dra-claims", "OK", OK),
        ("1.37.1", "kind: x\n", "1.31.14/dra-claims", "OK", OK),
        (
            "1.30.14",
            GATED,
            "structured",
            "UNKNOWN",
            "the checksum cannot be computed: the file has structuredData",
        ),
        ("1.31.0", GATED, GONE, "OK", OK),
        ("1.31.0", GATED, failed(), "UNKNOWN", f"{STATE[1]}: permission denied"),
        ("1.31.0", GATED, "", "OK", OK),
    ],
    ids=numbers(),
)
def test_pf107_the_form_of_1_31(to: str, config: str, text: object, status: str, says: str) -> None:
    if isinstance(text, str) and text.startswith("1."):
        text = state_file(text)
    text = STRUCTURED if text == "structured" else text
    given = dump({STATE: text, CONFIG: config})  # type: ignore[dict-item]
    assert [(state, words) for state, _, words in found("PF-107", given, upgrade(to))] == [(status, says)]
