"""PF-129: ids for user namespaces."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.helpers.dumps import GONE, Key, dump, failed, findings, found, status, upgrade
from tests.helpers.program import ROOT

USERS, CONFIG = ("file", "/etc/passwd"), ("file", "/var/lib/kubelet/config.yaml")
UIDS, GIDS, SERVICES = (("file", f"/etc/{name}") for name in ("subuid", "subgid", "nsswitch.conf"))
PROGRAM = ("path", "/usr/bin/getsubids")
NOT_THERE: dict[Key, Any] = {
    ("path", f"{place}/getsubids"): GONE
    for place in ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")
}
ENOUGH = f"kubelet:65536:{110 * 65536}\n"
USER = {USERS: "kubelet:x:998:998:::\n"}
SET_UP: dict[Key, Any] = {**USER, **NOT_THERE, PROGRAM: "file", UIDS: ENOUGH, GIDS: ENOUGH, SERVICES: GONE}
ERROR, OK, UNKNOWN = ("ERROR", "/etc/subuid"), ("OK", ""), ("UNKNOWN", "")


def both(text: str) -> Any:
    """Return a node with the same ranges of users and groups."""
    return {**SET_UP, UIDS: text, GIDS: text}


@pytest.mark.parametrize(
    ("to", "changes", "expected"),
    [
        ("1.33.5", {}, OK),
        ("1.33.5", SET_UP, OK),
        ("1.37.1", SET_UP, OK),
        ("1.33.5", {**SET_UP, PROGRAM: GONE}, ("ERROR", "getsubids")),
        ("1.32.13", {**SET_UP, PROGRAM: GONE}, OK),
        (
            "1.32.13",
            {**SET_UP, PROGRAM: GONE, CONFIG: "featureGates: {UserNamespacesSupport: true}"},
            ("ERROR", "getsubids"),
        ),
        ("1.33.5", {**SET_UP, PROGRAM: GONE, CONFIG: "featureGates: {UserNamespacesSupport: false}"}, OK),
        ("1.29.15", {**SET_UP, PROGRAM: GONE, CONFIG: "featureGates: {UserNamespacesSupport: true}"}, OK),
        (
            "1.33.5",
            {**USER, ("directory", "/usr/bin"): "sh\n", UIDS: ENOUGH, GIDS: ENOUGH},
            ("ERROR", "getsubids"),
        ),
        ("1.33.5", {**SET_UP, PROGRAM: GONE, ("directory", "/usr/bin"): "sh\ngetsubids\n"}, OK),
        ("1.33.5", both("998:65536:7208960\n"), OK),
        ("1.33.5", both(f"admin:7274496:65536\n{ENOUGH}podman:7340032:65536\n"), OK),
        ("1.33.5", both(""), ERROR),
        ("1.33.5", {**SET_UP, GIDS: GONE}, ERROR),
        ("1.33.5", {**SET_UP, GIDS: "kubelet:131072:7208960\n"}, ERROR),
        ("1.33.5", both(ENOUGH + "kubelet:9999872:65536\n"), ERROR),
        ("1.33.5", both("kubelet:0:7208960\n"), ERROR),
        ("1.33.5", both("kubelet:100000:7208960\n"), ERROR),
        ("1.33.5", both("kubelet:65536:7208961\n"), ERROR),
        ("1.33.5", both("kubelet:65536:7143424\n"), ERROR),
        ("1.33.5", both("kubelet:4294967296:7208960\n"), ERROR),
        ("1.33.5", both("kubelet:65536:4294967296\n"), ERROR),
        ("1.33.5", {**both("kubelet:65536:131072\n"), CONFIG: "maxPods: 2"}, OK),
        ("1.33.5", {**both("kubelet:65536:131072\n"), CONFIG: "maxPods: 3"}, ERROR),
        ("1.33.5", {**both("kubelet:65536:131072\n"), CONFIG: "maxPods: x"}, ERROR),
        ("1.33.5", {**SET_UP, CONFIG: "userNamespaces: {idsPerPod: 131072}\nmaxPods: 5"}, ERROR),
        (
            "1.33.5",
            {**both("kubelet:131072:655360\n"), CONFIG: "userNamespaces: {idsPerPod: 131072}\nmaxPods: 5"},
            OK,
        ),
        ("1.33.5", both("kubelet:65536\n"), UNKNOWN),
        ("1.33.5", both("kubelet:a:b\n"), UNKNOWN),
        ("1.33.5", {**SET_UP, SERVICES: "passwd: files\nsubid: sss files\n"}, UNKNOWN),
        ("1.33.5", {**SET_UP, SERVICES: "subid: files\n"}, OK),
        ("1.33.5", {**SET_UP, SERVICES: "subid:\n"}, OK),
        ("1.33.5", {USERS: failed()}, UNKNOWN),
        ("1.33.5", {USERS: GONE}, UNKNOWN),
        ("1.33.5", {**SET_UP, UIDS: failed()}, UNKNOWN),
        ("1.33.5", {**SET_UP, SERVICES: failed()}, UNKNOWN),
        ("1.33.5", {**NOT_THERE, **USER, PROGRAM: failed()}, UNKNOWN),
        ("1.33.5", USER, UNKNOWN),
        ("1.33.5", {CONFIG: failed()}, UNKNOWN),
    ],
)
def test_pf129_the_ids_of_the_user_kubelet(to: str, changes: Any, expected: tuple[str, str]) -> None:
    assert status("PF-129", dump(changes), upgrade(to)) == [expected]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (both("kubelet:65536:655360\n"), "655360 are enough for 10 pods, and maxPods is 110"),
        (both("kubelet:100000:7208960\n"), "the first, 100000, has to be 65536 or a multiple of it"),
        (both("kubelet:65536:7208961\n"), "their number, 7208961, has to be a multiple of 65536"),
        ({**SET_UP, GIDS: GONE}, "/etc/subgid has none"),
        (both(""), "/etc/subuid has none"),
        ({**SET_UP, GIDS: "kubelet:131072:7208960\n"}, "those of /etc/subuid and /etc/subgid differ"),
        (both(ENOUGH + "kubelet:9999872:65536\n"), "/etc/subuid has 2 ranges, and one is allowed"),
        (both("kubelet:65536:4294967296\n"), "65536:4294967296 is more than 32 bits hold"),
    ],
)
def test_pf129_says_what_is_wrong_with_them(changes: Any, expected: str) -> None:
    ((_, _, text),) = found("PF-129", dump(changes), upgrade("1.33.5"))
    assert text == f"kubelet 1.33.5 does not start with the ids of the user kubelet: {expected}"


def test_pf129_says_which_ranges_would_do() -> None:
    (finding,) = findings("PF-129", dump(both("kubelet:65536:655360\n")), upgrade("1.33.5"))
    assert finding.advice == (
        "usermod --add-subuids 65536-7274495 --add-subgids 65536-7274495 kubelet, or remove the user kubelet"
    )


ROWS = yaml.safe_load((ROOT / "tests/suites/reality/ids.yaml").read_text())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["says"][-40:] or f"runs-{row['subuid']}")
def test_pf129_finds_what_a_real_kubelet_ended_for(row: dict[str, Any]) -> None:
    lines = {UIDS: row["subuid"], GIDS: row.get("subgid", row["subuid"])}
    ranges = {key: f"kubelet:{ids}\n" if ids else "" for key, ids in lines.items()}
    changes: dict[Key, Any] = {**SET_UP, **ranges, CONFIG: yaml.safe_dump(row.get("config", {}))}
    if not row.get("program", True):
        changes |= {PROGRAM: GONE}
    assert [state for state, _, _ in found("PF-129", dump(changes), upgrade("1.36.3"))] == [
        "ERROR" if row["says"] else "OK"
    ]


MAPPINGS: Key = ("mappings", "/var/lib/kubelet/pods")
POD, OTHER = "8cdcb7ba-17d0-11e9-9243-525400600001", "8cdcb7ba-17d0-11e9-9243-525400600002"


def mapped(first: int, length: int = 65536, uid: str = POD) -> str:
    ids = f'[{{"hostId":{first},"containerId":0,"length":{length}}}]'
    return f'{uid} {{"uidMappings":{ids},"gidMappings":{ids}}}\n'


@pytest.mark.parametrize(
    ("recorded", "expected"),
    [
        ("", OK),
        (GONE, OK),
        (f"{POD} \n", OK),
        (mapped(65536) + mapped(131072, uid=OTHER), OK),
        (mapped(65536) + mapped(65536, uid=OTHER), ("ERROR", OTHER)),
        (mapped(131072, 131072), ("ERROR", POD)),
        (mapped(100000), ("ERROR", POD)),
        (mapped(65536 * 200), ("ERROR", POD)),
        (mapped(65536).replace("gid", "uid"), UNKNOWN),
        (f"{POD} x\n", UNKNOWN),
        (failed(), UNKNOWN),
    ],
)
def test_pf129_ids_that_are_recorded_of_pods(recorded: Any, expected: tuple[str, str]) -> None:
    assert status("PF-129", dump({**SET_UP, MAPPINGS: recorded}), upgrade("1.37.1")) == [expected]


def test_pf129_other_ids_of_each_pod_than_were_recorded() -> None:
    wide: dict[Key, Any] = {CONFIG: "userNamespaces: {idsPerPod: 131072}\n", MAPPINGS: mapped(65536)}
    ((state, name, text),) = found("PF-129", dump(wide), upgrade("1.35.8"))
    assert (state, name) == ("ERROR", POD)
    assert text.endswith(f"the ids that are recorded of pod {POD}: they are 65536, and a pod has 131072")
    assert status("PF-129", dump({MAPPINGS: mapped(65536)}), upgrade("1.35.8")) == [OK]
