"""The reports that are opened: the sample, chosen verdicts, hostile names, very many containers."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Final

from msgspec import structs

from hashcompat.analysis.gating import Wanted
from hashcompat.core.model.items import Item
from hashcompat.core.model.verdicts import Verdict
from hashcompat.output.formats import FORMATS
from hashcompat.output.formats.model import Style
from hashcompat.output.report.fleet import FLEET
from hashcompat.output.report.plan import PLAN as RESULT
from tests.cli.test_hostile_reports import BREAKERS, UP, planted
from tests.helpers import fleets, plans
from tests.helpers.pods import as_json, node
from tests.helpers.program import SCRIPTS

MANY: Final = 20_000
"""Rows of the largest report."""

CLUSTERS: Final = 10_000
"""Clusters of the largest fleet, each for four targets."""

FLAG: Final = "executed"
"""What each planted script sets in the window."""

SCRIPTS_IN_NAMES: Final = (
    f'<img src=x onerror="window.{FLAG}=1">',
    f"</script><script>window.{FLAG}=1</script>",
    f"</style></title></textarea></template><svg onload=window.{FLAG}=1>",
    f'" autofocus onfocus="window.{FLAG}=1" x="',
    f"' onmouseover='window.{FLAG}=1' x='",
    f"javascript:window.{FLAG}=1",
    f"--><script>window.{FLAG}=1</script><!--",
    f"{{{{constructor.constructor('window.{FLAG}=1')()}}}}",
)
"""Names that would run a script in a page that takes them for markup."""

MEMBERS: Final = ("constructor", "__proto__", "toString", "KEEP", "1", "02", "1e3")
"""Names that a script may find where it looks something up, or take for a verdict or a number."""

LONG: Final = "-".join(["x" * 63] * 4)[:253]
"""The longest name that Kubernetes allows."""


HOSTILE: Final = (*SCRIPTS_IN_NAMES, LONG, *MEMBERS, *BREAKERS)
"""All names of the hostile report."""


def of_command(path: Path, argv: tuple[str, ...], pods: bytes = b"") -> None:
    """Write the report of a command line; ``preflight`` may exit with findings."""
    command = [str(SCRIPTS / "hashcompat"), *argv, "-o", "html"]
    done = subprocess.run(command, input=pods, capture_output=True, check=False)
    assert done.returncode in {0, 2}, done.stderr.decode()
    path.write_bytes(done.stdout)


def of_items(path: Path, *items: Item) -> None:
    """Write the report of a plan that has these verdicts."""
    path.write_text("".join(FORMATS["html"].render(RESULT, plans.excerpt(*items), Style())), encoding="utf-8")


def of_fleet(path: Path, size: int, names: tuple[str, ...] = ()) -> None:
    """Write the report of a fleet."""
    made = fleets.fleet(size, names, Wanted(6, None, "env", ("dev", "staging", "prod")))
    path.write_text("".join(FORMATS["html"].render(FLEET, made, Style())), encoding="utf-8")


def of_hostile_names(path: Path) -> None:
    """Write the report of pods in which all that has a name has a hostile one."""
    pods = (planted(name, number) for number, name in enumerate(HOSTILE))
    of_command(path, ("plan", *UP), pods=as_json(*pods, node("v1.31.14")))


def some(count: int, *verdicts: Verdict) -> Iterator[Item]:
    """Yield containers with these verdicts by turns, on some nodes and in some namespaces."""
    for number, verdict in enumerate(islice(cycle(verdicts), count)):
        owner, pod = f"Deployment/web-{number // 3}", f"web-{number // 3}-{number}"
        made = plans.item(verdict, owner, pod, node=f"n{number % 12}", namespace=f"team-{number % 7}")
        old, new = number * 7919 % 1000003, number * 104729 % 4294967291
        yield structs.replace(made, from_hash=old, to_hash=new)


PLAN: Final = ("plan", "--sample", "--from", "1.7.16", "--to", "1.9.11")

COMMANDS: Final = {
    "sample": PLAN,
    "no findings": (*PLAN, "--assume-patch", "accept"),
    "gate": ("gate", *PLAN[1:]),
    "impact": ("impact", *PLAN[1:], "--batch", "2"),
    "every release": ("matrix",),
    "counted matrix": ("matrix", "--from", "1.26.15", "--to", "1.31.14", "--sample"),
    "matrix": ("matrix", "--from", "1.26.15", "--to", "1.31.0"),
    "preflight": ("preflight", "--to", "1.31.14", "--no-node", "--sample"),
    "hash": ("hash", "--kubelet", "1.7.16,1.9.11", "--sample"),
    "explain": ("explain", "ds/calico-node", *PLAN[1:]),
    "rules": ("rules",),
}
"""Command lines that show the report of their name."""


def of_joined(path: Path) -> None:
    """Write the page that joins some others, which are next to it in a directory of their own."""
    (kept := path.with_suffix("")).mkdir()
    for name in ("gate", "impact", "preflight"):
        of_command(kept / f"{name}.html", COMMANDS[name])
    of_command(path, ("report", str(kept)))


PAGES: Final[Mapping[str, Callable[[Path], None]]] = {
    **{name: partial(of_command, argv=argv) for name, argv in COMMANDS.items()},
    "verdicts": lambda path: of_items(path, *some(240, *Verdict)),
    "only unknown": lambda path: of_items(path, *some(12, Verdict.UNKNOWN)),
    "hostile names": of_hostile_names,
    "joined": of_joined,
    "fleet": partial(of_fleet, size=240),
    "hostile fleet": partial(of_fleet, size=240, names=HOSTILE),
    "many": lambda path: of_items(path, *some(MANY, *Verdict)),
    "many clusters": partial(of_fleet, size=CLUSTERS),
}
"""What writes each report to a path, by its name."""

PLANS: Final = ("sample", "no findings", "verdicts", "only unknown", "hostile names")
"""The small reports of plans: those with a table of containers."""

QUICK: Final = tuple(name for name in PAGES if not name.startswith("many"))
"""All small reports."""

KINDS: Final = (
    "verdicts",
    "hostile names",
    "impact",
    "counted matrix",
    "preflight",
    "explain",
    "joined",
    "fleet",
)
"""A report of each kind of page: the others are of the same parts."""

FEW: Final = ("verdicts", "impact", "preflight")
"""Those that have the most different parts."""
