"""Which containers a kubelet patched by strip does not hash as the old release does.

Also which other hashes the global form of the patch changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from hashcompat.analysis.patching.strip import Cut, cuts_between, stripped
from hashcompat.analysis.planning.latest import Latest
from hashcompat.analysis.planning.templates import Named, Template, Templates
from hashcompat.analysis.planning.view import View
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.errors import DecodeError, InputError, UndecidedError
from hashcompat.core.go.jsonpath import below, element
from hashcompat.core.kubelet.alike import Defaults, unknown_to
from hashcompat.core.kubelet.hashing import hashers
from hashcompat.core.kubelet.staticpods import static_pod_text
from hashcompat.core.model.items import ContainerName, PodName, container_name, name_of
from hashcompat.core.model.pods import Container, Inventory, Pod
from hashcompat.core.model.results import Result

_OWNERS: Final = ("ReplicaSet/", "Deployment/", "DaemonSet/", "StatefulSet/")
"""How the names of the controllers begin that hash their pod templates."""


class Hit(msgspec.Struct, frozen=True):
    """Why stripping fails for a container."""

    strings: tuple[str, ...]
    """The paths of strings that contain text to be removed."""

    fields: tuple[str, ...]
    """The paths of new fields that are set."""


class AuditRow(msgspec.Struct, frozen=True):
    """One container for which stripping fails, and why."""

    pod: PodName
    container: ContainerName
    hit: Hit


class Audit(Result[AuditRow], msgspec.Struct, frozen=True):
    """What stripping would miss in a cluster, and what its global form would change besides."""

    old: Kubelet
    """The release whose hashes the stripped text is to have."""

    new: Kubelet
    """The release to patch."""

    cuts: tuple[Cut, ...]
    """The text that the patch removes."""

    containers: int
    """How many containers were checked."""

    items: tuple[AuditRow, ...]
    """The containers for which stripping fails."""

    static_pods: tuple[str, ...]
    """``namespace/name`` of the static pods whose UID the global form changes."""

    templates: tuple[str, ...]
    """``namespace/Kind/name`` of the controllers whose pod-template-hash the global form changes."""


class Checked(msgspec.Struct, frozen=True):
    """What is known of a container, and of its replicas."""

    hit: Hit | None
    """Why stripping fails for it; None where it does not."""
    is_cut: bool
    """Whether any of its text is cut."""


def check_container(
    spec: Mapping[str, Any],
    old: Kubelet,
    new: Kubelet,
    cuts: Sequence[Cut],
    defaults: Defaults,
    *,
    keep_empty: bool,
) -> Checked:
    """Return whether the stripped text of ``new`` is the text of ``old``, and whether any of it is cut.

    Raises DecodeError for a container that does not decode.
    """
    (new_hasher,), (old_hasher,) = (hashers(kubelet, keep_empty=keep_empty) for kubelet in (new, old))
    text = new_hasher.text(spec)
    cut = stripped(text, cuts)
    if cut == old_hasher.text(spec):
        return Checked(None, cut != text)
    pieces = [cut.piece for cut in cuts]
    fields = tuple(dict.fromkeys(unknown_to(spec, new, old, defaults)))
    return Checked(Hit(tuple(_strings_with(spec, pieces, "")), fields), cut != text)


def _strings_with(value: Any, pieces: Sequence[str], path: str) -> Iterator[str]:
    """Yield the paths of strings that contain a piece, or most of one."""
    if isinstance(value, str):
        if any(piece.strip() in value or piece.rstrip("}") in value for piece in pieces):
            yield path
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _strings_with(item, pieces, below(path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _strings_with(item, pieces, element(path, index))


def audit(inventory: Inventory, old: Kubelet, new: Kubelet, view: View) -> Audit:
    """Return the audit of every container of a source.

    Raises UsageError if ``new`` cannot be stripped to ``old``, and InputError for a container that does not
    decode.
    """
    checks = _Checks(old, new, view)
    containers, rows, static = 0, list[AuditRow](), list[str]()
    templates: dict[str, None] = {}
    for pod in inventory.pods:
        containers += len(pod.containers)
        checked = checks.of(pod)
        for container, each in zip(pod.containers, checked, strict=True):
            if each.hit is not None:
                name = container_name(container.name, container.type)
                rows.append(AuditRow(name_of(pod), name, each.hit))
        if pod.static and _uid_changes(pod, new, checks.cuts):
            static.append(f"{pod.namespace}/{pod.name}")
        if pod.owner.startswith(_OWNERS) and checks.changes_template(pod, checked):
            templates[f"{pod.namespace}/{pod.owner}"] = None
    return Audit(old, new, checks.cuts, containers, tuple(rows), tuple(static), tuple(templates))


class _Checks:
    """Checks containers, those of the latest templates once.

    The names in which these differ are whole strings without spaces and parentheses
    (``core/kubelet/template.py``). Each word of what is cut has a parenthesis, so that no cut depends on a
    name.
    """

    def __init__(self, old: Kubelet, new: Kubelet, view: View) -> None:
        self.cuts = cuts_between(old, new, view.catalog.server_defaults())
        self._old, self._new, self._view = old, new, view
        self._templates = Templates(view)
        self._known: Latest[Template, Checked] = Latest()

    def of(self, pod: Pod) -> list[Checked]:
        """Return what is known of each container of a pod; errors as ``audit``."""
        every = self._templates.all_of(pod)
        return [self._of(pod, *one) for one in zip(pod.containers, every, strict=True)]

    def _of(self, pod: Pod, container: Container, named: Named) -> Checked:
        template = named.template
        if template is None:
            return self._alone(pod, container)
        checked = self._known.get(template)
        if checked is None:
            checked = self._alone(pod, container)
            self._known.add(template, checked, named.likeness.size)
        return checked

    def _alone(self, pod: Pod, container: Container) -> Checked:
        view = self._view
        defaults, keep_empty = view.catalog.server_defaults(), view.keeps_empty(pod)
        try:
            spec = view.seen(pod, container, self._new)
            return check_container(spec, self._old, self._new, self.cuts, defaults, keep_empty=keep_empty)
        except DecodeError as error:
            raise InputError(f"{pod.origin}: {container.path}{error}") from None

    def changes_template(self, pod: Pod, checked: Iterable[Checked]) -> bool:
        """Return whether the text of a controller's template, which has its containers', would be cut."""
        if not self._view.keeps_empty(pod):
            return any(each.is_cut for each in checked)
        specs = (self._view.seen(pod, container, self._new) for container in pod.containers)
        texts = (hashers(self._new)[0].text(spec) for spec in specs)
        return any(stripped(text, self.cuts) != text for text in texts)


def _uid_changes(pod: Pod, new: Kubelet, cuts: Sequence[Cut]) -> bool:
    """Return whether the text of a static pod, or as much as its mirror pod shows of it, would be cut."""
    manifest = pod.static_manifest.content if pod.static_manifest else {"spec": dict(pod.spec)}
    try:
        # Where the text is unknown the UID may change: an audit rather warns than misses.
        text = static_pod_text(manifest, new)
    except (DecodeError, UndecidedError):
        return True
    return stripped(text, cuts) != text
