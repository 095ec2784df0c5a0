"""What ``explain`` is asked for: a pod, or what owns pods, and one or all of their containers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from hashcompat.core.errors import InputError, UsageError
from hashcompat.core.model.escape import name_path
from hashcompat.core.model.kinds import NODE, POD, Owner, is_kind, names_a_kind, near, near_owners
from hashcompat.core.model.pods import Container, Pod

_FORMS: Final = "NAMESPACE/POD, NAMESPACE/POD/CONTAINER or KIND/NAME, or POD with -n NAMESPACE"

_SHOWN: Final = 3


class Reading(msgspec.Struct, frozen=True):
    """One way to read a name."""

    name: str
    """That of a pod, of an owner, or of a node."""
    namespace: str = ""
    """Empty for any."""
    kind: str = POD
    """The kind as it was written."""
    container: str = ""
    """Empty for all."""

    def covers(self, pod: Pod) -> bool:
        """Return whether a pod is, or belongs to, what is named."""
        if self.namespace not in ("", pod.namespace):
            return False
        if is_kind(self.kind, POD):
            return pod.name == self.name
        if is_kind(self.kind, NODE):
            return pod.node == self.name
        return Owner(self.kind, self.name).owns(pod)

    def names(self, _pod: Pod, container: Container) -> bool:
        """Return whether a container of such a pod is named."""
        return self.container in ("", container.name)


class Quoted(msgspec.Struct, frozen=True):
    """A name as ``-o name`` prints it, with quotes where it could pass for two."""

    text: str

    def covers(self, pod: Pod) -> bool:
        """Return whether it is that of a pod."""
        return f"{self.text}/".startswith(f"{name_path(pod.namespace, pod.name)}/")

    def names(self, pod: Pod, container: Container) -> bool:
        """Return whether it is that of a pod or of a container."""
        names = pod.namespace, pod.name
        return self.text in (name_path(*names), name_path(*names, container.name))


def readings(target: str, *, in_namespace: bool = False) -> list[Reading | Quoted]:
    """Return the ways to read a name, the likeliest first; of those that name something, that one counts.

    ``NAMESPACE/POD[/CONTAINER]`` comes first, then ``[NAMESPACE/]KIND/NAME[/CONTAINER]`` as kubectl reads
    it; with ``in_namespace`` a pod goes without its own. Raises UsageError for a name of another form.
    """
    parts = target.split("/")
    if "" in parts[:2] or (len(parts) == 1 and not in_namespace):
        raise UsageError(f"{target!r} is not {_FORMS}")
    quoted = [Quoted(target)] if '"' in target else []
    return [*(_in_full(parts) if len(parts) > 1 else ()), *quoted, *_short(parts, in_namespace=in_namespace)]


def _in_full(parts: Sequence[str]) -> Iterator[Reading]:
    namespace, name, *rest = parts
    yield Reading(name, namespace, container="/".join(rest))


def _short(parts: Sequence[str], *, in_namespace: bool) -> Iterator[Reading]:
    match parts:
        case [pod]:
            yield Reading(pod)
        case [kind, name]:
            yield Reading(name, kind=kind)
            if in_namespace:
                yield Reading(kind, container=name)
        case [first, second, third]:
            yield Reading(third, first, second)
            yield Reading(second, kind=first, container=third)
        case [namespace, kind, name, container]:
            yield Reading(name, namespace, kind, container)


def not_found(target: str, covered: Iterable[str], pods: Iterable[Pod]) -> InputError:
    """Return the error of a name that nothing has; ``covered`` are the containers of pods that have it."""
    if containers := list(dict.fromkeys(covered)):
        close = near(target.rpartition("/")[2], containers) or containers[:_SHOWN]
        return InputError(f"no container {target} in the input; near it: {', '.join(close)}")
    names, parts = _Names(pods), target.split("/")
    at = next((at for at, part in enumerate(parts[:2]) if names_a_kind(part) and at + 1 < len(parts)), None)
    of_pods = names.near_pods(*(parts if len(parts) > 1 else ("", *parts))[:2])
    owners = names.near_owners(Owner(*parts[at : at + 2]) if at is not None else Owner("", parts[-1]))
    # a name with a kind is more likely that of an owner
    close_names = of_pods or owners if at is None else owners or of_pods
    return InputError(f"no pod {target} in the input; {names.near(close_names)}")


class _Names:
    """The names of all pods and owners, which is all that is kept of them."""

    def __init__(self, pods: Iterable[Pod]) -> None:
        self._pods: dict[str, dict[str, None]] = {}
        self._owners: dict[str, None] = {}
        self._namespaces: dict[str, None] = {}
        for pod in pods:
            self._pods.setdefault(pod.name, {})[pod.namespace] = None
            node = f"{NODE}/{pod.node}" if pod.node else ""
            self._owners |= dict.fromkeys(filter(None, (pod.workload, pod.owner, node)))
            self._namespaces[pod.namespace] = None

    def near_pods(self, namespace: str, name: str) -> list[str]:
        """Return pods near a name, those of its namespace first."""
        paths = [
            (other != namespace, place, name_path(other, close))
            for place, close in enumerate(near(name, self._pods))
            for other in self._pods[close]
        ]
        return [path for _, _, path in sorted(paths)[:_SHOWN]]

    def near_owners(self, wanted: Owner) -> list[str]:
        """Return owners near a name, ``Kind/name``."""
        return near_owners(wanted, self._owners)

    def near(self, close: list[str]) -> str:
        """Say what is near, or where nothing is."""
        if close:
            return f"near it: {', '.join(close)}"
        first = list(self._namespaces)[:_SHOWN]
        more = len(self._namespaces) - len(first)
        return f"nothing is near it in {', '.join(first)}" + (f" and {more} more" if more else "")
