"""What is gathered of a plan's pods besides verdicts while they pass: details, where they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Protocol

from hashcompat.catalog.lookup import Kubelet
from hashcompat.model.details import Details
from hashcompat.model.items import Item
from hashcompat.model.plan import Way
from hashcompat.model.pods import Pod
from hashcompat.planning.templates import Templates
from hashcompat.planning.view import View


class Gathering(Protocol):
    """Gathers details while pods pass, each once, by itself or as a replica of one that passed."""

    def kubelets(self) -> tuple[Kubelet, ...]:
        """Return the kubelets whose hashes decide, besides those of the plan and its hops."""

    def decisive(self, pod: Pod) -> Hashable:
        """Return what of a pod decides besides its hashes and its kind (``Planner.kind``)."""

    def add(self, pod: Pod) -> Any:
        """Take one more pod; return what its replicas share, None where they may differ.

        Replicas are as for ``Rulings.of``, under all ``kubelets``. Errors as ``Judge.drafts``.
        """

    def repeat(self, gathered: Any, pod: Pod) -> None:
        """Take a replica of a pod."""

    def numbers(self, items: Callable[[], Sequence[Item]]) -> Sequence[int]:
        """Return the number of each item's difference; ``items`` returns them in the order of the pods."""

    def details(self) -> Details | None:
        """Return the details, once the numbers are known."""


Gather = Callable[[Way, View, Templates], Gathering]
"""Begins to gather."""


class Nothing:
    """Gathers nothing."""

    def __init__(self, _way: Way, _view: View, _templates: Templates) -> None: ...

    def kubelets(self) -> tuple[Kubelet, ...]:
        """Return none."""
        return ()

    def decisive(self, _: Pod) -> Hashable:
        """Return what is the same of all pods."""
        return None

    def add(self, _: Pod) -> Any:
        """Return what is shared by all pods."""
        return ()

    def repeat(self, _gathered: Any, _pod: Pod) -> None:
        """Keep nothing."""

    def numbers(self, _: Callable[[], Sequence[Item]]) -> Sequence[int]:
        """Return none."""
        return ()

    def details(self) -> None:
        """Return none."""
