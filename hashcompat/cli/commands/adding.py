"""``hashcompat releases --add``: a release newer than this program, by its Go types."""

from __future__ import annotations

from itertools import chain
from typing import Final

from hashcompat.analysis.answers.comparison import compare_releases
from hashcompat.cli import output
from hashcompat.cli.args.output import Shown
from hashcompat.core.catalog import files
from hashcompat.core.catalog.added import added
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.catalog.releases import is_older
from hashcompat.core.errors import InputError, UsageError
from hashcompat.core.release import Release, parse_release
from hashcompat.output.formats.documents import to_json
from hashcompat.output.report.difference import DIFFERENCE
from hashcompat.sources.compression import all_of
from hashcompat.sources.files.inputs import inputs, named, require_end
from hashcompat.sources.limits import LONGEST_SOURCE
from hashcompat.sources.upstream.gotypes import ROOT, container_types

_TYPES: Final = "https://raw.githubusercontent.com/kubernetes/api/v0.{minor}.{patch}/core/v1/types.go"


def add_release(name: str, source: str | None, shown: Shown) -> None:
    """Save a release's types among the user's data, and show what differs from the newest known release.

    Raises UsageError for a release that is not newer, InputError for types that cannot be read; nothing is
    saved then.
    """
    known = Catalog(files.default_directory())
    newest = known.known.newest
    release = _newer(name, newest, known)
    origin, data = _types_go(source or _TYPES.format(minor=release.minor_number, patch=release.patch))
    document = {
        "release": release.upstream,
        "package": "v1",
        "releases": f"=={release.upstream}",
        "madeFrom": origin,
        "root": ROOT,
        "types": container_types(data, origin),
    }
    try:
        found = added(document)
    except InputError as error:
        raise InputError(f"{origin}: {error}") from None
    directory = files.user_directory()
    path = directory / f"{release.minor}.json"
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{directory}: cannot write: {error.strerror}") from None
    output.write_whole(path, chain(to_json(found.document), "\n"))
    difference = compare_releases(newest, str(release), Catalog(files.default_directory(), directory))
    output.show(DIFFERENCE, difference, shown)
    output.note(f"Added {release.upstream}: {path}; remove the file to forget it")


def _types_go(source: str) -> tuple[str, bytes]:
    sources = list(inputs(source, recursive=False, suffixes=(".go",)))
    if len(sources) > 1:
        raise InputError(f"{source}: {len(sources)} Go files in this directory; name core/v1/types.go itself")
    require_end(sources[0])
    with sources[0].open() as stream, named(sources[0].origin):
        return sources[0].origin, all_of(stream, LONGEST_SOURCE)


def _newer(name: str, newest: str, known: Catalog) -> Release:
    release = parse_release(name)
    if release.vendor or is_older(release, parse_release(newest)) or known.knows(name):
        raise UsageError(
            f"{name!r} cannot be added: "
            f"want an upstream release of a newer minor than {newest}, the newest known one"
        )
    return release
