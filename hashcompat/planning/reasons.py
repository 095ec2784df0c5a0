"""Why the new kubelet hashes a container differently: looked for once for all that differ alike."""

from __future__ import annotations

from collections.abc import Iterator

from hashcompat import rules
from hashcompat.kubelet.hashing import container_hash
from hashcompat.model.verdicts import Reason
from hashcompat.planning.differences import difference
from hashcompat.planning.prepare import Prepared
from hashcompat.planning.view import View


def by_template(prepared: Prepared) -> object:
    """Return what decides why two kubelets hash a container differently: no name in it does."""
    return prepared.template or prepared.group, prepared.case.old


def reasons(prepared: Prepared, view: View) -> Iterator[Reason]:
    """Name what causes the difference: the kubelets, the target API server's new defaults, or both."""
    case = prepared.case
    if prepared.filled:
        yield Reason(rules.API_DEFAULT, f"the new API server fills in {', '.join(prepared.filled)}")
        before = container_hash(prepared.old_spec, case.new, stored=case.container.stored)
        if before.candidates == case.old_hash.candidates:
            return
    spec = prepared.old_spec if prepared.template is None else prepared.template.spec
    yield from difference(spec, case.old, case.new, view.catalog)
