"""Write the files that recorded command lines read: pods, manifests, records, snapshots, and bad input.

Some are the program's own answers (hashes become records, a plan's input becomes a snapshot), so they are
recorded and compared like any output.
"""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import yaml

from scripts.lib import golden
from scripts.lib.paths import CONTAINER_TYPES, CONTAINERS, SAMPLE, SCRIPTS, STATIC_PODS
from scripts.outputs import records
from scripts.outputs.records import Ask, Json, sample, write

_MANIFESTS: Final = SCRIPTS / "outputs" / "manifests"
_NEWEST: Final = CONTAINER_TYPES / "1.34.json"
"""The types to which an added release has one field more."""
_REFUSED: Final = "refused"
_START: Final = b'"container": '
_MOOD: Final = {"name": "Mood", "json": "mood", "type": "*Mood", "omitempty": True}
_BAD: Final = {
    "empty.json": b"",
    "comments.yaml": b"# nothing\n---\n",
    "broken.json": b'{"kind": "Pod",\n "spec": }',
    "broken.yaml": b"kind: Pod\nspec: [1, 2\nmore: x\n",
    "twice.yaml": b"kind: Pod\nkind: Pod\n",
    "binary.json": b"\x7fELF\x02\x01\x01\x00\x00",
    "truncated.json.gz": gzip.compress(b'{"kind": "List", "items": []}', mtime=0)[:-12],
    "service.yaml": b"{apiVersion: v1, kind: Service, metadata: {name: s}}\n",
    "no-kind.json": b'{"name": "x"}',
    "no-containers.json": b'{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {}}',
    "snapshot.json": b'{"kind": "ClusterSnapshot", "recorded": [{"uid": "u"}], "items": []}',
    "records.json": b'{"containers": []}',
    "types.go": b"package v1\n",
    "few-types.go": b'package v1\n\ntype Container struct {\n\tName string `json:"name"`\n}\n',
}
"""Files that are refused, by name."""
_TWICE: Final = ("json-bytes-kept", "json-read-as-yaml")
"""Static pods with a key twice, which kubelets take and this program refuses."""
_UNDECODABLE: Final = (
    {"name": "good", "image": "i"},
    {"name": "type", "image": "i", "ports": [{"containerPort": "80.5"}]},
    {"name": "quantity", "image": "i", "resources": {"limits": {"cpu": "a lot"}}},
)


def make(directory: Path, ask: Ask) -> None:
    """Write all inputs into an empty directory."""
    shutil.copytree(_MANIFESTS, directory, dirs_exist_ok=True)
    shutil.copyfile(SAMPLE, directory / "sample.json")
    _golden_pods(directory)
    _golden_directories(directory / "golden")
    _static_pods(directory)
    _packed(directory)
    _bad(directory / "bad")
    _live_cluster(directory)
    _added_release(directory)
    records.make(directory / "records", ask)
    recorded = "--recorded records/mixed-1.7.16.json --recorded records/pods.json"
    for name in ("snapshot.json", "snapshot.json.gz"):
        ask(f"snapshot --sample {recorded} --out {name}")
    ask("snapshot -f mixed.yaml --out mixed-snapshot.json")


def _golden_pods(directory: Path) -> None:
    """Write every golden container as a pod, its bytes as they are; as YAML those that have a text."""
    requests = golden.requests(CONTAINERS / golden.INPUTS)
    refused = {
        case
        for release in ("1.0.7", "1.1.8", "1.2.7")
        for value, case in _hashes(release)
        if value == _REFUSED
    }
    old = (_golden_pod(*request, has_uid=True) for request in requests.items() if request[0] not in refused)
    (directory / "golden-old.json").write_bytes(_listed(old))
    for name, has_uid in (("api", True), ("manifest", False)):
        pods = [_golden_pod(*request, has_uid=has_uid) for request in requests.items()]
        (directory / f"golden-{name}.json").write_bytes(_listed(pods))
        texts = [json.loads(text) for pod in pods if (text := _text(pod)) is not None]
        document = {"apiVersion": "v1", "kind": "List", "items": texts}
        (directory / f"golden-{name}.yaml").write_text(yaml.dump(document, Dumper=_Quoting, sort_keys=False))


class _Quoting(yaml.SafeDumper):
    """Quotes every string: this library leaves y as it is, which Go reads as a truth value."""


_Quoting.add_representer(
    str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')
)


def _hashes(release: str) -> list[tuple[str, str]]:
    """Return what real Go computed for each case, by release."""
    rows = golden.rows(CONTAINERS / f"{release}.jsonl")
    return [(str(row.get("hash", _REFUSED)), case) for case, row in rows.items()]


def _listed(pods: Iterable[bytes]) -> bytes:
    return b'{"apiVersion": "v1", "kind": "List", "items": [\n%b\n]}\n' % b",\n".join(pods)


def _golden_pod(case: str, request: bytes, *, has_uid: bool) -> bytes:
    """Return one golden container as a pod, which has a uid or only a name."""
    container = request[request.index(_START) + len(_START) : -1]
    name = case.encode()
    metadata = b'{"namespace": "golden", "name": "%b"%b}' % (
        name,
        b', "uid": "%b"' % name if has_uid else b"",
    )
    spec = b'{"nodeName": "n1", "containers": [%b]}' % container
    return b'{"apiVersion": "v1", "kind": "Pod", "metadata": %b, "spec": %b}' % (metadata, spec)


def _text(pod: bytes) -> str | None:
    """Return a pod's JSON, or None where YAML cannot say it: half characters, bytes that are not UTF-8."""
    try:
        text = pod.decode()
        json.dumps(json.loads(text), ensure_ascii=False).encode()
    except UnicodeError:
        return None
    return text


def _golden_directories(directory: Path) -> None:
    """Write golden directories for ``verify``: one that holds, one with a wrong hash, one that is damaged."""
    releases = ("1.5.8", "1.9.11", "1.27.16", "1.36.3")
    cases = [case for _, case in _hashes(releases[0])[::20]]
    for name in ("good", "tampered", "damaged"):
        golden.write_folders(directory / name, cases, releases)
        golden.write_lines(directory / f"{name}-lines", cases, releases)
    hashes = directory / "tampered" / "1.9.11" / "HASHES"
    hashes.write_text("".join(f"7{row}" for row in hashes.read_text().splitlines(keepends=True)))
    (directory / "damaged" / "1.9.11" / "HASHES").write_text("no hash\n")
    lines = directory / "tampered-lines" / "1.9.11.jsonl"
    lines.write_text(lines.read_text().replace('"hash": ', '"hash": 7'))
    (directory / "damaged-lines" / "1.9.11.jsonl").write_text('{"case": "emoji", "hash": 1}\n')


def _static_pods(directory: Path) -> None:
    """Write the golden static pods as a kubelet's directory has them; one alone; those that are refused."""
    for name in ("static", "static-one", "static-bad", "static-empty"):
        (directory / name).mkdir()
    for case, row in golden.rows(STATIC_PODS / golden.INPUTS).items():
        manifest = row["manifest"]
        suffix = ".json" if manifest.startswith("{") else ".yaml"
        place = "static-bad" if case in _TWICE else "static"
        (directory / place / f"{case}{suffix}").write_text(manifest)
    shutil.copyfile(directory / "static" / "kube-proxy.yaml", directory / "static-one" / "kube-proxy.yaml")


def _packed(directory: Path) -> None:
    """Write the same pods as JSON lines, gzipped, and in directories."""
    items = [*sample("Node"), *sample("Pod")]
    (directory / "tree" / "below").mkdir(parents=True)
    (directory / "tree" / "nodes.json").write_text(json.dumps(items[0]))
    (directory / "tree" / "pods.jsonl").write_text("".join(f"{json.dumps(item)}\n" for item in items[5:15]))
    packed = gzip.compress(json.dumps({"kind": "List", "items": items[15:25]}).encode(), mtime=0)
    (directory / "tree" / "below" / "more.json.gz").write_bytes(packed)
    (directory / "tree" / "below" / "templates.yaml").write_bytes((directory / "templates.yaml").read_bytes())


def _bad(directory: Path) -> None:
    directory.mkdir()
    for name, content in _BAD.items():
        (directory / name).write_bytes(content)
    metadata = {"name": "p", "namespace": "ns", "uid": "u"}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": _UNDECODABLE}}
    (directory / "undecodable.json").write_text(json.dumps(pod))


def _live_cluster(directory: Path) -> None:
    """Write the answers of the sample's API server, by path, as tests/helpers/fakekubectl.py reads them."""
    pods, nodes = sample("Pod"), sample("Node")
    shop = [pod for pod in pods if pod["metadata"]["namespace"] == "shop"]
    forbidden = {"kind": "Status", "message": 'pods is forbidden: User "u" cannot list resource "pods"'}
    answers = {
        "/api/v1/pods": [200, {"kind": "PodList", "items": pods}],
        "/api/v1/nodes": [200, {"kind": "NodeList", "items": nodes}],
        "/api/v1/nodes/node-b1": [200, nodes[2]],
        "/api/v1/namespaces/shop/pods": [200, {"kind": "PodList", "items": shop}],
        "/api/v1/namespaces/data/pods": [403, forbidden],
        "/api/v1/namespaces/empty/pods": [200, {"kind": "PodList", "items": []}],
    }
    write(directory / "answers.json", answers)


def _added_release(directory: Path) -> None:
    """Write a release that a user added, the same as Go source, and one that is damaged."""
    tree = json.loads(_NEWEST.read_text())
    types = {**tree["types"], "Container": [*tree["types"]["Container"], _MOOD], "Mood": "string"}
    added = {**tree, "release": "1.38.0", "releases": "1.38.0", "madeFrom": "types.go", "types": types}
    for name, document in (("data", added), ("data-damaged", {"release": "1.38.0"})):
        (directory / name / "releases").mkdir(parents=True)
        write(directory / name / "releases" / "1.38.json", document)
    lines = (f"type {name} {_go(described)}" for name, described in types.items())
    (directory / "types.go").write_text("\n\n".join(["package v1", *lines, ""]))


def _go(described: str | list[Json]) -> str:
    """Return a described type as Go."""
    if isinstance(described, str):
        return described
    rows = []
    for row in described:
        marks = {"inline": row.get("embedded"), "omitempty": row.get("omitempty")}
        tag = ",".join([row["json"], *(mark for mark, is_set in marks.items() if is_set)])
        rows.append(f'\t{"" if row.get("embedded") else row["name"]} {row["type"]} `json:"{tag}"`')
    return "\n".join(["struct {", *rows, "}"])
