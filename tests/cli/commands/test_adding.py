"""``releases --add``: a release newer than the program, known by its Go types."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from hashcompat.core.catalog import files
from hashcompat.core.catalog.lookup import Catalog, default_catalog
from hashcompat.core.go import quantity
from tests.helpers.pods import Json, as_json, mirror_pod, node, pod
from tests.helpers.program import Result, Run
from tests.helpers.slices import sliced

PINNED = "11111111-2222-3333-4444-555555555555"
NEXT = "1.38"
"""The minor after the newest known one; change it when the data grow."""
C: Json = {"name": "c", "image": "i", "mood": {"name": "calm"}}


def go_source(tree: Json, *more: str) -> str:
    """Write a type tree as Go, with some fields more in Container."""
    lines = [
        "package v1",
        'import "k8s.io/apimachinery/pkg/api/resource"',
        "type Unrelated struct { Time metav1.Time }",
    ]
    for name, described in tree["types"].items():
        if isinstance(described, str):
            lines.append(f"// {name} is documented.\ntype {name} {described}")
            continue
        rows = [f"\t{line(row)}" for row in described] + (list(more) if name == "Container" else [])
        lines.append("\n".join([f"type {name} struct {{", *rows, "}"]))
    return "\n\n".join(lines) + "\n"


def line(row: Json) -> str:
    options = ",inline" * row.get("embedded", False) + ",omitempty" * row.get("omitempty", False)
    tag = f'`json:"{row["json"]}{options}" protobuf:"x"`'
    return f"{'' if row.get('embedded') else row['name']} {row['type']} {tag} // {row['name']} is documented"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the user's data in a directory of the test's own."""
    monkeypatch.setenv("HASHCOMPAT_DATA", str(tmp_path / "data"))
    return tmp_path / "data" / "releases"


@pytest.fixture
def run(run: Run, data: Path) -> Iterator[Run]:
    """Run the command line; each run reads the user's data again, as a new process does."""
    assert not data.exists()

    def call(*argv: object, stdin: bytes = b"") -> Result:
        default_catalog.cache_clear()
        return run(*argv, stdin=stdin)

    yield call
    default_catalog.cache_clear()


def added(run: Run, directory: Path, catalog: Catalog, *more: str, release: str = f"v{NEXT}.0") -> Path:
    path = directory / "types.go"
    path.write_text(go_source(dict(catalog.newest_schema().tree), *more))
    result = run("releases", "--add", release, "--types", path)
    assert result.code == 0, result.err
    return path


MOOD = (
    '\tMood *Mood `json:"mood,omitempty"`\n}\ntype Mood struct {\n\tName string `json:"name"`\n\tA, B int32'
)


def test_what_changed_is_shown(run: Run, tmp_path: Path, catalog: Catalog, data: Path) -> None:
    path = tmp_path / "types.go"
    path.write_text(go_source(dict(catalog.newest_schema().tree), MOOD))
    result = run("releases", "--add", f"{NEXT}.0", "--types", path, "-o", "json")
    assert (result.code, result.err) == (
        0,
        f"Added {NEXT}.0: {data}/{NEXT}.json; remove the file to forget it\n",
    )
    fields = {(row["type"], row["field"]): row["to"] for row in result.document["types"]}
    assert fields == {
        ("Container", "Mood"): "*Mood",
        ("Mood", "Name"): "string",
        ("Mood", "A"): "int32",
        ("Mood", "B"): "int32",
    }


def test_the_release_is_known_and_marked(run: Run, tmp_path: Path, catalog: Catalog) -> None:
    path = added(run, tmp_path, catalog, MOOD)
    row = run("releases", "-o", "json").items[-1]
    assert (row["minor"], row["releases"], row["types"], row["madeFrom"], row["userAdded"]) == (
        NEXT,
        [f"{NEXT}.0"],
        NEXT,
        str(path),
        True,
    )
    assert run("releases").out.splitlines()[-1].split()[:3] == [NEXT, f"{NEXT}.0,", "added"]


def test_plans_say_what_was_assumed(run: Run, tmp_path: Path, catalog: Catalog) -> None:
    newest = catalog.releases()[-1]
    added(run, tmp_path, catalog, MOOD)
    result = run(
        "plan", "--from", newest, "--to", f"{NEXT}.0", "-f", "-", "-o", "json", stdin=as_json(pod(C))
    )
    assert result.item["verdict"] == "KEEP"
    assumed = f"{NEXT}.0: added by its types alone, all else is taken to be as in {newest.rpartition('.')[0]}"
    assert assumed in result.document["spec"]["assumptions"]


def test_static_pods_under_an_added_release_are_unknown(run: Run, tmp_path: Path, catalog: Catalog) -> None:
    """Its types are those of containers: the internal pod, whose text makes the UID, is not among them."""
    newest = catalog.releases()[-1]
    added(run, tmp_path, catalog)
    manifests = tmp_path / "manifests"
    manifests.mkdir()
    manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [C]}}
    (manifests / "p.yaml").write_text(json.dumps(manifest))
    plan = ("plan", "--from", newest, "--to", f"{NEXT}.0", "-o", "json")
    by_mirror_pod = run(*plan, "-f", "-", stdin=as_json(mirror_pod(C)))
    by_manifest = run(*plan, "--static-pod-dir", manifests, "--node-name", "n")
    for result in (by_mirror_pod, by_manifest):
        assert (result.item["verdict"], result.item["reasons"][0]["id"]) == ("UNKNOWN", "HC007"), result.err


TEXTS = {
    "64Mi": ("", "64Mi", True),
    "512Mi": ("", "512Mi", True),
    "1Mi": ("1Mi", "1Mi", False),
    "8Gi": ("", "8Gi", True),
    "1000m": ("", "1", True),
    "0.5": ("", "500m", True),
    "1.5": ("", "1500m", True),
    "1000": ("", "1k", True),
    "1.5Gi": ("", "1536Mi", False),
    "0.5Mi": ("", "512Ki", False),
    "0.1m": ("", "100u", False),
    "12n": ("12n", "12n", False),
    "100Mi": ("100Mi", "100Mi", False),
    "250m": ("250m", "250m", False),
    "1": ("1", "1", False),
    "1G": ("1G", "1G", False),
    "1e3": ("1e3", "1e3", False),
    "0": ("0", "0", False),
}
"""By a text, what apimachinery 0.37.1 and 0.38.0-alpha.2 keep of it, as both printed with ``%#v``, and
whether they differ still after ``RoundUp(-3)``, as in a resource list."""


@pytest.mark.parametrize("text", sliced(TEXTS, ("64Mi", "1Mi", "1000m", "1.5Gi", "0")))
def test_quantities_whose_text_1_38_keeps_give_a_static_pod_another_uid(
    run: Run, tmp_path: Path, catalog: Catalog, text: str
) -> None:
    before, after, differs = TEXTS[text]
    assert quantity.parse(text)[2] == before
    assert (before or quantity.canonical(quantity.parse(text))) == after
    added(run, tmp_path, catalog, release="1.38.0-alpha.2")
    small = mirror_pod({**C, "resources": {"requests": {"memory": text}}})
    plan = ("plan", "--from", "1.37.1", "--to", "1.38.0-alpha.2", "-o", "json", "-f", "-")
    verdict, rule = ("RESTART", "HC022") if differs else ("UNKNOWN", "HC007")
    item = run(*plan, stdin=as_json(small)).item
    assert (item["verdict"], item["reasons"][0]["id"]) == (verdict, rule)
    volume = {"name": "v", "emptyDir": {"sizeLimit": text}}
    item = run(*plan, stdin=as_json(mirror_pod(C, spec={"volumes": [volume]}))).item
    assert (item["verdict"] == "RESTART") is (before != after)
    manifests = tmp_path / "manifests"
    manifests.mkdir()
    static = ("--static-pod-dir", manifests, "--node-name", "n1", "--static-pod-path", "/m")
    for uid, expected in (("", (verdict, rule)), (PINNED, ("KEEP", ""))):
        metadata = {"name": "p", "namespace": "ns", **({"uid": uid} if uid else {})}
        written = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": small["spec"]}
        (manifests / "p.json").write_text(json.dumps(written))
        item = run(*plan, *static, stdin=as_json(node("v1.37.1"))).item
        assert (item["verdict"], "".join(reason["id"] for reason in item["reasons"])) == expected


@pytest.mark.parametrize(("key", "verdict"), [("MLDSA65", "KILL"), ("ED25519", "KEEP")])
def test_1_38_refuses_keys_that_its_node_does_not_declare(
    run: Run, tmp_path: Path, catalog: Catalog, key: str, verdict: str
) -> None:
    added(run, tmp_path, catalog, release="1.38.0-alpha.2")
    sources = [{"podCertificate": {"signerName": "example.com/s", "keyType": key}}]
    spec = {"volumes": [{"name": "v", "projected": {"sources": sources}}]}
    plan = ("plan", "--from", "1.37.1", "--to", "1.38.0-alpha.2", "-o", "json", "-f", "-")
    item = run(*plan, stdin=as_json(pod(C, spec=spec))).item
    assert item["verdict"] == verdict
    assert ("HC043" in [reason["id"] for reason in item["reasons"]]) is (verdict == "KILL")


def test_a_pre_release_is_added_for_trying_and_no_other_name_means_it(
    run: Run, tmp_path: Path, catalog: Catalog
) -> None:
    newest = catalog.known.newest
    added(run, tmp_path, catalog, release=f"v{NEXT}.0-beta.1")
    assert f"{NEXT}.0-beta.1, added, a pre-release" in run("releases").out
    last = run("releases", "-o", "json").document["items"][-1]
    assert (last["releases"], last["preRelease"], last["userAdded"]) == ([f"{NEXT}.0-beta.1"], True, True)
    assert run("version", "-o", "json").document["newestKubelet"] == newest
    plan = ("plan", "--from", newest, "--sample", "-o", "json", "--to")
    assert run(*plan, "latest").document["spec"]["to"] == newest
    assert run(*plan, f"v{NEXT}.0-beta.1").document["spec"]["to"] == f"v{NEXT}.0-beta.1"
    only = run(*plan, NEXT)
    assert (only.code, f"of this minor only the pre-release {NEXT}.0-beta.1 is known" in only.err) == (
        64,
        True,
    )
    for name in (f"{NEXT}.0-beta.2", f"{NEXT}.0-rc.0"):
        refused = run(*plan, name)
        assert (refused.code, "is a pre-release" in refused.err) == (64, True)
    for name in (f"{NEXT}.0", f"{NEXT}.1"):
        refused = run(*plan, name)
        assert (refused.code, "is not a known kubelet release" in refused.err) == (64, True)
    assert NEXT not in run("matrix", "--from", newest).out
    added(run, tmp_path, catalog, release=f"{NEXT}.0")
    assert "pre-release" not in run("releases").out
    assert run(*plan, "latest").document["spec"]["to"] == f"{NEXT}.0"


def test_a_release_without_any_change_shares_the_tree(run: Run, tmp_path: Path, catalog: Catalog) -> None:
    added(run, tmp_path, catalog)
    assert run("releases", "-o", "json").items[-1]["types"] == catalog.newest_schema().name


def test_several_minors_stand_in_order(run: Run, tmp_path: Path, catalog: Catalog) -> None:
    later = f"1.{int(NEXT.partition('.')[2]) + 1}"
    added(run, tmp_path, catalog, MOOD, release=f"{later}.2")
    added(run, tmp_path, catalog)
    assert run("releases", "-o", "name").out.splitlines()[-2:] == [f"{NEXT}.0", f"{later}.2"]


def test_what_the_program_knows_by_now_is_its_own(
    run: Run, tmp_path: Path, catalog: Catalog, data: Path
) -> None:
    added(run, tmp_path, catalog, MOOD)
    document = json.loads((data / f"{NEXT}.json").read_text())
    (data / f"{NEXT}.json").write_text(json.dumps({**document, "release": catalog.releases()[-1]}))
    assert {row["userAdded"] for row in run("releases", "-o", "json").items} == {False}


@pytest.mark.parametrize("name", ["1.9.11", "1.36.99", f"{NEXT}.0-eks-1", "1.37.9-rc.0", "1.38"])
def test_only_newer_releases_of_upstream_are_added(run: Run, data: Path, name: str) -> None:
    result = run("releases", "--add", name, "--types", "none.go")
    assert (result.code, result.out, data.exists()) == (64, "", False)


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ("\tWhen metav1.Time", "metav1.Time is not defined in it; this program has to learn that type first"),
        ("\tMood Mood", "Mood is not defined in it; this program has to learn that type first"),
        ("\tMood = ;", "not Go; want core/v1/types.go of k8s.io/api"),
        ("\tInner *Container", "the type Container contains itself, so no text of it would end"),
        ("\tMoods []Mood\n}\ntype Mood struct {\n\tLater map[string]Mood", "the type Mood contains itself"),
        ("\tMoods map[int]string", "no container's JSON decodes into the Go type map[int]string"),
    ],
)
def test_what_cannot_be_read_is_named_and_not_saved(
    run: Run, tmp_path: Path, catalog: Catalog, data: Path, more: str, problem: str
) -> None:
    path = tmp_path / "types.go"
    path.write_text(go_source(dict(catalog.newest_schema().tree), more))
    result = run("releases", "--add", f"{NEXT}.0", "--types", path)
    assert (result.code, result.out, data.exists()) == (1, "", False)
    assert result.err.startswith(f"Error: {path}: ")
    assert problem in result.err
    assert result.err.count("\n") == 1


def test_a_file_of_other_types(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.go").write_text("package v1\n")
    result = run("releases", "--add", f"{NEXT}.0", "--types", tmp_path / "t.go")
    assert (result.code, result.err) == (
        1,
        f"Error: {tmp_path}/t.go: no type Container in it; want core/v1/types.go of k8s.io/api\n",
    )


NAME = {"name": "Name", "type": "string", "json": "name"}
TREE: dict[str, Any] = {
    "package": "v1",
    "releases": "1.38.0",
    "madeFrom": "x",
    "root": "Container",
    "types": {"Container": [NAME]},
}


def of_fields(*rows: Any) -> str:
    return json.dumps({**TREE, "release": "1.38.0", "types": {"Container": list(rows)}})


DAMAGED: dict[str, tuple[str, str]] = {
    "cut short": ('{"release": "1.38', "damaged release data"),
    "empty": ("", "damaged release data"),
    "a key is missing": ('{"release": "1.38.0"}', "not an added release: package is missing"),
    "no object": ("[]", "not an added release"),
    "no release": (json.dumps({**TREE, "release": "soon"}), "not an added release: 'soon'"),
    "a release that is no text": (json.dumps({**TREE, "release": 1}), "not an added release"),
    "no types": (json.dumps({**TREE, "release": "1.38.0", "types": {}}), "names Container"),
    "an unknown type": (
        json.dumps({**TREE, "release": "1.38.0", "types": {"Container": [{"name": "Mood", "type": "Mood"}]}}),
        "names Mood",
    ),
    "a container without an image": (json.dumps({**TREE, "release": "1.38.0"}), "has no field image"),
    "a key that is no text": (
        json.dumps({**TREE, "release": "1.38.0", "types": {"Container": [{**NAME, "json": {}}]}}),
        "types.Container[0].json",
    ),
    "types of another form": (json.dumps({**TREE, "release": "1.38.0", "types": 7}), "not an added release"),
    "not UTF-8": ("\udcff", "damaged release data"),
    "a number of 5,000 digits": ('{"release": ' + "1" * 5000 + "}", "damaged release data"),
    "nested too deep": ("[" * 100_000, "damaged release data"),
    "too large": (json.dumps({**TREE, "release": "1.38.0", "madeFrom": "x" * (1 << 20)}), "larger than"),
    "a key of another version": (json.dumps({**TREE, "release": "1.38.0", "form": 2}), "form is not known"),
    "a vendor's release": (json.dumps({**TREE, "release": "1.38.0-eks-1"}), "not an upstream release"),
    "another root": (json.dumps({**TREE, "release": "1.38.0", "root": "Name"}), "root: want Container"),
    "a package that is no name": (json.dumps({**TREE, "release": "1.38.0", "package": ""}), "not a name"),
    "a field that is no object": (of_fields("Name"), "types.Container[0]: want an object, got a string"),
    "a field without a type": (of_fields({"name": "A"}), "types.Container[0].type is missing"),
    "a field with a number for a name": (
        of_fields({"name": 7, "type": "string"}),
        "types.Container[0].name: want a string, got an integer",
    ),
    "a field whose name is no name": (
        of_fields({"name": "A\n", "type": "string"}),
        "[0].name: not a name",
    ),
    "a word for a truth value": (
        of_fields({"name": "A", "type": "string", "omitempty": "no"}),
        "types.Container[0].omitempty: want true or false, got a string",
    ),
    "a recursive type": (of_fields({"name": "A", "type": "*Container"}), "Container contains itself"),
    "a type that is too deep": (of_fields({"name": "A", "type": "*" * 10_000 + "string"}), "nested too deep"),
    "a type that JSON does not decode into": (
        of_fields({"name": "A", "type": "float64"}),
        "type float64",
    ),
    "a map by numbers": (of_fields({"name": "A", "type": "map[int]string"}), "the Go type map[int]string"),
    "a large array": (
        of_fields({"name": "A", "type": "[99999999999]string"}),
        "the Go type [99999999999]string",
    ),
    "an array larger than any": (of_fields({"name": "A", "type": f"[{'9' * 5000}]string"}), "names [999"),
    "a type that is a number": (
        json.dumps({**TREE, "release": "1.38.0", "types": {"Container": 7}}),
        "types.Container: want a list of fields or a string, got an integer",
    ),
    "a release of 5,000 digits": (
        json.dumps({**TREE, "release": "1.38." + "1" * 5000}),
        "is not a kubelet release",
    ),
    "no type of Go": (of_fields({"name": "A", "type": "map[string"}), "not a Go type"),
    "an image that is a pointer": (
        of_fields(NAME, {"name": "Image", "type": "*string", "json": "image"}),
        "the field image of its container is of another type than string",
    ),
    "types that double at every level": (
        json.dumps(
            {
                **TREE,
                "release": "1.38.0",
                "types": {
                    "Container": [{"name": "A", "type": "T0"}],
                    **{f"T{n}": [{"name": x, "type": f"T{n + 1}"} for x in "AB"] for n in range(50)},
                    "T50": "string",
                },
            }
        ),
        "more than 50,000 types",
    ),
}


@pytest.mark.parametrize(("content", "problem"), DAMAGED.values(), ids=DAMAGED)
def test_without_a_damaged_release_every_other_is_there(
    run: Run, data: Path, catalog: Catalog, content: str, problem: str
) -> None:
    data.mkdir(parents=True)
    path = data / "1.38.json"
    path.write_text(content, errors="surrogateescape")
    result = run("releases", "-o", "name")
    assert (result.code, result.out.splitlines()) == (0, list(catalog.known.names))
    assert result.err.startswith(f"Warning: {path}: ")
    assert problem in result.err
    assert result.err.endswith(f"; ignored; remove it with: rm {path}\n")


@pytest.mark.parametrize(
    ("argv", "warns"),
    [
        (("version",), True),
        (("hash", "--kubelet", "1.9.11", "--sample"), True),
        (("plan", "--from", "1.8.15", "--to", "1.9.11", "--sample"), True),
        (("plan", "--from", "1.8.15", "--to", "1.9.11", "--sample", "-q"), False),
        (("--version",), False),
        (("releases", "--help"), False),
    ],
)
def test_a_damaged_release_hinders_no_command(
    run: Run, data: Path, argv: tuple[str, ...], warns: bool
) -> None:
    data.mkdir(parents=True)
    (data / "1.38.json").write_text("{")
    result = run(*argv)
    assert (result.code, f"{data}/1.38.json" in result.err) == (0, warns), result.err


def test_a_damaged_release_hinders_no_other_that_was_added(
    run: Run, tmp_path: Path, catalog: Catalog, data: Path
) -> None:
    added(run, tmp_path, catalog)
    (data / "0.json").write_text("{")
    assert run("releases", "-o", "name").out.splitlines()[-1] == f"{NEXT}.0"


@pytest.mark.parametrize("kind", ["directory", "pipe", "dangling link", "endless"])
def test_what_is_not_a_file_is_passed_over(run: Run, data: Path, kind: str) -> None:
    path = data / "1.38.json"
    data.mkdir(parents=True)
    match kind:
        case "directory":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "endless":
            path.symlink_to("/dev/zero")
        case _:
            path.symlink_to("nowhere")
    result = run("version")
    assert (result.code, result.err.count("\n")) == (0, 1)
    assert result.err.startswith(f"Warning: {path}: ")
    assert ("rm -r " in result.err) == (kind == "directory")


def test_a_file_in_place_of_the_directory_is_one_warning(run: Run, data: Path) -> None:
    data.parent.mkdir(parents=True, exist_ok=True)
    data.write_text("")
    result = run("version")
    problem = f"Warning: {data}: cannot read added releases: Not a directory\n"
    assert (result.code, result.err) == (0, problem)


@pytest.mark.slow
def test_two_that_add_at_the_same_time_leave_one_whole_file(
    run: Run, tmp_path: Path, catalog: Catalog, data: Path
) -> None:
    path = tmp_path / "types.go"
    path.write_text(go_source(dict(catalog.newest_schema().tree), MOOD))
    command = [sys.executable, "-m", "hashcompat", "releases", "--add", f"{NEXT}.0", "--types", str(path)]
    environment = {**os.environ, "HASHCOMPAT_DATA": str(data.parent)}
    adding = [subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) for _ in range(3)]
    assert [process.wait(60) for process in adding] == [0, 0, 0]
    assert [file.name for file in data.iterdir()] == [f"{NEXT}.json"]
    assert run("releases", "-o", "name").out.splitlines()[-1] == f"{NEXT}.0"


def test_a_directory_of_several_files(run: Run, tmp_path: Path) -> None:
    for name in ("types.go", "more.go"):
        (tmp_path / name).write_text("package v1\n")
    result = run("releases", "--add", f"{NEXT}.0", "--types", tmp_path)
    assert (result.code, result.err) == (
        1,
        f"Error: {tmp_path}: 2 Go files in this directory; name core/v1/types.go itself\n",
    )


def test_types_come_from_a_url_too(
    run: Run, tmp_path: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "types.go").write_text(go_source(dict(catalog.newest_schema().tree), MOOD))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    listening = ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    )
    thread = threading.Thread(target=listening.serve_forever, args=(0.01,))
    thread.start()
    url = f"http://127.0.0.1:{listening.server_port}/types.go"
    try:
        result = run("releases", "--add", f"{NEXT}.0", "--types", url)
    finally:
        listening.shutdown()
        thread.join()
        listening.server_close()
    assert result.code == 0, result.err
    assert run("releases", "-o", "json").items[-1]["madeFrom"] == url


def test_without_the_parser_the_extra_is_named(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    (tmp_path / "types.go").write_text("package v1\n")
    result = run("releases", "--add", f"{NEXT}.0", "--types", tmp_path / "types.go")
    assert (result.code, result.err) == (
        64,
        "Error: reading Go needs a parser; install it with: pip install tree-sitter tree-sitter-go\n",
    )


@pytest.mark.parametrize("argv", [("--types", "t.go"), ("--add", f"{NEXT}.0", "--schemas", "d")])
def test_options_that_do_not_go_together(run: Run, argv: tuple[str, ...]) -> None:
    assert run("releases", *argv).code in (1, 64)


def test_a_place_that_cannot_be_written(run: Run, tmp_path: Path, catalog: Catalog) -> None:
    (tmp_path / "data").write_text("a file")
    path = tmp_path / "types.go"
    path.write_text(go_source(dict(catalog.newest_schema().tree)))
    result = run("releases", "--add", f"{NEXT}.0", "--types", path)
    assert (result.code, result.err.startswith(f"Error: {tmp_path}/data/releases: cannot write: ")) == (
        1,
        True,
    )


def test_the_usual_place_is_the_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HASHCOMPAT_DATA")
    assert files.user_directory().parts[-2:] == ("hashcompat", "releases")
