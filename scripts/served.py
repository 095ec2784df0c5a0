"""Make golden/served: the containers that an API server of each release with an oracle serves for a manifest.

The oracle is the program of scripts/staticpods with -served: the release's own decoder, defaults and protobuf
form.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import staticpods
from goprogram import ROOT, Golden, OracleError

GOLDEN = Golden(ROOT / "golden" / "served")


def ask(release: str, manifests: Iterable[bytes]) -> Iterator[bytes]:
    """Ask one release's oracle for {"initContainers", "containers"} or {"error"} of each pod manifest in JSON, in order."""
    requests = b"".join(manifest.replace(b"\n", b" ") + b"\n" for manifest in manifests)
    yield from staticpods.find(release).program.run("-served", data=requests).splitlines()


def cases() -> dict[str, Any]:
    """Read the manifests of golden/served/inputs by case."""
    inputs = sorted((GOLDEN.directory / "inputs").glob("*.json"))
    return {path.stem: json.loads(path.read_bytes())["manifest"] for path in inputs}


def expected(releases: Sequence[str]) -> dict[Path, bytes]:
    """Compute every file of golden/served that is made by Go, by path below it."""
    files: dict[Path, bytes] = {}
    manifests = cases()
    for release in releases:
        answers = ask(release, (json.dumps(manifest).encode() for manifest in manifests.values()))
        for case, answer in zip(manifests, answers, strict=True):
            if b'"error"' in answer:
                raise OracleError(f"{release} refuses {case}: {answer.decode()}")
            files[Path(release, f"{case}.json")] = answer + b"\n"
    return files


def main(argv: Sequence[str] | None = None) -> int:
    """Rewrite golden/served, or only compare it; 1 says that --check found a difference or that an oracle failed."""
    parser = argparse.ArgumentParser(
        prog="served.py", description="Make golden/served with the oracles of scripts/staticpods."
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 when anything would change"
    )
    check = parser.parse_args(argv).check
    try:
        files = expected(list(staticpods.oracles()))
    except OracleError as error:
        print(f"served.py: {error}", file=sys.stderr)
        return 1
    found = GOLDEN.differences(files)
    print("\n".join(found) or "identical")
    if check:
        return 1 if found else 0
    GOLDEN.write(files)
    return 0


if __name__ == "__main__":
    sys.exit(main())
