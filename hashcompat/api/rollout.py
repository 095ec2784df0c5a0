"""What is asked around an upgrade: a plan judged by a policy, nodes before it, and patches against it.

``gate`` judges a plan before a node is upgraded, ``gate_after`` compares it with what became of its
containers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import msgspec
from msgspec import structs

from hashcompat.analysis import normalizing, planning
from hashcompat.analysis.answers.calibration import now_of
from hashcompat.analysis.gating import GateResult
from hashcompat.analysis.gating.judge import (
    ExtraInputs,
    check_age,
    check_cluster,
    check_input_age,
    check_preflight,
    judge,
)
from hashcompat.analysis.gating.outcome import judge_after
from hashcompat.analysis.patching import Patch, apply, mail, strategies
from hashcompat.analysis.patching.strategies import Choices
from hashcompat.analysis.patching.strip import Audit, audit, check_strip
from hashcompat.analysis.planning.options import Options
from hashcompat.analysis.planning.view import View
from hashcompat.api.inputs import (
    Names,
    OptionFields,
    Source,
    catalog_of,
    check_bools,
    check_keywords,
    ends_of,
    load,
    names_of,
    nothing_in,
    path_of,
    question_of,
    release_of,
    some_names_of,
    wrong,
)
from hashcompat.core.catalog.lookup import Catalog, default_catalog
from hashcompat.core.errors import UsageError
from hashcompat.core.model.plan import AUTO, Plan
from hashcompat.core.model.pods import Source as Origin
from hashcompat.core.model.preflight import Normalization, Preflight
from hashcompat.core.policies import STRICTER, FailOn, Policy, PolicySetting, policy_of, settled
from hashcompat.core.policies.exceptions import Exemption, Identity, baseline_of, check_target
from hashcompat.core.records.index import Records, index
from hashcompat.core.records.probes import Dump
from hashcompat.sources import dating, filters
from hashcompat.sources.files.dumps import dumps_in
from hashcompat.sources.filters import Filters

if TYPE_CHECKING:
    from hashcompat.analysis.preflight import Context, PreflightRequest


class PolicyFields(TypedDict, total=False):
    """The flags of a policy, as texts; None keeps a settings file from giving that key."""

    max_restarts: str | None
    max_per_owner: str | None
    max_per_node: str | None
    fail_on: str | None
    preflight: str | None
    exceptions: str | None
    baseline: str | None
    strict: bool
    plan_max_age: str | None
    max_age: str | None
    cluster_uid: str | None
    report_only: bool


class LoadedPolicy(msgspec.Struct, frozen=True):
    """A policy with what its files hold."""

    policy: Policy
    exemptions: tuple[Exemption, ...] = ()
    baseline: str = ""
    """The name of the earlier plan or gate, which is read with the plan whose target it must have."""
    preflight: str = ""
    """The name of the report, which is read like that."""


def load_policy(config: str | PathLike[str] | None = None, **given: Unpack[PolicyFields]) -> LoadedPolicy:
    """Read a policy as the command line does, of a settings file and of what is given here in place of flags.

    The file loosens nothing that is given. No variable counts, and no file that is not named. Raises
    InputError for a file that is wrong, or that others may write, and UsageError for a value that is.
    """
    from hashcompat.sources.files.settings import (  # noqa: PLC0415 - who judges plans needs no YAML
        check_named,
        exemptions,
        settings_file,
    )

    if unknown := sorted({key.replace("_", "-") for key in given} - {*STRICTER}):
        raise UsageError(f"{unknown[0]}: no such key; the keys are {', '.join(STRICTER)}")
    for key, value in given.items():
        if not isinstance(value, str | int | PathLike | None):
            raise wrong(key, "a text as the flag has it, or None", value)
    forbidden = [key.replace("_", "-") for key, value in given.items() if value is None]
    flags = {
        key.replace("_", "-"): PolicySetting(
            str(value).lower() if isinstance(value, bool) else str(value), key
        )
        for key, value in given.items()
        if value is not None
    }
    files = [settings_file(Path(path_of(config, "config")), forbidden)] if config is not None else []
    counted = settled(flags, files)
    if "verify-key" in counted.settings:  # the plan that is judged is no file, and has no signature
        raise UsageError(
            f"{counted.settings['verify-key'].place}: only hashcompat gate --plan verifies plans"
        )
    check_named(counted)
    names = {key: setting.file for key, setting in counted.settings.items()}
    return LoadedPolicy(
        policy_of(counted),
        exemptions(Path(names["exceptions"])) if "exceptions" in names else (),
        names.get("baseline", ""),
        names.get("preflight", ""),
    )


def gate(
    plan: Plan,
    policy: Policy | LoadedPolicy | None = None,
    *,
    exemptions: Iterable[Exemption] = (),
    baseline: Plan | None = None,
    preflight: Preflight | None = None,
    today: date | None = None,
) -> GateResult:
    """Return what a policy makes of a plan; without a policy nothing may restart and nothing be UNKNOWN.

    ``baseline`` is an earlier plan, whose findings do not count. ``today``, in UTC and by default the present
    day, is that by which exceptions expire. Raises InputError for a plan that the policy refuses (too old
    itself or made of what is too old, of an unknown age, of another cluster), for exceptions that take too
    long to compare, for a baseline or a preflight of another release, and for a preflight that is too old or
    of another cluster.
    """
    _want_plan(plan, "plan")
    if baseline is not None:
        _want_plan(baseline, "baseline")
    accepted_by = tuple(exemptions) if isinstance(exemptions, Iterable) else (None,)
    if not all(isinstance(exemption, Exemption) for exemption in accepted_by):
        raise wrong("exemptions", "Exemptions; load_policy reads those of a file", exemptions)
    if not isinstance(preflight, Preflight | None):
        raise wrong("preflight", "what preflight_nodes returned", preflight)
    if not isinstance(today, date | None) or isinstance(today, datetime):  # which no date compares with
        raise wrong("today", "a date", today)
    if not isinstance(policy, Policy | LoadedPolicy | None):
        raise wrong("policy", "a Policy, or what load_policy returned", policy)
    loaded = policy if isinstance(policy, LoadedPolicy) else LoadedPolicy(policy or Policy())
    now = datetime.now(UTC)
    # a plan that is refused is not judged: no outcome of it would mean anything
    check_age(plan, loaded.policy, now)
    check_input_age(plan.origin, loaded.policy, now)
    check_cluster(plan, loaded.policy.cluster, "the policy's")
    accepted = _accepted(plan, loaded, baseline)
    if preflight is None:
        preflight = _report(plan, loaded, now)
    else:
        check_preflight(preflight, plan, loaded.policy, now)
    if preflight is None and FailOn.PREFLIGHT in loaded.policy.fail_on:
        raise UsageError("preflight: the policy fails on it; want what preflight_nodes returned")
    extra = ExtraInputs((*loaded.exemptions, *accepted_by), accepted, preflight)
    made = judge(plan, loaded.policy, extra, today or now.date())
    return structs.replace(made, making=default_catalog().making(dating.now()))


def _is_target(plan: Plan) -> Callable[[str], bool]:
    return partial(default_catalog().is_same_build, plan.to_release)


def _accepted(plan: Plan, loaded: LoadedPolicy, baseline: Plan | None) -> frozenset[Identity]:
    """Return the findings that an earlier plan or its file has."""
    findings = frozenset[Identity]()
    if baseline:
        check_target(baseline.to_release, plan.to_release, _is_target(plan))
        findings = baseline_of(baseline.items)
    if loaded.baseline:
        from hashcompat.sources.files.reports import baseline_in  # noqa: PLC0415 - as above

        findings |= baseline_in(loaded.baseline, plan.to_release, _is_target(plan))
    return findings


def _report(plan: Plan, loaded: LoadedPolicy, now: datetime) -> Preflight | None:
    if not loaded.preflight:
        return None
    from hashcompat.sources.files.reports import report_in  # noqa: PLC0415 - as above

    check = partial(check_preflight, plan=plan, policy=loaded.policy, now=now)
    return report_in(loaded.preflight, plan.to_release, _is_target(plan), check)


def _want_plan(given: object, argument: str) -> None:
    if not isinstance(given, Plan):
        raise wrong(argument, "a Plan", given)


def gate_after(
    plan: Plan,
    source: Source,
    nodes: Names,
    *,
    begun: Mapping[str, datetime] | None = None,
    records: Records | None = None,
    catalog: Catalog | None = None,
) -> GateResult:
    """Return what became of the containers of some nodes, by name, once their kubelets were upgraded.

    ``source`` is what the cluster shows now, nodes included. ``begun`` is when the upgrade of each node
    began, in UTC; else it is taken to be after the plan was made. ``records`` are those of the containers
    that run now, whose hashes are compared too. Raises InputError for a plan of another cluster, and for one
    without a container on these nodes.
    """
    _want_plan(plan, "plan")
    names, release_data = some_names_of(nodes, "nodes"), catalog_of(catalog)
    if not isinstance(begun, Mapping | None):
        raise wrong("begun", "times by the names of nodes", begun)
    times = begun or {}
    for name, time in times.items():
        if not isinstance(time, datetime) or time.tzinfo is None:
            raise UsageError(f"begun: want a datetime with its zone for {name}")
    if not isinstance(records, Records | None):
        raise wrong("records", "Records, such as load_records returns", records)
    inventory = load(source)
    if plan.origin.cluster and inventory.origin.cluster:
        check_cluster(plan, inventory.origin.cluster, "what is read now")
    part = filters.narrowed(plan, Filters(nodes=names))
    now = now_of(
        inventory,
        names,
        plan.to_release,
        catalog=release_data,
        begun=times,
        records=records or Records(),
    )
    made = judge_after(part, Policy(), now)
    return structs.replace(made, making=release_data.making(dating.now()))


def load_dumps(*paths: str | PathLike[str]) -> list[Dump]:
    """Return what ``hashcompat collector --preflight`` printed on nodes: files, directories, archives.

    Raises InputError, naming the file, for a path without any dump in it.
    """
    if not paths:
        raise nothing_in("paths", "path")
    return dumps_in(tuple(path_of(path, "paths") for path in paths))


class NodeFields(TypedDict, total=False):
    """What else is known of nodes."""

    source: Source | None
    """The cluster's nodes and pods; a plan is made of them too."""
    apiserver: str
    """The release of the API server that the kubelets will talk to; empty for those that the source shows."""
    ignored: Names
    """The ids of checks whose errors count as warnings, or ``all``."""
    now: datetime
    """The time by which certificates are judged, by default the present."""
    normalized: bool
    """Whether records are to be rewritten first: is that possible, and what of the plan is left?"""
    override_node_releases: bool
    """Whether ``from_`` counts on nodes, too, that report another release."""


def preflight_nodes(
    dumps: Sequence[Dump] | None,
    to: str,
    from_: str = AUTO,
    *,
    catalog: Catalog | None = None,
    **fields: Unpack[NodeFields],
) -> Preflight:
    """Return what breaks on nodes, apart from container hashes, when their kubelets are restarted.

    With None for ``dumps`` the nodes of the source are checked by their objects alone. ``from_`` may
    be ``auto``: what each node shows. Errors as ``plan``.
    """
    from hashcompat.analysis.preflight import PreflightRequest, inspect  # noqa: PLC0415 - it imports a YAML parser

    check_keywords(fields, NodeFields.__annotations__)
    is_list = dumps is None or (isinstance(dumps, Sequence) and all(isinstance(dump, Dump) for dump in dumps))
    if not is_list or isinstance(dumps, str):
        raise wrong("dumps", "what load_dumps returned, or None", dumps)
    if dumps is not None and not dumps:
        raise nothing_in("dumps", "dump, or None for the nodes of the source")
    now = fields.get("now")
    if not isinstance(now, datetime | None) or (now is not None and now.tzinfo is None):
        raise wrong("now", "a datetime with its zone", now)
    normalized = fields.get("normalized", False)
    overridden = fields.get("override_node_releases", False)
    check_bools(normalized=normalized, override_node_releases=overridden)
    release_data = catalog_of(catalog)
    current = "" if from_ == AUTO else release_of(from_, release_data, "from_")
    question = PreflightRequest(
        release_of(to, release_data, "to"),
        current,
        release_of(fields.get("apiserver", ""), release_data, "apiserver"),
        _ignored(fields.get("ignored", ())),
        now or datetime.now(UTC),
        normalized,
        overridden,
    )
    made = inspect(
        dumps, _context(fields.get("source"), question, dumps or (), release_data), question, release_data
    )
    return structs.replace(made, making=release_data.making(dating.now()))


def _ignored(given: Names) -> tuple[str, ...]:
    from hashcompat.analysis.preflight import check_ids  # noqa: PLC0415 - as above

    names = names_of(given, "ignored")
    try:
        return tuple(check_ids(names))
    except UsageError as error:
        raise UsageError(f"ignored: {error}") from None


def _context(
    source: Source | None, question: PreflightRequest, dumps: Sequence[Dump], catalog: Catalog
) -> Context:
    """Return what the source shows, and the plan that is made of it."""
    from hashcompat.analysis.preflight import Context, context_of, with_reported_releases  # noqa: PLC0415 - as above

    if source is None:
        return Context()
    inventory = load(source)
    inventory = structs.replace(
        inventory, nodes=with_reported_releases(inventory.nodes, dumps), pods=tuple(inventory.pods)
    )
    options = Options(
        keep_going=True,
        records=index(inventory.records),
        apiserver_to=question.server,
        normalized=question.normalized,
        override_node_releases=question.overridden,
    )
    plan = planning.make(inventory, question.current or AUTO, question.target, View(catalog, options))
    sample = inventory.origin.kind is Origin.SAMPLE
    context = context_of(
        inventory.nodes, inventory.pods, plan.items, inventory.servers.releases, sample=sample
    )
    return structs.replace(context, origin=plan.origin)


def normalize(
    source: Source,
    from_: str = AUTO,
    to: str = "",
    *,
    catalog: Catalog | None = None,
    **options: Unpack[OptionFields],
) -> Normalization:
    """Return which recorded hashes to rewrite so that an upstream kubelet keeps another release's containers.

    ``records`` among the options are what runtimes recorded, and static pods need their manifests
    (``load_static_pods``). Nothing is changed. Errors as ``plan``, and UsageError for a target kubelet that
    is assumed to be patched, or that compares the names of containers (up to 1.5).
    """
    ends = ends_of(from_, to, catalog)
    created = datetime.now(UTC).replace(microsecond=0)
    inventory, view = question_of(source, catalog, options)
    made = normalizing.make(inventory, *ends, view)
    return structs.replace(made, making=view.catalog.making(created))


def patch(
    kubelet: str,
    like: Names,
    strategy: str = "accept",
    choices: Choices = Choices(),
    *,
    catalog: Catalog | None = None,
) -> Patch | None:
    """Return the patch with which a kubelet accepts or computes the hashes of the releases ``like``.

    None where it computes them already. ``strategy`` is ``accept``, ``pin`` or ``strip``. Raises UsageError
    for unknown releases and strategies, and for what the strategy cannot do.
    """
    release_data = catalog_of(catalog)
    likes = [release_of(name, release_data, "like", only=True) for name in some_names_of(like, "like")]
    if not isinstance(choices, Choices):
        raise wrong("choices", "Choices", choices)
    if release_data.known.is_short(choices.until):
        choices = structs.replace(choices, until=release_of(choices.until, release_data))
    target = release_of(kubelet, release_data, "kubelet", only=True)
    return strategies.make_patch(target, likes, strategy, release_data, choices)


def patch_text(made: Patch, source: Mapping[str, str]) -> str:
    """Return a patch as ``git format-patch`` prints it.

    ``source`` holds the text of each file that ``made.edits`` name, by path. Raises MisplacedError, naming
    file and hunk, where a file is not that of upstream's release.
    """
    if not isinstance(made, Patch):
        raise wrong("made", "what patch returned, and not None", made)
    if not isinstance(source, Mapping):
        raise wrong("source", "the texts of files by their paths", source)
    if missing := [edit.path for edit in made.edits if not isinstance(source.get(edit.path), str)]:
        raise UsageError(f"source: want the text of {missing[0]}, which the patch changes")
    return mail(made, apply(made, source))


def patch_audit(
    source: Source,
    kubelet: str,
    like: str,
    *,
    catalog: Catalog | None = None,
    **options: Unpack[OptionFields],
) -> Audit:
    """Return the containers whose hash with strategy ``strip`` is not that of ``like``."""
    inventory, view = question_of(source, catalog, options)
    new, old = (
        view.catalog.kubelet(release_of(name, catalog, argument, only=True))
        for name, argument in ((kubelet, "kubelet"), (like, "like"))
    )
    check_strip(new, [old])
    return audit(inventory, old, new, view)
