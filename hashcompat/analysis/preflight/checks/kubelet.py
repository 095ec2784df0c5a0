"""What the new kubelet is given to start with: release, flags, gates and file: PF-101, 110, 122 and 145."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from shlex import quote
from typing import Any, Final

from hashcompat.analysis.preflight.checks import Check, KubeletStart, Problem
from hashcompat.analysis.preflight.checks.states import gates_of
from hashcompat.analysis.preflight.facts import Facts
from hashcompat.analysis.preflight.facts.kubelet import (
    FlagArgument,
    flag_arguments,
    left_over,
    pairs,
    truth,
    unfinished,
)
from hashcompat.analysis.preflight.facts.units import RUNNING, Start, watchdog
from hashcompat.core import shown
from hashcompat.core.catalog.kubeletsettings import dashed
from hashcompat.core.go.jsonpath import mapping
from hashcompat.core.kubelet import alike
from hashcompat.core.kubelet.alike import another_minor, waits_for_services
from hashcompat.core.model.escape import count
from hashcompat.core.model.preflight import Status
from hashcompat.core.model.verdicts import Verdict
from hashcompat.core.records.probes import KUBELET_UNIT, AbsentError, UnparsedError, UnreadError

# PF-101: flags and feature gates with which the kubelet does not start.

_FLAG: Final = re.compile(r"--?[A-Za-z0-9][A-Za-z0-9._-]*")
"""What is nothing but itself to a shell and to sed."""


def _find_flags(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    release, table = upgrade.target.release, upgrade.hazards.flags
    if not table.flags(release):
        raise UnreadError(f"the flags of kubelet {release} are not known")
    try:
        start = facts.start
    except UnreadError as error:
        yield Problem(Status.UNKNOWN, "", str(error))
        start = Start((), complete=False)
    next_start = tuple(flag_arguments(start.words, table, release))
    running = _running(facts, upgrade, start)
    if not next_start and not running:
        facts.words  # noqa: B018 - read for why there are none
    for name, sources in _unknown(chain(next_start, running)).items():
        # A flag that only the running kubelet has is gone at the next start, as far as its files are known.
        is_next = not start.complete or set(sources) != {RUNNING}
        yield _unknown_flag(upgrade, name, list(dict.fromkeys(sources)), is_next=is_next)
    for word in left_over(start.words, table, release) if start.complete else ():
        which = f"the argument {shown.name(word.text)[:60]}" if word.text else "an empty argument"
        yield Problem(
            Status.ERROR,
            word.source,
            f"kubelet {release} does not start with {which}, which is no flag and no value of one; "
            f"{word.source} has it",
            "remove it; a flag that is true or false takes its value only after =",
        )
    for argument in unfinished(start.words, table, release) if start.complete else ():
        flag = f"--{argument.name}" if len(argument.name) > 1 else f"-{argument.name}"
        yield Problem(
            Status.ERROR,
            flag,
            f"kubelet {release} does not start with {flag} as its last argument, because it needs a value; "
            f"{argument.source} has it",
            f"give {flag} a value in {argument.source}, or remove it",
        )
    decisive = next_start if start.complete else (*next_start, *running)
    yield from _gates_of_flags(upgrade, decisive)
    yield from _gates_of_config(facts, upgrade)


def _unknown(flags: Iterable[FlagArgument]) -> Mapping[str, list[str]]:
    unknown: dict[str, list[str]] = {}
    for flag in flags:
        if flag.definition is None:
            unknown.setdefault(flag.name, []).append(flag.source)
    return unknown


def _running(facts: Facts, upgrade: KubeletStart, start: Start) -> tuple[FlagArgument, ...]:
    """Return the flags of the kubelet that runs; none where none does and the next start is known."""
    try:
        return tuple(flag_arguments(facts.words, upgrade.hazards.flags, upgrade.target.release))
    except (UnreadError, AbsentError):
        if not start.complete:
            raise
        return ()


def _unknown_flag(upgrade: KubeletStart, name: str, sources: list[str], *, is_next: bool) -> Problem:
    release, table = upgrade.target.release, upgrade.hazards.flags
    removed = table.removed_in(release, name)
    why = f"{removed} removed it" if removed else "it knows no such flag"
    near = "" if removed else ", ".join(f"--{candidate}" for candidate in table.nearest(release, name))
    flag = f"--{name}" if len(name) > 1 else f"-{name}"
    files = [source for source in sources if source != RUNNING]
    effect = f"kubelet {release} does not start with {flag}: {why}"
    if not is_next:
        text = f"{effect}; {RUNNING} has it, and its files no longer do"
        advice = "systemctl daemon-reload, before the kubelet is restarted"
        return Problem(Status.WARN, flag, text, advice)
    # What a shell or sed would obey is not put into a command.
    plain = _FLAG.fullmatch(flag) is not None
    removing = f"sed -i 's/ *{flag}[= ]*[^ \"]*//' " if plain else "remove it from "
    advice = "; ".join(f"{removing}{quote(file)}" for file in files)
    return Problem(
        Status.ERROR,
        flag,
        f"{effect}; {' and '.join(sources)} {'has' if len(sources) == 1 else 'have'} it",
        (advice or "remove it from where the kubelet is started") + (f"; near it: {near}" if near else ""),
    )


FLAGS: Final = Check("PF-101", _find_flags)


# PF-145: a next start without an API server.

_KUBECONFIG: Final = "kubeconfig"


def _find_server(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    try:
        had = facts.running_flags.get(_KUBECONFIG)
    except AbsentError:
        return  # no kubelet runs, and whether one had it is not known
    if not had or not facts.restarts_from_unit or _KUBECONFIG in facts.flags:
        return
    effect = (
        "does not start: it has to ask an API server who may use it, and is given none"
        if _asks_server(facts)
        else "runs without an API server, and removes the pods that it had from one"
    )
    yield Problem(
        Status.ERROR,
        f"--{_KUBECONFIG}",
        f"the running kubelet has --{_KUBECONFIG}, and its unit no longer gives it: kubelet "
        f"{upgrade.target.release} {effect}",
        f"bring back the drop-in or the file of variables of {KUBELET_UNIT} that has --{_KUBECONFIG}",
    )


def _asks_server(facts: Facts) -> bool:
    """Return whether the kubelet needs an API server for who uses it, as a file of --config has it do."""
    by_file = bool(facts.flags.get("config"))
    webhook = mapping(mapping(facts.config.get("authentication")).get("webhook")).get("enabled")
    token = facts.flags.get("authentication-token-webhook", webhook)
    mode = facts.flags.get("authorization-mode") or mapping(facts.config.get("authorization")).get("mode")
    return bool(truth(token) if token is not None else by_file) or (mode == "Webhook" if mode else by_file)


API_SERVER: Final = Check("PF-145", _find_server)


# PF-149: the watchdog of systemd.

_WATCHDOG_GATE: Final = "SystemdWatchdog"
_LEAST: Final = 1.0
"""Seconds; a kubelet asks for more (``minimalNotifyInterval``)."""


def _find_watchdog(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    seconds = watchdog(facts.dump)
    if not seconds:
        return
    release = upgrade.target.release
    notifies = upgrade.hazards.watchdog == "notified" and gates_of(facts, upgrade).is_on(_WATCHDOG_GATE)
    if notifies and seconds > _LEAST:
        return
    text = f"kubelet {release} does not start with a WatchdogSec of {seconds:g} s: it has to be more than 1 s"
    if not notifies:
        off = f" with the feature gate {_WATCHDOG_GATE} off" if upgrade.hazards.watchdog == "notified" else ""
        text = (
            f"systemd ends kubelet {release} {seconds:g} s after each start: its unit has WatchdogSec, and"
            f"{off} it does not notify the watchdog"
        )
    # A script may notify systemd in place of the kubelet.
    status = Status.ERROR if facts.start.complete else Status.UNKNOWN
    yield Problem(status, "WatchdogSec", text, f"set WatchdogSec=0 in a drop-in of {KUBELET_UNIT}")


WATCHDOG: Final = Check("PF-149", _find_watchdog)


# Feature gates as flags and configuration files set them, and what a kubelet says about them.

_GATES = "feature-gates"


def _gates_of_flags(upgrade: KubeletStart, flags: Iterable[FlagArgument]) -> Iterator[Problem]:
    gates: dict[str, tuple[str, list[str]]] = {}
    for flag in flags:
        if dashed(flag.name) == _GATES:
            for name, value in pairs(flag.value):
                _, sources = gates.get(name, ("", []))
                gates[name] = (value, [*sources, flag.source])
    for name, (last, sources) in gates.items():
        where = " and ".join(dict.fromkeys(sources))
        yield from _of_gate(upgrade, name, last, f"--{_GATES} of {where}")


def _gates_of_config(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    """Yield the problems of the gates in the configuration file, and of those that need others."""
    try:
        listed = mapping(facts.config.get("featureGates"))
        files = [(path, mapping(document.get("featureGates"))) for path, document in facts.drop_ins]
        of_flags = {name for name, _ in pairs(facts.flags.get(_GATES, ""))}
    except UnreadError as error:
        yield Problem(Status.UNKNOWN, "featureGates", str(error))
        return
    # One that a flag sets too counts as that has it (cmd/kubelet/app/server.go kubeletConfigFlagPrecedence).
    for name, value in ((name, value) for name, value in listed.items() if name not in of_flags):
        where = next((path for path, gates in reversed(files) if name in gates), "the configuration file")
        # encoding/json reads null as false.
        yield from _of_gate(upgrade, str(name), False if value is None else value, f"featureGates of {where}")
    for refusal in gates_of(facts, upgrade).missing():
        text = f"{refusal}, and so kubelet {upgrade.target.release} does not start"
        yield Problem(Status.ERROR, _GATES, text)


def _of_gate(upgrade: KubeletStart, name: str, value: object, where: str) -> Iterator[Problem]:
    release = upgrade.target.release
    spec, wanted = upgrade.target.gates.spec(name), truth(value)
    if spec is None:
        why = "it knows no such feature gate"
    elif wanted is None:
        why = "its value is neither true nor false"
    elif spec.locked and spec.on is not wanted:
        why = f"it is locked to {'true' if spec.on else 'false'}"
    elif wanted and name in upgrade.hazards.gates_that_end:
        why = "it may only be false"
    else:
        return
    text = f"kubelet {release} does not start with {name} in {where}: {why}"
    advice = f"remove {name} from {where}"
    yield Problem(Status.ERROR, name, text, advice)


# PF-122: fields of the kubelet's configuration file that the kubelet to be started does not know.

_EFFECTS: Final = {
    "dropped": (Status.WARN, "drops it in silence"),
    "warned": (Status.WARN, "logs a warning and drops it"),
    "refused": (Status.ERROR, "does not start with it"),
}
"""What a kubelet does about an unknown field."""


def _find_fields(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    yield from _fields_of_file(facts, upgrade)
    # Files of --config-dir: from 1.29 on encoding/json decodes what they are merged to, which drops unknown
    # fields, and letters may be of another case (``mergeKubeletConfigurations`` in cmd/kubelet/app/server.go,
    # 1.29.15 - 1.37.1).
    release, table = upgrade.target.release, upgrade.hazards.config
    if not facts.flags.get("config-dir") or not upgrade.hazards.flags.accepts(release, "config-dir"):
        return
    try:
        files = facts.drop_ins
    except UnparsedError:
        return  # the kubelet ends, as PF-126 reports
    is_merged = upgrade.hazards.drop_ins != "with defaults"
    effect = "dropped" if is_merged else table.on_unknown(release)
    for path, document in files:
        yield from _unknown_fields(upgrade, path, document, effect, any_case=is_merged)
        lost = {field.lower(): field for field in upgrade.hazards.drop_ins_lose}
        for field in (name for name in document if name.lower() in lost):
            name = lost[field.lower()]
            yield Problem(
                Status.WARN,
                name,
                f"{name} of {path}: kubelet {release} drops it in silence, for it reads {name} in the file "
                "of --config alone",
                f"move {name} from {path} to {facts.flags.get('config', 'the file of --config')}",
            )


def _fields_of_file(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    release, table = upgrade.target.release, upgrade.hazards.config
    document = facts.config_file
    version = table.version(release)
    if not document or version is None:
        return
    path = facts.flags["config"]
    wanted = {"apiVersion": version.api_version, "kind": "KubeletConfiguration"}
    for name in [name for name in wanted if not document.get(name)]:
        text = f"kubelet {release} does not start: {path} has no {name}"
        advice = f"add {name}: {wanted[name]}"
        yield Problem(Status.ERROR, path, text, advice)
    if document.get("kind") not in (None, "", wanted["kind"]):
        text = f"kubelet {release} does not start: {path} is of another kind than {wanted['kind']}"
        advice = f"name the file of the {wanted['kind']} with --config"
        yield Problem(Status.ERROR, path, text, advice)
    value = document.get("apiVersion")
    if value is not None and value != version.api_version:
        text = f"kubelet {release} reads {version.api_version} and the file is {shown.name(str(value))[:60]}"
        advice = f"write the file again for {version.api_version}"
        yield Problem(Status.ERROR, path, text, advice)
        return
    yield from _unknown_fields(upgrade, path, document, table.on_unknown(release))


def _unknown_fields(
    upgrade: KubeletStart, path: str, document: Mapping[str, Any], on_unknown: str, *, any_case: bool = False
) -> Iterator[Problem]:
    release, table = upgrade.target.release, upgrade.hazards.config
    status, effect = _EFFECTS[on_unknown]
    names = {name.lower() for name in table.fields(release)} if any_case else ()
    for field in table.unknown_in(release, document):
        if field.lower() in names:
            continue
        removed = table.removed_in(release, field)
        why = f"{removed} removed" if removed else "kubelets of this release do not know"
        text = f"{why} {field} of {path}: kubelet {release} {effect}"
        advice = f"remove {field} from {path}"
        yield Problem(status, field, text, advice)


CONFIG_FIELDS: Final = Check("PF-122", _find_fields)


# PF-110: an upgrade that upstream's version skew policy does not cover.

_API_SERVER: Final = "kube-apiserver"
_SERVER: Final = "upgrade kube-apiserver first, or start another kubelet"


def _find_skew(_facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    current, target, shown = upgrade.current, upgrade.target, upgrade.servers
    if current is None:
        text = "the release of the kubelet that runs now is unknown; give it with --from"
        yield Problem(Status.UNKNOWN, "", text)
    elif text := another_minor(current, target):
        advice = "kubectl drain NODE --ignore-daemonsets, then restart the kubelet"
        yield Problem(Status.WARN, "", text, advice)
    if upgrade.reported and current is not None:
        text = f"the current kubelet is said to be {current.release}, and the node reports {upgrade.reported}"
        yield Problem(Status.UNKNOWN, "kubelet", text, "leave --from out, or give --override-node-releases")
    if not shown:
        text = "the release of the API server is not known; give it with --apiserver"
        yield Problem(Status.INFO, _API_SERVER, text)
        return
    if text := alike.mixed(shown):
        yield Problem(Status.WARN, _API_SERVER, text, "upgrade all of them before any kubelet")
    if text := alike.too_new(target, shown):
        waits = waits_for_services(target, shown.oldest)
        ending = f"; containers that it creates stay {alike.waiting(target, shown.oldest)}" if waits else ""
        yield Problem(Status.ERROR, _API_SERVER, text + ending + _counted(upgrade, waits=waits), _SERVER)
    elif text := alike.too_old(target, shown):
        yield Problem(Status.WARN, _API_SERVER, text, _SERVER)
    elif any(where for _, where in shown.entries):
        yield Problem(Status.INFO, _API_SERVER, f"kube-apiserver is {shown}")


def _counted(upgrade: KubeletStart, *, waits: bool) -> str:
    """Return how many containers a plan of the node restarts, where they wait then."""
    restarts = [item for item in upgrade.planned or () if item.verdict is Verdict.RESTART]
    number = sum(not item.pod.workload.startswith("Node/") for item in restarts)
    return f": {count(number, 'container')} on this node" if waits and number else ""


VERSION_SKEW: Final = Check("PF-110", _find_skew, (frozenset(),))
