"""Owners as kubectl reads them."""

from __future__ import annotations

import pytest

from hashcompat.core.model.items import KINDS, Owner, PodName, is_kind, names_a_kind, near_owners, owner_of


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("deploy", "Deployment"),
        ("Deployment", "Deployment"),
        ("DEPLOYMENTS", "Deployment"),
        ("deployments.apps", "Deployment"),
        ("deployment.v1.apps", "Deployment"),
        ("rs", "ReplicaSet"),
        ("sts", "StatefulSet"),
        ("ds", "DaemonSet"),
        ("daemonsets", "DaemonSet"),
        ("job", "Job"),
        ("jobs.batch", "Job"),
        ("cj", "CronJob"),
        ("rc", "ReplicationController"),
        ("po", "Pod"),
        ("no", "Node"),
        ("rollouts.argoproj.io", "Rollout"),
        ("proxies", "Proxy"),
        ("proxys", "Proxy"),
        ("mailboxes", "Mailbox"),
    ],
)
def test_a_kind_may_be_short_plural_or_with_its_group(word: str, kind: str) -> None:
    assert is_kind(word, kind)
    assert names_a_kind(word) == (kind in KINDS)
    assert not is_kind(word, "StatefulSets")


@pytest.mark.parametrize("word", ["", ".apps", "deployer", "s", "web", "podss"])
def test_other_words_are_no_kind(word: str) -> None:
    assert not names_a_kind(word)
    assert not is_kind(word, "")


def test_an_owner_is_of_its_kind_and_of_its_name() -> None:
    wanted = owner_of("deploy/web")
    assert wanted == Owner("deploy", "web")
    owners = ("Deployment/web", "Deployment/web-old", "StatefulSet/web", "", "web")
    assert [wanted.is_named(owner) for owner in owners] == [True, False, False, False, False]


def test_nobody_owns_a_pod_that_nothing_controls() -> None:
    bare = PodName("n1", "ns", "a", "uid-a", "")
    controlled = PodName("n1", "ns", "a", "uid-a", "ReplicaSet/web-1", "Deployment/web")
    assert [Owner("", "").owns(name) for name in (bare, controlled)] == [True, False]
    assert [Owner("pod", "a").owns(name) for name in (bare, controlled)] == [True, False]
    assert [Owner("deploy", "web").owns(name) for name in (bare, controlled)] == [False, True]


def test_near_owners_of_the_same_kind_come_first() -> None:
    owners = ["StatefulSet/web", "Deployment/web", "ReplicaSet/web-474k6w5gmh", "Job/else"]
    assert near_owners(Owner("deploy", "wbe"), owners) == ["Deployment/web", "StatefulSet/web"]
    assert near_owners(Owner("web", ""), owners) == [
        "StatefulSet/web",
        "Deployment/web",
        "ReplicaSet/web-474k6w5gmh",
    ]
    assert near_owners(Owner("deploy", "zzzz"), owners) == []
