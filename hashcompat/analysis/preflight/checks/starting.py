"""What the new kubelet reads of its host before it runs: PF-129 and 133 - 137.

Each of these facts may have changed since the current kubelet read it, or may not have been read by its
release at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.analysis.preflight.checks import Check, Need, Problem, Upgrade
from hashcompat.analysis.preflight.checks.states import gates_of
from hashcompat.analysis.preflight.facts import Facts, host
from hashcompat.core.errors import InputError
from hashcompat.core.go import yaml
from hashcompat.core.go.jsonpath import mapping, rows
from hashcompat.core.model.escape import count, few, name_path
from hashcompat.core.model.preflight import Status
from hashcompat.core.records.probes import AbsentError, UnreadError
from hashcompat.core.shown import name

# PF-129: ids for pods with user namespaces.

_UNIT: Final = 65536
"""How many ids a pod has by default, and of what that number and the first id are multiples."""

_MOST_PODS: Final = 110

_IDS: Final = 1 << 32

_FIX: Final = "usermod --add-subuids {0} --add-subgids {0} kubelet, or remove the user kubelet"

_GATE: Final = "UserNamespacesSupport"


def _find_ids(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    if upgrade.hazards.subordinate_ids == "fixed" or not gates_of(facts, upgrade).is_on(_GATE):
        return
    if not host.has_user(facts.dump):
        return
    release = upgrade.target.release
    if not host.has_program(facts.dump):
        yield Problem(
            Status.ERROR,
            host.PROGRAM,
            f"the node has a user kubelet and no {host.PROGRAM}: kubelet {release} does not start "
            "(kubernetes/kubernetes#141345)",
            f"install {host.PROGRAM} (package uidmap or shadow-utils-subid), or remove the user kubelet",
        )
        return
    if service := host.other_service(facts.dump):
        raise UnreadError(f"{host.SERVICES} takes them from {name(service)}, which was not asked")
    each = _number(mapping(facts.config.get("userNamespaces")).get("idsPerPod"), _UNIT)
    most = _number(facts.setting("max-pods", "maxPods"), _MOST_PODS)
    for why in _refusals(facts, each, most):
        yield Problem(
            Status.ERROR,
            host.RANGES[0],
            f"kubelet {release} does not start with the ids of the user kubelet: {why}",
            _FIX.format(f"{each}-{each * (most + 1) - 1}"),
        )


def _number(value: object, default: int) -> int:
    """Return a positive number that the kubelet is given; another one ends it before (PF-126)."""
    text = str(value)
    return int(text) if text.isascii() and text.isdecimal() and int(text[:12]) > 0 else default


def _refusals(facts: Facts, each: int, most: int) -> Iterator[str]:
    """Yield why the ranges are refused (pkg/kubelet/userns/userns_manager.go MakeUserNsManager)."""
    uids, gids = (host.ranges(facts.dump, path) for path in host.RANGES)
    if not uids or not gids:
        yield f"{host.RANGES[0] if not uids else host.RANGES[1]} has none"
    elif uids != gids:
        yield f"those of {host.RANGES[0]} and {host.RANGES[1]} differ"
    elif len(uids) > 1:
        yield f"{host.RANGES[0]} has {len(uids)} ranges, and one is allowed"
    else:
        yield from _of_range(uids[0], each, most)


def _of_range(own: host.Range, each: int, most: int) -> Iterator[str]:
    if own.first >= _IDS or own.length >= _IDS:
        yield f"{own.first}:{own.length} is more than 32 bits hold"
    elif own.first % each or own.first < each:
        yield f"the first, {own.first}, has to be {each} or a multiple of it"
    elif own.length % each:
        yield f"their number, {own.length}, has to be a multiple of {each}"
    elif own.length // each < most:
        yield f"{own.length} are enough for {own.length // each} pods, and maxPods is {most}"


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


def _find_settings(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    if not facts.is_set("protect-kernel-defaults", "protectKernelDefaults", default=False):
        return
    for setting, wanted in _SETTINGS.items():
        try:
            found = facts.dump.read("file", f"/proc/sys/{setting}").strip()
        except AbsentError:
            found = "not there"
        if found != str(wanted):
            dotted = setting.replace("/", ".")
            yield Problem(
                Status.ERROR,
                dotted,
                f"kubelet {upgrade.target.release} does not start with protectKernelDefaults: {dotted} is "
                f"{name(found)[:20]} and has to be {wanted}",
                f"sysctl -w {dotted}={wanted}, and write it to a file in /etc/sysctl.d",
            )


KERNEL_SETTINGS: Final = Check("PF-135", _find_settings)


# PF-136: another name than that of the Node.

_HOSTNAME: Final = "/proc/sys/kernel/hostname"

_OVERRIDE: Final = "hostname-override"


def _find_name(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    if str(facts.setting("cloud-provider", "") or "external") != "external":
        return  # the cloud names the node
    given = next((word.text for word in facts.next_flags(_OVERRIDE)), "")
    known = {"its client certificate": facts.certificate_node}
    if given or ("file", _HOSTNAME) in facts.dump.probes:
        # The name of the dump is the host's own, unless somebody gave it another one: that shows little.
        known["its Node object"] = facts.cluster.node.name if facts.cluster.node is not None else ""
    if not any(known.values()):
        return
    own = (given or facts.dump.read("file", _HOSTNAME)).strip().lower()
    for where, node in known.items():
        if node and own != node:
            yield Problem(
                Status.ERROR,
                f"--{_OVERRIDE}" if given else _HOSTNAME,
                f"kubelet {upgrade.target.release} calls its node {name(own)}, and {where} is of "
                f"{name(node)}: it may not change that one, and does not find its pods",
                f"give the kubelet --{_OVERRIDE}={name(node)}, or the host its old name again",
            )
            return


NODE_NAME: Final = Check("PF-136", _find_name)


# PF-137: credential providers for images.

_PROVIDERS: Final = ("image-credential-provider-config", "image-credential-provider-bin-dir")

_ENDS: Final = (".json", ".yaml", ".yml")


def _find_providers(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
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
    try:
        wanted = list(_providers(facts, config))
    except AbsentError:
        yield Problem(Status.ERROR, config, f"{effect}: {config} is missing", _INSTALL)
        return
    for provider in wanted:
        if provider not in names:
            text = f"{effect}: {config} names the provider {name(provider)}, which is not in {programs}"
            yield Problem(Status.ERROR, name(provider), text, _INSTALL)


_INSTALL: Final = "install the credential provider again, or take both flags away"


def _providers(facts: Facts, config: str) -> Iterator[str]:
    """Yield the names of providers in a file, or from 1.34 on in the files of a directory."""
    paths = [config]
    if ("directory", config) in facts.dump.probes:
        names = facts.dump.read("directory", config).splitlines()
        paths = [f"{config.rstrip('/')}/{each}" for each in sorted(names) if each.endswith(_ENDS)]
    for path in paths:
        try:
            documents = list(yaml.load_all(facts.dump.read("file", path)))
        except InputError as error:
            raise UnreadError(f"{path}: {error}") from None
        for row in (row for document in documents for row in rows(mapping(document), "providers")):
            yield str(mapping(row).get("name") or "")


CREDENTIAL_PROVIDERS: Final = Check("PF-137", _find_providers)


# PF-133: the configuration of a cloud that is built in.


def _find_cloud(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
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


def _find_manifests(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
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
    if any(not each.startswith(".") for each in files.splitlines()):
        return
    names = few([name_path(pod.namespace, pod.name) for pod in own], 2)
    yield Problem(
        Status.ERROR,
        directory or "staticPodPath",
        f"kubelet {upgrade.target.release} removes {count(len(own), 'static pod')} ({names}): {where}",
        "put the manifests back before the kubelet is restarted",
    )


MANIFESTS: Final = Check("PF-134", _find_manifests, (frozenset({Need.NODE, Need.OBJECTS}),))
