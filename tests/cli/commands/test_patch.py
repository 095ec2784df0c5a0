"""The command patch: what it prints, what it refuses, and that nothing is half written.

Kubernetes' own source is not part of this project, so the trees here hold functions of the same names, and
the release data their sums.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from hashcompat.analysis.patching import strip as stripping
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.errors import UsageError
from scripts.sample.pods import TOKEN_PATH
from tests.helpers.pods import as_json, pod, same_uid
from tests.helpers.program import ROOT, Run

HELPERS = """package container

import (
	"hash/fnv"

	"k8s.io/api/core/v1"
	hashutil "k8s.io/kubernetes/pkg/util/hash"
)

func HashContainer(container *v1.Container) uint64 {
	sum := fnv.New32a()
	hashutil.DeepHashObject(sum, container)
	return uint64(sum.Sum32())
}
"""
MANAGER = """package kuberuntime

import (
	"k8s.io/api/core/v1"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
)

func containerChanged(container *v1.Container, containerStatus *kubecontainer.ContainerStatus) \
(uint64, uint64, bool) {
	expectedHash := kubecontainer.HashContainer(container)
	return expectedHash, containerStatus.Hash, expectedHash != containerStatus.Hash
}
"""
FILES = {
    "pkg/kubelet/container/helpers.go": HELPERS,
    "pkg/kubelet/kuberuntime/kuberuntime_manager.go": MANAGER,
}
UP = ("patch", "--kubelet", "1.9.11", "--like", "1.7.16")


@pytest.fixture(scope="module")
def schemas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return with_sums(tmp_path_factory.mktemp("data") / "schemas")


def with_sums(directory: Path) -> Path:
    """Copy the release data, with the sums of the functions above for 1.9."""
    shutil.copytree(ROOT / "schemas", directory)
    data = json.loads((directory / "tables" / "patch.json").read_text())
    for row in data["functions"]:
        for file, text in FILES.items():
            if (
                row["file"] == file
                and row["releases"].startswith(">=1.")
                and (">=1.7," in row["releases"] or ">=1.8," in row["releases"])
            ):
                match = re.search(rf"^func {row['name']}\(.*?^}}\n", text, re.MULTILINE | re.DOTALL)
                assert match
                row["sha256"] = hashlib.sha256(match[0].encode()).hexdigest()
    (directory / "tables" / "patch.json").write_text(json.dumps(data))
    return directory


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return with_functions(tmp_path / "tree")


def with_functions(directory: Path) -> Path:
    """Write a source tree with the functions above."""
    for name, text in FILES.items():
        (directory / name).parent.mkdir(parents=True)
        (directory / name).write_text(text)
    return directory


def git(directory: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@localhost", *arguments]
    return subprocess.run(command, cwd=directory, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("strategy", ["accept", "pin", "strip"])
def test_git_takes_the_patch_and_its_diffstat_is_gits_own(
    run: Run, schemas: Path, tree: Path, tmp_path: Path, strategy: str
) -> None:
    result = run(
        *UP, "--strategy", strategy, "--tree", tree, "--schemas", schemas, "--out", tmp_path / "p.patch"
    )
    assert (result.code, result.out) == (0, "")
    first, second = result.err.splitlines()
    assert first.startswith(
        "The patch changes no UID. Every static pod without a uid in its manifest restarts"
    )
    assert second == f"Wrote {tmp_path / 'p.patch'}; apply it with: git am {tmp_path / 'p.patch'}"
    git(tree, "init", "--quiet")
    git(tree, "add", "--all")
    git(tree, "commit", "--quiet", "--message", "pristine")
    git(tree, "apply", "--check", str(tmp_path / "p.patch"))
    git(tree, "am", str(tmp_path / "p.patch"))
    text = (tmp_path / "p.patch").read_text()
    said = re.findall(r"^ (\S+) +\| +(\d+) ", text, re.MULTILINE)
    counted = [line.split("\t") for line in git(tree, "diff", "--numstat", "HEAD~1").splitlines()]
    assert said == [(path, str(int(added) + int(removed))) for added, removed, path in counted]
    assert git(tree, "log", "-1", "--format=%s").strip() in text.replace("\n ", " ")


def test_the_same_patch_has_the_same_bytes(run: Run, schemas: Path, tree: Path) -> None:
    first, second = (run(*UP, "--tree", tree, "--schemas", schemas).out for _ in range(2))
    assert first == second
    assert first.startswith("From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\nFrom: ")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            ("\treturn expectedHash,", "\tlog()\n\treturn expectedHash,"),
            "hunk containerChanged: func containerChanged is not upstream's",
        ),
        (
            ("func containerChanged", "func changed"),
            "hunk containerChanged: there is no func containerChanged",
        ),
        (
            ("package kuberuntime", "package kuberuntime // hashlike.Accepts("),
            "hunk containerChanged: already patched",
        ),
    ],
    ids=["vendor", "other-tag", "patched"],
)
def test_a_tree_that_is_not_the_tag_is_refused_by_file_and_hunk(
    run: Run, schemas: Path, tree: Path, tmp_path: Path, change: tuple[str, str], problem: str
) -> None:
    name = "pkg/kubelet/kuberuntime/kuberuntime_manager.go"
    (tree / name).write_text(MANAGER.replace(*change))
    result = run(*UP, "--tree", tree, "--schemas", schemas, "--out", tmp_path / "p.patch")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"Error: {name}: {problem}")
    assert not (tmp_path / "p.patch").exists()


def test_a_tree_of_another_minor_is_known_by_its_changelogs(run: Run, schemas: Path, tree: Path) -> None:
    (tree / "CHANGELOG-1.14.md").touch()
    result = run(*UP, "--tree", tree, "--schemas", schemas)
    assert (result.code, result.out) == (2, "")
    assert "a source tree of Kubernetes 1.14 by its changelogs, not of v1.9.11" in result.err


def test_a_tree_without_the_file_names_it(run: Run, schemas: Path, tmp_path: Path) -> None:
    result = run(*UP, "--tree", tmp_path, "--schemas", schemas)
    assert (result.code, result.out) == (1, "")
    assert "kuberuntime_manager.go: cannot read" in result.err
    assert result.err.endswith("; --tree wants the root of a Kubernetes source tree\n")
    assert run(*UP, "--tree", tmp_path / "none").code == 1


@pytest.fixture
def server(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Serve the tree at /v1.9.11/ and keep the cache out of the user's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    tree.rename(tmp_path / "v1.9.11")
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{http.server_port}/{{tag}}/{{path}}"
        http.shutdown()


def test_source_is_downloaded_once_and_its_checksum_shown(
    run: Run, schemas: Path, server: str, tmp_path: Path
) -> None:
    first = run(*UP, "--source-url", server, "--schemas", schemas)
    assert first.code == 0
    assert f"{hashlib.sha256(MANAGER.encode()).hexdigest()}  http://127.0.0.1:" in first.err
    shutil.rmtree(tmp_path / "v1.9.11")
    assert run(*UP, "--source-url", server, "--schemas", schemas).out == first.out


def test_without_source_the_change_is_told_in_words(run: Run, schemas: Path, server: str) -> None:
    result = run(
        "patch", "--kubelet", "1.8.15", "--like", "1.7.16", "--source-url", server, "--schemas", schemas
    )
    assert result.code == 1
    assert "=== new file pkg/kubelet/container/hashlike/kubelet1716/types.go" in result.out
    assert "in func containerChanged, before the line `return expectedHash, ...`" in result.out
    assert re.search(
        r"kuberuntime_manager\.go: the server answered 404 .*; a patch needs the source: --tree DIR",
        result.err,
    )


@pytest.mark.parametrize(
    ("kubelet", "like"),
    [
        ("1.11.10", "1.10.13"),
        ("1.30.14", "1.27.16"),
        ("1.27.15", "1.16.15"),
        ("1.36.3", "1.31.14"),
        ("1.9.11", "1.9.0"),
    ],
)
def test_where_releases_hash_alike_no_patch_is_needed(run: Run, kubelet: str, like: str) -> None:
    result = run("patch", "--kubelet", kubelet, "--like", like)
    assert (result.code, result.out) == (0, "")
    assert result.err.startswith(f"No patch needed: {like}, {kubelet} hash a container alike as long as")
    restarts = "Every static pod without a uid in its manifest restarts" in result.err
    assert restarts is not same_uid(kubelet, like)


def test_static_pods_that_restart_nevertheless_are_named_by_their_types(run: Run) -> None:
    said = run("patch", "--kubelet", "1.29.15", "--like", "1.28.15").err
    assert "A static pod without a uid in its manifest restarts if it has one of LifecycleHandler, " in said


@pytest.mark.parametrize("like", ["1.31.14", "1.31.14,1.31.14"])
def test_no_patch_is_needed_for_a_release_s_own_hashes(run: Run, like: str) -> None:
    result = run("patch", "--kubelet", "1.31.14", "--like", like)
    assert (result.code, result.out) == (0, "")
    assert result.err.startswith("No patch needed: 1.31.14 already accepts its own hashes.\n")


def test_what_restarts_for_resources_that_were_not_recorded_does_so_under_a_patch_too(run: Run) -> None:
    """1.36 resizes what has no record, which no kubelet before 1.33 wrote."""
    words = "Every container with resources and the resizePolicy RestartContainer for these restarts"
    assert words in run("patch", "--kubelet", "1.36.3", "--like", "1.31.14").err
    assert words not in run("patch", "--kubelet", "1.36.3", "--like", "1.33.13").err
    assert words in run("explain", "--from", "1.32", "--to", "1.33").out
    assert words not in run("explain", "--from", "1.33", "--to", "1.34").out


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--like", "1.7.16"), "--kubelet is missing"),
        (("--kubelet", "1.9.11"), "--like is missing"),
        (("--kubelet", "9.9.9", "--like", "1.7.16"), "'9.9.9' is not a known kubelet release"),
        (("--kubelet", "1.7.16", "--like", "1.9.11"), "only kubelets from 1.8 on can be patched"),
        (("--kubelet", "1.9.11", "--like", "1.5.8"), "1.5.8: 1.9.11 cannot compute its hash"),
        (
            ("--kubelet", "1.9.11", "--like", "1.7.16,1.8.15", "--strategy", "pin"),
            "strategy pin: give one release with --like",
        ),
        (
            ("--kubelet", "1.36.3", "--like", "1.30.14", "--strategy", "pin"),
            "would restart the container; take the strategy accept, or add --force",
        ),
        (
            ("--kubelet", "1.16.15", "--like", "1.15.12", "--strategy", "strip"),
            "1.16.15 hashes no text of unset fields",
        ),
        (
            ("--kubelet", "1.15.12", "--like", "1.16.15", "--strategy", "strip"),
            "1.16.15 hashes no text of unset fields",
        ),
        (
            ("--kubelet", "1.9.11", "--like", "1.7.16,1.8.15", "--strategy", "strip"),
            "strategy strip: give one release",
        ),
        (
            ("--kubelet", "1.7.16", "--like", "1.6.13", "--strategy", "strip"),
            "only kubelets from 1.8 on can be patched",
        ),
        (("--kubelet", "1.8.15", "--like", "1.9.11", "--strategy", "strip"), "removed or renamed"),
        (
            ("--kubelet", "1.9.11", "--like", "1.7.16", "--strategy", "accept", "--audit", "--sample"),
            "--audit finds what --strategy strip gets wrong, and accept gets nothing wrong",
        ),
        *(
            (
                ("--kubelet", "1.9.11", "--like", "1.7.16", "--tree", "none", *words),
                f"{words[0]} goes with --audit",
            )
            for words in (
                ("-f", "none"),
                ("--sample",),
                ("-n", "shop"),
                ("--context", "c"),
                ("--static-pod-dir", "d"),
            )
        ),
        *(
            (
                ("--kubelet", "1.9.11", "--like", "1.7.16", "--audit", "--sample", *words),
                f"{words[0]} is for a patch, and --audit makes none",
            )
            for words in (("--tree", "d"), ("--until", "1.12.0"), ("--article",), ("--force",))
        ),
        (("--kubelet", "1.9.11", "--like", "1.7.16", "--until", "soon"), "'soon' is not a kubelet release"),
        (
            ("--kubelet", "1.9.11", "--like", "1.7.16", "--until", "1.12.0", "--strategy", "pin"),
            "--until: only --strategy accept",
        ),
        (("--kubelet", "1.9.11", "--like", "1.7.16", "--force"), "--force: only --strategy pin"),
        (
            (
                "--kubelet",
                "1.9.11",
                "--like",
                "1.7.16",
                "--tree",
                "d",
                "--source-url",
                "https://a/{tag}/{path}",
            ),
            "--tree and --source-url are two sources",
        ),
        (
            ("--kubelet", "1.9.11", "--like", "1.7.16", "--article"),
            "--article: only --strategy strip has this literal, global form",
        ),
        (
            ("--kubelet", "1.9.11", "--like", "1.7.16", "--accept-new-fields", "--strategy", "pin"),
            "--accept-new-fields: only --strategy accept looks at new fields",
        ),
    ],
)
def test_what_no_patch_can_do_is_a_usage_error_with_the_reason(
    run: Run, arguments: tuple[str, ...], problem: str
) -> None:
    result = run("patch", *arguments)
    assert (result.code, result.out) == (64, "")
    assert problem in result.err


PIECE = " VolumeDevices:([]v1.VolumeDevice)<nil>"


def test_the_audit_names_the_strings_that_would_be_cut_but_no_value(run: Run) -> None:
    hit = pod(
        {"name": "c", "ports": [{"containerPort": 80}], "args": ["ok", f"secret{PIECE}secret"]},
        {"name": "clean", "image": "i"},
    )
    result = run(*UP, "--audit", "-f", "-", "-o", "json", stdin=as_json(hit))
    assert result.code == 2
    assert [(item["container"], item["strings"], item["newFields"]) for item in result.items] == [
        ("c", ["args[1]"], [])
    ]
    assert "secret" not in result.out
    assert result.document["summary"] == {"containers": 2, "hit": 1}
    assert "1 of 2 containers would not hash as 1.7.16 hashes them" in result.err


@pytest.mark.parametrize("more", [(), ("--with-hashes",)])
@pytest.mark.parametrize("args", [[], [" VolumeDevices:([]v1.VolumeDevice)<nil>"]])
def test_the_audit_of_a_snapshot_is_refused_because_it_hides_the_strings(
    run: Run, more: tuple[str, ...], args: list[str]
) -> None:
    saved = run("snapshot", "-f", "-", *more, stdin=as_json(pod({"name": "c", "image": "i", "args": args})))
    result = run(*UP, "--audit", "-f", "-", stdin=saved.out.encode())
    assert (result.code, result.out) == (1, "")
    assert "a snapshot hides the strings that would be cut" in result.err


def test_the_audit_of_clean_pods_is_clean(run: Run) -> None:
    result = run(*UP, "--audit", "-f", "-", stdin=as_json(pod({"name": "c", "image": "i", "args": ["ok"]})))
    assert (result.code, result.out) == (0, "")


def replica(number: int, *args: str, owner: str = "ReplicaSet/web") -> dict[str, Any]:
    """Return one of a controller's pods, each with a name of its token mount."""
    kind, _, name = owner.partition("/")
    mount = {"name": f"kube-api-access-tok{number:02}", "mountPath": TOKEN_PATH}
    container = {"name": "c", "image": "i", "args": list(args), "volumeMounts": [mount]}
    references = [{"kind": kind, "name": name, "controller": True}]
    return pod(container, name=f"p{number}", metadata={"ownerReferences": references})


def test_the_audit_of_replicas_is_that_of_each_by_itself(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    pods = as_json(
        *(replica(number, f"a{PIECE}") for number in range(4)),
        *(replica(number, "ok", owner="Job/j") for number in range(4, 8)),
        *(replica(number, owner="StatefulSet/s") for number in range(8, 12)),
    )
    texts, strip = Counter[str](), stripping.stripped

    def counted(text: str, cuts: Sequence[stripping.Cut]) -> str:
        texts["stripped"] += 1
        return strip(text, cuts)

    monkeypatch.setattr(stripping, "stripped", counted)
    result = run(*UP, "--audit", "-f", "-", "-o", "json", stdin=pods)
    assert texts == {"stripped": 3}
    assert [(item["pod"], item["strings"]) for item in result.items] == [
        (f"p{number}", ["args[0]"]) for number in range(4)
    ]
    assert result.document["article"]["podTemplates"] == ["ns/ReplicaSet/web", "ns/StatefulSet/s"]
    monkeypatch.setattr(
        stripping._Checks, "_check", lambda self, pod, container, _: self._alone(pod, container)
    )
    assert run(*UP, "--audit", "-f", "-", "-o", "json", stdin=pods).out == result.out


def test_no_cut_depends_on_the_names_in_which_replicas_differ(catalog: Catalog) -> None:
    """Those have no parentheses; each word of what is cut has one."""
    names = catalog.known.newest_per_minor("1.1.8", "1.16.15")
    kubelets = [kubelet for kubelet in map(catalog.kubelet, names) if kubelet.era.prints_unset_fields]
    pieces = set[str]()
    for old, new in combinations(kubelets, 2):
        with suppress(UsageError):
            pieces |= {cut.piece for cut in stripping.cuts_between(old, new, catalog.server_defaults())}
    assert len(pieces) > 5
    assert all("(" in word for piece in pieces for word in piece.split())


@pytest.mark.parametrize(
    ("mounts", "changed"), [([{"name": "v", "mountPath": "/v"}], ["ns/Deployment/d"]), ([], [])]
)
def test_the_audit_of_templates_as_they_are_names_those_whose_hash_changes(
    mounts: list[Any], changed: list[str], run: Run
) -> None:
    template = {"spec": {"containers": [{"name": "c", "image": "i", "args": [], "volumeMounts": mounts}]}}
    given = {
        "kind": "Deployment",
        "metadata": {"name": "d", "namespace": "ns"},
        "spec": {"template": template},
    }
    way = ("patch", "--kubelet", "1.14.10", "--like", "1.13.12", "--strategy", "strip", "--audit")
    for more in ((), ("--no-defaults",)):
        result = run(*way, "-f", "-", "-o", "json", *more, stdin=as_json(given))
        assert (result.code, result.document["article"]["podTemplates"]) == (0, changed)


def test_the_audit_says_what_the_global_form_changes_besides(run: Run) -> None:
    owner = {"ownerReferences": [{"kind": "DaemonSet", "name": "d", "controller": True}]}
    static = {"uid": "0" * 32, "annotations": {"kubernetes.io/config.source": "file"}}
    container = {"name": "c", "image": "i", "securityContext": {}}
    pods = as_json(
        pod(container, metadata=owner),
        pod(container, metadata=static, name="s"),
        pod({"name": "c"}, name="n"),
    )
    result = run(*UP, "--audit", "-f", "-", "-o", "json", stdin=pods)
    assert result.document["article"] == {"staticPods": ["ns/s"], "podTemplates": ["ns/DaemonSet/d"]}
    assert run(*UP, "--audit", "-f", "-", "-o", "name", stdin=pods).out == ""


def test_the_audit_of_what_does_not_decode_is_an_error_with_its_path(run: Run) -> None:
    result = run(
        *UP, "--audit", "-f", "-", stdin=as_json(pod({"name": "c", "ports": [{"containerPort": "x"}]}))
    )
    assert (result.code, result.out) == (1, "")
    assert "$.spec.containers[0].ports[0].containerPort" in result.err


def test_a_static_pod_that_cannot_be_read_counts_as_changed(run: Run) -> None:
    static = {"uid": "0" * 32, "annotations": {"kubernetes.io/config.source": "file"}}
    odd = as_json(pod({"name": "c"}, metadata=static, spec={"hostname": 7}))
    assert run(*UP, "--audit", "-f", "-", "-o", "json", stdin=odd).document["article"]["staticPods"] == [
        "ns/p"
    ]
