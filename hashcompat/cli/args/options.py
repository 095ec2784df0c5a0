"""Options that several commands share, and what they stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hashcompat.catalog.lookup import Catalog, default_catalog
from hashcompat.cli.output import Output
from hashcompat.errors import UsageError
from hashcompat.model.pods import Inventory, Source
from hashcompat.model.records import Recorded, Sandbox
from hashcompat.planning.options import STRATEGIES, AssumePatch, Options

if TYPE_CHECKING:
    from hashcompat.sources.filters import Filters

Function = TypeVar("Function", bound=Callable[..., Any])

Given = dict[str, Any]
"""The values of a command's options by parameter name, as click hands them over."""

_FORMATS = ("table", "wide", "name", "json", "yaml")

_INPUT = (
    click.option(
        "-f",
        "--filename",
        "files",
        multiple=True,
        metavar="FILE|DIR|URL|-",
        help="Pods as JSON, JSON lines or YAML; repeatable; - is standard input.",
    ),
    click.option(
        "-R", "--recursive", is_flag=True, help="Read the directories given with -f and those below."
    ),
    click.option("--sample", is_flag=True, help="Use the small built-in cluster."),
    click.option(
        "--no-defaults",
        is_flag=True,
        help="Take manifests as they are: no API-server defaults, no canonical quantities.",
    ),
)

_SELECTOR = click.option(
    "-l",
    "--selector",
    metavar="LABELS",
    help="Only pods of the live cluster with these labels, as kubectl reads them.",
)

_CLUSTER = (
    click.option(
        "--context",
        metavar="NAME",
        help="The kubeconfig context of the live cluster; default: the current one.",
    ),
    click.option(
        "--kubeconfig",
        metavar="FILE",
        help="The kubeconfig file; default: KUBECONFIG, then ~/.kube/config, then the pod's own account.",
    ),
    click.option("--as", "as_user", metavar="USER", help="The user to act as in the cluster."),
    click.option(
        "--as-group",
        "as_groups",
        multiple=True,
        metavar="GROUP",
        help="The group to act as in the cluster; repeatable; needs --as.",
    ),
    _SELECTOR,
    click.option(
        "--request-timeout",
        metavar="DURATION",
        help="How long an answer of the cluster may take, such as 90s or 2m; default 60s.",
    ),
)

_FILTERS = (
    click.option("-n", "--namespace", "namespaces", multiple=True, help="Only this namespace; repeatable."),
    click.option(
        "--exclude-namespace",
        "excluded_namespaces",
        multiple=True,
        metavar="NAMESPACE",
        help="All but this namespace; repeatable.",
    ),
    click.option("--node", "nodes", multiple=True, help="Only pods of this node; repeatable."),
    click.option(
        "--owner", "owners", multiple=True, metavar="KIND/NAME", help="Only pods of this owner; repeatable."
    ),
)

_STATIC = (
    click.option(
        "--static-pod-dir",
        "static_dirs",
        multiple=True,
        metavar="DIR",
        help="Every file of DIR is a static pod's manifest, as in a kubelet's staticPodPath; repeatable; needs --node-name.",
    ),
    click.option(
        "--node-name",
        "node_names",
        multiple=True,
        metavar="NAME",
        help="The name under which that kubelet registers its node.",
    ),
    click.option(
        "--static-pod-path",
        "static_paths",
        multiple=True,
        metavar="PATH",
        help="The path on the node of the one -f FILE or --static-pod-dir DIR, where it is another: from 1.21 on it enters the UID.",
    ),
)


def _format(default: str) -> Callable[[Function], Function]:
    return click.option(
        "-o",
        "--output",
        type=click.Choice(_FORMATS),
        default=default,
        show_default=True,
        help="What goes to stdout.",
    )


_OUTPUT = (
    click.option(
        "--out",
        metavar="FILE",
        help="Save the JSON document in FILE, whole or not at all; - prints it in place of the result.",
    ),
    click.option("--no-headers", is_flag=True, help="Leave the header line of tables out."),
    click.option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        show_default=True,
        help="NO_COLOR and FORCE_COLOR count too.",
    ),
)

_RECORDED = (
    click.option(
        "--recorded",
        multiple=True,
        metavar="FILE|DIR",
        help="Recorded hashes and sandboxes: the collector's output, JSON of docker or crictl, kubelet logs; or tar archives of those.",
    ),
    click.option(
        "--runtime",
        type=click.Choice(["auto", "docker", "cri"]),
        help="Ask this node's container runtime for recorded hashes: Docker by its socket, any CRI runtime by crictl.",
    ),
    click.option(
        "--runtime-endpoint", metavar="SOCKET", help="The runtime's socket, where it is not at a usual place."
    ),
)

_KNOWLEDGE = (
    click.option(
        "--apiserver", metavar="RELEASE", help="The API server's release now; default: that of the kubelets."
    ),
    click.option(
        "--apiserver-to",
        metavar="RELEASE",
        help="The API server's release to come; default: the newer kubelet's.",
    ),
    click.option(
        "--cri-dockerd",
        is_flag=True,
        help="cri-dockerd drives Docker under a kubelet that does not do so by itself (1.24+).",
    ),
    click.option(
        "--feature-gates",
        metavar="GATE=true[,...]",
        help="Feature gates of the kubelet and API server to come.",
    ),
)

_PATCH = (
    click.option(
        "--assume-patch",
        type=click.Choice(STRATEGIES),
        help="Plan for a kubelet that is patched as hashcompat patch does.",
    ),
    click.option(
        "--like",
        metavar="RELEASE[,RELEASE...]",
        help="The releases that the assumed patch is like; default: those that run now.",
    ),
)
_SCHEMAS = (
    click.option(
        "--schemas",
        metavar="DIR",
        help="Use the release data in DIR, a copy of the program's own schemas/ with changes.",
    ),
)

_RELEASES = (
    click.option(
        "--from",
        "from_release",
        metavar="RELEASE|auto",
        help="The kubelet release that runs now; auto: what each node reports.",
    ),
    click.option("--to", "to_release", metavar="RELEASE", help="The kubelet release to come."),
)


def _adder(options: tuple[Callable[[Function], Function], ...]) -> Callable[[Function], Function]:
    def add(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return add


input_options: Callable[[Any], Any] = _adder((*_INPUT, *_STATIC, *_CLUSTER))

source_options: Callable[[Any], Any] = _adder((*_INPUT, *_STATIC, *_CLUSTER, *_FILTERS))

selection_options: Callable[[Any], Any] = _adder((_SELECTOR, *_FILTERS))

recorded_option: Callable[[Any], Any] = _adder(_RECORDED)

output_options: Callable[[Any], Any] = _adder((_format("table"), *_OUTPUT))

manifest_options: Callable[[Any], Any] = _adder((_format("yaml"), *_OUTPUT))

release_options: Callable[[Any], Any] = _adder(_RELEASES)

knowledge_options: Callable[[Any], Any] = _adder((*_RECORDED, *_KNOWLEDGE))

patch_options: Callable[[Any], Any] = _adder(_PATCH)
schemas_option: Callable[[Any], Any] = _adder(_SCHEMAS)


def assumed_patch(given: Given) -> AssumePatch | None:
    """Return the patch that a plan assumes, if any."""
    if not given["assume_patch"]:
        if given["like"]:
            raise UsageError("--like goes with --assume-patch")
        return None
    likes = str(given["like"]).split(",") if given["like"] else ()
    return AssumePatch(str(given["assume_patch"]), tuple(like.strip() for like in likes))


def catalog(given: Given) -> Catalog:
    """Return the release data that the options name, or that ships with the program."""
    return Catalog(Path(given["schemas"])) if given["schemas"] else default_catalog()


def is_live(given: Given) -> bool:
    """Tell whether the pods come from a live cluster: the source where none is named."""
    return not (given["files"] or given["static_dirs"] or given["sample"])


def has_source(given: Given) -> bool:
    """Tell whether the options name any pods, for commands that also do without."""
    from hashcompat.cli.args import live as live_options

    return not is_live(given) or bool(live_options.named(given))


def collect(given: Given) -> Inventory:
    """Read and filter the pods that the options name, by default those of the live cluster."""
    if given["sample"] and (given["files"] or given["static_dirs"]):
        other = f"-f {given['files'][0]}" if given["files"] else f"--static-pod-dir {given['static_dirs'][0]}"
        raise UsageError(f"{other} and --sample are two sources of pods; give one of them")
    from hashcompat.cli.args import live as live_options
    from hashcompat.cli.args import static as static_options
    from hashcompat.sources import filters
    from hashcompat.sources.files import sample

    chosen = _filters(given)
    if is_live(given):
        inventory = live_options.collect(given)
    else:
        if not live_options.is_beside_static(given):
            live_options.refuse(given)
        inventory = sample.collect() if given["sample"] else static_options.collect(given, chosen)
    warn(given, inventory.warnings)
    return filters.select(inventory, chosen)


def _filters(given: Given) -> Filters:
    from hashcompat.sources.filters import Filters

    return Filters(
        *(given.get(name, ()) for name in ("namespaces", "excluded_namespaces", "nodes", "owners"))
    )


def warn(given: Given, warnings: Iterable[str]) -> None:
    """Print what of a source is not among the pods though a reader may expect it there."""
    from hashcompat.cli.output import note

    for warning in () if given.get("quiet") else warnings:
        note(f"Warning: {warning}")


def choices(given: Given, catalog: Catalog, inventory: Inventory) -> Options:
    """Return how pods are to be read and what else the options tell; a command has some of them or all."""
    from hashcompat.records.index import index

    for name in ("apiserver", "apiserver_to"):
        if given.get(name):
            catalog.kubelet(given[name])
    gates = _gates(given.get("feature_gates") or "")
    return Options(
        defaults=not given["no_defaults"],
        keep_going=bool(given.get("keep_going")) or inventory.origin.kind is Source.CLUSTER,
        records=index(records(given, inventory)),
        gates=frozenset(name for name, on in gates.items() if on),
        gates_off=frozenset(name for name, on in gates.items() if not on),
        cri_dockerd=bool(given.get("cri_dockerd")),
        apiserver=given.get("apiserver") or "",
        apiserver_to=given.get("apiserver_to") or "",
    )


def records(given: Given, inventory: Inventory) -> list[Recorded | Sandbox]:
    """Return what a snapshot, files and the node's runtime tell of recorded hashes."""
    from hashcompat.records.unlisted import unlisted
    from hashcompat.sources.files import recorded

    found = [*inventory.records, *recorded.collect(given.get("recorded", ()))]
    kind, endpoint = given.get("runtime"), given.get("runtime_endpoint")
    if endpoint or kind:
        from hashcompat.sources.node import collect as runtime

        found += runtime.collect(kind or runtime.AUTO, endpoint or "")
    if not given.get("selector"):
        warn(given, unlisted(inventory, filter(_filters(given).cover, found)))
    return found


def _gates(text: str) -> dict[str, bool]:
    """Read ``Gate=true,Other=false`` as the kubelet's flag does."""
    gates = {}
    for pair in filter(None, text.split(",")):
        name, _, value = pair.strip().partition("=")
        if value.lower() not in ("true", "false"):
            raise UsageError(f"--feature-gates: want GATE=true or GATE=false, got {pair.strip()!r}")
        gates[name] = value.lower() == "true"
    return gates


def output(given: Given) -> Output:
    """Return how the result is to be shown."""
    return Output(given["output"], given["out"], given["no_headers"], given["color"])


def releases(given: Given) -> tuple[str, str]:
    """Return ``--from`` and ``--to``, both of which a command needs."""
    for name in ("from", "to"):
        if not given[f"{name}_release"]:
            raise UsageError(
                f"--{name} is missing; say which kubelet release {'runs now' if name == 'from' else 'is to come'}, such as --{name} 1.9.11"
            )
    return given["from_release"], given["to_release"]
