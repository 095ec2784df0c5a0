"""Build the oracles of kubeadm's files, and make golden/kubeadm with them.

The oracles are one Go program (kubeadm/) around the packages of k8s.io/kubernetes with which kubeadm
writes kubeadm-flags.env and the kubelet's config.yaml, built once a release.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from scripts.lib import golden
from scripts.lib import oracles as lib
from scripts.lib.generated import all_releases
from scripts.lib.gomodules import require
from scripts.lib.gotool import GoError
from scripts.lib.paths import CACHE, KUBEADM, SCRIPTS
from scripts.lib.program import Program
from scripts.suites.servers import reporting

MODULE: Final = SCRIPTS / "golden" / "kubeadm"

_LISTED: Final = "v1beta4"
"""The version of kubeadm's API from which on extra arguments are a list."""


@dataclass(frozen=True)
class Oracle:
    """A row of kubeadm/releases.json: which modules, files and Go make a release."""

    release: str
    modules: str
    """The row of scripts/modules.json that pins the Go modules."""

    api: str
    """The version of kubeadm's API in which the release is configured."""

    tags: str
    """The build tags: one for each file of the program that the release can compile."""

    go: str

    @property
    def program(self) -> Program:
        """Describe the program.

        Raises:
            GoError: the row of modules is another release's.
        """
        require(MODULE, self.modules, {"k8s.io/kubernetes": f"v{self.release}"})
        binary = CACHE / "kubeadm" / self.release
        version = reporting(self.release)  # kubeadm decides by its own what the kubelet is given
        return Program(
            binary=binary, module=MODULE, go=self.go, modules=self.modules, tags=self.tags, variables=version
        )


def oracles() -> dict[str, Oracle]:
    """Read the table of releases that have an oracle, oldest first."""
    return lib.table(MODULE / "releases.json", Oracle)


def programs() -> dict[str, Program]:
    """Describe every program by its release."""
    return {release: oracle.program for release, oracle in oracles().items()}


def cases() -> dict[str, dict[str, Any]]:
    """Read golden/kubeadm/inputs.jsonl, by name."""
    return golden.rows(KUBEADM / golden.INPUTS)


def of_release(release: str) -> dict[Path, bytes]:
    """Compute the file of one release in golden/kubeadm.

    Raises:
        GoError: the release refused a case.
    """
    oracle = lib.find(oracles(), release)
    asked = {name: case for name, case in cases().items() if _is_for(case, release)}
    requests = (
        {"config": _documents(case, oracle), "join": case.get("join", False)} for case in asked.values()
    )
    answers = oracle.program.ask(json.dumps(request).encode() for request in requests)
    files = {}
    for name, answer in zip(asked, answers, strict=True):
        if answer["refused"]:
            raise GoError(f"kubeadm {release}: {name}: {answer['refused']}")
        files[name] = {"flags": answer["flags"], "config": answer["config"]}
    return golden.of_release(KUBEADM, release, files)


def _is_for(case: Mapping[str, Any], release: str) -> bool:
    last = case.get("until")
    return last is None or _minor(release) <= _minor(last)


def _minor(release: str) -> int:
    return int(release.split(".")[1])


def _documents(case: Mapping[str, Any], oracle: Oracle) -> str:
    """Return what ``kubeadm init --config`` is given; everything that it would look up is set."""
    node: dict[str, Any] = {"name": "node-a", "criSocket": case["socket"], "taints": case.get("taints", [])}
    if arguments := case.get("extraArgs"):
        listed = [{"name": name, "value": value} for name, value in arguments.items()]
        node["kubeletExtraArgs"] = listed if oracle.api == _LISTED else arguments
    version = f"kubeadm.k8s.io/{oracle.api}"
    address = {"advertiseAddress": "192.0.2.10"}
    documents = [
        {
            "apiVersion": version,
            "kind": "InitConfiguration",
            "nodeRegistration": node,
            "localAPIEndpoint": address,
        },
        {"apiVersion": version, "kind": "ClusterConfiguration", "kubernetesVersion": f"v{oracle.release}"},
        *_kubelet(case),
    ]
    return "\n---\n".join(map(json.dumps, documents))


def _kubelet(case: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    if fields := case.get("kubelet"):
        yield {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration", **fields}


GENERATED: Final = all_releases(KUBEADM, oracles, of_release)
