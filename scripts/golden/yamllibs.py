"""Ask the YAML libraries that kubelets were built with (yamllibs/), and print where their answers differ.

python -m scripts.golden.yamllibs    # asks about the documents of golden/values/yaml.jsonl
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from scripts.golden import values
from scripts.lib.paths import CACHE, SCRIPTS
from scripts.lib.program import Program

LIBRARIES: Final = {
    "1.10": "github.com/ghodss/yaml v1.0.0, gopkg.in/yaml.v2 v2.1.1 (nearest tags)",
    "1.14": "sigs.k8s.io/yaml v1.1.0, gopkg.in/yaml.v2 v2.2.1",
    "1.17": "sigs.k8s.io/yaml v1.1.0, gopkg.in/yaml.v2 v2.2.8",
    "1.30": "sigs.k8s.io/yaml v1.3.0, gopkg.in/yaml.v2 v2.4.0",
    "1.33": "sigs.k8s.io/yaml v1.4.0 with its own goyaml.v2",
    "1.36": "sigs.k8s.io/yaml v1.6.0, go.yaml.in/yaml/v2 v2.4.3",
}
"""The libraries by a minor that was built with them."""

NEWEST: Final = "1.36"
"""The minor whose library yamllibs/go.mod itself requires; the others are rows of scripts/modules.json."""


def program(minor: str) -> Program:
    """Describe the program around a minor's library."""
    modules = "" if minor == NEWEST else minor
    return Program(CACHE / "yamllibs" / minor, SCRIPTS / "golden" / "yamllibs", modules=modules)


def programs() -> dict[str, Program]:
    """Describe every program by its minor."""
    return {minor: program(minor) for minor in LIBRARIES}


def ask(minor: str, texts: Iterable[str]) -> list[str | None]:
    """Return the JSON that a minor's library makes of each text, None where it refuses."""
    requests = "".join(f"{json.dumps(text)}\n" for text in texts)
    answers = program(minor).run(data=requests.encode()).splitlines()
    return [json.loads(line)["json"] for line in answers]


def main() -> None:
    """Print what the libraries differ in, a document a paragraph."""
    texts = values.inputs("yaml")
    answers = {minor: ask(minor, texts) for minor in LIBRARIES}
    for index, text in enumerate(texts):
        read = {minor: rows[index] for minor, rows in answers.items()}
        if len(set(read.values())) > 1:
            lines = (f"    {minor}: {answer or 'refused'}" for minor, answer in read.items())
            print(json.dumps(text), *lines, sep="\n")


if __name__ == "__main__":
    main()
