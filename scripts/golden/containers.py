"""Build the oracles of containers, and make golden/containers with them: every golden text is from real Go.

The oracles are one Go program (containers/) around the v1.Container of one Kubernetes release, built once a
release; it does what HashContainer of pkg/kubelet/container/helpers.go does in that release.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from scripts.lib import golden
from scripts.lib import oracles as lib
from scripts.lib.generated import all_releases
from scripts.lib.gomodules import require
from scripts.lib.gotool import GoError
from scripts.lib.oracles import COMMON, ERA_VARIABLE
from scripts.lib.paths import CACHE, CONTAINERS, SCRIPTS
from scripts.lib.program import Program

MODULE: Final = SCRIPTS / "golden" / "containers"


@dataclass(frozen=True)
class Oracle:
    """A row of containers/releases.json: which types, era and Go make a release."""

    release: str
    modules: str
    """The row of scripts/modules.json that pins the Go modules."""

    types: str
    """The Go module that has the hashed type."""

    typesVersion: str  # noqa: N815 - the key in releases.json
    apimachineryVersion: str  # noqa: N815 - the key in releases.json
    """Empty before 1.6, when k8s.io/apimachinery did not exist."""

    era: str
    go: str
    tags: str = ""
    """The build tag of the file that declares the type, where it is not that of 1.8 and later."""

    refuses: tuple[str, ...] = ()
    """The cases that this release cannot decode."""

    @property
    def program(self) -> Program:
        """Describe the program.

        Raises:
            GoError: releases.json, on which golden/README.md relies, names other versions than modules.json.
        """
        versions = {self.types: self.typesVersion, "k8s.io/apimachinery": self.apimachineryVersion}
        require(MODULE, self.modules, {module: version for module, version in versions.items() if version})
        return Program(
            binary=CACHE / "containers" / self.release,
            module=MODULE,
            go=self.go,
            modules=self.modules,
            tags=self.tags,
            variables=((ERA_VARIABLE, self.era),),
            shared=(COMMON,),
        )


def oracles() -> dict[str, Oracle]:
    """Read the table of golden releases, oldest first."""
    return lib.table(MODULE / "releases.json", Oracle)


def find(release: str) -> Oracle:
    """Return the oracle of a release, GoError where there is none."""
    return lib.find(oracles(), release)


def programs() -> dict[str, Program]:
    """Describe every program by its release."""
    return {release: oracle.program for release, oracle in oracles().items()}


def ask(release: str, lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Ask one release's oracle for {"text", "hash"} or {"error"} of each request, in order."""
    return find(release).program.ask(lines)


def bench(release: str, lines: Iterable[bytes]) -> dict[str, Any]:
    """Time real Go over the requests for about a second: {"containers": count, "seconds": float}."""
    result: dict[str, Any] = json.loads(find(release).program.run("-bench", data=b"\n".join(lines)))
    return result


def types(release: str) -> dict[str, Any]:
    """Read the tree of the compiled Container by Go's reflection, as schemas/types/container writes it."""
    return find(release).program.types()


def cases() -> dict[str, bytes]:
    """Read golden/containers/inputs.jsonl as requests."""
    return golden.requests(CONTAINERS / golden.INPUTS)


def of_release(release: str) -> dict[Path, bytes]:
    """Compute the file of one release in golden/containers."""
    requests = cases()
    oracle = find(release)
    answers = dict(zip(requests, oracle.program.ask(requests.values()), strict=True))
    _check_refused(oracle, answers)
    rows = {
        case: {"refused": True} if "error" in answer else {"hash": answer["hash"], "text": answer["text"]}
        for case, answer in answers.items()
    }
    return golden.of_release(CONTAINERS, release, rows)


def _check_refused(oracle: Oracle, answers: Mapping[str, Mapping[str, Any]]) -> None:
    """Let a release refuse only what releases.json names: a case refused by mistake would have no hash."""
    refused = {case: answer["error"] for case, answer in answers.items() if "error" in answer}
    if refused.keys() != set(oracle.refuses):
        raise GoError(f"{oracle.release} refuses {refused}, but releases.json says {sorted(oracle.refuses)}")


GENERATED: Final = all_releases(CONTAINERS, oracles, of_release)
