"""Generate docs/reality.md: what happened on a real node at every change of kubelets in golden/reality."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Final

from scripts.golden.reality import PLANS, Json, changes, name_of, read, unready
from scripts.lib.paths import REALITY

_TEXT: Final = """# Reality

What `plan` predicted and what happened afterwards, on nodes whose kubelets took turns on one root directory:
kubelets built from upstream's source, some with a patch made by `hashcompat patch`.

## With an API server

One node with a real API server, and containerd and runc from Debian. Between two kubelets, while none ran,
processes and sandboxes were killed, images changed, labels removed and taints set.

Each change was planned three times: from the pods alone, with what the collector reads on the node, and with
the manifests of the static pods too.

| plan | verdicts | UNKNOWN | contradicted by what happened |
|---|---|---|---|
{plans}

What contradicted the plans made from fewer facts: changes to five pods after the old kubelet had stopped,
which pods alone do not show; resources that an earlier kubelet had recorded as applied, as a printed
assumption says; and a static pod whose manifest sets a uid of 32 digits, which only the manifest shows, as
the reason says.

{with_server}

## What a kubelet refuses when it starts

Four other nodes with an API server, on containerd 2.2.9 and runc 1.5.2 built from their Go modules, whose
kubelets start with other settings, or find pods that were changed while none ran
(`tests/suites/reality/starting.py`). Plans were made of the same three kinds of facts; the numbers are of
those with all of them. Where a reservation grew or maxPods fell, the plans were made from what
the new kubelet makes of the Node object: it updates that before it reads its pods, so that it refuses them at
once. A pod that is refused has failed, and its containers are killed. At 1.35.8 the kubelet was started again
with the gate ChangeContainerStatusOnKubeletRestart, and once more without it. Some of the pods there are of a
Service: in the EndpointSlices that its controller wrote, the endpoints of those that were not ready for a
while went and came back, and those of the others stayed.

Where CPUs decide, a container of a Guaranteed pod, or of a static one, has the only CPU that is not reserved,
and the plans were made from what the collector reads of the CPU manager as well. Some of these kubelets were
shown two CPUs as the threads of one core.

{starting}

{reasons}

## Without an API server

Older kubelets, which today's API servers do not serve, one node for each pair: there and back, on Docker and
dockershim, from 1.24 on containerd. Every pod is a static pod, and most set a uid, so that the hashes of
their containers decide. Each first kubelet was calibrated: `verify --recorded` reproduced every hash that it
had recorded. Plans were made from the collector's output and the manifests.

{without_server}

The upgrade that started this project began at 1.7.16, which is not on the module proxy
(`k8s.io/kubernetes@v1.7.16: This module version is not available`). 1.7.5 is, and hashes alike. The 1.9.11
that followed it on the node logged, of a container with that spec,
`Container spec hash changed (1559107639 vs 1428860573)`. So did the 1.9.11 that followed 1.9.11 with the
patch `pin`, which records the hashes of 1.7.16.

One container, of the change from 1.13.12 to 1.14.10, was killed and not started again: it sets `subPathExpr`,
which 1.13 does not know, and whose feature gate is off in 1.14 (`volume subpath expansion is disabled`).
Until then plans had said that it restarts; [HC041](rules.md#hc041) came of it.

With the patch `accept`, 1.9.11 keeps the containers of a kubelet that hashes as 1.7.16 does, whether `pin` or
`strip` made it so; that one keeps them on rollback. The one that restarted in each of these changes sets
`allowPrivilegeEscalation`, which is new in 1.8: what it ran with had been hashed without it, and only
`--accept-new-fields` lets that count. From `accept` to upstream's 1.9.11 everything else restarts, for no
kubelet writes the hash of a container that it keeps.

Releases before 1.15 have no go.mod; their modules are written from their Godeps/Godeps.json, and
`scripts/suites/kubelets.json` lists the dependencies that are built in another version, with why. A module
proxy may have what it does not list: asked which versions of `github.com/emicklei/go-restful-swagger12` there
are, which 1.12 and 1.13 need, it answers `403 Forbidden`, `This module version is not available.`; it has the
revision that they pin, under the version that go.mod files of other projects name.

1.7.5 is built with Go 1.21, for with Go 1.22 or later its `github.com/ugorji/go` ends the program at its
start: `panic: encoding alphabet includes duplicate symbols`. Upstream built it with Go 1.8, whose `time.Time`
has other fields, and the UID of a static pod is of a text that names them. So in the two changes between
1.7.5 and 1.9.11 above its UIDs were none that an upstream kubelet gives. Since then its source is edited, as
`edits` in the same file says.

The revisions of three dependencies of 1.7.5 are not known to the proxy. `github.com/codedellemc/goscaleio` is
a newer one, which imports logrus by the spelling that the others use, since Go refuses both in one program:
`case-insensitive import collision`.
`github.com/opencontainers/runc` is a tag with one more function exported. In place of
`github.com/libopenstorage/openstorage`, which only the plugin of Portworx needs, are a few lines that do
nothing.

From 1.23.17 to 1.24.17, which has no dockershim, the node goes from Docker to containerd. The collector's
records show that the pods are in Docker, so all are RESTART (HC016); all were created again in containerd,
those that are never restarted too. Docker's containers ran on, but for those of the five static pods with
another UID, which 1.24.17 killed with the cgroup of the old one. `1.23.17-containerd` is 1.23.17 with
`--container-runtime=remote`: where the runtime stays, hashes decide. In its two changes the collector found
containers in both runtimes; the records are of the one in which more run. What is observed is always in the
runtime of the kubelet that runs. On the rollback to Docker, the lab removed what was left there. Nothing on
the node shows that runtime before the kubelet starts: `--other-runtime` names the change. Without it the
plan says KEEP by what containerd has, and prints that the nodes are taken to stay with their runtime.

Runs besides those of the suite show why that runtime has to be empty. With everything left running in both,
the kubelet of either side took up the 54 containers there whose pods kept their UIDs, by the hashes recorded
there, and created six; in the other runtime 54 ran on. With Docker's containers stopped, not removed, 1.23.17
created all but those of the pod that is never restarted: there the pod had failed. One more container of
containerd ended then, as it does when the cgroup of such a pod is removed.

`golden/reality` has all that was given and observed, how the kubelets were started and what they logged of
changed hashes, and the tests replay it; `tests/suites/reality` does it again.
"""

_HEADINGS: Final = (
    "from",
    "to",
    "containers",
    "predicted to restart",
    "contradicted",
    "kept",
    "restarted",
    "killed",
    "not running",
    "pods recreated",
)

_ABOUT: Final = {
    "bare": "the pods alone",
    "recorded": "with the collector's output",
    "static": "with the manifests of static pods too",
}


def page() -> str:
    """Return the page, with a row for each change in the order in which they were made."""
    verdicts = json.loads((REALITY / "VERDICTS.json").read_text(encoding="utf-8"))
    pairs = [(read(path), verdicts[name_of(path)]) for path in changes()]
    served = [pair for pair in pairs if pair[0]["objects"] and "about" not in pair[0]]
    starting = [pair for pair in pairs if "about" in pair[0]]
    plans = [_plan(plan, [tallies[plan] for _, tallies in served]) for plan in PLANS]
    return _TEXT.format(
        plans="\n".join(plans),
        with_server=_table(served),
        starting=_starting(starting),
        reasons=_reasons([change for change, _ in starting]),
        without_server=_table([pair for pair in pairs if not pair[0]["objects"]]),
    )


def _plan(plan: str, tallies: list[dict[str, int]]) -> str:
    total: Counter[str] = Counter()
    for tally in tallies:
        total.update(tally)
    contradicted = total.pop("contradicted")
    return f"| {_ABOUT[plan]} | {total.total():,} | {total['UNKNOWN']} | {contradicted} |"


def _starting(pairs: Sequence[tuple[Json, Json]]) -> str:
    headings = (*_HEADINGS[:9], "not ready for a while", "what decides")
    rows = [
        [*_cells(change, tallies["static"])[:9], len(unready(change)), change["about"]]
        for change, tallies in pairs
    ]
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in (headings, ["---"] * len(headings), *rows))


def _reasons(changes: Sequence[Json]) -> str:
    """Return what the kubelets said of the pods that they refused or ended, with how many said so."""
    counts = Counter(reason for change in changes for reason in change["reasons"].values())
    listed = ", ".join(f"`{reason}` ({number})" for reason, number in sorted(counts.items()))
    return f"The reasons in the status of pods that were refused or ended: {listed}."


def _table(pairs: Sequence[tuple[Json, Json]]) -> str:
    cells = (_cells(change, tallies["static"]) for change, tallies in pairs)
    rows = [_HEADINGS, ["---"] * len(_HEADINGS), *cells]
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in rows)


def _cells(change: Json, tally: Json) -> list[object]:
    observed = change["observed"]
    outcomes = Counter(row["outcome"] for row in observed)
    recreated = {(row["namespace"], row["pod"]) for row in observed if row["podRecreated"]}
    predicted = tally.get("RESTART", 0), tally["contradicted"]
    counts = [outcomes[word] for word in ("kept", "restarted", "killed")]
    resting = outcomes["idle"] + outcomes["started"]
    return [change["from"], change["to"], len(observed), *predicted, *counts, resting, len(recreated)]
