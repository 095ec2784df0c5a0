"""PF-124: leftover shims."""

from __future__ import annotations

import pytest

from tests.helpers.dumps import GONE, Key, dump, failed, findings, found, upgrade

PROCESSES: Key = ("processes", "all")
SHIM: Key = ("arguments", "801")
LEFT = "1 0 S systemd\n700 1 S containerd-shim\n720 700 S pause\n801 1 S containerd-shim\n"
ID = "3f" * 32
PLAIN = "process 801, a shim of containerd"
OK = ("OK", "", "nothing found: leftover shims")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, [OK]),
        ({PROCESSES: LEFT}, [("WARN", "801", f"{PLAIN} has no process left")]),
        (
            {PROCESSES: LEFT, SHIM: f"/usr/bin/containerd-shim-runc-v2\n-namespace\nk8s.io\n-id\n{ID}\n"},
            [("WARN", "801", "process 801, a shim of containerd for 3f3f3f3f3f3f has no process left")],
        ),
        (
            {PROCESSES: LEFT, SHIM: GONE},
            [("WARN", "801", f"{PLAIN} has no process left")],
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
    f"process 700, a shim of containerd for 3f3f3f3f3f3f was started from {RELEASE}, which is gone: "
    "containerd cannot stop it, nor take its containers over when it is restarted"
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
