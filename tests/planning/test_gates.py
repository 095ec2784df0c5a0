"""``--feature-gates``: which are refused, what they decide, and that defaults decide nothing."""

from __future__ import annotations

import pytest

import hashcompat
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.errors import UsageError
from hashcompat.core.model.verdicts import Recorded
from hashcompat.core.records.index import index
from hashcompat.core.release import parse_release
from tests.helpers.pods import Json, as_json, node, pod
from tests.helpers.program import Run
from tests.helpers.rulecases import KEEP, SIZED, C, Expected, sidecar
from tests.helpers.slices import sliced
from tests.helpers.upgrades import decided

SIDECARS, RESIZE = "SidecarContainers", "InPlacePodVerticalScaling"
NEVER_COMPARED = ("UNKNOWN", ["HC011"])
GRACE = "ProbeTerminationGracePeriod"
PROBED: Json = {**C, "livenessProbe": {"exec": {}, "terminationGracePeriodSeconds": 5}}
LOCKED = "it would not start with these gates"


def manifest(container: Json, **spec: object) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "m"},
        "spec": {"containers": [container], "automountServiceAccountToken": False, **spec},
    }


@pytest.mark.parametrize(
    ("old", "new", "gates", "more", "problem"),
    [
        (
            "1.31.14",
            "1.32.13",
            "InplacePodVerticalScaling=true",
            (),
            "gate 'InplacePodVerticalScaling'; the nearest: InPlacePodVerticalScaling, ",
        ),
        ("1.31.14", "1.32.13", "SIDECARCONTAINERS=true", (), "the nearest: SidecarContainers"),
        ("1.31.14", "1.31.14", "Xyzzy=1", (), "1.31.14 does not have a feature gate 'Xyzzy'\n"),
        ("1.3.10", "1.3.10", "AppArmor=true", (), "1.3.10 does not have a feature gate 'AppArmor'\n"),
        (
            "1.15.12",
            "1.16.15",
            "AllBeta=true",
            (),
            "neither 1.15.12 nor 1.16.15 has a feature gate 'AllBeta'",
        ),
        ("1.26.15", "1.27.16", "X=true,X=false,Y=f,Y=T", (), "X, Y cannot be both true and false"),
        ("1.32.13", "1.33.13", f"{SIDECARS}=false", (), f"1.33.13 locks {SIDECARS} to true: {LOCKED}"),
        ("1.33.13", "1.32.13", f"{SIDECARS}=0", (), f"1.33.13 locks {SIDECARS} to true: {LOCKED}"),
        (
            "1.31.14",
            "1.32.13",
            f"{SIDECARS}=false",
            ("--apiserver-to", "1.33.13"),
            f"1.33.13 locks {SIDECARS} to true",
        ),
        (
            "1.34.10",
            "1.36.3",
            "PodLevelResources=false",
            (),
            "InPlacePodLevelResourcesVerticalScaling, which is on in 1.36.3, needs PodLevelResources",
        ),
        ("1.9.11", "1.10.0", "AppArmor=maybe", (), "want GATE=true or GATE=false, got 'AppArmor=maybe'"),
        ("1.9.11", "1.10.0", "AppArmor=tRuE", (), "want GATE=true or GATE=false, got 'AppArmor=tRuE'"),
        ("1.9.11", "1.10.0", "AppArmor", (), "want GATE=true or GATE=false, got 'AppArmor'"),
        ("auto", "1.10.0", "CSIDriver=true", (), "neither v1.9.11 nor 1.10.0 has a feature gate 'CSIDriver'"),
    ],
)
def test_what_is_refused(
    run: Run, old: str, new: str, gates: str, more: tuple[str, ...], problem: str
) -> None:
    given = as_json(node("v1.9.11"), pod(C))
    flags = ("--from", old, "--to", new, "-f", "-", "--feature-gates", gates, *more)
    result = run("plan", *flags, stdin=given)
    assert (result.code, result.out) == (64, "")
    assert "Error: --feature-gates: " in result.err
    assert problem in result.err


@pytest.mark.parametrize(
    ("command", "more"),
    [("explain", ("ns/p", "--from", "1.31.14", "--to", "1.32.13")), ("matrix", ("--from", "1.31.14"))],
)
def test_other_commands_refuse_the_same(run: Run, command: str, more: tuple[str, ...]) -> None:
    result = run(command, *more, "-f", "-", "--feature-gates", "NoSuchGate=true", stdin=as_json(pod(C)))
    assert (result.code, "has a feature gate 'NoSuchGate'" in result.err) == (64, True)


def test_a_contradiction_between_two_flags_is_refused(run: Run) -> None:
    flags = ("--feature-gates", f"{RESIZE}=true", "--feature-gates", f"{RESIZE}=false")
    result = run("plan", "--from", "1.31.14", "--to", "1.32.13", "-f", "-", *flags, stdin=as_json(pod(C)))
    assert (result.code, f"{RESIZE} cannot be both true and false" in result.err) == (64, True)


RECORDS = index([Recorded("", "ns", "p", "c", 1, running=True)])


def test_the_python_api_refuses_the_same() -> None:
    unknown, off = frozenset({"NoSuchGate"}), frozenset({SIDECARS})
    with pytest.raises(UsageError, match=r"nor 1\.32\.13 has a feature gate 'NoSuchGate'"):
        hashcompat.plan([pod(C)], "1.31.14", "1.32.13", gates=unknown)
    with pytest.raises(UsageError, match=r"1\.33\.13 locks SidecarContainers to true"):
        hashcompat.plan([pod(C)], "1.32.13", "1.33.13", gates_off=off)
    with pytest.raises(UsageError, match="SidecarContainers cannot be both true and false"):
        hashcompat.plan([pod(C)], "1.31.14", "1.32.13", gates=off, gates_off=off)
    with pytest.raises(UsageError, match=r"1\.31\.14 does not have a feature gate 'NoSuchGate'"):
        hashcompat.hashes([pod(C)], ["1.31.14"], gates=unknown)
    with pytest.raises(UsageError, match=r"1\.31\.14 does not have a feature gate 'NoSuchGate'"):
        hashcompat.calibrate([pod(C)], "1.31.14", gates=unknown, records=RECORDS)


@pytest.mark.parametrize(
    ("old", "new", "given", "gates", "expected"),
    [
        # known to FROM alone, to TO alone, to an API server alone
        ("1.36.3", "1.37.1", pod(C), f"{SIDECARS}=true", KEEP),
        ("1.26.15", "1.27.16", pod(SIZED), f" {RESIZE} = true ,", ("RESTART", ["HC023"])),
        # a kubelet from 1.28 on admits sidecars while the gate is on
        ("1.28.15", "1.29.15", sidecar(), "", ("KEEP", ["HC002"])),
        ("1.28.15", "1.29.15", sidecar(), f"{SIDECARS}=false", ("KILL", ["HC035"])),
        ("1.31.14", "1.32.13", sidecar(), "AllBeta=false", ("KILL", ["HC035"])),
        ("1.31.14", "1.32.13", sidecar(), f"AllBeta=false,{SIDECARS}=true", NEVER_COMPARED),
        # the gate of a field that a manifest sets and that the current kubelet does not know
        ("1.20.15", "1.21.14", manifest(PROBED), "", ("UNKNOWN", ["HC030"])),
        ("1.20.15", "1.21.14", manifest(PROBED), f"{GRACE}=false", KEEP),
        ("1.20.15", "1.21.14", manifest(PROBED), "AllAlpha=false", KEEP),
        ("1.20.15", "1.21.14", manifest(PROBED), f"{GRACE}=true", ("RESTART", ["HC006"])),
    ],
)
def test_what_gates_decide(run: Run, old: str, new: str, given: Json, gates: str, expected: Expected) -> None:
    server = ("--apiserver", new) if "uid" not in given["metadata"] else ()
    more = (*server, "--feature-gates", gates) if gates else server
    assert decided(run, old, new, given, more=more) == expected


PAIRS = [("1.5.8", "1.6.13"), ("1.13.12", "1.14.10"), ("1.27.16", "1.28.15"), ("1.32.13", "1.33.13")]
PAIRS += [("1.34.10", "1.36.3"), ("1.36.3", "1.37.1"), ("1.33.13", "1.32.13")]


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(("old", "new"), sliced(PAIRS, PAIRS[::2]))
def test_gates_that_are_set_to_their_defaults_change_no_item(
    run: Run, catalog: Catalog, old: str, new: str
) -> None:
    before, after = (
        {name: spec.on for name in table.known_to(release) if (spec := table.spec(name, release))}
        for release in map(parse_release, (old, new))
        for table in [catalog.gate_table]
    )
    defaults = dict(before.items() & after.items())
    del defaults["AllAlpha"]
    defaults.pop("AllBeta", None)
    gates = ",".join(f"{name}={'true' if on else 'false'}" for name, on in defaults.items())
    plans = [
        run("plan", "--from", old, "--to", new, "--sample", "-o", "json", *more).items
        for more in ((), ("--feature-gates", gates))
    ]
    assert plans[0] == plans[1]
