"""What a tired operator hands in: each failure is one clear message with the file, and no stdout."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.pods import PLAIN, as_json, pod
from tests.helpers.program import Run

PLAN = ("plan", "--from", "1.9.11", "--to", "1.10.0")
DEEP = 100_000


def contained(**fields: Any) -> bytes:
    return as_json(pod({"name": "c", **fields}))


GOES = "; what a container runtime shows goes to --recorded"
CONTENT: list[tuple[str, bytes, str]] = [
    ("empty", b"", "empty; want Kubernetes objects"),
    ("only white space", b" \n\t\n", "empty; want Kubernetes objects"),
    ("only comments", b"# nothing\n---\n# here\n", "only comments or empty documents"),
    ("empty documents", b"---\n---\nnull\n", "only comments or empty documents"),
    ("broken JSON", b'{"kind": "Pod",\n "spec": }', "line 2 column 10: not valid JSON"),
    ("JSON that ends early", b'{"kind": "Pod"', "line 1 column 15: not valid JSON"),
    ("JSON with a stray word", as_json(pod()) + b"\nbye\n", "line 2 column 1: not valid JSON"),
    ("JSON with NaN", contained(x=float("nan")), "NaN is not valid JSON"),
    ("broken YAML", b"kind: Pod\nspec: [1, 2\nmore: x\n", "line 3 column 5: not valid YAML"),
    ("YAML with a tab", b"kind: Pod\nspec:\n\tcontainers: []\n", "line 3 column 1: not valid YAML"),
    ("JSON with a key twice", b'{"kind": "Pod", "kind": "Pod"}', "the key 'kind' appears twice"),
    ("YAML with a key twice", b"kind: Pod\nkind: Pod\n", "line 2 column 1: the key 'kind' appears twice"),
    (
        "a JSON list",
        b'[{"kind": "Pod"}]',
        "$: not a Kubernetes object: want an object with apiVersion and kind, got a list",
    ),
    (
        "a JSON object of another kind of program",
        b'{"name": "x"}',
        "$: not a Kubernetes object: it has no kind; save objects: kubectl get nodes,pods -A -o json",
    ),
    (
        "crictl ps",
        as_json({"containers": [{"id": "a", "metadata": {}, "state": "s"}]}),
        f"it has no kind{GOES}",
    ),
    ("crictl inspect", as_json({"status": {}, "info": {}}), f"it has no kind{GOES}"),
    ("docker inspect", json.dumps([{"Id": "a", "State": {}}]).encode(), f"got a list{GOES}"),
    ("the collector", as_json({"hashcompat": "dump", "format": 2, "node": "n"}), f"it has no kind{GOES}"),
    ("YAML text", b"hello\n", "$: not a Kubernetes object"),
    ("a kind that is no text", b'{"kind": 3}', "$: not a Kubernetes object: it has no kind"),
    (
        "a name that YAML takes for false",
        b"apiVersion: v1\nkind: Pod\nspec: {nodeName: n, containers: [{name: c}]}\n",
        "$.spec.nodeName: want a string, got a boolean; put it in quotes",
    ),
    ("only a Service", b'{"kind": "Service", "apiVersion": "v1"}', "no pods in the input"),
    ("an empty List", as_json({"kind": "List", "items": []}), "no pods in the input"),
    ("a List of a number", as_json({"kind": "List", "items": [1]}), "$.items[0]: not a Kubernetes object"),
    (
        "a Pod without containers",
        as_json({"kind": "Pod", "spec": {}}),
        "$.spec.containers: a Pod needs at least one container",
    ),
    (
        "what a kubelet lists as running",
        as_json(
            {
                "kind": "PodList",
                "apiVersion": "v1",
                "metadata": {},
                "items": [
                    {
                        "metadata": {"name": "p", "namespace": "ns", "uid": "u", "creationTimestamp": None},
                        "spec": {"containers": [{"name": "c", "image": "i", "resources": {}}]},
                        "status": {},
                    }
                ],
            }
        ),
        "$.items[0].spec.containers: only names and images, as a kubelet's /runningpods shows",
    ),
    (
        "a Pod without a spec",
        as_json({"kind": "Pod"}),
        "$.spec.containers: a Pod needs at least one container",
    ),
    (
        "a Pod of a version that is none",
        as_json({"kind": "Pod", "apiVersion": "v2", "spec": {"containers": [{"name": "c"}]}}),
        "$.apiVersion: want v1",
    ),
    (
        "a Deployment without a template",
        as_json({"kind": "Deployment"}),
        "$.spec.template.spec.containers: a Pod needs at least one",
    ),
    ("a spec that is text", as_json({"kind": "Pod", "spec": "x"}), "$.spec: want an object, got a string"),
    (
        "a name that is a number",
        as_json(pod(metadata={"name": 3})),
        "$.metadata.name: want a string, got an integer",
    ),
    (
        "containers that are an object",
        as_json(pod(spec={"containers": {"a": 1}})),
        "$.spec.containers: want a list, got an object",
    ),
    (
        "a container that is text",
        as_json(pod(spec={"containers": ["a"]})),
        "$.spec.containers[0]: want an object, got a string",
    ),
    (
        "a wrong type deep inside",
        contained(
            livenessProbe={
                "httpGet": {
                    "port": 80,
                    "httpHeaders": [{"name": "a", "value": "b"}, {"name": "c", "value": 3}],
                }
            }
        ),
        "$.spec.containers[0].livenessProbe.httpGet.httpHeaders[1].value: want a string, got an integer",
    ),
    (
        "a wrong type in a List",
        as_json(pod(), pod({"name": "c", "stdin": "yes"}, metadata={"uid": "another"})),
        "$.items[1].spec.containers[0].stdin: want true or",
    ),
    (
        "a fraction for an integer",
        contained(ports=[{"containerPort": 80.5}]),
        "$.spec.containers[0].ports[0].containerPort: want an int",
    ),
    (
        "an integer out of range",
        contained(ports=[{"containerPort": 2**31}]),
        "an integer out of the range of int32",
    ),
    (
        "a bad quantity",
        contained(resources={"limits": {"cpu": "a lot"}}),
        "$.spec.containers[0].resources.limits['cpu']: not a quantity",
    ),
    ("NUL bytes", b"kind: Pod\x00\n", "binary data at character 9"),
    ("an ELF file", b"\x7fELF\x02\x01\x01\x00\x00", "binary data at character"),
    ("UTF-16 without a byte order mark", as_json(pod()).decode().encode("utf-16-le"), "binary data"),
    ("truncated gzip", gzip.compress(as_json(pod()))[:-12], "damaged gzip data"),
    ("gzip in name only", b"\x1f\x8bnot really", "damaged gzip data"),
    ("deep JSON lists", b"[" * DEEP, "nested too deeply"),
    ("deep JSON objects", b'{"a":' * DEEP, "nested too deeply"),
    ("deep YAML in brackets", b"a: " + b"[" * DEEP, "nested too deeply"),
    ("deep YAML in dashes", b"- " * DEEP, "nested too deeply"),
    ("a long line", b"x" * 20_000_000, "more than 8,388,608 characters in one object"),
    ("a long line in braces", b"{" + b"x" * 20_000_000, "line 1 column 2: not valid JSON"),
    (
        "a long text without its end",
        b'{"a": "' + b"x" * 20_000_000,
        "line 1 column 7: $.a: more than 8,388,608 characters",
    ),
]


@pytest.mark.parametrize(
    ("content", "says"), [pytest.param(content, says, id=name) for name, content, says in CONTENT]
)
def test_unreadable_content_is_one_message_that_names_the_file(
    run: Run, tmp_path: Path, content: bytes, says: str
) -> None:
    path = tmp_path / "given.yaml"
    path.write_bytes(content)
    result = run(*PLAN, "-f", path)
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
    assert result.err.startswith(f"Error: {path}: ")
    assert says in result.err


@pytest.mark.parametrize(
    ("content", "says"),
    [pytest.param(data, says, id=name) for name, data, says in CONTENT if len(data) < 1000],
)
@pytest.mark.parametrize(
    "argv", [("hash", "--kubelet", "1.9.11"), ("explain", "ns/p", *PLAN[1:])], ids=["hash", "explain"]
)
def test_hash_and_explain_refuse_the_same_on_standard_input(
    run: Run, argv: tuple[str, ...], content: bytes, says: str
) -> None:
    result = run(*argv, "-f", "-", stdin=content)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("Error: standard input: ")
    assert says in result.err


def test_one_bad_file_among_good_ones_is_an_error_not_a_gap(run: Run, tmp_path: Path) -> None:
    (tmp_path / "good.json").write_bytes(as_json(pod()))
    (tmp_path / "bad.json").write_bytes(b"{")
    result = run(*PLAN, "-f", tmp_path)
    assert (result.code, result.out) == (1, "")
    assert str(tmp_path / "bad.json") in result.err


def test_one_bad_document_is_named_by_its_number(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "pods.yaml"
    path.write_text(
        "\n---\n".join(["# YAML", json.dumps(pod(status={"phase": "Running"})), json.dumps(PLAIN)])
    )
    assert f"{path} (document 2): $: not a Kubernetes object" in run(*PLAN, "-f", path).err


def missing(directory: Path) -> Path:
    return directory / "missing.json"


def empty_directory(directory: Path) -> Path:
    return directory


def directory_with_nothing_to_read(directory: Path) -> Path:
    (directory / "notes.txt").write_text("x")
    (directory / "below").mkdir()
    (directory / "below" / "pod.json").write_bytes(as_json(pod()))
    return directory


def file_taken_for_a_directory(directory: Path) -> Path:
    (directory / "file").write_text("x")
    return directory / "file" / "pod.json"


def dangling_link(directory: Path) -> Path:
    (directory / "link.json").symlink_to("nowhere")
    return directory / "link.json"


def name_of_several_lines(directory: Path) -> Path:
    return directory / "a\nb\nc\nd"


def name_that_is_too_long(directory: Path) -> Path:
    return directory / ("x" * 300)


PLACES = (
    missing,
    empty_directory,
    directory_with_nothing_to_read,
    file_taken_for_a_directory,
    dangling_link,
    name_of_several_lines,
    name_that_is_too_long,
)


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
def test_a_place_with_nothing_to_read_is_named(
    run: Run, tmp_path: Path, place: Callable[[Path], Path]
) -> None:
    path = place(tmp_path)
    result = run(*PLAN, "-f", path)
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
    shown = str(path).replace("\n", "\\n")
    assert result.err.startswith(f"Error: {shown}: ")


@pytest.mark.parametrize("where", ["pod.json", "pod.yaml", ".", "below"])
def test_what_may_not_be_read_is_named(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """Also a directory below that -R comes to: what it holds would be missing from the plan."""
    (tmp_path / "below").mkdir()
    for name in ("pod.json", "pod.yaml"):
        (tmp_path / name).write_bytes(as_json(pod()))
    refused = tmp_path / where

    def refusing(real: Callable[..., Any]) -> Callable[..., Any]:
        def refuse(path: Path | str, *rest: Any, **more: Any) -> Any:
            if Path(path) == refused:
                raise PermissionError(13, "Permission denied", str(path))
            return real(path, *rest, **more)

        return refuse

    monkeypatch.setattr(Path, "open", refusing(Path.open))
    monkeypatch.setattr(os, "scandir", refusing(os.scandir))
    result = run(*PLAN, "-R", "-f", tmp_path)
    assert (result.code, result.out) == (1, "")
    hint = "; --exclude leaves a file out" if where.startswith("pod.") else ""
    assert result.err == f"Error: {refused}: cannot read: Permission denied{hint}\n"


@pytest.mark.parametrize("name", ["none/*.yaml", "p?.yaml", "p[12].yaml"])
def test_a_pattern_in_quotes_is_called_one(run: Run, name: str) -> None:
    result = run("plan", "--from", "1.30.14", "--to", "1.31.14", "-f", name)
    why = "cannot read: No such file or directory; the shell expands patterns only without quotes"
    assert (result.code, result.err) == (1, f"Error: {name}: {why}\n")


def test_a_file_that_is_called_like_a_pattern_is_read(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "p[1]*.yaml"
    path.write_bytes(as_json(pod()))
    assert run("plan", "--from", "1.30.14", "--to", "1.31.14", "-f", path).code == 0
    missing = run("plan", "--from", "1.30.14", "--to", "1.31.14", "-f", tmp_path / "none.yaml")
    assert missing.err.endswith("none.yaml: cannot read: No such file or directory\n")
