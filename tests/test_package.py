"""What is installed: the wheel holds the data, and importing it is cheap."""

from __future__ import annotations

import ast
import importlib.util
import json
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.helpers.program import ROOT

HEAVY = ("click", "deepdiff", "jinja2", "msgspec", "packaging", "requests", "yaml")

OF_PYTHON = ("difflib", "pathlib", "tarfile", "traceback")
"""Modules that take milliseconds to import too."""

PAGE = ("page.html.jinja", "parts.html.jinja", "report.css", "report.js")


def imported(code: str) -> set[str]:
    """Return which of these modules a fresh interpreter has imported after running some code."""
    after = f"\nimport sys; found = [name for name in {HEAVY + OF_PYTHON!r} if name in sys.modules]\n"
    after += "sys.stderr.write('IMPORTED ' + ' '.join(found))"
    done = subprocess.run(
        [sys.executable, "-c", code + after], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return set(done.stderr.rpartition("IMPORTED ")[2].split())


def command(*argv: str) -> str:
    return f"from hashcompat.cli import main; assert main._run('hashcompat', {list(argv)!r}) == 0"


OPTIONAL = {
    "mcp",
    "tree-sitter",
    "tree-sitter-go",
    "fsspec",
    "pandas",
    "dask",
    "distributed",
    "duckdb",
    "psutil",
    "pyarrow",
}
"""What the extras ``fleet``, ``go``, ``mcp`` and ``notebook`` install."""


def test_the_package_imports_what_it_declares_and_declares_what_it_imports() -> None:
    """So nothing that only a test needs is installed with the program, and nothing comes along by chance."""
    names = set[str]()
    for path in (ROOT / "hashcompat").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names.add(node.module.partition(".")[0])
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "import_module":
                names |= {str(argument.value) for argument in node.args if isinstance(argument, ast.Constant)}
    names -= {*sys.stdlib_module_names, "hashcompat", "compression"}  # which is Python's own from 3.14 on
    called = {"yaml": "pyyaml", "backports": "backports.zstd", "requests_unixsocket": "requests-unixsocket2"}
    used = {called.get(name, name.replace("_", "-")) for name in names}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert used - OPTIONAL == {Requirement(requirement).name for requirement in project["dependencies"]}


def test_importing_the_package_imports_no_dependency() -> None:
    assert imported("import hashcompat; hashcompat.__version__") == set()


def test_the_api_needs_no_dependency_of_the_command_line() -> None:
    pods = "[{'kind': 'Pod', 'spec': {'containers': [{}]}}]"
    code = f"import hashcompat; hashcompat.plan({pods}, '1.9.11', '1.10.0')"
    assert imported(code) <= {"msgspec", "packaging", *OF_PYTHON}


def modules(code: str) -> set[str]:
    """Return what a fresh interpreter imports for some code, besides what it starts with."""
    before, after = "import sys; before = {*sys.modules}\n", "\nprint('IMPORTED', *{*sys.modules} - before)"
    done = subprocess.run(
        [sys.executable, "-c", before + code + after], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return set(done.stdout.rpartition("IMPORTED")[2].split())


def test_version_imports_what_prints_it_alone() -> None:
    names = modules(command("--version"))
    assert names - modules("import io, signal") == {
        "__future__",
        "gc",
        *("hashcompat", "hashcompat.cli", "hashcompat.cli.main"),
    }


@pytest.fixture(scope="session")
def planned(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Return what a plan of one pod imports, which an API server has served and a node runs."""
    container = {"name": "web", "image": "nginx:1.25"}
    started = {"running": {"startedAt": "2026-01-01T00:00:00Z"}}
    served = {
        "kind": "Pod",
        "metadata": {"name": "web", "namespace": "shop", "uid": "8f1c"},
        "spec": {"nodeName": "n1", "containers": [container]},
        "status": {"phase": "Running", "containerStatuses": [{"name": "web", "state": started}]},
    }
    path = tmp_path_factory.mktemp("plan") / "pod.json"
    path.write_text(json.dumps(served))
    return modules(command("plan", "--from", "1.30.14", "--to", "1.31.14", "-f", str(path)))


def test_a_plan_of_json_imports_neither_yaml_nor_requests_nor_deepdiff() -> None:
    names = imported(command("plan", "--from", "1.7.16", "--to", "1.9.11", "--sample"))
    assert names & {*HEAVY, "tarfile"} == {"click", "msgspec", "packaging"}


MOST = 170
"""Modules of this package that a plan of one pod imports; each takes as long as a hundred hashes.

One more is welcome where the plan of one pod needs it. What other inputs or formats need is imported where
they do.
"""

NOT_FOR_A_PLAN = (
    *("deepdiff", "jinja2", "requests", "urllib3", "yaml"),
    *("asyncio", "bz2", "calendar", "concurrent", "email", "fractions", "gzip", "http", "logging", "lzma"),
    *("multiprocessing", "shutil", "socket", "ssl", "subprocess", "tarfile", "tempfile", "zipfile"),
    "hashcompat.analysis.answers",
    "hashcompat.analysis.disruption",
    "hashcompat.analysis.gating",
    "hashcompat.analysis.patching",
    "hashcompat.analysis.preflight",
    "hashcompat.api",
    "hashcompat.core.apiserver.created",
    "hashcompat.core.go.yaml",
    "hashcompat.core.kubelet.staticpods",
    "hashcompat.output.formats.documents",
    "hashcompat.output.formats.html",
    "hashcompat.output.report.planpage",
    "hashcompat.output.report.restartplan",
    "hashcompat.sources.cluster",
    "hashcompat.sources.http",
    "hashcompat.sources.node",
)
"""What takes milliseconds to import, and what is of other commands, inputs and formats."""


def test_a_plan_of_one_pod_imports_few_modules(planned: set[str]) -> None:
    own = {name for name in planned if name.partition(".")[0] == "hashcompat"}
    assert len(own) <= MOST, sorted(own)


@pytest.mark.parametrize("name", NOT_FOR_A_PLAN)
def test_a_plan_of_one_pod_does_without(planned: set[str], name: str) -> None:
    assert not {module for module in planned if f"{module}.".startswith(f"{name}.")}


def test_what_a_plan_does_without_exists() -> None:
    assert all(importlib.util.find_spec(name) for name in NOT_FOR_A_PLAN)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it is asked for the user's directory")
def test_a_plan_on_linux_does_not_ask_for_the_users_directory(planned: set[str]) -> None:
    assert "platformdirs" not in planned


def test_the_program_leaves_without_a_search_for_cycles() -> None:
    code = """
import atexit, gc, sys
sys.argv = ["hashcompat", "--version"]
atexit.register(lambda: print(gc.get_freeze_count() > 1000))
from hashcompat.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.splitlines()[-1] == "True"


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("wheel")
    offline = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", *offline, "--wheel-dir", str(directory), str(ROOT)], check=True
    )
    (path,) = directory.glob("hashcompat-*.whl")
    return path


needs_hatchling = pytest.mark.skipif(
    importlib.util.find_spec("hatchling") is None, reason="hatchling is not installed"
)


@pytest.mark.slow
@pytest.mark.packaging
@needs_hatchling
def test_the_wheel_holds_code_schemas_and_sample(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    expected = {
        f"hashcompat/{path.relative_to(ROOT)}" for path in (ROOT / "schemas").rglob("*") if path.is_file()
    }
    expected |= {str(path.relative_to(ROOT)) for path in (ROOT / "hashcompat").rglob("*.py")}
    expected |= {f"hashcompat/output/formats/html/{name}" for name in PAGE}
    assert expected | {"hashcompat/sample/cluster.json", "hashcompat/py.typed"} <= names
    assert "hashcompat/schemas/documents/RestartPlan.schema.json" in names
    assert [name for name in names if name.startswith(("tests/", "golden/", "scripts/"))] == []


@pytest.mark.full
@pytest.mark.packaging
@needs_hatchling
def test_the_wheel_works_where_nothing_of_the_checkout_is(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import hashcompat; "
        "assert hashcompat.__file__.startswith(sys.path[0]); "
        "from hashcompat.core.catalog import files; "
        "assert str(files.default_directory()).startswith(sys.path[0]); "
        "from hashcompat.cli import main; "
        "words = 'plan --from 1.7.16 --to 1.9.11 --sample -o wide --report html=page.html'.split(); "
        "sys.exit(main._run('hashcompat', words))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert (done.returncode, "1559107639  1428860573" in done.stdout) == (0, True)
    assert (tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>")
