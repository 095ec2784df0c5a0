"""Make everything that is generated, or with --check make it again and compare; see scripts/README.md.

Exit codes: 0 all is as it should be; 1 something could not be made; 2 a file differs (with --check), or a
hand-written file does not agree with what was made; 64 usage error.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

if not __package__:  # run as a file: modules are found from the root of the repository, not from scripts/
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from scripts.lib import commandline
from scripts.lib.commandline import Choice
from scripts.lib.generated import Generated
from scripts.lib.gotool import GoError

CHOICES: Final = {
    "containertypes": Choice(
        "scripts.schemas.containertypes",
        "schemas/types/container, from the source of Kubernetes; needs Go",
    ),
    "podtypes": Choice(
        "scripts.schemas.podtypes",
        "schemas/types/pod, from the source of Kubernetes; needs Go",
    ),
    "featuregates": Choice(
        "scripts.schemas.featuregates",
        "schemas/tables/gates.json, from the source of Kubernetes; needs Go",
    ),
    "kubeletflags": Choice(
        "scripts.schemas.kubeletflags",
        "schemas/tables/kubeletflags.json and kubeletconfig.json, from the source of Kubernetes; needs Go",
    ),
    "containers": Choice(
        "scripts.golden.containers",
        "golden/containers, by Go programs; needs Go",
    ),
    "staticpods": Choice(
        "scripts.golden.staticpods",
        "golden/staticpods, by Go programs; needs Go",
    ),
    "served": Choice(
        "scripts.golden.served",
        "golden/served, by the programs of staticpods; needs Go",
    ),
    "checkpoints": Choice(
        "scripts.golden.checkpoints",
        "golden/checkpoints, by Go programs; needs Go",
    ),
    "room": Choice(
        "scripts.golden.room",
        "golden/room, by Go programs; needs Go",
    ),
    "kubeadm": Choice(
        "scripts.golden.kubeadm",
        "golden/kubeadm, by Go programs; needs Go",
    ),
    "values": Choice(
        "scripts.golden.values",
        "golden/values, by Go programs; needs Go",
    ),
    "reality": Choice(
        "scripts.golden.reality",
        "golden/reality/VERDICTS.json, by planning again what real kubelets did",
    ),
    "sample": Choice(
        "scripts.sample.cluster",
        "hashcompat/sample/cluster.json, from the manifests in scripts/sample",
    ),
    "fleet": Choice(
        "scripts.sample.fleet",
        "examples/first-plan/cluster.jsonl, the cluster of docs/guide/first-plan.md",
    ),
    "settings": Choice(
        "scripts.schemas.settings",
        "schemas/settings, from the structs by which settings files are read",
    ),
    "documents": Choice(
        "scripts.schemas.documents",
        "schemas/documents, from the structs by which documents are written",
    ),
    "docs": Choice(
        "scripts.docs.pages",
        "the pages of docs that data decide, and the drawing in docs/architecture.md",
    ),
    "notebook": Choice(
        "scripts.docs.notebook",
        "docs/notebook.md, and what the cells of examples/notebook/upgrade.ipynb show, by running them",
    ),
    "performance": Choice(
        "scripts.docs.performance",
        "docs/performance.md and its charts, from the rows in scripts/bench/ratios.json",
    ),
    "plans": Choice(
        "scripts.docs.plans",
        "docs/plan.md, what plans look like on terminals of several sizes",
    ),
    "largeplan": Choice(
        "scripts.docs.largeplan",
        "docs/plan-large.md, the same of 150,000 pods; takes minutes",
    ),
}
"""In this order, for a later one may read what an earlier one makes."""


def generated(name: str) -> Generated:
    """Import what makes one of CHOICES."""
    maker: Generated = import_module(CHOICES[name].module).GENERATED
    return maker


def compare(name: str) -> list[str]:
    """Make one again and name what differs from what is committed; nothing is written."""
    return generated(name).check()


def rewrite(name: str) -> tuple[list[str], list[str]]:
    """Make one and write it; return what that changed, and the problems that are left."""
    made = generated(name)
    files = made.make()
    changed = made.differences(files)
    made.write(files)
    return changed, made.problems()


def main(argv: Sequence[str] | None = None) -> int:
    """Make or compare what is named."""
    parser = commandline.parser(__doc__, CHOICES)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 2 when anything differs")
    given = parser.parse_args(argv)
    wrong = []
    for name in commandline.chosen(parser, CHOICES, given.names):
        try:
            changed, problems = ([], compare(name)) if given.check else rewrite(name)
        except GoError as error:
            return commandline.failed(f"{parser.prog}: {name}", error)
        print(*(f"{name}: {line}" for line in [*changed, *problems] or ["identical"]), sep="\n", flush=True)
        wrong += problems
    return commandline.DIFFERENT if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
