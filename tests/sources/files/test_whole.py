"""What an object of a YAML file shows of its end, and what a plan makes of one that may be cut."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from tests.helpers.pods import Json, as_json, listed, node, pod
from tests.helpers.program import Run

PLAN = ("plan", "--from", "1.9.11", "--to", "1.9.11", "-o", "json")
WHOLE = pod(status={"phase": "Running"})
PAGE = "this is one page of a list that goes on"


def as_yaml(*values: Json) -> bytes:
    return yaml.safe_dump_all(values, sort_keys=False).encode()


DOUBTFUL: dict[str, tuple[Json, str]] = {
    "no status": (pod(), "the Pod has a uid but no status"),
    "a status without content": ({**pod(), "status": None}, "the Pod has a uid but no status"),
    "a part of a phase": (pod(status={"phase": "Run"}), "no status.phase that Kubernetes knows"),
    "no image": (pod({"name": "c"}, status={"phase": "Running"}), "a container has no image"),
    "no image of an init container": (
        pod(spec={"initContainers": [{"name": "c"}]}, status={"phase": "Running"}),
        "a container has no image",
    ),
    "a workload without status": (
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "d", "uid": "u"},
            "spec": {"template": {"spec": {"containers": [{"name": "c", "image": "i"}]}}},
        },
        "the Deployment has a uid but no status",
    ),
}


@pytest.mark.parametrize(("value", "says"), DOUBTFUL.values(), ids=DOUBTFUL)
def test_what_may_be_cut_is_refused_or_unknown(run: Run, value: Json, says: str) -> None:
    result = run(*PLAN, "-f", "-", stdin=as_yaml(value))
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
    assert says in result.err
    assert "is the file cut short?" in result.err
    going_on = run(*PLAN, "--keep-going", "-f", "-", stdin=as_yaml(value))
    assert (going_on.code, {item["verdict"] for item in going_on.items}) == (0, {"UNKNOWN"})
    assert {item["reasons"][0]["id"] for item in going_on.items} == {"HC009"}


@pytest.mark.parametrize(("value", "says"), DOUBTFUL.values(), ids=DOUBTFUL)
def test_json_proves_its_end(run: Run, value: Json, says: str) -> None:
    assert says not in run(*PLAN, "-f", "-", stdin=as_json(value)).err


@pytest.mark.parametrize(
    "argv",
    [
        ("hash", "--kubelet", "1.9.11"),
        ("explain", "ns/p", *PLAN[1:5]),
        ("matrix", "--from", "1.9.11", "--to", "1.10.0"),
        ("snapshot",),
        ("patch", "--kubelet", "1.10.0", "--like", "1.9.11", "--strategy", "strip", "--audit"),
    ],
    ids=lambda argv: argv[0],
)
def test_every_command_refuses_it(run: Run, argv: tuple[str, ...]) -> None:
    result = run(*argv, "-f", "-", stdin=as_yaml(pod()))
    assert (result.code, result.out) == (1, "")
    assert "the Pod has a uid but no status" in result.err


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(WHOLE, id="a pod"),
        pytest.param(pod(status={"startTime": "2024-01-01T00:00:00Z"}), id="a status without a phase"),
        pytest.param({**pod({"name": "c"}), "metadata": {"name": "p"}}, id="a manifest"),
        pytest.param(
            {
                "apiVersion": "v1",
                "kind": "PodTemplate",
                "metadata": {"name": "t", "uid": "u"},
                "template": {"spec": {"containers": [{"name": "c"}]}},
            },
            id="a kind without status",
        ),
        pytest.param(
            {
                "apiVersion": "example.org/v1",
                "kind": "Deployment",
                "metadata": {"name": "t", "uid": "u"},
                "spec": {"template": {"spec": {"containers": [{"name": "c"}]}}},
            },
            id="a kind of another group",
        ),
    ],
)
def test_what_need_not_have_more_is_read(run: Run, value: Json) -> None:
    result = run(*PLAN, "-f", "-", stdin=as_yaml(value))
    assert "cut short" not in result.err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"apiVersion: v1\nkind: P\n", "$: nothing follows its kind; is the file cut short?"),
        (b"apiVersion: v1\nkind: List\nitems:\n- kind: P\n", "$.items[0]: nothing follows its kind"),
        (
            b"apiVersion: v1\nitems:\n- " + json.dumps(WHOLE).encode() + b"\nkind: Lis\n",
            "$: nothing follows its kind",
        ),
        (
            b"apiVersion: v1\nitems:\n- " + json.dumps(WHOLE).encode() + b"\n",
            "$: the list ends without the 'kind: List' behind its items",
        ),
    ],
)
def test_a_kind_at_the_very_end_may_be_a_part_of_one(run: Run, text: bytes, says: str) -> None:
    """Also next to a file that is whole."""
    result = run(*PLAN, "-f", "-", stdin=as_yaml(WHOLE) + b"---\n" + text)
    assert (result.code, result.out) == (1, "")
    assert says in result.err


def page(**metadata: Any) -> Json:
    return {**listed(WHOLE), "metadata": metadata}


@pytest.mark.parametrize("form", [as_json, as_yaml], ids=["JSON", "YAML"])
@pytest.mark.parametrize(
    "value",
    [
        pytest.param(page(**{"continue": "abc"}), id="a token"),
        pytest.param(page(remainingItemCount=3), id="a count"),
        pytest.param({**page(**{"continue": "abc"}), "kind": "PodList"}, id="a typed list"),
        pytest.param(listed(WHOLE, page(**{"continue": "abc"})), id="within a List"),
        pytest.param(
            listed(WHOLE, {"kind": "NodeList", "metadata": {"continue": "x"}, "items": [node("v1.9.11")]}),
            id="nodes",
        ),
    ],
)
def test_one_page_of_a_list_is_refused(run: Run, form: Any, value: Json) -> None:
    for argv in (PLAN, (*PLAN, "--keep-going")):
        result = run(*argv, "-f", "-", stdin=form(value))
        assert (result.code, result.out) == (1, "")
        assert PAGE in result.err


def test_the_last_page_says_that_nothing_remains(run: Run) -> None:
    last = page(**{"continue": "", "remainingItemCount": 0, "resourceVersion": ""})
    assert run(*PLAN, "-f", "-", stdin=as_json(last)).code == 0


def test_one_page_as_python_values_is_refused() -> None:
    import hashcompat

    with pytest.raises(hashcompat.InputError, match=PAGE):
        hashcompat.load(page(**{"continue": "abc"}))
