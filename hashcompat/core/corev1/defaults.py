"""The defaults of pkg/apis/core/v1 that decoding sets in a manifest, by rows of defaults.json.

This stage changes the manifest's JSON in place. One walk over the type tree finds every object that a row
may apply to; then the rows are applied in order.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final

from hashcompat.core.catalog.defaults import Default
from hashcompat.core.catalog.pods import StaticPods
from hashcompat.core.corev1.conversion import Json, Site, list_address, objects
from hashcompat.core.corev1.resources import copy_limits, copy_pod_limits, pod_limits, pod_requests
from hashcompat.core.errors import InputError
from hashcompat.core.go.jsonpath import reach
from hashcompat.core.go.quantity import Held, from_json_or_held, round_up_to_milli
from hashcompat.core.go.types import GoType, Map, Struct
from hashcompat.core.regex import regex

_Applier = Callable[[Site], None]


def apply_defaults(pod: Json, static_pods: StaticPods) -> None:
    """Set in ``pod`` what ``SetObjectDefaults_Pod`` sets; the manifest must decode without an error."""
    apply_rows(
        static_pods.defaults,
        objects(static_pods.types.pod, pod),
        host_network=bool(pod["spec"].get("hostNetwork")),
    )


def apply_rows(
    rows: Iterable[Default], targets: Iterable[tuple[str, str, Json]], *, host_network: bool
) -> None:
    """Apply rows in order to the objects that ``objects`` found.

    Each of ``targets`` is the name of a struct, its place, and the JSON object.
    """
    by_struct: dict[str, list[tuple[str, Json]]] = defaultdict(list)
    for struct, place, target in targets:
        by_struct[struct].append((place, target))
    for row in rows:
        apply = applier(row)
        for place, target in by_struct.get(row.struct.name, ()):
            if place in row.places or not row.places:
                apply(Site(row, target, host_network))


def applier(row: Default) -> _Applier:
    """Return the function that applies a row.

    Raises InputError for a row that this program cannot apply.
    """
    names = (
        f"{row.operation} {row.id}",
        row.operation if row.operation == "roundUpToMilli" or row.when in _CONDITIONS else "",
    )
    apply = next((_APPLIERS[name] for name in names if name in _APPLIERS), None)
    if apply is None:
        raise InputError(f"unknown default of static pods: {names[0]} when {row.when}")
    return apply


def _set(site: Site) -> None:
    row = site.row
    holder = reach(site.target, row.keys[:-1])
    if holder is not None and _CONDITIONS[row.when](holder.get(row.keys[-1])):
        # a copy: later rows may set keys in it, and the row is shared by all pods
        holder[row.keys[-1]] = dict(row.argument) if isinstance(row.argument, dict) else row.argument


def _set_pull_policy(site: Site) -> None:
    row, target = site.row, site.target
    if _CONDITIONS[row.when](target.get(row.keys[-1])):
        target[row.keys[-1]] = pull_policy(reach(target, row.argument) or "", row.parser)


def _set_empty_dir(site: Site) -> None:
    """Make a volume an emptyDir if the release knows no source in it (``SetDefaults_Volume``)."""
    row, target = site.row, site.target
    sources = next(field.type for field in row.struct.fields if field.embedded)
    if isinstance(sources, Struct) and all(target.get(field.json) is None for field in sources.fields):
        target[row.keys[-1]] = dict(row.argument)


def _copy(site: Site) -> None:
    key = site.row.keys[-1]
    if _CONDITIONS[site.row.when](site.target.get(key)):
        site.target[key] = reach(site.target, site.row.argument)


def _first_address(site: Site) -> None:
    addresses = reach(site.target, site.row.argument)
    if addresses and not site.target.get("podIP"):
        site.target["podIP"] = (addresses[0] or {}).get("ip")


def _copy_port(site: Site) -> None:
    """Copy the port to the host port if the pod uses the host's network (``defaultHostNetworkPorts``)."""
    key = site.row.keys[-1]
    if site.host_network and not site.target.get(key):
        site.target[key] = reach(site.target, site.row.argument)


def _add_resize_policies(site: Site) -> None:
    """Append the policies of requested resources that have none (``setDefaultResizePolicy``)."""
    key, target = site.row.keys[-1], site.target
    requests, present = reach(target, ("resources", "requests")) or {}, target.get(key) or []
    # a null in the list decodes to an empty policy
    named = {(policy or {}).get("resourceName") for policy in present}
    added = [
        dict(policy) for policy in site.row.argument if policy["resourceName"] in requests.keys() - named
    ]
    if added:
        target[key] = [*present, *added]


def _round(site: Site) -> None:
    row = site.row
    holder = reach(site.target, row.keys[:-1])
    if holder is not None and holder.get(row.keys[-1]) is not None:
        holder[row.keys[-1]] = _rounded(row.type, holder[row.keys[-1]])


def _rounded(go_type: GoType, value: Any) -> Any:
    """Round a resource list up to milli, or each resource list that is a field of a struct."""
    match go_type, value:
        case (Map(), Mapping()):
            return {
                name: Held(round_up_to_milli(from_json_or_held(quantity))) for name, quantity in value.items()
            }
        case (Struct(_, fields), Mapping()):
            types = {field.json: field.type for field in fields if isinstance(field.type, Map)}
            return {key: _rounded(types[key], item) if key in types else item for key, item in value.items()}
    return value


_CONDITIONS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "nil": lambda value: value is None,
    "empty": lambda value: not value,
    "0": lambda value: not value,
    "negative": lambda value: value is not None and float(value) < 0,
    "always": lambda _: True,
}
"""Tests of the plain conditions: a pointer is unset if nil, anything else if it is the zero value."""

_APPLIERS: Final[Mapping[str, _Applier]] = {
    "set": _set,
    "copy": _copy,
    "pullPolicy": _set_pull_policy,
    "roundUpToMilli": _round,
    "set Volume.VolumeSource.EmptyDir": _set_empty_dir,
    "set Container.ResizePolicy": _add_resize_policies,
    "copy Container.Resources.Requests": copy_limits,
    "copy ContainerPort.HostPort": _copy_port,
    "copy PodSpec.Resources.Requests": copy_pod_limits,
    "listOf PodStatus.PodIPs": lambda site: list_address(site.target),
    "firstOf PodStatus.PodIP": _first_address,
    "aggregate PodSpec.Resources.Limits": pod_limits,
    "aggregate PodSpec.Resources.Requests": pod_requests,
}
"""Appliers by a row's verb, and by verb and field for rows with special conditions."""


# The default pull policy of an image, by the way each release parses image references.
#
# Source: pkg/util/parsers ``ParseImageName``.

_COMPONENT: Final = r"[a-z0-9]++(?>(?:(?:\.|__?+|-++)[a-z0-9]++)*)"

_LABEL: Final = r"[a-zA-Z0-9]++(?>(?:-++[a-zA-Z0-9]++)*)"
"""Letters and digits, with hyphens between; like Go's, these expressions take linear time."""

_DIGEST: Final = r"sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128}"

_IDENTIFIER: Final = regex(r"[a-f0-9]{64}")

_LONGEST: Final = 255

_HUB: Final = "docker.io"


def _pattern(*hosts: str) -> re.Pattern[str]:
    domain = rf"(?:{'|'.join(hosts)})(?::[0-9]++)?"
    name = rf"(?P<name>(?:{domain}/)?{_COMPONENT}(?>(?:/{_COMPONENT})*))"
    return regex(rf"{name}(?::(?P<tag>[\w][\w.-]{{0,127}}))?(?:@(?P<digest>{_DIGEST}))?", re.ASCII)


_HOST: Final = rf"{_LABEL}(?>(?:\.{_LABEL})*)"

_REFERENCE: Final = _pattern(_HOST)

_REFERENCE_OR_IPV6: Final = _pattern(_HOST, r"\[[a-fA-F0-9:]+\]")


def pull_policy(image: str, parser: str) -> str:
    """Return the default of ``imagePullPolicy``; ``parser`` is named by a row of defaults.json.

    Raises InputError for a parser that this program does not have.
    """
    if parser not in _PARSERS:
        raise InputError(f"unknown parser of image references: {parser!r}")
    # an image that does not parse has no tag, and so is not "latest"
    return "Always" if _PARSERS[parser](image) == "latest" else "IfNotPresent"


def _repository_tag(image: str) -> str:
    """Of 1.2: ``ParseRepositoryTag`` of docker/pkg/parsers."""
    if "@" in image:
        return image.split("@")[1] or "latest"
    tag = image.rpartition(":")[2] if ":" in image else ""
    return "latest" if "/" in tag else tag or "latest"


def _normalized(
    image: str,
    reference: re.Pattern[str] = _REFERENCE,
    *,
    upper_case: bool = False,
    domain_counts: bool = True,
) -> str:
    """From 1.8 on: ``ParseNormalizedNamed``, with or without the domain in the limit of 255 characters."""
    if _IDENTIFIER.fullmatch(image):
        return ""
    whole = _with_domain(image, upper_case=upper_case)
    beside = 0 if domain_counts else len(whole.partition("/")[0]) + 1
    return _tag(reference.fullmatch(whole), _LONGEST + beside)


def _tag(match: re.Match[str] | None, longest: int) -> str:
    """Return the tag, or ``latest`` for a reference with neither tag nor digest.

    Returns an empty text for an invalid reference, because defaulting ignores that error.
    """
    if match is None or len(match["name"]) > longest:
        return ""
    return match["tag"] or ("" if match["digest"] else "latest")


def _with_domain(image: str, *, upper_case: bool) -> str:
    """Prepend the implied domain to a name (``splitDockerDomain``); ``upper_case``: A-Z can mark a domain."""
    first, slash, rest = image.partition("/")
    is_domain = (
        "." in first or ":" in first or first == "localhost" or (upper_case and first.lower() != first)
    )
    domain, rest = (first, rest) if slash and is_domain else (_HUB, image)
    if domain == f"index.{_HUB}":
        domain = _HUB
    return f"{domain}/library/{rest}" if domain == _HUB and "/" not in rest else f"{domain}/{rest}"


_PARSERS: Final[Mapping[str, Callable[[str], str]]] = {
    # up to 1.1: the text after the last colon; without a colon there is no tag (pkg/api/v1/defaults.go)
    "last part": lambda image: image.rpartition(":")[2],
    "repository tag": _repository_tag,
    # of 1.3 - 1.7: ParseNamed of docker/distribution, which adds no domain
    "named": lambda image: _tag(_REFERENCE.fullmatch(image), _LONGEST),
    # of 1.8 - 1.28: docker/distribution
    "normalized": _normalized,
    # of 1.29 - 1.31: distribution/reference v0.5.0, with IPv6 addresses and upper-case domains
    "reference 0.5": partial(_normalized, reference=_REFERENCE_OR_IPV6, upper_case=True),
    # from 1.32 on: distribution/reference v0.6.0
    "reference 0.6": partial(_normalized, reference=_REFERENCE_OR_IPV6, upper_case=True, domain_counts=False),
}
"""By the names that rows of defaults.json have for them."""


def is_same_image(image: str, other: str) -> bool | None:
    """Return whether two names are of one image; None where that is not certain.

    A runtime names an image in full (``docker.io/library/nginx:1.27`` for ``nginx:1.27``), by its digest, or
    by the id that it gave it. Source: github.com/distribution/reference ``ParseNormalizedNamed``.
    """
    if image == other:
        return True
    named, other_named = _in_full(image), _in_full(other)
    if named is None or other_named is None or named[1].startswith("@") != other_named[1].startswith("@"):
        return None
    return named == other_named


def _in_full(image: str) -> tuple[str, str] | None:
    """Return repository and tag, or the digest after an ``@``; None for an id, and for what is no name."""
    name, _, digest = image.partition("@")
    head, slash, last = name.rpartition("/")
    last, _, tag = last.partition(":")
    if not last or set(image) & set("* ") or (not slash and last in ("sha256", "sha512")):
        return None
    domain = head.partition("/")[0]
    if not slash:
        head = "docker.io/library"
    elif not (set(domain) & set(".:") or domain == "localhost"):
        head = f"docker.io/{head}"
    repository = f"{head.removeprefix('index.')}/{last}"
    return repository, f"@{digest}" if digest else tag or "latest"
