"""What a release publishes: the same bytes each time, accepted by its readers, installed and run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import venv
from pathlib import Path
from typing import Final

import pytest

from hashcompat import __version__
from scripts import packages
from scripts.lib import gotool
from scripts.locks import LOCKS
from tests.suites.runtime.callers import NEW, SAME, ran, unpublished, written

pytestmark = pytest.mark.runtime

URL: Final = "https://releases.example/v1"
PYTHON: Final = f"3.{sys.version_info.minor}"
KREW: Final = "v0.4.3"
ANSWER: Final = "66 of 66 running containers restart"
PLANNED: Final = "plan --sample --from 1.30 --to 1.31"

LAYERED: Final = """\
set -eu
mount -t tmpfs none "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay none -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
mount --bind /dev "$1/root/dev"
mkdir -p "$1/root/packages"
cp "$2"/*.deb "$2"/*.rpm "$1/root/packages"
exec chroot "$1/root" sh -eu -c "$3"
"""
"""Run a script on this machine's files below a layer of memory: what it installs is gone afterwards."""


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the programs of an environment with what builds a release, and rattler-build."""
    place = tmp_path_factory.mktemp("tools")
    venv.create(place, with_pip=True)
    for words in (
        ("--require-hashes", "--requirement", LOCKS / "release.txt"),
        ("PyYAML", "py-rattler", "py-rattler-build", "uv"),
    ):
        done = ran(place / "bin" / "python", "-m", "pip", "install", "--quiet", *words)
        assert done.returncode == 0, done.stderr
    return place / "bin"


@pytest.fixture(scope="module")
def made(tools: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build everything, for this Python."""
    out = tmp_path_factory.mktemp("release")
    done = ran(tools / "python", "-m", "scripts.packages", "--out", out, "--url", URL, "--python", PYTHON)
    assert done.returncode == 0, done.stderr
    assert sorted(map(str, out.iterdir())) == sorted(done.stdout.splitlines())
    assert len(done.stdout.splitlines()) == 10
    return out


@pytest.mark.full
def test_a_second_build_is_equal_to_the_byte(tools: Path, tmp_path: Path) -> None:
    done = ran(tools / "python", "-m", "scripts.packages", "--out", tmp_path, "--url", URL, "--twice")
    assert (done.returncode, "differs" in done.stderr) == (0, False), done.stderr


@pytest.mark.full
def test_the_executable_file_runs_where_only_python_is(made: Path, tmp_path: Path) -> None:
    cluster = written(tmp_path)
    for target, code in ((SAME, 0), (NEW, 2)):
        judged = subprocess.run(
            [
                sys.executable,
                "-I",
                made / "hashcompat.pyz",
                "gate",
                f"--to={target}",
                f"--filename={cluster}",
            ],
            env={"SHIV_ROOT": str(tmp_path / "unpacked")},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert judged.returncode == code, judged.stderr


@pytest.mark.full
@pytest.mark.parametrize(
    ("install", "remove"),
    [
        ("dpkg --install /packages/*.deb", "dpkg --remove"),
        ("rpm --install --nodeps /packages/*.rpm", "rpm --erase"),
    ],
    ids=["deb", "rpm"],
)
def test_a_package_is_installed_compiled_run_and_removed(
    made: Path, tmp_path: Path, install: str, remove: str
) -> None:
    """The rpm without its dependencies: Debian has no database of rpm with Python in it."""
    commands = [
        install,
        "test -n \"$(find /usr/lib/hashcompat -name '*.pyc' -print -quit)\"",
        "cd /",
        f"hashcompat {PLANNED} --quiet",
        "kubectl-hashcompat --version",
        "kubectl_complete-hashcompat matr",
        f"{remove} hashcompat",
        "test ! -e /usr/lib/hashcompat",
    ]
    layer = tmp_path / "layer"
    layer.mkdir()
    program = ("unshare", "--mount", "sh", "-c", LAYERED, "sh", layer, made, "\n".join(commands))
    done = ran(*program, PATH="/usr/sbin:/usr/bin:/sbin:/bin")
    assert done.returncode == 0, done.stdout + done.stderr
    for wanted in (ANSWER, f"kubectl hashcompat {__version__}\n", "matrix\t"):
        assert wanted in done.stdout


VENDORED: Final = ("unstripped-binary-or-object", "embedded-library")
"""What Debian forbids its own packages: compiled modules as the package index has them, for every Python."""


@pytest.mark.full
def test_lintian_finds_no_error_in_the_deb(made: Path) -> None:
    (deb,) = made.glob("*.deb")
    done = ran("lintian", "--fail-on=error", f"--suppress-tags={','.join(VENDORED)}", deb)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.full
def test_the_packages_want_a_python_that_they_were_built_for(made: Path) -> None:
    after = packages.Target((PYTHON,)).after
    (deb,), (rpm,) = made.glob("*.deb"), made.glob("*.rpm")
    output = ran("dpkg-deb", "--field", deb, "Depends").stdout
    assert output == f"libc6, python3 (>= {PYTHON}), python3 (<< {after})\n"
    output = ran("rpm", "--query", "--requires", "--package", rpm).stdout
    assert {f"python3 >= {PYTHON}", f"python3 < {after}"} <= set(output.splitlines())


@pytest.mark.full
def test_the_formula_installs_from_the_source_distribution(made: Path, tmp_path: Path) -> None:
    with tarfile.open(made / f"hashcompat-{__version__}.tar.gz") as packed:
        packed.extractall(tmp_path, filter="data")
    program = (
        "ruby",
        "-w",
        Path(__file__).with_name("formula.rb"),
        made / "hashcompat.rb",
        tmp_path / "prefix",
    )
    done = subprocess.run(
        [*program, sys.base_prefix],
        cwd=tmp_path / f"hashcompat-{__version__}",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    fields = json.loads(done.stdout)
    assert fields["url"] == f"{URL}/hashcompat-{__version__}.tar.gz"
    assert sorted(path.name for path in (tmp_path / "prefix" / "bin").iterdir()) == [
        "hashcompat",
        "kubectl-hashcompat",
        "kubectl_complete-hashcompat",
    ]


@pytest.mark.full
def test_rubocop_finds_nothing_in_the_formula(made: Path) -> None:
    """Homebrew's own cops need a newer Ruby than Debian has; these are those that RuboCop has itself."""
    config = Path(__file__).with_name("rubocop.yml")
    done = ran("rubocop", "--config", config, "--cache=false", made / "hashcompat.rb")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 file inspected, no offenses" in done.stdout


@pytest.mark.full
def test_krew_accepts_its_manifest_and_installs_from_the_archive(made: Path, tmp_path: Path) -> None:
    manifest, archive = made / "hashcompat.yaml", made / "hashcompat-krew.tar.gz"
    environ = gotool.environment(gotool.NEWEST, KREW_ROOT=str(tmp_path / "krew"))
    for program, words in (
        ("validate-krew-manifest", ("-manifest", str(manifest), "-skip-install")),
        ("krew", ("install", f"--manifest={manifest}", f"--archive={archive}")),
    ):
        gotool.run(
            "go", "run", f"sigs.k8s.io/krew/cmd/{program}@{KREW}", *words, directory=tmp_path, environ=environ
        )
    _, _, *wanted = unpublished()["kubectl"].split()  # kubectl calls kubectl-krew with what follows
    with pytest.raises(gotool.GoError, match=r"releases\.hashcompat\.invalid"):
        gotool.run(
            "go", "run", f"sigs.k8s.io/krew/cmd/krew@{KREW}", *wanted, directory=tmp_path, environ=environ
        )
    plugin = tmp_path / "krew" / "bin" / packages.PLUGIN
    done = ran(sys.executable, "-I", plugin, *PLANNED.split(), SHIV_ROOT=str(tmp_path / "unpacked"))
    assert done.stdout.startswith(ANSWER), done.stderr


@pytest.mark.full
def test_rattler_build_reads_the_recipe_of_conda(tools: Path, made: Path) -> None:
    code = """if True:
        import json, sys
        from rattler_build import RenderConfig, Stage0Recipe, VariantConfig
        (one,) = Stage0Recipe.from_file(sys.argv[1]).render(VariantConfig(), RenderConfig())
        print(json.dumps(one.recipe.to_dict()))
    """
    done = ran(tools / "python", "-c", code, made / "recipe.yaml")
    assert done.returncode == 0, done.stderr
    recipe = json.loads(done.stdout)
    assert recipe["package"] == {"name": "hashcompat", "version": __version__}
    assert recipe["source"][0]["url"] == f"{URL}/hashcompat-{__version__}.tar.gz"


@pytest.mark.full
@pytest.mark.parametrize("lacks", ["", "msgspec"])
def test_conda_builds_installs_and_tests_the_recipe(
    tools: Path, made: Path, tmp_path: Path, lacks: str
) -> None:
    """A recipe that lacks something that the program needs does not pass."""
    wheels, recipe = tmp_path / "wheels", tmp_path / "recipe.yaml"
    words = ("--require-hashes", "--only-binary=:all:", "--dest", wheels)
    locks = [
        word for name in ("run", "build", "release") for word in ("--requirement", LOCKS / f"{name}.txt")
    ]
    done = ran(tools / "python", "-m", "pip", "download", "--quiet", *words, *locks)
    assert done.returncode == 0, done.stderr
    lines = (made / "recipe.yaml").read_text(encoding="utf-8").splitlines(keepends=True)
    recipe.write_text("".join(line for line in lines if not lacks or lacks not in line), encoding="utf-8")
    program = Path(__file__).with_name("conda.py")
    done = ran(tools / "python", program, recipe, made, wheels, tmp_path / "work")
    assert (done.returncode, "Test failed" in done.stderr) == ((1, True) if lacks else (0, False)), (
        done.stderr
    )
    built = list((tmp_path / "work" / "out" / "noarch").glob(f"hashcompat-{__version__}-*.conda"))
    assert len(built) == (0 if lacks else 1)


@pytest.mark.full
@pytest.mark.parametrize("program", ["pip", "uvx"])
def test_what_is_not_published_is_installed_from_nobody(tools: Path, program: str) -> None:
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    done = ran("bash", "-c", unpublished()[program], PATH=path, PIP_RETRIES="0", UV_HTTP_RETRIES="0")
    assert done.returncode != 0
    assert "releases.hashcompat.invalid" in done.stderr


@pytest.mark.full
def test_the_bill_of_materials_names_what_is_locked(made: Path) -> None:
    """Its schema is looked at while it is made."""
    document = json.loads((made / "hashcompat.cdx.json").read_text(encoding="utf-8"))
    assert (document["bomFormat"], document["metadata"]["component"]["version"]) == ("CycloneDX", __version__)
    components = {
        f"{component['name'].lower().replace('.', '-')}=={component['version']}"
        for component in document["components"]
    }
    locked = (LOCKS / "run.txt").read_text(encoding="utf-8").split()
    assert len(components) > 15
    assert components <= set(locked)
