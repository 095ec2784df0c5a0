"""Make golden/reality/VERDICTS.json: how plans compare with what happened on a node with real kubelets.

A change is a document: ``from`` and ``to`` (the names of kubelets), ``flags`` (of `plan`), ``objects`` (nodes
and pods as the API server has them), ``records`` (what the collector prints), ``manifests`` (static pods by
file name), ``staticPodPath``, ``disturbed`` (pods to which something happened after the old kubelet stopped),
``manifestsChanged`` (those of them that only their manifests show, where there are any),
and ``observed``: a row per container with ``outcome`` (a word of AGREES) and ``podRecreated``. Without an API
server there are no ``objects``; then ``command`` is how the new kubelet was started, and ``log`` what it
logged of changed hashes. Of starts that more than hashes decide: ``about`` (what does), ``readyAgain`` (pods
that became Ready afterwards), ``reasons`` (in the status of pods that were refused or ended), and, of a node
with a Service, ``endpoints``: of each of its pods whether its endpoint was ready, and each change of that.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from scripts.lib.generated import Generated, relative
from scripts.lib.gotool import GoError
from scripts.lib.paths import REALITY

Json = dict[str, Any]
AGREES: Final = {
    "KEEP": {"kept", "idle", "started"},
    "RESTART": {"restarted", "started"},
    "KILL": {"killed"},
    "UNKNOWN": {"kept", "idle", "restarted", "started", "killed"},
}
"""The outcomes that each verdict predicts."""
HINT: Final = "unless its manifest sets one"
"""How a reason says that only the manifest of a static pod could show more."""
RESIZED: Final = "HC019"
"""The rule whose verdicts depend on the printed assumption that no newer kubelet ran here before."""
PLANS: Final = ("bare", "recorded", "static")
"""Plans of the pods alone; with what the runtime recorded; and with the static pods' manifests too."""


@dataclass(frozen=True)
class Row:
    """One container of one plan, and what happened to it; ``None`` where the plan or the node lacks it."""

    plan: str
    key: tuple[str, str, str]
    """Namespace, pod, container."""
    item: Json | None
    observed: Json | None
    recreated: bool
    """Whether the plan has the pod recreated."""
    unseen: bool
    """Whether something happened to the pod that what the plan was made from does not show."""

    @property
    def agrees(self) -> bool:
        """Whether the verdict, and whether the pod is recreated, are what happened."""
        if self.item is None or self.observed is None:
            return self.observed is None or self.observed["outcome"] in ("idle", "started")
        if self.observed["outcome"] not in AGREES[self.item["verdict"]]:
            return False
        return bool(self.item["verdict"] == "UNKNOWN" or self.recreated == self.observed["podRecreated"])

    @property
    def said(self) -> bool:
        """Whether a plan from less says on what it depends, or could not know what happened later."""
        reasons = self.item["reasons"] if self.item else ()
        manifest = any(HINT in reason["text"] for reason in reasons)
        resized = any(reason["id"] == RESIZED for reason in reasons)
        return (self.plan != "static" and manifest) or self.unseen or (self.plan == "bare" and resized)

    def __str__(self) -> str:
        verdict = "not in the plan"
        if self.item is not None:
            reasons = ",".join(reason["id"] for reason in self.item["reasons"])
            verdict = f"{self.item['verdict']} ({reasons}), podRecreated {self.item['podRecreated']}"
        seen = "nothing"
        if self.observed is not None:
            seen = f"{self.observed['outcome']}, podRecreated {self.observed['podRecreated']}"
        return f"{self.plan}: {'/'.join(self.key)}: predicted {verdict}; observed {seen}"


_LIKE: Final = "--like"


def inputs(change: Json, directory: Path) -> Iterator[tuple[str, list[str]]]:
    """Write the files of a change below a directory; yield each kind of plan and its arguments."""
    directory.mkdir(parents=True, exist_ok=True)
    pods, records = directory / "pods.json", directory / "records.json"
    pods.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": change["objects"]}))
    records.write_text("\n".join(map(json.dumps, change["records"])))
    manifests = directory / "manifests"
    manifests.mkdir(exist_ok=True)
    for name, manifest in change["manifests"].items():
        (manifests / name).write_text(json.dumps(manifest))
    flags: list[str] = change["flags"]
    if flags.count(_LIKE) > 1:  # older records give it twice, with one value
        at = flags.index(_LIKE)
        flags = [*flags[:at], *flags[at + 2 :]]
    plan, read = ["plan", *flags, "-o", "json", "-q"], ["-f", str(pods)]
    recorded = ["--recorded", str(records)]
    place = ["--static-pod-dir", str(manifests), "--static-pod-path", change["staticPodPath"]]
    static = [*recorded, *place, "--node-name", "lab"]
    if change["objects"]:
        plans = [*plan, *read], [*plan, *read, *recorded], [*plan, *read, *static]
        yield from zip(PLANS, plans, strict=True)
    else:
        yield "static", [*plan, *static]


def compare(plan: str, document: Json, change: Json) -> list[Row]:
    """Compare a plan with what happened, container by container."""
    items = {(item["namespace"], item["pod"], item["container"]): item for item in document["items"]}
    observed = {(row["namespace"], row["pod"], row["container"]): row for row in change["observed"]}
    recreated = {key[:2] for key, item in items.items() if item["podRecreated"]}
    unseen = {*(change["disturbed"] if plan == "bare" else ())}
    unseen |= {*(change.get("manifestsChanged", ()) if plan != "static" else ())}
    return [
        Row(plan, key, items.get(key), observed.get(key), key[:2] in recreated, key[1] in unseen)
        for key in sorted(items.keys() | observed.keys())
    ]


def unready(change: Json) -> set[str]:
    """Return the pods that were not ready for a while though nothing of theirs restarted.

    Static pods do not count: their mirror pods may be new ones.
    """
    restarted = {row["pod"] for row in change["observed"] if row["outcome"] not in ("kept", "idle")}
    static = {f"{Path(name).stem}-lab" for name in change["manifests"]}
    return {*change["readyAgain"]} - restarted - static


def write(change: Json, path: Path) -> None:
    """Write a change as gzip makes the same bytes of it each time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(json.dumps(change, sort_keys=True).encode(), mtime=0))


def read(path: Path) -> Json:
    """Return the change in a file."""
    change: Json = json.loads(gzip.decompress(path.read_bytes()))
    return change


def tally(rows: list[Row]) -> dict[str, int]:
    """Count the verdicts of one plan, and those that something contradicted."""
    verdicts = Counter(row.item["verdict"] for row in rows if row.item)
    return {**dict(sorted(verdicts.items())), "contradicted": sum(not row.agrees for row in rows)}


def changes() -> list[Path]:
    """Return the files of golden/reality, in the order in which the changes were made."""
    return sorted(REALITY.glob("*.json.gz"))


def make() -> dict[Path, bytes]:
    """Plan every change again."""
    with tempfile.TemporaryDirectory() as directory:
        tallies = {name_of(path): _tallies(read(path), Path(directory) / path.stem) for path in changes()}
    return relative(REALITY, {"VERDICTS.json": json.dumps(tallies, indent=1).encode() + b"\n"})


def name_of(path: Path) -> str:
    """Return the name of a change, by which VERDICTS.json has it."""
    return path.name.removesuffix(".json.gz")


def _tallies(change: Json, directory: Path) -> dict[str, dict[str, int]]:
    return {
        plan: tally(compare(plan, planned(arguments), change))
        for plan, arguments in inputs(change, directory)
    }


def planned(arguments: list[str]) -> Json:
    """Run hashcompat with some arguments and return its document."""
    command = [str(Path(sys.executable).with_name("hashcompat")), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise GoError(f"{' '.join(arguments)}: {done.stderr}")
    document: Json = json.loads(done.stdout)
    return document


GENERATED: Final = Generated(make, owned=("golden/reality/VERDICTS.json",))
