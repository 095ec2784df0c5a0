"""Make golden/served: the containers that an API server of each release with an oracle serves for a manifest.

The oracles are those of static pods with the flag -served: the release's own decoder, defaults and protobuf.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from scripts.golden import staticpods
from scripts.lib import golden
from scripts.lib.generated import all_releases, relative
from scripts.lib.gotool import GoError
from scripts.lib.paths import SERVED


def ask(release: str, manifests: Iterable[bytes]) -> Iterator[bytes]:
    """Ask for {"initContainers", "containers"} or {"error"} of each pod manifest in JSON, in order."""
    requests = b"".join(manifest.replace(b"\n", b" ") + b"\n" for manifest in manifests)
    yield from staticpods.find(release).program.run("-served", data=requests).splitlines()


def cases() -> dict[str, Any]:
    """Read the manifests of golden/served/inputs.jsonl by case."""
    return {case: row["manifest"] for case, row in golden.rows(SERVED / golden.INPUTS).items()}


def of_release(release: str) -> dict[Path, bytes]:
    """Compute the file of one release in golden/served."""
    manifests = {case: json.dumps(manifest).encode() for case, manifest in cases().items()}
    answers = dict(zip(manifests, ask(release, manifests.values()), strict=True))
    for case, answer in answers.items():
        if b'"error"' in answer:
            raise GoError(f"{release} refuses {case}: {answer.decode()}")
    return relative(
        SERVED, {f"{release}.jsonl": b"".join(_line(case, answers[case]) for case in sorted(answers))}
    )


def _line(case: str, answer: bytes) -> bytes:
    """Return the line of a case: what Go printed, with the name before it."""
    return b'{"case": %b, %b\n' % (json.dumps(case).encode(), answer.removeprefix(b"{"))


GENERATED: Final = all_releases(SERVED, staticpods.oracles, of_release)
