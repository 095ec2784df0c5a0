"""PF-149: the watchdog of systemd."""

from __future__ import annotations

import pytest

from hashcompat.analysis.preflight.facts.units import seconds
from tests.helpers.dumps import Key, dump, found, status, upgrade

UNIT: Key = ("file", "/lib/systemd/system/kubelet.service")
DROP_IN: Key = ("file", "/etc/systemd/system/kubelet.service.d/10-own.conf")
CONFIG: Key = ("file", "/var/lib/kubelet/config.yaml")
OFF = "featureGates: {SystemdWatchdog: false}\n"
NEVER = (
    "systemd ends kubelet 1.31.14 30 s after each start: its unit has WatchdogSec, and it does not notify "
    "the watchdog"
)


def unit(watchdog: str, program: str = "/usr/bin/kubelet") -> str:
    return f"[Service]\nExecStart={program} --config=/var/lib/kubelet/config.yaml\nWatchdogSec={watchdog}\n"


@pytest.mark.parametrize(
    ("to", "watchdog", "gates", "expected"),
    [
        ("1.31.14", "30s", "", "ERROR"),
        ("1.31.14", "0", "", "OK"),
        ("1.31.14", "infinity", "", "OK"),
        ("1.31.14", "soon", "", "OK"),
        ("1.31.14", "", "", "UNKNOWN"),
        ("1.32.0", "30s", "", "OK"),
        ("1.32.0", "1001ms", "", "OK"),
        ("1.32.0", "1s", "", "ERROR"),
        ("1.37.1", "500ms", "", "ERROR"),
        ("1.34.10", "30s", OFF, "ERROR"),
        ("1.34.10", "0", OFF, "OK"),
    ],
)
def test_pf149_a_watchdog_that_nobody_notifies(to: str, watchdog: str, gates: str, expected: str) -> None:
    config = f"apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n{gates}"
    given = dump({UNIT: unit(watchdog), CONFIG: config})
    assert [state for state, _ in status("PF-149", given, upgrade(to))] == [expected]


def test_pf149_says_what_happens_and_when() -> None:
    assert found("PF-149", dump({UNIT: unit("30")}), upgrade("1.31.14")) == [("ERROR", "WatchdogSec", NEVER)]
    ((_, _, text),) = found("PF-149", dump({UNIT: unit(".5")}), upgrade("1.33.0"))
    assert text == "kubelet 1.33.0 does not start with a WatchdogSec of 0.5 s: it has to be more than 1 s"


def test_pf149_without_a_watchdog_and_with_one_that_a_drop_in_takes_back() -> None:
    off = "[Service]\nWatchdogSec=0\n"
    for changes in ({}, {UNIT: unit("30s"), DROP_IN: off}):
        assert status("PF-149", dump({**changes}), upgrade("1.31.14")) == [("OK", "")]
    assert status("PF-149", dump({UNIT: unit("0"), DROP_IN: off.replace("0", "9")}), upgrade("1.31.14")) == [
        ("ERROR", "WatchdogSec")
    ]


def test_pf149_a_script_may_notify_in_place_of_the_kubelet() -> None:
    given = dump({UNIT: unit("30s", "/opt/start.sh")})
    assert status("PF-149", given, upgrade("1.31.14")) == [("UNKNOWN", "WatchdogSec")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("90", 90),
        ("1min 30s", 90),
        ("1m30", 90),
        ("1.5 h", 5400),
        ("250ms 250000us", 0.5),
        ("1d", 86400),
        ("", None),
        ("5 parsecs", None),
        ("-1", None),
        ("infinity", 0),
    ],
)
def test_time_spans_of_systemd(text: str, expected: float | None) -> None:
    assert seconds(text) == (expected if expected is None else pytest.approx(expected))
