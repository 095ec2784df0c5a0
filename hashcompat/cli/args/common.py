"""What nearly every command takes: which releases, where their data comes from, and how a result is shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar

import click

from hashcompat.cli.args import Changed, command_line, flag, group, option
from hashcompat.cli.args.source import ScopeOptions
from hashcompat.cli.output import Destination, check_apart, destination, note
from hashcompat.core.catalog.lookup import Catalog, default_catalog
from hashcompat.core.catalog.releases import same_build
from hashcompat.core.errors import InputError, UsageError
from hashcompat.core.model.escape import count, few
from hashcompat.core.model.items import Item
from hashcompat.core.model.plan import AUTO, Plan, Way
from hashcompat.core.model.pods import Inventory, Node, Source
from hashcompat.core.model.results import Making
from hashcompat.core.model.verdicts import Verdict
from hashcompat.output.formats import FORMATS, chosen, offered
from hashcompat.output.report.model import Report
from hashcompat.sources.dating import now

_SHOWN: Final = 6
"""How many releases of nodes, or nodes, are named."""


class ReleaseNames:
    """Reads releases as people name them, and says once what a short name is read as."""

    def __init__(self, catalog: Catalog, *, quiet: bool) -> None:
        self.catalog = catalog
        self._said: set[str] = set()
        self._quiet = quiet

    def read(self, name: str, flag: str = "") -> str:
        """Return the release that a name means; raises UsageError, with the flag, for one that is unknown."""
        try:
            release = self.catalog.known.named(name)
        except UsageError as error:
            raise UsageError(f"{flag}: {error}" if flag else str(error)) from None
        if release != name and name not in self._said:
            self._said.add(name)
            self.say(f"{name} means {release}, the newest known patch release")
        return release

    def say(self, line: str) -> None:
        """Print a line to stderr, unless nothing but the result is wanted."""
        if not self._quiet:
            note(line)

    def making(self, at: datetime, arguments: object) -> Making:
        """Return what a command with these arguments makes its result by, at a time."""
        return self.catalog.making(at, command_line(arguments))

    def read_or_auto(self, name: str, flag: str) -> str:
        """Return the release that a name means, or ``auto``; errors as ``read``."""
        return name if name == AUTO else self.read(name, flag)

    def read_known(self, name: str, flag: str) -> str:
        """Return the release that a short name means, and any other as given: it need not be known."""
        return self.read(name, flag) if self.catalog.known.is_short(name) else name

    def listed(self, text: str | None, flag: str) -> list[str]:
        """Return the releases of ``RELEASE[,RELEASE...]``, each once; errors as ``read``."""
        return list(dict.fromkeys(self.read(name, flag) for name in listed(text)))


@group
class ReleaseData:
    """The release data in use."""

    HEADING: ClassVar = "Releases"

    schemas: str | None = option(
        "--schemas",
        metavar="DIR",
        help="Use the release data in DIR, a modified copy of the program's own schemas/.",
    )

    def catalog(self, *, quiet: bool = False) -> Catalog:
        """Return the release data that is named, or the program's own; warn of damaged added releases."""
        data = Catalog(Path(self.schemas)) if self.schemas else default_catalog()
        for problem in () if quiet else data.damaged:
            note(f"Warning: {problem}")
        return data

    def names(self, *, quiet: bool = False) -> ReleaseNames:
        """Return what reads the names of releases, with that data; say if the data is old."""
        names = ReleaseNames(self.catalog(quiet=quiet), quiet=quiet)
        if old := names.catalog.making(now()).stale:
            names.say(f"Note: {old}")
        return names


@group
class Releases:
    """An upgrade, or a rollback."""

    HEADING: ClassVar = "Releases"

    from_release: str | None = option(
        "--from",
        metavar="RELEASE|auto",
        help="The current kubelet release, or auto: what each node reports; default: auto, if nodes "
        "report it.",
    )
    to_release: str | None = option(
        "--to",
        metavar="RELEASE",
        help="The target release of the kubelet; 1.31 and latest mean the newest known patch release.",
    )
    data: ReleaseData

    @property
    def needs_nodes(self) -> bool:
        """Whether ``--from auto`` is given, to which there is no answer without the nodes."""
        return self.from_release == AUTO

    def way(self, names: ReleaseNames, *, from_nodes: bool = False, overridden: bool = False) -> Way:
        """Return ``--from`` and ``--to`` in full; with ``from_nodes`` the former is ``auto`` by default.

        Raises UsageError where one is missing, for unknown releases, and where what nodes report is
        ``overridden`` by nothing.
        """
        check_overridden(self.from_release, overridden=overridden)
        if not (self.from_release or from_nodes):
            raise missing_from()
        if not self.to_release:
            raise UsageError("--to is missing; name the target release of the kubelet, such as --to 1.9.11")
        return Way(
            names.read_or_auto(self.from_release or AUTO, "--from"), names.read(self.to_release, "--to")
        )

    def check_nodes(self, inventory: Inventory, scope: ScopeOptions, names: ReleaseNames) -> None:
        """Print the releases that nodes report where no ``--from`` is given; UsageError where none does."""
        if self.from_release is not None:
            return
        nodes = [node for node in inventory.nodes if not scope.nodes or node.name in scope.nodes]
        counts = Counter(node.kubelet for node in nodes if node.kubelet)
        if not counts:
            for _ in inventory.pods:  # what is wrong with the input comes first: it may have cost the nodes
                pass
            if nodes:
                why = ", and no node in the input reports a release"
            elif inventory.origin.kind is Source.CLUSTER:
                why = ", and the cluster shows no nodes"  # why not was said where they were asked for
            else:
                why = ": the input has pods and no nodes, which kubectl get nodes,pods -A -o json saves too"
            raise missing_from(why)
        releases = names.catalog.in_order(counts)  # oldest first and unknown ones last
        more = [f"and {count(len(releases) - _SHOWN, 'other release')}"] if len(releases) > _SHOWN else []
        shown = [f"{name} ({count(counts[name], 'node')})" for name in releases[:_SHOWN]]
        names.say(f"--from is what the nodes report: {', '.join([*shown, *more])}")

    def check_items(self, items: Sequence[Item], nodes: Iterable[Node]) -> None:
        """Raise UsageError where no ``--from`` is given and no node shows it for any container."""
        if self.from_release is None and not any(
            bool(item.from_release) or item.verdict is not Verdict.UNKNOWN for item in items
        ):
            on = sorted({item.pod.node for item in items} - {""})
            names = sorted(node.name for node in nodes)
            where = f"pods on {few(on, _SHOWN)}, nodes {few(names, _SHOWN)}"
            raise missing_from(
                f": no pod runs on a node of the input ({where})"
                if on and set(on).isdisjoint(names)
                else ", and no pod in the input runs on a node that reports a release"
            )


def check_overridden(from_release: str | None, *, overridden: bool) -> None:
    """Raise UsageError for ``--override-node-releases`` without a release that overrides them."""
    if overridden and from_release in (None, AUTO):
        raise UsageError("--override-node-releases needs --from RELEASE, which is used instead of theirs")


def missing_from(why: str = "") -> UsageError:
    """Return the error of a release that runs now and is named neither by an option nor by nodes."""
    return UsageError(
        f"--from is missing{why}; name the kubelet release that runs now, such as --from 1.9.11"
    )


def listed(text: str | None) -> list[str]:
    """Return the releases of ``RELEASE[,RELEASE...]``."""
    return [name.strip() for name in text.split(",")] if text else []


def check_releases(file: str, plan: Plan, old: str, new: str, catalog: Catalog) -> None:
    """Raise InputError for a saved plan of other releases; an empty one may be any."""
    from hashcompat.analysis.gating.judge import releases_of

    for argument, asked in (("--to", new), ("--from", old)):
        if not asked:
            continue
        wanted = catalog.kubelet(asked).release
        for name in sorted([plan.to_release] if argument == "--to" else releases_of(plan)):
            if not (catalog.knows(name) and same_build(catalog.kubelet(name).release, wanted)):
                raise InputError(f"{file}: a plan of {name}, and {argument} is {asked}; make the plan again")


Result = TypeVar("Result")


@group
class OutputOptions:
    """What goes to stdout, and in which form."""

    HEADING: ClassVar = "Output"

    format: str | None = option("-o", "--output", help="Output format.")
    reports: tuple[Destination, ...] = option(
        "--report",
        multiple=True,
        metavar="FORMAT=PATH",
        help="Also write the result to a file in any -o format, atomically; - prints it instead of the"
        " result; repeatable.",
    )
    out: str | None = option(
        "--out",
        metavar="FILE",
        help="Save the JSON document in FILE, atomically; - prints it instead of the result.",
    )
    no_headers: bool = flag("--no-headers", help="Omit table headers.")
    color: str = option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        show_default=True,
        help="Colour the output; NO_COLOR and FORCE_COLOR are honoured.",
    )

    def __post_init__(self) -> None:
        """Raise UsageError where two reports go to one place."""
        check_apart(self.out, self.reports)

    def needs_document(self, flag: str, what: str) -> None:
        """Raise UsageError for an option about what only the document has, where that is not to be shown."""
        forms = [self.format or "", *(report.form for report in self.reports)]
        if not self.out and _OF_DOCUMENT.isdisjoint(form.partition("=")[0] for form in forms):
            raise UsageError(f"{flag} goes with --out, or with -o json: nothing else has {what}")


_OF_DOCUMENT: Final = frozenset({"json", "yaml", "jsonpath"})
"""The formats that show all of a document."""


class Formats(click.Choice[str]):
    """The values of ``-o``; some take more after a ``=``, which is checked here, before anything is read."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the value as it was given; raises UsageError for one that cannot be shown."""
        name = value.partition("=")[0]
        super().convert(name, param, ctx)
        chosen(value)
        return value

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002 - click's
        """Return what ``--help`` shows."""
        return f"[{'|'.join(map(_taking, self.choices))}]"


def _taking(name: str) -> str:
    return f"{name}={takes}" if (takes := FORMATS[name].takes) else name


def _destinations(names: tuple[str, ...]) -> Callable[[str], Destination]:
    """Return how ``FORMAT=PATH`` is read where a result has these formats."""

    def read(text: str) -> Destination:
        name = text.partition("=")[0]
        if name not in names:
            raise UsageError(f"--report {text}: no format {name!r} here; there are {', '.join(names)}")
        return destination(text)

    return read


def shows(*reports: Report[Any], default: str = "") -> tuple[Changed, ...]:
    """Return the choices of a command's ``-o`` and ``--report``: what its results can be shown as.

    Without a ``default`` each result has its own: the first format that can show it.
    """
    names = tuple(dict.fromkeys(name for report in reports for name in offered(report)))
    defaults = {offered(report)[0] for report in reports}
    default = default or (defaults.pop() if len(defaults) == 1 else "")
    settings = {"type": Formats(names), "default": default or None, "show_default": bool(default)}
    return Changed("format", settings), Changed("reports", {"type": _destinations(names)})


@group
class Quiet:
    """How much is printed besides the result."""

    HEADING: ClassVar = "Output"

    quiet: bool = flag("-q", "--quiet", help="Print only the result.")


@group
class WithoutHashes:
    """What a report leaves out that goes where the values may not."""

    HEADING: ClassVar = "Output"

    no_hashes: bool = flag(
        "--no-hashes",
        help="Omit hashes from reports that you pass on: each reveals 32 bits of hidden values.",
    )

    def of(self, result: Result) -> Result:
        """Return a result as it is reported."""
        if not self.no_hashes:
            return result
        from hashcompat.output.report.registry import without_hashes

        return without_hashes(result)


@group
class Verbose:
    """Whether dropped fields are reported."""

    HEADING: ClassVar = "Output"

    verbose: bool = flag("-v", "--verbose", help="Also report fields that a kubelet drops.")
