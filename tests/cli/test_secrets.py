"""Markers wherever a secret may be, through every command and every format: none of them comes out again.

The commands and formats are those of the program: one that is added without a row here fails.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
import yaml

import hashcompat
from hashcompat.cli.program import cli
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.sources.cluster.kubectl import target as kubectl_target
from tests.helpers import randomness
from tests.helpers.dumps import HEALTHY, Key, as_text, dump, failed
from tests.helpers.planted import MARK, Planter, holds, markers, misfits
from tests.helpers.pods import Json, as_json, listed, pod
from tests.helpers.program import Result, Run, files_in, formats_of, ran, reports
from tests.helpers.secretfiles import MARKER, SECRETS
from tests.helpers.upgrades import hash_changed, record

Words = tuple[str, ...]

ERAS = (
    ("1.7.16", "1.9.11"),
    ("1.18.0", "1.19.0"),
    ("1.30.0", "1.31.0"),
    ("1.31.0", "1.32.0"),
)
NO_OUTPUT_OF_PODS = {
    "collector",
    "fleet",
    "mcp",
    "rbac",
    "releases",
    "rules",
    "completion",
    "help",
    "version",
}
"""Commands that read nothing that could hold a secret; what fleet writes, tests/fleet looks through."""


@pytest.fixture(scope="module")
def planter(catalog: Catalog) -> Planter:
    return Planter(catalog)


@pytest.fixture(scope="module")
def places(planter: Planter, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return files with markers, by the words that stand for them in COMMANDS."""
    directory = tmp_path_factory.mktemp("planted")
    forms = (
        "https://u:{}@registry/app",
        "registry/app@{}",
        f"{{}}@registry/app@sha256:{'0f' * 32}",
        "r/a?key={}",
    )
    images = [
        {"name": f"c{number}", "image": form.format(planter.mark())} for number, form in enumerate(forms)
    ]
    objects = (
        planter.node("v1.30.0"),
        planter.pod("p"),
        planter.pod("images", *images),
        planter.mirror_pod("m"),
        planter.deployment("d"),
    )
    texts = {
        "CLUSTER": json.dumps(listed(*objects)),
        "PODS": json.dumps(listed(objects[0], objects[2], *briefly(planter))),
        "YAML": "".join(f"---\n{json.dumps(manifest, indent=1)}\n" for manifest in objects),
        "MANIFEST": json.dumps(planter.manifest("f")),
        "RECORDED": "\n".join(json.dumps(row) for row in recorded(planter)),
        "LOG": LOG.format(*(planter.mark() for _ in range(LOG.count("{}")))),
        "DUMP": as_text(dump(secret_probes(planter))),
        "MANIFESTS": json.dumps(planter.static_manifest("f")),
        "GOLDEN": json.dumps({"about": "", "source": "api", "container": planter.container()}),
    }
    made = {name: directory / name / f"{name.lower()}.json" for name in texts}
    made["GOLDEN"] = directory / "GOLDEN" / "inputs" / "c.json"
    for name, path in made.items():
        path.parent.mkdir(parents=True)
        path.write_text(texts[name])
    (directory / "GOLDEN" / "1.30.14").mkdir()
    (directory / "GOLDEN" / "1.30.14" / "HASHES").write_text("1  c\n")
    (directory / "GOLDEN" / "1.30.14" / "c.txt").write_text(
        f"(v1.Container){{Name:(string)c {planter.mark()}"
    )
    made["PLAN"] = directory / "plan.json"
    made["PLAN"].write_text(hashcompat.to_json(hashcompat.plan(made["CLUSTER"], "1.30.0", "1.31.0")))
    made["OTHER"] = directory / "other.json"
    made["OTHER"].write_text(hashcompat.to_json(hashcompat.plan(made["CLUSTER"], "1.8.15", "1.9.11")))
    made["PAGES"] = directory / "pages"
    made["PAGES"].mkdir()
    ran("convert", made["PLAN"], "-q", "--report", f"html={made['PAGES'] / 'plan.html'}")
    for name, with_hashes in (("SNAPSHOT", False), ("TAKEN", True)):
        made[name] = directory / f"{name.lower()}.json"
        taken = hashcompat.snapshot(made["PODS"], with_hashes=with_hashes)
        made[name].write_text(hashcompat.to_json(taken))
    return {
        name: str(directory / name if name in ("MANIFESTS", "GOLDEN") else path)
        for name, path in made.items()
    }


def briefly(planter: Planter) -> Iterator[Json]:
    """Yield pods in which one container has every field: a snapshot computes its hashes by every release."""
    small: Json = {"name": "i", "image": f"u:{planter.mark()}@r/a", "args": [planter.mark()]}
    small["env"] = [{"name": "A", "value": planter.mark()}]
    sidecar, ephemeral = {**small, "name": "s", "restartPolicy": "Always"}, {**small, "name": "e"}
    more: Json = {"initContainers": [small, sidecar], "ephemeralContainers": [ephemeral]}
    yield planter.pod("p", planter.container(), **more)
    mirror = planter.mirror_pod("m")
    mirror["spec"] = {**mirror["spec"], "containers": [small], **more}
    yield mirror


LOG = (
    "Log file created at: 2018/01/14 10:00:00\n"
    f"{hash_changed(7)}\n"
    "E0114 17:57:43.000000   12945 pod_workers.go:186] Error syncing pod: command [{}] failed: token={}\n"
    "{} A={}\n"
)


def recorded(planter: Planter) -> Iterator[Any]:
    """Yield what runtimes print of containers, with all that they know of them."""
    row = record(7)
    row["annotations"] |= {**planter.annotations(), "alibabacloud.com/container-hash-version": planter.mark()}
    row["image"] = {"image": f"u:{planter.mark()}@registry/app:1"}
    yield {"containers": [row]}
    status = {
        **row,
        "createdAt": planter.mark(),
        "message": planter.mark(),
        "mounts": [{"hostPath": planter.mark()}],
    }
    process = {"args": [planter.mark()], "env": [f"A={planter.mark()}"]}
    yield {
        "status": status,
        "info": {"config": {"envs": [{"key": "A", "value": planter.mark()}]}, "runtimeSpec": process},
    }
    config = {
        "Env": [f"A={planter.mark()}"],
        "Cmd": [planter.mark()],
        "Labels": {"a": planter.mark()},
        "Image": planter.mark(),
    }
    yield [
        {
            "Id": "1",
            "Name": "/k8s_c_p_ns_uid-p_0",
            "Args": [planter.mark()],
            "Config": config,
            "Created": planter.mark(),
        }
    ]


def secret_probes(planter: Planter) -> dict[Key, Any]:
    """Return what a node may give of itself where nothing has left secrets out."""
    mark = planter.mark
    files: dict[Key, Any] = {("file", path): text.replace(MARKER, mark()) for path, text in SECRETS.items()}
    said = [
        f"login failed for token={mark()}",
        f"Get https://u:{mark()}@h/?x={mark()}: refused",
        f"bad {mark()}",
    ]
    given = f"--x-token={mark()}\n--cgroup-driver=http://u:{mark()}@h?{mark()}\n--reserved-memory={mark()}:memory=1\n"
    info = {
        "status": {"conditions": [{"type": "NetworkReady", "status": False, "message": f"token={mark()}"}]},
        "config": {
            "sandboxImage": f"u:{mark()}@registry/pause:1",
            "cni": {"confDir": f"http://u:{mark()}@h"},
        },
    }
    return {
        **files,
        ("arguments", "kubelet"): f"{HEALTHY[('arguments', 'kubelet')]}{given}",
        ("file", "/var/lib/kubelet/config.yaml"): f"apiVersion: {mark()}\nkind: KubeletConfiguration\n",
        (
            "file",
            "/var/lib/kubelet/cpu_manager_state",
        ): f'{{"policyName": "{mark()}", "defaultCpuSet": "{mark()}"}}',
        ("cri", "info"): json.dumps(info),
        ("cri", "images"): failed(said[0]),
        ("docker", "list"): failed(said[1]),
        ("filesystem", "/var/lib/kubelet"): failed(said[2]),
    }


UPGRADE = ("--from", "FROM", "--to", "TO")

COMMANDS: dict[str, list[Words]] = {
    "plan": [
        ("plan", *UPGRADE, "-f", "CLUSTER", "-v"),
        ("plan", *UPGRADE, "-f", "YAML"),
        ("plan", *UPGRADE, "-f", "MANIFEST", "-v"),
        ("plan", *UPGRADE, "-f", "CLUSTER", "--recorded", "RECORDED", "--recorded", "LOG"),
        ("plan", *UPGRADE, "--static-pod-dir", "MANIFESTS", "--node-name", "n1", "--static-pod-path", "/m"),
    ],
    "hash": [
        ("hash", "--kubelet", "FROM,TO", "-f", "CLUSTER", "-v"),
        ("hash", "--kubelet", "FROM", "-f", "MANIFEST", "--show-input"),
        ("hash", "--kubelet", "FROM", "-f", "MANIFEST", "--show-values"),
    ],
    "explain": [
        ("explain", "ns/p", *UPGRADE, "-f", "CLUSTER", "--color", "always"),
        ("explain", "ns/p/c", *UPGRADE, "-f", "CLUSTER", "--recorded", "RECORDED"),
        ("explain", "ns/images", *UPGRADE, "-f", "CLUSTER"),
        ("explain", "ns/m-n1", *UPGRADE, "-f", "CLUSTER"),
        ("explain", "ns/f", *UPGRADE, "-f", "MANIFEST"),
        ("explain", "ns/none", *UPGRADE, "-f", "CLUSTER"),
    ],
    "matrix": [("matrix", *UPGRADE, "-f", "CLUSTER")],
    "verify": [
        ("verify", "GOLDEN"),
        ("verify", "--recorded", "RECORDED", "--kubelet", "FROM", "-f", "CLUSTER"),
        ("verify", "--recorded", "LOG", "--kubelet", "FROM", "-f", "CLUSTER"),
        ("verify", "--recorded", "DUMP", "--kubelet", "FROM", "-f", "CLUSTER"),
    ],
    "patch": [
        (
            "patch",
            "--audit",
            "--strategy",
            "strip",
            "--kubelet",
            "1.8.0",
            "--like",
            "1.7.16",
            "-f",
            "CLUSTER",
        ),
        (
            "patch",
            "--audit",
            "--strategy",
            "strip",
            "--kubelet",
            "1.9.11",
            "--like",
            "1.8.0",
            "-f",
            "CLUSTER",
        ),
    ],
    "normalize": [
        ("normalize", *UPGRADE, "-f", "CLUSTER", "--recorded", "RECORDED"),
        ("normalize", *UPGRADE, "--static-pod-dir", "MANIFESTS", "--node-name", "n1", "--recorded", "LOG"),
    ],
    "preflight": [
        ("preflight", "--to", "TO", "--dump", "DUMP", "--from", "FROM", "-f", "CLUSTER"),
        ("preflight", "--to", "TO", "--no-node", "-f", "CLUSTER"),
    ],
    "gate": [
        ("gate", "--plan", "PLAN", "--report-only"),
        ("gate", "--from", "FROM", "--to", "TO", "-f", "CLUSTER", "--report-only"),
    ],
    "impact": [("impact", *UPGRADE, "-f", "CLUSTER"), ("impact", *UPGRADE, "-f", "MANIFEST")],
    "convert": [("convert", "PLAN")],
    "report": [("report", "PAGES")],
    "diff": [("diff", "PLAN", "OTHER"), ("diff", "SNAPSHOT", "TAKEN")],
    "snapshot": [
        ("snapshot", "-f", "PODS"),
        ("snapshot", "-f", "PODS", "--with-hashes", "--recorded", "RECORDED"),
        ("snapshot", "-f", "MANIFEST"),
    ],
}


REFUSED = {
    ("snapshot", "-f", "MANIFEST"),
    ("hash", "--kubelet", "FROM", "-f", "MANIFEST", "--show-input"),
    ("explain", "ns/none", *UPGRADE, "-f", "CLUSTER"),
    ("verify", "--recorded", "DUMP", "--kubelet", "FROM", "-f", "CLUSTER"),
}
"""Those that end in an error, which must not quote anything either."""


LIKE_OTHERS = (
    ("plan", *UPGRADE, "-f", "YAML"),
    ("impact", *UPGRADE, "-f", "MANIFEST"),
    ("explain", "ns/images", *UPGRADE, "-f", "CLUSTER"),
)
"""Those of the same code as another one, which have the same fields from elsewhere."""


def every_way(argv: Words, directory: Path) -> Iterator[tuple[Words, Path | None]]:
    """Yield a command that prints its result and saves it in each of its formats, and where it saves them.

    A format is the same printed and saved: ``test_reports.py`` compares them for every command.
    """
    command = cli.get_command(cli.make_context("hashcompat", [argv[0], "--help"]), argv[0])
    assert command
    options = {option for each in command.params for option in each.opts}
    saved = directory / "saved"
    saved.mkdir(exist_ok=True)
    if argv[0] == "report":  # its page is beside those that it joins
        argv = ("report", str(copytree(argv[1], saved, dirs_exist_ok=True)))
    if "--out" not in options:
        yield argv, None
    else:
        more = reports(saved, formats_of(argv[0])) if "--report" in options else ()
        yield (*argv, "--out", str(saved / "out.json.gz"), *more), saved


def assert_clean(result: Result, saved: Path | None, words: Words) -> None:
    """Fail where a marker is in anything that a run left behind."""
    assert not holds(result.out), words
    assert not holds(result.err), (words, result.err)
    for path in saved.iterdir() if saved else ():
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
        assert not holds(text), (words, path.name)
        path.unlink()


def test_every_command_has_a_row() -> None:
    assert set(cli.list_commands(cli.make_context("hashcompat", ["help"]))) == {
        *COMMANDS,
        *NO_OUTPUT_OF_PODS,
    }


ROWS = [
    pytest.param(argv, pair, id=f"{' '.join(argv)} {'-'.join(pair)}", marks=marks)
    for rows in COMMANDS.values()
    for argv in rows
    for pair in (ERAS if argv[1] in ("ns/p", "ns/f") else ERAS[2:3])
    for marks in [pytest.mark.full if argv in LIKE_OTHERS or pair == ERAS[1] else ()]
]


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(("argv", "pair"), ROWS)
def test_no_command_and_no_format_shows_a_marker(
    run: Run,
    places: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    argv: Words,
    pair: Words,
) -> None:
    monkeypatch.setenv("PATH", "")  # no kubectl
    known = {**places, "FROM": pair[0], "TO": pair[1], "FROM,TO": ",".join(pair)}
    words = tuple(known.get(word, word) for word in argv)
    for way, saved in every_way(words, tmp_path):
        pages = len(files_in(saved)) if saved else 0
        result = run(*way)
        assert (result.code in (1, 64)) == (argv in REFUSED), result.err
        if saved:
            made = 0 if argv in REFUSED else 1 + way.count("--report")
            assert len(files_in(saved)) == pages + made
        assert_clean(result, saved, way)


@pytest.mark.usefixtures("untraced")
def test_what_is_hidden_is_in_the_texts(run: Run, planter: Planter) -> None:
    """So the test above could fail: with --show-values each marker is printed by some release."""
    container = planter.container()
    del container["env"][0]["valueFrom"]["fileKeyRef"]  # of releases that hash name and image alone
    del container["volumeMounts"][0]["bindMountOptions"]
    given = planter.pod("p", container)
    seen = ""
    for release in ("1.5.8", "1.9.11", "1.30.0", "1.36.0"):
        result = run(
            "explain",
            "ns/p",
            "--from",
            release,
            "--to",
            release,
            "-f",
            "-",
            "--show-values",
            "--full",
            stdin=as_json(given),
        )
        assert result.code == 0, result.err
        seen += result.out
    unseen = [mark for mark in markers(given["spec"]["containers"]) if mark not in seen]
    assert unseen == []


def test_a_saved_plan_holds_none_and_is_read_without_any(
    run: Run, places: dict[str, str], tmp_path: Path
) -> None:
    plan = tmp_path / "plan.json"
    run("plan", "--from", "1.30.0", "--to", "1.31.0", "-f", places["CLUSTER"], "--out", plan)
    assert not holds(plan.read_text())
    words = ("preflight", "--to", "1.31.0", "--dump", places["DUMP"], "--plan", str(plan))
    for way, saved in every_way(words, tmp_path):
        assert_clean(run(*way), saved, way)


MISFIT_COMMANDS: tuple[Words, ...] = (
    ("hash", "--kubelet", "1.30.0", "-v", "-f", "-"),
    ("snapshot", "-f", "-"),
    ("explain", "ns/p", "--from", "1.9.11", "--to", "1.10.0", "-f", "-"),
    ("patch", "--audit", "--strategy", "strip", "--kubelet", "1.8.0", "--like", "1.7.16", "-f", "-"),
    ("matrix", "--from", "1.9.11", "--to", "1.10.0", "-f", "-"),
)


@pytest.mark.usefixtures("untraced")
def test_no_error_about_a_wrong_type_quotes_it(run: Run, planter: Planter) -> None:
    wrong = [
        planter.pod(f"p{number}", container)
        for number, container in enumerate(misfits(planter.container(), planter.mark()))
    ]
    assert len(wrong) > 500
    for number, form in enumerate(formats_of("plan")):
        words = ("plan", "--from", "1.30.0", "--to", "1.31.0", "-f", "-", "--keep-going", "-v", "-o", form)
        some = wrong[number :: 20 if number else 3] if randomness.FRESH else wrong[number::160]
        result = run(*words, stdin=as_json(*some))
        assert result.code == 0, result.err
        assert_clean(result, None, words)
    for number, manifest in enumerate(wrong[:: 1 if randomness.FRESH else 251]):
        manifest["metadata"]["name"] = "p"
        argv = MISFIT_COMMANDS[number % len(MISFIT_COMMANDS)]
        assert_clean(run(*argv, stdin=as_json(manifest)), None, argv)
        assert_clean(run(*argv, stdin=yaml.dump(manifest, Dumper=yaml.CSafeDumper).encode()), None, argv)


@pytest.mark.parametrize("kind", ["metadata", "spec", "status"])
def test_no_error_about_the_rest_of_a_pod_quotes_it(run: Run, planter: Planter, kind: str) -> None:
    given = planter.pod("p", {"name": "c"})
    for part in misfits(given[kind], planter.mark()):
        words = ("plan", "--from", "1.30.0", "--to", "1.31.0", "-f", "-", "-v", "-q")
        assert_clean(run(*words, stdin=as_json({**given, kind: part})), None, words)


DUMPED = """\
{{"hashcompat": "dump", "node": "n"}}
{{"hashcompat": "probe", "kind": "cri", "name": "containers", "problem": "token: {0}"}}
{{"hashcompat": "end"}}
"""
SNAPSHOT = """\
{{"kind": "ClusterSnapshot", "recorded": [{{"uid": "u", "namespace": "n", "pod": "p", "container": "c",
"hash": null, "running": null, "created": "{0}"}}], "items": []}}
"""
BROKEN = [
    "{{",
    '{{"containers": [{0}]}}',
    '{{"containers": [{{"id": "{0}", "state": "{0}", "labels": "{0}"}}]}}',
    '{{"containers": [{{"labels": {{"io.kubernetes.container.name": {{"{0}": 1}}}}}}]}}',
    '[{{"Id": "1", "Name": "/k8s_c_p_ns_u_0", "Labels": "a={0}"}}]',
    '{{"data": "{0}", "checksum": 1}}',
    '{{"data": "{{\\"entries\\": {{\\"u\\": \\"{0}\\"}}}}", "checksum": 1}}',
    '{{"hashcompat": "dump", "node": {{"{0}": 1}}}}',
    '{{"hashcompat": "probe", "kind": "cri", "name": "containers", "problem": "env A={0}"}}',
    DUMPED,
    "{0}",
    "env: *{0}",
    '{{"a": "{0}", "a": "{0}"}}',
    '{{"{0}": 1, "{0}": 2}}',
    SNAPSHOT,
    '{{"kind": "ClusterSnapshot", "applied": "{0}", "items": []}}',
    '{{"kind": "RestartPlan", "spec": "{0}", "items": [{{"verdict": "{0}"}}]}}',
]


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_no_error_about_any_file_quotes_it(run: Run, planter: Planter, tmp_path: Path, text: str) -> None:
    broken = tmp_path / "broken"
    broken.write_text(text.format(planter.mark()))
    plan = ("plan", "--from", "1.30.0", "--to", "1.31.0", "-v")
    for words in (
        (*plan, "-f", str(broken)),
        (*plan, "--sample", "--recorded", str(broken)),
        (*plan, "--static-pod-dir", str(broken), "--node-name", "n"),
        ("preflight", "--to", "1.31.0", "--dump", str(broken)),
        ("preflight", "--to", "1.31.0", "--no-node", "--sample", "--plan", str(broken)),
        ("verify", str(broken)),
        ("explain", "ns/p", *plan[1:5], "-f", str(broken)),
        ("snapshot", "-f", str(broken)),
        ("releases", "--add", "1.99.0", "--types", str(broken)),
    ):
        assert_clean(run(*words), None, words)


SAID = [
    f"error: token={MARK}\n",
    f'error: Get "https://u:{MARK}@h/api?t={MARK}": refused\n',
    f"error: error loading config file: cannot unmarshal !!str `{MARK}` into v1.Config\n",
    f"Authorization: Bearer {MARK}\n",
    f"E0101 {MARK}\n",
    f"{MARK}\n",
]


LIVE = ("plan", "--from", "1.7.16", "--to", "1.9.11", "-o", "json", "--context", "c")


@pytest.mark.parametrize("fails", ["", "1"], ids=["goes on", "fails"])
@pytest.mark.parametrize("said", SAID, ids=range(len(SAID)))
def test_what_kubectl_says_is_passed_on_without_secrets(
    run: Run, kubectl: Path, monkeypatch: pytest.MonkeyPatch, said: str, fails: str
) -> None:
    monkeypatch.setenv("FAKE_SAYS", said)
    monkeypatch.setenv("FAKE_FAILS", fails)
    kubectl.write_text(json.dumps({"/api/v1/pods": [403, {"message": said}]}))
    result = run(*LIVE)
    assert result.code == 1
    assert_clean(result, None, LIVE)


@pytest.mark.parametrize("status", [200, 400, 403])
def test_what_an_api_server_says_is_passed_on_without_secrets(
    run: Run, kubectl: Path, planter: Planter, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setenv("FAKE_SERVER", f"https://u:{MARK}@fake:6443/?token={MARK}")
    pods = {"kind": "PodList", "message": f"A={MARK}", "items": [planter.pod("p")]}
    kubectl.write_text(
        json.dumps({"/api/v1/pods": [status, pods], "/api/v1/nodes": [403, {"message": MARK}]})
    )
    result = run(*LIVE)
    assert result.code == (0 if status == 200 else 1), result.err
    assert kubectl_target(()) == ("fake", "https://fake:6443/")
    assert_clean(result, None, LIVE)


def test_what_crictl_says_is_passed_on_without_secrets(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "crictl"
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    for said in SAID:
        program.write_text(f"#!/bin/sh\ncat >&2 <<'END'\n{said}END\nexit 1\n")
        program.chmod(0o755)
        words = (
            "plan",
            "--from",
            "1.30.0",
            "--to",
            "1.31.0",
            "--sample",
            "--runtime",
            "cri",
            "--runtime-endpoint",
            str(tmp_path / "s"),
        )
        result = run(*words)
        assert result.code == 1
        assert "crictl ps failed: " in result.err
        assert_clean(result, None, words)


URLS = [
    f"http://u:{MARK}@127.0.0.1:1/x",
    f"http://127.0.0.1:1/x?token={MARK}",
    f"http://127.0.0.1:1/x#{MARK}",
    f"http://u:a{MARK}@b@127.0.0.1:1/x",
    f"http://u:a/{MARK}@127.0.0.1:1/x",
    f"http://127.0.0.1:1/{MARK}/x",
    f"ftp://u:{MARK}@127.0.0.1/x",
    f"HTTP://u:{MARK}@127.0.0.1:1/x",
]


@pytest.mark.parametrize("url", URLS, ids=range(len(URLS)))
def test_no_message_shows_the_secrets_of_a_url(run: Run, url: str) -> None:
    plan = ("plan", "--from", "1.30.0", "--to", "1.31.0")
    for words in (
        (*plan, "-f", url),
        (*plan, "--sample", "--recorded", url),
        (*plan, "--static-pod-dir", url, "--node-name", "n"),
        (*plan, "-f", url, "--unknown-flag"),
        (*plan, "--unknown-flag", url),
        ("verify", url),
        ("verify", "--recorded", url, "--kubelet", "1.30.0", "--sample"),
        ("preflight", "--to", "1.31.0", "--dump", url),
        ("snapshot", "-f", url),
        ("rules", url),
        ("releases", "--add", "1.99.0", "--types", url),
        ("patch", "--kubelet", "1.9.11", "--like", "1.8.0", "--tree", url),
    ):
        result = run(*words)
        assert result.code in (1, 64), words
        assert_clean(result, None, words)


def test_a_trace_of_a_bug_shows_no_message(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        try:
            int(MARK)
        except ValueError as error:
            raise RuntimeError(MARK) from error

    monkeypatch.setattr("hashcompat.analysis.planning.make", fail)
    monkeypatch.setenv("HASHCOMPAT_DEBUG", "1")
    result = run("plan", "--from", "1.9.11", "--to", "1.10.0", "--sample")
    assert result.err.count("Traceback") == 2
    assert all(kind in result.err for kind in ("ValueError", "RuntimeError", "commands/plan.py"))
    assert_clean(result, None, ())


def test_the_python_api_shows_values_only_where_they_are_asked_for(planter: Planter) -> None:
    inventory = hashcompat.load(planter.pod("p"), planter.mirror_pod("m"), planter.manifest("f"))
    pods = list(inventory.pods)
    plan = hashcompat.plan(inventory, "1.30.0", "1.31.0")
    explained = hashcompat.explain(inventory, "ns/p", "1.30.0", "1.31.0")
    hashed = hashcompat.hashes(inventory, ["1.30.0"], with_text=True)
    for value in (inventory, pods, plan, explained, hashed, list(hashed.items)):
        assert not holds(repr(value))
    assert not holds(hashcompat.to_json(explained))
    with pytest.raises(hashcompat.DecodeError) as caught:
        hashcompat.container_hash({"name": "c", "args": [planter.mark(), 1]}, "1.30.0")
    assert not holds(repr(caught.value))
    (dumped,) = [dump({("file", "/x"): MARK})]
    assert not holds(repr(dumped))


def test_a_snapshot_hides_a_variable_with_its_value_in_its_name(run: Run) -> None:
    given: Json = {"name": "c", "env": [{"name": f"A={MARK}", "value": "x"}, {"name": "B", "value": "y"}]}
    for words in (
        ("snapshot", "-f", "-"),
        ("explain", "ns/p", "--from", "1.30.0", "--to", "1.30.0", "-f", "-", "--full"),
    ):
        result = run(*words, stdin=as_json(pod(given)))
        assert result.code == 0
        assert '"B"' in result.out or "B" in result.out
        assert_clean(result, None, words)
