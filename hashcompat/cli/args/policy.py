"""What a rollout may do, on the command line and in settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Final

from hashcompat.cli.args.declare import group, option, values_of
from hashcompat.cli.settings import Setting, is_on, settled
from hashcompat.errors import InputError, UsageError
from hashcompat.gating.policy import DEFAULT, FailOn, Policy, duration_of, fail_on_of, limit_of
from hashcompat.model.plan import Plan
from hashcompat.model.preflight import Preflight

if TYPE_CHECKING:
    from hashcompat.catalog.lookup import Catalog
    from hashcompat.gating.baseline import Identity
    from hashcompat.gating.judge import Besides
    from hashcompat.model.impact import Impact

_LIMITS: Final = ("max-restarts", "max-per-owner", "max-per-node")


@group
class PolicyFlags:
    """What fails, how much is allowed, and what does not count."""

    HEADING: ClassVar = "Policy"

    max_restarts: str | None = option(
        "--max-restarts", metavar="N|P%", help="How many containers may restart; default: none."
    )
    max_per_owner: str | None = option(
        "--max-per-owner", metavar="N|P%", help="How many of one owner's containers may restart."
    )
    max_per_node: str | None = option(
        "--max-per-node", metavar="N|P%", help="How many of one node's containers may restart."
    )
    fail_on: str | None = option(
        "--fail-on",
        metavar="WHAT[,WHAT...]",
        help=f"What fails: some of {', '.join(FailOn)}; default: {', '.join(DEFAULT)}.",
    )
    preflight: str | None = option(
        "--preflight",
        metavar="FILE",
        help="A report of hashcompat preflight --out; its errors fail, and what is UNKNOWN is undecided.",
    )
    exceptions: str | None = option(
        "--exceptions", metavar="FILE", help="YAML of the findings that are accepted, each until a day."
    )
    baseline: str | None = option(
        "--baseline", metavar="FILE", help="An earlier plan or gate; what it has does not count."
    )
    strict: bool = option("--strict", is_flag=True, help="Ignore exceptions.")
    plan_max_age: str | None = option(
        "--plan-max-age", metavar="DURATION", help="How old a plan may be, such as 24h."
    )
    cluster_uid: str | None = option(
        "--cluster-uid",
        metavar="UID",
        help="The cluster that the plan must be of: the UID of its namespace kube-system.",
    )
    verify_key: str | None = option(
        "--verify-key", metavar="FILE", help="The key that the plan must be signed with (plan --sign-key)."
    )
    report_only: bool = option(
        "--report-only", is_flag=True, help="Exit 0 whatever is found; failures of the program stay 1."
    )

    def settings(self) -> dict[str, Setting]:
        """Return the settings of flags, environment and files; errors as ``settled``."""
        flags = {
            name.replace("_", "-"): "true" if value is True else value
            for name, value in values_of(self).items()
            if value not in (None, False)
        }
        return settled(flags)


def policy_of(found: Mapping[str, Setting]) -> Policy:
    """Return the policy of some settings; raises UsageError for values and combinations that cannot be."""
    restarts, per_owner, per_node = (
        limit_of(found[key].text, found[key].place) if key in found else None for key in _LIMITS
    )
    fail_on = _fail_on(found)
    if (restarts or per_owner or per_node) and not {FailOn.RESTART, FailOn.KILL} & {*fail_on}:
        key = next(key for key in _LIMITS if key in found)
        raise UsageError(f"{found[key].place}: counts nothing: fail-on names neither restart nor kill")
    age = found.get("plan-max-age")
    return Policy(
        restarts,
        per_owner,
        per_node,
        fail_on,
        strict=is_on(found, "strict"),
        max_age=duration_of(age.text, age.place) if age else None,
        max_age_text=age.text if age else "",
        cluster=found["cluster-uid"].text if "cluster-uid" in found else "",
        report_only=is_on(found, "report-only"),
    )


def _fail_on(found: Mapping[str, Setting]) -> tuple[FailOn, ...]:
    given, report = found.get("fail-on"), found.get("preflight")
    if given is None:
        return (*DEFAULT, FailOn.PREFLIGHT) if report else DEFAULT
    words = fail_on_of(given.text, given.place)
    if FailOn.PREFLIGHT in words and not report:
        raise UsageError(f"{given.place} preflight: needs --preflight FILE, a report of hashcompat preflight")
    if report and FailOn.PREFLIGHT not in words:
        raise UsageError(f"{report.place}: counts nothing: {given.place} does not name preflight")
    return words


def besides_of(
    found: Mapping[str, Setting], plan: Plan, catalog: Catalog, impact: Impact | None = None
) -> Besides:
    """Read the files that a policy names; raises InputError, naming the file, for what is wrong in one."""
    from pathlib import Path

    from hashcompat.gating.judge import Besides
    from hashcompat.sources.files.settings import exemptions

    files = {key: found[key].file for key in ("exceptions", "baseline", "preflight") if key in found}
    return Besides(
        exemptions(Path(files["exceptions"])) if "exceptions" in files else (),
        _baseline(files["baseline"]) if "baseline" in files else frozenset(),
        _preflight(files["preflight"], plan, catalog) if "preflight" in files else None,
        impact,
    )


def _baseline(name: str) -> frozenset[Identity]:
    from hashcompat.gating.baseline import baseline_of
    from hashcompat.sources.files import gates, plans
    from hashcompat.sources.files.saved import opened

    readers = {plans.KIND: lambda document: plans.plan_of(document).items, gates.KIND: gates.items_of}
    with opened(name, readers, "what hashcompat plan or hashcompat gate saves with --out FILE") as document:
        return baseline_of(readers[document.kind](document))


def _preflight(name: str, plan: Plan, catalog: Catalog) -> Preflight:
    """Read a preflight of the release that the plan is for."""
    from hashcompat.catalog.releases import same_build
    from hashcompat.sources.files import checks
    from hashcompat.sources.files.saved import opened

    with opened(name, (checks.KIND,), "what hashcompat preflight saves with --out FILE") as document:
        found = checks.checks_of(document)
        known = catalog.knows(found.target) and catalog.knows(plan.to_release)
        ends = [catalog.kubelet(one).release for one in (found.target, plan.to_release)] if known else []
        if not (ends and same_build(*ends)):
            raise InputError(f"a preflight of {found.target}, and the plan is of {plan.to_release}")
        return found
