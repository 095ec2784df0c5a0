"""Build the real servers and clients that the suite ``server`` starts: etcd, kube-apiserver and kubectl, of one Kubernetes release.

One module (scripts/servers) requires k8s.io/kubernetes and repeats the replace lines that it needs outside of
its own repository; etcd is the version that this release itself requires.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from goprogram import ROOT, OracleError, Program

SOURCE: Final = ROOT / "scripts" / "servers"
PACKAGES: Final = {
    "etcd": "go.etcd.io/etcd/server/v3",
    "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
    "kubectl": "k8s.io/kubernetes/cmd/kubectl",
}
_GO: Final = "go1.26.8"
_VERSION: Final = "k8s.io/component-base/version"


def release() -> str:
    """Read from go.mod which Kubernetes release is built (``1.36.3``)."""
    found = re.search(
        r"^\tk8s\.io/kubernetes v(\S+)$", (SOURCE / "go.mod").read_text(encoding="utf-8"), re.MULTILINE
    )
    if not found:
        raise OracleError("scripts/servers/go.mod requires no k8s.io/kubernetes")
    return found[1]


def program(name: str) -> Program:
    """Describe one of PACKAGES, which is built outside of the committed files and says its release as upstream's build does."""
    version = release()
    major, minor, _ = version.split(".")
    said = {"gitVersion": f"v{version}", "gitMajor": major, "gitMinor": minor}
    variables = tuple((f"{_VERSION}.{key}", value) for key, value in said.items())
    sources = (SOURCE / "go.mod", SOURCE / "go.sum")
    return Program(
        ROOT / ".cache" / "servers" / name, SOURCE, _GO, sources, variables, package=PACKAGES[name]
    )


def built(name: str) -> Path:
    """Return where a program lies, after building it unless nothing changed since."""
    wanted = program(name)
    wanted.build()
    return wanted.binary


def main(argv: Sequence[str] | None = None) -> int:
    """Build what is named, by default all; 1 says that a build failed."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] != ["build"] or not set(arguments[1:]) <= set(PACKAGES):
        print(f"usage: servers.py build [{'|'.join(PACKAGES)}]...", file=sys.stderr)
        return 64
    for name in arguments[1:] or PACKAGES:
        start = time.monotonic()
        try:
            new = program(name).build()
        except OracleError as error:
            print(f"servers.py: {error}", file=sys.stderr)
            return 1
        print(
            f"{name} {release()}",
            f"built in {time.monotonic() - start:.0f} s" if new else "up to date",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
