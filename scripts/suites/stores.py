"""An S3 server and the library that reads from it, for the suite of fleets.

They are installed beside the environment of the tests, because moto and s3fs want an older
python-dateutil than the client of Kubernetes does.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

from scripts.lib.paths import ROOT

SITE: Final = ROOT / ".cache" / "fleet" / "site"
"""What has to come before other packages in the path of a process that uses them."""
_PACKAGES: Final = ("moto[server]>=5.1", "s3fs>=2025.3", "python-dateutil<3")
_DONE: Final = SITE / "installed"


def site() -> Path:
    """Install the packages, if they are not there, and return where they are."""
    wanted = "\n".join(_PACKAGES)
    if not _DONE.exists() or _DONE.read_text() != wanted:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--upgrade", "--target", str(SITE)]
        subprocess.run([*command, *_PACKAGES], check=True)
        _DONE.write_text(wanted)
    return SITE
