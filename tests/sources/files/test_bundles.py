"""What tools collect of a cluster gives the plan of the plain dump, or says what it lacks."""

from __future__ import annotations

import gzip
import io
import json
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hashcompat.core.errors import InputError
from hashcompat.sources import content
from hashcompat.sources.files import collect, foreign
from tests.disruption.pods import budget, replica
from tests.helpers import bundles
from tests.helpers.pods import Json, as_json, node, pod
from tests.helpers.program import SAMPLE, Result, Run, ran, unplaced
from tests.helpers.slices import sliced

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_PODS: list[Json] = []
OBJECTS: list[Json] = []
for _one in json.loads(SAMPLE.read_text())["items"]:
    (_PODS if _one["kind"] == "Pod" else OBJECTS).append(_one)
OBJECTS += _PODS[::5]
PLAN = ("plan", "--to", "1.31", "-o", "json", "-A")


def in_order(result: Result) -> list[Any]:
    key = lambda item: (item["namespace"], item["pod"], item["container"])  # noqa: E731
    return sorted(unplaced(result.items), key=key)


@pytest.fixture(scope="module")
def plain() -> list[Any]:
    return in_order(ran(*PLAN, "-f", "-", stdin=as_json(*OBJECTS)))


DUMPS: dict[str, Callable[[], bundles.Files]] = {
    "a support bundle of troubleshoot.sh": lambda: bundles.support_bundle(OBJECTS),
    "an old support bundle": lambda: bundles.support_bundle(OBJECTS, arrays=True),
    "a support bundle without a directory": lambda: bundles.support_bundle(OBJECTS, root=""),
    "a must-gather": lambda: bundles.must_gather(OBJECTS),
    "a backup of Velero": lambda: bundles.backup(OBJECTS),
    "a directory of kubectl cluster-info dump": lambda: bundles.cluster_info_directory(OBJECTS),
    "any files": lambda: {"d/a.json": as_json(*OBJECTS), "d/README.md": "x", "d/values.yaml": "a: 1\n"},
}
FORMS: dict[str, Callable[[bytes], bytes]] = {"tar": bytes, "gzip": gzip.compress, "zstd": zstd.compress}


@pytest.mark.parametrize(
    ("name", "form"),
    sliced(
        [(name, form) for name in DUMPS for form in FORMS],
        [*((name, "gzip") for name in DUMPS), *(("a must-gather", form) for form in FORMS)],
    ),
)
def test_an_archive_gives_the_plan_of_the_plain_dump(
    run: Run, tmp_path: Path, plain: list[Any], name: str, form: str
) -> None:
    path = tmp_path / "bundle"
    path.write_bytes(FORMS[form](bundles.packed(DUMPS[name]())))
    result = run(*PLAN, "-f", path)
    assert result.code == 0, result.err
    assert in_order(result) == plain
    title = "a support bundle of troubleshoot.sh" if "support" in name else name
    assert (f"Warning: {path} is read as {title}: " in result.err) is (name != "any files")


UNPACKED = [name for name in DUMPS if name not in ("an old support bundle", "any files")]


@pytest.mark.parametrize("name", sliced(DUMPS, UNPACKED))
def test_an_unpacked_one_gives_the_same(run: Run, tmp_path: Path, plain: list[Any], name: str) -> None:
    for file, text in DUMPS[name]().items():
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert in_order(run(*PLAN, "-R", "-f", tmp_path)) == plain


def test_an_archive_may_come_from_a_pipe(run: Run, plain: list[Any]) -> None:
    packed = gzip.compress(bundles.packed(DUMPS["a must-gather"]()))
    assert in_order(run(*PLAN, "-f", "-", stdin=packed)) == plain


@pytest.mark.parametrize("bundle", [bundles.support_bundle, bundles.must_gather, bundles.backup])
def test_an_impact_has_the_budgets_and_services_of_a_bundle(
    run: Run, tmp_path: Path, bundle: Callable[[list[Json]], bundles.Files]
) -> None:
    spec = {"selector": {"app": "web"}}
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web", "namespace": "ns"},
        "spec": spec,
    }
    pods = [replica(f"web-{number}", f"n{number}") for number in range(4)]
    nodes = [node("v1.30.14", f"n{number}") for number in range(4)]
    objects = [*nodes, *pods, service, budget(minAvailable=1)]
    argv = ("impact", "--to", "1.31", "--batch", "9", "-o", "json", "-f")
    plain = run(*argv, "-", stdin=as_json(*objects))
    path = tmp_path / "bundle.tar"
    path.write_bytes(bundles.packed(bundle(objects)))
    packed = run(*argv, path)
    assert "UNKNOWN" not in plain.err + packed.err
    assert [packed.document[key] for key in ("summary", "batches")] == [
        plain.document[key] for key in ("summary", "batches")
    ]


@pytest.mark.parametrize(
    "bundle",
    [bundles.support_bundle, bundles.must_gather, bundles.backup, bundles.cluster_info_directory],
)
def test_a_bundle_is_as_old_as_its_newest_time(
    run: Run, tmp_path: Path, bundle: Callable[[list[Json]], bundles.Files]
) -> None:
    """Its files are of one time: a pod that began long ago, in a file of its own, does not make it old."""
    beat = {"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-01-12T08:59:00Z"}
    host = node("v1.30.14", "n1")
    host["status"]["conditions"] = [beat]
    state = {"running": {"startedAt": "2025-06-01T00:00:00Z"}}
    old = pod(name="old", node="n1", status={"containerStatuses": [{"name": "c", "state": state}]})
    new = pod(name="new", node="n1", metadata={"namespace": "other"}, status={"phase": "Pending"})
    objects = [host, old, new]
    path = tmp_path / "bundle.tar"
    path.write_bytes(bundles.packed(bundle(objects)))
    assert run(*PLAN, "-f", path).document["spec"]["source"]["takenAt"] == "2026-01-12T08:59:00Z"
    apart = tmp_path / "apart"
    apart.mkdir()
    for number, manifest in enumerate(objects):
        (apart / f"{number}.json").write_bytes(as_json(manifest))
    assert (
        "takenAt" not in run(*PLAN, "-f", apart).document["spec"]["source"]
        or not run(*PLAN, "-f", apart).document["spec"]["source"]["takenAt"]
    )


def test_an_array_of_objects_that_nothing_needs_is_passed_over(run: Run, tmp_path: Path) -> None:
    (tmp_path / "cluster-resources").mkdir()
    (tmp_path / "cluster-resources" / "replication-controllers.json").write_text("[]")
    (tmp_path / "pods.json").write_bytes(as_json(*OBJECTS))
    result = run(*PLAN, "-R", "-f", tmp_path)
    assert result.code == 0
    assert "skipped 1 file that holds no Kubernetes objects" in result.err


def test_what_a_collector_could_not_read_is_said(run: Run, tmp_path: Path) -> None:
    place = "support-bundle-1/cluster-resources/pods-errors.json"
    files = {**bundles.support_bundle(OBJECTS), place: '{"secret-ns": "pods is forbidden"}'}
    path = tmp_path / "bundle.tgz"
    path.write_bytes(bundles.packed(files))
    assert f"{path}: {place}: support bundle of troubleshoot.sh could not read everything: secret-ns" in (
        run(*PLAN, "-f", path).err
    )


class TestClusterInfoDump:
    def test_logs_between_lists_are_passed_over(self, run: Run, plain: list[Any]) -> None:
        result = run(*PLAN, "-f", "-", stdin=bundles.cluster_info_dump(OBJECTS).encode())
        assert result.code == 0, result.err
        assert in_order(result) == plain
        assert "cluster-info dump without -A" not in result.err

    def test_lines_are_those_of_the_file(self, run: Run, tmp_path: Path) -> None:
        text = bundles.cluster_info_dump([*OBJECTS, pod(name="last", metadata={"namespace": "zz"})])
        path = tmp_path / "dump.txt"
        path.write_text(text)
        item = run("plan", "--to", "1.31", "-o", "json", "-f", path, "--from", "1.30", "-n", "zz").item
        line = text.splitlines()[item["source"]["line"] - 1]
        assert '"name": "c"' in line or "{" in line

    def test_yaml_too(self, run: Run) -> None:
        listed = {
            "apiVersion": "v1",
            "items": bundles.bare([pod(status={"phase": "Running"})]),
            "kind": "PodList",
        }
        text = (
            bundles.as_yaml({**listed, "metadata": {}})
            + bundles.log(pod(), "c", "\x1b[31mred\n- a: b: c\n")
            + bundles.as_yaml({"kind": "Service", "metadata": {"name": "s"}})
        )
        result = run("plan", "--from", "1.30", "--to", "1.31", "-o", "json", "-f", "-", stdin=text.encode())
        assert result.item["pod"] == "p"

    def test_of_two_namespaces_is_said(self, run: Run) -> None:
        some = [
            manifest
            for manifest in OBJECTS
            if manifest["metadata"].get("namespace", "shop") in ("shop", "kube-system")
        ]
        result = run(*PLAN, "-f", "-", stdin=bundles.cluster_info_dump(some).encode())
        assert (
            "Warning: kubectl cluster-info dump without -A has the pods of kube-system and one more"
            in result.err
        )

    @pytest.mark.parametrize("size", [1, 7, 64, 1 << 18])
    def test_a_log_never_becomes_objects(self, size: int) -> None:
        """Whoever writes a log knows its container's name, and may fake the end and the beginning of one."""
        fake = as_json(pod(name="fake")).decode() + "\n"
        one, two = pod(), pod(name="q")
        begin, end = bundles.log(one, "c", "\n").split("\n\n")
        begin += "\n"
        faked = {
            "an end": end + fake,
            "an end, and its own beginning again": end + fake + begin,
            "an end, and the beginning of another": end
            + fake
            + bundles.log(two, "c", "").split("\n")[0]
            + "\n",
            "an end, and all of another": end + fake + bundles.log(two, "c", ""),
            "an end, in a comment of YAML": f"{end}kind: Pod\n# ",
            "a beginning": bundles.log(two, "c", "").split("\n")[0],
            "all of another": bundles.log(two, "c", ""),
        }
        for name, text in faked.items():
            dump = "{}\n" + bundles.log(one, "c", text) + bundles.log(two, "c", "x\n")
            pieces = ((dump[place : place + size], True) for place in range(0, len(dump), size))
            with pytest.raises(InputError, match=r"may be written to look like objects|do not end"):
                assert not list(foreign.without_logs(pieces)), name

    def test_text_in_a_string_is_no_log(self, run: Run) -> None:
        mark = bundles.log(pod(), "c", "")
        text = as_json(pod({"name": "c", "image": "i", "args": [mark, f"\n{mark}"]}))
        assert run("plan", "--from", "1.30", "--to", "1.31", "-f", "-", stdin=text).code == 0

    def test_a_cut_log_is_an_error(self, run: Run) -> None:
        text = bundles.cluster_info_dump(OBJECTS)
        cut = text[: text.rindex("==== END")]
        assert "do not end; is the file cut short?" in run(*PLAN, "-f", "-", stdin=cut.encode()).err


class TestHostile:
    def test_names_lead_nowhere(self, tmp_path: Path) -> None:
        inside = tmp_path / "in"
        inside.mkdir()
        path = inside / "a.tar"
        names = ("../out.json", "/etc/out.json", "a/../../../out.json")
        path.write_bytes(bundles.packed({name: as_json(pod(name=str(at))) for at, name in enumerate(names)}))
        assert len(list(collect.collect((str(path),)).pods)) == 3
        assert sorted(entry.name for entry in tmp_path.rglob("*")) == ["a.tar", "in"]

    def test_links_are_named_and_not_followed(self, run: Run, tmp_path: Path) -> None:
        secret = tmp_path / "secret.json"
        secret.write_bytes(as_json(pod(name="secret")))
        path = tmp_path / "a.tar"
        path.write_bytes(linked({"p.json": as_json(pod())}, {"l.json": str(secret), "h.json": "p.json"}))
        result = run("plan", "--from", "1.30", "--to", "1.31", "-o", "json", "-f", path)
        assert [item["pod"] for item in result.items] == ["p"]
        assert f"Warning: {path}: links are not followed: l.json, h.json" in result.err

    def test_archives_within_are_named_and_not_unpacked(self, run: Run, tmp_path: Path) -> None:
        inner = bundles.packed({"p.json": as_json(pod())})
        path = tmp_path / "a.tar"
        said = "archives in it are not unpacked, give each by itself: in/b.tar.gz, c.zip"
        path.write_bytes(bundles.packed({"in/b.tar.gz": inner, "c.zip": b"", "p.json": as_json(pod())}))
        result = run("plan", "--from", "1.30", "--to", "1.31", "-f", path)
        assert result.code == 0
        assert f"Warning: {path}: {said}" in result.err
        path.write_bytes(bundles.packed({"in/b.tar.gz": inner, "c.zip": b""}))
        result = run("plan", "--from", "1.30", "--to", "1.31", "-f", path)
        assert (result.code, result.out) == (1, "")
        assert result.err.splitlines()[-1].endswith(f"file in this archive; {said}")
        result = run("plan", "--from", "1.30", "--to", "1.31", "-f", tmp_path)
        assert result.err.splitlines()[-1].endswith("give each by itself: a.tar")

    @pytest.mark.parametrize("form", ["gzip", "zstd"])
    def test_a_bomb_is_refused(
        self, run: Run, tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(content, "_PACKED", 1 << 20)
        path = tmp_path / "a.tar"
        zeros = bytes(1 << 26)
        path.write_bytes(FORMS[form](bundles.packed({"p.json": as_json(pod()), "core": zeros})))
        result = run("plan", "--from", "1.30", "--to", "1.31", "-f", path)
        assert (result.code, result.out) == (1, "")
        assert (
            f"{form} data that unpacks to more than 500 times its size, as a decompression bomb" in result.err
        )

    def test_what_is_unpacked_is_limited(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("hashcompat.sources.content.MOST_BYTES", 1 << 20)
        path = tmp_path / "a.tar"
        path.write_bytes(gzip.compress(bundles.packed({"p.json": as_json(pod()) + b" " * (1 << 20)})))
        with pytest.raises(InputError, match="gzip data of more than 1 MiB"):
            collect.collect((str(path),))

    def test_an_archive_without_objects_is_named(self, run: Run, tmp_path: Path) -> None:
        path = tmp_path / "a.tar"
        path.write_bytes(bundles.packed({"a.txt": "x"}))
        result = run("plan", "--to", "1.31", "-f", path)
        assert f"Error: {path}: no .json, .jsonl, .ndjson, .yaml, .yml file in this archive" in result.err

    def test_a_cut_archive_is_an_error(self, run: Run, tmp_path: Path) -> None:
        path = tmp_path / "a.tar"
        path.write_bytes(bundles.packed(DUMPS["a must-gather"]())[:20_000])
        assert "damaged tar archive" in run("plan", "--to", "1.31", "-f", path).err


def linked(files: bundles.Files, links: dict[str, str]) -> bytes:
    stream = io.BytesIO(bundles.packed(files))
    with tarfile.open(fileobj=stream, mode="a") as tar:
        for name, to in links.items():
            row = tarfile.TarInfo(name)
            row.type, row.linkname = (tarfile.SYMTYPE if to.startswith("/") else tarfile.LNKTYPE), to
            tar.addfile(row)
    return stream.getvalue()


MADE = {
    "support-bundle-0.133.0": "a support bundle of troubleshoot.sh",
    "must-gather-oc-6b8e30c": "a must-gather",
    "velero-1.18.2": "a backup of Velero",
}


@pytest.mark.parametrize("tool", MADE)
@pytest.mark.parametrize("command", [("plan",), ("impact", "--batch", "3")], ids=["plan", "impact"])
def test_what_the_tool_itself_made_gives_what_the_plain_dump_gives(
    run: Run, tool: str, command: tuple[str, ...]
) -> None:
    """One cluster, by support-bundle, by ``oc adm inspect namespaces,nodes`` and by Velero's Backupper.

    The second one is in the directories that ``oc adm must-gather`` makes. ``collected.json`` is by kubectl.
    """
    place = Path(__file__)
    plain = run(*command, "--to", "1.31", "-o", "json", "-f", place.with_name("collected.json.gz"))
    made = run(*command, "--to", "1.31", "-o", "json", "-f", place.with_name(f"{tool}.tar.gz"))
    assert plain.code == made.code == 0, made.err
    assert f" is read as {MADE[tool]}: " in made.err
    assert "UNKNOWN" not in plain.err + made.err
    assert plain.document["spec"]["source"]["takenAt"] == made.document["spec"]["source"]["takenAt"]
    assert same(made) == same(plain)
    assert len(plain.items) == {"plan": 6, "impact": 3}[command[0]]


def same(result: Result) -> list[str]:
    return sorted(json.dumps(item, sort_keys=True) for item in unplaced(result.items))
