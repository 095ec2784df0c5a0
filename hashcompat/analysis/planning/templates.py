"""The containers of pods that follow one template: each hashed once under each kubelet.

From 1.21 on every pod mounts its service account's token from a volume that an API server names
``kube-api-access-`` and five random characters, so no two replicas have equal containers. A template is a
container without the strings that are each pod's own; its hash goes on from the state before the first of
them (``core/kubelet/template.py``).
"""

from __future__ import annotations

from collections.abc import Hashable
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import structs

from hashcompat.analysis.planning.kinds import (
    Asked,
    Dates,
    asked,
    facts_kind,
    has_rare_volume,
    node_kind,
    reported,
    states,
)
from hashcompat.analysis.planning.latest import KEPT, LARGEST, Latest
from hashcompat.analysis.planning.patched import as_decoded
from hashcompat.analysis.planning.view import Spec, View
from hashcompat.analysis.planning.wayhashes import Alike
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.corev1.scheduling import is_token_mount, node_affinity
from hashcompat.core.errors import DecodeError, NotStoredError
from hashcompat.core.go.jsonpath import rows
from hashcompat.core.kubelet.decide.static import same_uid
from hashcompat.core.kubelet.decide.whole import Whole
from hashcompat.core.kubelet.hashing import ContainerHash, Hasher, hashers, true_hash
from hashcompat.core.kubelet.template import Around, around
from hashcompat.core.model.pods import PROFILES, Blank, Container, Node, Pod
from hashcompat.core.model.verdicts import Hash, StoredHashes, number_of

if TYPE_CHECKING:
    from hashcompat.analysis.planning.served import Served
    from hashcompat.core.kubelet.staticpods import Remembering


class Likeness(msgspec.Struct, frozen=True):
    """What replicas share, as a key: equal for two containers only if every kubelet hashes them alike."""

    spec: bytes
    """A digest of the spec's text, 16 bytes: a text of megabytes would stay in memory."""
    size: int
    """The characters of that text."""
    rest: tuple[Any, ...]
    """The pod's fields that affect the hash."""


def text_of(container: Container) -> str:
    """Return the text of a spec: unlike ==, it distinguishes 1, 1.0 and true, and shows the order of keys."""
    return repr(container.spec)


def likeness(
    pod: Pod, container: Container, text: str, image_volumes: frozenset[str] = frozenset()
) -> Likeness:
    """Return what replicas share: the spec, by its text, and the pod's fields that affect the hash.

    ``image_volumes`` are the names of a manifest's volumes of images.
    """
    place = (pod.static_manifest, container.path) if pod.static_manifest else ()
    profiles = _profiles(pod, container) if pod.profiles else ()
    return Likeness(
        blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest(),
        len(text),
        (
            tuple(container.stored.by_text.items()) if container.stored else None,
            container.type,
            pod.manifest,
            pod.host_network,
            image_volumes,
            pod.static,
            pod.automount,
            profiles,
            place,
        ),
    )


def _profiles(pod: Pod, container: Container) -> tuple[str, ...]:
    """Return what decides which security profiles of annotations become fields of a container."""
    own = (pod.profiles.get(prefix + container.name) for prefix in PROFILES)
    return tuple(map(repr, (*own, pod.spec.get("securityContext"), pod.spec.get("os"))))


_MOUNTED: Final = "/var/run/secrets/kubernetes.io/serviceaccount"

_ANY: Final = "kube-api-access-00000"
"""Takes the place of the name in a template."""

_LONGEST: Final = 1 << 16
"""Characters of a spec that can have a template: the text that follows the name is kept."""

_NODES: Final = 1 << 15
"""Nodes whose kinds are kept, once for all pods that ask them for the same: a cluster has 5,000."""

_SHAPES: Final = 1 << 9
"""Shapes whose kinds are kept."""

_NO_AROUNDS: Final = list[Around]()

_TEXTS: Final = 8
"""How many times the spec's size such a template counts: it keeps a text for each way of hashing."""


Compared = tuple[int, int, int]
"""How many hashes two kubelets have in common, and each alone."""

_ALIKE: Final[Compared] = 1, 0, 0
_UNLIKE: Final[Compared] = 0, 1, 1


class Template:
    """A container of API pods, but for the names that each has as its own."""

    def __init__(self, spec: Spec, words: tuple[str, ...], stored: StoredHashes | None = None) -> None:
        """Take the JSON of the container with words in the places of its names.

        ``stored`` is what a snapshot stores of its hashes, which are then those of one without names.
        """
        self.spec = spec
        self._words, self._stored = words, stored
        self._alike: Alike[list[Around]] = Alike(spec)
        self._by_way: dict[object, list[Around]] = {}
        self._by_kubelet: dict[Kubelet, list[Around]] = {}
        self._by_kubelets: dict[tuple[Kubelet, ...], list[Around]] = {}
        self._arounds: dict[tuple[Hasher, str], Around] = {}

    def arounds(self, kubelet: Kubelet) -> list[Around]:
        """Return the kubelet's hashes by the names, one for each encoding/json; errors as ``View.hash``.

        The same list for all kubelets that hash in the same way.
        """
        arounds = self._by_kubelet.get(kubelet)
        if arounds is None:
            arounds = self._by_kubelet[kubelet] = self._for_all_like(kubelet)
        return arounds

    def each(self, kubelets: tuple[Kubelet, ...]) -> list[Around]:
        """Return the hash of each kubelet, nothing where one has two of them; errors as ``arounds``."""
        cached = self._by_kubelets.get(kubelets)
        if cached is None:
            by_kubelet = [self.arounds(kubelet) for kubelet in kubelets]
            one_each = all(len({around.way for around in arounds}) == 1 for arounds in by_kubelet)
            cached = self._by_kubelets[kubelets] = [arounds[0] for arounds in by_kubelet] if one_each else []
        return cached

    def _for_all_like(self, kubelet: Kubelet) -> list[Around]:
        key = kubelet.way, kubelet.decodes
        if key not in self._by_way:
            self._by_way[key] = self._alike.of(kubelet, self._computed)
        return self._by_way[key]

    def _computed(self, kubelet: Kubelet) -> list[Around]:
        spec = as_decoded(self.spec, kubelet)
        return [self.around(hasher, spec) for hasher in hashers(kubelet)]

    def around(self, hasher: Hasher, spec: Spec) -> Around:
        """Return a hash of what is made of the template by the names; errors as ``View.hash``."""
        key = hasher, repr(spec) if spec is not self.spec else ""
        if key not in self._arounds:
            template_hash = around(hasher, spec, self._words)
            if self._stored is not None:
                template_hash = structs.replace(
                    template_hash, stored=true_hash(self._stored, template_hash.before)
                )
            self._arounds[key] = template_hash
        return self._arounds[key]


class Named:
    """A container as its template and the names that are its own."""

    def __init__(self, template: Template | None, names: tuple[str, ...], likeness: Likeness | Blank) -> None:
        self.template = template
        """None where it is hashed by itself: in a manifest."""
        self.names = names
        self.likeness = likeness
        """What its replicas share, those with other names included; with its size."""
        self._hashes: dict[int, Hash] = {}  # by the template's hashes

    def hash(self, kubelet: Kubelet) -> ContainerHash:
        """Return the hash of a container with a template; once for all kubelets that hash in the same way.

        Errors as ``View.hash``.
        """
        arounds = self.template.arounds(kubelet) if self.template else _NO_AROUNDS
        return ContainerHash(self._candidates(arounds), kubelet.era.name)

    def number(self, kubelet: Kubelet) -> int | None:
        """Return the value of that hash, None where it is not certain; errors as ``hash``."""
        arounds = self.template.arounds(kubelet) if self.template else _NO_AROUNDS
        if len(arounds) == 1:
            return number_of(self._hash(arounds[0]))
        candidates = self._candidates(arounds)  # two ways of writing may write the same
        return number_of(self._hash(arounds[0])) if len(candidates) == 1 else None

    def compared(self, old: Kubelet, new: Kubelet) -> Compared | None:
        """Compare the hashes of two kubelets; None without a template, and for what no hash is known of."""
        if self.template is None:
            return None
        try:
            old_arounds, new_arounds = self.template.arounds(old), self.template.arounds(new)
        except (DecodeError, NotStoredError):
            return None
        if old_arounds is new_arounds and len(old_arounds) == 1:
            return _ALIKE
        if len(old_arounds) == len(new_arounds) == 1:
            return _ALIKE if self._hash(old_arounds[0]) == self._hash(new_arounds[0]) else _UNLIKE
        mine, theirs = self._candidates(old_arounds), self._candidates(new_arounds)
        common = len(mine & theirs)
        return common, len(mine) - common, len(theirs) - common

    def _candidates(self, arounds: list[Around]) -> frozenset[Hash]:
        return frozenset([self._hash(template_hash) for template_hash in arounds])

    def _hash(self, template_hash: Around) -> Hash:
        value = self._hashes.get(id(template_hash))
        if value is None:
            value = self._hashes[id(template_hash)] = template_hash.hash(self.names)
        return value


class Templates:
    """Finds the templates of containers, and hashes these; keeps the latest ones.

    Several judges share one, so that each container of a pod that they all look at is hashed once.
    """

    def __init__(self, view: View, kept: int = KEPT) -> None:
        self._view = view
        self._templates: Latest[Likeness | Blank, Template] = Latest(kept)
        self._pod: Pod | None = None
        self._named: list[Named] | None = None
        self._kind: dict[Dates | None, object] = {}
        self._static: bytes | None = None
        self._texts: Remembering | None = None
        self._same_uids: Latest[tuple[bytes, frozenset[Kubelet]], bool | None] = Latest(kept)
        self._whole: Whole | None = None
        self._served: dict[str, Served] = {}
        self._kinds: Latest[Hashable, object] = Latest(kept)
        self._shapes: Latest[Hashable, tuple[bytes | None, Asked, tuple[object, str]]] = Latest(_SHAPES)
        self._node_kinds: Latest[Hashable, bytes] = Latest(_NODES)

    def kind(self, pod: Pod, node: Node | None, dates: Dates | None) -> object:
        """Return what stands for all of a pod that decides besides hashes; that of the last is remembered.

        It is the same object for pods of one kind among the latest, so it is quick to look up.
        """
        self._go_on_to(pod)
        if dates not in self._kind:
            facts, asks = self._of_shape(pod)
            of_node = self._node_kind(asks, node)
            decides = facts, pod.persistent, reported(pod), asks.affinity, of_node, *states(pod, dates)
            self._kind[dates] = self._standing_for(decides)
        return self._kind[dates]

    def static_kind(self, pod: Pod) -> bytes:
        """Return what decides of a static pod besides its node and its starts: what its UID depends on."""
        self._go_on_to(pod)
        if self._static is None:
            self._static = facts_kind(pod)
        return self._static

    def same_uid(self, pod: Pod, old: Kubelet, new: Kubelet) -> bool | None:
        """Return what ``decide.static.same_uid`` does, which is the same for all of one kind.

        It does not depend on which kubelet comes first. Each kubelet's text of the last pod is remembered, so
        the steps of an upgrade and its way back share it.
        """
        key = self.static_kind(pod), frozenset((old, new))
        if key not in self._same_uids:
            from hashcompat.core.kubelet.staticpods import Remembering  # noqa: PLC0415 - few pods are static

            self._texts = self._texts or Remembering()
            self._same_uids[key] = same_uid(pod, old, new, self._texts)
        return self._same_uids[key]

    def _of_shape(self, pod: Pod) -> tuple[bytes, Asked]:
        """Return what decides of a pod but for its node and its status, and what it asks of its node.

        Each once for all of a shape, but where a pod's volumes or its node's name count.
        """
        shape = pod.shape
        if shape is None:
            return facts_kind(pod), asked(pod)
        cached = self._shapes.get(shape)
        if cached is None:
            # Which of its volumes a pod mounts is not a matter of its shape.
            facts = None if has_rare_volume(pod) else facts_kind(pod)
            cached = self._shapes[shape] = facts, asked(pod), (node_affinity(pod.spec), pod.node)
        facts, asks, (affinity, node) = cached
        # Pods of a shape have one object as their node affinity, unless it names the node of each. Where it
        # names that of the first, others may be on another one.
        is_shared = node_affinity(pod.spec) is affinity and (pod.node == node or not asks.own_node)
        return facts or facts_kind(pod), asks if is_shared else asked(pod)

    def _standing_for(self, facts: Hashable) -> object:
        kind = self._kinds.get(facts)
        if kind is None:
            kind = self._kinds[facts] = object()
        return kind

    def _node_kind(self, asks: Asked, node: Node | None) -> bytes | None:
        """Return what of the node of a pod decides."""
        if node is None:
            return None
        key = node.name, asks.labels, asks.by_name
        kind = self._node_kinds.get(key)
        if kind is None:
            kind = self._node_kinds[key] = node_kind(asks, node)
        return kind

    def all_of(self, pod: Pod) -> list[Named]:
        """Return the containers of a pod with their templates; those of the last pod are remembered."""
        self._go_on_to(pod)
        if self._named is None:
            self._named = [self._named_of(pod, container) for container in pod.containers]
        return self._named

    def of(self, pod: Pod, container: Container) -> Named:
        """Return a container of a pod with its template, as ``all_of``."""
        return self.all_of(pod)[self.whole(pod).place(container)]

    def whole(self, pod: Pod) -> Whole:
        """Return what the cases of all containers of a pod share; that of the last pod is remembered."""
        self._go_on_to(pod)
        if self._whole is None:
            self._whole = Whole(pod)
        return self._whole

    def served(self, pod: Pod, container: Container) -> Served | None:
        """Return what API servers make of a manifest's container; that of the last pod's is remembered.

        None for what no API server creates.
        """
        if not self._view.is_created(pod):
            return None
        whole = self.whole(pod)
        if container.path not in self._served:
            largest = LARGEST // len(pod.containers)
            from hashcompat.analysis.planning.served import Served  # noqa: PLC0415 - manifests alone need it

            self._served[container.path] = Served(pod, container, whole, largest)
        return self._served[container.path]

    def _go_on_to(self, pod: Pod) -> None:
        if pod is not self._pod:
            self._pod, self._named, self._kind, self._whole, self._served = pod, None, {}, None, {}
            self._static = self._texts = None

    def _named_of(self, pod: Pod, container: Container) -> Named:
        blank = container.blank
        if blank is not None:
            template = self._templates.get(blank)
            if template is None:
                template = Template(blank.spec, blank.words, container.stored)
                self._templates.add(blank, template, blank.size * _TEXTS)
            return Named(template, container.own, blank)
        text = text_of(container)
        if pod.manifest:
            from hashcompat.analysis.planning.served import volumes_of_images  # noqa: PLC0415 - as above

            volumes = volumes_of_images(pod, self.whole(pod))
            return Named(None, (), likeness(pod, container, text, volumes))
        has_name = container.stored is None and len(text) <= _LONGEST
        name = _own_name(container.spec, text) if has_name else ""
        alike = likeness(pod, container, text.replace(name, _ANY) if name else text)
        if alike not in self._templates:
            spec = _with_any(container.spec) if name else container.spec
            template = Template(spec, (_ANY,) if name else (), container.stored)
            self._templates.add(alike, template, alike.size * (_TEXTS if name else 1))
        return Named(self._templates[alike], (name,) if name else (), alike)

    def hash(self, pod: Pod, container: Container, spec: Spec, kubelet: Kubelet) -> ContainerHash:
        """Hash what a kubelet sees of a container; errors as ``View.hash``."""
        named = self.of(pod, container)
        if named.template is None or spec is not container.spec:
            return self._view.hash(pod, container, spec, kubelet)
        return named.hash(kubelet)


def _own_name(spec: Spec, text: str) -> str:
    """Return the name of a container's token mount; empty where it is not the only place with that name.

    ``text`` shows the whole spec. With one name in one place, two containers whose texts are equal but for
    their names differ in nothing else.
    """
    names = [mount["name"] for mount in rows(spec, "volumeMounts") if _is_token(mount)]
    if len(names) != 1 or text.count(names[0]) != 1:
        return ""
    return str(names[0]) if names[0] == _ANY or _ANY not in text else ""


def _is_token(mount: object) -> bool:
    """Return whether an API server may have added a mount, under a name of its own."""
    if not isinstance(mount, dict) or mount.get("mountPath") != _MOUNTED:
        return False
    name = mount.get("name")
    return isinstance(name, str) and is_token_mount(name)


def _with_any(spec: Spec) -> dict[str, Any]:
    """Return a container with another name of its token mount."""
    mounts = [{**mount, "name": _ANY} if _is_token(mount) else mount for mount in spec["volumeMounts"]]
    return {**spec, "volumeMounts": mounts}
