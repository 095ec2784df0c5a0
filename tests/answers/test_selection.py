"""What ``explain`` is asked for: every form of a name, and what is near one that nothing has."""

from __future__ import annotations

import json

import pytest

import hashcompat
from tests.helpers.pods import Json, as_json, node, pod
from tests.helpers.program import SAMPLE, Run

TO = ("--from", "1.9.11", "--to", "1.10.0", "-o", "json")
WEB = ["web-474k6w5gmh-bqgkv", "web-474k6w5gmh-dk4sq", "web-474k6w5gmh-vsjdx"]
STATIC = [
    item["metadata"]["name"]
    for item in json.loads(SAMPLE.read_text())["items"]
    if item["kind"] == "Pod" and item["spec"].get("nodeName") == "node-a1"
]


def found(run: Run, *arguments: str, stdin: bytes = b"") -> list[tuple[str, str]]:
    source = ("-f", "-") if stdin else ("--sample",)
    result = run("explain", *arguments, *TO, *source, stdin=stdin)
    assert result.code == 0, result.err
    return [(item["pod"], item["container"]) for item in result.items]


@pytest.mark.parametrize(
    ("arguments", "pods"),
    [
        (("data/redis-0",), ["redis-0"]),
        (("data/redis-0/redis",), ["redis-0"]),
        (("redis-0", "-n", "data"), ["redis-0"]),
        (("redis-0/redis", "-n", "data"), ["redis-0"]),
        (("redis-0", "-n", "data", "-n", "shop"), ["redis-0"]),
        (("pod/redis-0",), ["redis-0"]),
        (("po/redis-0/exporter",), ["redis-0"]),
        (("pods/redis-0", "-n", "data"), ["redis-0"]),
        (("deploy/web",), WEB),
        (("deploy/web", "-n", "shop"), WEB),
        (("shop/deploy/web",), WEB),
        (("shop/Deployment/web/nginx",), WEB),
        (("deployments.apps/web/nginx",), WEB),
        (("rs/web-474k6w5gmh",), WEB),
        (("ReplicaSet/web-474k6w5gmh",), WEB),
        (("sts/redis",), ["redis-0", "redis-1"]),
        (("cronjob/nightly-report",), ["nightly-report-28621440-9s8jr"]),
        (("job/nightly-report-28621440",), ["nightly-report-28621440-9s8jr"]),
        (("node/node-a1",), STATIC),
    ],
)
def test_a_name_is_read_as_kubectl_reads_it(run: Run, arguments: tuple[str, ...], pods: list[str]) -> None:
    assert sorted({name for name, _ in found(run, *arguments)}) == sorted(pods)


def test_a_container_may_be_named_in_each_form(run: Run) -> None:
    for target in ("sts/redis/exporter", "data/sts/redis/exporter"):
        assert found(run, target) == [("redis-0", "exporter"), ("redis-1", "exporter")]


def owned(name: str, namespace: str, kind: str, owner: str) -> Json:
    reference = {"apiVersion": "apps/v1", "kind": kind, "name": owner, "controller": True}
    return pod(name=name, metadata={"namespace": namespace, "uid": name, "ownerReferences": [reference]})


def test_a_pod_of_that_name_comes_before_an_owner(run: Run) -> None:
    """A namespace may be called like a kind, and a pod too."""
    plain = pod(name="web", metadata={"namespace": "sts"})
    named = pod({"name": "web"}, name="sts", metadata={"namespace": "shop"})
    set_ = owned("web-0", "shop", "StatefulSet", "web")
    assert found(run, "sts/web", stdin=as_json(plain, set_)) == [("web", "c")]
    assert found(run, "sts/web", "-n", "shop", stdin=as_json(plain, set_)) == [("web-0", "c")]
    assert found(run, "shop/sts/web", stdin=as_json(named, set_)) == [("sts", "web")]
    assert found(run, "shop/sts/web", stdin=as_json(set_)) == [("web-0", "c")]


def test_an_owner_of_any_kind_has_a_name(run: Run) -> None:
    rollout = owned("web-0", "shop", "GameServerSet", "web")
    for target in ("GameServerSet/web", "gameserversets.agones.dev/web", "shop/gameserverset/web"):
        assert found(run, target, stdin=as_json(rollout)) == [("web-0", "c")]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("deploy/wbe",), "no pod deploy/wbe in the input; near it: Deployment/web\n"),
        (("shop/deploy/wbe",), "no pod shop/deploy/wbe in the input; near it: Deployment/web\n"),
        (("shop/wbe",), "near it: Deployment/web\n"),
        (("shop/web",), f"near it: {', '.join(f'shop/{name}' for name in WEB)}\n"),
        (("shp/web-474k6w5gmh-bqgkv",), "near it: shop/web-474k6w5gmh-bqgkv"),
        (("redis-9", "-n", "data"), "no pod redis-9 in the input; near it: data/redis-0, data/redis-1\n"),
        (("sts/redis/exproter",), "no container sts/redis/exproter in the input; near it: exporter\n"),
        (("sts/redis/zzz",), "no container sts/redis/zzz in the input; near it: redis, exporter\n"),
        (("node/node-a9",), "near it: Node/node-a1"),
        (("deploy/web", "-n", "data"), "no pod deploy/web in the input; nothing is near it in data\n"),
        (("x/no-such-thing-at-all",), "; nothing is near it in batch, data, ingress-nginx and 4 more\n"),
    ],
)
def test_what_nothing_has_names_what_is_near(run: Run, arguments: tuple[str, ...], message: str) -> None:
    result = run("explain", *arguments, *TO, "--sample")
    assert (result.code, result.out) == (1, "")
    assert message in result.err


def test_the_python_api_takes_owners_too() -> None:
    objects = [owned("web-0", "shop", "StatefulSet", "web"), node("v1.9.11")]
    (explanation,) = hashcompat.explain(objects, "sts/web", "auto", "1.10").items
    assert (explanation.item.pod.name, explanation.item.from_release) == ("web-0", "v1.9.11")
