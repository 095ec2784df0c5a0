"""PF-124: leftover shims."""

from __future__ import annotations

import pytest

from tests.helpers.dumps import GONE, Key, dump, failed, findings, found, status, upgrade

PROCESSES: Key = ("processes", "all")
SHIM: Key = ("arguments", "801")
LEFT = "1 0 S systemd\n700 1 S containerd-shim\n720 700 S pause\n801 1 S containerd-shim\n"
ID = "3f" * 32
PLAIN = "1 shim of containerd has no process left: process 801"
OK = ("OK", "", "nothing found: leftover shims")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, [OK]),
        ({PROCESSES: LEFT}, [("WARN", "801", PLAIN)]),
        (
            {PROCESSES: LEFT, SHIM: f"/usr/bin/containerd-shim-runc-v2\n-namespace\nk8s.io\n-id\n{ID}\n"},
            [("WARN", "801", f"{PLAIN} for 3f3f3f3f3f3f")],
        ),
        (
            {PROCESSES: LEFT, SHIM: GONE},
            [("WARN", "801", PLAIN)],
        ),
        ({PROCESSES: failed()}, [("UNKNOWN", "", "all: permission denied")]),
        ({PROCESSES: "PID PPID S COMM\n1 0 S a b c\n"}, [OK]),
    ],
)
def test_pf124_shims_without_a_process(
    changes: dict[Key, object], expected: list[tuple[str, str, str]]
) -> None:
    assert found("PF-124", dump(changes), upgrade("1.34.10")) == expected  # type: ignore[arg-type]


def test_pf124_says_how_to_end_them() -> None:
    given = dump({PROCESSES: LEFT, SHIM: f"containerd-shim-runc-v2\n-id={ID}\n"})
    (finding,) = findings("PF-124", given, upgrade("1.34.10"))
    assert finding.advice == f"crictl pods --id {ID}; if there is no such pod: kill 801"
    (finding,) = findings("PF-124", dump({PROCESSES: LEFT}), upgrade("1.34.10"))
    assert finding.advice == "kill 801"


@pytest.mark.parametrize("given", ["$(reboot)", "x;reboot", "--all", "a b", "`x`", "x" * 129])
def test_pf124_repeats_no_argument_that_is_not_an_id(given: str) -> None:
    (finding,) = findings("PF-124", dump({PROCESSES: LEFT, SHIM: f"shim\n-id={given}\n"}), upgrade("1.34.10"))
    assert (finding.advice, given in finding.text) == ("kill 801", False)


DATA: Key = ("directory", "/var/lib/rancher/rke2/data")
OWN: Key = ("arguments", "700")
RELEASE = "/var/lib/rancher/rke2/data/v1.30.14-rke2r2-1e0462023ded"
ARGUMENTS = f"{RELEASE}/bin/containerd-shim-runc-v2\n-namespace\nk8s.io\n-id\n{ID}\n"
FROM = (
    f"1 shim of containerd was started from {RELEASE}, which is gone: containerd cannot stop it, nor take "
    "its containers over when it is restarted: process 700 for 3f3f3f3f3f3f"
)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({OWN: ARGUMENTS, DATA: "v1.33.11-rke2r1-aaaaaaaaaaaa\n"}, [("WARN", "700", FROM)]),
        ({OWN: ARGUMENTS, DATA: GONE}, [("WARN", "700", FROM)]),
        ({OWN: ARGUMENTS, DATA: "v1.30.14-rke2r2-1e0462023ded\n"}, [OK]),
        ({OWN: "/usr/bin/containerd-shim-runc-v2\n-id\nx\n"}, [OK]),
        ({OWN: GONE}, [OK]),
        ({OWN: failed()}, [("UNKNOWN", "", "700: permission denied")]),
        ({OWN: ARGUMENTS}, [("UNKNOWN", "", f"{DATA[1]}: not in the dump; collect again with --preflight")]),
        (
            {OWN: ARGUMENTS, DATA: failed()},
            [("UNKNOWN", "", f"{DATA[1]}: permission denied")],
        ),
    ],
)
def test_pf124_shims_of_a_release_that_was_removed(
    changes: dict[Key, object], expected: list[tuple[str, str, str]]
) -> None:
    assert found("PF-124", dump(changes), upgrade("1.34.10")) == expected  # type: ignore[arg-type]


def test_pf124_is_one_line_for_all_shims_and_each_release_that_is_gone() -> None:
    """A node may have hundreds; the line names some."""
    pids = range(801, 1001)
    left = "1 0 S systemd\n" + "".join(f"{pid} 1 S containerd-shim\n" for pid in pids)
    given = dump({PROCESSES: left, **{("arguments", str(pid)): "shim\n" for pid in pids}})
    (finding,) = findings("PF-124", given, upgrade("1.34.10"))
    text = "200 shims of containerd have no process left: processes 801, 802, 803, 197 more"
    assert (finding.object, finding.text) == ("", text)
    assert finding.advice == "kill 801; and so with the others"
    own = "".join(f"{pid} 1 S containerd-shim\n{pid + 500} {pid} S pause\n" for pid in (801, 802))
    arguments = {("arguments", str(pid)): ARGUMENTS for pid in (801, 802)}
    given = dump({PROCESSES: f"1 0 S systemd\n{own}", **arguments, DATA: GONE})
    (finding,) = findings("PF-124", given, upgrade("1.34.10"))
    assert finding.text == (
        f"2 shims of containerd were started from {RELEASE}, which is gone: containerd cannot stop them, nor "
        "take their containers over when it is restarted: processes 801 for 3f3f3f3f3f3f, "
        "802 for 3f3f3f3f3f3f"
    )


def test_a_list_without_any_process_shows_no_shims() -> None:
    assert status("PF-124", dump({PROCESSES: ""}), upgrade("1.31.14")) == [("UNKNOWN", "")]
