"""Whether a saved plan is of the releases that the command line names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from hashcompat.errors import InputError
from hashcompat.model.plan import Plan

if TYPE_CHECKING:
    from hashcompat.catalog.lookup import Catalog


def check_releases(file: str, plan: Plan, old: str, new: str, catalog: Catalog) -> None:
    """Raise InputError for a saved plan of other releases; an empty one may be any."""
    from hashcompat.gating.refusal import releases_of
    from hashcompat.planning.options import AUTO

    if new:
        _check(file, "--to", new, {plan.to_release}, catalog)
    if old:
        _check(file, "--from", old, releases_of(plan, AUTO), catalog)


def _check(file: str, flag: str, asked: str, planned: Iterable[str], catalog: Catalog) -> None:
    from hashcompat.catalog.releases import same_build

    wanted = catalog.kubelet(asked).release
    for name in sorted(planned):
        if not (catalog.knows(name) and same_build(catalog.kubelet(name).release, wanted)):
            raise InputError(f"{file}: a plan of {name}, and {flag} is {asked}; make the plan again")
