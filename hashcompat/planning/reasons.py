"""Why the new kubelet hashes a container differently: looked for once for all that differ alike."""

from __future__ import annotations

from collections.abc import Iterator

from hashcompat import rules
from hashcompat.kubelet.hashing import container_hash
from hashcompat.model.verdicts import Reason
from hashcompat.planning.differences import difference
from hashcompat.planning.prepare import Prepared
from hashcompat.planning.skeletons import Skeleton
from hashcompat.planning.templates import Template
from hashcompat.planning.view import View


def by_template(prepared: Prepared) -> object:
    """Return what decides why two kubelets hash a container differently: no name in it does."""
    return _typical(prepared) or prepared.group, prepared.case.old


def _typical(prepared: Prepared) -> Template | Skeleton | None:
    """Return what shows that for other containers too; None for one that shows it for itself."""
    template, case = prepared.template, prepared.case
    return template.typical(case.old, case.new) if template is not None else None


def reasons(prepared: Prepared, view: View) -> Iterator[Reason]:
    """Name what causes the difference: the kubelets, the target API server's new defaults, or both."""
    case = prepared.case
    if prepared.filled:
        yield Reason(rules.API_DEFAULT, f"the new API server fills in {', '.join(prepared.filled)}")
        before = container_hash(prepared.old_spec, case.new, stored=case.container.stored)
        if before.candidates == case.old_hash.candidates:
            return
    typical = _typical(prepared)
    spec = prepared.old_spec if typical is None else typical.spec
    yield from difference(spec, case.old, case.new, view.catalog)
