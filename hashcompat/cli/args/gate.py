"""What a rollout may do, and where each setting comes from; what was upgraded, and whose turn it is.

A flag counts first, then the environment, then the nearest settings file that has it.
"""

from __future__ import annotations

import getpass
import os
import re
import socket
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, Protocol, TypeVar

import msgspec

from hashcompat.cli.args import Whole, flag, group, option, values_of
from hashcompat.cli.args.source import cluster_state
from hashcompat.core.errors import UsageError
from hashcompat.core.model.impact import Rollout
from hashcompat.core.model.items import near
from hashcompat.core.model.plan import Plan
from hashcompat.core.policies import DEFAULT, FailOn, Policy, PolicySetting, Settled, is_boolean, settled
from hashcompat.sources.files.settings import FILE, Gate, check_named, exemptions, settings_file

if TYPE_CHECKING:
    from hashcompat.analysis.gating import GateResult
    from hashcompat.analysis.gating.judge import ExtraInputs
    from hashcompat.cli.args.source import ClusterOptions
    from hashcompat.core.catalog.lookup import Catalog
    from hashcompat.core.model.impact import Impact


_PROGRAM: Final = "HASHCOMPAT_"
_PREFIX: Final = f"{_PROGRAM}GATE_"
_OF_SERVICES: Final = ("service-", "port")
"""How the variables go on that containers have for a Service named ``hashcompat-gate``."""
_CONFIG: Final = "HASHCOMPAT_CONFIG"
_NONE: Final = "none"
KEYS: Final[Mapping[str, bool]] = {
    field.encode_name: bool in getattr(field.type, "__args__", ()) for field in msgspec.structs.fields(Gate)
}
"""The settings of ``gate``, each with whether it is true or false."""


def settled_settings(
    flags: Mapping[str, str], config: str | None = None, forbidden: Collection[str] = ()
) -> Settled:
    """Return every setting that counts, by its key; ``flags`` are those of the command line.

    ``config`` is the settings file, or ``none``; without it HASHCOMPAT_CONFIG and the usual places decide.
    Of ``forbidden`` keys no variable and no file counts. Raises UsageError for a variable of an unknown
    setting, and InputError, with file and line, for a settings file that is wrong, and for one, or a file
    that it names, which others may write.
    """
    files = [settings_file(path, forbidden) for path in _files(config)]
    settings = {key: value for key, value in _of_environment(flags) if key not in forbidden}
    settings |= {key: PolicySetting(text, f"--{key}") for key, text in flags.items()}
    chosen = settled(settings, files)
    check_named(chosen)
    return chosen


def _files(config: str | None) -> Iterator[Path]:
    """Yield the settings files that there are, the nearest one first.

    A directory in HASHCOMPAT_CONFIG, as older versions took it, is that of the user's own. A file that is
    named must be there; of the others, whatever has the name is looked at.
    """
    from_flag = config is not None
    chosen = config if from_flag else os.environ.get(_CONFIG)
    if chosen == "":
        raise UsageError(f"{_CONFIG}: the value is empty; name a file, or do not set it")
    if chosen == _NONE:
        return
    if from_flag or (chosen and not os.path.isdir(chosen)):  # noqa: PTH112
        if chosen == "-" or "://" in str(chosen):
            raise UsageError(f"{'--config' if from_flag else _CONFIG}: want a file, or none")
        yield Path(str(chosen))
        return
    from platformdirs import user_config_path

    user = Path(chosen) if chosen else user_config_path("hashcompat", appauthor=False)
    places = dict.fromkeys((Path(FILE), user / FILE))
    yield from (path for path in places if os.path.lexists(path))


def _of_environment(flags: Collection[str]) -> Iterator[tuple[str, PolicySetting]]:
    for name, value in sorted(os.environ.items()):
        if not name.startswith(_PREFIX):
            # next to the flag it may be what a script fills that with
            if (key := _key(name, _PROGRAM)) in KEYS and key not in flags:
                raise UsageError(f"{name}: no such setting; near it: {name.replace(_PROGRAM, _PREFIX, 1)}")
            continue
        key = _key(name, _PREFIX)
        if key.startswith(_OF_SERVICES):
            continue
        if key not in KEYS:
            close = near(key, KEYS, most=1) or list(KEYS)
            names = ", ".join(f"{_PREFIX}{setting.upper().replace('-', '_')}" for setting in close)
            raise UsageError(f"{name}: no such setting; near it: {names}")
        if KEYS[key] and not is_boolean(value.lower()):
            raise UsageError(f"{name}: want true or false")
        if not value:
            raise UsageError(f"{name}: the value is empty; give one, or do not set it")
        yield key, PolicySetting(value.lower() if KEYS[key] else value, name)


def _key(name: str, prefix: str) -> str:
    """Return which setting a variable names behind its prefix; empty for one without that."""
    return name[len(prefix) :].lower().replace("_", "-") if name.startswith(prefix) else ""


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
    strict: bool = flag("--strict", help="Ignore exceptions.")
    plan_max_age: str | None = option(
        "--plan-max-age", metavar="DURATION", help="Maximum age of a saved plan or preflight, such as 24h."
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
    report_only: bool = flag(
        "--report-only", help="Exit 0 whatever is found; still exit 1 if the program fails."
    )
    config: str | None = option(
        "--config",
        metavar="FILE|none",
        help="The settings file to use instead of ./.hashcompat.yaml and the user's own; none: use no "
        "settings file.",
    )
    no_exceptions: bool = flag(
        "--no-exceptions", help="Ignore exceptions named by an environment variable or settings file."
    )
    no_baseline: bool = flag(
        "--no-baseline", help="Ignore a baseline named by an environment variable or settings file."
    )
    no_report_only: bool = flag(
        "--no-report-only", help="Ignore --report-only from an environment variable or settings file."
    )

    def settled(self) -> Settled:
        """Return the settings of flags, environment and files; errors as ``settled_settings``."""
        flags = {name.replace("_", "-"): value for name, value in values_of(self).items()}
        config, forbidden = flags.pop("config"), [key for key in _FORBIDDEN if flags.pop(f"no-{key}")]
        texts = {
            key: "true" if value is True else value
            for key, value in flags.items()
            if value not in (None, False)
        }
        for key in forbidden:
            if key in texts:
                raise UsageError(f"--no-{key}: not with --{key}")
        return settled_settings(texts, config, forbidden)


def extra_inputs_of(
    settings: Mapping[str, PolicySetting], policy: Policy, plan: Plan, catalog: Catalog, impact: Impact | None
) -> ExtraInputs:
    """Read the files that a policy names; raises InputError, naming the file, for what is wrong in one."""
    from hashcompat.analysis.gating.judge import ExtraInputs, check_preflight
    from hashcompat.sources.files.reports import baseline_in, report_in

    files = {key: settings[key].file for key in ("exceptions", "baseline", "preflight") if key in settings}
    is_of = partial(catalog.is_same_build, plan.to_release)
    check = partial(check_preflight, plan=plan, policy=policy, now=datetime.now(UTC))
    return ExtraInputs(
        exemptions(Path(files["exceptions"])) if "exceptions" in files else (),
        baseline_in(files["baseline"], plan.to_release, is_of) if "baseline" in files else frozenset(),
        report_in(files["preflight"], plan.to_release, is_of, check) if "preflight" in files else None,
        impact,
    )


T = TypeVar("T")
_CONFIGMAP: Final = "configmap:"
_NAME: Final = r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?"
WHERE: Final = "FILE|configmap:NAMESPACE/NAME"


class RolloutStore(Protocol):
    """Where the state of a rollout is kept."""

    def read(self) -> Rollout:
        """Return it; one that is not there has no nodes."""

    def update(self, edit: Callable[[Rollout], tuple[Rollout | None, T]]) -> T:
        """Write the state that ``edit`` returns, if any, unless others write at the same time."""


@group
class RolloutFlags:
    """How nodes are upgraded one after the other."""

    HEADING: ClassVar = "Rollout"

    after: bool = flag(
        "--after",
        help="Check after the upgrade of --node: compare the plan with what happened to its containers.",
    )
    state: str | None = option(
        "--state",
        metavar=WHERE,
        help="Where a rollout keeps which nodes were started, are done or have failed: the gate takes "
        "the turn of --node there; with --after it ends that turn.",
    )
    settle: int = option(
        "--settle",
        type=Whole(0, 3600),
        default=0,
        metavar="SECONDS",
        help="With --after: how long to keep checking while the kubelet of --node settles. A surprise "
        "that persists ends the wait.",
    )
    take_over: bool = flag(
        "--take-over", help="Take over the turn of --node if it was started but not decided, or if it failed."
    )
    holder: str | None = option(
        "--holder", metavar="NAME", help="Who takes the turn, for humans; default: USER@HOST."
    )

    def check(self, *, plan: str | None, nodes: tuple[str, ...]) -> None:
        """Raise UsageError for flags that mean nothing together."""
        for name, value in (("--after", self.after), ("--state", self.state)):
            if value and not plan:
                raise UsageError(f"{name} goes with a saved plan; give it with --plan FILE")
            if value and not nodes:
                raise UsageError(f"{name} is about nodes; name them with --node")
        if self.settle and not self.after:
            raise UsageError("--settle goes with --after")
        for name, value in (("--take-over", self.take_over), ("--holder", self.holder)):
            if value and (self.after or not self.state):
                raise UsageError(f"{name} goes with --state, before a node is upgraded")

    def store(self, access: ClusterOptions) -> RolloutStore | None:
        """Return where the state is kept; None without ``--state``."""
        if not self.state:
            return None
        if place := configmap_of(self.state):
            return cluster_state(access, *place)
        from hashcompat.sources.files.rollout import RolloutFile

        return RolloutFile(Path(os.path.realpath(self.state)))

    @property
    def who(self) -> str:
        """Who takes the turn."""
        return self.holder or f"{_user()}@{socket.gethostname()}"


def configmap_of(text: str) -> tuple[str, str] | None:
    """Return the namespace and name in ``configmap:NAMESPACE/NAME``, nothing for a file; or UsageError."""
    if not text.startswith(_CONFIGMAP):
        return None
    namespace, _, name = text.removeprefix(_CONFIGMAP).partition("/")
    if not (re.fullmatch(_NAME, namespace) and re.fullmatch(_NAME, name)):
        raise UsageError(f"--state: want {WHERE}, got {text!r}")
    return namespace, name


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container whose user has no name
        return str(os.getuid())


_BETWEEN: Final = 5.0
"""Seconds between two readings."""


def after_settling(
    judge: Callable[[bool], GateResult],
    seconds: float,
    *,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> GateResult:
    """Judge nodes again and again until so many seconds have passed; a surprise that persists ends the wait.

    What is as predicted is judged until the end: a kubelet that has not looked at a pod may still restart it.
    ``judge`` reads the nodes, given whether they are still settling.
    """
    from hashcompat.analysis.gating import Outcome

    end = clock() + seconds
    while (left := end - clock()) > 0:
        result = judge(True)
        if result.outcome is Outcome.FAIL:
            return result
        # not past the end, for the reading after it is the one that counts
        sleep(min(_BETWEEN, left))
    return judge(False)
