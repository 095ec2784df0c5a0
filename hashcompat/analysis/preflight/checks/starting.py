"""What the new kubelet reads of its host before it runs: PF-129 and 133 - 137.

Each of these facts may have changed since the current kubelet read it, or may not have been read by its
release at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashcompat.analysis.preflight.checks import Check, KubeletStart, Need, Problem
from hashcompat.analysis.preflight.checks.states import gates_of
from hashcompat.analysis.preflight.facts import Facts, host
from hashcompat.core.catalog.hazards import Hazards
from hashcompat.core.errors import InputError
from hashcompat.core.go import yaml
from hashcompat.core.go.jsonpath import mapping
from hashcompat.core.go.metav1 import parse_duration
from hashcompat.core.model.escape import count, few, name_path
from hashcompat.core.model.preflight import Status
from hashcompat.core.records.probes import (
    GETSUBIDS,
    HOSTNAME,
    NAME_SERVICES,
    SUB_IDS,
    AbsentError,
    UnreadError,
    lines,
)
from hashcompat.core.release import Release
from hashcompat.core.shown import name
from hashcompat.core.shown import uid as shown_uid

# PF-129: ids for pods with user namespaces.

_UNIT: Final = 65536
"""How many ids a pod has by default, and of what that number and the first id are multiples."""

_MOST_PODS: Final = 110
_IDS: Final = 1 << 32


def _find_ids(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    gate = "UserNamespacesSupport"
    if upgrade.hazards.subordinate_ids == "fixed" or not gates_of(facts, upgrade).is_on(gate):
        return
    release = upgrade.target.release
    ids_per_pod = _number(mapping(facts.config.get("userNamespaces")).get("idsPerPod"), _UNIT)
    if not host.has_user(facts.dump):
        if ids_per_pod != _UNIT:  # what runs has the default, and a kubelet that runs has what it recorded
            yield from _of_pods(facts, release, host.IdRange(ids_per_pod, _IDS - ids_per_pod), ids_per_pod)
        return
    if not host.has_program(facts.dump):
        yield Problem(
            Status.ERROR,
            GETSUBIDS,
            f"the node has a user kubelet and no {GETSUBIDS}: kubelet {release} does not start "
            "(kubernetes/kubernetes#141345)",
            f"install {GETSUBIDS} (package uidmap or shadow-utils-subid), or remove the user kubelet",
        )
        return
    if service := host.other_service(facts.dump):
        raise UnreadError(f"{NAME_SERVICES} takes them from {name(service)}, which was not asked")
    most = _number(facts.setting("max-pods", "maxPods"), _MOST_PODS)
    refused = list(_refusals(facts, ids_per_pod, most))
    if not refused:
        yield from _of_pods(facts, release, host.ranges(facts.dump, SUB_IDS[0])[0], ids_per_pod)
    for why in refused:
        text = f"kubelet {release} does not start with the ids of the user kubelet: {why}"
        ids = f"{ids_per_pod}-{ids_per_pod * (most + 1) - 1}"
        advice = f"usermod --add-subuids {ids} --add-subgids {ids} kubelet, or remove the user kubelet"
        yield Problem(Status.ERROR, SUB_IDS[0], text, advice)


def _of_pods(facts: Facts, release: Release, own: host.IdRange, ids_per_pod: int) -> Iterator[Problem]:
    """Yield the pods whose recorded ids the kubelet refuses (userns_manager.go recordPodMappings)."""
    taken = set[int]()
    for uid, ids in host.recorded_ranges(facts.dump, facts.root).items():
        if ids.length != ids_per_pod:
            why = f"they are {ids.length}, and a pod has {ids_per_pod}"
        elif ids.first % ids_per_pod:
            why = f"the first, {ids.first}, is no multiple of {ids_per_pod}"
        elif not own.first <= ids.first < own.first + own.length:
            why = f"the first, {ids.first}, is not of {own.first}:{own.length}"
        elif ids.first in taken:
            why = "another pod has them too"
        else:
            taken.add(ids.first)
            continue
        pod = shown_uid(uid)
        text = f"kubelet {release} does not start with the ids that are recorded of pod {pod}: {why}"
        advice = "go back to the ranges and to the idsPerPod of before, or drain the node first"
        yield Problem(Status.ERROR, pod, text, advice)


def _number(value: object, default: int) -> int:
    """Return a positive number that the kubelet is given; another one ends it before (PF-126)."""
    text = str(value)
    return int(text) if text.isascii() and text.isdecimal() and int(text[:12]) > 0 else default


def _refusals(facts: Facts, ids_per_pod: int, most: int) -> Iterator[str]:
    """Yield why the ranges are refused (pkg/kubelet/userns/userns_manager.go MakeUserNsManager)."""
    uids, gids = (host.ranges(facts.dump, path) for path in SUB_IDS)
    if not uids or not gids:
        yield f"{SUB_IDS[0] if not uids else SUB_IDS[1]} has none"
    elif uids != gids:
        yield f"those of {SUB_IDS[0]} and {SUB_IDS[1]} differ"
    elif len(uids) > 1:
        yield f"{SUB_IDS[0]} has {len(uids)} ranges, and one is allowed"
    else:
        own = uids[0]
        if own.first >= _IDS or own.length >= _IDS:
            yield f"{own.first}:{own.length} is more than 32 bits hold"
        elif own.first % ids_per_pod or own.first < ids_per_pod:
            yield f"the first, {own.first}, has to be {ids_per_pod} or a multiple of it"
        elif own.length % ids_per_pod:
            yield f"their number, {own.length}, has to be a multiple of {ids_per_pod}"
        elif own.length // ids_per_pod < most:
            yield f"{own.length} are enough for {own.length // ids_per_pod} pods, and maxPods is {most}"


USER_NAMESPACES: Final = Check("PF-129", _find_ids)


# PF-135: settings of the kernel that the kubelet wants and must not make.

_SETTINGS: Final = {
    "vm/overcommit_memory": 1,
    "vm/panic_on_oom": 0,
    "kernel/panic": 10,
    "kernel/panic_on_oops": 1,
    "kernel/keys/root_maxkeys": 1_000_000,
    "kernel/keys/root_maxbytes": 25_000_000,
}
"""What every release wants (pkg/kubelet/cm/container_manager_linux.go ``setupKernelTunables``)."""


def _find_settings(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    if not facts.is_set("protect-kernel-defaults", "protectKernelDefaults", default=False):
        return
    for setting, wanted in _SETTINGS.items():
        try:
            value = facts.dump.read("file", f"/proc/sys/{setting}").strip()
        except AbsentError:
            value = "not there"
        if value != str(wanted):
            dotted = setting.replace("/", ".")
            yield Problem(
                Status.ERROR,
                dotted,
                f"kubelet {upgrade.target.release} does not start with protectKernelDefaults: {dotted} is "
                f"{name(value)[:20]} and has to be {wanted}",
                f"sysctl -w {dotted}={wanted}, and write it to a file in /etc/sysctl.d",
            )


KERNEL_SETTINGS: Final = Check("PF-135", _find_settings)


# PF-136: another name than that of the Node.

_OVERRIDE: Final = "hostname-override"


def _find_name(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    if str(facts.setting("cloud-provider", "") or "external") != "external":
        return  # the cloud names the node
    override = next((word.text for word in facts.next_flags(_OVERRIDE)), "")
    names = {
        "its client certificate": facts.certificate_node,
        "its Node object": facts.cluster.node.name if facts.cluster.node is not None else "",
    }
    if not any(names.values()):
        raise UnreadError("neither a client certificate in the dump nor a Node object shows the node's name")
    own = (override or facts.dump.read("file", HOSTNAME)).strip().lower()
    for where, node in names.items():
        if node and own != node:
            yield Problem(
                Status.ERROR,
                f"--{_OVERRIDE}" if override else HOSTNAME,
                f"kubelet {upgrade.target.release} calls its node {name(own)}, and {where} is of "
                f"{name(node)}: it may not change that one, and does not find its pods",
                f"give the kubelet --{_OVERRIDE}={name(node)}, or the host its old name again",
            )
            return


NODE_NAME: Final = Check("PF-136", _find_name)


# PF-137: credential providers for images.

_PROVIDERS: Final = ("image-credential-provider-config", "image-credential-provider-bin-dir")
_ENDS: Final = (".json", ".yaml", ".yml")
_KIND: Final = "CredentialProviderConfig"
_PLUGIN_GROUP: Final = "credentialprovider.kubelet.k8s.io"
_TOKENS: Final = "tokenAttributes"
_TOKENS_GATE: Final = "KubeletServiceAccountTokenForCredentialProviders"
_INSTALL: Final = "install the credential provider again, or take both flags away"


def _find_providers(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    config, programs = (str(facts.setting(flag, "") or "") for flag in _PROVIDERS)
    gates = gates_of(facts, upgrade)
    gate = "KubeletCredentialProviders"
    if not (config or programs) or (gates.spec(gate) is not None and not gates.is_on(gate)):
        return
    effect = f"kubelet {upgrade.target.release} does not start"
    for flag, value in zip(_PROVIDERS, (config, programs), strict=True):
        if not value:
            yield Problem(Status.ERROR, f"--{flag}", f"{effect} without --{flag}, which the other one needs")
            return
    try:
        names = frozenset(facts.dump.read("directory", programs).splitlines())
    except AbsentError:
        yield Problem(Status.ERROR, programs, f"{effect}: {programs} is missing", _INSTALL)
        return
    yield from _of_configuration(facts, upgrade, config, programs, names)


def _of_configuration(
    facts: Facts, upgrade: KubeletStart, config: str, programs: str, names: frozenset[str]
) -> Iterator[Problem]:
    """Yield the problems of the configuration, and of the programs of which ``names`` are there."""
    effect = f"kubelet {upgrade.target.release} does not start"
    is_directory = ("directory", config) in facts.dump.probes
    if is_directory and upgrade.hazards.provider_files == "one file":
        text = f"{effect}: {config} is a directory, and it reads one file"
        yield Problem(Status.ERROR, config, text, "name one file that has all of them")
        return
    try:
        files = _provider_files(facts, config, is_directory=is_directory)
    except AbsentError:
        yield Problem(Status.ERROR, config, f"{effect}: {config} is missing", _INSTALL)
        return
    refusals: dict[str, list[str]] = {}
    tokens = gates_of(facts, upgrade).is_on(_TOKENS_GATE)
    for path, why in _of_provider_files(upgrade, files, tokens=tokens):
        refusals.setdefault(path or config, []).append(why)
    repair = "write the configuration of the credential provider again"
    for path, whys in refusals.items():
        yield Problem(Status.ERROR, path, f"{effect}: {path} {'; '.join(whys)}", repair)
    wanted = dict.fromkeys(str(provider.get("name") or "") for _, provider in _each_provider(files))
    for provider in wanted:
        if provider and "/" not in provider and provider not in names:
            text = f"{effect}: {config} names the provider {name(provider)}, which is not in {programs}"
            yield Problem(Status.ERROR, name(provider), text, _INSTALL)
    if "" in wanted:
        raise UnreadError(f"{config}: the name of a provider is not shown")
    if not refusals and _are_tokens_unknown(upgrade, files):
        why = f"kubelet {upgrade.target.release} may need others than the running one"
        raise UnreadError(f"{config}: what {_TOKENS} have is not shown, and {why}")


ProviderFiles = list[tuple[str, Mapping[str, Any], list[str]]]
"""The files of a configuration: their paths, what they hold, and the keys that are in them twice."""


def _provider_files(facts: Facts, config: str, *, is_directory: bool) -> ProviderFiles:
    """Read a file, or the files of a directory in their order; AbsentError for a file that is not there."""
    paths = [config]
    if is_directory:
        listed = facts.dump.read("directory", config).splitlines()
        paths = [
            f"{config.rstrip('/')}/{filename}" for filename in sorted(listed) if filename.endswith(_ENDS)
        ]
    files: ProviderFiles = []
    for path in paths:
        repeated: list[str] = []
        try:
            document = yaml.first(facts.dump.read("file", path), repeated)
        except InputError as error:
            raise UnreadError(f"{path}: {error}") from None
        if not isinstance(document, Mapping) or not isinstance(document.get("providers") or [], list):
            raise UnreadError(f"{path}: its providers are not in a form that can be read")
        files.append((path, document, repeated))
    return files


def _each_provider(files: ProviderFiles) -> Iterator[tuple[str, Mapping[str, Any]]]:
    return ((path, mapping(row)) for path, document, _ in files for row in document.get("providers") or ())


def _of_provider_files(
    upgrade: KubeletStart, files: ProviderFiles, *, tokens: bool
) -> Iterator[tuple[str, str]]:
    """Yield why files are refused, each with its path; without one where it is all of them.

    Source: pkg/credentialprovider/plugin/config.go (``decode``, ``readCredentialProviderConfig``,
    ``validateCredentialProviderConfig``) and ``RegisterCredentialProvider`` in ../plugins.go, 1.20.15 -
    1.37.1. A text that is empty may be one that the collector hid, as may be the content of a list.
    """
    seen: set[str] = set()
    for path, document, repeated in files:
        yield from ((path, why) for why in _of_document(upgrade, document, repeated))
    for path, provider in _each_provider(files):
        called = str(provider.get("name") or "")
        about = f"has {f'the provider {name(called)[:60]}' if called else 'a provider'}"
        if called and called in seen:
            yield path, f"{about} twice"
        seen.add(called)
        yield from ((path, f"{about} {why}") for why in _of_provider(upgrade, provider, tokens=tokens))
    if not files:
        yield "", "has no file whose name ends with .json, .yaml or .yml"
    elif not any(True for _ in _each_provider(files)):
        yield "", "has no providers"


def _of_document(upgrade: KubeletStart, document: Mapping[str, Any], repeated: list[str]) -> Iterator[str]:
    hazards = upgrade.hazards
    if document.get("kind") != _KIND:
        yield f"is not of the kind {_KIND}"
    if why := _unsupported(document, "kubelet.config.k8s.io", hazards):
        yield why
    if hazards.provider_fields is not None:
        yield from (f"has {name(key)[:60]} twice, which it refuses" for key in repeated if key)
        for key in sorted(document.keys() - {"apiVersion", "kind", "providers", ""}):
            yield f"has the field {name(key)[:60]}, which it does not know"


def _unsupported(row: Mapping[str, Any], group: str, hazards: Hazards) -> str:
    """Return why its apiVersion is none that the kubelet knows; empty where it may be one."""
    version, versions = row.get("apiVersion"), [f"{group}/{suffix}" for suffix in hazards.provider_versions]
    if version == "" or version in versions:
        return ""
    if version is None:
        return "has no apiVersion"
    return f"has the apiVersion {name(str(version))[:60]}, and it knows {', '.join(versions)}"


def _of_provider(upgrade: KubeletStart, provider: Mapping[str, Any], *, tokens: bool) -> Iterator[str]:
    hazards = upgrade.hazards
    called = str(provider.get("name") or "")
    if called in (".", "..") or "/" in called or " " in called:
        yield "whose name is none of a program"
    if why := _unsupported(provider, _PLUGIN_GROUP, hazards):
        yield f"that {why}"
    if "matchImages" not in provider:
        yield "without matchImages"
    value = provider.get("defaultCacheDuration")
    duration = parse_duration(value) if isinstance(value, str) else None
    if value is None:
        yield "without defaultCacheDuration"
    elif value != "" and (duration is None or duration < 0):
        yield "whose defaultCacheDuration is no duration, or is negative"
    if hazards.provider_fields is not None:
        for key in sorted(provider.keys() - {*hazards.provider_fields, ""}):
            yield f"with the field {name(key)[:60]}, which it does not know"
    if _TOKENS in provider and _TOKENS in (hazards.provider_fields or ()):
        yield from _of_tokens(provider.get("apiVersion"), tokens=tokens)
        value, fields = mapping(provider[_TOKENS]), hazards.provider_tokens
        needed = {field for field, is_needed in fields.items() if is_needed} if value else set()
        yield from (f"with {_TOKENS} without {field}" for field in sorted(needed - value.keys()))
        for key in sorted(value.keys() - {*fields, ""}):
            yield f"with the field {name(key)[:60]} of {_TOKENS}, which it does not know"


def _are_tokens_unknown(upgrade: KubeletStart, files: ProviderFiles) -> bool:
    """Return whether tokenAttributes, which no collector shows, were accepted under other conditions."""
    fields = upgrade.hazards.provider_tokens
    if not fields or (upgrade.before is not None and upgrade.before.provider_tokens == fields):
        return False
    return any(_TOKENS in row and not mapping(row[_TOKENS]) for _, row in _each_provider(files))


def _of_tokens(version: object, *, tokens: bool) -> Iterator[str]:
    newest = f"{_PLUGIN_GROUP}/v1"
    if not tokens:
        yield f"with {_TOKENS}, which need the feature gate {_TOKENS_GATE}"
    if version not in ("", newest):
        yield f"with {_TOKENS}, which need the apiVersion {newest}"


CREDENTIAL_PROVIDERS: Final = Check("PF-137", _find_providers)


# PF-133: the configuration of a cloud that is built in.


def _find_cloud(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    path = str(facts.setting("cloud-config", "") or "")
    provider = str(facts.setting("cloud-provider", "") or "external")
    if not path or provider == "external" or upgrade.hazards.cloud_config == "not read":
        return
    try:
        facts.dump.read("path", path)
    except AbsentError:
        yield Problem(
            Status.ERROR,
            path,
            f"{path}, the cloud's configuration, is missing: kubelet {upgrade.target.release} does not start",
            f"write {path} again, or take --cloud-config away",
        )


CLOUD_CONFIG: Final = Check("PF-133", _find_cloud)


# PF-134: static pods whose manifests are gone.


def _find_manifests(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    own = [pod for pod in facts.pods if pod.static and not pod.mirror_doubt and not pod.from_url]
    if not own:
        return
    directory = str(facts.setting("pod-manifest-path", "staticPodPath") or "")
    if not directory:
        where, files = "it is given no staticPodPath", ""
    else:
        where = f"{directory} has no file"
        try:
            files = facts.dump.read("directory", directory)
        except AbsentError:
            files = ""
    # A name that begins with a point is none of a manifest (pkg/kubelet/config/file.go extractFromDir).
    if any(not filename.startswith(".") for filename in filter(None, lines(files))):
        return
    names = few([name_path(pod.namespace, pod.name) for pod in own], 2)
    text = f"kubelet {upgrade.target.release} removes {count(len(own), 'static pod')} ({names}): {where}"
    advice = "put the manifests back before the kubelet is restarted"
    yield Problem(Status.ERROR, directory or "staticPodPath", text, advice)


MANIFESTS: Final = Check("PF-134", _find_manifests, (frozenset({Need.NODE, Need.OBJECTS}),))
