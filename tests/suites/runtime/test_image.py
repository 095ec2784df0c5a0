"""The image is built by its Dockerfile and run as a pod would run it. Installs from pip's package index."""

from __future__ import annotations

import json
import os
import re
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from subprocess import CompletedProcess

import pip
import pytest

from tests.helpers import daemons
from tests.helpers.daemons import Node
from tests.helpers.examples import EXAMPLES
from tests.helpers.program import ROOT
from tests.suites.runtime.callers import NEW, SAME, ran, unpublished, written

pytestmark = pytest.mark.runtime

PYTHON = Path("/usr/bin/python3.11")
"""Debian's own, as in the base image of the runtime stage."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("cluster"))


@pytest.fixture(scope="module")
def engine() -> Iterator[Node]:
    """Start Docker below a directory with a short name: sockets have short paths."""
    with (
        tempfile.TemporaryDirectory(prefix="hc-image-", ignore_cleanup_errors=True) as directory,
        daemons.node(Path(directory)) as made,
    ):
        yield made


LIBC = ("libpthread.so.0", "libdl.so.2", "librt.so.1", "libutil.so.1", "libstdc++.so.6", "libgcc_s.so.1")
"""Empty libraries of Debian's libc6, which wheels that run on older systems still name, and C++'s."""


def linked(files: Iterable[Path]) -> set[str]:
    """Return the libraries that programs and extension modules load, as the linker finds them."""
    done = ran("ldd", *files)
    return set(re.findall(r"(?:=> )?(/\S+) \(0x", done.stdout))


def base(engine: Node, name: str, *more: tuple[Path, str]) -> None:
    """Make a base image out of this machine's Python: no shell, nothing but what Python loads.

    Debian's images cannot be downloaded where these tests run; theirs is the same Python of the same Debian.
    """
    library = Path("/usr/lib/python3.11")
    modules = library / "lib-dynload"
    archive = engine.directory / f"{name}.tar"
    with tarfile.open(archive, "w", dereference=True) as tar:
        libraries = linked([PYTHON, *modules.glob("*.so")])
        (libc,) = (Path(path).parent for path in libraries if path.endswith("/libc.so.6"))
        for path in {*libraries, *(str(libc / name) for name in LIBC)}:
            tar.add(path, path)
        tar.add(PYTHON, "/usr/bin/python3.11")
        tar.add(PYTHON, "/usr/bin/python3")
        tar.add(
            library,
            library,
            filter=lambda member: None if member.name.endswith(("/test", "/__pycache__")) else member,
        )
        for source, place in more:
            tar.add(source, place)
        names = tar.getnames()
        parents = {str(parent) for name in names for parent in PurePosixPath(name).parents}
        modes = dict.fromkeys(sorted(parents - {*names, "."}), 0o755) | dict.fromkeys(("tmp", "root"), 0o1777)
        for directory, mode in modes.items():  # docker import would make those that are missing its own
            row = tarfile.TarInfo(directory)
            row.type, row.mode = tarfile.DIRTYPE, mode
            tar.addfile(row)
    engine.docker("import", "--change", "ENV PATH=/usr/bin", str(archive), f"localhost/{name}:test")


@pytest.fixture(scope="module")
def image(engine: Node, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Build the image by its own Dockerfile, over bases of this machine's Python."""
    assert PYTHON.exists(), "install python3.11"
    place = tmp_path_factory.mktemp("base")
    authorities = "/etc/ssl/certs/ca-certificates.crt"
    (place / "pip.conf").write_text(f"[global]\ncert = {authorities}\n")
    network = [(Path(name), name) for name in ("/etc/resolv.conf", authorities)]
    installer = (Path(pip.__file__).parent, "/usr/lib/python3.11/pip")
    base(engine, "build", installer, (place / "pip.conf", "/etc/pip.conf"), *network)
    base(engine, "runtime")
    return built(engine, "localhost/hashcompat:test")


@pytest.fixture(scope="module")
def fleet_image(engine: Node, image: str) -> str:
    return built(
        engine, "localhost/hashcompat-fleet:test", f"--build-arg=IMAGE={image}", file="fleet.Dockerfile"
    )


def built(engine: Node, tag: str, *more: str, file: str = "Dockerfile") -> str:
    """Build an image over the bases that are there, and return its tag."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOCKER_BUILDKIT", "0")
        engine.docker(
            "build",
            "--network=host",
            "--build-arg=BUILD=localhost/build:test",
            "--build-arg=RUNTIME=localhost/runtime:test",
            *[f"--build-arg={name}" for name in ("http_proxy", "https_proxy") if name in os.environ],
            f"--tag={tag}",
            *more,
            "--file",
            str(ROOT / "deploy" / "image" / file),
            str(ROOT),
        )
    return tag


def confined(engine: Node, *words: str) -> CompletedProcess[str]:
    """Run an image that may write no file, has no capability and no network."""
    limits = ("--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges", "--network=none")
    return ran(daemons.DOCKER, f"--host=unix://{engine.docker_socket}", "run", "--rm", *limits, *words)


@pytest.mark.full
@pytest.mark.parametrize(("target", "code"), [(SAME, 0), (NEW, 2)])
def test_the_image_needs_no_root_no_network_and_no_writable_file(
    engine: Node, image: str, cluster: Path, target: str, code: int
) -> None:
    place = f"--volume={cluster}:/cluster.json:ro"
    done = confined(engine, place, image, "gate", f"--to={target}", "--filename=/cluster.json")
    assert done.returncode == code, done.stderr


@pytest.mark.full
def test_the_image_has_another_user_than_root_and_no_shell(engine: Node, image: str) -> None:
    (config,) = json.loads(engine.docker("image", "inspect", image))
    assert config["Config"]["User"] == "65532:65532"
    assert config["Config"]["Entrypoint"][0] == "/usr/bin/python3.11"
    with pytest.raises(AssertionError, match=r"executable file not found|no such file"):
        engine.docker("run", "--rm", "--network=none", "--entrypoint=sh", image, "-c", "true")


def test_an_image_that_is_not_published_is_pulled_from_nobody(engine: Node) -> None:
    program, *words = unpublished()["docker"].split()
    assert program == "docker"
    with pytest.raises(AssertionError, match=r"releases\.hashcompat\.invalid"):
        engine.docker(*words)


@pytest.mark.full
def test_a_second_build_has_equal_layers(engine: Node, image: str) -> None:
    again = built(engine, "localhost/hashcompat:again", "--no-cache")
    first, second = (
        json.loads(engine.docker("image", "inspect", name))[0]["RootFS"]["Layers"] for name in (image, again)
    )
    assert first == second
    assert len(first) > 1


@pytest.mark.full
def test_the_image_is_compiled(engine: Node, image: str) -> None:
    """Nothing can be written in it, so what is not compiled would be so at every start."""
    place = (
        "--entrypoint=/usr/bin/python3.11",
        image,
        "-c",
        "import hashcompat; print(hashcompat.__cached__)",
    )
    (path,) = engine.docker("run", "--rm", "--read-only", "--network=none", *place).split()
    code = f"print(open({path!r}, 'rb').read(8).hex())"
    words = ("--entrypoint=/usr/bin/python3.11", image, "-c", code)
    header = engine.docker("run", "--rm", "--read-only", "--network=none", *words).strip()
    assert header.endswith("01000000"), "by its hash, which is not compared"


@pytest.mark.full
def test_the_image_runs_the_extension_for_cluster_api(engine: Node, image: str) -> None:
    place = f"--volume={EXAMPLES / 'cluster-api'}:/extension:ro"
    words = ("--entrypoint=/usr/bin/python3.11", image, "/extension/server.py", "--help")
    assert "--client-ca" in engine.docker("run", "--rm", "--read-only", "--network=none", place, *words)


@pytest.mark.full
@pytest.mark.parametrize("workers", [0, 2])
def test_the_image_with_the_extra_plans_a_fleet_with_no_file_but_in_tmp(
    engine: Node, fleet_image: str, cluster: Path, workers: int
) -> None:
    """Also by workers, each of which has a process of its own for the files."""
    done = confined(
        engine,
        "--tmpfs=/tmp",
        f"--volume={cluster}:/in/a.json:ro",
        fleet_image,
        "fleet",
        "/in",
        f"--to={NEW}",
        "--out=/tmp/out",
        f"--workers={workers}",
    )
    assert done.returncode == 2, done.stderr
    assert "1 planned" in done.stdout
    names = "import s3fs, duckdb; print(s3fs.S3FileSystem.protocol)"
    words = ("--entrypoint=/usr/bin/python3.11", fleet_image, "-P", "-c", names)
    assert "s3" in engine.docker("run", "--rm", "--read-only", "--network=none", *words)
