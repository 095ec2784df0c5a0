"""Lock what pipelines and images install: every dependency, with the hashes of its files.

``python -m scripts.locks --upgrade`` asks the package index, by uv, and writes ``deploy/locks``: the newest
releases that pyproject.toml allows, for every platform and release of Python at once. ``--check`` asks
nobody: it compares the requirements that the locks were made from with those of today.

Exit codes: 0 all is as it should be; 1 uv failed; 2 a lock is out of date (with --check); 64 usage error.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from packaging.requirements import Requirement

from scripts.lib import commandline

ROOT: Final = Path(__file__).resolve().parents[1]
LOCKS: Final = ROOT / "deploy" / "locks"

_HEADER: Final = """\
# Made by `python -m scripts.locks --upgrade`; do not edit. {about}
# requirements: {digest}
"""

_ABOUT: Final = {
    "run": "What hashcompat needs to run.",
    "build": "What a package of hashcompat is made with.",
    "fleet": "What the extra fleet needs, with a library for S3.",
    "release": "What its executable file is made with.",
    "cluster-api": "What examples/cluster-api needs besides.",
    "site": "What the site is made with.",
}
"""The locks, each of which agrees with those before it, so that several are installed together."""

_PINNED: Final = re.compile(r"^(?P<name>[a-z0-9.-]+)==(?P<version>\S+)(?P<rest>(?:.*\\\n.*)*)", re.MULTILINE)

_HASH: Final = re.compile("--hash=sha256:[0-9a-f]{64}")


def main(argv: Sequence[str] | None = None) -> int:
    """Write the locks, or compare them."""
    parser = commandline.Parser(prog="scripts.locks", description=(__doc__ or "").partition("\n")[0])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--upgrade", action="store_true", help="lock the newest releases; needs uv")
    what.add_argument("--check", action="store_true", help="compare with pyproject.toml; needs nothing")
    if parser.parse_args(argv).check:
        problems = list(outdated())
        print(*problems, sep="\n", end="\n" if problems else "")
        return commandline.DIFFERENT if problems else 0
    try:
        for name, wanted in requirements().items():
            _lock(name, wanted)
    except (OSError, subprocess.CalledProcessError) as error:
        return commandline.failed(parser.prog, error)
    return 0


def requirements() -> dict[str, list[str]]:
    """Return what each lock is made from, in the words of pyproject.toml."""
    document: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = document["project"]["optional-dependencies"]
    return {
        "run": document["project"]["dependencies"],
        "build": document["build-system"]["requires"],
        "fleet": [*extras["fleet"], "s3fs"],
        "release": extras["release"],
        "cluster-api": extras["cluster-api"],
        "site": extras["site"],
    }


def outdated(directory: Path = LOCKS, wanted: Mapping[str, list[str]] | None = None) -> Iterator[str]:
    """Yield what is wrong with each lock: other requirements, one that is missing, one without a hash."""
    for name, lines in (wanted or requirements()).items():
        path = directory / f"{name}.txt"
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        if f"# requirements: {_digest(lines)}\n" not in text:
            yield f"{path.name}: made from other requirements; run python -m scripts.locks --upgrade"
            continue
        pinned = list(_PINNED.finditer(text))
        for requirement in map(Requirement, lines):
            wanted_name = requirement.name.replace(".", "-")
            versions = [match["version"] for match in pinned if match["name"] == wanted_name]
            if not any(map(requirement.specifier.contains, versions)):
                yield f"{path.name}: {requirement} is not locked"
        yield from (
            f"{path.name}: {match['name']} has no hash" for match in pinned if not _HASH.search(match["rest"])
        )


def needed(asked: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield what one platform needs to run, as names and as lines for pip without markers.

    pip asks markers of the platform that it runs on alone, which is not the one that is asked for.
    """
    text = (LOCKS / "run.txt").read_text(encoding="utf-8")
    for block in re.findall(r"^[a-z](?:.*\\\n)+.*\n", text, re.MULTILINE):
        first, _, digests = block.partition("\\")
        requirement = Requirement(first)
        if requirement.marker is None or requirement.marker.evaluate(asked):
            yield requirement.name, f"{requirement.name}{requirement.specifier} \\{digests}"


def _digest(lines: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()


def _lock(name: str, wanted: Sequence[str]) -> None:
    """Resolve for all platforms; only wheels, because the build of anything else locks nothing."""
    before = list(_ABOUT)[: list(_ABOUT).index(name)]
    constraints = [word for lock in before for word in ("--constraint", str(LOCKS / f"{lock}.txt"))]
    flags = ["--universal", "--python-version=3.11", "--generate-hashes", "--only-binary=:all:", "--upgrade"]
    flags += ["--no-header", "--no-annotate", "--no-emit-index-url", "--quiet"]
    done = subprocess.run(
        ["uv", "--no-config", "pip", "compile", *flags, *constraints, "-"],
        input="\n".join(wanted),
        stdout=subprocess.PIPE,
        check=True,
        text=True,
        cwd=LOCKS,
    )
    header = _HEADER.format(about=_ABOUT[name], digest=_digest(wanted))
    (LOCKS / f"{name}.txt").write_text(header + done.stdout, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
