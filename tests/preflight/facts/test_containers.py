"""The containers that the runtimes know."""

from __future__ import annotations

import pytest

from hashcompat.preflight.facts.runtime import container_ids
from hashcompat.records.probes import UnreadError
from tests.helpers.dumps import GONE, Key, dump, failed

DOCKER: Key = ("docker", "list")
CRI: Key = ("cri", "containers")


@pytest.mark.parametrize(
    ("docker", "cri", "expected"),
    [
        ('[{"Id": "a"}, 1]', GONE, {"a"}),
        (failed(), '{"containers": [{"id": "b"}]}', {"b"}),
        ('[{"Id": "a"}]', '{"containers": [{"id": "b"}]}', {"a", "b"}),
        ("[]", "{", set()),
        ("[]", '{"containers": 1}', set()),
    ],
)
def test_ids_of_every_runtime(docker: object, cri: object, expected: set[str]) -> None:
    assert container_ids(dump({DOCKER: docker, CRI: cri})) == expected  # type: ignore[dict-item]


def test_no_list_is_no_empty_list() -> None:
    with pytest.raises(UnreadError, match="docker list: permission denied; cri containers: there is none"):
        container_ids(dump({DOCKER: failed(), CRI: GONE}))
