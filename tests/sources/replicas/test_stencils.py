"""Pods that are compared with stencils are those that are decoded one by one."""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hashcompat.core.errors import InputError
from hashcompat.core.go.jsonpath import of_json
from hashcompat.core.model.pods import Pod
from hashcompat.sources.files import collect, survey
from hashcompat.sources.replicas import stencils
from scripts.lib.yamltext import as_yaml
from tests.helpers import randomness
from tests.helpers.pods import node
from tests.helpers.replicas import pods_and_nodes, replicas
from tests.helpers.slices import every, sliced
from tests.helpers.unlike import Unlike

pytestmark = pytest.mark.usefixtures("untraced")

Json = dict[str, Any]
Change = Callable[[Json], object]

SUFFIXES = (".json", ".yaml", ".jsonl")


def dumped(pods: list[Any], path: Path, indent: int | None = 4) -> str:
    if path.suffix == ".jsonl":
        path.write_text("".join(f"{json.dumps(pod, ensure_ascii=False)}\n" for pod in pods))
        return str(path)
    document = {"apiVersion": "v1", "items": pods, "kind": "List", "metadata": {"resourceVersion": ""}}
    if path.suffix == ".json":
        text = json.dumps(document, ensure_ascii=False).encode()
        path.write_bytes(msgspec.json.format(text, indent=indent) if indent else text)
    else:
        path.write_text(as_yaml(document))
    return str(path)


def place(suffix: str, number: int) -> str:
    """Return how a message names one of the objects."""
    return f"(document {number + 1}): $" if suffix == ".jsonl" else f"$.items[{number}]"


def shown(pod: Pod) -> object:
    return (
        pod,
        pod.spec,
        pod.labels,
        [(container, container.spec, container.line) for container in pod.containers],
    )


def read(name: str) -> tuple[list[Any], str]:
    """Return all that is read of a file, and the error."""
    try:
        inventory = collect.collect((name,))
        values: list[Any] = [
            inventory.nodes,
            inventory.warnings,
            inventory.containers,
            inventory.origin.oldest,
        ]
        values += map(shown, inventory.pods)
    except InputError as error:
        return [], str(error)
    return values, ""


def refused(*_: Any, **__: Any) -> Iterator[Any]:
    raise InputError("no list of elements")


def same(name: str, monkeypatch: pytest.MonkeyPatch) -> tuple[list[Any], str]:
    """Read a file with stencils and without, YAML also as one document; return what all of these find."""
    result = read(name)
    others: dict[str, object] = {"Stencils": Unlike}
    if name.endswith(".yaml"):
        others["blocks"] = refused
    for replaced, other in others.items():
        with monkeypatch.context() as patch:
            patch.setattr(survey, replaced, other)
            assert result == read(name)
    return result


def shapes_of(name: str) -> list[object]:
    return [pod.shape for pod in collect.collect((name,)).pods]


@pytest.mark.parametrize("own_names", [False, True])
@pytest.mark.parametrize("indent", [1, 4])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_replicas_have_one_shape(
    own_names: bool, indent: int, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = dumped(replicas(own_names=own_names), tmp_path / f"pods{suffix}", indent)
    values, _ = same(name, monkeypatch)
    assert len(values) == 4 + 8
    shapes = shapes_of(name)
    assert len(set(shapes[:-1])) == 1, "the last one has no element behind it, and is decoded"
    assert shapes[0] is not None


@pytest.mark.parametrize("indent", [None, 4])
def test_pods_of_many_files_have_one_shape(
    indent: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With other objects between them, and a list of one pod."""
    for number, pod in enumerate(replicas()):
        (tmp_path / f"{number}.json").write_text(f"{json.dumps(pod, indent=indent)}\n")
    (tmp_path / "3-node.yaml").write_text(as_yaml(node("v1.30.14")))
    dumped(replicas(1, number=1), tmp_path / "5-list.json")
    values, _ = same(str(tmp_path), monkeypatch)
    assert len(values) == 4 + 9
    shapes = [pod.shape for pod in collect.collect((str(tmp_path),)).pods if "5-" not in pod.file]
    assert len(set(shapes)) == 1
    assert shapes[0] is not None


def test_statuses_of_any_structure_and_strings_with_escapes_are_of_one_shape(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As kubectl writes strings, too; no status is like another one, but for the pods that are learned."""
    pods = replicas(30)
    for number, pod in enumerate(pods):
        pod["spec"]["containers"][0]["args"][0] = f'--at="{number}" & <b>\n'
        put([[number]] * number, *STATE, "more")(pod)
        put(["Running", "Pending"][number % 2], "status", "phase")(pod)
    name = dumped(pods, tmp_path / "pods.json")
    path = Path(name)
    path.write_text(path.read_text().replace("& <b>", r"\u0026 \u003cb\u003e"))
    values, _ = same(name, monkeypatch)
    assert len(values) == 4 + 30
    shapes = shapes_of(name)
    assert len(set(shapes[:-1])) <= 2
    assert None not in shapes[:-1]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_names_in_keys_of_managed_fields(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of the token's mount, as of the addresses and the owner, are each pod's own."""
    pods = replicas(managed_fields=True)
    for pod in pods:
        name = pod["spec"]["volumes"][-1]["name"]
        assert name.startswith("kube-api-access-")
        fields = pod["metadata"]["managedFields"][0]["fieldsV1"]
        fields["f:spec"]["f:volumes"] = {f'k:{{"name":"{name}"}}': {".": {}}, 'k:{"name":"data"}': {}}
    name = dumped(pods, tmp_path / f"pods{suffix}")
    values, _ = same(name, monkeypatch)
    assert len(values) == 4 + 8
    assert len(set(shapes_of(name)[:-1])) == 1
    other = pods[5]["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"]["f:volumes"]
    other['k:{"name":"more"}'] = {}
    name = dumped(pods, tmp_path / f"other{suffix}")
    assert len(same(name, monkeypatch)[0]) == 4 + 8


@pytest.mark.parametrize(
    "text",
    [
        *("\r\n", "\n\n", " \n\t", ""),
        *(
            '\n{"kind": "List", "apiVersion": "v1", "items": []}\n',
            "\n[]\n",
            "\nnull\n",
            "\n{\n",
            "\n}\n",
            ",\n",
            '\n{"kind": "Pod"}, {"kind": "Pod"}\n',
        ),
        *('\n{"kind": "Secret", "kind": "Pod"}\n', '\n{"kind": "Pod"} {}\n', '\n{"a": "}\\n{"}\n'),
    ],
    ids=repr,
)
@pytest.mark.parametrize("indent", sliced([None, 2, 0], [None]))
def test_documents_with_anything_between_them(
    text: str, indent: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = [json.dumps(pod, indent=indent) for pod in replicas(12)]
    for number, ends in enumerate((written, written[:3])):
        path = tmp_path / f"pods-{number}.jsonl"
        path.write_text("\n".join([*written[4:8], *written[8:10]]) + text + "\n".join(ends[:4]), newline="")
        same(str(path), monkeypatch)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("indent", [None, 2])
def test_replicas_that_are_documents_have_one_shape(
    indent: int | None, newline: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As ``jq '.items[]'`` prints them."""
    path = tmp_path / "pods.json"
    text = "".join(f"{json.dumps(pod, indent=indent)}\n" for pod in replicas(12))
    path.write_text(text, newline=newline)
    assert len(same(str(path), monkeypatch)[0]) == 4 + 12
    assert len(set(shapes_of(str(path))[:-1])) == 1


def test_lists_in_lines_are_read_element_by_element(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pods, path = replicas(30), tmp_path / "pods.jsonl"
    lists = [{"apiVersion": "v1", "kind": "List", "items": pods[start : start + 5]} for start in (0, 5, 10)]
    lines = [*pods[15:20], *lists, *pods[20:], answered(replicas(6, number=1))]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert len(same(str(path), monkeypatch)[0]) == 4 + 36
    assert len(set(shapes_of(str(path))[:-6])) == 1


def test_replicas_in_one_line_have_one_shape(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = dumped(replicas(24), tmp_path / "pods.json", indent=None)
    same(name, monkeypatch)
    assert len(set(shapes_of(name))) == 1


def answered(pods: list[Json]) -> Json:
    """Return pods as an API server answers with them: the kind is that of the list alone."""
    items = [{key: pod[key] for key in ("metadata", "spec", "status")} for pod in pods]
    return {"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": items}


def test_replicas_of_a_list_of_pods_have_one_shape(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, answer = tmp_path / "pods.json", answered(replicas(24))
    path.write_text(json.dumps(answer, separators=(",", ":")))
    same(str(path), monkeypatch)
    assert len(set(shapes_of(str(path)))) == 1

    other = {**answer["items"].pop(), "kind": "Secret", "apiVersion": "v1"}
    path.write_text(json.dumps({**answer, "items": [*answer["items"], other]}))
    assert len(same(str(path), monkeypatch)[0]) == 4 + 23
    templates = {**answered(replicas(3, number=1)), "kind": "PodTemplateList"}
    path.write_text(json.dumps(answer) + json.dumps(templates))
    same(str(path), monkeypatch)


def with_address(pod: Json, *addresses: str) -> Json:
    """Return a pod with the fields that a kubelet manages of a status with such addresses."""
    keys: Json = {f'k:{{"ip":"{address}"}}': {".": {}, "f:ip": {}} for address in addresses}
    fields = {"f:status": {"f:podIPs": {".": {}, **keys}}}
    managed = {"manager": "kubelet", "operation": "Update", "fieldsType": "FieldsV1", "fieldsV1": fields}
    return {**pod, "metadata": {**pod["metadata"], "managedFields": [managed]}}


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_addresses_in_keys_of_managed_fields_make_no_shapes(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = [
        with_address(pod, f"10.0.0.{number}", f"fd00::{number}") for number, pod in enumerate(replicas(14))
    ]
    name = dumped(given, tmp_path / f"pods{suffix}")
    same(name, monkeypatch)
    assert len(set(shapes_of(name)[:-1])) == 1

    text = Path(name).read_text()
    for number in (12, 13):  # the last one is decoded by itself in some forms
        assert text.count(f"fd00::{number}") == 1
        Path(name).write_text(text.replace(f"fd00::{number}", f"10.0.0.{number}"))
        values, error = same(name, monkeypatch)
        assert (values, "twice" in error) == ([], True)


def test_such_keys_elsewhere_are_those_of_a_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = replicas(12)
    for number, pod in enumerate(given):
        pod["metadata"]["labels"] = {f'k:{{"ip":"10.0.0.{number}"}}': "yes"}
        pod["status"][f'k:{{"uid":"{number}"}}'] = "text"
    assert len(same(dumped(given, tmp_path / "pods.json"), monkeypatch)[0]) == 4 + len(given)


def apart(pod: Json, number: int) -> Json:
    """Return a pod that asks schedulers to keep it from the pods of an instance of its own."""
    alike = {"matchLabels": {"instance": f"db-{number}"}}
    term = {"labelSelector": alike, "topologyKey": "kubernetes.io/hostname"}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    spread = {**term, "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}
    asked = {"affinity": {"podAntiAffinity": required}, "topologySpreadConstraints": [spread]}
    return {**pod, "spec": {**asked, **pod["spec"]}}


def test_what_pods_ask_of_other_pods_makes_no_shapes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = dumped([apart(pod, number) for number, pod in enumerate(replicas(12))], tmp_path / "pods.json")
    same(name, monkeypatch)
    assert len(set(shapes_of(name))) == 1


def at(*steps: str | int) -> Callable[[Json], Any]:
    def reached(pod: Json) -> Any:
        value: Any = pod
        for step in steps:
            value = value[step]
        return value

    return reached


def put(value: Any, *steps: str | int) -> Change:
    return lambda pod: at(*steps[:-1])(pod).__setitem__(steps[-1], value)


def deep(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


STATE = ("status", "containerStatuses", 0)
ENDED = {
    "terminated": {"containerID": "containerd://ab", "exitCode": 1, "finishedAt": "2026-03-02T09:00:00Z"}
}
CHANGES: dict[str, Change] = {
    "another node": put("n-other", "spec", "nodeName"),
    "no node": lambda pod: pod["spec"].pop("nodeName"),
    "a name that is not plain": put("\u00e9-1", "metadata", "name"),
    "a name that is too long": put("x" * 300, "metadata", "name"),
    "a number for a name": put(7, "metadata", "name"),
    "no name": lambda pod: pod["metadata"].pop("name"),
    "the uid of a static pod": put("0123456789abcdef0123456789abcdef", "metadata", "uid"),
    "no uid": lambda pod: pod["metadata"].pop("uid"),
    "a mirror pod": put({"kubernetes.io/config.mirror": "x"}, "metadata", "annotations"),
    "another label": put("x", "metadata", "labels", "more"),
    "an index": put("17", "metadata", "labels", "apps.kubernetes.io/pod-index"),
    "deleted": put("2026-03-02T08:15:00Z", "metadata", "deletionTimestamp"),
    "deleted at no time": put("soon", "metadata", "deletionTimestamp"),
    "another version": put("v2", "apiVersion"),
    "restarted": put(3, *STATE, "restartCount"),
    "restarted often": put(10**12, *STATE, "restartCount"),
    "a restart count of another type": put("3", *STATE, "restartCount"),
    "a fraction": put(1.5, *STATE, "restartCount"),
    "true": put(True, *STATE, "restartCount"),
    "a start that is no time": put("yesterday", *STATE, "state", "running", "startedAt"),
    "a start in another zone": put("2026-03-02T08:15:00+02:00", *STATE, "state", "running", "startedAt"),
    "a start that is null": put(None, *STATE, "state", "running", "startedAt"),
    "ended": put(ENDED, *STATE, "lastState"),
    "in a state of another case": put({"Running": {}}, *STATE, "state"),
    "stopped": put(ENDED, *STATE, "state"),
    "an end that is no time": put({"terminated": {"finishedAt": "x"}}, *STATE, "lastState"),
    "a status of another name": put("other", *STATE, "name"),
    "a status twice": lambda pod: pod["status"]["containerStatuses"].append(at(*STATE)(pod)),
    "no names": lambda pod: [at(*steps)(pod).pop("name") for steps in (STATE, ("spec", "containers", 0))],
    "no status": lambda pod: pod.pop("status"),
    "an empty status": put({}, "status"),
    "not ready": put("False", "status", "conditions", 1, "status"),
    "another image": put("registry.example.com/other:v1", "spec", "containers", 0, "image"),
    "a hidden image": put("i\u003c:1", "spec", "containers", 0, "image"),
    "another value": put("other.value:1", "spec", "containers", 0, "env", 0, "value"),
    "an empty value": put("", "spec", "containers", 0, "env", 0, "value"),
    "another argument": put("--other=1", "spec", "containers", 0, "args", 0),
    "an argument with escapes": put('--filter="a < b" & c\n\t\\', "spec", "containers", 0, "args", 0),
    "an argument that not every Go writes alike": put("\b", "spec", "containers", 0, "args", 0),
    "a long argument": put("x" * 20_000, "spec", "containers", 0, "args", 0),
    "a deep status": put([[[[{}]]]], "status", "conditions", 0, "more"),
    "a status that is too deep": lambda pod: pod["status"].update(more=deep(120)),
    "something behind the status": put({"a": "b"}, "zone"),
    "a phase that nobody knows": put("Lost", "status", "phase"),
    "a phase that is no text": put(7, "status", "phase"),
    "a phase of another case": put("running", "status", "phase"),
    "no phase": lambda pod: pod["status"].pop("phase"),
    "a large status": lambda pod: pod["status"].update(message=["x" * 2**18]),
    "one more argument": lambda pod: at("spec", "containers", 0, "args")(pod).append("--more"),
    "another port": put(1, "spec", "containers", 0, "ports", 0, "containerPort"),
    "no containers": put([], "spec", "containers"),
    "a container twice": lambda pod: at("spec", "containers")(pod).append(at("spec", "containers", 0)(pod)),
    "an init container": put([{"name": "i", "image": "i:1"}], "spec", "initContainers"),
    "on the host's network": put(True, "spec", "hostNetwork"),
    "another kind": put("Deployment", "kind"),
    "stored hashes": put({"a": 1}, "spec", "containers", 0, "hashcompat.io/hashes"),
    "a word for blanks": put("hashcompat-blank-00000", "spec", "containers", 0, "env", 0, "value"),
    "the node's name elsewhere": put("node-1", "spec", "containers", 0, "env", 0, "value"),
    "another owner": put("ef2dc8f6-0000-4000-8000-000000000000", "metadata", "ownerReferences", 0, "uid"),
    "an owner of a kind with a slash": put("Replica/", "metadata", "ownerReferences", 0, "kind"),
    "an owner without a kind": put("", "metadata", "ownerReferences", 0, "kind"),
    "no owner": lambda pod: pod["metadata"].pop("ownerReferences"),
}


@pytest.mark.parametrize(
    ("place", "suffix", "name"),
    sliced(
        product([0, 1, 4], SUFFIXES, CHANGES),
        [*product([4], [".json"], [*CHANGES][::2]), *product([4], [".yaml"], [*CHANGES][1::12])],
    ),
)
def test_a_pod_that_differs_is_read_as_it_is(
    name: str, place: int, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pods, change = replicas(place + 3), CHANGES[name]
    change(pods[place])
    same(dumped(pods, tmp_path / f"pods{suffix}"), monkeypatch)
    for pod in pods[place + 1 :]:
        change(pod)
    same(dumped(pods, tmp_path / f"more{suffix}"), monkeypatch)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(
    ("steps", "says"),
    [
        (("metadata", "deletionTimestamp"), "want a time such as"),
        (("status", "phase"), "want one of Pending"),
    ],
)
def test_what_is_wrong_in_a_slot_is_an_error(
    steps: tuple[str, str], says: str, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pods = replicas(6)
    for number, pod in enumerate(pods):
        pod["metadata"]["deletionTimestamp"] = f"2026-03-02T08:15:0{number}Z"
        pod["status"]["phase"] = ("Running", "Failed")[number % 2]
    name = dumped(pods, tmp_path / f"right{suffix}")
    assert len({id(shape) for shape in shapes_of(name)}) == 1
    assert same(name, monkeypatch)[1] == ""
    put("soon", *steps)(pods[-1])
    name = dumped(pods, tmp_path / f"wrong{suffix}")
    values, error = same(name, monkeypatch)
    assert not values
    assert f"{place(suffix, 5)}.{'.'.join(steps)}: {says}" in error


def inner(value: Any, *steps: str | int) -> Iterator[tuple[str | int, ...]]:
    """Yield where in a value there is a mapping or a list."""
    for step, there in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(there, dict | list):
            yield *steps, step
            yield from inner(there, *steps, step)


WRAPPED: dict[str, Callable[[Any], Any]] = {
    "list": lambda value: [value],
    "mapping": lambda value: {"a": value},
    "null": lambda _: None,
}


@pytest.mark.parametrize(
    ("steps", "suffix", "wrapped"),
    sliced(
        product([*inner(replicas(1)[0])], SUFFIXES, WRAPPED),
        [*product([*inner(replicas(1)[0])][::3], [".json"], ["list"])],
    ),
)
def test_what_is_of_another_type_anywhere(
    steps: tuple[str | int, ...], suffix: str, wrapped: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the third pod and those behind it, each of which has values of its own in it."""
    pods = replicas(6)
    for pod in pods[2:5]:
        put(WRAPPED[wrapped](at(*steps)(pod)), *steps)(pod)
    same(dumped(pods, tmp_path / f"pods{suffix}"), monkeypatch)


@pytest.mark.parametrize("odd", ["v1", 7, None, [], [{"kind": "Pod"}]])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_no_object_among_pods(
    odd: object, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *others = replicas(4)
    _, problem = same(dumped([first, odd, *others], tmp_path / f"pods{suffix}"), monkeypatch)
    assert place(suffix, 1) in problem


@pytest.mark.parametrize("part", ["metadata", "spec", "status"])
def test_a_key_without_a_value(part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its text is that of the key of a mapping, and what it has is a null."""
    pods = replicas(7)
    text = dumped(pods, tmp_path / "pods.yaml") and (tmp_path / "pods.yaml").read_text()
    before, *whole = text.split("\n- apiVersion: v1\n")
    for number in (2, 3, 5):
        # up to the next key of the pod, or its end
        whole[number] = re.sub(
            rf"^  {part}:\n( {{4}}.*\n?|  - .*\n?)*", f"  {part}:\n", whole[number], flags=re.MULTILINE
        )
        assert f"\n  {part}:\n    " not in whole[number]
    path = tmp_path / "without.yaml"
    path.write_text("\n- apiVersion: v1\n".join([before, *(block.rstrip("\n") for block in whole)]) + "\n")
    values, problem = same(str(path), monkeypatch)
    assert values or ("items[2]" in problem and part == "spec")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_two_pods_of_one_uid(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pods = replicas(7)
    pods[5]["metadata"]["uid"] = pods[2]["metadata"]["uid"]
    _, problem = same(dumped(pods, tmp_path / f"pods{suffix}"), monkeypatch)
    assert place(suffix, 2) in problem
    assert f"{place(suffix, 5)}: two different pods share a uid" in problem
    pods[5] = pods[2]
    values, _ = same(dumped(pods, tmp_path / f"pods{suffix}"), monkeypatch)
    assert len(values) == 4 + 6


def texts(pods: list[Json]) -> Iterator[str]:
    """Yield hostile variants of a dump."""
    text = json.dumps({"apiVersion": "v1", "items": pods, "kind": "List"}, indent=4)
    uid = pods[4]["metadata"]["uid"]
    yield text.replace(f'"uid": "{uid}"', f'"uid": "{uid}", "uid": "{uid}"')
    yield text.replace(f'"uid": "{uid}"', f'"uid": "{uid}",\n"\\u0075id": "{uid}"')
    yield text.replace(uid, uid.replace("-", "\\u002d"))
    yield text.replace('"restartCount": 0', '"restartCount": -0', 3)
    yield text.replace('"restartCount": 0', '"restartCount": 0.0', 3)
    yield text.replace('"restartCount": 0', '"restartCount": 00', 3)
    yield text.replace("\n        },\n        {", "\n        } , {", 3)
    yield text.replace("\n        },\n        {", "\n        },\n        ,{", 1)
    yield text.replace('"phase": "Running"', '"phase": "Running", "phase": "Running"', 3)
    yield text.replace('"phase": "Running"', '"phase": "Running", "\\u0070hase": "Running"', 3)
    yield text.replace('"phase": "Running"', '"phase": "Running", "message": "\x01"', 3)
    yield text.replace('"phase": "Running"', '"phase": "Running", "message": "\\ud800"', 3)
    yield text.replace('"phase": "Running"', '"phase": "Running",', 3)
    yield text.replace('"phase": "Running"', '"phase": "Running", "more": 1e400, "number": 1.50', 3)
    yield text.replace("\n", "\r\n")
    yield text[: len(text) * 2 // 3]
    yield text.replace(uid, uid + "\x01")
    yield text.replace("Running", "R\ud83d\ude00")


NAMES = (
    *(
        "name: yes",
        "name: 12",
        "name: 1e3",
        "name: a:",
        "name: -",
        "name: @a",
        "name: -a",
        "name: .5",
        "name: /a",
    ),
    *(
        "name: a\n      goes on",
        'name: "a\n- "',
        "name: |\n      name: a",
        "<<: {name: a}",
        "name: {name: a}",
    ),
)
UIDS = (
    *("uid: {0}\n    uid: {0}", "uid: '{0}'", 'uid: "\\x{1:02x}{2}"', "uid: !!str {0}", "uid: !!binary {0}"),
    *(
        "uid: &own {0}",
        "uid: &own {0}\n    alias: *own",
        "uid: {0} # its own",
        "uid: {0}\x01",
        "? uid\n    : {0}",
    ),
)
COUNTS = ("00", "0x0", "0.0", "-0", "+0", "'0'", "0 # none", "~")
BEFORE = (
    *(
        "\n\n# another{}",
        "\n- {}",
        "\n---{}",
        "\n...{}",
        "\nkind: List\nitems:{}",
        "\n key: value{}",
        "\n- x{}",
    ),
    *(
        "\n-\n  apiVersion: v1\n  kind: Pod\n",
        "\n- apiVersion: v1\n\tkind: Pod\n",
        "\n-  apiVersion: v1\n   kind: Pod\n",
    ),
)
AROUND = (
    *(
        "%TAG ! tag:example.com,2026:\n---\n{}",
        "---\n{}",
        "# Pods\n{}",
        "{}---\n{}",
        "{}items: []\n",
        "{}...\n",
    ),
    *(
        "anchor: &own {{}}\n{}more: *own\n",
        "{{}}\n---\n{}",
        "kind: List\n---\n{}",
        "- {}",
        "{}x: 'open\n",
        "\ufeff{}",
    ),
)
REPLACED = (
    *(
        ("\n", "\r\n"),
        ("\n", "\r"),
        ("kind: List", "kind: PodList"),
        ("kind: List", "kind: Thing"),
        ("kind: List\n", ""),
    ),
    *(("Running", "R\U0001f600"), ("Running", "R\x85\u2028- x"), ("Running", "R # \u00e9"), ("\n", "\n ")),
    *(("items:\n", "items:\n\n"), ("items:\n", "items: # those\n"), ("items:\n", "items: !!seq\n")),
    *(("items:\n", "items: &own\n"), ("apiVersion: v1\nitems", "apiVersion: v1\nkind: List\nitems")),
)


def yaml_texts() -> Iterator[str]:
    """Yield hostile variants of a dump."""
    pods = replicas(7)
    text = as_yaml({"apiVersion": "v1", "items": pods, "kind": "List"})
    uid, name = pods[4]["metadata"]["uid"], pods[4]["metadata"]["name"]
    first = "\n- apiVersion: v1\n  kind: Pod\n"
    yield from (
        text,
        text[: len(text) * 2 // 3],
        text.replace("\n", "\n  ").replace("\n  kind: List", "\nkind: List"),
    )
    yield from (text.replace(f"name: {name}", other) for other in NAMES)
    yield from (text.replace(f"uid: {uid}", other.format(uid, ord(uid[0]), uid[1:])) for other in UIDS)
    yield from (text.replace("restartCount: 0", f"restartCount: {other}", 3) for other in COUNTS)
    yield from (text.replace(first, other.format(first), 4) for other in BEFORE)
    yield from (other.format(text, text) for other in AROUND)
    yield from (text.replace(old, new) for old, new in REPLACED)


HOSTILE = tuple(yaml_texts())


@pytest.mark.parametrize("number", every(4, range(len(HOSTILE))))
def test_hostile_yaml(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "pods.yaml"
    path.write_text(HOSTILE[number], newline="")
    same(str(path), monkeypatch)


@pytest.mark.parametrize("number", range(18))
def test_hostile_texts(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "pods.json"
    path.write_text(list(texts(replicas(7)))[number], errors="surrogatepass", newline="")
    same(str(path), monkeypatch)


@pytest.mark.parametrize("suffix", every(2, SUFFIXES))
def test_workloads_in_any_order_and_many_random_changes(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(randomness.SEED)
    changes = list(CHANGES.values())
    count = 150 if randomness.FRESH else 18
    for number in range(4):
        objects = list(pods_and_nodes(count, calm=number > 1))
        pods, nodes, uids = objects[:count], objects[count:], set[object]()
        for pod in chance.sample(pods, count // 3):
            try:
                chance.choice(changes)(pod)
            except (KeyError, IndexError):
                continue
            uid = pod["metadata"].get("uid")  # one change sets the same in each pod
            if uid in uids or read(dumped([pod], tmp_path / "one.json"))[1]:
                pods.remove(pod)
            uids.add(uid)
        chance.shuffle(pods) if number % 2 else None
        pairs, problem = same(dumped([*pods, *nodes], tmp_path / f"pods{suffix}"), monkeypatch)
        assert pairs, problem


def test_little_is_remembered_of_large_pods(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stencils, "_KEPT", 50_000)
    alike = stencils.Stencils()
    (pod,) = replicas(1)
    kept = list[int]()
    for number in range(16):
        replica = copy.deepcopy(pod)
        replica["spec"]["containers"][0]["args"] = ["x"] * 30 * number
        learned = alike.learn(of_json(json.dumps(replica, indent=4), replica), replica, 1)
        assert learned is not replica
        kept.append(sum(each.cut.size for known in alike._by_skeleton.values() for each in known))
    assert 10_000 < max(kept) < 100_000


def test_pods_of_their_own_are_not_learned_for_ever() -> None:
    """Pods with owners of another kind are, for these repeat."""
    alike, learned = stencils.Stencils(), dict[str, int]()
    (pod,) = replicas(1)
    for number in range(300):
        for kind in ("Job", "ReplicaSet"):
            replica = copy.deepcopy(pod)
            replica["metadata"]["ownerReferences"][0]["kind"] = kind
            replica["spec"]["containers"][0]["args"] = ["x"] * (number if kind == "Job" else 1)
            text = json.dumps(replica, indent=4)
            if alike.match(text, 0, 1) is None:
                learned[kind] = learned.get(kind, 0) + (
                    alike.learn(of_json(text, replica), replica, 1) is not replica
                )
    assert learned["ReplicaSet"] < 5
    assert 17 < learned["Job"] < 60


def test_what_never_repeats_is_learned_from_ever_less() -> None:
    trust = stencils._Trust()
    learned = list[int]()
    for number in range(3000):
        if trust.is_worth_it():
            trust.learned += 1
            learned.append(number)
    assert learned[:16] == list(range(16))
    assert 50 < len(learned) < 100
    assert learned[-1] - learned[-2] > learned[30] - learned[29] >= 8
    trust.matched = len(learned)
    assert trust.is_worth_it()
