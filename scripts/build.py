"""Build the Go programs into .cache before something asks them; what is up to date is left alone.

Exit codes: 0 all are there; 1 a build failed; 64 usage error.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

if not __package__:  # run as a file: modules are found from the root of the repository, not from scripts/
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from scripts.lib import commandline
from scripts.lib.commandline import Choice
from scripts.lib.gotool import GoError
from scripts.lib.program import Program

CHOICES: Final = {
    "containertypes": Choice(
        "scripts.schemas.containertypes",
        "reads the types of containers from Go source",
    ),
    "podtypes": Choice(
        "scripts.schemas.podtypes",
        "reads the types of pods from Go source",
    ),
    "featuregates": Choice(
        "scripts.schemas.featuregates",
        "reads feature gates from Go source",
    ),
    "kubeletflags": Choice(
        "scripts.schemas.kubeletflags",
        "reads the flags and the config file's fields of kubelets from Go source",
    ),
    "containers": Choice(
        "scripts.golden.containers",
        "the oracles of containers, one per release",
    ),
    "staticpods": Choice(
        "scripts.golden.staticpods",
        "the oracles of static pods, one per release",
    ),
    "checkpoints": Choice(
        "scripts.golden.checkpoints",
        "the oracles of kubelets' state files, one per release",
    ),
    "room": Choice(
        "scripts.golden.room",
        "the oracles of room on nodes, one per release",
    ),
    "kubeadm": Choice(
        "scripts.golden.kubeadm",
        "the oracles of the files that kubeadm writes for kubelets, one per release",
    ),
    "values": Choice(
        "scripts.golden.values",
        "prints what Go makes of quantities, YAML and JSONPath",
    ),
    "yamllibs": Choice(
        "scripts.golden.yamllibs",
        "the YAML libraries that kubelets were built with, one a library",
    ),
    "crictl": Choice(
        "scripts.suites.crictl",
        "the client of container runtimes",
    ),
    "containerd": Choice(
        "scripts.suites.containerd",
        "containerd in the versions that the suite runtime starts, each with its shim",
    ),
    "kubelets": Choice(
        "scripts.suites.kubelets",
        "the kubelets of the suite reality, upstream's and patched ones",
    ),
    "standalone": Choice(
        "scripts.suites.standalone",
        "the older kubelets of the suite standalone",
    ),
    "servers": Choice(
        "scripts.suites.servers",
        "etcd, kube-apiserver and kubectl",
    ),
    "collectors": Choice(
        "scripts.suites.collectors",
        "support-bundle, and Velero's own backup",
    ),
}


def programs(name: str) -> Mapping[str, Program]:
    """Import what one of CHOICES is built from, by release or program."""
    programs_by_name: Mapping[str, Program] = import_module(CHOICES[name].module).programs()
    return programs_by_name


def build(name: str) -> None:
    """Build the programs of a name and print how long each took."""
    for label, program in programs(name).items():
        start = time.monotonic()
        new = program.build()
        taken = f"built in {time.monotonic() - start:.0f} s" if new else "up to date"
        print(f"{name} {label}: {taken}" if label != name else f"{name}: {taken}", flush=True)


def main(argv: Sequence[str] | None = None) -> int:
    """Build what is named."""
    parser = commandline.parser(__doc__, CHOICES)
    given = parser.parse_args(argv)
    for name in commandline.chosen(parser, CHOICES, given.names):
        try:
            build(name)
        except GoError as error:
            return commandline.failed(f"{parser.prog}: {name}", error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
