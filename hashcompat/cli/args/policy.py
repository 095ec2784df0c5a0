"""What a rollout may do, on the command line and in settings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from hashcompat.cli import settings
from hashcompat.cli.args.declare import group, option, values_of
from hashcompat.errors import UsageError
from hashcompat.gating.policy import DEFAULT, FailOn, Setting, Settled
from hashcompat.model.plan import Plan

if TYPE_CHECKING:
    from hashcompat.catalog.lookup import Catalog
    from hashcompat.gating.judge import ExtraInputs
    from hashcompat.model.impact import Impact

_FORBIDDEN: Final = ("exceptions", "baseline", "report-only")
"""The keys that ``--no-KEY`` leaves out, wherever they are given."""


@group
class PolicyFlags:
    """What fails, how much is allowed, and what does not count."""

    HEADING: ClassVar = "Policy"

    max_restarts: str | None = option(
        "--max-restarts",
        metavar="N|P%",
        help="Maximum number or share of containers that may restart; default: none.",
    )
    max_per_owner: str | None = option(
        "--max-per-owner",
        metavar="N|P%",
        help="Maximum number or share of one owner's containers that may restart.",
    )
    max_per_node: str | None = option(
        "--max-per-node",
        metavar="N|P%",
        help="Maximum number or share of one node's containers that may restart.",
    )
    fail_on: str | None = option(
        "--fail-on",
        metavar="WHAT[,WHAT...]",
        help=f"What fails: some of {', '.join(FailOn)}; default: {', '.join(DEFAULT)}.",
    )
    preflight: str | None = option(
        "--preflight",
        metavar="FILE",
        help="A saved report (hashcompat preflight --out): its errors fail the gate, its UNKNOWN "
        "checks leave it undecided.",
    )
    exceptions: str | None = option(
        "--exceptions", metavar="FILE", help="YAML file of accepted findings, each with an expiry date."
    )
    baseline: str | None = option(
        "--baseline", metavar="FILE", help="Ignore findings already in this earlier plan or gate result."
    )
    strict: bool = option("--strict", is_flag=True, help="Ignore exceptions.")
    plan_max_age: str | None = option(
        "--plan-max-age", metavar="DURATION", help="Maximum age of a saved plan, such as 24h."
    )
    max_age: str | None = option(
        "--max-age",
        metavar="DURATION",
        help="Maximum age of the plan's input, judged by the times in it; unknown age is refused.",
    )
    cluster_uid: str | None = option(
        "--cluster-uid",
        metavar="UID",
        help="The UID of the kube-system namespace; a plan of another cluster is refused.",
    )
    verify_key: str | None = option(
        "--verify-key",
        metavar="FILE",
        help="The key that the plan must have been signed with (plan --sign-key).",
    )
    report_only: bool = option(
        "--report-only", is_flag=True, help="Exit 0 whatever is found; still exit 1 if the program fails."
    )

    config: str | None = option(
        "--config",
        metavar="FILE|none",
        help="The settings file to use instead of ./.hashcompat.yaml and the user's own; none: use no "
        "settings file.",
    )
    no_exceptions: bool = option(
        "--no-exceptions",
        is_flag=True,
        help="Ignore exceptions named by an environment variable or settings file.",
    )
    no_baseline: bool = option(
        "--no-baseline",
        is_flag=True,
        help="Ignore a baseline named by an environment variable or settings file.",
    )
    no_report_only: bool = option(
        "--no-report-only",
        is_flag=True,
        help="Ignore --report-only from an environment variable or settings file.",
    )

    def settled(self) -> Settled:
        """Return the settings of flags, environment and files; errors as ``settings.settled``."""
        flags = {name.replace("_", "-"): value for name, value in values_of(self).items()}
        config, forbidden = flags.pop("config"), [key for key in _FORBIDDEN if flags.pop(f"no-{key}")]
        given = {
            key: "true" if value is True else value
            for key, value in flags.items()
            if value not in (None, False)
        }
        for key in forbidden:
            if key in given:
                raise UsageError(f"--no-{key}: not with --{key}")
        return settings.settled(given, config, forbidden)


def besides_of(
    found: Mapping[str, Setting], plan: Plan, catalog: Catalog, impact: Impact | None = None
) -> ExtraInputs:
    """Read the files that a policy names; raises InputError, naming the file, for what is wrong in one."""
    from pathlib import Path

    from hashcompat.gating.judge import ExtraInputs
    from hashcompat.sources.files.checks import report_in
    from hashcompat.sources.files.gates import baseline_in
    from hashcompat.sources.files.settings import exemptions

    files = {key: found[key].file for key in ("exceptions", "baseline", "preflight") if key in found}
    is_of = partial(catalog.is_same_build, plan.to_release)
    return ExtraInputs(
        exemptions(Path(files["exceptions"])) if "exceptions" in files else (),
        baseline_in(files["baseline"]) if "baseline" in files else frozenset(),
        report_in(files["preflight"], plan.to_release, is_of) if "preflight" in files else None,
        impact,
    )
