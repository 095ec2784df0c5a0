"""The forms of UIDs."""

from __future__ import annotations

import pytest

from hashcompat.core.model.uids import is_computed, is_of_api_server

COMPUTED = "0123456789abcdef0123456789abcdef"
OF_API_SERVER = "01234567-89ab-cdef-0123-456789abcdef"


@pytest.mark.parametrize(
    ("uid", "computed", "of_api_server"),
    [
        pytest.param(COMPUTED, True, False, id="computed"),
        pytest.param(OF_API_SERVER, False, True, id="of an API server"),
        pytest.param("", False, False, id="none"),
        pytest.param("static-etcd", False, False, id="set in a manifest"),
        pytest.param(f"{COMPUTED}0", False, False, id="one digit more"),
        pytest.param(f"{COMPUTED}\n", False, False, id="a line break after it"),
        pytest.param(COMPUTED.upper(), False, False, id="capital letters"),
        pytest.param(f"{OF_API_SERVER}\n", False, False, id="a line break after an API server's"),
        pytest.param(OF_API_SERVER[:-1], False, False, id="one digit less"),
    ],
)
def test_each_uid_has_one_form_at_most(uid: str, computed: bool, of_api_server: bool) -> None:
    assert (is_computed(uid), is_of_api_server(uid)) == (computed, of_api_server)
