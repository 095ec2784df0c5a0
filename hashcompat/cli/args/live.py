"""The live cluster on the command line: which one, as whom, and what of it is read."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import click

from hashcompat.cli.output import note
from hashcompat.errors import InputError, UsageError
from hashcompat.model.pods import Inventory
from hashcompat.planning.options import AUTO

if TYPE_CHECKING:
    from hashcompat.sources.cluster.collect import Access, Scope

_FLAGS: Final = {
    "--context": "context",
    "--kubeconfig": "kubeconfig",
    "--as": "as_user",
    "--as-group": "as_groups",
    "-l": "selector",
    "--request-timeout": "request_timeout",
}

_DURATION: Final = re.compile(r"(\d{1,6})(s|m)?")

_DEFAULT_TIMEOUT: Final = "60s"


def named(given: Mapping[str, Any]) -> list[str]:
    """Return the flags of the live cluster that are given."""
    return [flag for flag, name in _FLAGS.items() if given.get(name)]


def refuse(given: Mapping[str, Any]) -> None:
    """Refuse flags of a live cluster beside another source, where they would change nothing."""
    if flags := named(given):
        where = "; --context or KUBECONFIG names one" if given["static_dirs"] and not given["files"] else ""
        raise UsageError(
            f"{flags[0]} goes with a live cluster, not with -f, --static-pod-dir or --sample{where}"
        )


def collect(given: Mapping[str, Any]) -> Inventory:
    """Read the live cluster; an error says how to go on without one."""
    from hashcompat.sources.cluster.kubeapi import UnreachableError

    try:
        return _read(given, scope(given))
    except UnreachableError as error:
        raise InputError(
            f"cannot read the cluster: {error}; give pods with -f FILE, or try the built-in cluster with --sample"
        ) from None


def is_beside_static(given: Mapping[str, Any]) -> bool:
    """Tell whether the live cluster is read beside ``--static-pod-dir``: where something names one."""
    from hashcompat.sources.cluster.collect import is_named

    alone = given["static_dirs"] and not (given["files"] or given["sample"])
    return bool(alone) and is_named(_access(given))


def collect_beside_static(given: Mapping[str, Any]) -> Inventory | None:
    """Read the live cluster too; None where that fails and neither a flag nor ``--from auto`` asks for it."""
    wanted = scope(given)
    try:
        return _read(given, replace(wanted, needs_pods=False))
    except InputError as error:
        if given["context"] or given["kubeconfig"] or wanted.needs_nodes:
            raise InputError(f"cannot read the cluster: {error}") from None
        if not given.get("quiet"):
            note(f"Warning: going on without the cluster, which cannot be read: {error}")
        return None


def _read(given: Mapping[str, Any], wanted: Scope) -> Inventory:
    from hashcompat.sources.cluster import collect as cluster

    if given["as_groups"] and not given["as_user"]:
        raise UsageError("--as-group needs --as USER")
    progress = _Progress(quiet=bool(given.get("quiet")))
    try:
        return cluster.collect(_access(given), wanted, note, progress.show)
    finally:
        progress.end()


def _access(given: Mapping[str, Any]) -> Access:
    from hashcompat.sources.cluster.collect import Access

    return Access(
        given["kubeconfig"] or "",
        given["context"] or "",
        given["as_user"] or "",
        given["as_groups"],
        _seconds(given["request_timeout"] or _DEFAULT_TIMEOUT),
    )


def scope(given: Mapping[str, Any]) -> Scope:
    """Return what of the cluster is read; its nodes decide where no release says what runs now."""
    from hashcompat.sources.cluster import collect as cluster

    needs_nodes = given.get("from_release") == AUTO or given.get("release", "") in (
        AUTO,
        None,
    )  # verify's default is auto
    return cluster.Scope(
        given.get("namespaces", ()), given.get("nodes", ()), given["selector"] or "", needs_nodes
    )


def _seconds(text: str) -> float:
    match = _DURATION.fullmatch(text)
    if not match or not int(match[1]):
        raise UsageError(
            f"--request-timeout: want a number of seconds or minutes such as 90s or 2m, got {text!r}"
        )
    return int(match[1]) * (60.0 if match[2] == "m" else 1.0)


class _Progress:
    """One line on a terminal's stderr that says how far the reading is; nothing where stderr is a log."""

    def __init__(self, *, quiet: bool) -> None:
        self._on = not quiet and sys.stderr.isatty()
        self._shown = False

    def show(self, text: str) -> None:
        if self._on:
            click.echo(f"\r\x1b[KReading {text}", nl=False, err=True)
            self._shown = True

    def end(self) -> None:
        if self._shown:
            click.echo("\r\x1b[K", nl=False, err=True)
