"""The strategies by name; a new one is a function from a task to a patch, and a row here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from hashcompat.catalog.lookup import Catalog, Kubelet
from hashcompat.errors import UsageError
from hashcompat.kubelet import alike
from hashcompat.patching.accept import accept
from hashcompat.patching.model import Patch, Task
from hashcompat.patching.pin import pin
from hashcompat.patching.strip import strip
from hashcompat.patching.stripping import check_strip
from hashcompat.planning.patched import check_patchable, check_pin
from hashcompat.release import parse_release


class Choices(msgspec.Struct, frozen=True):
    """What the user can choose besides releases and strategy."""

    accept_new_fields: bool = False
    """As in :class:`Task`."""

    until: str = ""
    """As in :class:`Task`."""

    article: bool = False
    """As in :class:`Task`."""

    force: bool = False
    """Whether to pin even where every in-place resize would then restart the container."""


class Strategy(msgspec.Struct, frozen=True):
    """A way to patch the kubelet."""

    check: Callable[[Kubelet, Sequence[Kubelet], Choices], None]
    """Raises UsageError for releases that the strategy cannot handle."""

    build: Callable[[Task], Patch]
    """Returns the patch."""


def _check_pin(new: Kubelet, olds: Sequence[Kubelet], choices: Choices) -> None:
    check_pin(new, olds, force=choices.force)


def _check_strip(new: Kubelet, olds: Sequence[Kubelet], _choices: Choices) -> None:
    check_strip(new, olds)


def _check_nothing(_new: Kubelet, _olds: Sequence[Kubelet], _choices: Choices) -> None:
    """Do nothing: accept works for all releases that can be patched."""


BY_NAME: Final[Mapping[str, Strategy]] = {
    "accept": Strategy(_check_nothing, accept),
    "pin": Strategy(_check_pin, pin),
    "strip": Strategy(_check_strip, strip),
}


def make_patch(
    kubelet: str, like: Sequence[str], strategy: str, catalog: Catalog, choices: Choices = Choices()
) -> Patch | None:
    """Return the patch of a release's source; None if it already hashes like every old release.

    Raises UsageError for unknown releases, and for releases or choices that the strategy cannot handle.
    """
    if strategy not in BY_NAME:
        raise UsageError(f"no strategy {strategy!r}; the strategies are {', '.join(BY_NAME)}")
    new, olds = catalog.kubelet(kubelet), [catalog.kubelet(name) for name in like]
    site = catalog.source_site(new)
    check_patchable(new, site, olds)
    wanted = alike.distinct(olds, new, new_fields=choices.accept_new_fields)
    if not wanted:
        return None
    BY_NAME[strategy].check(new, olds, choices)
    until = parse_release(choices.until).upstream if choices.until else ""
    if until and strategy != "accept":
        raise UsageError(
            "--until: only --strategy accept can end; the other strategies change the hash itself"
        )
    if choices.article and strategy != "strip":
        raise UsageError("--article: only --strategy strip has this literal, global form")
    task = Task(
        new, wanted, site, tuple(catalog.server_defaults()), choices.accept_new_fields, until, choices.article
    )
    return BY_NAME[strategy].build(task)
