"""Each container of a file knows the line of the file at which it begins, whatever the file's form."""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import hashcompat
from hashcompat.core.errors import InputError
from hashcompat.core.model.items import Item
from hashcompat.sources.files import collect as files
from hashcompat.sources.files import plans
from tests.helpers.pods import Json, listed, node, pod
from tests.helpers.program import SAMPLE, Run

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

pytestmark = pytest.mark.usefixtures("untraced")

PLAN = ("plan", "--from", "1.7.16", "--to", "1.9.11")

Lines = dict[str, int]


def found_in(*names: Path) -> dict[str, tuple[str, int]]:
    """Return the file and the line of each container of some files, by its name."""
    locations = [
        (container.name, (pod.file, container.line))
        for pod in files.collect(tuple(map(str, names))).pods
        for container in pod.containers
    ]
    assert len(dict(locations)) == len(locations)
    return dict(locations)


def lines_in(path: Path, content: str | bytes) -> Lines:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    locations = found_in(path)
    assert {file for file, _ in locations.values()} == {str(path)}
    return {name: line for name, (_, line) in locations.items()}


def marked(text: str) -> Lines:
    """Return the lines on which ``#NAME#`` is, by the name; a line ends with LF."""
    lines = enumerate(text.split("\n"), 1)
    return {name: number for number, line in lines for name in re.findall("#([a-z0-9]+)#", line)}


YAML_FORMS = {
    "one pod": """
kind: Pod
metadata: {name: p}
spec:
  containers:
  - name: a  #a#
    image: i
  - image: i  #b#
    name: b
""",
    "all lists, and none": """
kind: Pod
metadata: {name: p}
spec:
  ephemeralContainers:
  - {name: e}  #e#
  initContainers:
    - name: i  #i#
    - name: s  #s#
      restartPolicy: Always
  containers:
  -   name: c  #c#
status: {}
""",
    "dashes on lines of their own": """
kind: Pod
metadata: {name: p}
spec:
  containers:
  -

    # comments and empty lines
    image: i  #a#
    name: a
  - # a comment
    name: b  #b#
""",
    "flow style": """---
{kind: Pod, metadata: {name: p}, spec: {containers: [
  {name: a}, {  #a# #b#
   name: b},
  name: c,  #c#

  {image: i, name: d  #d#
  }]}}
""",
    "anchors, tags and aliases": """
kind: Pod
metadata: {name: p}
x:
  side: &side  #side#
    name: side
  more: &more [!!map {name: m}, {name: k}]  #m# #k#
  base: &base {image: i}
spec:
  initContainers: *more
  containers:
  - &a  #a#
    name: a
  - *side
  - <<: *base  #b#
    name: b
  - !!map  #t#
    name: t
""",
    "merged lists": """
kind: Pod
metadata: {name: p}
x: &spec
  containers:
  - name: a  #a#
  initContainers:
  - name: hidden
spec:
  <<: *spec
  initContainers:
  - name: i  #i#
""",
    "documents, with empty ones": """
---
# nothing
---
kind: Pod
metadata: {name: p}
spec:
  containers:
  - name: a  #a#
...
---
kind: Pod
metadata: {name: q}
spec:
  containers:
  - name: b  #b#
--- {kind: Pod, metadata: {name: r}, spec: {containers: [{name: c}]}}  #c#
""",
    "a List, and Lists in it": """
kind: List
items:
- kind: Pod
  metadata: {name: p}
  spec:
    containers:
    - name: a  #a#
- kind: PodList
  items:
  - metadata: {name: q}
    spec:
      containers:
      - name: b  #b#
  - metadata: {name: r}
    spec:
      containers: [{name: c}]  #c#
""",
    "aliases between the items of a List": """
kind: List
items:
- kind: Pod
  metadata: &m {name: p}
  spec:
    containers: &list
    - name: a  #a#
- kind: Pod
  metadata: {name: q}
  spec:
    initContainers:
    - name: b  #b#
    containers:
    - name: c  #c#
""",
    "an anchored List": """
kind: List
items: &all
- kind: Pod
  metadata: {name: p}
  spec:
    containers:
    - name: a  #a#
""",
    "pod templates": """
kind: Deployment
apiVersion: apps/v1
metadata: {name: d}
spec:
  template:
    spec:
      containers:
      - name: a  #a#
---
kind: CronJob
apiVersion: batch/v1
metadata: {name: j}
spec:
  jobTemplate:
    spec:
      template:
        spec:
          containers:
          - name: b  #b#
---
kind: PodTemplate
apiVersion: v1
metadata: {name: t}
template:
  spec:
    containers:
    - name: c  #c#
""",
    "texts that look like containers": """
kind: Pod
metadata:
  name: p
  annotations:
    a: |
      containers:
      - name: a
    b: "containers:\\n- name: b"
    c: 'x

      y'
spec:
  containers:
  - name: a  #a#
    args: [containers, 'containers: [']
""",
}


@pytest.mark.parametrize("text", YAML_FORMS.values(), ids=YAML_FORMS)
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_lines_of_yaml(tmp_path: Path, text: str, end: str) -> None:
    expected = marked(text)
    assert expected
    assert lines_in(tmp_path / "pods.yaml", text.replace("\n", end)) == expected


@pytest.mark.parametrize("odd", ["\r", "\x85", "\u2028", "\u2029"], ids=ascii)
def test_what_only_yaml_takes_for_the_end_of_a_line_is_none(tmp_path: Path, odd: str) -> None:
    text = YAML_FORMS["documents, with empty ones"].replace("# nothing\n", f"# nothing{odd}{odd}# more\n")
    text = text.replace("kind: Pod\nmetadata: {name: q}", f"kind: Pod{odd}metadata: {{name: q}}")
    assert lines_in(tmp_path / "pods.yaml", text) == marked(text)


FORMS = {
    "UTF-8 with a byte order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "UTF-16": lambda text: text.encode("utf-16"),
    "gzip": lambda text: gzip.compress(text.encode()),
    "gzip in two members": lambda text: gzip.compress(text[:50].encode()) + gzip.compress(text[50:].encode()),
    "zstd": lambda text: zstd.compress(text.encode()),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("name", ["one pod", "a List, and Lists in it"])
def test_lines_are_those_of_the_text(tmp_path: Path, form: Any, name: str) -> None:
    text = YAML_FORMS[name]
    assert lines_in(tmp_path / "pods", form(text)) == marked(text)


JSON_FORMS = {
    "one pod": """
{"kind": "Pod", "metadata": {"name": "p"},
 "spec": {
  "containers": [
   {#a#
    "name": "a", "image": "i"}, {#b#
    "name": "b", "image": "i"
   }]
 }
}
""",
    "all lists on one line": """{"kind": "Pod", "metadata": {"name": "p"},
"spec": {"initContainers": [{"name": "i"}], "containers": [{"name": "a"}, {"name": "b"}]}, #i##a##b#
"status": {}}
""",
    "JSON lines": """{"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "a"}]}}#a#

{"kind": "Pod", "metadata": {"name": "q"}, "spec": {"containers": [{"name": "b"}, {"name": "c"}]}}#b##c#
""",
    "documents on end": """{"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers":
[{"name": "a"}]}}{"kind": "Pod", "metadata": {"name": "q"}, "spec": {"containers": [#a#
{"name": "b"}]}} #b#
""",
    "a List, and Lists in it": """{"items": [
{"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [
 {"name": "a"}#a#
]}}, {"kind": "PodList", "items": [
 {"metadata": {"name": "q"}, "spec": {"containers": [
  {"name": "b"},#b#

  {"name": "c"}#c#
 ]}},
 {"metadata": {"name": "r"}, "spec": {"containers": [{"name": "d",#d#
  "args": ["containers"]}]}}
]}], "kind": "List"}
""",
    "pod templates": """
{"kind": "Deployment", "apiVersion": "apps/v1", "metadata": {"name": "d"}, "spec": {"template": {
 "metadata": {"annotations": {"containers": "{[}"}},
 "spec": {"containers": [
  {"name": "a"}#a#
]}}}}
{"kind": "PodTemplate", "metadata": {"name": "t"},
 "template": {"spec": {"containers": [{"name": "b"}]}}}#b#
""",
    "texts that look like containers": """
{"kind": "Pod", "metadata": {"name": "p", "annotations": {
 "a": "\\n{\\"containers\\": [{", "b": "\\n"}},
 "spec": {"containers": [{"name": "a", "args": ["containers",#a#
 "containers"]},
 {"name": "b"}]}}#b#
""",
}


@pytest.mark.parametrize("text", JSON_FORMS.values(), ids=JSON_FORMS)
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_lines_of_json(tmp_path: Path, text: str, end: str) -> None:
    expected = marked(text)
    assert expected
    plain = re.sub("#[a-z]#", "", text).replace("\n", end)
    assert lines_in(tmp_path / "pods.json", plain) == expected


names = st.text("ab#'\"\\:{} -\u2028é", max_size=6)

containers = st.dictionaries(
    st.sampled_from(["image", "args", "env", "x", "containers"]),
    names | st.lists(names, max_size=2) | st.lists(st.dictionaries(names, names, max_size=2), max_size=2),
)

specs = st.fixed_dictionaries(
    {"containers": st.lists(containers, min_size=1, max_size=3)},
    optional={"initContainers": st.lists(containers, max_size=2), "hostNetwork": st.booleans()},
)


def objects(given_specs: list[dict[str, Any]]) -> tuple[list[Json], int]:
    """Return pods, in which each container begins with a name of its own, and how many there are of these."""
    number, pods = 0, []
    for index, spec in enumerate(given_specs):
        named = dict(spec)
        for key in ("initContainers", "containers"):
            rows = []
            for row in spec.get(key, ()):
                rows.append({"name": f"c{number}e", **row})
                number += 1
            named[key] = rows
        pods.append({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": f"p{index}"}, "spec": named})
    return pods, number


def as_yaml(pods: list[Json], options: dict[str, Any], form: str) -> str:
    if form == "List":
        return str(yaml.safe_dump(listed(*pods), sort_keys=False, explicit_start=True, **options))
    return str(yaml.safe_dump_all(pods, sort_keys=False, explicit_start=True, **options))


yaml_options = st.fixed_dictionaries(
    {
        "indent": st.integers(1, 7),
        "width": st.sampled_from([20, 80, 1000]),
        "default_flow_style": st.sampled_from([True, False, None]),
        "allow_unicode": st.booleans(),
        "line_break": st.sampled_from(["\n", "\r\n"]),
    }
)


@given(st.lists(specs, min_size=1, max_size=3), yaml_options, st.sampled_from(["List", "documents"]))
def test_lines_of_any_pods_in_yaml(
    tmp_path_factory: pytest.TempPathFactory, given_specs: list[Any], options: dict[str, Any], form: str
) -> None:
    pods, count = objects(given_specs)
    text = as_yaml(pods, options, form)
    lines = lines_in(tmp_path_factory.getbasetemp() / "pods.yaml", text)
    assert len(lines) == count
    for name, line in lines.items():
        (first,) = re.finditer(rf"(\{{\s*)?name: {name}\b", text)
        assert line == 1 + text.count("\n", 0, first.start()), (name, text)


json_options = st.fixed_dictionaries(
    {
        "indent": st.sampled_from([None, 0, 1, 4, "\t"]),
        "separators": st.sampled_from([(",", ":"), (", ", ": "), (" ,\n", " :\n "), (",\r\n", ":")]),
        "ensure_ascii": st.booleans(),
    }
)


@given(st.lists(specs, min_size=1, max_size=3), json_options, st.sampled_from(["List", "documents"]))
def test_lines_of_any_pods_in_json(
    tmp_path_factory: pytest.TempPathFactory, given_specs: list[Any], options: dict[str, Any], form: str
) -> None:
    pods, count = objects(given_specs)
    values = [listed(*pods)] if form == "List" else pods
    text = "\n".join(json.dumps(value, **options) for value in values)
    lines = lines_in(tmp_path_factory.getbasetemp() / "pods.json", text)
    assert len(lines) == count
    for name, line in lines.items():
        brace = text.rindex("{", 0, text.index(f'"{name}"'))
        assert line == 1 + text.count("\n", 0, brace), (name, text)


def test_every_file_of_a_directory_has_its_own_lines(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    for name, container, lead in (("1.yaml", "a", 0), ("2.yaml.gz", "b", 3), ("below/3.json", "c", 5)):
        text = "\n" * lead + json.dumps(pod({"name": container}, name=container))
        content = gzip.compress(text.encode()) if name.endswith("gz") else text.encode()
        (tmp_path / name).write_bytes(content)
    pods = files.collect((str(tmp_path),), recursive=True).pods
    assert [(subject.file, subject.containers[0].line) for subject in pods] == [
        (str(tmp_path / "1.yaml"), 1),
        (str(tmp_path / "2.yaml.gz"), 4),
        (str(tmp_path / "below/3.json"), 6),
    ]


def test_copies_of_a_pod_on_other_lines_are_one_pod(tmp_path: Path) -> None:
    given_pod = pod(*({"name": name, "image": "i"} for name in "ab"), status={"phase": "Running"})
    (tmp_path / "1.json").write_text(json.dumps(listed(given_pod, given_pod), indent=1))
    (tmp_path / "2.yaml").write_text(yaml.safe_dump(given_pod))
    locations = found_in(tmp_path / "1.json", tmp_path / "2.yaml")
    assert {file for file, _ in locations.values()} == {str(tmp_path / "1.json")}


def places(run: Run, *argv: object, stdin: str = "") -> Iterator[tuple[str, Any]]:
    result = run(*argv, "-o", "json", stdin=stdin.encode())
    assert result.code == 0, result.err
    return ((item["container"], item["source"]) for item in result.items)


def test_a_plan_of_standard_input_names_it_as_it_was_given(run: Run) -> None:
    text = YAML_FORMS["one pod"]
    expected = {name: {"file": "-", "line": line} for name, line in marked(text).items()}
    assert dict(places(run, *PLAN, "-f", "-", stdin=text)) == expected


def test_the_sample_is_not_a_file_that_anybody_gave(run: Run) -> None:
    assert {json.dumps(source) for _, source in places(run, *PLAN, "--sample")} == {"null"}
    plan = hashcompat.plan(hashcompat.load_sample(), *PLAN[2::2])
    assert {(item.pod.file, item.line) for item in plan.items} == {("", 0)}
    given_by_name = hashcompat.plan(SAMPLE, *PLAN[2::2])
    assert {item.pod.file for item in given_by_name.items} == {str(SAMPLE)}
    assert min(item.line for item in given_by_name.items) > 1


def test_objects_are_in_no_file() -> None:
    plan = hashcompat.plan([pod()], "1.7.16", "1.9.11")
    assert [(item.pod.file, item.line) for item in plan.items] == [("", 0)]


def test_a_snapshot_is_a_file_whose_lines_nobody_edits(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pods.json").write_text(json.dumps(listed(pod(), node("v1.9.11"))))
    path = tmp_path / "snapshot.json"
    assert run("snapshot", "-f", tmp_path / "pods.json", "--out", path).code == 0
    assert list(places(run, *PLAN, "-f", path)) == [("c", {"file": str(path), "line": None})]
    (item,) = hashcompat.plan(path, "1.7.16", "1.9.11").items
    assert (item.pod.file, item.line) == (str(path), 0)


@pytest.mark.parametrize("form", ["YAML", "JSON", "documents"])
def test_a_static_pod_is_where_its_manifest_is(run: Run, tmp_path: Path, form: str) -> None:
    text = {
        "YAML": "apiVersion: v1" + YAML_FORMS["one pod"],
        "JSON": re.sub("#[ab]#", "", JSON_FORMS["one pod"]).replace("{", '{"apiVersion": "v1", ', 1),
        "documents": "# first\n---\napiVersion: v1" + YAML_FORMS["one pod"] + "---\nkind: Service\n",
    }[form]
    path = tmp_path / "web"
    path.write_text(text)
    expected = marked(JSON_FORMS["one pod"] if form == "JSON" else text)
    (static_pod,) = hashcompat.load_static_pods(tmp_path, "n1").pods
    assert static_pod.file == str(path)
    assert {container.name: container.line for container in static_pod.containers} == expected
    argv = ("plan", "--from", "1.16.15", "--to", "1.17.17", "--static-pod-dir", tmp_path, "--node-name", "n1")
    sources = {name: {"file": str(path), "line": line} for name, line in expected.items()}
    assert dict(places(run, *argv)) == sources


def test_an_item_that_is_not_decoded_has_its_line_too(run: Run) -> None:
    text = YAML_FORMS["one pod"].replace("image: i  #b#", "image: 7  #b#")
    expected = {name: {"file": "-", "line": line} for name, line in marked(text).items()}
    assert dict(places(run, *PLAN, "--keep-going", "-f", "-", stdin=text)) == expected


def test_a_file_whose_name_is_not_utf_8_is_named_readably(run: Run, tmp_path: Path) -> None:
    path = Path(f"{tmp_path}/a\udcff.json")
    path.write_text(json.dumps(pod()))
    assert list(places(run, *PLAN, "-f", path)) == [("c", {"file": f"{tmp_path}/a\ufffd.json", "line": 1})]


def saved(tmp_path: Path, run: Run) -> tuple[Path, Json]:
    path = tmp_path / "plan.json"
    text = YAML_FORMS["one pod"]
    assert run(*PLAN, "-f", "-", "--out", path, "-o", "json", stdin=text.encode()).code == 0
    document = json.loads(path.read_text())
    del document["digest"]  # which an edited plan would not have
    return path, document


def test_a_saved_plan_keeps_files_and_lines(run: Run, tmp_path: Path) -> None:
    path, document = saved(tmp_path, run)
    expected = marked(YAML_FORMS["one pod"])
    assert {item.container.name: item.line for item in plans.read(str(path)).items} == expected
    assert {item.pod.file for item in plans.read(str(path)).items} == {"-"}
    for source, place in (
        (None, ("", 0)),
        ({"file": "f", "line": None}, ("f", 0)),
    ):
        path.write_text(json.dumps({**document, "items": [_at(item, source) for item in document["items"]]}))
        assert {_place(item) for item in plans.read(str(path)).items} == {place}
    for line in (True, -1, "1"):
        items = [_at(item, {"file": "f", "line": line}) for item in document["items"]]
        path.write_text(json.dumps({**document, "items": items}))
        with pytest.raises(InputError, match=r"source\.line: want an integer"):
            plans.read(str(path))
    path.write_text(json.dumps({**document, "items": [_at(item) for item in document["items"]]}))
    assert {_place(item) for item in plans.read(str(path)).items} == {("", 0)}


def _at(item: Json, *source: Json | None) -> Json:
    kept = {key: value for key, value in item.items() if key != "source"}
    return {**kept, "source": source[0]} if source else kept


def _place(item: Item) -> tuple[str, int]:
    return item.pod.file, item.line
