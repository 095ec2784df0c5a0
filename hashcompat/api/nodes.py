"""Nodes before their kubelets are restarted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from os import PathLike, fspath
from typing import TYPE_CHECKING, TypedDict, Unpack

from msgspec import structs

from hashcompat import planning
from hashcompat.api.inputs import Source, load
from hashcompat.api.options import release_of
from hashcompat.catalog.lookup import Catalog, default_catalog
from hashcompat.model.preflight import Preflight
from hashcompat.planning.options import AUTO, Options
from hashcompat.planning.view import View
from hashcompat.records.index import index
from hashcompat.records.probes import Dump

if TYPE_CHECKING:
    from hashcompat.preflight.run import Known, Question


def load_dumps(*paths: str | PathLike[str]) -> list[Dump]:
    """Return what ``hashcompat collector --preflight`` printed on nodes: files, directories, archives.

    Raises InputError, naming the file, for a path without any dump in it.
    """
    from hashcompat.sources.files import dumps as files  # noqa: PLC0415 - plans need no dumps

    return files.collect(tuple(fspath(path) for path in paths))


class NodeFields(TypedDict, total=False):
    """What else is known of nodes."""

    source: Source | None
    """The cluster's nodes and pods; a plan is made of them too."""
    apiserver: str
    """The release of the API server that the kubelets will talk to."""
    ignored: Iterable[str]
    """The ids of checks whose errors count as warnings, or ``all``."""
    now: datetime
    """The time by which certificates are judged, by default the present."""


def preflight_nodes(
    dumps: Sequence[Dump] | None,
    to_release: str,
    from_release: str = AUTO,
    *,
    catalog: Catalog | None = None,
    **fields: Unpack[NodeFields],
) -> Preflight:
    """Return what breaks on nodes, apart from container hashes, when their kubelets are restarted.

    With None for ``dumps`` the nodes of the source are checked by their objects alone. ``from_release`` may
    be ``auto``: what each node shows. Errors as ``plan``.
    """
    from hashcompat.preflight.run import Question, inspect  # noqa: PLC0415 - it imports a YAML parser

    known = catalog or default_catalog()
    current = "" if from_release == AUTO else release_of(from_release, known)
    question = Question(
        release_of(to_release, known),
        current,
        release_of(fields.get("apiserver", ""), known),
        tuple(fields.get("ignored", ())),
        fields.get("now") or datetime.now(UTC),
    )
    return inspect(dumps, _known(fields.get("source"), question, dumps or (), known), question, known)


def _known(source: Source | None, question: Question, dumps: Sequence[Dump], catalog: Catalog) -> Known:
    """Return what the source shows, and the plan that is made of it."""
    from hashcompat.preflight.run import Known, known_of, with_own_releases  # noqa: PLC0415 - as above

    if source is None:
        return Known()
    found = load(source)
    found = structs.replace(found, nodes=with_own_releases(found.nodes, dumps), pods=tuple(found.pods))
    options = Options(keep_going=True, records=index(found.records), apiserver_to=question.server)
    plan = planning.make(found, question.current or AUTO, question.target, View(catalog, options))
    return known_of(found.nodes, found.pods, plan.items)
