"""The environment and the token of a pod, as they should not be; test_collect.py uses good ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from hashcompat.core.errors import InputError
from hashcompat.sources.cluster import kubectl


@pytest.mark.parametrize("port", ["abc", "-1", "0", "65536", "9" * 5000, "٤٤٣", "443 "])
def test_a_port_that_is_not_one_is_named(port: str) -> None:
    for use in (kubectl.connections, kubectl.server):
        with pytest.raises(InputError, match=r"^KUBERNETES_SERVICE_PORT is not a port's number$"):
            use({"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": port})


@pytest.mark.parametrize("port", ["", "443"])
def test_the_usual_port(port: str) -> None:
    given = {"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": port}
    assert kubectl.server(given) == "https://10.0.0.1:443"


def test_a_host_that_is_not_one_is_named() -> None:
    with pytest.raises(InputError, match=r"^KUBERNETES_SERVICE_HOST is not a host's name or address$"):
        kubectl.connections({"KUBERNETES_SERVICE_HOST": "a b/[c"})


@pytest.mark.parametrize(
    "content", [b"\xff\xfe", b"a\nb", b"a\r\nX-Header: b", "ä".encode(), b"x" * (1 << 17)]
)
def test_a_token_that_is_not_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    monkeypatch.setattr(kubectl, "ACCOUNT", tmp_path)
    (tmp_path / "token").write_bytes(content)
    with pytest.raises(InputError, match=rf"^{tmp_path}/token: not a token"):
        kubectl.token()
    (tmp_path / "token").write_bytes(b"a.b-c\n")
    assert kubectl.token() == "a.b-c"
