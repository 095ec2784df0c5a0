"""Patches for a kubelet's source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Unpack

from msgspec import structs

from hashcompat.api.inputs import Source, load
from hashcompat.api.options import OptionFields, release_of, view_of
from hashcompat.catalog.lookup import Catalog, default_catalog
from hashcompat.patching import strategies
from hashcompat.patching.audit import Audit, audit
from hashcompat.patching.model import Patch, apply, mail
from hashcompat.patching.strategies import Choices
from hashcompat.patching.strip import check_strip


def patch(
    kubelet: str,
    like: Sequence[str],
    strategy: str = "accept",
    choices: Choices = Choices(),
    *,
    catalog: Catalog | None = None,
) -> Patch | None:
    """Return the patch with which a kubelet accepts or computes the hashes of the releases ``like``.

    None where it computes them already. ``strategy`` is ``accept``, ``pin`` or ``strip``. Raises UsageError
    for unknown releases and strategies, and for what the strategy cannot do.
    """
    known = catalog or default_catalog()
    likes = [release_of(name, known) for name in like]
    if known.known.is_short(choices.until):
        choices = structs.replace(choices, until=release_of(choices.until, known))
    return strategies.make_patch(release_of(kubelet, known), likes, strategy, known, choices)


make_patch = patch
"""The older name of ``patch``."""


def patch_text(made: Patch, source: Mapping[str, str]) -> str:
    """Return a patch as ``git format-patch`` prints it.

    ``source`` holds the text of each file that ``made.edits`` name, by path. Raises MisplacedError, naming
    file and hunk, where a file is not that of upstream's release.
    """
    return mail(made, apply(made, source))


def patch_audit(
    source: Source,
    kubelet: str,
    like: str,
    *,
    catalog: Catalog | None = None,
    **options: Unpack[OptionFields],
) -> Audit:
    """Return the containers whose hash with strategy ``strip`` is not that of ``like``."""
    inventory = load(source)
    view = view_of(inventory, catalog, options)
    new, old = (view.catalog.kubelet(release_of(name, catalog)) for name in (kubelet, like))
    check_strip(new, [old])
    return audit(inventory, old, new, view)
