"""What a dump shows of a node's feature gates and sysctls decides about the pods there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.dumps import GONE, as_text, dump, failed
from tests.helpers.pods import Json, as_json, mirror_pod, node, pod
from tests.helpers.program import Run
from tests.helpers.rulecases import CPU_RESTARTS, SIZED
from tests.helpers.upgrades import decided, hash_of, record

C: Json = {"name": "c", "image": "i"}
OF_POD: Json = {"resources": {"limits": {"cpu": "1"}, "requests": {"cpu": "1"}}}
MOUNTING: Json = {**C, "volumeMounts": [{"name": "v", "mountPath": "/v"}]}
UID = "0123456789abcdef0123456789abcdef"
STATIC: Json = mirror_pod(C, spec={"volumes": [{"name": "s", "secret": {"secretName": "s"}}]})
STATIC["metadata"]["annotations"] |= {f"kubernetes.io/config.{key}": UID for key in ("hash", "mirror")}
UNSAFE, NEWER = (
    {"securityContext": {"sysctls": [{"name": name, "value": "1"}]}}
    for name in ("net.x", "net.ipv4.tcp_rmem")
)
CONFIG = ("file", "/var/lib/kubelet/config.yaml")
ARGUMENTS = ("arguments", "kubelet")
FLAGS = "/usr/bin/kubelet\n--config=/var/lib/kubelet/config.yaml\n"

Dumped = Callable[..., tuple[object, ...]]


@pytest.fixture
def dumped(run: Run, tmp_path: Path) -> Dumped:
    """Return what writes the dump of a node with one pod, and returns the option that names it."""

    def write(
        release: str, config: Any, flags: str = "", uid: str = "uid-p", node_name: str = "n1"
    ) -> tuple[object, ...]:
        listed = {"containers": [record(hash_of(run, release, C), uid=uid)]}
        given = dump(
            {
                ("docker", "list"): GONE,
                ("cri", "containers"): json.dumps(listed),
                CONFIG: f"kind: KubeletConfiguration\n{config}\n" if isinstance(config, str) else config,
                ARGUMENTS: FLAGS + flags,
            }
        )
        path = tmp_path / f"{node_name}.json"
        path.write_text(as_text(given))
        return ("--recorded", path)

    return write


def gate(name: str, value: str) -> str:
    """Return the line of a configuration file that sets a feature gate."""
    return f"featureGates: {{{name}: {value}}}"


@pytest.mark.parametrize(
    ("given", "old", "new", "config", "expected"),
    [
        (pod({**SIZED, **CPU_RESTARTS}), "1.32.13", "1.33.13", "", ("RESTART", ["HC019"])),
        (
            pod({**SIZED, **CPU_RESTARTS}),
            "1.32.13",
            "1.33.13",
            gate("InPlacePodVerticalScaling", "false"),
            ("KEEP", ["HC012"]),
        ),
        (pod(C, spec=OF_POD), "1.33.13", "1.34.12", "", ("KEEP", ["HC012"])),
        (pod(C, spec=OF_POD), "1.33.13", "1.34.12", gate("PodLevelResources", "false"), ("KILL", ["HC043"])),
        (
            pod(MOUNTING, spec={"volumes": [{"name": "v", "gitRepo": {"repository": "r"}}]}),
            "1.32.13",
            "1.33.13",
            gate("GitRepoVolumeDriver", "true"),
            ("KEEP", ["HC012"]),
        ),
        (pod(C, spec=UNSAFE), "1.34.12", "1.35.8", "allowedUnsafeSysctls: [net.*]", ("KEEP", ["HC012"])),
        (pod(C, spec=UNSAFE), "1.34.12", "1.35.8", "", ("KILL", ["HC037"])),
        (pod(C, spec=NEWER), "1.32.13", "1.31.14", "", ("KILL", ["HC037"])),
        (
            pod(C, spec=NEWER),
            "1.32.13",
            "1.31.14",
            "allowedUnsafeSysctls: [net.ipv4.tcp_rmem]",
            ("KEEP", ["HC012"]),
        ),
    ],
)
def test_a_configuration_file_decides(
    run: Run, dumped: Dumped, given: Json, old: str, new: str, config: str, expected: tuple[str, list[str]]
) -> None:
    assert decided(run, old, new, given, more=dumped(old, config)) == expected


def test_flags_decide_and_win_over_the_file(run: Run, dumped: Dumped) -> None:
    flag = "--feature-gates=PodLevelResources=false\n--allowed-unsafe-sysctls=net.*\n"
    more = dumped("1.33.13", gate("PodLevelResources", "true"), flag)
    assert decided(run, "1.33.13", "1.34.12", pod(C, spec=OF_POD), more=more)[0] == "KILL"
    assert decided(run, "1.33.13", "1.34.12", pod(C, spec=UNSAFE), more=more)[0] == "KEEP"


PRIVILEGED: Json = {**C, "securityContext": {"privileged": True}}
KEPT, KILLED, LEFT_OPEN = "KEEP", "KILL", "UNKNOWN"


@pytest.mark.parametrize(
    ("old", "new", "config", "flag", "verdict"),
    [
        ("1.11.10", "1.10.13", "", "", KILLED),
        ("1.11.10", "1.10.13", "", "--allow-privileged\n", KEPT),
        ("1.11.10", "1.10.13", "", "--allow-privileged=true\n", KEPT),
        ("1.11.10", "1.10.13", "", "--allow-privileged=false\n", KILLED),
        ("1.11.10", "1.10.13", "", "--allow-privileged=***\n", LEFT_OPEN),
        # only 1.8 and 1.9 have it in their configuration file too
        ("1.11.10", "1.10.13", "allowPrivileged: true", "", KILLED),
        ("1.9.11", "1.9.10", "allowPrivileged: true", "", KEPT),
        ("1.9.11", "1.9.10", "allowPrivileged: true", "--allow-privileged=false\n", KILLED),
        ("1.12.10", "1.13.12", "", "", KEPT),
        ("1.12.10", "1.13.12", "", "--allow-privileged=false\n", KILLED),
        ("1.16.15", "1.17.17", "", "", KEPT),
    ],
)
def test_hc057_a_dump_shows_whether_privileged_containers_may_run(
    run: Run, tmp_path: Path, old: str, new: str, config: str, flag: str, verdict: str
) -> None:
    listed = {"containers": [record(hash_of(run, old, PRIVILEGED))]}
    given = dump(
        {
            ("docker", "list"): GONE,
            ("cri", "containers"): json.dumps(listed),
            CONFIG: f"kind: KubeletConfiguration\n{config}\n",
            ARGUMENTS: FLAGS + flag,
        }
    )
    (tmp_path / "n1.json").write_text(as_text(given))
    more = ("--recorded", tmp_path / "n1.json")
    verdicts, rules = decided(run, old, new, pod(PRIVILEGED), more=more)
    assert (verdicts, rules) == (verdict, ["HC012" if verdict == KEPT else "HC057"])


def test_a_static_pod_that_a_nodes_gate_lets_refer_to_a_secret(run: Run, dumped: Dumped) -> None:
    old, new = "1.33.13", "1.34.12"
    assert decided(run, old, new, STATIC, more=dumped(old, "", uid=UID)) == ("KILL", ["HC021"])
    more = dumped(old, gate("PreventStaticPodAPIReferences", "false"), uid=UID)
    assert decided(run, old, new, STATIC, more=more) == ("RESTART", ["HC022"])


def test_what_a_node_sets_wins_over_options_for_all_nodes_and_others_stay(run: Run, dumped: Dumped) -> None:
    old, new, given = "1.33.13", "1.34.12", pod(C, spec=OF_POD)
    others = ("--feature-gates", "PodLevelResources=false")
    set_so = dumped(old, gate("PodLevelResources", "true"))
    assert decided(run, old, new, given, more=(*set_so, *others))[0] == "KEEP"
    set_otherwise = dumped(old, gate("InPlacePodVerticalScaling", "false"))
    assert decided(run, old, new, given, more=(*set_otherwise, *others))[0] == "KILL"


def test_the_option_for_sysctls_asks_about_others_than_the_file_has(run: Run, dumped: Dumped) -> None:
    more = (*dumped("1.34.12", ""), "--allowed-unsafe-sysctls", "net.*")
    assert decided(run, "1.34.12", "1.35.8", pod(C, spec=UNSAFE), more=more)[0] == "KEEP"


@pytest.mark.parametrize("config", [failed(), GONE, "featureGates: [", "allowedUnsafeSysctls: ['***']"])
def test_a_file_that_does_not_show_them_leaves_the_defaults(run: Run, dumped: Dumped, config: Any) -> None:
    more = dumped("1.32.13", config)
    result = plan_of(run, "1.32.13", "1.33.13", pod({**SIZED, **CPU_RESTARTS}), more=more)
    assert [item["verdict"] for item in result.items] == ["RESTART"]
    assert "Assumed: the feature gate InPlacePodVerticalScaling has its default" in result.err


GREATER: Json = {"tolerations": [{"key": "a", "operator": "Gt", "value": "5", "effect": "NoExecute"}]}
ROOTLESS: Json = {"hostNetwork": True, "hostUsers": False}
OFF, ON = "", "true"


@pytest.mark.parametrize(
    ("of_pod", "named", "shown", "unknown"),
    [
        (GREATER, "TaintTolerationComparisonOperators", {OFF: "KILL", ON: "KEEP"}, "UNKNOWN"),
        (ROOTLESS, "UserNamespacesHostNetworkSupport", {OFF: "KILL", ON: "KEEP"}, "KEEP"),
    ],
)
def test_a_gate_that_no_file_of_a_node_sets_has_its_default(
    run: Run, dumped: Dumped, of_pod: Json, named: str, shown: dict[str, str], unknown: str
) -> None:
    """Without a dump the pod that runs may show that somebody set it."""
    tainted = node("v1.36.5")
    tainted["spec"] = {"taints": [{"key": "a", "value": "10", "effect": "NoExecute"}] * (of_pod is GREATER)}
    objects = pod(C, spec=of_pod), tainted
    assert decided(run, "1.36.5", "1.37.2", *objects)[0] == unknown
    for value, verdict in shown.items():
        more = dumped("1.36.5", gate(named, value) if value else "")
        assert decided(run, "1.36.5", "1.37.2", *objects, more=more)[0] == verdict


def test_what_a_dump_shows_is_not_assumed(run: Run, dumped: Dumped) -> None:
    for given, old, new in (
        (pod({**SIZED, **CPU_RESTARTS}), "1.32.13", "1.33.13"),
        (pod(C, spec=NEWER), "1.32.13", "1.31.14"),
    ):
        known, unknown = (plan_of(run, old, new, given, more=more).err for more in (dumped(old, ""), ()))
        for text in ("the feature gate ", "--allowed-unsafe-sysctls of "):
            assert f"Assumed: {text}" not in known
        assert "Assumed: the feature gate " in unknown or "Assumed: --allowed-unsafe-sysctls of " in unknown


def test_each_pod_is_decided_by_the_gates_of_its_own_node(run: Run, dumped: Dumped) -> None:
    old, new = "1.33.13", "1.34.12"
    other = pod(C, spec=OF_POD, name="q", node="n2")
    objects = [node(f"v{old}"), node(f"v{old}", "n2"), pod(C, spec=OF_POD), other]
    more = dumped(old, gate("PodLevelResources", "false"))
    result = plan_of(run, old, new, *objects, more=more)
    assert {item["pod"]: item["verdict"] for item in result.items} == {"p": "KILL", "q": "KEEP"}


def plan_of(run: Run, old: str, new: str, *objects: Json, more: tuple[object, ...]) -> Any:
    """Return a run of a plan."""
    result = run("plan", "--from", old, "--to", new, "-f", "-", "-o", "json", *more, stdin=as_json(*objects))
    assert result.code == 0, result.err
    return result
