"""The processes of a node, and those of containers."""

from __future__ import annotations

import pytest

from hashcompat.analysis.preflight.facts import processes
from hashcompat.analysis.preflight.facts.processes import LIST, Process, option, processes_of, rows
from hashcompat.core.records.probes import UnreadError
from tests.helpers.dumps import APP, GONE, dump, failed

# The processes of a node.


def test_lines_of_processes() -> None:
    assert rows("PID PPID S COMM\n1 0 S systemd\n22 1 D a b\n3 1\n") == (
        Process("1", "0", "S", "systemd"),
        Process("22", "1", "D", "a b"),
    )


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        ("shim\n-id\nabc\n", "abc"),
        ("shim\n--id\nabc\n", "abc"),
        ("shim\n-id=abc\n-x\n", "abc"),
        ("shim\nid\nabc\n", ""),
        ("shim\nid=abc\n", ""),
        ("shim\n-id\n", ""),
        ("", ""),
    ],
)
def test_options(arguments: str, value: str) -> None:
    assert option(arguments, "id") == value


def test_kernel_threads_and_what_changed_do_not_last() -> None:
    first, second = "1 0 S a\n9 2 D kworker\n5 1 D x\n6 1 D y\n", "1 0 S a\n9 2 D kworker\n5 1 D x\n6 1 S y\n"
    table = processes_of(dump({LIST: [first, second]}))
    assert [each.pid for each in table.lasting()] == ["1", "5"]
    assert table.watched


def test_one_read_is_not_watched() -> None:
    assert not processes_of(dump({LIST: [failed(), "1 0 S a b\n"]})).watched
    assert [each.name for each in processes_of(dump({LIST: "1 0 S a b\n"})).lasting()] == ["a b"]


@pytest.mark.parametrize("end", ["\r", "\v", "\f", "\x1c", "\x85", "\u2028"])
def test_a_name_with_the_end_of_a_line_in_it_is_one_process(end: str) -> None:
    name = f"x{end}7 1 D y"
    assert [each.name for each in rows(f"1 0 S {name}\n2 0 S z\n")] == [name, "z"]
    assert option(f"shim\n-x=1{end}-id=abc\n", "id") == ""


# The processes of containers, as dumps have them.


def test_a_list_of_processes() -> None:
    assert processes.rows("7 1 S a b\n8 1 Z\nx y S z\n9\n") == (
        processes.Process("7", "1", "S", "a b"),
        processes.Process("8", "1", "Z", ""),
    )


@pytest.mark.parametrize("text", ["", "\n", "garbage\n"])
def test_a_node_has_processes(text: str) -> None:
    with pytest.raises(UnreadError, match="no process is in the list"):
        processes_of(dump({LIST: text}))


@pytest.mark.parametrize("name", ["containerd-shim", "dockerd", "crio", "conmon", "docker-containe"])
def test_processes_of_runtimes(name: str) -> None:
    processes.Tasks(dump({("processes", "all"): f"7 1 S {name}\n"})).require_runtime()


@pytest.mark.parametrize("odd", ["\v", "\f", "\r", "\x1c", "\x1e", "\x85", "\u2028"])
def test_no_break_in_a_name_makes_another_process(odd: str) -> None:
    listed = processes.rows(f"7 1 S a{odd}1 0 Z runc\n")
    assert [(row.pid, row.state) for row in listed] == [("7", "S")]


@pytest.mark.parametrize("above", ["/kubepods.slice", f"/docker/{'e' * 64}/kubelet-kubepods.slice", "/own"])
def test_no_container_names_the_cgroup_of_another(above: str) -> None:
    own, victim = "a" * 64, "b" * 64
    path = f"{above}/pod1/cri-containerd-{own}.scope"
    tasks = processes.Tasks(dump({("cgroups", "all"): f"{path}\n{path}/x/{victim}\n"}))
    assert (tasks.has_cgroup(own), tasks.has_cgroup(victim)) == (True, False)


def test_another_pid_namespace() -> None:
    with pytest.raises(UnreadError, match="PID namespace"):
        processes.Tasks(dump({("processes", "all"): "1 0 S sh\n"})).require_runtime()
    processes.Tasks(dump({("processes", "all"): GONE})).require_runtime()


def test_shims_without_an_id_are_nobody_s() -> None:
    given = dump({("arguments", "5"): "containerd-shim\n", ("arguments", "kubelet"): "kubelet\n"})
    tasks = processes.Tasks(given)
    assert tasks.holders("") == tasks.holders("f" * 64) == ()


@pytest.mark.parametrize(
    ("cgroups", "listed", "has"),
    [
        (f"/kubepods/{APP}\n", "", True),
        ("/kubepods\n", f"56 55 S {APP}\n", False),
        (GONE, "55 1 S containerd-shim\n56 55 Z sleep\n", True),
        (GONE, "55 1 S containerd-shim\n", None),
        (failed(), GONE, None),
    ],
)
def test_whether_a_container_has_a_cgroup(cgroups: str, listed: str, has: bool | None) -> None:
    shim = f"containerd-shim-runc-v2\n-id\n{APP}\n"
    read = {("cgroups", "all"): cgroups, ("processes", "all"): listed, ("arguments", "55"): shim}
    assert processes.Tasks(dump({**read})).has_cgroup(APP) is has
