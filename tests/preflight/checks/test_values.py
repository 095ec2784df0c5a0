"""PF-126: values that the next kubelet refuses."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from hashcompat.analysis.preflight import examine
from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.core.model.preflight import Status
from hashcompat.core.records.probes import Probe
from tests.helpers.dumps import GONE, Key, dump, failed, findings, found, numbers, status, upgrade
from tests.helpers.program import ROOT
from tests.preflight.checks.test_flags import DROP_IN, KUBEADM_DROP_IN, NODE

PATH = "/var/lib/kubelet/config.yaml"
CONFIG: Key = ("file", PATH)
ARGUMENTS: Key = ("arguments", "kubelet")
HOST_NODES: Key = ("directory", "/sys/devices/system/node")
ONLINE: Key = ("file", "/sys/devices/system/cpu/online")
MOUNTS: Key = ("file", "/proc/1/mounts")
UNIT: Key = ("file", "/lib/systemd/system/kubelet.service")
V1 = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
OK = ("OK", "", "nothing found: value refused")
NEWEST = "1.37.1"


def node(config: str, *flags: str) -> dict[Key, Any]:
    words = ["/usr/bin/kubelet", f"--config={PATH}", *flags]
    nodes = "has_cpu\nnode0\nnode1\npossible\n"
    return {CONFIG: V1 + config, ARGUMENTS: "\n".join([*words, ""]), HOST_NODES: nodes, ONLINE: "0-7\n"}


def refused(to: str, config: str, *flags: str) -> list[str]:
    """Return what is refused and why, without the words that all findings have."""
    rows = found("PF-126", dump(node(config, *flags)), upgrade(to))
    assert all(state == "ERROR" for state, _, text in rows if (state, "", text) != OK)
    return [f"{name}: {text.rpartition(': it ')[2]}" for state, name, text in rows if state == "ERROR"]


HEALTHY = """authentication: {anonymous: {enabled: false}, webhook: {cacheTTL: 0s, enabled: true}}
authorization: {mode: Webhook}
cgroupDriver: systemd
clusterDNS: [10.96.0.10]
containerLogMaxFiles: 5
cpuManagerPolicy: none
enforceNodeAllocatable: [pods]
evictionHard: {imagefs.available: 15%, memory.available: 100Mi}
hairpinMode: promiscuous-bridge
healthzPort: 10248
imageGCHighThresholdPercent: 85
imageGCLowThresholdPercent: 80
imageMinimumGCAge: 2m0s
maxPods: 110
nodeStatusReportFrequency: 0s
oomScoreAdj: -999
port: 10250
readOnlyPort: 0
registryPullQPS: 5
rotateCertificates: true
serializeImagePulls: true
shutdownGracePeriod: 0s
shutdownGracePeriodCriticalPods: 0s
syncFrequency:
topologyManagerPolicy: none
"""


BY_KUBEADM = """authentication:
  anonymous: {enabled: false}
  webhook: {cacheTTL: 0s, enabled: true}
  x509: {clientCAFile: /etc/kubernetes/pki/ca.crt}
authorization: {mode: Webhook, webhook: {cacheAuthorizedTTL: 0s, cacheUnauthorizedTTL: 0s}}
cgroupDriver: systemd
clusterDNS: [10.96.0.10]
clusterDomain: cluster.local
containerRuntimeEndpoint: ""
cpuManagerReconcilePeriod: 0s
crashLoopBackOff: {}
evictionPressureTransitionPeriod: 0s
fileCheckFrequency: 0s
healthzBindAddress: 127.0.0.1
healthzPort: 10248
httpCheckFrequency: 0s
imageMaximumGCAge: 0s
imageMinimumGCAge: 0s
logging:
  flushFrequency: 0
  options: {json: {infoBufferSize: "0"}, text: {infoBufferSize: "0"}}
  verbosity: 0
memorySwap: {}
nodeStatusReportFrequency: 0s
nodeStatusUpdateFrequency: 0s
resolvConf: /run/systemd/resolve/resolv.conf
rotateCertificates: true
runtimeRequestTimeout: 0s
shutdownGracePeriod: 0s
shutdownGracePeriodCriticalPods: 0s
staticPodPath: /etc/kubernetes/manifests
streamingConnectionIdleTimeout: 0s
syncFrequency: 0s
volumeStatsAggPeriod: 0s
"""


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("minor", range(23, 38))
def test_pf126_is_silent_about_what_kubeadm_writes(minor: int) -> None:
    to = next(name for name in default_catalog().releases() if name.startswith(f"1.{minor}."))
    assert found("PF-126", dump(node(BY_KUBEADM)), upgrade(to)) == [OK]
    text = BY_KUBEADM.replace("flushFrequency: 0", "flushFrequency: soon")
    assert [row[:2] for row in found("PF-126", dump(node(text)), upgrade(to))] == [
        ("ERROR", "logging.flushFrequency")
    ]


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("minor", range(10, 38))
def test_pf126_is_silent_about_what_every_release_accepts(minor: int) -> None:
    to = next(name for name in default_catalog().releases() if name.startswith(f"1.{minor}."))
    flags = (
        "--node-labels=kubernetes.io/os=linux,a.b/c=d,node.kubernetes.io/x=y",
        "--cloud-provider=external",
    )
    assert found("PF-126", dump(node(HEALTHY, *flags)), upgrade(to)) == [OK]


STATIC_CPUS = "cpuManagerPolicy: static\nreservedSystemCPUs: '0'\n"
ONE = "memorySwap: {swapBehavior: %s}\n"


def no_flag(name: str, gate: str) -> str:
    return f"{name}: needs the feature gate {gate}, which no flag turns on"


def off(name: str, gate: str) -> str:
    return f"{name}: needs the feature gate {gate}, which is off"


CASES = yaml.safe_load((ROOT / "tests/preflight/checks/values.yaml").read_text())


def target(to: str) -> str:
    return NEWEST if to == "newest" else to


def written(config: str) -> str:
    return f"{config}\n" if config else ""


@pytest.mark.parametrize(
    ("to", "config", "expected"),
    [(target(to), written(config), expected) for to, config, *expected in CASES["each_form"]],
)
def test_pf126_each_form_on_both_sides(to: str, config: str, expected: list[str]) -> None:
    assert refused(to, config) == expected


def test_pf126_shows_words_of_the_table_and_numbers_alone() -> None:
    (finding,) = findings("PF-126", dump(node(ONE % "UnlimitedSwap")), upgrade("1.30.14"))
    assert finding.text == (
        "kubelet 1.30.14 does not start with memorySwap.swapBehavior UnlimitedSwap of "
        f"{PATH}: it has to be one of: LimitedSwap, NoSwap"
    )
    assert finding.advice == f"change or remove memorySwap.swapBehavior in {PATH}"
    (finding,) = findings("PF-126", dump(node("hairpinMode: my-secret\n")), upgrade(NEWEST))
    assert "my-secret" not in finding.text
    (finding,) = findings("PF-126", dump(node("evictionHard: {memory.available: 5}\n")), upgrade(NEWEST))
    assert finding.text.endswith(f"evictionHard.memory.available 5 of {PATH}: it is not text")
    assert finding.advice == f"put it in quotes in {PATH}"
    (finding,) = findings("PF-126", dump(node("evictionHard: {memory.available: [x]}\n")), upgrade(NEWEST))
    assert finding.text.endswith(f"evictionHard.memory.available of {PATH}: it is not text")


@pytest.mark.parametrize(
    ("to", "flags", "expected"),
    [
        ("1.25.16", ["--cloud-provider=openstack"], []),
        ("1.26.0", ["--cloud-provider=openstack"], ["external, aws, azure, gce, vsphere"]),
        ("1.26.15", ["--cloud-provider=aws"], []),
        ("1.27.0", ["--cloud-provider", "aws"], ["external, azure, gce, vsphere"]),
        ("1.28.15", ["--cloud-provider=vsphere"], []),
        ("1.28.15", ["--cloud-provider=gce", "--feature-gates=DisableCloudProviders=true"], ["external"]),
        ("1.30.14", ["--cloud-provider=gce", "--feature-gates=DisableCloudProviders=false"], []),
        ("1.30.14", ["--cloud-provider=gce"], ["external"]),
        ("1.30.14", ["--cloud-provider=vsphere"], ["external, gce"]),
        ("1.31.14", ["--cloud-provider=gce"], ["external"]),
        (NEWEST, ["--cloud-provider=gce"], ["external"]),
        (NEWEST, ["--cloud-provider="], []),
    ],
)
def test_pf126_cloud_providers(to: str, flags: list[str], expected: list[str]) -> None:
    shown = refused(to, "", *flags)
    texts = ["--cloud-provider: has to be " + ("one of: " if "," in each else "") + each for each in expected]
    assert shown == texts


@pytest.mark.parametrize(
    ("to", "label", "is_refused"),
    [
        ("1.15.12", "node-role.kubernetes.io/worker=", False),
        ("1.16.0", "node-role.kubernetes.io/worker=", True),
        (NEWEST, "kubernetes.io/role=x", True),
        (NEWEST, "x.k8s.io/role=x", True),
        (NEWEST, "kubernetes.io/hostname=x", False),
        (NEWEST, "a.kubelet.kubernetes.io/b=x", False),
        (NEWEST, "notkubernetes.io/role=x", False),
        (NEWEST, "kubernetes.io=x", False),
        ("1.16.0", "failure-domain.kubernetes.io/zone=x", False),
        ("1.17.0", "failure-domain.kubernetes.io/zone=x", True),
        ("1.16.0", "topology.kubernetes.io/zone=x", True),
        ("1.17.0", "topology.kubernetes.io/zone=x", False),
    ],
)
def test_pf126_labels_of_kubernetes(to: str, label: str, is_refused: bool) -> None:
    rows = found("PF-126", dump(node("", "--node-labels=a=b", f"--node-labels={label}")), upgrade(to))
    assert [row[:2] for row in rows] == [("ERROR", "--node-labels") if is_refused else OK[:2]]


@pytest.mark.parametrize(("to", "current"), [("1.27.6+f67aeb3", ""), ("1.27.6", "1.26.9+52589e6")])
def test_pf126_kubelets_of_vendors_may_set_more_labels(to: str, current: str) -> None:
    given = dump(node("", "--node-labels=node-role.kubernetes.io/worker="))
    (finding,) = findings("PF-126", given, upgrade(to, current))
    assert (finding.status, finding.object) == ("UNKNOWN", "--node-labels")
    assert f"kubelet {to} may not start with --node-labels" in finding.text


@pytest.mark.parametrize(
    ("to", "flag", "expected"),
    [
        ("1.10.13", "--dynamic-config-dir=/d", [no_flag("--dynamic-config-dir", "DynamicKubeletConfig")]),
        ("1.11.10", "--dynamic-config-dir=/d", []),
        ("1.21.14", "--dynamic-config-dir=/d", []),
        ("1.22.0", "--dynamic-config-dir=/d", [no_flag("--dynamic-config-dir", "DynamicKubeletConfig")]),
        ("1.24.17", "--seccomp-default", [no_flag("--seccomp-default", "SeccompDefault")]),
        ("1.24.17", "--seccomp-default=false", []),
        ("1.25.16", "--seccomp-default", []),
        ("1.11.10", "--node-status-max-images=-2", ["--node-status-max-images: has to be at least -1"]),
        (NEWEST, "--max-pods=-1", ["--max-pods: has to be at least 0"]),
        (NEWEST, "--max-pods=0x10", []),
        (NEWEST, "--max-pods=010", []),
        (NEWEST, "--max-pods=2147483647", []),
        (NEWEST, "--max-pods=0x80000000", ["--max-pods: is not between -2147483648 and 2147483647"]),
        (NEWEST, "--pod-max-pids=0x80000000", []),
        (NEWEST, "--max-pods=many", ["--max-pods: is not a whole number"]),
        (NEWEST, "--serialize-image-pulls=maybe", ["--serialize-image-pulls: is not true or false"]),
        (NEWEST, "--sync-frequency=1", ["--sync-frequency: is not a duration such as 1m30s"]),
        (NEWEST, "--sync-frequency=1m", []),
        (
            NEWEST,
            "--enforce-node-allocatable=pods,all",
            [
                (
                    "--enforce-node-allocatable: has to be one of: pods, system-reserved, "
                    "kube-reserved, system-reserved-compressible, kube-reserved-compressible, none"
                )
            ],
        ),
        (NEWEST, "--enforce-node-allocatable=", []),
        (NEWEST, "--unknown=1", []),
    ],
)
def test_pf126_flags(to: str, flag: str, expected: list[str]) -> None:
    assert refused(to, "", flag) == expected


@pytest.mark.parametrize("in_file", [False, True])
def test_pf126_flags_are_judged_before_the_file_is_read(*, in_file: bool) -> None:
    gates = "featureGates: {SeccompDefault: true}\n"
    flags = [] if in_file else ["--feature-gates=SeccompDefault=true"]
    expected = [no_flag("--seccomp-default", "SeccompDefault")] if in_file else []
    assert refused("1.24.17", gates, "--seccomp-default", *flags) == expected


def test_pf126_a_flag_wins_over_the_file() -> None:
    assert refused(NEWEST, "maxPods: -1\n", "--max-pods=10") == []
    assert refused(NEWEST, "maxPods: 10\n", "--max-pods=10", "--max-pods=-1") == [
        "--max-pods: has to be at least 0"
    ]
    gates = ("--feature-gates=NodeSwap=false",)
    assert refused("1.33.13", ONE % "NoSwap", *gates) == [off("memorySwap.swapBehavior", "NodeSwap")]
    assert refused("1.33.13", ONE % "NoSwap", *gates, "--feature-gates=NodeSwap=true") == []


@pytest.mark.parametrize(
    ("config", "expected"), [(written(config), expected) for config, *expected in CASES["another_kind"]]
)
def test_pf126_values_of_another_kind(config: str, expected: list[str]) -> None:
    assert refused(NEWEST, config) == expected


def test_pf126_what_the_collector_hid_is_unknown() -> None:
    given = node(
        "maxPods: '***'\nhairpinMode: '***'\nclusterDomain: '***'\n", "--cloud-provider=***", "--cert-dir=***"
    )
    assert status("PF-126", dump(given), upgrade(NEWEST)) == [
        ("UNKNOWN", "--cloud-provider"),
        ("UNKNOWN", "maxPods"),
        ("UNKNOWN", "hairpinMode"),
    ]


EMBEDDED = "the kubelet is part of k3s, whose command line does not show its flags"


@pytest.mark.parametrize(
    ("to", "changes", "expected"),
    [
        (NEWEST, {CONFIG: failed()}, [("UNKNOWN", f"{PATH}: permission denied")]),
        (NEWEST, {ARGUMENTS: failed()}, [("UNKNOWN", "kubelet: permission denied")]),
        (NEWEST, {ARGUMENTS: "k3s\nserver\n"}, [("UNKNOWN", EMBEDDED)]),
        (NEWEST, {ARGUMENTS: "kubelet\n"}, [("OK", OK[2])]),
        (NEWEST, {UNIT: failed()}, [("UNKNOWN", f"{UNIT[1]}: permission denied")]),
        ("1.5.8", {}, [("UNKNOWN", "the values that kubelet 1.5.8 refuses are not known")]),
    ],
)
def test_pf126_what_was_not_read_is_unknown(
    to: str, changes: dict[Key, Any], expected: list[tuple[str, str]]
) -> None:
    rows = found("PF-126", dump(changes), upgrade(to))
    assert [(state, text) for state, _, text in rows] == expected


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ("--max-pods=110", ("OK", OK[2])),
        ("--cgroup-driver=cgroupfs\n--network-plugin=cni", ("OK", OK[2])),
        (
            "--max-pods=many",
            ("ERROR", "kubelet 1.9.11 does not start with --max-pods of the running kubelet"),
        ),
        (
            "--max-pods=-1",
            ("UNKNOWN", "kubelet 1.9.11 may not start with --max-pods -1 of the running kubelet: for 1.10"),
        ),
    ],
)
def test_pf126_before_1_10_what_1_10_refuses_is_in_doubt(flags: str, expected: tuple[str, str]) -> None:
    given = dump({ARGUMENTS: f"kubelet\n{flags}\n"})
    ((state, _, text),) = found("PF-126", given, upgrade("1.9.11", "1.7.16"))
    assert (state, text[: len(expected[1])]) == expected


def test_a_file_that_is_missing_is_one_error() -> None:
    """The kubelet ends, as without the directory of --config-dir; what needs it finds nothing."""
    every = list(examine(dump({CONFIG: GONE}), upgrade(NEWEST, NEWEST)))
    assert [(each.id, each.status.value, each.object) for each in every if each.status.value != "OK"] == [
        ("PF-126", "ERROR", PATH)
    ]
    ((_, _, text),) = found("PF-126", dump({CONFIG: GONE}), upgrade(NEWEST))
    assert text == (
        f"kubelet {NEWEST} does not start: {PATH} cannot be read: it is missing; checks that need it were "
        "left out"
    )


def test_pf126_flags_are_judged_without_the_file() -> None:
    given = {**node("", "--cloud-provider=aws"), CONFIG: failed()}
    assert status("PF-126", dump(given), upgrade(NEWEST)) == [("UNKNOWN", ""), ("ERROR", "--cloud-provider")]


def test_pf126_the_next_start_counts() -> None:
    given: dict[Key, Any] = {**NODE, **node("", "--cloud-provider=aws")}
    assert found("PF-126", dump(given), upgrade(NEWEST)) == [OK]
    given[("file", "/etc/default/kubelet")] = "KUBELET_EXTRA_ARGS=--max-pods=-1\n"
    (finding,) = findings("PF-126", dump(given), upgrade(NEWEST))
    assert (finding.status, finding.object) == ("ERROR", "--max-pods")
    assert finding.advice == "change or remove --max-pods in /etc/default/kubelet"


WITH = "--config-dir=/etc/kubelet.d/"
DIRECTORY: Key = ("directory", "/etc/kubelet.d/")


README = ("path", "/etc/kubelet.d/README")


def dropped_in(config: str, *files: Any) -> dict[Key, Any]:
    names = [f"{number}.conf" for number, _ in enumerate(files)]
    texts = {("file", f"/etc/kubelet.d/{name}"): file for name, file in zip(names, files, strict=True)}
    listing = "".join(f"{name}\n" for name in [*names, README[1].rpartition("/")[2]])
    return {**node(config, WITH), DIRECTORY: listing, README: "file", **texts}


@pytest.mark.parametrize(
    ("config", "files", "expected"),
    [
        ("", [], [OK[:2]]),
        ("maxPods: -1\n", [V1 + "maxPods: 5\n"], [OK[:2]]),
        ("maxPods: -1\n", [V1 + "maxPods: null\nport: null\n"], [OK[:2]]),
        ("maxPods: 5\n", [V1 + "maxPods: -1\n"], [("ERROR", "maxPods")]),
        (ONE % "UnlimitedSwap", [V1, V1 + ONE % "NoSwap"], [OK[:2]]),
        ("authorization: text\n", [V1 + "authorization: {mode: Webhook}\n"], [("ERROR", "authorization")]),
        ("", ["maxPods: 5\n"], [("ERROR", "--config-dir")]),
        ("", [failed()], [("UNKNOWN", "")]),
        ("", ["a: b: c\n"], [("ERROR", "/etc/kubelet.d/0.conf")]),
        ("", ["- a\n"], [("ERROR", "/etc/kubelet.d/0.conf")]),
        ("", [""], [("ERROR", "/etc/kubelet.d/0.conf")]),
        ("", [V1 + "maxPods: 5\n---\nmaxPods: -1\n"], [OK[:2]]),
    ],
)
def test_pf126_files_of_config_dir(config: str, files: list[Any], expected: list[tuple[str, str]]) -> None:
    assert status("PF-126", dump(dropped_in(config, *files)), upgrade(NEWEST)) == expected


def test_drop_ins_are_part_of_the_configuration_for_every_check() -> None:
    gates = "featureGates: {NoSuch: true}\n"
    given = dump(dropped_in("", V1 + gates, V1 + "cpuManagerPolicy: static\n"))
    ((state, name, text),) = found("PF-101", given, upgrade(NEWEST))
    assert (state, name) == ("ERROR", "NoSuch")
    assert "in featureGates of /etc/kubelet.d/0.conf: it knows no such feature gate" in text
    assert status("PF-105", given, upgrade(NEWEST)) == [("ERROR", "/var/lib/kubelet/cpu_manager_state")]
    in_file = dump(dropped_in(gates, V1 + "featureGates: {NoSuch: null}\n"))
    assert status("PF-101", in_file, upgrade(NEWEST)) == [("OK", "")]
    assert status("PF-101", dump(dropped_in("", failed())), upgrade(NEWEST)) == [("UNKNOWN", "featureGates")]


def walked(listing: str, **files: str) -> dict[Key, Any]:
    """Return a node whose --config-dir has this in it, in the order of WalkDir: each file sets maxPods."""
    top = "/etc/kubelet.d"
    given: dict[Key, Any] = {
        ARGUMENTS: f"kubelet\n--config={PATH}\n--config-dir={top}\n",
        ("directory", top): listing,
    }
    for name, value in files.items():
        path = f"{top}/{name.replace('__', '/')}"
        given["file", f"{path}.conf"] = f"{V1}maxPods: {value}\n"
    return given


SUB = ("directory", "/etc/kubelet.d/b")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        # Directories are walked where their names come, whatever these end with, and each of them whole.
        ({**walked("b\na.conf\n", a="-1", b__x="5"), SUB: "x.conf\n"}, ("OK", "")),
        (
            {**walked("b\na.conf\n", a="5", b__x="-1"), SUB: "x.conf\n"},
            ("ERROR", "/etc/kubelet.d/b/x.conf"),
        ),
        ({**walked("b\nc.conf\n", c="5", b__x="-1"), SUB: "x.conf\n"}, ("OK", "")),
        ({**walked("b\nb.conf\n", b="-1", b__x="5"), SUB: "x.conf\n"}, ("ERROR", "/etc/kubelet.d/b.conf")),
        (
            {**walked("b\n", b__d__x="-1"), SUB: "d\n", ("directory", f"{SUB[1]}/d"): "x.conf\n"},
            ("ERROR", f"{SUB[1]}/d/x.conf"),
        ),
        ({**walked("b\n"), SUB: ""}, ("OK", "")),
        ({**walked("b.conf\n"), ("directory", f"{SUB[1]}.conf"): ""}, ("OK", "")),
        ({**walked("b\n"), SUB: failed()}, ("UNKNOWN", "")),
        ({**walked("b\n"), SUB: GONE}, ("ERROR", SUB[1])),
        (
            {**walked("a.conf\n"), ("file", "/etc/kubelet.d/a.conf"): GONE},
            ("ERROR", "/etc/kubelet.d/a.conf"),
        ),
        # Whether a name is that of a directory has to be known.
        ({**walked("README\n"), README: "file"}, ("OK", "")),
        ({**walked("README\n"), README: "other"}, ("OK", "")),
        ({**walked("README\n"), README: GONE}, ("UNKNOWN", "")),
        ({**walked("README\n"), README: "directory"}, ("UNKNOWN", "")),
        (walked("README\n"), ("UNKNOWN", "")),
        # By their ends these are files, which a kubelet passes over.
        (walked("a.yaml\nb.conf.bak\nc.conf~\n.d.conf.swp\nREADME.md\n"), ("OK", "")),
        (walked("own.d\n"), ("UNKNOWN", "")),
        (walked("20\n1.5\n"), ("UNKNOWN", "")),
        ({**walked("b.old\n", b_old="-1"), ("directory", "/etc/kubelet.d/b.old"): "x\n"}, ("UNKNOWN", "")),
        (walked("b\n", b__x="5"), ("UNKNOWN", "")),
    ],
)
def test_pf126_directories_below_config_dir(changes: dict[Key, Any], expected: tuple[str, str]) -> None:
    ((state, _, text),) = found("PF-126", dump({CONFIG: V1, **changes}), upgrade(NEWEST))
    assert (state, expected[1] in text) == (expected[0], True)


def test_pf126_names_the_file_of_config_dir() -> None:
    given = dropped_in("maxPods: 1\n", V1 + "maxPods: -1\n", V1)
    (finding,) = findings("PF-126", dump(given), upgrade(NEWEST))
    assert finding.advice == "change or remove maxPods in /etc/kubelet.d/0.conf"
    (finding,) = findings("PF-126", dump(dropped_in("", "maxPods: 1\n")), upgrade("1.32.0"))
    assert finding.text.endswith("/etc/kubelet.d/0.conf has no apiVersion and no kind")
    assert found("PF-126", dump(dropped_in("", "maxPods: 1\n")), upgrade("1.31.14")) == [OK]
    given = {ARGUMENTS: f"kubelet\n{WITH}\n", DIRECTORY: failed()}
    assert status("PF-126", dump(given), upgrade(NEWEST)) == [("UNKNOWN", "")]


def test_pf126_config_dir_needs_a_variable_before_1_30() -> None:
    given: dict[Key, Any] = dropped_in("")
    assert status("PF-126", dump(given), upgrade("1.29.15")) == [("UNKNOWN", "--config-dir")]
    assert status("PF-126", dump(given), upgrade("1.30.14")) == [OK[:2]]
    given = {**NODE, **given, ("file", "/etc/default/kubelet"): f"KUBELET_EXTRA_ARGS={WITH}\n"}
    assert status("PF-126", dump(given), upgrade("1.29.15")) == [("ERROR", "--config-dir")]
    variable = 'Environment="KUBELET_CONFIG_DROPIN_DIR_ALPHA=1"\n'
    given[DROP_IN] = KUBEADM_DROP_IN.replace("[Service]\n", f"[Service]\n{variable}")
    assert status("PF-126", dump(given), upgrade("1.29.15")) == [OK[:2]]


@pytest.mark.parametrize("digits", [100, 5000])
def test_pf126_a_number_that_nothing_holds_is_refused(digits: int) -> None:
    flag = f"--max-pods={'9' * digits}"
    rows = found("PF-126", dump(node("", flag)), upgrade("1.31.14"))
    assert [row[:2] for row in rows if row[0] == "ERROR"] == [("ERROR", "--max-pods")]


def test_pf126_a_directory_of_drop_ins_that_is_missing_is_an_error() -> None:
    given = {**node("", WITH), DIRECTORY: GONE}
    assert status("PF-126", dump(given), upgrade(NEWEST)) == [("ERROR", "/etc/kubelet.d/")]


@pytest.mark.parametrize("text", ["maxPods: 1\n\tport: 2\n", "", "{maxPods: 1}", "- maxPods\n"])
@pytest.mark.parametrize("to", ["1.10.13", "1.24.17", NEWEST])
def test_pf126_a_file_that_cannot_be_parsed_is_one_error(to: str, text: str) -> None:
    every = [each for each in examine(dump(node("")), upgrade(to)) if each.status is not Status.OK]
    worse = [each for each in examine(dump({CONFIG: text}), upgrade(to)) if each.status is not Status.OK]
    (finding,) = [each for each in worse if each.id == "PF-126"]
    assert (finding.status, finding.object) == (Status.ERROR, PATH)
    assert f"does not start: {PATH} cannot be read" in finding.text
    assert {each.id for each in worse} - {"PF-126"} <= {each.id for each in every}
    assert Status.UNKNOWN not in {each.status for each in worse} - {each.status for each in every}


def test_pf126_flags_are_judged_where_the_file_cannot_be_parsed() -> None:
    given = {**node("", "--cloud-provider=aws"), CONFIG: "a: [\n"}
    rows = status("PF-126", dump(given), upgrade(NEWEST))
    assert rows == [("ERROR", PATH), ("ERROR", "--cloud-provider")]


MALFORMED = "it is not all pairs such as NAME=VALUE"


@pytest.mark.parametrize(
    ("flag", "why"),
    [
        ("--feature-gates=GracefulNodeShutdown", MALFORMED),
        ("--feature-gates=GracefulNodeShutdown=maybe", MALFORMED),
        ("--feature-gates=GracefulNodeShutdown=T", ""),
        ("--system-reserved=cpu", MALFORMED),
        ("--system-reserved=cpu=1,,memory=1Gi", ""),
        ("--system-reserved=cpu=x", "the value of cpu is not a quantity that is not negative"),
        ("--kube-reserved=memory=-1", "the value of memory is not a quantity that is not negative"),
        ("--kube-reserved=gpu=1", "it has only: cpu, memory, ephemeral-storage, pid"),
        ("--eviction-hard=memory.available=1Gi", MALFORMED),
        ("--eviction-hard=memory.available<1Gi,nodefs.available<10%", ""),
        ("--eviction-hard=memory.available<101%", "not a quantity greater than 0, or a percentage"),
        ("--eviction-hard=memory.available<0", "not a quantity greater than 0, or a percentage"),
        ("--eviction-hard=disk.available<1Gi", "it has only: memory.available"),
        ("--eviction-hard=", ""),
        ("--eviction-soft=memory.available<1Gi", "memory.available is not in evictionSoftGracePeriod"),
        ("--eviction-soft=memory.available<0%", ""),
        ("--eviction-minimum-reclaim=memory.available=0%", "percentage greater than 0"),
        ("--eviction-minimum-reclaim=memory.available=0", ""),
        ("--eviction-soft-grace-period=memory.available=-1s", "is not a duration such as 1m30s"),
        ("--node-labels=plain", ""),
        ("--topology-manager-policy=", "it has to be one of: none, best-effort"),
        ("--cpu-manager-policy=", "it has to be one of: none, static"),
        ("--cloud-provider=", ""),
        ("--tls-min-version=", ""),
        ("--tls-min-version=1.2", "it has to be one of: VersionTLS10"),
        ("--max-pods=", "it is not a whole number"),
        ("--max-pods=0", ""),
        ("--max-pods=many\n--max-pods=10", "it is not a whole number"),
        ("--max-pods=-1\n--max-pods=10", ""),
        ("--system-reserved=cpu\n--system-reserved=cpu=1", MALFORMED),
    ],
)
def test_pf126_flags_that_are_empty_zero_twice_or_malformed(flag: str, why: str) -> None:
    arguments = f"/usr/bin/kubelet\n--config=/var/lib/kubelet/config.yaml\n{flag}\n"
    every = found("PF-126", dump({("arguments", "kubelet"): arguments}), upgrade("1.31.14"))
    errors = [text for status, _, text in every if status == "ERROR"]
    assert [why in text for text in errors] == ([True] if why else [])


def test_pf126_a_key_that_is_there_twice_is_one_finding_and_the_last_one_counts() -> None:
    config = "kind: KubeletConfiguration\nmaxPods: -1\ncgroupDriver: systemd\nmaxPods: 10\n"
    given = dump({("file", "/var/lib/kubelet/config.yaml"): config})
    (finding,) = [each for each in examine(given, upgrade("1.31.14")) if "maxPods" in each.text]
    assert (finding.id, finding.status.value, finding.object) == ("PF-126", "WARN", "maxPods")
    last = dump({("file", "/var/lib/kubelet/config.yaml"): f"{config}maxPods: -2\n"})
    texts = [text for _, _, text in found("PF-126", last, upgrade("1.31.14"))]
    assert any("maxPods -2" in text for text in texts)


@pytest.mark.parametrize(
    ("to", "status"), [("1.28.15", "UNKNOWN"), ("1.29.15", "ERROR"), ("1.31.14", "ERROR"), ("1.32.13", "OK")]
)
def test_pf126_null_in_a_drop_in_takes_something_back_from_1_32_on(to: str, status: str) -> None:
    header = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
    given = dump(
        {
            ("arguments", "kubelet"): (
                "/usr/bin/kubelet\n--config=/var/lib/kubelet/config.yaml\n--config-dir=/d\n"
            ),
            ("file", "/lib/systemd/system/kubelet.service"): (
                "[Service]\nEnvironment=KUBELET_CONFIG_DROPIN_DIR_ALPHA=1\n"
                "ExecStart=/usr/bin/kubelet --config=/var/lib/kubelet/config.yaml --config-dir=/d\n"
            ),
            ("file", "/var/lib/kubelet/config.yaml"): f"{header}maxPods: -1\n",
            ("directory", "/d"): "10.conf\n",
            ("file", "/d/10.conf"): f"{header}maxPods: null\n",
        }
    )
    every = [row for row in found("PF-126", given, upgrade(to)) if "VARIABLE" not in row[2]]
    assert status in [row[0] for row in every]
    assert any("maxPods -1" in row[2] for row in every) is (status == "ERROR")


TAINT = "registerWithTaints: [{key: %s, value: %s, effect: %s}]\n"
SYSCTLS = "allowedUnsafeSysctls: [%s]\n"
STATIC = "memoryManagerPolicy: Static\nreservedMemory: [{numaNode: 0, limits: {memory: %s}}]\n"
LIMITS = "reservedMemory: [{numaNode: 0, limits: %s}]\n"
SIZE = "containerLogMaxSize: %s\n"
OLD_CIPHER = "tlsCipherSuites: [TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305]\n"
CIPHER = "tlsCipherSuites: [TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256]\n"


@pytest.mark.parametrize(
    ("to", "config", "why"),
    [
        (NEWEST, TAINT % ("a.b/c", "d", "NoExecute"), ""),
        (NEWEST, TAINT % ("c", "''", "''"), ""),
        (NEWEST, TAINT % ("c", "'***'", "NoSchedule"), ""),
        (NEWEST, TAINT % ("a b", "d", "NoSchedule"), "the key of a taint is no qualified name"),
        (NEWEST, TAINT % ("A_/c", "d", "NoSchedule"), "the key of a taint is no qualified name"),
        (NEWEST, TAINT % ("c", "d d", "NoSchedule"), "the value of a taint is no value of a label"),
        (NEWEST, TAINT % ("c", "d", "Foo"), "the effect of a taint is none of: NoSchedule"),
        (NEWEST, "registerWithTaints: [{key: c, timeAdded: '2026-01-01T00:00:00Z'}]\n", "has timeAdded"),
        ("1.22.17", TAINT % ("a b", "d", "NoSchedule"), ""),
        ("1.34.10", OLD_CIPHER + SYSCTLS % "net.*, kernel.shm*, kernel/msgmax, fs.mqueue.*", ""),
        ("1.34.10", SYSCTLS % "foo", "foo is not known to be of a namespace"),
        ("1.34.10", SYSCTLS % "user.max_pid_namespaces", "is not known to be of a namespace"),
        (NEWEST, SYSCTLS % "user.max_pid_namespaces", ""),
        ("1.28.15", SYSCTLS % "kernel.shmfoo", ""),
        ("1.29.15", SYSCTLS % "kernel.shmfoo", "is not known to be of a namespace"),
        ("1.20.15", SYSCTLS % "foo" + "featureGates: {Sysctls: false}\n", ""),
        (NEWEST, "tlsCipherSuites: [FOO]\n", "it is none of the 27 that this release knows"),
        (NEWEST, CIPHER, ""),
        ("1.22.17", CIPHER, "it is none of the 25 that this release knows"),
        ("1.18.19", OLD_CIPHER, ""),
        (NEWEST, SIZE % "10Mi", ""),
        (NEWEST, SIZE % "'-1'", ""),
        (NEWEST, SIZE % "10MB", "it has to be a quantity such as 10Mi"),
        (NEWEST, SIZE % "1500m", "it has to be a quantity such as 10Mi"),
        ("1.23.17", SIZE % "foo", ""),
        (NEWEST, "memoryManagerPolicy: Static\n", "reservedMemory has 0 bytes, and 104857600 are reserved"),
        (NEWEST, STATIC % "100Mi", ""),
        (NEWEST, STATIC % "1Gi", "reservedMemory has 1073741824 bytes"),
        (NEWEST, STATIC % "1Gi" + "kubeReserved: {memory: 924Mi}\n", ""),
        (NEWEST, STATIC % "1Gi" + "evictionHard: {memory.available: 5%}\n", ""),
        (
            NEWEST,
            STATIC % "1Gi" + "systemReserved: {memory: 1Gi}\nevictionHard: {nodefs.available: 5%}\n",
            "",
        ),
        (NEWEST, "memoryManagerPolicy: None\n", ""),
        (NEWEST, "cpuManagerPolicy: static\n", "it needs cpu in kubeReserved or systemReserved"),
        (NEWEST, "cpuManagerPolicy: static\nreservedSystemCPUs: '0'\n", ""),
        (NEWEST, "cpuManagerPolicy: static\nsystemReserved: {cpu: 100m}\n", ""),
        (
            NEWEST,
            "memoryManagerPolicy: Static\nreservedMemory: [{numaNode: x, limits: {memory: 1Gi}}]\n",
            "numaNode",
        ),
        (NEWEST, LIMITS % "{memory: 1Gi, hugepages-1Gi: 2Gi}", ""),
        (NEWEST, LIMITS % "{memory: 1Gi}}, {numaNode: 1, limits: {memory: 1Gi}", ""),
        (NEWEST, LIMITS % "{memory: 1Gi}}, {limits: {memory: 1Gi}", "it has memory of a NUMA node twice"),
        (NEWEST, LIMITS % "{memory: '0'}", "it reserves nothing of memory"),
        (NEWEST, LIMITS % "{cpu: '1'}", "cpu is neither memory nor huge pages"),
        ("1.20.15", LIMITS % "{cpu: '1'}", ""),
        (NEWEST, "qosReserved: {memory: 100%}\n", ""),
        (NEWEST, "qosReserved: {memory: 101%}\n", "is not a percentage between 0% and 100%"),
        (NEWEST, "qosReserved: {cpu: 10%}\n", "it has only: memory"),
    ],
)
def test_pf126_what_a_kubelet_refuses_after_its_validation(to: str, config: str, why: str) -> None:
    every = [text for state, _, text in found("PF-126", dump(node(config)), upgrade(to)) if state != "OK"]
    assert [why in text for text in every] == ([True] if why else [])


@pytest.mark.parametrize(
    ("to", "flags", "wrong"),
    [
        (NEWEST, ["--minimum-container-ttl-duration=-1s"], True),
        (NEWEST, ["--minimum-container-ttl-duration=0s"], False),
        (NEWEST, ["--exit-on-lock-contention"], True),
        (NEWEST, ["--exit-on-lock-contention", "--lock-file=/l"], False),
        (NEWEST, ["--exit-on-lock-contention=false"], False),
        (NEWEST, ["--node-labels=a=b_"], True),
        (NEWEST, ["--node-labels=a_=b"], True),
        (NEWEST, ["--node-labels=example.com/a=b,c="], False),
        ("1.24.17", ["--node-labels=a=b_"], False),
        (NEWEST, ["--register-with-taints=foo"], True),
        (NEWEST, ["--register-with-taints=a=b:Foo"], True),
        ("1.22.17", ["--register-with-taints=foo"], False),
        ("1.14.10", ["--register-with-taints=foo"], True),
        ("1.10.13", ["--register-with-taints=a b=c:NoSchedule"], True),
        (NEWEST, ["--register-with-taints=a=b:NoSchedule,c:NoExecute"], False),
        (NEWEST, ["--register-with-taints=a-"], False),
        (NEWEST, ["--register-with-taints=a:NoSchedule-"], False),
        (NEWEST, ["--register-with-taints=a"], True),
        (NEWEST, ["--register-with-taints=a:"], True),
        (NEWEST, ["--register-with-taints=,a:NoSchedule"], True),
        (NEWEST, ["--register-with-taints=a=b:NoSchedule,a=c:NoSchedule"], True),
        (NEWEST, ["--register-with-taints=a:NoSchedule-,a:NoSchedule"], False),
        ("1.22.17", ["--register-with-taints=a-"], True),
        ("1.22.17", ["--register-with-taints=a=b"], True),
        ("1.22.17", ["--register-with-taints=a:NoSchedule,a:NoSchedule"], False),
        ("1.14.10", ["--register-with-taints=a:NoSchedule"], True),
        ("1.14.10", ["--register-with-taints=a=:NoSchedule"], False),
        (NEWEST, ["--register-with-taints=a:NoSchedule", "--register-with-taints=a:NoSchedule"], False),
        ("1.15.12", ["--allowed-unsafe-sysctls=net.*,foo"], True),
        ("1.15.12", ["--allowed-unsafe-sysctls=net.*"], False),
        ("1.23.17", ["--container-runtime=remote", "--container-log-max-size=foo"], True),
        (NEWEST, ["--memory-manager-policy=Static", "--reserved-memory=0:memory=1Gi"], False),
        ("1.23.17", ["--v=2147483648"], True),
        ("1.23.17", ["-v", "-1"], True),
        ("1.22.17", ["-v", "-1"], False),
        (NEWEST, ["--v=2147483647"], False),
        ("1.25.16", ["--log-json-split-stream"], True),
        ("1.25.16", ["--log-json-split-stream=false"], False),
        ("1.24.17", ["--log-json-split-stream"], False),
        ("1.30.14", ["--log-text-split-stream", "--feature-gates=LoggingAlphaOptions=true"], False),
        ("1.30.14", ["--log-text-split-stream"], True),
        ("1.25.16", ["--log-json-info-buffer-size=4Ki"], True),
        ("1.25.16", ["--log-json-info-buffer-size=0"], False),
        ("1.24.17", ["--log-json-info-buffer-size=much"], True),
        ("1.24.17", ["--log-json-info-buffer-size="], True),
        ("1.24.17", ["--log-json-info-buffer-size=4Ki"], False),
    ],
)
def test_pf126_flags_that_a_kubelet_refuses_after_its_validation(
    to: str, flags: list[str], *, wrong: bool
) -> None:
    assert bool(refused(to, "", *flags)) is wrong


@pytest.mark.parametrize("flag", ["--node-labels=a=***", "--register-with-taints=***"])
def test_pf126_a_label_or_taint_that_was_hidden_is_unknown(flag: str) -> None:
    rows = status("PF-126", dump(node("", flag)), upgrade(NEWEST))
    assert rows == [("UNKNOWN", flag.partition("=")[0])]


def test_pf126_a_value_of_a_map_that_is_null_or_hidden_is_not_judged() -> None:
    assert refused(NEWEST, "kubeReserved: {cpu: null, memory: '***'}\n") == []
    assert refused(NEWEST, "kubeReserved: {cpu: null, memory: much}\n") != []


ROWS = yaml.safe_load((ROOT / "tests/suites/reality/settings.yaml").read_text())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['release']}-{row['says'][:40]}")
def test_pf126_finds_what_real_kubelets_ended_for(row: dict[str, Any]) -> None:
    """What each printed names the field or the flag that the finding names."""
    config = yaml.safe_dump(row["config"]) if "config" in row else ""
    changes = node(config, *row.get("flags", []))
    rows = found("PF-126", dump(changes), upgrade(row["release"]))
    named = [name.removeprefix("--") for state, name, _ in rows if state == "ERROR"]
    assert len(named) == bool(row["says"])
    words = re.sub("[^a-z]", "", row["says"].lower())
    assert all(re.sub("[^a-z]", "", name.lower()) in words for name in named)


CPUS = "cpuManagerPolicyOptions: {%s}\n"
TOPOLOGY = "topologyManagerPolicy: %s\ntopologyManagerPolicyOptions: {%s}\n"
MOST = "max-allowable-numa-nodes"
ALL_OPTIONS = "featureGates: {CPUManagerPolicyAlphaOptions: true, CPUManagerPolicyOptions: true}\n"
EACH = "full-pcpus-only", "distribute-cpus-across-numa", "prefer-align-cpus-by-uncorecache"
CORES = "distribute-cpus-across-cores"


@pytest.mark.parametrize(
    ("to", "options", "reasons"),
    [
        ("1.34.10", "full-pcpus-only: 'yes'", ["full-pcpus-only is not true or false"]),
        ("1.34.10", "full-pcpus-only: 'T', strict-cpu-reservation: '0'", []),
        ("1.22.17", "full-pcpus-only: 'yes'", ["full-pcpus-only is not true or false"]),
        ("1.22.17", "full-pcpus-only: 'true'", []),
        ("1.22.17", "align-by-socket: 'true'", ["only: full-pcpus-only"]),
        ("1.31.14", f"{EACH[0]}: 'true', {CORES}: 'true'", [f"{EACH[0]} and {CORES}"]),
        ("1.34.10", f"{EACH[1]}: 'true', {CORES}: 'true'", [f"{EACH[1]} and {CORES}"]),
        ("1.34.10", f"{EACH[2]}: 'true', {CORES}: 'true'", [f"{EACH[2]} and {CORES}"]),
        ("1.32.13", f"{EACH[2]}: 'true', {EACH[1]}: 'true'", [f"{EACH[2]} and {EACH[1]}"]),
        ("1.37.1", f"{EACH[2]}: 'true', {EACH[1]}: 'false'", []),
        ("1.37.1", f"{EACH[0]}: 'true', {EACH[1]}: 'true'", []),
    ],
    ids=numbers(),
)
def test_pf126_options_of_the_cpu_managers_policy(to: str, options: str, reasons: list[str]) -> None:
    config = CPUS % options + ALL_OPTIONS
    rows = refused(to, STATIC_CPUS + config)
    assert len(rows) == len(reasons)
    assert all(reason in row for reason, row in zip(reasons, rows, strict=True))
    only_policy = "cpuManagerPolicyOptions: cannot be given with cpuManagerPolicy none"
    assert refused(to, config) == [only_policy]


@pytest.mark.parametrize(
    ("to", "given", "on", "reason"),
    [
        (
            "1.25.16",
            "single-numa-node",
            "true",
            "cannot be given with topologyManagerPolicy single-numa-node",
        ),
        ("1.37.1", "single-numa-node", "true", "cannot be given with topologyManagerPolicy single-numa-node"),
        ("1.37.1", "single-numa-node", "false", ""),
        ("1.37.1", "restricted", "true", ""),
    ],
    ids=numbers(),
)
def test_pf126_align_by_socket_and_a_single_numa_node(to: str, given: str, on: str, reason: str) -> None:
    options = CPUS % f"align-by-socket: '{on}'"
    config = f"{STATIC_CPUS}{options}{ALL_OPTIONS}topologyManagerPolicy: {given}\n"
    rows = refused(to, config)
    assert rows == ([f"cpuManagerPolicyOptions: {reason}"] if reason else [])


@pytest.mark.parametrize(
    ("to", "policy", "options", "reason"),
    [
        ("1.34.10", "restricted", f"{MOST}: '4'", f"the value of {MOST}: 4 is not a number of 8 or more"),
        ("1.31.14", "restricted", f"{MOST}: many", f"the value of {MOST} is not a number of 8 or more"),
        ("1.37.1", "restricted", f"{MOST}: '8'", ""),
        ("1.37.1", "none", f"{MOST}: '4'", ""),
        ("1.34.10", "restricted", "prefer-closest-numa-nodes: 'on'", "prefer-closest-numa-nodes is not true"),
        ("1.28.15", "restricted", "prefer-closest-numa-nodes: 'true'", ""),
        ("1.28.15", "none", "prefer-closest-numa-nodes: 'on'", ""),
    ],
    ids=numbers(),
)
def test_pf126_options_of_the_topology_managers_policy(
    to: str, policy: str, options: str, reason: str
) -> None:
    rows = refused(to, TOPOLOGY % (policy, options))
    assert [reason in row for row in rows] == ([True] if reason else [])


NINE = "".join(f"node{number}\n" for number in range(9)) + "possible\n"
BEST = "topologyManagerPolicy: best-effort\n"
OPTED = BEST + "topologyManagerPolicyOptions: {" + MOST + ": '%s'}\n"


@pytest.mark.parametrize(
    ("to", "config", "nodes", "state", "reason"),
    [
        ("1.34.10", BEST, NINE, "ERROR", "the host has 9 NUMA nodes, and it has to have at most 8"),
        ("1.34.10", BEST, NINE.replace("node0\n", ""), "OK", ""),
        ("1.34.10", BEST, GONE, "OK", ""),
        ("1.34.10", BEST, failed(), "UNKNOWN", "at most 8 NUMA nodes: /sys/devices/system/node: permission"),
        ("1.34.10", "", failed(), "OK", ""),
        ("1.34.10", "", NINE, "OK", ""),
        ("1.34.10", OPTED % 9, NINE, "OK", ""),
        ("1.34.10", OPTED % 8, NINE, "ERROR", "the host has 9 NUMA nodes"),
        ("1.30.14", BEST, NINE, "ERROR", "the host has 9 NUMA nodes"),
        ("1.18.19", BEST, NINE, "ERROR", "the host has 9 NUMA nodes"),
        ("1.17.17", "featureGates: {TopologyManager: true}\n", NINE, "ERROR", "the host has 9 NUMA nodes"),
        ("1.17.17", "", NINE, "OK", ""),
        ("1.18.19", "featureGates: {TopologyManager: true}\n", NINE, "OK", ""),
        ("1.34.10", "RESERVED 5", "node0\n", "ERROR", "the host has no NUMA node 5"),
        ("1.22.17", "RESERVED 1", "node0\n", "ERROR", "the host has no NUMA node 1"),
        ("1.34.10", "RESERVED 1", "node0\nnode1\n", "OK", ""),
        ("1.34.10", "RESERVED 1", GONE, "OK", ""),
        ("1.34.10", "RESERVED 0", failed(), "UNKNOWN", "which NUMA nodes the host has is not known"),
        ("1.34.10", "NONE 5", "node0\n", "OK", ""),
    ],
    ids=numbers(),
)
def test_pf126_numa_nodes_of_the_host(to: str, config: str, nodes: Any, state: str, reason: str) -> None:
    policy, _, number = config.partition(" ")
    if policy in ("RESERVED", "NONE"):
        config = f"reservedMemory: [{{numaNode: {number}, limits: {{memory: 100Mi}}}}]\n"
        config += "memoryManagerPolicy: Static\n" if policy == "RESERVED" else ""
    rows = found("PF-126", dump({**node(config), HOST_NODES: nodes}), upgrade(to))
    assert [row[0] for row in rows] == [state]
    assert reason in rows[0][2]


def test_pf126_numa_nodes_that_are_no_numbers_are_of_another_kind() -> None:
    config = "memoryManagerPolicy: Static\nreservedMemory: [text, {numaNode: [1], limits: {memory: 1Gi}}]\n"
    rows = found("PF-126", dump({**node(config), HOST_NODES: "node0\n"}), upgrade(NEWEST))
    assert not any("NUMA node" in row[2] for row in rows)


@pytest.mark.parametrize(
    ("to", "text", "reason"),
    [
        ("1.34.10", V1.replace("v1beta1", "v1"), "the apiVersion of {} is not kubelet.config.k8s.io/v1beta1"),
        ("1.32.13", V1.replace("KubeletC", "C"), "the kind of {} is not KubeletConfiguration"),
        ("1.34.10", V1, ""),
        ("1.31.14", V1.replace("KubeletC", "C"), ""),
    ],
    ids=numbers(),
)
def test_pf126_drop_ins_of_another_kind(to: str, text: str, reason: str) -> None:
    changes: dict[Key, Any] = {
        **node("", "--config-dir=/etc/kubelet.d"),
        ("directory", "/etc/kubelet.d"): "0.conf\n",
        ("file", "/etc/kubelet.d/0.conf"): text,
    }
    rows = found("PF-126", dump(changes), upgrade(to))
    assert [row[0] for row in rows] == (["ERROR"] if reason else ["OK"])
    assert reason.format("/etc/kubelet.d/0.conf") in rows[0][2]


@pytest.mark.parametrize(
    ("to", "config", "flags", "expected"),
    [
        (target(to), written(config), flags, expected)
        for to, config, flags, *expected in CASES["lists_addresses_and_endpoints"]
    ],
    ids=numbers(),
)
def test_pf126_lists_addresses_and_endpoints(
    to: str, config: str, flags: list[str], expected: list[str]
) -> None:
    rows = refused(to, config, *flags)
    assert [(row.partition(":")[0], row.rpartition(": ")[2]) for row in rows] == [
        (row.partition(":")[0], row.rpartition(": ")[2].removeprefix("it ")) for row in expected
    ]


@pytest.mark.parametrize(
    ("to", "config", "name"),
    [
        ("1.30.14", "memorySwap: {swapBehavior: LimitedSwap}\n", "memorySwap.swapBehavior"),
        ("1.37.1", "memorySwap: {swapBehavior: LimitedSwap}\n", "memorySwap.swapBehavior"),
        ("1.32.13", "singleProcessOOMKill: false\n", "singleProcessOOMKill"),
    ],
)
def test_pf126_values_that_need_cgroup_v2(to: str, config: str, name: str) -> None:
    def states(mounts: object) -> list[tuple[str, str]]:
        changes = {**node(config + "failCgroupV1: false\n"), MOUNTS: mounts}
        rows = found("PF-126", dump(changes), upgrade(to))
        return [(state, subject) for state, subject, _ in rows]

    one, two = "tmpfs /sys/fs/cgroup tmpfs ro 0 0\n", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n"
    assert states(one) == [("ERROR", name)]
    assert states(two) == [("OK", "")]
    assert states(failed()) == [("UNKNOWN", name)]
    assert states("/dev/sda / ext4 rw 0 0\n") == [("UNKNOWN", name)]


@pytest.mark.parametrize("config", ["memorySwap: {swapBehavior: NoSwap}\n", "singleProcessOOMKill: true\n"])
def test_pf126_values_that_any_cgroups_allow(config: str) -> None:
    changes = {**node(config + "failCgroupV1: false\n"), MOUNTS: "tmpfs /sys/fs/cgroup tmpfs ro 0 0\n"}
    assert found("PF-126", dump(changes), upgrade("1.34.10")) == [OK]


@pytest.mark.parametrize(
    ("to", "cpus", "online", "missing"),
    [
        ("1.37.1", "0,99", "0-7\n", "0-7, and not 99"),
        ("1.22.17", "2-3", "0-1,4-7\n", "0-1,4-7, and not 2-3"),
        ("1.21.14", "2-3", "0-1,4-7\n", ""),
        ("1.21.14", "6-8", "0-1,4-7\n", "0-1,4-7, and not 6-8"),
        ("1.37.1", "0-7", "0-7\n", ""),
    ],
)
def test_pf126_reserved_cpus_are_those_of_the_host(to: str, cpus: str, online: str, missing: str) -> None:
    (row,) = found("PF-126", dump({**node(f"reservedSystemCPUs: {cpus}\n"), ONLINE: online}), upgrade(to))
    assert row[0] == ("ERROR" if missing else "OK")
    assert row[2].endswith(missing and f"the host has the CPUs {missing}")
    (row,) = found("PF-126", dump({**node(f"reservedSystemCPUs: {cpus}\n"), ONLINE: failed()}), upgrade(to))
    assert row[0] == "UNKNOWN"


ALLOWED = "imagePullCredentialsVerificationPolicy: NeverVerifyAllowlistedImages\n"
ENSURED = "featureGates: {KubeletEnsureSecretPulledImages: true}\n"


@pytest.mark.parametrize(
    ("pattern", "before", "now"),
    [
        ("registry.example/app", True, True),
        ("registry.example:5000/team/app", True, True),
        ("localhost/app", True, True),
        ("[fd00::1]:5000/app", True, True),
        ("registry.example/*", True, True),
        ("nonsense", False, True),
        ("team/app", False, True),
        ("docker.io/library/nginx", True, True),
        ("docker.io/nginx", False, True),
        ("index.docker.io/library/nginx", False, True),
        (f"registry.example/{'a' * 255}", True, True),
        (f"registry.example/{'a' * 256}", False, False),
        ("registry.example/app:v1", False, False),
        ("registry.example/App", False, False),
        ("registry.example/a*", False, False),
        ("registry.example/*/app", False, False),
        ("/*", False, False),
        ("*", False, False),
        ("", False, False),
        (" registry.example/app", False, False),
    ],
)
def test_pf126_patterns_of_images(pattern: str, before: bool, now: bool) -> None:
    config = f"{ENSURED}{ALLOWED}preloadedImagesVerificationAllowlist: ['{pattern}']\n"
    for to, is_fit in (("1.33.13", before), ("1.35.8", before), ("1.36.3", now), ("1.37.1", now)):
        assert (refused(to, config) == []) is is_fit, to


@pytest.mark.parametrize(
    ("word", "running", "expected"),
    [
        ("--max-pods=", "--max-pods=110", "UNKNOWN"),
        ("--max_pods=", "--max-pods=110", "UNKNOWN"),
        ("--fail-swap-on=", "--fail-swap-on=false", "UNKNOWN"),
        ("--max-pods=", "--v=2", "ERROR"),
        ("--fail-swap-on=", "--v=2", "ERROR"),
        ("--max-pods=", GONE, "UNKNOWN"),
        ("--max-pods=x", "--max-pods=110", "ERROR"),
        ("--fail-swap-on", "--v=2", "OK"),
        ("--node-labels=", "--v=2", "OK"),
    ],
)
def test_pf126_an_empty_value_that_the_running_kubelet_has_may_be_one_that_was_left_out(
    word: str, running: str | Probe, expected: str
) -> None:
    """Older collectors showed --max-pods=${PODS} as --max-pods=; strconv takes no empty text."""
    arguments = f"/usr/bin/kubelet\n{running}\n" if isinstance(running, str) else running
    unit = {
        ("file", "/lib/systemd/system/kubelet.service"): f"[Service]\nExecStart=/usr/bin/kubelet {word}\n"
    }
    given = dump({**unit, ("arguments", "kubelet"): arguments})
    assert {row[0] for row in status("PF-126", given, upgrade("1.35.0"))} == {expected}


def test_pf126_names_the_flag_that_another_one_needs() -> None:
    unit = "[Service]\nExecStart=/usr/bin/kubelet --exit-on-lock-contention\n"
    given = dump({("file", "/lib/systemd/system/kubelet.service"): unit})
    ((_, _, text),) = found("PF-126", given, upgrade("1.35.0"))
    assert text.endswith(": it needs --lock-file")
