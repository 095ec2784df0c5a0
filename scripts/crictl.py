"""Build crictl from its Go module, for the tests that talk to real container runtimes.

python scripts/crictl.py     prints where the program is
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODULE = ROOT / "scripts" / "runtime" / "crictl"
BINARY = ROOT / ".cache" / "crictl" / "crictl"


def build() -> Path:
    """Return the program, built by scripts/runtime/crictl/go.mod; Go itself knows what is up to date."""
    command = ["go", "build", "-o", str(BINARY), "sigs.k8s.io/cri-tools/cmd/crictl"]
    subprocess.run(command, cwd=MODULE, check=True, env={**os.environ, "GOFLAGS": "-buildvcs=false"})
    return BINARY


if __name__ == "__main__":
    print(build())
