"""Build the oracles of static pods and make golden/staticpods with them.

The oracles are one Go program (staticpods/) around the decoder, the defaults and the internal Pod of
k8s.io/kubernetes, built once a release; it does what tryDecodeSinglePod and applyDefaults of
pkg/kubelet/config/common.go do in that release.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from scripts.lib import golden
from scripts.lib import oracles as lib
from scripts.lib.generated import all_releases
from scripts.lib.gomodules import require
from scripts.lib.gotool import GoError
from scripts.lib.oracles import COMMON, ERA_VARIABLE
from scripts.lib.paths import CACHE, SCRIPTS, STATIC_PODS
from scripts.lib.program import Program

MODULE: Final = SCRIPTS / "golden" / "staticpods"


@dataclass(frozen=True)
class Oracle:
    """A row of staticpods/releases.json: which modules, eras and Go make a release."""

    release: str
    modules: str
    """The row of scripts/modules.json that pins the Go modules."""

    era: str
    """How the UID is computed."""

    containerEra: str  # noqa: N815 - the key in releases.json
    """How the hash of a container is computed."""

    go: str

    @property
    def program(self) -> Program:
        """Describe the program.

        Raises:
            GoError: the row of modules is another release's, or its staging modules are.
        """
        staging = f"v0.{self.release.split('.', 1)[1]}"
        versions = {"k8s.io/api": staging, "k8s.io/apimachinery": staging}
        require(MODULE, self.modules, {"k8s.io/kubernetes": f"v{self.release}", **versions})
        return Program(
            binary=CACHE / "staticpods" / self.release,
            module=MODULE,
            go=self.go,
            modules=self.modules,
            variables=(("main.era", self.era), (ERA_VARIABLE, self.containerEra)),
            shared=(COMMON,),
        )


def oracles() -> dict[str, Oracle]:
    """Read the table of releases that have an oracle, oldest first."""
    return lib.table(MODULE / "releases.json", Oracle)


def find(release: str) -> Oracle:
    """Return the oracle of a release, GoError where there is none."""
    return lib.find(oracles(), release)


def programs() -> dict[str, Program]:
    """Describe every program by its release."""
    return {release: oracle.program for release, oracle in oracles().items()}


def ask(release: str, lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Ask for {"uid", "text", "suffix", "uidGiven", "containers"} or {"error"} of each request, in order."""
    return find(release).program.ask(lines)


def types(release: str) -> dict[str, Any]:
    """Read the tree of the compiled internal Pod by Go's reflection, as schemas/types/pod writes it."""
    return find(release).program.types()


def cases() -> dict[str, bytes]:
    """Read golden/staticpods/inputs.jsonl as requests."""
    return golden.requests(STATIC_PODS / golden.INPUTS)


def of_release(release: str) -> dict[Path, bytes]:
    """Compute the file of one release in golden/staticpods."""
    requests = cases()
    answers = dict(zip(requests, ask(release, requests.values()), strict=True))
    for case, answer in answers.items():
        if "error" in answer:
            raise GoError(f"{release} refuses {case}: {answer['error']}")
    rows = {
        case: {
            "uid": answer["uid"],
            "text": answer["text"],
            "containers": [{"hash": row["hash"], "text": row["text"]} for row in answer["containers"]],
        }
        for case, answer in answers.items()
    }
    return golden.of_release(STATIC_PODS, release, rows)


GENERATED: Final = all_releases(STATIC_PODS, oracles, of_release)
