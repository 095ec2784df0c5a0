"""``hashcompat releases``, ``version``, ``rules`` and ``rbac``: what is known, and rights in a cluster."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from itertools import chain
from typing import Annotated, Final

from hashcompat.analysis.answers.comparison import compare_releases, known_releases, versions
from hashcompat.cli import output
from hashcompat.cli.args import argument, flag, group, option
from hashcompat.cli.args import command as declared
from hashcompat.cli.args.common import OutputOptions, ReleaseData, ReleaseNames, shows
from hashcompat.cli.args.gate import configmap_of
from hashcompat.cli.args.inventory import cluster_scope
from hashcompat.cli.args.source import ScopeOptions
from hashcompat.core.catalog import files
from hashcompat.core.catalog.added import added
from hashcompat.core.catalog.lookup import Catalog, default_catalog
from hashcompat.core.catalog.releases import is_older
from hashcompat.core.errors import InputError, UsageError
from hashcompat.core.model.plan import AUTO
from hashcompat.core.release import parse_release
from hashcompat.core.rules import CHECKS, Rule, RuleList, all_rules
from hashcompat.output.formats.documents import to_json
from hashcompat.output.report.releases import DIFFERENCE, RELEASES, ROLES, VERSION
from hashcompat.output.report.rules import PAGES, RULES
from hashcompat.sources.cluster.own import minimal_roles
from hashcompat.sources.content import LONGEST_SOURCE, all_of
from hashcompat.sources.files import inputs, named, require_end


@group
class Arguments:
    """What ``releases`` is asked."""

    add: str | None = option(
        "--add",
        metavar="VERSION",
        help="Add a release newer than this program knows, from its Go types; a pre-release too.",
    )
    types: str | None = option(
        "--types",
        metavar="FILE|URL",
        help="The release's core/v1/types.go; default: from k8s.io/api on GitHub.",
    )
    data: ReleaseData
    shown: Annotated[OutputOptions, shows(RELEASES, DIFFERENCE)]


@declared("releases", Arguments, short_help="List the known kubelet releases, or add a newer one.")
def command(arguments: Arguments) -> None:
    """List the known kubelet releases: the type tree, hash era and Go release of each minor.

    With --add: save a newer release in the user's data directory, and show how its types differ from those of
    the newest known release. Its algorithm and behaviour are assumed to be the same, and plans say so.
    """
    if arguments.types and not arguments.add:
        raise UsageError("--types goes with --add RELEASE")
    output.ready(DIFFERENCE if arguments.add else RELEASES, arguments.shown)
    if not arguments.add:
        output.show(RELEASES, known_releases(arguments.data.catalog()), arguments.shown)
        return
    if arguments.data.schemas:
        raise UsageError("--add saves among the user's data, not in --schemas DIR")
    add_release(arguments.add, arguments.types, arguments.shown)


_TYPES: Final = "https://raw.githubusercontent.com/kubernetes/api/v0.{tag}/core/v1/types.go"


def add_release(name: str, source: str | None, shown: OutputOptions) -> None:
    """Save a release's types among the user's data, and show what differs from the newest known release.

    Raises UsageError for a release that is not newer, InputError for types that cannot be read; nothing is
    saved then.
    """
    # downloads need requests, which takes longer to import than the list of releases to print
    from hashcompat.sources.upstream import ROOT, container_types

    catalog = Catalog(files.default_directory())
    newest = catalog.known.newest
    release = parse_release(name, pre=True)
    if release.vendor or is_older(release, parse_release(newest)) or catalog.known.has_minor(release):
        raise UsageError(
            f"{name!r} cannot be added: "
            f"want an upstream release of a newer minor than {newest}, the newest known one"
        )
    tag = f"{release.minor_number}.{release.patch}{release.stage}"
    origin, data = _types_go(source or _TYPES.format(tag=tag))
    document = {
        "release": release.upstream,
        "package": "v1",
        "releases": f"=={release.upstream}",
        "madeFrom": origin,
        "root": ROOT,
        "types": container_types(data, origin),
    }
    try:
        addition = added(document)
    except InputError as error:
        raise InputError(f"{origin}: {error}") from None
    directory = files.user_directory()
    path = directory / f"{release.minor}.json"
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{directory}: cannot write: {error.strerror}") from None
    output.write_whole(path, chain(to_json(addition.document), "\n"))
    difference = compare_releases(newest, str(release), Catalog(files.default_directory(), directory))
    output.show(DIFFERENCE, difference, shown)
    output.note(f"Added {release.upstream}: {path}; remove the file to forget it")


def _types_go(source: str) -> tuple[str, bytes]:
    sources = list(inputs(source, recursive=False, suffixes=(".go",)))
    if len(sources) > 1:
        raise InputError(f"{source}: {len(sources)} Go files in this directory; name core/v1/types.go itself")
    require_end(sources[0])
    with sources[0].open() as stream, named(sources[0].origin):
        return sources[0].origin, all_of(stream, LONGEST_SOURCE)


@group
class VersionArguments:
    """What ``version`` is asked."""

    data: ReleaseData
    shown: Annotated[OutputOptions, shows(VERSION)]


@declared(
    "version", VersionArguments, short_help="Print this program's version and the range of known releases."
)
def version_command(arguments: VersionArguments) -> None:
    """Print this program's version and the oldest and newest kubelet releases that it knows."""
    output.show(VERSION, versions(arguments.data.catalog()), arguments.shown)


# The reasons behind verdicts and the checks of nodes, all or some with their pages.

_ID: Final = re.compile(r"(HC|PF)[-_ ]?(\d{1,3})", re.IGNORECASE)
"""An id as people write it: ``hc4``, ``HC-004``, ``pf103``."""


@group
class RuleArguments:
    """What ``rules`` is asked."""

    ids: tuple[str, ...] = argument(nargs=-1, metavar="[RULE...]")
    shown: Annotated[OutputOptions, shows(RULES, PAGES)]


@declared("rules", RuleArguments, short_help="List the rules behind verdicts and the checks of nodes.")
def rules_command(arguments: RuleArguments) -> None:
    """List the rules behind verdicts and the checks of preflight by their stable ids.

    With RULE, such as HC004 or PF-103: what it means, how to confirm it on a node, how to avoid it, since
    which release it occurs, and the upstream change.
    """
    rules = {rule.id: rule for rule in (*all_rules(), *all_rules(CHECKS))}
    wanted = {_rule_id(name, rules) for name in arguments.ids} or rules.keys()
    chosen = RuleList(tuple(rule for name, rule in rules.items() if name in wanted))
    output.show(PAGES if arguments.ids else RULES, chosen, arguments.shown)


def _rule_id(name: str, rules: Mapping[str, Rule]) -> str:
    """Return the id that is meant; raises UsageError where there is not one.

    It names those of rules whose names have the word, or the ids nearest to it.
    """
    match = _ID.fullmatch(name)
    meant = f"{match[1].upper()}{'-' * (match[1].upper() == 'PF')}{int(match[2]):03}" if match else name
    if meant in rules:
        return meant
    near = [rule.id for rule in rules.values() if len(name) > 2 and name.lower() in rule.name.lower()][:3]
    first, *_, last = rules
    near = near or get_close_matches(meant.upper(), rules, n=3) or [first, last]
    raise UsageError(f"no rule {name!r}; near it: {', '.join(near)}")


@group
class RoleArguments:
    """What ``rbac`` is asked."""

    from_release: str = option(
        "--from",
        metavar="RELEASE|auto",
        default=AUTO,
        show_default=True,
        help="As in plan; only auto needs access to nodes.",
    )
    impact: bool = flag(
        "--impact", help="Also allow what impact needs: PodDisruptionBudgets and the pods of all nodes."
    )
    state: str | None = option(
        "--state",
        metavar="configmap:NAMESPACE/NAME",
        help="Also allow reading, creating and updating this ConfigMap, for gate --state.",
    )
    service_account: str | None = option(
        "--service-account",
        metavar="NAMESPACE:NAME",
        help="Also print the bindings for this service account.",
    )
    scope: ScopeOptions
    shown: Annotated[OutputOptions, shows(ROLES, default="yaml")]


@declared("rbac", RoleArguments, short_help="Print the minimal RBAC role for reading a live cluster.")
def rbac_command(arguments: RoleArguments) -> None:
    """Print the Role or ClusterRole that a plan with the same flags needs: get and list only, unless --state.

    It covers pods, nodes, and the namespace kube-system, whose UID identifies the cluster.

    With --impact it also covers PodDisruptionBudgets.

    hashcompat rbac --service-account tools:hashcompat | kubectl apply -f -
    """
    release = ReleaseNames(default_catalog(), quiet=True).read_or_auto(arguments.from_release, "--from")
    scope = cluster_scope(arguments.scope, needs_nodes=release == AUTO, budgets=arguments.impact)
    state = configmap_of(arguments.state) if arguments.state else None
    if arguments.state and not state:
        raise UsageError(
            f"--state: a file needs no role; want configmap:NAMESPACE/NAME, got {arguments.state!r}"
        )
    output.show(ROLES, minimal_roles(scope, _account(arguments.service_account), state), arguments.shown)


def _account(text: str | None) -> tuple[str, str] | None:
    if text is None:
        return None
    namespace, _, name = text.partition(":")
    if not namespace or not name or ":" in name:
        raise UsageError(f"--service-account: want NAMESPACE:NAME, got {text!r}")
    return namespace, name
