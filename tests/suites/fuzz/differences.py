"""What makes a pod differ from its replicas, or only seems to: other values, and other texts of them."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from random import Random
from typing import Any, Final

Json = dict[str, Any]
Change = Callable[[Random, Json], object]
Edit = Callable[[Random, str], str]

MOUNTED: Final = "/var/run/secrets/kubernetes.io/serviceaccount"
TIMES: Final = ("2026-03-02T08:15:00Z", "2026-03-02T08:15:00.123456Z", "2026-03-02T10:15:00+02:00")
WORDS: Final = ("web", "a", "c", "n1", "v1", "main", "Pod", "app-0")
"""Names that stand elsewhere in the text as well."""


def rows(value: Json, key: str) -> list[Json]:
    """Return the objects in a list of an object."""
    elements = value.get(key)
    return (
        [element for element in elements if isinstance(element, dict)] if isinstance(elements, list) else []
    )


def containers(pod: Json) -> list[Json]:
    """Return the containers of a pod, of every kind."""
    keys = ("containers", "initContainers", "ephemeralContainers")
    return [container for key in keys for container in rows(pod["spec"], key)]


def mounts(pod: Json) -> list[Json]:
    """Return the volume mounts of a pod's containers."""
    return [mount for container in containers(pod) for mount in rows(container, "volumeMounts")]


def reported(chance: Random, name: str) -> Json:
    """Return what a status reports of a running container."""
    return {
        "containerID": f"containerd://{chance.randbytes(32).hex()}",
        "image": f"registry.example.com/{name}:v1",
        "lastState": {},
        "name": name,
        "restartCount": 0,
        "started": True,
        "state": {"running": {"startedAt": TIMES[0]}},
    }


def _some(chance: Random, pod: Json) -> Json:
    """Return one of a pod's containers, or what is in the place of one."""
    choices = containers(pod)
    return chance.choice(choices) if choices else {}


def _state(chance: Random, pod: Json) -> Json:
    status = pod.get("status")
    statuses = [*rows(status, "containerStatuses"), *rows(status, "initContainerStatuses")] if status else []
    return chance.choice(statuses) if statuses else {}


def _ended(chance: Random, code: int) -> Json:
    return {
        "terminated": {
            "containerID": "containerd://ab",
            "exitCode": code,
            "finishedAt": chance.choice(TIMES),
        }
    }


def _shuffled(chance: Random, value: Any) -> Any:
    """Return a value with the keys of all its objects in another order."""
    if isinstance(value, dict):
        keys = list(value)
        chance.shuffle(keys)
        return {key: _shuffled(chance, value[key]) for key in keys}
    return [_shuffled(chance, element) for element in value] if isinstance(value, list) else value


def _reorder(chance: Random, pod: Json) -> None:
    shuffled = _shuffled(chance, pod)
    pod.clear()
    pod.update(shuffled)


def _beside(chance: Random, pod: Json) -> None:
    """Add an ephemeral container, with or without a status."""
    name = chance.choice(("debugger", "c", pod["metadata"].get("name", "x")))
    pod["spec"]["ephemeralContainers"] = [{"image": "busybox", "name": name}]
    if chance.random() < 0.5 and isinstance(pod.get("status"), dict):
        pod["status"]["ephemeralContainerStatuses"] = [reported(chance, name)]


def _named_alike(chance: Random, pod: Json) -> None:
    """Put one name of the pod where another one is, or within it."""
    meta = pod["metadata"]
    name, uid = str(meta.get("name", "x")), str(meta.get("uid", "y"))
    other = chance.choice((name, uid, f"{name}-x", name[:-1] or "x", str(pod["spec"].get("nodeName", "z"))))
    place = chance.randrange(6)
    if place == 0:
        meta["namespace"] = other[:63]
    elif place == 1:
        _some(chance, pod)["name"] = other
    elif place == 2:
        _some(chance, pod)["image"] = f"{other}:1"
    elif place == 3:
        meta["labels"] = {"app": other, "more": name}
    elif place == 4:
        _some(chance, pod)["env"] = [{"name": "OWN", "value": other}]
    else:
        pod["spec"]["hostname"] = other


def _without(*steps: str) -> Change:
    def change(_: Random, pod: Json) -> None:
        value: Any = pod
        for step in steps[:-1]:
            value = value.get(step) if isinstance(value, dict) else None
        if isinstance(value, dict):
            value.pop(steps[-1], None)

    return change


def _put(value: Any, *steps: str) -> Change:
    def change(_: Random, pod: Json) -> None:
        inner: Any = pod
        for step in steps[:-1]:
            inner = inner.get(step) if isinstance(inner, dict) else None
        if isinstance(inner, dict):
            inner[steps[-1]] = copy.deepcopy(value)

    return change


def _unseen(chance: Random, pod: Json) -> None:
    """Change a pod after its kubelet saw it, or as it was seen."""
    pod["metadata"]["generation"] = 7
    if isinstance(pod.get("status"), dict):
        pod["status"]["observedGeneration"] = chance.choice((6, 7))
    if chance.random() < 0.5:
        _state(chance, pod).update(image=chance.choice(("i", "docker.io/library/other:1", "sha256:ab")))


def _rare_volume(chance: Random, pod: Json) -> None:
    """Give a pod a volume that some kubelets have no plugin for, mounted or not."""
    names = [mount["name"] for mount in mounts(pod) if isinstance(mount.get("name"), str)] or ["v"]
    name = chance.choice((names[0], names[-1], "elsewhere"))
    kind = chance.choice(("rbd", "glusterfs", "gitRepo", "csi", "ephemeral", "nfs"))
    pod["spec"]["volumes"] = [*rows(pod["spec"], "volumes"), {"name": name, kind: {}}]


CHANGES: Final[tuple[Change, ...]] = (
    _reorder,
    _beside,
    _named_alike,
    _named_alike,
    *(
        _without("status", key)
        for key in ("containerStatuses", "initContainerStatuses", "conditions", "phase")
    ),
    *(_put(value, "status", "phase") for value in ("Pending", "Succeeded", "Failed", "Unknown", "")),
    _put([], "status", "containerStatuses"),
    _put(None, "status", "containerStatuses"),
    _put([], "spec", "initContainers"),
    _put([], "spec", "ephemeralContainers"),
    _put(None, "spec", "volumes"),
    _put(7, "metadata", "generation"),
    _put(7, "status", "observedGeneration"),
    _unseen,
    _unseen,
    _rare_volume,
    _put({"limits": {"cpu": "1"}}, "spec", "resources"),
    _put({}, "spec", "resources"),
    lambda chance, pod: pod["spec"].update(hostNetwork=chance.choice((True, False)), hostUsers=False),
    lambda chance, pod: _some(chance, pod).update(
        restartPolicyRules=[{"action": chance.choice(("Restart", "RestartAllContainers"))}]
    ),
    _put({"x": [1, {"y": None}]}, "metadata", "unknown"),
    _put({"x": "web-0"}, "spec", "unknown"),
    _put("2026-03-02T08:15:00Z", "metadata", "deletionTimestamp"),
    _put({"a": "1"}, "metadata", "annotations"),
    _put({"kubernetes.io/config.mirror": "0123"}, "metadata", "annotations"),
    _put({"apps.kubernetes.io/pod-index": "7", "app": "x"}, "metadata", "labels"),
    lambda chance, pod: pod["metadata"].update(uid=chance.randbytes(16).hex()),
    lambda chance, pod: pod["metadata"].update(uid=chance.choice(("", "0123456789abcdef" * 2))),
    _put(True, "spec", "hostNetwork"),
    _put("Never", "spec", "restartPolicy"),
    _put({"disk": "hdd"}, "spec", "nodeSelector"),
    _put("elsewhere", "spec", "nodeName"),
    _put([{"name": "debug"}], "spec", "imagePullSecrets"),
    _without("spec", "nodeName"),
    _without("spec", "volumes"),
    _without("metadata", "ownerReferences"),
    _without("metadata", "labels"),
    _without("metadata", "namespace"),
    _without(
        "status",
    ),
    lambda chance, pod: _state(chance, pod).update(restartCount=chance.choice((1, 3, 10**9 - 1, 10**10))),
    lambda chance, pod: _state(chance, pod).update(restartCount=chance.choice((1.0, -1, None, 0))),
    lambda chance, pod: _state(chance, pod).update(state=_ended(chance, chance.choice((0, 1)))),
    lambda chance, pod: _state(chance, pod).update(lastState=_ended(chance, chance.choice((0, 1)))),
    lambda chance, pod: _state(chance, pod).update(state={"waiting": {"reason": "CrashLoopBackOff"}}),
    lambda chance, pod: _state(chance, pod).update(state=chance.choice(({}, None, {"running": {}}))),
    lambda chance, pod: _state(chance, pod).update(state={"running": {"startedAt": chance.choice(TIMES)}}),
    lambda chance, pod: _state(chance, pod).update(started=chance.choice((False, None))),
    lambda chance, pod: _state(chance, pod).update(containerID=chance.choice(("", "docker://ab", "ab"))),
    lambda chance, pod: _state(chance, pod).update(name=chance.choice(("other", "c", ""))),
    lambda chance, pod: _state(chance, pod).update(ready=chance.choice((True, False))),
    lambda chance, pod: _state(chance, pod).update(allocatedResources={"cpu": "100m"}),
    lambda chance, pod: _some(chance, pod).update(
        image=chance.choice(("i:2", "i", "other.example.com/i@sha256:ab"))
    ),
    lambda chance, pod: _some(chance, pod).update(
        args=chance.choice(([], None, ["\b"], ["<&>"], ["é😀"], ["web"]))
    ),
    lambda chance, pod: _some(chance, pod).update(
        env=chance.choice(([], None, [{"name": "E", "value": ""}]))
    ),
    lambda chance, pod: _some(chance, pod).update(command=[f"--{chance.choice(WORDS)}"]),
    lambda chance, pod: _some(chance, pod).update(
        resources=chance.choice(({}, {"limits": {}}, {"limits": {"cpu": 1}}))
    ),
    lambda chance, pod: _some(chance, pod).update(
        resources={"limits": {"cpu": chance.choice(("1", "1000m", 0.1))}}
    ),
    lambda chance, pod: _some(chance, pod).update(volumeMounts=chance.choice(([], None))),
    lambda chance, pod: _some(chance, pod).update(
        securityContext=chance.choice(({}, None, {"runAsUser": 2**40}))
    ),
    lambda chance, pod: _some(chance, pod).update(unknown=chance.choice((1, "x", {}))),
    lambda chance, pod: _some(chance, pod).update(ports=chance.choice(([], 7, [{"containerPort": 80}]))),
    lambda chance, pod: _some(chance, pod).update(
        volumeMounts=[
            {
                "mountPath": chance.choice((MOUNTED, "/x")),
                "name": chance.choice(("kube-api-access-zzzzz", "v")),
            }
        ]
    ),
)
"""Differences of a pod from its replicas; some of them make one that nobody accepts."""

_STRING: Final = re.compile(r'"((?:[^"\\\n]|\\.){1,80})"')
_SCALAR: Final = re.compile(r'"([A-Za-z]+)": ?("[^"\\\n]*"|-?\d+|true|false)(?=[,\n}])')
_NUMBER: Final = re.compile(r"(?<=[:\[ ])(\d{1,9})(?=[,\n}\]])")


def _escaped(chance: Random, text: str) -> str:
    """Write some character of some string as an escape."""
    matches = [match for match in _STRING.finditer(text) if "\\" not in match[1]]
    if not matches:
        return text
    match = chance.choice(matches)
    place = chance.randrange(len(match[1]))
    letter = match[1][place]
    code = json.dumps(letter)[1:-1] if ord(letter) > 0xFFFF else f"\\u{ord(letter):04x}"
    if letter == "/" and chance.random() < 0.5:
        code = "\\/"
    if chance.random() < 0.3:
        code = code[:2] + code[2:].upper()
    begin = match.start(1) + place
    return text[:begin] + code + text[begin + 1 :]


def _odd(chance: Random, text: str) -> str:
    """Put a character into some string that is escaped in a way of its own, or not at all."""
    matches = list(_STRING.finditer(text))
    if not matches:
        return text
    end = chance.choice(matches).end(1)
    more = chance.choice(
        ("\\ud83d\\ude00", "😀", "\\ud83d", "\\u0000", "\\n", "\\\\", "\\u2028", "é", "\\b", "<", "\\u003c")
    )
    return text[:end] + more + text[end:]


def _number(chance: Random, text: str) -> str:
    """Write a number in another notation, or take another one."""
    matches = list(_NUMBER.finditer(text))
    if not matches:
        return text
    match = chance.choice(matches)
    digits = match[1]
    other = chance.choice(
        (
            f"{digits}.0",
            f"{digits}e0",
            f"{digits}E+0",
            f"-{digits}",
            f"0{digits}",
            f"{digits}0",
            str(2**63),
            f"{digits}.5",
        )
    )
    return text[: match.start()] + other + text[match.end() :]


def _twice(chance: Random, text: str) -> str:
    """Give a key a second time, with the same value or another one."""
    matches = list(_SCALAR.finditer(text))
    if not matches:
        return text
    match = chance.choice(matches)
    key = match[1] if chance.random() < 0.7 else f"\\u{ord(match[1][0]):04x}{match[1][1:]}"
    value = chance.choice((match[2], '"web"', "1", "null"))
    more = f'"{key}": {value}'
    return (
        text[: match.start()] + f"{more}, {match[0]}" + text[match.end() :]
        if chance.random() < 0.5
        else (text[: match.end()] + f", {more}" + text[match.end() :])
    )


def _spaced(chance: Random, text: str) -> str:
    """Add white space somewhere between two tokens, or at the end."""
    places = [match.start() for match in re.finditer(r"[,\n]", text)]
    place = chance.choice([*places, len(text), len(text)])
    more = chance.choice((" ", "  ", "\t", "\r\n", "\n"))
    return text[:place] + more + text[place:]


def _other_case(chance: Random, text: str) -> str:
    """Write a key with another first letter, which some readers of JSON take for the same."""
    matches = list(_SCALAR.finditer(text))
    if not matches:
        return text
    place = chance.choice(matches).start(1)
    return text[:place] + text[place].swapcase() + text[place + 1 :]


EDITS: Final[tuple[Edit, ...]] = (_escaped, _escaped, _odd, _number, _twice, _spaced, _other_case)

_LINE: Final = re.compile(r"^( *(?:- )?[A-Za-z]+: )([A-Za-z0-9][^\n:#]{0,80})$", re.MULTILINE)


def _restyled(chance: Random, text: str) -> str:
    """Write a scalar of YAML in another style."""
    matches = list(_LINE.finditer(text))
    if not matches:
        return text
    match = chance.choice(matches)
    value = match[2]
    style = chance.choice(
        (
            f"'{value}'",
            f'"{value}"',
            f'"\\x{ord(value[0]):02x}{value[1:]}"',
            f"{value} # own",
            f"!!str {value}",
        )
    )
    return text[: match.start(2)] + style + text[match.end(2) :]


def _revalued(chance: Random, text: str) -> str:
    """Put another scalar there."""
    matches = list(_LINE.finditer(text))
    if not matches:
        return text
    match = chance.choice(matches)
    other = chance.choice(
        (
            "0x10",
            "1e3",
            "yes",
            "~",
            "1_000",
            "0o7",
            "''",
            "&a x",
            "1.0",
            "2026-03-02",
            "|-\n                x",
        )
    )
    return text[: match.start(2)] + other + text[match.end(2) :]


def _lined(chance: Random, text: str) -> str:
    """Add a comment, an empty line, or white space at the end of a line."""
    places = [match.start() for match in re.finditer(r"\n", text)]
    place = chance.choice(places)
    return text[:place] + chance.choice((" ", "  # note", "\n", "\n# note", "\r")) + text[place:]


def _twice_in_yaml(chance: Random, text: str) -> str:
    """Give a line a second time."""
    matches = [match for match in _LINE.finditer(text) if "- " not in match[1]]
    if not matches:
        return text
    match = chance.choice(matches)
    return f"{text[: match.start()]}{match[0]}\n{text[match.start() :]}"


YAML_EDITS: Final[tuple[Edit, ...]] = (_restyled, _restyled, _revalued, _lined, _lined, _twice_in_yaml)
