"""One place of a text changes, and no other character: a string in JSON, the uid of a manifest."""

from __future__ import annotations

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from hashcompat.core.errors import InputError
from hashcompat.core.records.manifests import with_uid
from hashcompat.output.rewriting import with_string, with_string_in_string

UID = "12345678901234567890123456789012"
"""Digits alone, which YAML would read as a number."""


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        (
            "apiVersion: v1\nmetadata:\n  # of the pod\n  name: x # y\nspec: {}\n",
            f'apiVersion: v1\nmetadata:\n  # of the pod\n  uid: "{UID}"\n  name: x # y\nspec: {{}}\n',
        ),
        ("metadata: {name: x}\nkind: Pod\n", f'metadata: {{uid: "{UID}", name: x}}\nkind: Pod\n'),
        ("\ufeffmetadata:\n  name: x", f'\ufeffmetadata:\n  uid: "{UID}"\n  name: x'),
        ('\ufeff{"metadata":{"name":"x"}}', f'\ufeff{{"metadata":{{"uid":"{UID}","name":"x"}}}}'),
        ("metadata:\n  name: '{{ x }}'\n", f"metadata:\n  uid: \"{UID}\"\n  name: '{{{{ x }}}}'\n"),
        ("k: v\r\nmetadata:\r\n    name: x\r\n", f'k: v\r\nmetadata:\r\n    uid: "{UID}"\r\n    name: x\r\n'),
        ("---\nmetadata:\n name: é\n", f'---\nmetadata:\n uid: "{UID}"\n name: é\n'),
        (
            "spec:\n  metadata:\n    a: 1\nl:\n- metadata: 1\nmetadata:\n  name: x\n",
            f'spec:\n  metadata:\n    a: 1\nl:\n- metadata: 1\nmetadata:\n  uid: "{UID}"\n  name: x\n',
        ),
        ("a: &m x\nb: *m\nmetadata:\n  name: x", f'a: &m x\nb: *m\nmetadata:\n  uid: "{UID}"\n  name: x'),
        (
            '{"kind":"Pod", "metadata" : {"name":"x"}, "n": 1.50}',
            f'{{"kind":"Pod", "metadata" : {{"uid":"{UID}","name":"x"}}, "n": 1.50}}',
        ),
        (
            '\n{"s":{"metadata":{}},"metadata":{ "a":[]}}',
            f'\n{{"s":{{"metadata":{{}}}},"metadata":{{"uid":"{UID}", "a":[]}}}}',
        ),
    ],
)
def test_a_uid_is_added_and_nothing_else(text: str, changed: str) -> None:
    assert with_uid(text, UID) == changed


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("metadata:\n  name: x\n---\nkind: Pod\n", "2 documents"),
        ("metadata:\n  name: {{ x }}\n", "a template"),
        ("metadata:\n  name: x\n  uid: ''\n", "set already"),
        ('{"metadata":{"name":"x","uid":"1"}}', "set already"),
        ("metadata: &a\n  name: x\nb: *a\n", "safely"),
        ("? metadata\n: name: x\n", "safely"),
        ("a: [\n\tb]\nmetadata:\n  name: x\n", "safely"),  # a tab that only libyaml takes
        ("metadata: &a {name: x}\nb: *a\n", "safely"),
        ("metadata: {}\n", "want an object with a name"),
        ("metadata: x\n", "want an object with a name"),
        ("a: &a\n  name: x\nmetadata: *a\n", "want an object"),
        ("- metadata: {name: x}\n", "want an object with a name"),
        ("", "0 documents"),
        ("{", "not valid JSON"),
        ("metadata:\n\t- x: [", "line"),
    ],
)
def test_what_cannot_be_changed_safely_is_refused(text: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        with_uid(text, UID)


@pytest.mark.parametrize("uid", ["", "a\n", "x" * 65, '"'])
def test_what_is_no_uid_is_refused(uid: str) -> None:
    with pytest.raises(InputError, match="no manifest can have"):
        with_uid("metadata:\n  name: x\n", uid)


@pytest.mark.usefixtures("untraced")
@given(
    st.dictionaries(st.text(min_size=1), st.text(), min_size=1),
    st.sampled_from(["json", "block", "leaves in braces"]),
)
def test_any_names_stay_as_they_are(labels: dict[str, str], form: str) -> None:
    pod = {"kind": "Pod", "metadata": {"name": "x", "labels": labels}, "spec": {"a": ["b"]}}
    flow = None if form == "leaves in braces" else False
    text = (
        json.dumps(pod) if form == "json" else yaml.safe_dump(pod, default_flow_style=flow, sort_keys=False)
    )
    changed = with_uid(text, UID)
    assert (
        changed.replace(f'"uid":"{UID}",', "").replace(f'uid: "{UID}", ', "").replace(f'  uid: "{UID}"\n', "")
        == text
    )


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        (
            '{"a" : {"b":[1, {"a":"}"}],"c": "old" , "d":1.50}}',
            '{"a" : {"b":[1, {"a":"}"}],"c": "new" , "d":1.50}}',
        ),
        ('{"x":"old","a":{"c":"\\u006fld"}}', '{"x":"old","a":{"c":"new"}}'),
        (' {"a":{"c":"old","z":"<\udcff"}}\n', ' {"a":{"c":"new","z":"<\udcff"}}\n'),
    ],
)
def test_one_string_is_replaced(text: str, changed: str) -> None:
    assert with_string(text, ("a", "c"), "old", "new") == changed


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a":{"c":"other"}}', "not what it was"),
        ('{"a":{"c":1}}', "not what it was"),
        ('{"a":{"b":"old"}}', "not there"),
        ('{"a":["c"]}', "not there"),
        ('{"a":{"c":"old","c":"old"}}', "twice"),
        ('{"a":{"c":"old"}', "not valid JSON"),
    ],
)
def test_what_is_not_there_exactly_so_is_refused(text: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        with_string(text, ("a", "c"), "old", "new")


def test_one_string_of_json_in_a_string_is_replaced() -> None:
    text = r'{"a":{"c":"{\"k\":\"old\",\"z\":\"\\u003c\u0026\"}","k":"old"}}'
    changed = with_string_in_string(text, ("a", "c"), "k", "old", "new")
    assert changed == text.replace(r"\"old\"", r"\"new\"")


@pytest.mark.parametrize(
    ("inner", "why"),
    [
        (r'"{\"k\":\"other\"}"', "not what it was"),
        (r'"{\"k\": \"old\"}"', "written in a way"),
        (r'"{\"x\":\"\\\"k\\\":\\\"old\\\"\",\"k\":\"ol\\u0064\"}"', "written in a way"),
        ('"no JSON"', "not valid JSON"),
        ("1", "want a string"),
    ],
)
def test_a_string_in_which_that_is_not_there_exactly_so_is_refused(inner: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        with_string_in_string(f'{{"a":{{"c":{inner}}}}}', ("a", "c"), "k", "old", "new")
