"""Build the documentation as a site: the pages of this repository, the reference, and the playground.

``python -m scripts.site --out DIR`` writes a directory that any web server serves, and ``--serve`` serves it.
``--versioned`` writes into a directory below it, next to those of other versions; a reader can choose. Pages
stay where they are in the repository, so their links hold in both places; which reader they are for is read
from the tables of ``docs/README.md``. The reference of commands and of the Python API is made from the
program itself. A warning of the generator is an error. Needs the extra ``site``; the playground needs npm.

Exit codes: 0 it is written; 1 a program failed, or a page is not in the index; 64 usage error.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import yaml
from packaging.version import Version

from hashcompat import __version__
from scripts import playground
from scripts.lib import commandline
from scripts.locks import ROOT

_PAGES: Final = (
    "*.md",
    "docs/**/*",
    "examples/**/*",
    "golden/README.md",
    "schemas/**/*.md",
    "scripts/README.md",
    "tests/README.md",
)
STYLE: Final = ROOT / "deploy" / "site" / "site.css"
_FILES: Final = (
    *(
        "action.yml",
        "LICENSE",
        "deploy/install.sh",
        "deploy/locks",
        "deploy/image/Dockerfile",
        "schemas/documents",
    ),
)
"""What pages link to besides pages."""
_HIDDEN: Final = (
    *(".pre-commit-hooks.yaml", ".github/ISSUE_TEMPLATE/verdict.yml", "examples/gitlab/.gitlab-ci.yml"),
)
"""The same, which the generator takes for its own."""
_HEADING: Final = re.compile(r"^## (.+)$", re.MULTILINE)
_CELL: Final = re.compile(r"^\| (\[[^|]+)\|", re.MULTILINE)
_LINK: Final = re.compile(r"\[([^\]]+)\]\(([^)#]+)\)")

_PLAYGROUND: Final = "docs/playground.md"
"""The page that has a place of its own in the navigation."""
_OPEN: Final = "[Open the playground](../playground/index.html){ .md-button .md-button--primary }"

_IMAGE: Final = re.compile(r'<img [^>]*?src="(?P<path>[^":]+)"')

_SLUG: Final = "slugify as GitHub does"
_AS_GITHUB: Final = "!!python/object/apply:pymdownx.slugs.slugify {kwds: {case: lower}}"
"""What makes an anchor of a heading, so that links to anchors hold in both places."""

_NEWEST: Final = """\
<!doctype html>
<html lang="en">
<title>hashcompat</title>
<meta http-equiv="refresh" content="0; url={0}/">
<a href="{0}/">hashcompat {0}</a>
"""
"""Leads to the site of the newest version."""

COMMANDS: Final = """\
# Commands and options

What each command does is on [a page of its own](../commands.md); these are all options, as `--help` has them.

::: mkdocs-click
    :module: hashcompat.cli.program
    :command: cli
    :prog_name: hashcompat
    :depth: 1
"""

API: Final = """\
# Names of the Python API

[Python](../python.md) shows how they are used.

::: hashcompat
    options:
      members: {members}
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Build the site, and serve it if asked to."""
    parser = commandline.Parser(prog="scripts.site", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "dist" / "site", metavar="DIR")
    parser.add_argument("--address", default="", metavar="URL", help="where the site will be, for its map")
    parser.add_argument(
        "--without-playground", action="store_true", help="do not build it; its links lead nowhere"
    )
    parser.add_argument("--versioned", action="store_true", help="next to the sites of other versions")
    parser.add_argument("--serve", action="store_true", help="serve it at a local address until Ctrl-C")
    options = parser.parse_args(argv)
    try:
        making = versioned if options.versioned else build
        making(options.out, options.address, with_playground=not options.without_playground)
    except (OSError, subprocess.CalledProcessError, ValueError) as error:
        return commandline.failed(parser.prog, error)
    if options.serve:
        playground.serve(options.out)
    return 0


def versioned(out: Path, address: str = "", *, with_playground: bool = True) -> None:
    """Write the site of this version below ``out``, with the list of versions and a way to the newest."""
    build(
        out / __version__,
        address and f"{address.rstrip('/')}/{__version__}/",
        with_playground=with_playground,
        has_versions=True,
    )
    names = [path.parent.name for path in out.glob("*/index.html")]
    names.sort(key=Version, reverse=True)
    listed = [{"version": name, "title": name, "aliases": []} for name in names]
    (out / "versions.json").write_text(json.dumps(listed), encoding="utf-8")
    (out / "index.html").write_text(_NEWEST.format(names[0]), encoding="utf-8")


def build(out: Path, address: str = "", *, with_playground: bool = True, has_versions: bool = False) -> None:
    """Write the site; a directory that is there is replaced when all is made.

    Raises:
        OSError: a program is missing, or a file cannot be written.
        ValueError: the index leaves out a page, or names one that is not there.
        subprocess.CalledProcessError: the generator failed, or warned.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".site-") as name:
        work = Path(name)
        stage(work / "pages")
        if with_playground:
            playground.build(work / "pages" / "playground")
            page = work / "pages" / "docs" / "playground.md"
            title, _, rest = page.read_text(encoding="utf-8").partition("\n\n")
            page.write_text(f"{title}\n\n{_OPEN}\n\n{rest}", encoding="utf-8")
        chosen = settings(address, has_versions=has_versions)
        settings_text = yaml.safe_dump(chosen, sort_keys=False).replace(_SLUG, _AS_GITHUB)
        (work / "mkdocs.yml").write_text(settings_text, encoding="utf-8")
        program = Path(sys.executable).with_name("zensical")
        subprocess.run(
            [program, "build", "--strict", "--clean"],
            cwd=work,
            check=True,
            env={**os.environ, "NO_COLOR": "1"},
        )
        for page in (work / "made").rglob("*.html"):
            page.write_text(
                _IMAGE.sub(partial(_sized, page.parent), page.read_text("utf-8")), encoding="utf-8"
            )
        for hidden in _HIDDEN:
            target = work / "made" / hidden
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / hidden, target)
        shutil.rmtree(out, ignore_errors=True)
        (work / "made").replace(out)


def _sized(directory: Path, image: re.Match[str]) -> str:
    """Say how large a picture is, so that nothing moves when it has loaded; vectors say it themselves."""
    path = directory / image["path"]
    if path.suffix != ".png" or not path.is_file():
        return image[0]
    width, height = struct.unpack(">II", path.read_bytes()[16:24])
    return f'{image[0]} width="{width}" height="{height}" loading="lazy"'


def stage(into: Path) -> None:
    """Copy the pages, and what they link to, to where they are in the repository."""
    for pattern in (*_PAGES, *_FILES):
        for path in ROOT.glob(pattern):
            target = into / path.relative_to(ROOT)
            if path.is_dir():
                if pattern in _FILES:
                    shutil.copytree(path, target, dirs_exist_ok=True)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    shutil.copy(STYLE, into)
    reference = into / "docs" / "reference"
    reference.mkdir()
    (reference / "commands.md").write_text(COMMANDS, encoding="utf-8")
    (reference / "api.md").write_text(API.format(members=members()), encoding="utf-8")


def members() -> list[str]:
    """Return the public names."""
    import hashcompat  # noqa: PLC0415 - what is documented, not what this program is made of

    return sorted(hashcompat.__all__)


def settings(address: str = "", *, has_versions: bool = False) -> dict[str, Any]:
    """Return what the generator is told: no font, no script and no picture comes from anywhere else.

    Pages ask for the list of versions, so only where there is one are they told of it.
    """
    return {
        "site_name": "hashcompat",
        "site_description": "Which containers will this kubelet upgrade restart?",
        "site_url": address or None,
        "docs_dir": "pages",
        "site_dir": "made",
        "theme": {
            "name": "material",
            "variant": "modern",
            "font": False,
            "features": [
                *("navigation.tabs", "navigation.tabs.sticky", "navigation.sections", "navigation.top"),
                *("content.code.copy", "search.highlight"),
            ],
            "palette": [
                {
                    "media": f"(prefers-color-scheme: {scheme})",
                    "scheme": name,
                    "toggle": {"icon": f"lucide/{icon}", "name": f"Switch to {other} colours"},
                }
                for scheme, name, icon, other in (
                    ("light", "default", "sun", "dark"),
                    ("dark", "slate", "moon", "light"),
                )
            ],
        },
        "markdown_extensions": [
            "mkdocs-click",
            "tables",
            {"toc": {"permalink": True, "slugify": _SLUG}},
            "attr_list",
            "md_in_html",
            "pymdownx.highlight",
            "pymdownx.superfences",
        ],
        "plugins": [
            "search",
            {
                "mkdocstrings": {
                    "handlers": {"python": {"paths": [str(ROOT)], "options": {"show_source": False}}}
                }
            },
        ],
        "extra_css": [STYLE.name],
        "extra": {"generator": False, **({"version": {"provider": "mike"}} if has_versions else {})},
        "nav": list(navigation()),
    }


def navigation() -> Iterator[dict[str, Any]]:
    """Yield the pages by reader, from the tables of the index; raises ValueError where these are not all."""
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    _, *parts = _HEADING.split(index)
    yield {"hashcompat": "README.md"}
    named = {"README.md"}
    for title, text in zip(parts[::2], parts[1::2], strict=True):
        links = [link for cell in _CELL.findall(text) for link in _LINK.findall(cell)]
        pages = [(name[:1].upper() + name[1:], _in_repository(path)) for name, path in links]
        named |= {path for _, path in pages}
        yield {title: [{name: path} for name, path in pages if path != _PLAYGROUND]}
    yield {"Reference": [{"Commands": "docs/reference/commands.md"}, {"Python": "docs/reference/api.md"}]}
    yield {"Playground": _PLAYGROUND}
    missing = sorted(path for path in named if not (ROOT / path).is_file())
    pages_there = {str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")}
    left = sorted(pages_there - named - {"docs/README.md"})
    if missing or left:
        raise ValueError(f"docs/README.md: names pages that are not there: {missing}; leaves out: {left}")


def _in_repository(path: str) -> str:
    return str((ROOT / "docs" / path).resolve().relative_to(ROOT))


if __name__ == "__main__":
    sys.exit(main())
