"""Build the oracles of state files, and make golden/checkpoints with them.

The oracles are one Go program (checkpoints/) around the packages of k8s.io/kubernetes that write and load
the kubelet's state files, built once a release. Each writes the inputs that it can, and then loads what all
of them wrote, and the inputs that are texts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from scripts.lib import golden
from scripts.lib import oracles as lib
from scripts.lib.generated import all_releases, relative
from scripts.lib.kubeletoracles import OfKubelet
from scripts.lib.paths import CHECKPOINTS, SCRIPTS
from scripts.lib.program import Program

MODULE: Final = SCRIPTS / "golden" / "checkpoints"

LOADS: Final = ".loads.jsonl"
"""What the name of a release is followed by in that of the file of what it loads."""

_SHOWN: Final = ("sample", "policy", "containers", "gates")
"""What of a request is in that file."""

_MISSING: Final = re.compile(r"containerID '\w+' not found")

GATE: Final = "PodLevelResourceManagers"

GATED: Final = ("1.36.3", "1.37.1")
"""The releases that read more forms with that gate."""


def oracles() -> dict[str, OfKubelet]:
    """Read the table of releases that have an oracle, oldest first."""
    return lib.table(MODULE / "releases.json", OfKubelet)


def programs() -> dict[str, Program]:
    """Describe every program by its release."""
    return {release: oracle.program(MODULE) for release, oracle in oracles().items()}


def cases() -> dict[str, dict[str, Any]]:
    """Read golden/checkpoints/inputs.jsonl, by name."""
    return golden.rows(CHECKPOINTS / golden.INPUTS)


@cache
def written(release: str) -> Mapping[str, str]:
    """Return the files that a release writes, by case; those that it cannot decode are left out."""
    given = {name: case for name, case in cases().items() if "value" in case}
    names, requests = [], []
    for name, case in given.items():
        gated = " gated" if case.get("gated") and oracles()[release].tags.count("gated") else ""
        names.append(name)
        requests.append({"file": case["file"] + gated, "value": case["value"]})
    answers = _ask(release, requests)
    return {name: answer["text"] for name, answer in zip(names, answers, strict=True) if answer["text"]}


def _ask(release: str, requests: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    return (
        lib.find(oracles(), release).program(MODULE).ask(json.dumps(request).encode() for request in requests)
    )


def samples() -> dict[str, tuple[str, str]]:
    """Return the case and the text of every sample: what each release wrote, and the texts of inputs."""
    pairs = {f"inputs/{name}": (name, case["text"]) for name, case in cases().items() if "text" in case}
    for release in oracles():
        pairs |= {f"{release}/{name}": (name, text) for name, text in written(release).items()}
    return pairs


def loads(release: str) -> Iterator[dict[str, Any]]:
    """Yield what a release makes of each sample, also where policy, containers and gate are others."""
    every = cases()
    asked = [
        {"sample": sample, "file": every[name]["file"], "text": text, **variant}
        for sample, (name, text) in samples().items()
        for variant in _variants(release, every[name])
    ]
    for request, answer in zip(asked, _ask(release, asked), strict=True):
        if answer["known"]:
            kept: dict[str, Any] = {key: request[key] for key in _SHOWN if key in request}
            refused = settled(answer["refused"], request["text"], request.get("containers", {}))
            yield {**kept, "refused": " ".join(_plain(refused).split())}


def _variants(release: str, case: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    own = {key: case[key] for key in ("policy", "containers") if key in case}
    yield own
    if "policy" in case:
        yield {**own, "policy": "other"}
    if "containers" in case:
        yield {**own, "containers": {}}
    if release in GATED and "policy" in case:
        yield {**own, "gates": [GATE]}


def settled(refused: str, text: str, containers: Mapping[str, Any]) -> str:
    """Return an error with the least of the container ids that are missing.

    Go names the one that it meets first in a map, another one each time.
    """
    if not _MISSING.search(refused):
        return refused
    missing = json.loads(text)["entries"].keys() - containers.keys()
    return _MISSING.sub(f"containerID '{min(missing)}' not found", refused)


def _plain(refused: str) -> str:
    """Return an error without the directory that the file was put into."""
    return " ".join("DIR" if "/checkpoints" in word else word for word in refused.split())


def of_release(release: str) -> dict[Path, bytes]:
    """Compute the two files of one release in golden/checkpoints."""
    lines = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in loads(release))
    files = {name: {"text": text} for name, text in written(release).items()}
    loaded = relative(CHECKPOINTS, {f"{release}{LOADS}": lines.encode()})
    return {**golden.of_release(CHECKPOINTS, release, files), **loaded}


GENERATED: Final = all_releases(CHECKPOINTS, oracles, of_release)
