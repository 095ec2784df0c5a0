"""Ask the YAML libraries that kubelets were built with (scripts/yamllibs), and tell where their answers differ.

python scripts/yamllib.py            # the documents of golden/values/yaml.jsonl that releases read
differently
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "scripts" / "yamllibs"
CACHE = ROOT / ".cache" / "yamllibs"
DATA = ROOT / "golden" / "values" / "yaml.jsonl"

LIBRARIES: Final = {
    "1.10": "github.com/ghodss/yaml v1.0.0, gopkg.in/yaml.v2 v2.1.1 (nearest tags)",
    "1.14": "sigs.k8s.io/yaml v1.1.0, gopkg.in/yaml.v2 v2.2.1",
    "1.17": "sigs.k8s.io/yaml v1.1.0, gopkg.in/yaml.v2 v2.2.8",
    "1.30": "sigs.k8s.io/yaml v1.3.0, gopkg.in/yaml.v2 v2.4.0",
    "1.33": "sigs.k8s.io/yaml v1.4.0 with its own goyaml.v2",
    "1.36": "sigs.k8s.io/yaml v1.6.0, go.yaml.in/yaml/v2 v2.4.3",
}
"""The libraries by a minor that was built with them: the newest is the module scripts/yamllibs itself, the others are files in modules/."""

NEWEST: Final = "1.36"


def _modfile(minor: str) -> str:
    return "go.mod" if minor == NEWEST else f"modules/{minor}.mod"


def build(minor: str) -> Path:
    """Build the program around a minor's library and return where it is; Go itself knows what is up to date.

    Raises CalledProcessError where Go fails, whose words are on stderr then.
    """
    binary = CACHE / minor
    own = {"GOFLAGS": "-buildvcs=false", "GOWORK": "off", "GOTOOLCHAIN": "go1.26.8", "CGO_ENABLED": "0"}
    command = [
        "go",
        "build",
        "-mod=readonly",
        f"-modfile={_modfile(minor)}",
        "-trimpath",
        "-o",
        str(binary),
        ".",
    ]
    subprocess.run(command, cwd=SOURCE, env={**os.environ, **own}, check=True)
    return binary


def ask(minor: str, texts: Iterable[str]) -> list[str | None]:
    """Return the JSON that a minor's library makes of each text, None where it refuses; errors as ``build``."""
    requests = "".join(f"{json.dumps(text)}\n" for text in texts)
    done = subprocess.run([build(minor)], input=requests, stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line)["json"] for line in done.stdout.splitlines()]


def main() -> int:
    """Print what the libraries differ in, a document a paragraph."""
    texts = [json.loads(line)["yaml"] for line in DATA.read_text(encoding="utf-8").splitlines()]
    answers = {minor: ask(minor, texts) for minor in LIBRARIES}
    for index, text in enumerate(texts):
        told = {minor: rows[index] for minor, rows in answers.items()}
        if len(set(told.values())) > 1:
            print(
                json.dumps(text),
                *(f"    {minor}: {answer or 'refused'}" for minor, answer in told.items()),
                sep="\n",
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
