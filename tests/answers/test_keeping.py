"""What a snapshot keeps: every field of every type, filled, and what is left of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hashcompat.analysis.answers.keeping import CONTAINER, POD, FieldKeeper, masked
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.errors import DecodeError
from hashcompat.core.go.types import Basic, Coded, GoType, Map, Pointer, Slice, Struct, json_fields
from tests.helpers.pods import Json, as_json, mirror_pod, pod
from tests.helpers.program import Run

LEAVES: Json = {"resource.Quantity": "1", "v1.Time": "2020-01-01T00:00:00Z", "v1.FieldsV1": {"swordfish": {}}}
NOT_TEXTS = frozenset(
    {"activeDeadlineSeconds", "hostNetwork", "hostUsers", "automountServiceAccountToken", "priority"}
)


def filled(go_type: GoType, path: str = "") -> Any:
    """Return JSON of a type in which every text is its own path, and with a field that no release knows."""
    match go_type:
        case Coded():
            return LEAVES.get(go_type.name, f"swordfish.{path}")
        case Struct():
            fields = {field.json: field.type for _, _, field in json_fields(go_type)}
            made = {
                key: filled(field_type, f"{path}.{key}".lstrip(".")) for key, field_type in fields.items()
            }
            return {**made, "zzUnknown": {"swordfish": "swordfish"}}
        case Pointer(_, elem):
            return filled(elem, path)
        case Slice(_, elem):
            return [filled(elem, path)]
        case Map(_, _, value):
            return {f"swordfish.{path}": filled(value, path)}
        case Basic(_, "string"):
            return f"swordfish.{path}"
        case Basic(_, "bool"):
            return True
    return 1


def texts(value: Any) -> Iterator[str]:
    """Yield every text, keys of objects too."""
    match value:
        case dict():
            yield from value
            for item in value.values():
                yield from texts(item)
        case list():
            for item in value:
                yield from texts(item)
        case str():
            yield value


def shown(value: Any) -> set[str]:
    return {text.removeprefix("swordfish.") for text in texts(value) if "swordfish" in text}


def trees(catalog: Catalog) -> list[Struct]:
    kubelets = map(catalog.kubelet, catalog.releases())
    known = dict.fromkeys(kubelet.static_pods.types for kubelet in kubelets if kubelet.static_pods.is_known)
    return [types.struct("PodSpec") for types in known]


def test_of_a_container_only_what_is_on_the_list(catalog: Catalog) -> None:
    schemas = dict.fromkeys(catalog.kubelet(name).schema for name in catalog.releases())
    paths = [shown(FieldKeeper(catalog).container(filled(schema.container), masked)) for schema in schemas]
    assert set().union(*paths) == CONTAINER


def test_of_a_pod_only_what_is_on_the_list(catalog: Catalog) -> None:
    keeper = FieldKeeper(catalog)
    for whole in (False, True):
        paths = [shown(keeper.pod(filled(tree), whole=whole)) for tree in trees(catalog)]
        assert set().union(*paths) == POD - NOT_TEXTS, whole


def test_a_pods_other_fields_are_not_there_at_all(catalog: Catalog) -> None:
    kept = FieldKeeper(catalog).pod(filled(trees(catalog)[-1]), whole=False)
    assert kept.keys() == {path.partition(".")[0] for path in POD}
    assert kept["securityContext"].keys() == {"supplementalGroupsPolicy", "sysctls"}


def test_a_static_pods_structure_stays(catalog: Catalog) -> None:
    given = {
        "volumes": [
            {"name": "v", "flexVolume": {"driver": "d", "options": {"one": "x", "two": "y"}}},
            {"name": "", "hostPath": None},
            {
                "ephemeral": {
                    "volumeClaimTemplate": {"metadata": {"creationTimestamp": "2020-01-01T00:00:00Z"}}
                }
            },
        ],
        "hostAliases": [{"ip": "10.0.0.1", "hostnames": ["a", "b"]}],
        "terminationGracePeriodSeconds": 7,
        "hostPID": True,
        "containers": [{}],
    }
    assert FieldKeeper(catalog).pod(given, whole=True) == {
        "volumes": [
            {"name": "***", "flexVolume": {"driver": "***", "options": {"***": "***"}}},
            {"name": "", "hostPath": None},
            {
                "ephemeral": {
                    "volumeClaimTemplate": {"metadata": {"creationTimestamp": "1970-01-01T00:00:00Z"}}
                }
            },
        ],
        "hostAliases": [{"ip": "***", "hostnames": ["***", "***"]}],
        "terminationGracePeriodSeconds": 7,
        "hostPID": True,
    }
    assert FieldKeeper(catalog).pod(given, whole=False) == {}


@pytest.mark.parametrize(
    ("image", "kept"),
    [
        ("registry.example:5000/a/b_c:v1.2-3", True),
        (f"a@sha256:{'0' * 64}", True),
        ("https://user:password@registry.example/a", False),
        ("user:0123@abc:12", False),
        ("é", False),
        ("", True),
    ],
)
def test_an_image_is_kept_unless_it_may_hold_credentials(catalog: Catalog, image: str, *, kept: bool) -> None:
    container = FieldKeeper(catalog).container({"image": image}, masked)
    assert container == {"image": image if kept else "***"}


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({"env": [{"name": "A", "value": 5}]}, ".env[0].value: want a string, got an integer"),
        ({"args": "x"}, ".args: want a list, got a string"),
        ({"resources": {"limits": {"cpu": "secret"}}}, ".resources.limits['cpu']: "),
        ({"resources": {"limits": []}}, ".resources.limits: want an object, got a list"),
        ({"livenessProbe": 1}, ".livenessProbe: want an object, got an integer"),
        ({"stdin": "secret"}, ".stdin: want true or false, got a string"),
    ],
)
def test_a_value_of_the_wrong_type_is_an_error(catalog: Catalog, spec: Json, problem: str) -> None:
    with pytest.raises(DecodeError) as error:
        FieldKeeper(catalog).container(spec, masked)
    assert str(error.value).startswith(problem)


@pytest.mark.parametrize("made", [pod, mirror_pod])
def test_a_pods_value_of_the_wrong_type_is_named(run: Run, made: Any) -> None:
    given = as_json(made(spec={"tolerations": [{"key": 1}]}))
    result = run("snapshot", "-f", "-", stdin=given)
    assert (result.code, result.out) == (1, "")
    problem = "$.spec.tolerations[0].key: want a string, got an integer; put it in quotes"
    assert result.err == f"Error: standard input: {problem}\n"


def test_types_of_one_tree_and_another(catalog: Catalog) -> None:
    """A port may be a name; what no text is stays as it is."""
    given = {
        "ports": [None, {"containerPort": 80}],
        "livenessProbe": {"httpGet": {"port": "name", "path": "/p"}},
    }
    assert FieldKeeper(catalog).container(given, masked) == {
        "ports": [None, {"containerPort": 80}],
        "livenessProbe": {"httpGet": {"port": "***", "path": "***"}},
    }
    assert FieldKeeper(catalog).container({"livenessProbe": {"tcpSocket": {"port": 80}}}, masked) == {
        "livenessProbe": {"tcpSocket": {"port": 80}}
    }
