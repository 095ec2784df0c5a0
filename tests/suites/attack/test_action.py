"""A hostile checkout: pipelines run their steps in it, and nothing of it runs.

The steps are those of action.yml and of the examples, run by the shells that their runners start. They
install from pip's package index.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests.helpers.examples import EXAMPLES, evaluated
from tests.helpers.pods import listed, node, pod
from tests.helpers.program import ROOT
from tests.suites.runtime.callers import NEW, OLD, SAME

pytestmark = pytest.mark.attack

MODULES = (
    *("venv", "pip", "ensurepip", "hatchling", "click", "msgspec", "json", "os", "runpy", "site"),
    *("sitecustomize", "usercustomize", "hashcompat/__init__", "hashcompat/__main__", "hashcompat/cli/main"),
)
"""Modules that Python or hashcompat would import, were they looked for in the checkout."""

PROGRAMS = (
    *("python3", "python", "pip", "sh", "env", "git", "rm", "cat", "sed"),
    *("kubectl", "crictl", "hashcompat"),
)
"""Programs that a PATH with a relative entry would find there."""

LOOSE = "gate:\n  report-only: true\n"


@dataclass(frozen=True)
class Checkout:
    """A directory whose every file was written by the author of a pull request."""

    place: Path
    printed: list[str]
    """What the steps printed, for the message of a test that fails."""

    @property
    def marker(self) -> Path:
        """The file that is there once something of the checkout ran."""
        return self.place.parent / "ran"

    def run(self, shell: Sequence[str], script: str, variables: Mapping[str, str]) -> int:
        """Run a step in the checkout, with variables that lead Python, pip, git and shells into it."""
        others = ("PYTHON", "SOURCE_DATE_EPOCH")
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(others)}
        hostile = {
            "PIP_CACHE_DIR": str(Path.home() / ".cache" / "pip"),  # as HOME is another
            "HOME": str(self.place),
            "XDG_CONFIG_HOME": str(self.place / ".config"),
            "PATH": f".::bin:{os.environ['PATH']}",
            "PYTHONPATH": ".",
            "PYTHONSTARTUP": "venv.py",
            "PYTHONUSERBASE": ".local",
            "BASH_ENV": "./.bashrc",
            "ENV": "./.bashrc",
            "CDPATH": ".",
        }
        done = subprocess.run(
            [*shell, script],
            cwd=self.place,
            env={**inherited, **hostile, **variables},
            capture_output=True,
            text=True,
            check=False,
        )
        assert self.started() == [], done.stderr
        self.printed.append(done.stdout + done.stderr)
        return done.returncode

    def started(self) -> list[str]:
        """Return what of the checkout ran."""
        return self.marker.read_text().splitlines() if self.marker.exists() else []


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    clone = Checkout(tmp_path / "checkout", [])
    library = f".venv/lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
    write = f"open({str(clone.marker)!r}, 'a').write"
    python = {f"{name}.py": f"{write}('{name}.py\\n')\n" for name in MODULES}
    python["setup.py"] = f"{write}('setup.py\\n')\n"
    python[f"{library}/evil.pth"] = f"import sys; {write}('evil.pth\\n')\n"
    shells = {place: f"#!/bin/bash\n/bin/echo {place} >>{clone.marker}\n" for place in (*PROGRAMS, ".bashrc")}
    shells |= {f"bin/{name}": text for name, text in shells.items()}
    shells[".venv/bin/hashcompat"] = shells[".venv/bin/python"] = shells.pop("hashcompat")
    pip = "[install]\nrequirement = evil.txt\nno-index = true\n[global]\nno-binary = :all:\n"
    texts = {
        "evil.txt": f"-e {clone.place}\n",
        "setup.cfg": "[metadata]\nname = evil\n",
        "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "venv"\nbackend-path = ["."]\n',
        ".gitconfig": f"[core]\n\tsshCommand = {clone.place}/sh\n\thooksPath = {clone.place}/hooks\n",
        ".hashcompat.yaml": LOOSE,
        **dict.fromkeys(("pip.conf", ".pip/pip.conf", ".config/pip/pip.conf", ".venv/pip.conf"), pip),
        "cluster.json": json.dumps(listed(node(OLD), pod())),
    }
    shells["hooks/post-checkout"] = shells["git"]
    for name, text in {**python, **shells, **texts}.items():
        path = clone.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755 if name in shells else 0o644)
    return clone


def test_the_checkout_is_hostile(checkout: Checkout) -> None:
    """What the attacks rest on: such a checkout does run what is in it, if asked as pipelines do."""
    for command in ("python3 -m venv x", "hash -r; kubectl", f"{sys.executable} -m hashcompat version"):
        variables = {**os.environ, "PATH": f".:{os.environ['PATH']}"}
        subprocess.run(["/bin/bash", "-c", command], cwd=checkout.place, env=variables, check=False)
        assert checkout.started()
        checkout.marker.unlink()


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a git repository of what is installed, as a pipeline clones it."""
    place = tmp_path_factory.mktemp("copy") / "hashcompat"
    place.mkdir()
    for name in ("hashcompat", "schemas", "deploy"):
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", "action.yml"):
        shutil.copy(ROOT / name, place / name)
    author = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    for words in (("init", "-q"), ("add", "-A"), (*author, "commit", "-q", "-m", "x")):
        subprocess.run(["git", "-C", place, *words], check=True)
    return place


def commit(repository: Path) -> str:
    done = subprocess.run(
        ["git", "-C", repository, "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


BASH = ("/bin/bash", "--noprofile", "--norc", "-eo", "pipefail", "-c")


@pytest.mark.full
def test_the_action_runs_nothing_of_the_checkout(
    checkout: Checkout, repository: Path, tmp_path: Path
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    variables = {
        "RUNNER_TEMP": str(temporary),
        "GITHUB_ACTION_PATH": str(repository),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        "GITHUB_WORKSPACE": str(checkout.place),
    }
    install, gate = yaml.safe_load((repository / "action.yml").read_text())["runs"]["steps"]
    assert checkout.run(BASH, install["run"], variables | install["env"]) == 0, checkout.printed
    for target, files, code in ((NEW, "cluster.json", 2), (SAME, "cluster.json", 0), (NEW, "", 1)):
        inputs = {
            "inputs.to": target,
            "inputs.from": "auto",
            "inputs.files": files,
            "inputs.args": "--strict",
        }
        values = {name: evaluated(text, inputs) for name, text in gate["env"].items()}
        assert checkout.run(BASH, gate["run"], variables | values) == code, checkout.printed
    assert (tmp_path / "output").read_text().count("exit-code=2") == 1


@pytest.mark.full
def test_the_steps_of_jenkins_run_nothing_of_the_workspace(
    checkout: Checkout, repository: Path, tmp_path: Path
) -> None:
    text = (EXAMPLES / "jenkins" / "Jenkinsfile").read_text(encoding="utf-8")
    steps = re.findall(r"\bsh(?: |\(returnStatus: true, script: )'([^']+)'", text)
    variables = dict(re.findall(r"^    ([A-Z_]+) = '(.*)'$", text, re.MULTILINE))
    (tmp_path / "checkout@tmp").mkdir()
    variables |= {
        "WORKSPACE_TMP": str(tmp_path / "checkout@tmp"),
        "HASHCOMPAT": str(repository),
        "HASHCOMPAT_COMMIT": commit(repository),
        "TO": NEW,
    }
    codes = [checkout.run(("/bin/sh", "-xe", "-c"), step, variables) for step in steps]
    assert codes == [0, 0, 0, 0, 2], checkout.printed
    assert (checkout.place / "gate.xml").exists()


@pytest.mark.full
def test_the_jobs_of_gitlab_run_nothing_of_the_checkout(checkout: Checkout, repository: Path) -> None:
    pipeline = yaml.safe_load((EXAMPLES / "gitlab" / ".gitlab-ci.yml").read_text(encoding="utf-8"))
    job = f"test-{os.getpid()}"
    variables = pipeline["variables"] | {
        "CI_PROJECT_DIR": str(checkout.place),
        "CI_JOB_ID": job,
        "HASHCOMPAT": str(repository),
        "HASHCOMPAT_COMMIT": commit(repository),
        "TO": NEW,
    }
    script = [*pipeline["default"]["before_script"], *pipeline["plan"]["script"], *pipeline["gate"]["script"]]
    try:
        assert checkout.run(("/bin/sh", "-ec"), "\n".join(script), variables) == 2, checkout.printed
    finally:
        for name in ("source", "hashcompat"):
            shutil.rmtree(Path("/tmp", f"{name}-{job}"), ignore_errors=True)  # noqa: S108 - the example's
    assert (checkout.place / "gate.xml").exists()


def test_the_environment_is_made_anew_or_not_at_all(checkout: Checkout, tmp_path: Path) -> None:
    install = f'sh {ROOT}/deploy/install.sh "$1"'
    foreign, link = tmp_path / "foreign", tmp_path / "link"
    (foreign / "bin").mkdir(parents=True)
    link.symlink_to(checkout.place / ".venv")
    others = tmp_path / "others"  # as a name in /tmp that its owner knew before
    others.mkdir()
    (others / "pyvenv.cfg").touch()
    os.chown(others, 65534, 65534)
    for given, code in ((foreign, 1), (link, 1), (others, 1), (Path("relative"), 64)):
        shell = ("/bin/bash", "-c", f"set -- {given}; cd /; {install}")
        assert checkout.run(shell, "", {"BASH_ENV": ""}) == code
