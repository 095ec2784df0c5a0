"""Values of flags and configuration fields with which the new kubelet does not start: PF-126."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import structs

from hashcompat.analysis.preflight.checks import Check, KubeletStart, Problem
from hashcompat.analysis.preflight.checks.formats import RefusedValue, SettingsCheck, is_hidden
from hashcompat.analysis.preflight.checks.forms import refusals
from hashcompat.analysis.preflight.facts import Facts
from hashcompat.analysis.preflight.facts.kubelet import flag_arguments
from hashcompat.analysis.preflight.facts.settings import (
    TEXTS,
    Documents,
    KubeletSettings,
    Setting,
    drop_ins,
    fits,
    flag_value,
    integer_of,
    repeated,
    values,
    why_not,
)
from hashcompat.analysis.preflight.facts.units import Start
from hashcompat.core import shown
from hashcompat.core.catalog.kubeletsettings import dashed
from hashcompat.core.model.preflight import Status
from hashcompat.core.records.probes import AbsentError, UnparsedError, UnreadError

_DIRECTORY: Final = "config-dir"


def _find_values(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    release = upgrade.target.release
    if not upgrade.hazards.flags.flags(release):
        raise UnreadError(f"the values that kubelet {release} refuses are not known")
    path = facts.flags.get("config", "")  # raises where the kubelet is part of another program
    try:
        start = facts.start
    except UnreadError as error:
        yield Problem(Status.UNKNOWN, "", str(error))
        start = Start((), complete=False)
    words = start.words if start.complete else (*start.words, *facts.words)
    flags = tuple(flag_arguments(words, upgrade.hazards.flags, release))
    documents: Documents | None = None
    try:
        # Those of the next start: Facts may have what the kubelet that runs is given.
        directory = KubeletSettings((), flags).flag(_DIRECTORY)
        drop_in_files = drop_ins(facts.dump, directory.value if directory else "")
        documents = [(path, facts.config_file), *drop_in_files] if path else drop_in_files
    except UnparsedError as error:
        text = f"kubelet {release} does not start: {error}; checks that need it were left out"
        advice = f"mend {error.path}, and check the node again"
        yield Problem(Status.ERROR, error.path, text, advice)
    except (UnreadError, AbsentError) as error:
        yield Problem(Status.UNKNOWN, "", str(error))
    if documents and len(documents) > bool(path) and upgrade.hazards.drop_ins == "with defaults":
        text = f"{release} merges each file of --config-dir with all of its defaults"
        yield Problem(Status.UNKNOWN, f"--{_DIRECTORY}", text)
        documents = None
    for file, _ in documents or ():
        for name in repeated(file, facts.dump.read("file", file)):
            text = f"{file} has {name} twice: the kubelet takes the last one, and kubeadm refuses the file"
            advice = f"remove one of the two from {file}"
            yield Problem(Status.WARN, name, text, advice)
    nulls_remove = upgrade.hazards.drop_ins != "nulls are nothing"
    merged = KubeletSettings(documents or (), flags, nulls_remove=nulls_remove)
    check = SettingsCheck(merged, start, upgrade, facts.dump)
    yield from _wrong_kinds(check, facts)
    yield from _refused(check, is_whole=documents is not None)


# Values of another kind than their flag or field: the kubelet cannot even read them.


def _wrong_kinds(check: SettingsCheck, facts: Facts) -> Iterator[Problem]:
    """Yield the flags and fields that have a value of another kind."""
    try:
        running: Mapping[str, str] | None = facts.running_flags
    except (UnreadError, AbsentError):
        running = None
    rows = check.hazards.values.rows(check.release)
    judged = {row.field for row in rows}, {row.flag for row in rows}
    for flag in check.settings.flags:
        kind = flag.definition.kind if flag.definition else ""
        if shown.MASK in flag.value and (kind not in TEXTS or flag.name in judged[1]):
            yield _hidden(f"--{flag.name}", flag.source)
        elif flag_value(flag) is not None:
            continue
        elif not flag.value and (running is None or running.get(dashed(flag.name))):
            # Older collectors left out the names of variables too: --max-pods=${PODS}.
            yield _hidden(f"--{flag.name}", flag.source)
        else:
            setting = Setting(f"--{flag.name}", None, flag.source)
            go_type = flag.definition.type if flag.definition else ""
            why = "it is not all pairs such as NAME=VALUE"
            yield _problem(
                check,
                setting,
                RefusedValue(why if kind == "map" else why_not(kind, go_type, integer_of(flag.value))),
            )
    fields = check.hazards.config.fields(check.release)
    for path, document in check.settings.documents:
        for field, value in values(fields, document, ""):
            if is_hidden(value) and (field.kind not in TEXTS or field.path in judged[0]):
                yield _hidden(field.path, path)
            elif not fits(field, value):
                setting = Setting(field.path, None, path)
                why = why_not(field.kind, field.type, value)
                is_plain = field.kind == "string" and not isinstance(value, list | Mapping)
                advice = f"put it in quotes in {path}" if is_plain else ""
                yield _problem(check, setting, RefusedValue(why, advice, check.shown(value)))


def _hidden(name: str, source: str) -> Problem:
    return Problem(Status.UNKNOWN, name, f"the value of {name} of {source} is not in the dump")


# Values that the release refuses.


def _refused(check: SettingsCheck, *, is_whole: bool) -> Iterator[Problem]:
    """Yield the values that the release refuses; without the files only those of flags by themselves."""
    seen, is_known = set[tuple[str, ...]](), check.hazards.values.knows(check.release)
    for row in check.hazards.values.rows(check.release):
        gates = row.needs_gate or row.with_gate or row.without_gate
        if not is_whole and (row.field or gates or row.drop_ins_need):
            continue
        if not check.counts(row):
            continue
        setting = check.setting(row)
        if setting is None:
            continue
        for refusal in refusals(check, row, setting):
            # Of two rows with accepted words, one says enough.
            key = (setting.name, refusal.value) if row.one_of else (setting.name, refusal.why)
            if key not in seen:
                seen.add(key)
                yield _problem(check, setting, refusal if is_known else _doubted(refusal))


def _doubted(refusal: RefusedValue) -> RefusedValue:
    """Return what a later release refuses: whether one before 1.10 does is not known."""
    return structs.replace(refusal, why=f"for 1.10 {refusal.why}", status=Status.UNKNOWN)


def _problem(check: SettingsCheck, setting: Setting, refusal: RefusedValue) -> Problem:
    effect = "does not start" if refusal.status is Status.ERROR else "may not start"
    value = f" {refusal.value}" if refusal.value else ""
    where = f" of {setting.source}" if setting.source else ", its default"
    place = f" in {setting.source}" if setting.source else ""
    text = f"kubelet {check.release} {effect} with {setting.name}{value}{where}: {refusal.why}"
    advice = refusal.advice or f"change or remove {setting.name}{place}"
    return Problem(refusal.status, setting.name, text, advice)


VALUES: Final = Check("PF-126", _find_values)
