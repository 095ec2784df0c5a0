"""PF-101: flags and feature gates."""

from __future__ import annotations

import pytest

from hashcompat.analysis.preflight import examine
from hashcompat.core.model.preflight import Status
from tests.helpers.dumps import GONE, Key, dump, failed, findings, found, upgrade

ARGUMENTS: Key = ("arguments", "kubelet")
CONFIG: Key = ("file", "/var/lib/kubelet/config.yaml")
ENV: Key = ("file", "/var/lib/kubelet/kubeadm-flags.env")
DEFAULT: Key = ("file", "/etc/default/kubelet")
SYSCONFIG: Key = ("file", "/etc/sysconfig/kubelet")
UNIT: Key = ("file", "/lib/systemd/system/kubelet.service")
DROP_IN: Key = ("file", "/etc/systemd/system/kubelet.service.d/10-kubeadm.conf")
OK = ("OK", "", "nothing found: flags and feature gates")

KUBEADM_UNIT = "[Service]\nExecStart=/usr/bin/kubelet\nRestart=always\n"
KUBEADM_DROP_IN = """# Note: This dropin only works with kubeadm and kubelet v1.11+
[Service]
Environment="KUBELET_KUBECONFIG_ARGS=--kubeconfig=/etc/kubernetes/kubelet.conf"
Environment="KUBELET_CONFIG_ARGS=--config=/var/lib/kubelet/config.yaml"
EnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env
EnvironmentFile=-/etc/default/kubelet
ExecStart=
ExecStart=/usr/bin/kubelet $KUBELET_KUBECONFIG_ARGS $KUBELET_CONFIG_ARGS \\
    $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS
"""
GATE = "kubelet {} does not start with CPUManager in --feature-gates of the running kubelet: "
NODE: dict[Key, object] = {
    UNIT: KUBEADM_UNIT,
    DROP_IN: KUBEADM_DROP_IN,
    ENV: 'KUBELET_KUBEADM_ARGS="--container-runtime-endpoint=unix:///run/containerd/containerd.sock"\n',
    DEFAULT: "# nothing\n",
    SYSCONFIG: GONE,
}
REMOTE = "--container-runtime=remote --container-runtime-endpoint="
SOCKET = "unix:///run/containerd/containerd.sock"
PAUSE = "--pod-infra-container-image"


def written(flags: str) -> str:
    return f'KUBELET_KUBEADM_ARGS="{flags}"\n'


WRITTEN_BY_KUBEADM = {
    "1.12": "KUBELET_KUBEADM_ARGS=--cgroup-driver=cgroupfs --network-plugin=cni\n",
    "1.15": written(f"--cgroup-driver=systemd --network-plugin=cni {PAUSE}=k8s.gcr.io/pause:3.1"),
    "1.20": written(f"--network-plugin=cni {PAUSE}=k8s.gcr.io/pause:3.2"),
    "1.23": written(f"{REMOTE}/run/containerd/containerd.sock {PAUSE}=k8s.gcr.io/pause:3.6"),
    "1.26": written(f"{REMOTE}{SOCKET} {PAUSE}=registry.k8s.io/pause:3.9"),
    "1.30": written(f"--container-runtime-endpoint={SOCKET} {PAUSE}=registry.k8s.io/pause:3.9"),
    "1.36": written("--hostname-override=n1 --register-with-taints=a=b:NoSchedule"),
}
"""In the form of kubeadm's phases/kubelet/flags.go; golden/kubeadm has what seven releases wrote."""


def check(to: str, changes: dict[Key, object], **more: object) -> list[tuple[str, str, str]]:
    return found("PF-101", dump(changes), upgrade(to, **more))  # type: ignore[arg-type]


def running(*flags: str) -> str:
    return "\n".join(["/usr/bin/kubelet", "--config=/var/lib/kubelet/config.yaml", *flags, ""])


@pytest.mark.parametrize(
    ("by", "to", "flags"),
    [
        ("1.12", "1.12.10", []),
        ("1.12", "1.23.17", []),
        ("1.12", "1.24.17", ["--network-plugin"]),
        ("1.15", "1.15.12", []),
        ("1.15", "1.24.0", ["--network-plugin"]),
        ("1.20", "1.23.17", []),
        ("1.20", "1.24.17", ["--network-plugin"]),
        ("1.23", "1.26.15", []),
        ("1.23", "1.27.0", ["--container-runtime"]),
        ("1.26", "1.26.15", []),
        ("1.26", "1.27.16", ["--container-runtime"]),
        ("1.30", "1.34.10", []),
        ("1.30", "1.35.0", ["--pod-infra-container-image"]),
        ("1.36", "1.37.1", []),
    ],
)
def test_pf101_what_kubeadm_wrote(by: str, to: str, flags: list[str]) -> None:
    shown = check(to, {**NODE, ENV: WRITTEN_BY_KUBEADM[by]})
    assert [object_ for status, object_, _ in shown if status == "ERROR"] == flags


@pytest.mark.parametrize("name", ["a'b$(id)", "network-plugin;touch", "a`id`", "x/e;s/a"])
def test_pf101_advises_no_command_that_a_dump_has_written(name: str) -> None:
    place = "/etc/systemd/system/kubelet.service.d/1;touch $(id).conf"
    unit = f'[Service]\nExecStart=\nExecStart=/usr/bin/kubelet "--{name}=1" --network-plugin=cni\n'
    shown = findings("PF-101", dump({**NODE, ("file", place): unit}), upgrade("1.24.17"))  # type: ignore[dict-item]
    advice = [finding.advice for finding in shown if place in finding.advice]
    assert advice
    for text in advice:
        assert text.endswith(f" '{place}'") or f" '{place}'; near it: " in text
        assert name not in text


def test_pf101_names_every_place_and_says_how_to_remove_it() -> None:
    changes = {**NODE, ENV: WRITTEN_BY_KUBEADM["1.20"], ARGUMENTS: running("--network-plugin=cni")}
    (finding,) = findings("PF-101", dump(changes), upgrade("1.24.17"))  # type: ignore[arg-type]
    assert (finding.status, finding.object) == ("ERROR", "--network-plugin")
    assert finding.text == (
        "kubelet 1.24.17 does not start with --network-plugin: 1.24 removed it; "
        "/var/lib/kubelet/kubeadm-flags.env and the running kubelet have it"
    )
    assert finding.advice == "sed -i 's/ *--network-plugin[= ]*[^ \"]*//' /var/lib/kubelet/kubeadm-flags.env"


@pytest.mark.parametrize(
    ("to", "gate", "expected"),
    [
        ("1.23.17", "true", []),
        ("1.24.17", "true", ["DynamicKubeletConfig"]),
        ("1.25.16", "true", ["DynamicKubeletConfig"]),
        ("1.25.16", "false", []),
        ("1.25.16", "null", []),
        ("1.26.15", "false", ["DynamicKubeletConfig"]),
    ],
)
def test_pf101_a_gate_that_is_not_locked_and_ends_the_kubelet(
    to: str, gate: str, expected: list[str]
) -> None:
    """1.24 and 1.25 know DynamicKubeletConfig for the sake of API servers."""
    text = f"apiVersion: v1\nkind: KubeletConfiguration\nfeatureGates:\n  DynamicKubeletConfig: {gate}\n"
    assert [name for state, name, _ in check(to, {CONFIG: text}) if state == "ERROR"] == expected


def test_pf101_a_gate_of_a_flag_hides_that_of_the_file() -> None:
    text = "apiVersion: v1\nkind: KubeletConfiguration\nfeatureGates: {SystemdWatchdog: false, Old: true}\n"
    flag = running("--feature-gates=NodeSwap=true", "--feature_gates=SystemdWatchdog=true")
    shown = check("1.35.0", {CONFIG: text, ARGUMENTS: flag})
    assert [name for _, name, _ in shown] == ["Old"]


def test_pf101_a_gate_without_a_value_is_off() -> None:
    """Null is false to encoding/json, in a map of bool."""
    text = "apiVersion: v1\nkind: KubeletConfiguration\nfeatureGates:\n  NodeSwap:\n"
    assert check("1.33.0", {CONFIG: text}) == [OK]
    locked = text.replace("NodeSwap", "SystemdWatchdog")
    assert [name for _, name, _ in check("1.35.0", {CONFIG: locked})] == ["SystemdWatchdog"]


def test_pf101_a_flag_that_only_the_running_kubelet_still_has() -> None:
    changes = {**NODE, ARGUMENTS: running("--network-plugin=cni")}
    (finding,) = findings("PF-101", dump(changes), upgrade("1.24.17"))  # type: ignore[arg-type]
    assert finding.status == "WARN"
    assert finding.text.endswith("the running kubelet has it, and its files no longer do")
    assert finding.advice == "systemctl daemon-reload, before the kubelet is restarted"


def test_pf101_a_script_gives_the_running_kubelet_a_flag_that_its_unit_does_not_have() -> None:
    script = "[Service]\nExecStart=/usr/local/bin/start-kubelet.sh\n"
    changes = {**NODE, UNIT: script, DROP_IN: GONE, ARGUMENTS: running("--network-plugin=cni")}
    (finding,) = findings("PF-101", dump(changes), upgrade("1.24.17"))  # type: ignore[arg-type]
    assert (finding.status, finding.object) == ("ERROR", "--network-plugin")


def test_pf101_what_openshift_starts_its_kubelet_with() -> None:
    command = "/usr/local/bin/kubenswrapper \\\n  /usr/bin/kubelet \\\n  --cloud-provider=external"
    unit = f"[Service]\nExecStart={command}\n"
    assert check("1.34.10", {**NODE, UNIT: unit, DROP_IN: GONE}) == [OK]
    flagged = check("1.34.10", {**NODE, UNIT: f"{unit.rstrip()} --cloud-config=/c\n", DROP_IN: GONE})
    assert [row[:2] for row in flagged] == [("ERROR", "--cloud-config")]


@pytest.mark.parametrize(
    ("flags", "left"),
    [
        ("--fail-swap-on false", "false"),
        ("--max-pods 10", ""),
        ("--max-pods=10 run", "run"),
        ("--fail-swap-on=false -- run", "run"),
        ("--no-such-flag value", ""),
    ],
)
def test_pf101_an_argument_that_is_no_flag_ends_the_kubelet(flags: str, left: str) -> None:
    rows = check("1.34.10", {**NODE, ("file", "/etc/default/kubelet"): f"KUBELET_EXTRA_ARGS={flags}\n"})
    texts = [text for _, _, text in rows if "no flag and no value" in text]
    assert [f"the argument {left}," in text for text in texts] == ([True] if left else [])


def test_pf101_an_empty_argument_is_one_too() -> None:
    unit = "[Service]\nExecStart=/usr/bin/kubelet --v=2 ${KUBELET_EXTRA_ARGS}\n"
    rows = check("1.34.10", {("file", "/lib/systemd/system/kubelet.service"): unit})
    (text,) = [text for _, _, text in rows if "no flag and no value" in text]
    assert text.startswith("kubelet 1.34.10 does not start with an empty argument, which is no flag and no")


def test_pf101_without_a_unit_both_count() -> None:
    changes = {
        ARGUMENTS: running("--allow-privileged", "-v=2"),
        ENV: WRITTEN_BY_KUBEADM["1.12"],
        DEFAULT: failed(),
    }
    shown = check("1.24.17", changes)
    assert [(status, object_) for status, object_, _ in shown] == [
        ("ERROR", "--network-plugin"),
        ("ERROR", "--allow-privileged"),
    ]
    (finding,) = findings("PF-101", dump({ARGUMENTS: running("--node-labls=a=b")}), upgrade("1.24.17"))
    assert finding.text == (
        "kubelet 1.24.17 does not start with --node-labls: it knows no such flag; the running kubelet has it"
    )
    assert finding.advice.startswith("remove it from where the kubelet is started; near it: --node-labels")
    assert check("1.24.17", {ARGUMENTS: running("-x")})[0][:2] == ("ERROR", "-x")


NO_KUBELET = "no kubelet runs on this node, and no unit shows how it would be started"


@pytest.mark.parametrize(
    ("changes", "status", "text"),
    [
        ({}, "OK", "nothing found: flags and feature gates"),
        ({ARGUMENTS: failed()}, "UNKNOWN", "kubelet: permission denied"),
        ({ARGUMENTS: GONE}, "UNKNOWN", NO_KUBELET),
        ({**NODE, ENV: failed(), ARGUMENTS: GONE}, "UNKNOWN", NO_KUBELET),
        ({CONFIG: failed()}, "UNKNOWN", "/var/lib/kubelet/config.yaml: permission denied"),
        ({UNIT: failed()}, "UNKNOWN", "/lib/systemd/system/kubelet.service: permission denied"),
    ],
)
def test_pf101_needs_the_command_line(changes: dict[Key, object], status: str, text: str) -> None:
    assert [(state, words) for state, _, words in check("1.24.17", changes)] == [(status, text)]


def test_pf101_a_unit_that_was_not_read_hides_no_flag() -> None:
    changes = {UNIT: failed(), ARGUMENTS: running("--network-plugin=cni")}
    shown = [each[:2] for each in check("1.24.17", changes)]
    assert shown == [("UNKNOWN", ""), ("ERROR", "--network-plugin")]


def test_pf101_a_kubelet_that_does_not_run_is_judged_by_its_files() -> None:
    changes = {**NODE, ARGUMENTS: GONE, ENV: WRITTEN_BY_KUBEADM["1.20"]}
    assert [each[:2] for each in check("1.24.17", changes)] == [("ERROR", "--network-plugin")]
    changes = {**changes, CONFIG: "featureGates: {NoSuch: true}\n", ENV: GONE}
    assert [each[:2] for each in check("1.24.17", changes)] == [("ERROR", "NoSuch")]


def test_pf101_flags_before_1_6_are_not_known() -> None:
    assert check("1.5.8", {}) == [("UNKNOWN", "", "the flags of kubelet 1.5.8 are not known")]


@pytest.mark.parametrize(
    ("to", "flag", "config", "expected"),
    [
        ("1.24.17", "CPUManager=true", "", []),
        (
            "1.26.15",
            "CPUManager=false",
            "",
            [
                GATE.format("1.26.15") + "it is locked to true",
            ],
        ),
        ("1.25.16", "CPUManager=false", "", []),
        ("1.32.13", "CPUManager=true", "", []),
        (
            "1.33.13",
            "CPUManager=true",
            "",
            [
                GATE.format("1.33.13") + "it knows no such feature gate",
            ],
        ),
        (
            "1.24.17",
            "CPUManager=maybe",
            "",
            [
                GATE.format("1.24.17") + "its value is neither true nor false",
            ],
        ),
        (
            "1.24.17",
            "AllAlpha=false,,CPUManager=T",
            "featureGates: {NoSuch: true}\n",
            [
                (
                    "kubelet 1.24.17 does not start with NoSuch in featureGates of the configuration file: "
                    "it knows no such feature gate"
                ),
            ],
        ),
        ("1.24.17", "", "featureGates: 1\n", []),
        (
            "1.36.3",
            "",
            "featureGates: {PodLevelResources: false, PodLevelResourceManagers: true}\n",
            ["needs PodLevelResources"],
        ),
    ],
)
def test_pf101_feature_gates(to: str, flag: str, config: str, expected: list[str]) -> None:
    words = running(*([f"--feature-gates={flag}"] if flag else []))
    shown = [
        text
        for status, _, text in check(to, {ARGUMENTS: words, CONFIG: config or "kind: x\n"})
        if status == "ERROR"
    ]
    assert len(shown) >= len(expected)
    assert all(any(wanted in text for text in shown) for wanted in expected)
    assert bool(shown) == bool(expected)


def test_pf101_gates_of_files_that_the_next_start_reads() -> None:
    changes = {
        **NODE,
        DEFAULT: 'KUBELET_EXTRA_ARGS="--feature-gates=NoSuch=true"\n',
        ARGUMENTS: running("--feature-gates=Other=true"),
    }
    assert [object_ for _, object_, _ in check("1.24.17", changes)] == ["NoSuch"]


RUNNING = "kubelet\n--config=/var/lib/kubelet/config.yaml\n"
UNFINISHED = (
    "--config",
    "--config-dir",
    "--hostname-override",
    "--max-pods",
    "--feature-gates",
    "-v",
    "--root_dir",
)


@pytest.mark.parametrize("flag", UNFINISHED)
@pytest.mark.parametrize(
    "runs", [RUNNING, f"{RUNNING}--v=2\n", GONE], ids=["it runs", "with more", "it does not"]
)
def test_a_flag_without_its_value_at_the_end_is_one_error(flag: str, runs: object) -> None:
    """pflag: flag needs an argument. Nothing else is looked for under its name or as ``true``."""
    unit = f"[Service]\nExecStart=/usr/bin/kubelet --config=/var/lib/kubelet/config.yaml {flag}\n"
    given = dump({UNIT: unit, ARGUMENTS: runs})  # type: ignore[dict-item]
    every = [each for each in examine(given, upgrade("1.37.1", "1.37.1")) if each.status is not Status.OK]
    assert [(each.id, each.status.value, each.object) for each in every] == [("PF-101", "ERROR", flag)]
    assert every[0].text == (
        f"kubelet 1.37.1 does not start with {flag} as its last argument, because it needs a value; "
        f"{UNIT[1]} has it"
    )


def test_a_running_kubelets_last_argument_is_no_path() -> None:
    """What runs was accepted, so it cannot be so: a dump that somebody wrote shows it."""
    given = dump({ARGUMENTS: f"{RUNNING}--config\n"})
    assert [
        each.id for each in examine(given, upgrade("1.37.1", "1.37.1")) if each.status is not Status.OK
    ] == []


@pytest.mark.parametrize(
    "more", ["--v 2", "--fail-swap-on", "--config /var/lib/kubelet/config.yaml", "--no-such"]
)
def test_other_last_arguments_are_whole(more: str) -> None:
    unit = f"[Service]\nExecStart=/usr/bin/kubelet --config=/var/lib/kubelet/config.yaml {more}\n"
    texts = [text for _, _, text in check("1.37.1", {UNIT: unit, ARGUMENTS: RUNNING})]
    assert not any("last argument" in text for text in texts)


def test_the_value_of_a_flag_may_look_like_a_flag() -> None:
    """pflag takes the next argument, whatever it is: this kubelet's file is called --v=2."""
    unit = "[Service]\nExecStart=/usr/bin/kubelet --config --v=2\n"
    given = dump({UNIT: unit, ARGUMENTS: GONE, ("file", "--v=2"): GONE})
    every = [each for each in examine(given, upgrade("1.37.1", "1.37.1")) if each.status is not Status.OK]
    assert [(each.id, each.status.value, each.object) for each in every] == [("PF-126", "ERROR", "--v=2")]
