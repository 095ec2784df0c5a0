"""What changes a manifest when its pod is created, and with it the verdict: admission and feature gates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import structs

from hashcompat.analysis.planning.reading import Transition, read
from hashcompat.analysis.planning.view import Spec, View
from hashcompat.core.apiserver.created import ADDITIONS, gates_at_work
from hashcompat.core.kubelet.decide.case import Case
from hashcompat.core.kubelet.decide.resize import applies_resources, restarted_for

if TYPE_CHECKING:
    from hashcompat.analysis.planning.served import Served

_PROFILE: Final = "the profile of an annotation"


class Creation(msgspec.Struct, frozen=True):
    """A manifest's container as an API server creates it, and whether another spec changes its verdict."""

    case: Case
    """The case of the upgrade, decided for ``spec``."""
    spec: Spec
    """The container as the API server of the current kubelet creates it."""
    view: View
    """The release data and the options."""
    served: Served
    """What API servers make of the container."""

    def addition(self) -> str:
        """Name what admission adds that changes the verdict; empty where the manifest alone decides."""
        for what, add in ADDITIONS.items():
            added = add(self.case.pod, self.spec)
            if added is not None and self._differs(added):
                return what
        return _PROFILE if self._profile_decides() else ""

    def _profile_decides(self) -> bool:
        """Return whether an annotation decides that only the target release's API server turns into a field.

        API servers are upgraded first, so either may have created the pod, unless the option says which.
        """
        server, pod = self.view.creator(self.case.old), self.case.pod
        newer = self.view.api_server(str(self.case.new.release))
        if self.view.options.apiserver or not pod.profiles or server.profiles == newer.profiles:
            return False
        other = structs.replace(server, profiles=newer.profiles)
        return self._differs(self.served.created(other))

    def gates(self) -> str:
        """Name the feature gates that change the verdict where the creating API server has them on.

        Those that the options set are known.
        """
        container = self.case.container
        server, dropped = self.view.creator_gates(self.case.old), self.view.creator(self.case.old).dropped
        unset = self.case.whole.once(
            "unset gates", lambda: [row for row in dropped if not server.sets(row.gate)], of=dropped
        )
        gates = gates_at_work(container.spec, unset, container.type, self.served.image_volumes)
        deciding = tuple(gate for gate in gates if self._decide((gate,)))
        return ", ".join(deciding or (gates if len(gates) > 1 and self._decide(gates) else ()))

    def _decide(self, on: tuple[str, ...]) -> bool:
        pod, server = self.case.pod, self.view.creator(self.case.old)
        dropped = tuple(row for row in server.dropped if row.gate not in on)
        kept = self.served.created(structs.replace(server, dropped=dropped))
        return any(map(self._differs, [kept, *filter(None, [add(pod, kept) for add in ADDITIONS.values()])]))

    def _differs(self, other: Spec) -> bool:
        return self._outcome(other) != (self.case.changed, self._is_resized(self.spec))

    def _outcome(self, spec: Spec) -> tuple[bool, bool]:
        case = self.case
        transition = Transition(case.pod, case.container, case.old, case.new, case.whole)
        reading = read(spec, transition, self.view, self.served)
        hashes = self.served.hash(spec, case.old), self.served.hash(reading.spec, case.new)
        return hashes[0].candidates.isdisjoint(hashes[1].candidates), self._is_resized(spec)

    def _is_resized(self, spec: Spec) -> bool:
        return applies_resources(self.case) and any(restarted_for(spec))
