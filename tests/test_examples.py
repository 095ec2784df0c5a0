"""The examples are run as their callers run them: the same words, the same variables, the same shell."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from check_jsonschema import main as check_jsonschema  # type: ignore[import-untyped]
from click.testing import CliRunner

from hashcompat import __version__
from hashcompat.cli.args.gate import KEYS
from scripts import locks, packages
from tests.helpers.examples import BASE, EXAMPLES, containers, documents, evaluated, expanded, of_kind
from tests.helpers.pods import listed, node, pod
from tests.helpers.program import ROOT, SCRIPTS, Result, Run, options_of, ran
from tests.helpers.slices import every

OLD, NEW, SAME = "v1.30.9+k3s1", "v1.31.9-k3s1", "v1.30.14-k3s1"
"""A pod restarts from the first to the second, and is kept on the way to the third."""

ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a cluster: an app on one node, and the controller's own Job on another."""
    path = tmp_path_factory.mktemp("examples") / "cluster.json"
    job = pod(name="apply-plan", node="n2", metadata={"namespace": "system-upgrade"})
    path.write_text(json.dumps(listed(node(OLD), node(OLD, "n2"), pod(), pod(name="q", node="n2"), job)))
    return path


# Kubernetes


def test_the_base_has_the_rights_that_the_program_asks_for() -> None:
    asked = ran("rbac", "--service-account", "hashcompat:hashcompat").document["items"]
    (nodes,) = (rule for rule in asked[0]["rules"] if rule["resources"] == ["nodes"])
    nodes["verbs"] = ["get", *nodes["verbs"]]
    assert documents(BASE / "rbac.yaml") == asked


CONTAINERS = list(containers())


@pytest.mark.parametrize(
    ("pod_spec", "container"),
    [(spec, container) for _, spec, container in CONTAINERS],
    ids=[file for file, _, _ in CONTAINERS],
)
def test_a_container_needs_no_root_no_shell_and_no_writable_root(
    pod_spec: dict[str, Any], container: dict[str, Any]
) -> None:
    security = pod_spec.get("securityContext", {}) | container["securityContext"]
    assert security["runAsNonRoot"] is True
    assert security["runAsUser"] == 65532
    assert security["readOnlyRootFilesystem"] is True
    assert security["allowPrivilegeEscalation"] is False
    assert security["capabilities"] == {"drop": ["ALL"]}
    assert "sh" not in container.get("command", [])
    words = [word.partition("=")[0] for word in container.get("args", [])]
    if words:
        known = {flag for option in options_of(words[0]).values() for flag in option.opts}
        assert [word for word in words[1:] if word not in known] == []


def test_the_images_of_the_examples_are_the_one_that_the_dockerfile_builds() -> None:
    text = (ROOT / "deploy" / "image" / "Dockerfile").read_text(encoding="utf-8")
    (built,) = re.findall(r"-t (\S+)", text)
    assert built.endswith(f":{__version__}")
    assert {container["image"] for _, _, container in CONTAINERS} == {built}
    assert len(CONTAINERS) == 4
    final = text.rpartition("FROM ")[2]
    assert "\nUSER 65532:65532\n" in final
    assert re.findall(r"^(?:RUN|CMD|ENTRYPOINT) (?!\[)", text, re.MULTILINE) == [], "no shell in any stage"


@pytest.mark.parametrize(("target", "code"), [(NEW, 2), (SAME, 0)])
def test_the_prepare_container_stops_a_plan_of_the_system_upgrade_controller(
    cluster: Path, run: Run, target: str, code: int
) -> None:
    plan = of_kind(EXAMPLES / "system-upgrade-controller" / "plan.yaml", "Plan")["spec"]
    given = {"SYSTEM_UPGRADE_NODE_NAME": "n2", "SYSTEM_UPGRADE_PLAN_LATEST_VERSION": target}
    words = expanded(plan["prepare"]["args"], given)
    result = run(*words, "-f", cluster, "-o", "json")
    assert result.code == code, result.err
    assert result.document["summary"]["containers"] == 1, "the Job of the controller does not count"


REWRITING = EXAMPLES / "normalize"
STUB = """#!/bin/sh
case ${0##*/} in
chroot) shift && cd "$HOST" && exec "$@" ;;
systemctl) [ "$3" = "$UNIT" ] ;;
*) echo "${0##*/} $*" >>"$LOG" ;;
esac
"""


def on_a_node(plan: dict[str, Any], place: Path, unit: str) -> list[str]:
    """Run what a Plan's Job runs on a node with one of the units; return what it lets the host do."""
    (stubs := place / "stubs").mkdir(exist_ok=True)
    for name in ("chroot", "systemctl", "systemd-run"):
        (stubs / name).write_text(STUB)
        (stubs / name).chmod(0o755)
    (script,) = plan["spec"]["upgrade"]["args"]
    for old, new in (("/run/normalization", "secret"), ("/usr/local/bin", "bin"), ("/usr/bin", "bin")):
        script = script.replace(old, str(place / new))
    script = re.sub(r"/host\b", str(place / "host"), script).replace("cd /root/", "cd root/")
    script = re.sub(r"(?<=\s)/(k3s|rke2|kubelet|hashcompat)\b", rf"{place}/image/\1", script)
    (log := place / "log").write_text("")
    given = {"LOG": str(log), "HOST": str(place / "host"), "UNIT": unit, "SYSTEM_UPGRADE_NODE_NAME": "n1"}
    given["PATH"] = f"{stubs}:{os.environ['PATH']}"
    done = subprocess.run(["/bin/sh", "-euc", script], env=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return log.read_text().splitlines()


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """Write what the Job has: its Secret and its image, and below ``bin`` what is installed on the node."""
    for name in ("host", "secret", "image", "bin"):
        (tmp_path / name).mkdir()
    for name in ("normalization.json", "k3s.sh"):
        (tmp_path / "secret" / name).write_text(name)
    (tmp_path / "secret" / "node.sh").write_text('echo "$NODE_NAME $*" >>"$LOG"\n')
    (tmp_path / "image" / "hashcompat").write_text("hashcompat")
    return tmp_path


@pytest.mark.parametrize(
    "plan", documents(REWRITING / "plan-k3s.yaml"), ids=lambda plan: plan["metadata"]["name"]
)
@pytest.mark.parametrize("unit", ["k3s", "k3s-agent", "rke2-server", "rke2-agent"])
def test_the_plans_of_k3s_let_a_unit_of_the_host_do_it_once(
    plan: dict[str, Any], unit: str, image: Path
) -> None:
    program = unit.partition("-")[0]
    (image / "image" / program).write_text("new")
    (image / "bin" / program).write_text("old")
    place = image / "host/root/upgrade"
    ran = f"sh {place}/k3s.sh {place}/normalization.json {unit} {place}/{program}"
    (called,) = on_a_node(plan, image, unit)
    assert called.endswith(f"--setenv=NODE_NAME=n1 {ran}")
    assert called.startswith("systemd-run ")
    assert (image / "bin" / "hashcompat").stat().st_mode & 0o777 == 0o755
    (image / "bin" / program).write_text("new")  # as k3s.sh leaves it
    assert on_a_node(plan, image, unit) == []


def test_the_plan_of_a_kubelet_does_it_once(image: Path) -> None:
    plan = of_kind(REWRITING / "plan.yaml", "Plan")
    (image / "image" / "kubelet").write_text("new")
    (image / "bin" / "kubelet").write_text("old")
    ran = "n1 normalization.json kubelet"
    assert on_a_node(plan, image, "kubelet") == [ran]
    (image / "bin" / "kubelet").write_text("new")
    assert on_a_node(plan, image, "kubelet") == []


def test_the_cron_job_writes_the_series_that_the_alert_reads(cluster: Path, run: Run, tmp_path: Path) -> None:
    job = of_kind(EXAMPLES / "metrics" / "cronjob.yaml", "CronJob")["spec"]["jobTemplate"]["spec"]
    writer, pusher = job["template"]["spec"]["initContainers"] + job["template"]["spec"]["containers"]
    words = [word.replace("/metrics/", f"{tmp_path}/") for word in writer["args"]]
    assert run(*words, "-f", cluster).code == 0, "a finding is a metric here"
    text = (tmp_path / "hashcompat.prom").read_text(encoding="utf-8")
    assert 'hashcompat_gate_cases{verdict="FAIL"} 1\n' in text
    assert "@/metrics/hashcompat.prom" in pusher["args"]
    rules = yaml.safe_load((EXAMPLES / "kured" / "rules.yaml").read_text(encoding="utf-8"))
    expressions = " ".join(rule["expr"] for rule in rules["groups"][0]["rules"])
    series = set(re.findall(r"\bhashcompat_\w+", expressions))
    assert series == {"hashcompat_gate_cases", "hashcompat_gate_info"}
    assert [name for name in series if f"# TYPE {name} gauge\n" not in text] == []


def test_kured_is_blocked_by_exactly_the_alerts_of_the_example() -> None:
    patch = yaml.safe_load((EXAMPLES / "kured" / "daemonset-patch.yaml").read_text(encoding="utf-8"))
    (container,) = patch["spec"]["template"]["spec"]["containers"]
    flags = {variable["name"]: variable["value"] for variable in container["env"]}
    rules = yaml.safe_load((EXAMPLES / "kured" / "rules.yaml").read_text(encoding="utf-8"))
    alerts = [rule["alert"] for group in rules["groups"] for rule in group["rules"]]
    assert flags["KURED_ALERT_FILTER_MATCH_ONLY"] == flags["KURED_ALERT_FIRING_ONLY"] == "true"
    assert all(re.search(flags["KURED_ALERT_FILTER_REGEXP"], alert) for alert in alerts)
    assert not re.search(flags["KURED_ALERT_FILTER_REGEXP"], "Watchdog")


def test_the_presync_hook_fails_its_job_for_a_finding(cluster: Path, run: Run) -> None:
    job = of_kind(EXAMPLES / "argo-cd" / "presync.yaml", "Job")
    assert job["metadata"]["annotations"]["argocd.argoproj.io/hook"] == "PreSync"
    assert job["spec"]["backoffLimit"] == 0
    (container,) = job["spec"]["template"]["spec"]["containers"]
    assert run(*container["args"], "-f", cluster).code == 2


# Pipelines

SCHEMAS = {
    "action.yml": ("vendor.github-actions", "runs:", "run:"),
    "examples/github/workflow.yml": ("vendor.github-workflows", "permissions:", "permission:"),
    "examples/gitlab/.gitlab-ci.yml": ("vendor.gitlab-ci", "artifacts:", "artifact:"),
}
"""The published schema of a file, which check-jsonschema brings along, and a mistake that it finds."""


@pytest.mark.parametrize("file", SCHEMAS)
def test_a_pipeline_is_valid_by_its_published_schema(tmp_path: Path, file: str) -> None:
    schema, right, wrong = SCHEMAS[file]
    text = (ROOT / file).read_text(encoding="utf-8")
    for number, (content, code) in enumerate(((text, 0), (text.replace(right, wrong), 1))):
        path = tmp_path / f"{number}.yml"
        path.write_text(content, encoding="utf-8")
        words = ["--builtin-schema", schema, "--data-transform", "gitlab-ci", str(path)]
        result = CliRunner().invoke(check_jsonschema, words)
        assert result.exit_code == code, result.output


@pytest.fixture
def runner(tmp_path: Path, cluster: Path) -> Path:
    """Return a runner's working directory: the cluster, and the installed program where a script looks."""
    (tmp_path / "cluster.json").write_bytes(cluster.read_bytes())
    programs = tmp_path / "hashcompat" / "bin"
    programs.mkdir(parents=True)
    (programs / "hashcompat").symlink_to(SCRIPTS / "hashcompat")
    (programs / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (programs / "python").chmod(0o755)
    return tmp_path


def scripted(
    shell: list[str], script: str, directory: Path, variables: Mapping[str, str], code: int
) -> Result:
    """Run a script as a runner does; it must end with ``code``."""
    path = f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [*shell, script],
        cwd=directory,
        env={"PATH": path, "HOME": str(directory), **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return Result(done.returncode, done.stdout, done.stderr)


def test_the_action_passes_inputs_as_they_are_and_the_exit_code_on(runner: Path) -> None:
    install, gate = ACTION["runs"]["steps"]
    assert gate["env"]["HASHCOMPAT_CONFIG"] == "none", "no settings file of the checkout"
    hostile = "--max-restarts=0\n--owner=Pod/$(touch planted)`touch planted`"
    inputs = {"inputs.to": NEW, "inputs.from": "auto", "inputs.files": "cluster.json\n", "inputs.args": ""}
    files = {"GITHUB_OUTPUT": str(runner / "output"), "GITHUB_STEP_SUMMARY": str(runner / "summary")}
    for args, code in (("--exclude-namespace=system-upgrade", 2), (hostile, 1)):
        values = inputs | {"inputs.args": args}
        variables = {name: evaluated(text, values) for name, text in gate["env"].items()}
        shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"]
        done = scripted(shell, gate["run"], runner, variables | files | {"RUNNER_TEMP": str(runner)}, code)
        assert ("::error" in done.out, (runner / "hashcompat-gate.json").exists()) == (code == 2,) * 2
    assert not (runner / "planted").exists()
    assert "${{" not in install["run"] + gate["run"], "no input becomes part of a script"
    lines = (runner / "output").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("exit-code=")] == ["exit-code=2", "exit-code=1"]
    summary = (runner / "summary").read_text(encoding="utf-8")
    assert summary.startswith("**FAIL**: ")
    findings = re.findall(r"^\| ([^|]+) \| (?:FAIL|VIOLATION) \|", summary, re.MULTILINE)
    assert len(findings) == len({*findings}) > 1, "each finding is there once"
    # the second run failed, and has no report
    assert [line for line in lines if line.startswith("page=")] == [
        f"page={runner}/hashcompat-gate.html",
        "page=",
    ]
    assert lines[-2:] == ["report=", "page="]
    assert not (runner / "hashcompat-gate.json").exists()


def test_the_page_of_callers_lists_what_the_action_takes_and_gives() -> None:
    text = (ROOT / "docs" / "callers.md").read_text(encoding="utf-8")
    section = text.partition("## The action\n")[2].partition("\n## ")[0]
    named = re.findall(r"^\| `([a-z-]+)` \| (input|output) \|", section, re.MULTILINE)
    assert named == [
        *((name, "input") for name in ACTION["inputs"]),
        *((name, "output") for name in ACTION["outputs"]),
    ]


def test_the_workflow_passes_inputs_that_the_action_has(runner: Path) -> None:
    workflow = yaml.safe_load((EXAMPLES / "github" / "workflow.yml").read_text(encoding="utf-8"))
    _, read, use = workflow["jobs"]["gate"]["steps"]
    assert set(use["with"]) <= set(ACTION["inputs"])
    (runner / "nodes.env").write_text("CRI=1.7\nKUBELET=1.31.14\n")
    scripted(["sh", "-ec"], read["run"], runner, {"GITHUB_OUTPUT": str(runner / "output")}, 0)
    assert (runner / "output").read_text(encoding="utf-8") == "release=1.31.14\n"


def test_the_jobs_of_gitlab_plan_and_then_judge(runner: Path) -> None:
    pipeline = yaml.safe_load((EXAMPLES / "gitlab" / ".gitlab-ci.yml").read_text(encoding="utf-8"))
    for name, code in (("plan", 0), ("gate", 2)):
        script = "\n".join(pipeline[name]["script"])
        scripted(["sh", "-ec"], script, runner, pipeline["variables"], code)
    reports = pipeline["gate"]["artifacts"]["reports"]
    assert (runner / reports["junit"]).read_text(encoding="utf-8").startswith("<?xml")
    assert json.loads((runner / reports["codequality"]).read_text(encoding="utf-8"))


def test_the_steps_of_jenkins_report_how_the_gate_ended(runner: Path) -> None:
    text = (EXAMPLES / "jenkins" / "Jenkinsfile").read_text(encoding="utf-8")
    *_, gate = re.findall(r"sh(?: |\(returnStatus: true, script: )'([^']+)'", text)
    scripted(["sh", "-xe", "-c"], gate, runner, {"TO": NEW, "WORKSPACE_TMP": str(runner)}, 2)
    assert (runner / "gate.xml").read_text(encoding="utf-8").startswith("<?xml")


def test_no_pipeline_reads_a_settings_file_of_its_checkout() -> None:
    """It is in the environment of whatever runs hashcompat, or in the image's."""
    for path in ("jenkins/Jenkinsfile", "gitlab/.gitlab-ci.yml", "ansible/gate.yml", "roll-nodes.sh"):
        text = (EXAMPLES / path).read_text(encoding="utf-8")
        assert re.search("HASHCOMPAT_CONFIG.*none", text), path
    assert "HASHCOMPAT_CONFIG=none" in (ROOT / "deploy" / "image" / "Dockerfile").read_text(encoding="utf-8")


INSTALLED = ("examples", "deploy")
"""Where pipelines and images install from an index."""


def test_everything_that_is_installed_has_a_locked_hash() -> None:
    files = [ROOT / "action.yml", *(path for name in INSTALLED for path in (ROOT / name).rglob("*"))]
    texts = [path.read_text(encoding="utf-8") for path in files if path.is_file() and path.suffix != ".pyc"]
    lines = [line for text in texts for line in text.replace("\\\n", " ").splitlines()]
    commands = [line for line in lines if re.search(r"^[^#]*\bpip\b.*\binstall\b", line)]
    assert len(commands) == 7, commands
    assert [line for line in commands if not re.search("--require-hashes|--no-index|--no-deps", line)] == []
    conda = "${{ PYTHON }} -m pip install . --no-deps"  # into what conda made of its own packages
    assert [line for line in commands if not re.search(r'"-I"|python" -I', line) and conda not in line] == []


def test_the_locks_are_those_of_todays_requirements(tmp_path: Path) -> None:
    assert list(locks.outdated()) == []
    wanted = locks.requirements()
    assert list(locks.outdated(wanted={"run": [*wanted["run"], "six"]})) == [
        "run.txt: made from other requirements; run python -m scripts.locks --upgrade"
    ]
    text = (locks.LOCKS / "build.txt").read_text(encoding="utf-8")
    bare = re.sub(r"(?m)^(hatchling==\S+) \\\n(?:    --hash.*\n)+", r"\1\n", text)
    for broken, problem in (
        (bare, "hatchling has no hash"),
        (text.replace("hatchling", "x"), "is not locked"),
    ):
        (tmp_path / "build.txt").write_text(broken, encoding="utf-8")
        (message,) = locks.outdated(tmp_path, {"build": wanted["build"]})
        assert problem in message


# pre-commit and krew


def hooks() -> Iterator[dict[str, Any]]:
    yield from yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


def test_the_hooks_of_pre_commit_run_commands(cluster: Path, run: Run) -> None:
    entries = {hook["id"]: hook["entry"].split() for hook in hooks()}
    assert {words[0] for words in entries.values()} == {"hashcompat"}
    given = ("--from=1.30.14", "--to=1.31.14", "-f", cluster)
    assert run(*entries["hashcompat-gate"][1:], *given).code == 2
    assert run(*entries["hashcompat-verify"][1:], "/no/such").code == 1


def released(platform: str) -> packages.Target:
    return packages.Target(("3.12", "3.13"), platform, "https://releases.example/v1")


def test_krew_finds_in_the_archive_what_the_manifest_names(tmp_path: Path) -> None:
    program = tmp_path / "hashcompat.pyz"
    program.write_bytes(b"#!/usr/bin/env python3\n")
    archive, manifest = packages.plugin(program, tmp_path, released("linux-x86_64"))
    document = yaml.safe_load(manifest.read_text(encoding="utf-8"))
    assert manifest.stem == document["metadata"]["name"]
    (platform,) = document["spec"]["platforms"]
    assert platform["selector"] == {"matchLabels": {"os": "linux", "arch": "amd64"}}
    assert platform["sha256"] == hashlib.sha256(archive.read_bytes()).hexdigest()
    assert platform["uri"] == f"https://releases.example/v1/{archive.name}"
    with tarfile.open(archive) as tar:
        assert tar.getnames() == [file["from"] for file in platform["files"]]
        assert tar.getmember(platform["bin"]).mode == 0o755


@pytest.mark.parametrize(
    ("platform", "names"),
    [("manylinux_2_28_aarch64", ("linux", "arm64")), ("macosx-14.0-arm64", ("darwin", "arm64"))],
)
def test_krew_names_platforms_its_own_way(tmp_path: Path, platform: str, names: tuple[str, str]) -> None:
    (tmp_path / "p").write_bytes(b"")
    _, manifest = packages.plugin(tmp_path / "p", tmp_path, released(platform))
    (row,) = yaml.safe_load(manifest.read_text(encoding="utf-8"))["spec"]["platforms"]
    assert tuple(row["selector"]["matchLabels"].values()) == names


def test_a_recipe_names_what_the_project_requires_and_its_programs(tmp_path: Path) -> None:
    sdist = tmp_path / "sdist"
    sdist.write_bytes(b"")
    formula, recipe = packages.manifests(sdist, tmp_path, "https://releases.example/")
    document = yaml.safe_load(recipe.read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {re.split("[>;]", dependency)[0] for dependency in project["dependencies"]}
    names = [requirement.split()[0] for requirement in document["requirements"]["run"]]
    assert (set(names), len(names)) == (wanted | {"python"}, len(wanted) + 1)
    assert "deepdiff >=8" in document["requirements"]["run"], "as on Linux"
    assert document["build"]["python"]["entry_points"] == [
        f"{name} = {place}" for name, place in project["scripts"].items()
    ]
    address, digest = (
        f"https://releases.example/hashcompat-{__version__}.tar.gz",
        hashlib.sha256().hexdigest(),
    )
    assert document["source"]["sha256"] == digest
    for text in (f'url "{address}"', f'sha256 "{digest}"'):
        assert text in formula.read_text(encoding="utf-8")


def test_packages_are_for_every_supported_python() -> None:
    assert packages.Target(packages.supported()).after == "3.15"
    assert packages.supported()[0] == "3.11"


def test_each_python_gets_the_locked_packages_that_it_needs() -> None:
    target = packages.Target(("3.13", "3.14"), "linux-x86_64")
    names = {
        python: [row.split("==")[0] for row in packages.locked(python, target)] for python in target.pythons
    }
    assert set(names["3.13"]) - set(names["3.14"]) == {"backports-zstd"}
    assert "msgspec" in names["3.14"]
    assert all("--hash=sha256:" in row for row in packages.locked("3.14", target))


def test_a_browser_gets_what_has_wheels_for_it() -> None:
    """The deepdiff that others get needs cachebox, which is compiled, and not for browsers."""
    requirements = {
        system: dict(locks.needed({"sys_platform": system})) for system in ("linux", "emscripten")
    }
    assert requirements["emscripten"]["deepdiff"].startswith("deepdiff==9.0.0 \\\n    --hash=sha256:")
    assert "cachebox" in requirements["linux"]
    assert {"cachebox", "requests"} & set(requirements["emscripten"]) == set()


def test_packages_take_no_file_with_a_time_of_its_own() -> None:
    """Those of a checkout are from when it was made; packages keep them."""
    text = (packages.TEMPLATES / "nfpm.yaml").read_text(encoding="utf-8")
    sources = re.findall(r"- src: (\S+)\n +dst: (?:\S+)\n(?! +type: symlink)", text)
    assert len(sources) == 6
    assert {source.partition("/")[0] for source in sources} == {"@site@", "@programs@"}


def test_a_template_has_no_word_without_a_value() -> None:
    with pytest.raises(KeyError, match="url"):
        packages.filled("recipe.yaml", sdist="", requirements="", entry_points="")


# other tools that judge upgrades


@pytest.mark.parametrize(
    ("target", "others", "code", "decisions"),
    every(
        2,
        [
            (SAME, {"upgradescope": 1}, 3, ["hashcompat go 0", "upgradescope undecided 1"]),
            (SAME, {}, 0, ["hashcompat go 0"]),
            (NEW, {"upgradescope": 0}, 2, ["hashcompat stop 2", "upgradescope go 0"]),
            (SAME, {"kubepreflight": 1}, 0, ["hashcompat go 0", "kubepreflight go 1"]),
            (
                *(SAME, {"upgradescope": 2, "kubepreflight": 4}, 2),
                ["hashcompat go 0", "upgradescope stop 2", "kubepreflight undecided 4"],
            ),
        ],
    ),
)
def test_several_tools_make_one_decision(
    cluster: Path, tmp_path: Path, target: str, others: Mapping[str, int], code: int, decisions: list[str]
) -> None:
    """Stand-ins for the others end with the exit codes that these document, and keep what they were asked."""
    for name, ends in others.items():
        (tmp_path / name).write_text(f'#!/bin/sh\necho "$@" >"$0.asked"\necho {{}}\nexit {ends}\n')
        (tmp_path / name).chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{SCRIPTS}{os.pathsep}/usr/bin{os.pathsep}/bin"
    program = EXAMPLES / "neighbours" / "readiness.sh"
    done = subprocess.run(
        ["sh", program, target, cluster, tmp_path / "reports"],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert (tmp_path / "reports" / "decisions.txt").read_text().splitlines() == decisions
    sarif = json.loads((tmp_path / "reports" / "hashcompat.sarif").read_text())
    assert bool(sarif["runs"][0]["results"]) == (target == NEW)
    for name in others:
        assert target in (tmp_path / f"{name}.asked").read_text().split()
    assert ("upgradescope" in others) == (tmp_path / "reports" / "upgradescope.sarif").exists()


def test_no_example_uses_an_action_that_somebody_else_may_own() -> None:
    """Until it is published, its place is no name that GitHub allows: the workflow fails at once."""
    pages = [EXAMPLES / "github" / "workflow.yml", ROOT / "docs" / "callers.md"]
    used = [
        action
        for path in pages
        for action in re.findall(r"uses: (\S*hashcompat\S*)", path.read_text("utf-8"))
    ]
    assert used == ["<owner>/hashcompat@<commit>"] * 3


def test_the_variables_of_a_policy_are_those_that_callers_are_shown() -> None:
    """What docs/callers.md names as HASHCOMPAT_GATE_… is a key of the policy."""
    text = (ROOT / "docs" / "callers.md").read_text(encoding="utf-8")
    named = {name.lower().replace("_", "-") for name in re.findall(r"HASHCOMPAT_GATE_([A-Z_]+)", text)}
    assert named
    assert named <= set(KEYS)


# Rewritten records

FAKE = """#!/bin/sh
echo "${0##*/} $*" >> "$LOG"
case " $* " in *" $FAIL "*) exit 1 ;; esac
case " $* " in *" apply "*) : > "$3.undo" ;; esac
[ "${0##*/}" != install ] || cp "$3" "$4"
"""


@pytest.fixture
def a_node(tmp_path: Path) -> Path:
    """Write programs that say how they were called, and fail where FAIL is among their words."""
    (tmp_path / "bin").mkdir()
    for name in ("hashcompat", "systemctl", "install"):
        (tmp_path / "bin" / name).write_text(FAKE)
        (tmp_path / "bin" / name).chmod(0o755)
    (tmp_path / "kubelet").write_text("new")
    return tmp_path


def upgraded(directory: Path, fail: str = "nothing") -> tuple[int, list[str]]:
    """Run the example that upgrades a node; return how it ends, and what it called."""
    log = directory / "log"
    done = subprocess.run(
        ["/bin/sh", EXAMPLES / "normalize" / "node.sh", "n.json", "kubelet", "/m"],
        cwd=directory,
        env={
            "PATH": f"{directory / 'bin'}:/usr/bin:/bin",
            "LOG": str(log),
            "FAIL": fail,
            "NODE_NAME": "n1",
            "TARGET": "installed",
        },
        capture_output=True,
        check=False,
    )
    return done.returncode, log.read_text().splitlines()


STOP, START, AGAIN = (
    f"systemctl {words}" for words in ("stop kubelet", "start kubelet", "restart containerd")
)
APPLY = "hashcompat normalize apply n.json --node-name n1 --write --static-pod-dir /m"
CHECK = "hashcompat normalize check n.json --node-name n1"
UNDO = "hashcompat normalize undo n.json --node-name n1 --write --static-pod-dir /m"


def test_a_node_is_upgraded_in_the_right_order(a_node: Path) -> None:
    installed = "install -m 0755 kubelet installed.new"
    assert upgraded(a_node) == (0, [STOP, APPLY, AGAIN, CHECK, installed, START])
    assert (a_node / "installed").read_text() == "new"


@pytest.mark.parametrize(
    ("fail", "called"),
    [
        ("check", [STOP, APPLY, AGAIN, CHECK, UNDO, AGAIN, START]),
        ("apply", [STOP, APPLY, START]),
        ("stop", [STOP]),
    ],
)
def test_a_step_that_fails_leads_back(a_node: Path, fail: str, called: list[str]) -> None:
    code, calls = upgraded(a_node, fail)
    assert (code != 0, calls) == (True, called)


NODE = """#!/bin/sh
name=$(basename "$0")
case $name in
ctr) exit 0 ;;
containerd) exec sleep 9 >/dev/null 2>&1 ;;
install) cp "$3" "$4" ;;
hashcompat) echo "$1 $2" >>"$LOG"; name=$2; [ "$2" = apply ] && touch "$3.undo" ;;
systemctl) echo "$name $*" >>"$LOG" ;;
esac
case $name in
"$FAILS") exit 1 ;;
"$ENDS") kill -s "$SIGNAL" $PPID ;;
esac
"""
"""The programs of a node: what is called is written down, and one fails or ends the script."""


def ended(
    directory: Path, shell: str, unit: str, fails: str = "", ends: str = ""
) -> tuple[int, list[str], str]:
    """Run the script that upgrades a unit; return its exit code, what it called, and what it said."""
    (stubs := directory / "stubs").mkdir()
    for name in ("hashcompat", "systemctl", "containerd", "ctr", "install"):
        (stubs / name).write_text(NODE)
        (stubs / name).chmod(0o755)
    (log := directory / "log").write_text("")
    words = (["node.sh"], []) if unit == "kubelet" else (["k3s.sh"], [unit])
    command = [
        shell,
        str(REWRITING / words[0][0]),
        str(directory / "n.json"),
        *words[1],
        str(directory / "new"),
    ]
    given = {"LOG": str(log), "FAILS": fails, "ENDS": ends, "SIGNAL": "HUP", "NODE_NAME": "n1"}
    given |= {"PATH": f"{stubs}:{os.environ['PATH']}", "TARGET": str(directory / "old")}
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # as below nohup no shell could trap it
    try:
        done = subprocess.run(command, env=given, capture_output=True, text=True, check=False)
    finally:
        signal.signal(signal.SIGHUP, before)
    return done.returncode, log.read_text().splitlines(), done.stderr


@pytest.mark.parametrize("shell", ["dash", "bash"])
@pytest.mark.parametrize("unit", ["kubelet", "k3s-agent"])
@pytest.mark.parametrize(
    ("fails", "ends", "undone"),
    [
        ("", "", False),
        ("apply", "", True),
        ("check", "", True),
        ("install", "", True),
        ("", "apply", True),
        ("", "check", True),
    ],
)
def test_an_upgrade_with_rewritten_records_that_ends_early_leaves_all_as_it_was(
    tmp_path: Path, shell: str, unit: str, fails: str, ends: str, undone: bool
) -> None:
    """Whether a step fails or a signal ends it, as a lost connection does; a full disk cuts what is copied.

    A ``return`` of a trap has the status of what called it, which is that of a failure.
    """
    for name in ("new", "old"):
        (tmp_path / name).write_text(name)
    code, calls, _ = ended(tmp_path, shell, unit, fails, ends)
    assert (code != 0, "normalize undo" in calls) == (undone, undone)
    assert [calls[0], calls[-1]] == [f"systemctl stop {unit}", f"systemctl start {unit}"]
    assert (tmp_path / "old").read_text() == ("old" if undone else "new")


@pytest.mark.parametrize("unit", ["kubelet", "k3s-agent"])
def test_where_no_way_leads_back_the_kubelet_stays_stopped(tmp_path: Path, unit: str) -> None:
    """A half rewritten node is for a person: whichever kubelet starts would restart containers."""
    for name in ("new", "old"):
        (tmp_path / name).write_text(name)
    code, calls, said = ended(tmp_path, "dash", unit, fails="undo", ends="check")
    assert (code, calls[0], calls[-1]) == (1, f"systemctl stop {unit}", "normalize undo")
    assert f"systemctl start {unit}" in said
    assert (tmp_path / "old").read_text() == "old"


@pytest.mark.parametrize("unit", ["kubelet", "k3s-agent"])
def test_where_the_new_kubelet_is_in_place_its_records_stay(tmp_path: Path, unit: str) -> None:
    """Containers have come and gone since, so a check would fail, and to go back would restart the rest."""
    for name in ("new", "old"):
        (tmp_path / name).write_text("new")
    assert ended(tmp_path, "dash", unit, fails="check")[:2] == (0, [])


def test_the_program_takes_what_the_example_calls(run: Run) -> None:
    for line in (APPLY, CHECK, UNDO):
        words = line.split()[1:]
        assert run(*words, "--help").code == 0
