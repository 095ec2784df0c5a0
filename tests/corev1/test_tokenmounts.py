"""The names that API servers give to the volumes of service accounts' tokens."""

from __future__ import annotations

import pytest

from hashcompat.core.corev1.scheduling import is_token_mount


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("kube-api-access-x7k2p", True),
        ("kube-api-access-X7K2P", False),
        ("kube-api-access-x7k2", False),
        ("kube-api-access-x7k2pq", False),
        ("kube-api-access-x7k2p\n", False),
        ("kube-api-access-\u0661\u0661111", False),
        ("default-token-x7k2p", False),
    ],
)
def test_token_mounts(name: str, expected: bool) -> None:
    assert is_token_mount(name) is expected
