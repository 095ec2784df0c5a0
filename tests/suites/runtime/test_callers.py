"""The programs of the examples, run for real. Installs from pip's package index."""

from __future__ import annotations

import json
import shutil
import time
import venv
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
import requests

from tests.helpers import processes
from tests.helpers.examples import EXAMPLES, of_kind
from tests.helpers.program import ROOT, SCRIPTS
from tests.helpers.slices import sliced
from tests.suites.runtime.callers import NEW, SAME, ran, written

pytestmark = pytest.mark.runtime


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("cluster"))


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the programs of an environment with ansible-core and pre-commit."""
    place = tmp_path_factory.mktemp("tools")
    venv.create(place, with_pip=True)
    words = ("PyYAML", "ansible-core", "pre-commit")
    done = ran(place / "bin" / "python", "-m", "pip", "install", "--quiet", *words)
    assert done.returncode == 0, done.stderr
    return place / "bin"


@pytest.mark.full
@pytest.mark.parametrize(("target", "code"), sliced([(SAME, 0), (NEW, 2)], [(NEW, 2)]))
def test_ansible_stops_at_a_node_that_may_not_be_upgraded(
    tools: Path, cluster: Path, tmp_path: Path, target: str, code: int
) -> None:
    (tmp_path / "inventory").write_text("[kube_node]\nn1 ansible_connection=local\n")
    given = {
        "kube_version": target,
        "hashcompat": str(SCRIPTS / "hashcompat"),
        "hashcompat_source": [f"--filename={cluster}"],
    }
    words = ("-i", tmp_path / "inventory", EXAMPLES / "ansible" / "gate.yml", "-e", json.dumps(given))
    done = ran(tools / "ansible-playbook", *words, HOME=str(tmp_path), LC_ALL="C.UTF-8")
    assert done.returncode == code, done.stdout + done.stderr
    assert ("changed=0" in done.stdout, "failed=1" in done.stdout) == (True, code == 2)


@pytest.mark.full
def test_pre_commit_takes_the_hooks(tools: Path) -> None:
    done = ran(tools / "pre-commit", "validate-manifest", ROOT / ".pre-commit-hooks.yaml")
    assert done.returncode == 0, done.stdout


PROMETHEUS, PUSHGATEWAY = "prometheus", "prometheus-pushgateway"


def test_the_alerts_of_kured_fire_for_what_the_cron_job_pushes(cluster: Path, tmp_path: Path) -> None:
    """kured asks for the same series, ALERTS, and is blocked by those that fire."""
    missing = [name for name in (PROMETHEUS, PUSHGATEWAY, "curl") if shutil.which(name) is None]
    assert not missing, f"install {PROMETHEUS}, {PUSHGATEWAY} and curl: {missing} missing"
    gateway, server = processes.free_port(), processes.free_port()
    scraped = {
        "job_name": "p",
        "honor_labels": True,
        "static_configs": [{"targets": [f"localhost:{gateway}"]}],
    }
    config = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(EXAMPLES / "kured" / "rules.yaml")],
        "scrape_configs": [scraped],
    }
    (tmp_path / "prometheus.yaml").write_text(json.dumps(config))
    commands = {
        PUSHGATEWAY: [f"--web.listen-address=localhost:{gateway}"],
        PROMETHEUS: [
            f"--config.file={tmp_path / 'prometheus.yaml'}",
            f"--storage.tsdb.path={tmp_path / 'data'}",
            f"--web.listen-address=localhost:{server}",
        ],
    }
    with ExitStack() as stack:
        for name, flags in commands.items():
            stack.enter_context(processes.running([name, *flags], tmp_path / f"{name}.log"))
        fires(server, {"HashcompatNoMetrics"})
        push(cluster, tmp_path, NEW, gateway)
        fires(server, {"HashcompatFindings"})
        push(cluster, tmp_path, SAME, gateway)
        fires(server, set())


def push(cluster: Path, directory: Path, target: str, gateway: int) -> None:
    """Run what both containers of the CronJob run, for another release and place."""
    job = of_kind(EXAMPLES / "metrics" / "cronjob.yaml", "CronJob")["spec"]["jobTemplate"]["spec"]
    spec = job["template"]["spec"]
    places = {"prometheus-pushgateway.monitoring:9091": f"localhost:{gateway}"}
    places |= {f"{sign}/metrics/": f"{sign}{directory}/" for sign in "=@"}
    places |= {"--to=1.31.14": f"--to={target}"}
    hashcompat = str(SCRIPTS / "hashcompat")
    programs = ((hashcompat, spec["initContainers"][0]), ("curl", spec["containers"][0]))
    for program, container in programs:
        words = container["args"]
        for old, new in places.items():
            words = [word.replace(old, new) for word in words]
        words += [f"--filename={cluster}"] if program != "curl" else []
        done = ran(program, *words, no_proxy="localhost")
        assert done.returncode == 0, done.stderr


def fires(server: int, expected: set[str]) -> None:
    """Wait until exactly these alerts fire."""
    alerts: set[str] | None = None
    end = time.monotonic() + 120
    while alerts != expected and time.monotonic() < end:
        time.sleep(0.5)
        with suppress(requests.ConnectionError):
            url = f"http://localhost:{server}/api/v1/query"
            answer = requests.get(url, {"query": "ALERTS"}, timeout=10).json()
            if answer["status"] == "success" and evaluated_rules(server):
                firing = [sample["metric"] for sample in answer["data"]["result"]]
                alerts = {metric["alertname"] for metric in firing if metric["alertstate"] == "firing"}
    assert alerts == expected


def evaluated_rules(server: int) -> bool:
    """Return whether every rule was evaluated: before that, nothing fires whatever there is."""
    groups = requests.get(f"http://localhost:{server}/api/v1/rules", timeout=10).json()["data"]["groups"]
    return bool(groups) and all(rule["health"] == "ok" for group in groups for rule in group["rules"])
