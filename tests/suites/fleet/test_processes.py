"""Processes that die: the rows are those of a run in which nothing happens."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from hashcompat.core.catalog.lookup import Catalog
from tests.fleet.clusters import NEW, content, save, table
from tests.helpers.examples import EXAMPLES, expanded, of_kind
from tests.helpers.planted import MARK, Planter
from tests.helpers.pods import listed, node, pod
from tests.helpers.processes import free_port
from tests.suites.fleet import parts
from tests.suites.fleet.parts import (
    kill,
    many,
    parts_in,
    planners_of,
    program,
    ran,
    until,
    workers_of,
)

pytestmark = pytest.mark.fleet
FILES = 40


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return many(tmp_path_factory.mktemp("source") / "in", FILES)


@pytest.fixture(scope="module")
def undisturbed(source: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of a run in one process."""
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    code, _, err = ran("fleet", source, "--to", NEW, "--out", out, "--workers", 0)
    assert code == 2, err
    tables = content(out)
    assert len(tables[f"clusters/target={NEW}"]) == FILES
    return tables


def killed(
    process: subprocess.Popen[Any], out: Path, at: list[int], pids_of: Callable[[int], list[int]] = workers_of
) -> None:
    """Kill a worker below a process, or what is found, each time that so many inputs are answered."""
    for number in at:
        until(lambda number=number: parts_in(out) >= number)  # type: ignore[misc]
        kill(until(lambda: pids_of(process.pid))[0])


def test_workers_of_this_machine_are_killed(
    source: Path, undisturbed: dict[str, Any], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    process = program("fleet", source, "--to", NEW, "--out", out, "--workers", 2)
    killed(process, out, [2, 10, 20])
    _, err = process.communicate(timeout=6 * parts.PATIENCE)
    assert process.returncode == 2, err
    assert content(out) == undisturbed


def test_processes_that_plan_are_killed(source: Path, undisturbed: dict[str, Any], tmp_path: Path) -> None:
    """It costs no worker: what it was planning is planned again."""
    out = tmp_path / "out"
    process = program("fleet", source, "--to", NEW, "--out", out, "--workers", 2)
    until(lambda: parts_in(out) >= 1)
    workers = workers_of(process.pid)
    killed(process, out, [2, 10, 20], planners_of)
    assert workers_of(process.pid) == workers
    _, err = process.communicate(timeout=6 * parts.PATIENCE)
    assert process.returncode == 2, err
    assert content(out) == undisturbed


def test_what_plans_ends_with_its_worker(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = program("fleet", source, "--to", NEW, "--out", out, "--workers", 1)
    until(lambda: parts_in(out) >= 1)
    (planner,), (worker,) = planners_of(process.pid), workers_of(process.pid)
    kill(worker)
    until(lambda: not Path(f"/proc/{planner}").exists())
    process.communicate(timeout=6 * parts.PATIENCE)
    assert process.returncode == 2


def test_a_ctrl_c_ends_all_of_it_in_one_line(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    # So many that a fast machine is not done before it is interrupted.
    targets = ",".join([NEW, *(f"1.{minor}.0" for minor in range(10, 37))])
    words = (sys.executable, "-m", "hashcompat", "fleet", source, "--to", targets, "--out", out)
    process = subprocess.Popen(
        # A shell that runs tests in the background lets them ignore the signal.
        ["env", "--default-signal=INT", *map(str, words), "--workers", "2"],
        env=parts.environ(),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    until(lambda: parts_in(out) >= 1)
    planners = planners_of(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=parts.PATIENCE)
    assert process.returncode == 130
    assert [line for line in err.splitlines() if line][1:] == ["Error: interrupted"]
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in planners))


@pytest.mark.full
def test_workers_of_a_scheduler_are_killed(source: Path, undisturbed: dict[str, Any], tmp_path: Path) -> None:
    out, port = tmp_path / "out", free_port()
    with (
        parts.scheduler(port, tmp_path / "scheduler.log"),
        parts.workers(port, tmp_path / "w.log") as nannies,
    ):
        process = program(
            "fleet", source, "--to", NEW, "--out", out, "--scheduler", f"tcp://127.0.0.1:{port}"
        )
        killed(nannies, out, [2, 12])
        _, err = process.communicate(timeout=6 * parts.PATIENCE)
        assert process.returncode == 2, err
    assert content(out) == undisturbed


def test_a_scheduler_is_killed_and_started_again(
    source: Path, undisturbed: dict[str, Any], tmp_path: Path
) -> None:
    out, port = tmp_path / "out", free_port()
    with ExitStack() as stack:
        first = stack.enter_context(parts.scheduler(port, tmp_path / "scheduler.log"))
        stack.enter_context(parts.workers(port, tmp_path / "w1.log"))
        process = program(
            "fleet", source, "--to", NEW, "--out", out, "--scheduler", f"tcp://127.0.0.1:{port}"
        )
        until(lambda: parts_in(out) >= 3)
        first.kill()
        first.wait()
        stack.enter_context(parts.scheduler(port, tmp_path / "scheduler2.log"))
        stack.enter_context(parts.workers(port, tmp_path / "w2.log"))
        _, err = process.communicate(timeout=6 * parts.PATIENCE)
        assert process.returncode == 2, err
    assert content(out) == undisturbed


def test_a_program_that_is_killed_goes_on_where_it_was(
    source: Path, undisturbed: dict[str, Any], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    process = program("fleet", source, "--to", NEW, "--out", out, "--workers", 0)
    until(lambda: parts_in(out) >= 5)
    process.kill()
    process.communicate()
    assert not (out / "run.json").exists()
    code, _, err = ran("fleet", source, "--to", NEW, "--out", out, "--workers", 0)
    assert code == 2
    assert ", 0 of them answered already" not in err
    assert content(out) == undisturbed


@pytest.mark.full
def test_a_file_that_takes_too_much_memory_is_the_only_one_that_is_lost(tmp_path: Path) -> None:
    """The process that plans it is ended, and when it is alone again."""
    source = many(tmp_path / "in", 9)
    containers = [{"name": f"c{number}", "image": "i"} for number in range(200)]
    text = json.dumps(pod(*containers, name="NAME"))
    with (source / "large.json").open("w") as stream:
        stream.write(json.dumps(listed(node("v1.7.16")))[:-2])
        stream.writelines(", " + text.replace("NAME", f"p{number}") for number in range(2500))
        stream.write("]}")
    out = tmp_path / "out"
    words = ("--workers", 2, "--worker-memory", "260MB")
    code, _, err = ran("fleet", source, "--to", NEW, "--out", out, *words)
    assert code == 2, err
    rows = table(out, "clusters")
    statuses = {row["cluster"]: row["status"] for row in rows}
    assert [row["error"] for row in rows if row["status"] == "lost"] == [
        "it takes more memory than the 260,000,000 bytes of a worker"
    ]
    assert [name for name, status in statuses.items() if status == "lost"] == ["large"]
    assert list(statuses.values()).count("planned") == 9


def test_workers_write_and_print_no_value_of_a_cluster(tmp_path: Path, catalog: Catalog) -> None:
    planter, source = Planter(catalog), tmp_path / "in"
    objects = [
        planter.node("v1.30.0"),
        planter.pod("p"),
        planter.pod("q", {**planter.container(), "ports": "x"}),
    ]
    text = json.dumps(listed(*objects))
    save(source, whole=json.dumps(listed(*objects[:2])), misfit=text, cut=text[:-40])
    done = ran("fleet", source, "--to", "1.31.0", "--out", tmp_path / "out", "--workers", 2, "--items")
    assert done[0] in {2, 3}, done[2]
    assert len(table(tmp_path / "out", "clusters", "1.31.0")) == 3
    assert MARK not in f"{done}{content(tmp_path / 'out')}"


def test_a_disk_that_is_full_leaves_no_half(
    source: Path, undisturbed: dict[str, Any], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    words = " ".join(map(str, ("fleet", source, "--to", NEW, "--out", out / "o", "--workers", 0)))
    script = (
        f"mount -t tmpfs -o size=120k tmpfs {out} && {sys.executable} -m hashcompat {words}; "
        f"code=$?; cp -r {out}/o {tmp_path}/kept; exit $code"
    )
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script],
        env=parts.environ(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    kept = tmp_path / "kept"
    assert not (kept / "run.json").exists()
    assert not list(kept.rglob(".hashcompat-*"))
    before = parts_in(kept)
    assert 0 < before < FILES
    code, _, err = ran("fleet", source, "--to", NEW, "--out", kept, "--workers", 0)
    assert code == 2, err
    assert f", {before} of them answered already" in err
    assert content(kept) == undisturbed


@pytest.mark.full
def test_an_indexed_job_by_its_environment(source: Path, undisturbed: dict[str, Any], tmp_path: Path) -> None:
    """The Job of the examples; one Pod of it is killed, and begun again as its controller does."""
    out = tmp_path / "out"
    job = of_kind(EXAMPLES / "fleet" / "job.yaml", "Job")
    assert (job["spec"]["completionMode"], job["spec"]["completions"]) == ("Indexed", 8)
    (container,) = job["spec"]["template"]["spec"]["containers"]
    places = {"s3://clusters/snapshots": str(source), "--to=1.31": f"--to={NEW}"}
    places["--out=s3://clusters/fleet"] = f"--out={out}"

    def begun(index: int) -> subprocess.Popen[str]:
        words = expanded(container["args"], {"JOB_COMPLETION_INDEX": str(index)})
        return program(*(places.get(word, word) for word in words))

    first = begun(0)
    until(lambda: parts_in(out) >= 1)
    first.kill()
    first.communicate()
    counts = []
    for index in range(8):
        process = begun(index)
        said, _ = process.communicate(timeout=parts.PATIENCE)
        assert process.returncode == 0
        counts.append(int(said.split()[0]))
    assert sum(counts) == FILES
    assert not (out / "run.json").exists()
    code, _, err = ran("fleet", source, "--to", NEW, "--out", out)
    assert code == 2
    assert f"{FILES} inputs, {FILES} of them answered already" in err
    assert content(out) == undisturbed
    shutil.rmtree(out)
