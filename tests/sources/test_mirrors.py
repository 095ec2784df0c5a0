"""Which pods are static, by what a tenant cannot choose."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from hashcompat.core.model.pods import Pod
from hashcompat.sources.objects import read_object
from hashcompat.sources.pods import Mirror, annotations_of, mirror_of
from tests.helpers.pods import pod

UID = "0123456789abcdef0123456789abcdef"
API_UID = "8cdcb7ba-17d0-11e9-9243-52540064c479"
NODE = "Node/Node-1"


def shown(
    *,
    name: str = "etcd-node-1",
    uid: str = API_UID,
    node: str = "Node-1",
    owner: str = NODE,
    **annotations: Any,
) -> Mirror:
    prefixed = {f"kubernetes.io/config.{key}": value for key, value in annotations.items()}
    return mirror_of({"name": name, "uid": uid}, prefixed, node, owner)


def test_a_mirror_pod_as_kubelets_make_it() -> None:
    assert shown(mirror=UID, hash=UID, source="file", seen="2026-01-31T12:00:00Z") == Mirror(
        static=True, uid=UID
    )
    assert shown(mirror=UID, hash=UID, source="http").from_url


@pytest.mark.parametrize(
    "planted", [{}, {"hash": UID}, {"source": "file"}, {"source": "http", "hash": UID, "seen": ""}]
)
@pytest.mark.parametrize("owner", [NODE, "ReplicaSet/web", ""])
def test_config_source_and_config_hash_of_an_api_pod_decide_nothing(
    planted: dict[str, str], owner: str
) -> None:
    assert shown(owner=owner, **planted) == Mirror()


def test_a_kubelets_own_list_shows_static_pods_by_their_uid() -> None:
    """No API server gives such a uid (k8s.io/apimachinery pkg/util/uuid)."""
    assert shown(uid=UID, owner="", name="etcd", source="http") == Mirror(static=True, uid=UID, from_url=True)


def test_what_a_controller_made_is_no_mirror_pod() -> None:
    assert shown(mirror=UID, hash=UID, owner="ReplicaSet/web") == Mirror(
        doubt="its controller is ReplicaSet/web"
    )


@pytest.mark.parametrize(
    ("given", "doubt"),
    [
        ({"name": "web"}, "its name does not end in -node-1"),
        ({"name": "etcd-node-2"}, "its name does not end in -node-1"),
        ({"owner": "Node/Node-2"}, "its controller is node Node-2, and it runs on Node-1"),
        ({"node": ""}, "its controller is node Node-1, and it runs on none"),
        ({"hash": API_UID}, "kubernetes.io/config.mirror and kubernetes.io/config.hash differ"),
        ({"source": "api"}, "kubernetes.io/config.source is not one of static pods"),
    ],
)
def test_what_contradicts_a_mirror_pod_is_said(given: dict[str, str], doubt: str) -> None:
    mirror = shown(**{"mirror": UID, "hash": UID, **given})
    assert mirror == Mirror(static=True, uid=UID, doubt=doubt)


@pytest.mark.parametrize(
    ("annotations", "uid"),
    [
        ({"mirror": "mirror", "hash": UID}, UID),
        ({"mirror": "", "hash": UID}, UID),
        ({"mirror": UID, "hash": UID}, UID),
        ({"mirror": "0123"}, ""),
    ],
)
def test_the_uid_of_the_static_pod(annotations: dict[str, str], uid: str) -> None:
    """1.0 wrote a word in place of the uid."""
    assert shown(**annotations) == Mirror(static=True, uid=uid)


def test_an_owner_is_no_contradiction_where_it_is_missing() -> None:
    """Kubelets before 1.17 set none."""
    assert shown(mirror=UID, hash=UID, owner="").doubt == ""


@pytest.mark.parametrize("owner", ["", "Node/n1", "Node/n2", "ReplicaSet/web"])
@pytest.mark.parametrize(("name", "uid"), [("etcd-n1", API_UID), ("web", API_UID), ("etcd", UID)])
def test_annotations_show_the_same_again(owner: str, name: str, uid: str) -> None:
    """Where annotations contradict each other, only that they do is kept."""
    for mirror, source, hashed in product(
        (None, "", "mirror", UID, API_UID), (None, "api", "file", "http"), (None, UID, "pinned")
    ):
        given = {"mirror": mirror, "source": source, "hash": hashed}
        first = read(name, uid, owner, {f"kubernetes.io/config.{key}": value for key, value in given.items()})
        second = read(name, uid, owner, annotations_of(first))
        contradicting = first.mirror_doubt.startswith("kubernetes.io/")
        assert (second.static, second.config_hash, second.from_url, second.mirror_doubt) == (
            first.static,
            first.config_hash,
            first.from_url and not contradicting,
            "kubernetes.io/config.source is not one of static pods" if contradicting else first.mirror_doubt,
        ), given


def read(name: str, uid: str, owner: str, annotations: dict[str, Any]) -> Pod:
    kind, _, made_by = owner.partition("/")
    owners = [{"kind": kind, "name": made_by, "controller": True}] if owner else []
    shown = {key: value for key, value in annotations.items() if value is not None}
    metadata = {"uid": uid, "annotations": shown, "ownerReferences": owners}
    (subject,) = read_object(pod(name=name, metadata=metadata), "f")
    assert isinstance(subject, Pod)
    return subject
