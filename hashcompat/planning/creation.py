"""What may have happened to a manifest when its pod was created, and makes the verdict another: admission, feature gates."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hashcompat.apiserver.admission import ADDITIONS
from hashcompat.apiserver.gates import gates_at_work, image_volumes
from hashcompat.kubelet.decide.case import Case
from hashcompat.kubelet.decide.container import applies_resources, restarted_for
from hashcompat.kubelet.hashing import container_hash
from hashcompat.planning.reading import Transition, read
from hashcompat.planning.view import Spec, View, created


@dataclass(frozen=True, slots=True)
class Creation:
    """A manifest's container as created, and the test whether another spec of it makes the verdict another."""

    case: Case
    spec: Spec
    view: View

    def addition(self) -> str:
        """Name what admission adds and makes the verdict another; empty where the manifest alone decides."""
        for what, add in ADDITIONS.items():
            added = add(self.case.pod, self.spec)
            if added is not None and self._differs(added):
                return what
        return ""

    def gates(self) -> str:
        """Name the gates that, on at the API server that created the pod, make the verdict another; empty where none does."""
        pod, container = self.case.pod, self.case.container
        dropped = self.view.creator(self.case.old).dropped
        gates = gates_at_work(container.spec, dropped, container.type, image_volumes(pod.spec))
        deciding = tuple(gate for gate in gates if self._decide((gate,)))
        return ", ".join(deciding or (gates if len(gates) > 1 and self._decide(gates) else ()))

    def _decide(self, on: tuple[str, ...]) -> bool:
        pod, server = self.case.pod, self.view.creator(self.case.old)
        dropped = tuple(row for row in server.dropped if row.gate not in on)
        kept = created(pod, self.case.container, replace(server, dropped=dropped))
        return any(map(self._differs, [kept, *filter(None, [add(pod, kept) for add in ADDITIONS.values()])]))

    def _differs(self, other: Spec) -> bool:
        return self._outcome(other) != (self.case.changed, self._is_resized(self.spec))

    def _outcome(self, spec: Spec) -> tuple[bool, bool]:
        case = self.case
        reading = read(spec, Transition(case.pod, case.container, case.old, case.new), self.view)
        hashes = container_hash(spec, case.old), container_hash(reading.spec, case.new)
        return hashes[0].candidates.isdisjoint(hashes[1].candidates), self._is_resized(spec)

    def _is_resized(self, spec: Spec) -> bool:
        return applies_resources(self.case) and any(restarted_for(spec))
