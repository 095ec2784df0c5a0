"""The UID that a kubelet gives a static pod; if an upgrade changes it, the pod is a new one.

A kubelet decodes the manifest, sets defaults, converts it to the internal pod, prints that with go-spew and
digests the text, from 1.21 on with the node's name and the file or URL (kubernetes/kubernetes#87461).
Source: pkg/kubelet/config/common.go ``tryDecodeSinglePod`` and ``applyDefaults``.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import msgspec

from hashcompat.core.catalog.lookup import Kubelet, default_catalog
from hashcompat.core.catalog.pods import PodTypes, StaticPods
from hashcompat.core.compile.gojson import compile_decoder
from hashcompat.core.compile.spew import compile_printer
from hashcompat.core.corev1.conversion import Json, check_kind, check_wire_fields, convert, deep_copy, objects
from hashcompat.core.corev1.defaults import apply_defaults, pull_policy
from hashcompat.core.corev1.resources import amount
from hashcompat.core.errors import DecodeError, UndecidedError, UsageError
from hashcompat.core.go import quantity
from hashcompat.core.go.digest import HEX_BY_NAME
from hashcompat.core.go.jsonpath import mapping, part, reach, rows, text
from hashcompat.core.go.jsontext import clean
from hashcompat.core.go.types import Pointer, structs
from hashcompat.core.model.pods import CONTAINER_LISTS, StaticManifest
from hashcompat.core.regex import regex

_DATA: Final = "there are data from 1.6 to the newest release that ships with this program"


class StaticUid(msgspec.Struct, frozen=True):
    """A static pod's UID, or why it is unknown."""

    uid: str | None
    """The UID; None if it is unknown."""
    is_set: bool = False
    """Whether the manifest sets it; otherwise it is computed."""
    unknown: str = ""
    """Why it is unknown; empty if it is not."""


class StaticView(msgspec.Struct, frozen=True):
    """A static pod as one kubelet sees it."""

    uid: StaticUid
    containers: Mapping[str, Json] = msgspec.field(default_factory=dict)
    """The JSON of the containers that it hashes, by their places below ``spec``: ``containers[0]``.

    Empty where there is no data on static pods of its release."""
    requests: frozenset[str] = frozenset()
    """The names of what the pod itself requests."""


@lru_cache(maxsize=4096)
def static_view(manifest: StaticManifest, kubelet: Kubelet) -> StaticView:
    """Return a static pod as ``kubelet`` sees it; errors as ``static_pod_uid``."""
    uid = static_pod_uid(manifest.content, kubelet, manifest.node, manifest.source)
    if not kubelet.static_pods.is_known:
        return StaticView(uid)
    spec = _read_spec(manifest.content, kubelet)
    requests = mapping(mapping(spec.get("resources")).get("requests"))
    return StaticView(uid, _containers_of(spec), frozenset(requests))


def unreadable(manifest: StaticManifest, kubelet: Kubelet) -> str:
    """Return why a kubelet cannot decode a manifest, with the path in it; empty where it can."""
    try:
        static_view(manifest, kubelet)
    except DecodeError as error:
        return f"${error}"
    return ""


def refusal(manifest: Mapping[str, Any], node_name: str) -> str:
    """Return why no kubelet runs the pod of a manifest, with the path in it; empty where one may.

    A kubelet logs a manifest that it cannot decode, or whose pod is not valid, and goes on without it. What
    not every release refuses is left to the releases of a plan. Source: pkg/kubelet/config/common.go
    ``tryDecodeSinglePod``, pkg/apis/core/validation ``ValidatePodCreate``, 1.6.13 - 1.37.1.
    """
    problems = [_undecodable(manifest, kubelet) for kubelet in _first_and_last()]
    if all(problems):
        return problems[-1]
    if not manifest.get("apiVersion"):  # apimachinery json.go Decode: no version
        return "$.apiVersion: missing"
    return next(_invalid(manifest, node_name), "")


def _undecodable(manifest: Mapping[str, Any], kubelet: Kubelet) -> str:
    try:
        _defaulted(manifest, kubelet.static_pods)
    except UndecidedError:  # what it decodes to is all that is not known
        return ""
    except DecodeError as error:
        return f"${error}"
    return ""


@lru_cache(maxsize=1)
def _first_and_last() -> tuple[Kubelet, Kubelet]:
    """Return the oldest and the newest kubelet of which the fields of static pods are known."""
    catalog = default_catalog()
    first = next(
        kubelet for name in catalog.releases() if (kubelet := catalog.kubelet(name)).static_pods.is_known
    )
    return first, catalog.kubelet(catalog.known.newest)


_LABEL: Final = regex(r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?")
_SUBDOMAIN: Final = regex(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*")
_LONGEST_NAME: Final = 253
_WORDS_OF_PODS: Final = {
    "restartPolicy": ("Always", "OnFailure", "Never"),
    "dnsPolicy": ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"),
}
_WORDS: Final = {
    "imagePullPolicy": ("Always", "IfNotPresent", "Never"),
    "terminationMessagePolicy": ("File", "FallbackToLogsOnError"),
}
_WORDS_OF_PORTS: Final = {"protocol": ("TCP", "UDP", "SCTP")}
_PORT: Final = regex(r"(?=.{1,15}\Z)(?=.*[a-z])[a-z0-9]+(?:-[a-z0-9]+)*")
"""The name of a port (apimachinery validation ``IsValidPortName``)."""
_PORTS: Final = 65535
_HANDLERS: Final = ("exec", "httpGet", "tcpSocket", "grpc")
_NUMBERS: Final = (
    *("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"),
)


def _invalid(manifest: Mapping[str, Any], node_name: str) -> Iterator[str]:
    """Yield what of a manifest that decodes every release finds invalid."""
    metadata, spec = part(manifest, "metadata"), part(manifest, "spec")
    name, namespace = text(metadata, "name"), text(metadata, "namespace")
    full = f"{name}-{node_name.lower()}"
    if not name:
        yield "$.metadata.name: missing"
    elif len(full) > _LONGEST_NAME or not _SUBDOMAIN.fullmatch(full):
        yield f"$.metadata.name: not a DNS subdomain of up to {_LONGEST_NAME} characters with the node's name"
    if namespace and not _LABEL.fullmatch(namespace):
        yield "$.metadata.namespace: not a DNS label"
    yield from _no_words(spec, "$.spec", _WORDS_OF_PODS)
    seconds = spec.get("activeDeadlineSeconds")
    if type(seconds) is int and not 0 < seconds < 1 << 31:
        yield "$.spec.activeDeadlineSeconds: want 1 to 2147483647"
    yield from _misnamed(rows(spec, "volumes"), "$.spec.volumes", set())
    volumes = {text(mapping(volume), "name") for volume in rows(spec, "volumes")}
    names = set[str]()
    for key in ("containers", "initContainers"):
        yield from _misnamed(rows(spec, key), f"$.spec.{key}", names)
        for number, container in enumerate(rows(spec, key)):
            place = f"$.spec.{key}[{number}]"
            if not text(mapping(container), "image"):
                yield f"{place}.image: missing"
            yield from _mounted_wrongly(rows(mapping(container), "volumeMounts"), place, volumes)
            yield from _invalid_container(mapping(container), place, on_host=spec.get("hostNetwork") is True)


def _misnamed(entries: Sequence[Any], place: str, names: set[str]) -> Iterator[str]:
    """Yield what is wrong with the names of containers or volumes, none of which may be there twice."""
    for number, entry in enumerate(entries):
        name = text(mapping(entry), "name")
        if not _LABEL.fullmatch(name):
            yield f"{place}[{number}].name: {'not a DNS label' if name else 'missing'}"
        elif name in names:
            yield f"{place}[{number}].name: given twice"
        names.add(name)


def _mounted_wrongly(mounts: Sequence[Any], place: str, volumes: Collection[str]) -> Iterator[str]:
    paths = set[str]()
    for number, mount in enumerate(mounts):
        name, path = (text(mapping(mount), key) for key in ("name", "mountPath"))
        if name not in volumes:
            yield f"{place}.volumeMounts[{number}].name: no such volume"
        if not path or path in paths:
            yield f"{place}.volumeMounts[{number}].mountPath: {'given twice' if path else 'missing'}"
        paths.add(path)


def _no_words(value: Mapping[str, Any], place: str, words: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield the fields that are none of the words that every release knows; an empty one gets a default."""
    for key, choices in words.items():
        word = value.get(key)
        if isinstance(word, str) and word and word not in choices:
            yield f"{place}.{key}: want {', '.join(choices)}"


def _invalid_container(container: Mapping[str, Any], place: str, *, on_host: bool) -> Iterator[str]:
    """Yield what else of a container every release finds invalid (``validateContainers``)."""
    yield from _no_words(container, place, _WORDS)
    for number, variable in enumerate(rows(container, "env")):
        if not text(mapping(variable), "name"):
            yield f"{place}.env[{number}].name: missing"
    names = set[str]()
    for number, port in enumerate(map(mapping, rows(container, "ports"))):
        yield from _invalid_port(port, f"{place}.ports[{number}]", names, on_host=on_host)
    yield from _too_much(mapping(container.get("resources")), f"{place}.resources")
    for key in ("livenessProbe", "readinessProbe", "startupProbe"):
        if probe := mapping(container.get(key)):
            yield from _invalid_probe(probe, f"{place}.{key}", is_readiness=key == "readinessProbe")


def _invalid_port(port: Mapping[str, Any], place: str, names: set[str], *, on_host: bool) -> Iterator[str]:
    yield from _no_words(port, place, _WORDS_OF_PORTS)
    name, inside, outside = text(port, "name"), port.get("containerPort") or 0, port.get("hostPort") or 0
    if not 0 < inside <= _PORTS:
        yield f"{place}.containerPort: want 1 to {_PORTS}"
    if not 0 <= outside <= _PORTS:
        yield f"{place}.hostPort: want 1 to {_PORTS}"
    if on_host and outside not in (0, inside):
        yield f"{place}.hostPort: not the containerPort, with hostNetwork"
    if name and (not _PORT.fullmatch(name) or name in names):
        yield f"{place}.name: {'given twice' if name in names else 'not the name of a port'}"
    names.update([name] if name else ())


def _invalid_probe(probe: Mapping[str, Any], place: str, *, is_readiness: bool) -> Iterator[str]:
    if sum(probe.get(handler) is not None for handler in _HANDLERS) != 1:
        yield f"{place}: want one of {', '.join(_HANDLERS)}"
    for field in _NUMBERS:
        value = probe.get(field)
        if type(value) is int and value < 0:
            yield f"{place}.{field}: negative"
    if not is_readiness and probe.get("successThreshold") not in (None, 0, 1):
        yield f"{place}.successThreshold: want 1"


def _too_much(resources: Mapping[str, Any], place: str) -> Iterator[str]:
    """Yield negative amounts, and requests above limits; texts that are none end the decoding."""
    limits, requests = mapping(resources.get("limits")), mapping(resources.get("requests"))
    for kind, amounts in (("limits", limits), ("requests", requests)):
        for name, value in amounts.items():
            if amount(value) < 0:
                yield f"{place}.{kind}[{name!r}]: negative"
            elif kind == "requests" and name in limits and amount(value) > amount(limits[name]):
                yield f"{place}.requests[{name!r}]: more than the limit"


_DIRECTORIES: Final = (
    "/etc/kubernetes/manifests",  # kubeadm, kubespray
    "/var/lib/rancher/rke2/agent/pod-manifests",
    "/var/lib/rancher/k3s/agent/pod-manifests",
    "/etc/kubernetes/static-pods",
    "/etc/kubelet.d",
    "/etc/kubernetes/kubelet-plugins/static-pods",
    "/var/lib/kubelet/manifests",
)
"""Where distributions keep the manifests of static pods."""


@lru_cache(maxsize=256)
def elsewhere(manifest: StaticManifest) -> tuple[StaticManifest, ...]:
    """Return a manifest as it would be in each of the usual directories of a node."""
    name = posixpath.basename(manifest.source)
    return tuple(
        StaticManifest(manifest.content, manifest.node, f"file:{directory}/{name}", manifest.raw)
        for directory in _DIRECTORIES
    )


def static_containers(manifest: Mapping[str, Any], kubelet: Kubelet) -> dict[str, Json]:
    """Return the init, regular and ephemeral containers, with the defaults of the kubelet's own release.

    They are to be hashed with empty lists kept. The conversion to internal types and back changes nothing in
    a container, not even the cached texts of quantities. Raises DecodeError for a manifest that the kubelet
    could not decode.
    """
    return _containers_of(_read_spec(manifest, kubelet))


def _read_spec(manifest: Mapping[str, Any], kubelet: Kubelet) -> Mapping[str, Any]:
    """Return of a manifest's spec its containers and what the pod asks for itself, with defaults."""
    raw = manifest.get("spec") or {}
    if isinstance(raw, Mapping):  # what else is there, decoding refuses
        raw = {key: raw[key] for key in (*CONTAINER_LISTS, "hostNetwork", "resources") if key in raw}
    spec: Mapping[str, Any] = _defaulted({"spec": raw}, kubelet.static_pods)["spec"]
    return spec


def _containers_of(spec: Mapping[str, Any]) -> dict[str, Json]:
    # A release without ephemeral containers ignores whatever is in their place.
    return {
        f"{key}[{place}]": container
        for key in CONTAINER_LISTS
        for place, container in enumerate(rows(spec, key))
    }


def static_pod_uid(manifest: Mapping[str, Any], kubelet: Kubelet, node_name: str, source: str) -> StaticUid:
    """Return the UID that ``kubelet`` gives a decoded manifest from ``file:<path>`` or ``url:<url>``.

    ``node_name`` is the name under which the kubelet registers. A ``metadata.uid`` in the manifest is used as
    it is. Raises DecodeError, with the path in the manifest, for a manifest that the kubelet could not
    decode, and UsageError for another kind of source.
    """
    static_pods = kubelet.static_pods
    # first, so that a wrong source is an error whatever the manifest is
    kind, _, name = source.partition(":")
    if kind not in static_pods.source or not name:
        raise UsageError(f"{source!r} is not a source of static pods; want file:<path> or url:<url>")
    suffix = static_pods.source[kind].format(node=node_name, name=name)
    uid = clean(reach(manifest, ("metadata", "uid")) or "")
    if not static_pods.is_known:
        # the hash of names and images alone needs no defaults of the release either
        if uid and not kubelet.era.whole:
            return StaticUid(uid, is_set=True)
        return StaticUid(None, unknown=f"no data on static pods of {kubelet.release}; {_DATA}")
    check_kind(manifest)
    try:
        text = static_pod_text(manifest, kubelet)
    except UndecidedError as error:
        text, why = None, f"${error}"
    # after the text is made: a kubelet refuses a manifest that does not decode, whatever its uid
    if uid:
        return StaticUid(uid, is_set=True)
    if text is None:
        return StaticUid(None, unknown=why)
    # a path on Linux is bytes, and need not be UTF-8
    return StaticUid(HEX_BY_NAME[static_pods.digest](text.encode() + suffix.encode(errors="surrogateescape")))


def static_pod_text(manifest: Mapping[str, Any], kubelet: Kubelet) -> str:
    """Return the exact text of the internal pod that ``kubelet`` digests, without the source that may follow.

    Raises DecodeError for a manifest that the kubelet could not decode, and UndecidedError for one whose text
    depends on the host.
    """
    static_pods = kubelet.static_pods
    decode, show = _compiled(static_pods.types)
    pod = _defaulted(manifest, static_pods)
    # defaults before the conversion, as in applyDefaults: the internal types have none
    convert(pod, static_pods)
    pieces: list[str] = []
    show((decode(pod),), pieces.append)
    return "".join(pieces)


def _defaulted(manifest: Mapping[str, Any], static_pods: StaticPods) -> Json:
    """Return a copy of the v1 pod with the defaults that decoding sets."""
    check_kind(manifest)
    pod: Json = deep_copy(manifest)
    decode, _ = _compiled(static_pods.types)
    # Reports errors with the manifest's own paths; the stages below may rely on the right kinds of JSON.
    decode(pod)
    check_wire_fields(pod, static_pods)
    pod["spec"] = pod.get("spec") or {}
    apply_defaults(pod, static_pods)
    return pod


@lru_cache(maxsize=64)
def _compiled(types: PodTypes) -> tuple[Callable[[Any], Any], Callable[[Any, Callable[[str], None]], object]]:
    pod = types.pod
    return compile_decoder(pod, keep_empty=True), compile_printer(Pointer(f"*{pod.name}", pod))


# Whether an upgrade changes a static pod's UID, from its mirror pod if the manifest is not available.
#
# A mirror pod shows the manifest's spec after defaults and other additions, so the UID cannot be computed
# from it. But most of the digested text does not depend on values: a field that a release adds is printed for
# every pod that has the struct.

TextOf = Callable[[Mapping[str, Any], Kubelet], str]
"""What ``static_pod_text`` does."""


class Remembering:
    """Compares kubelets for one mirror pod, whose text is made once for each of them."""

    def __init__(self) -> None:
        self._texts: dict[Kubelet, str] = {}

    def __call__(self, pod_spec: Mapping[str, Any], old: Kubelet, new: Kubelet) -> bool | None:
        """Compare as ``same_for_mirror`` does."""
        return same_for_mirror(pod_spec, old, new, self._text)

    def _text(self, mirror: Mapping[str, Any], kubelet: Kubelet) -> str:
        if kubelet not in self._texts:
            self._texts[kubelet] = static_pod_text(mirror, kubelet)
        return self._texts[kubelet]


def same_for_mirror(
    pod_spec: Mapping[str, Any], old: Kubelet, new: Kubelet, text_of: TextOf = static_pod_text
) -> bool | None:
    """Return whether both kubelets compute the same UID for the static pod of a mirror pod; None if unknown.

    Assumes that the manifest sets neither ``metadata.uid`` (which would be used as it is), nor managed
    fields, nor a status. Raises DecodeError for a spec that one of the kubelets could not decode.
    """
    before, after = old.static_pods, new.static_pods
    if has_other_texts(pod_spec, old, new):
        return False
    if not (before.is_known and after.is_known):
        return None
    # another digest of any text is another UID, but for chance
    if (before.digest, before.source) != (after.digest, after.source):
        return False
    mirror = {"spec": dict(pod_spec)}
    try:
        differs = text_of(mirror, old) != text_of(mirror, new)
    except UndecidedError:
        return None
    if differs:
        return False
    # the same texts of the mirror prove nothing where the manifest may lack what one release fills in
    return None if _may_hide_a_change(mirror, before, after) else True


def has_other_texts(pod_spec: Mapping[str, Any], old: Kubelet, new: Kubelet) -> bool:
    """Return whether only one of two kubelets has a text in some quantity of a pod, which changes its UID.

    False where others may change it. Raises DecodeError for what is no quantity.
    """
    return old.behaviour.quantity_text != new.behaviour.quantity_text and any(_texts_kept_by_one(pod_spec))


def _texts_kept_by_one(pod_spec: Mapping[str, Any]) -> Iterator[bool]:
    """Yield for each quantity whether only kubelets that keep every text have it with a text.

    A mirror pod has the canonical text; of what a manifest may have in its place, such as 65536Ki for 64Mi,
    other kubelets keep no text either. Resource lists are rounded, which clears the text of fractions like
    0.5Gi (``defaults.json``, roundUpToMilli): a manifest is taken to have none of these.
    """
    lists = [pod_spec.get("overhead"), *mapping(pod_spec.get("resources")).values()]
    for key in CONTAINER_LISTS:
        for container in rows(pod_spec, key):
            lists += mapping(mapping(container).get("resources")).values()
    for listed in lists:
        for written in mapping(listed).values():
            (_, scale), (is_decimal,), kept, _ = quantity.TYPE.decode(written)
            yield not kept and is_decimal is None and scale >= -3  # milli
    for volume in rows(pod_spec, "volumes"):
        size = mapping(mapping(volume).get("emptyDir")).get("sizeLimit")
        yield size is not None and not quantity.TYPE.decode(size)[2]


def _may_hide_a_change(mirror: Mapping[str, Any], before: StaticPods, after: StaticPods) -> bool:
    """Return whether a default or conversion of only one release applies to the pod.

    The mirror pod may show its result where the manifest has the field unset.
    """
    if [(row.step, row.path) for row in before.conversions] != [
        (row.step, row.path) for row in after.conversions
    ]:
        return True
    old, new = _defaults(before), _defaults(after)
    changed = [row for row in old if row not in new] + [row for row in new if row not in old]
    targets = list(objects(after.types.pod, deep_copy(mirror)))
    reached = {(struct, place) for struct, place, _ in targets}
    if any(
        struct == name and (place in places or not places)
        for name, places, *_ in changed
        for struct, place in reached
    ):
        return True
    return any(_reads_differently(before, after, struct, target) for struct, _, target in targets)


def _reads_differently(before: StaticPods, after: StaticPods, struct: str, target: Json) -> bool:
    """Return whether an image gets another pull policy because the releases parse it differently."""
    parsers = {row.parser for static_pods in (before, after) for row in static_pods.defaults}
    keys = {
        row.argument for row in after.defaults if row.operation == "pullPolicy" and row.struct.name == struct
    }
    return len(parsers) > 1 and any(
        len({pull_policy(reach(target, key) or "", parser) for parser in parsers}) > 1 for key in keys
    )


def _defaults(static_pods: StaticPods) -> list[tuple[Any, ...]]:
    return [
        (row.struct.name, row.places, row.id, row.when, row.operation, row.argument)
        for row in static_pods.defaults
    ]


_SMALLEST: Final = {"containers": [{"name": "app", "image": "example.com/app:1"}]}
"""What any pod has: whatever changes its text changes that of every pod."""


@lru_cache(maxsize=4096)
def new_uids(old: Kubelet, new: Kubelet) -> bool | None:
    """Return whether an upgrade gives every static pod without a UID in its manifest another UID.

    False where it gives none to the smallest one, though it may to pods with certain fields; None where that
    is not known.
    """
    same = same_for_mirror(_SMALLEST, old, new)
    return None if same is None else not same


@lru_cache(maxsize=4096)
def changed_types(old: Kubelet, new: Kubelet) -> tuple[str, ...]:
    """Return the Go structs whose fields differ, where only the pods that have one get another UID.

    Empty where every static pod without a UID in its manifest gets another one, or none does.
    """
    if new_uids(old, new) is not False:
        return ()
    before, after = (
        {
            struct.name: [(row.name, row.type.name) for row in struct.fields]
            for struct in structs(static_pods.types.pod)
        }
        for static_pods in (old.static_pods, new.static_pods)
    )
    changed = (name for name in before if name in after and before[name] != after[name])
    return tuple(sorted(name.rpartition(".")[2] for name in changed))
