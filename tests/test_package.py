"""What is installed: the wheel holds the data, and importing it is cheap."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.helpers.program import ROOT

HEAVY = ("click", "cryptography", "deepdiff", "jinja2", "msgspec", "packaging", "requests", "yaml")

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


def test_importing_the_package_imports_no_dependency() -> None:
    assert imported("import hashcompat; hashcompat.__version__") == set()


def test_the_api_needs_no_dependency_of_the_command_line() -> None:
    pods = "[{'kind': 'Pod', 'spec': {'containers': [{}]}}]"
    code = f"import hashcompat; hashcompat.plan({pods}, '1.9.11', '1.10.0')"
    assert imported(code) <= {"msgspec", "packaging", *OF_PYTHON}


def test_version_imports_click_alone() -> None:
    assert imported(command("--version")) == {"click"}


def test_a_plan_of_json_imports_neither_yaml_nor_requests_nor_deepdiff() -> None:
    found = imported(command("plan", "--from", "1.7.16", "--to", "1.9.11", "--sample"))
    assert found & {*HEAVY, "tarfile"} == {"click", "msgspec", "packaging"}


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


@pytest.mark.packaging
@needs_hatchling
def test_the_wheel_holds_code_schemas_and_sample(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    expected = {f"hashcompat/{path.relative_to(ROOT)}" for path in (ROOT / "schemas").rglob("*.json")}
    expected |= {str(path.relative_to(ROOT)) for path in (ROOT / "hashcompat").rglob("*.py")}
    expected |= {f"hashcompat/formats/html/{name}" for name in PAGE}
    assert expected | {"hashcompat/sample/cluster.json", "hashcompat/py.typed"} <= names
    assert "hashcompat/schemas/documents/RestartPlan.schema.json" in names
    assert [name for name in names if name.startswith(("tests/", "golden/", "scripts/"))] == []


@pytest.mark.packaging
@needs_hatchling
def test_the_wheel_works_where_nothing_of_the_checkout_is(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import hashcompat; "
        "assert hashcompat.__file__.startswith(sys.path[0]); "
        "from hashcompat.catalog import files; "
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
