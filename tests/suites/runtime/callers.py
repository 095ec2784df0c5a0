"""A cluster whose pod is kept on the way to one release and restarts on the way to another, and programs."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

from tests.helpers.pods import listed, node, pod
from tests.helpers.program import ROOT

OLD, SAME, NEW = "v1.30.9", "v1.30.14", "v1.31.9"
"""A pod is kept from the first to the second, and restarts on the way to the third."""


def ran(*command: object, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        list(map(str, command)),
        env={**os.environ, **variables},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def unpublished() -> dict[str, str]:
    """Return the lines of the README that install what nobody has published yet, by their first word."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"<!-- published: not yet -->\n```sh\n(.+?)```", readme, re.DOTALL)
    return {line.split()[0]: line for line in block.splitlines()}


def written(directory: Path) -> Path:
    """Write the cluster, for whichever user reads it."""
    path = directory / "cluster.json"
    path.write_text(json.dumps(listed(node(OLD), pod())))
    path.chmod(0o644)
    return path
