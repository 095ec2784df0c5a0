"""The JSON documents: plain data of every result, as schemas/documents describes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import hashcompat
from hashcompat.answers.golden import Verification
from hashcompat.answers.hashes import Hashed, HashRow
from hashcompat.catalog.lookup import Catalog
from hashcompat.model.plan import Hop, Item, Plan, ReleaseFacts, Suggestion, Summary
from hashcompat.report.formats import Rows

API_VERSION: Final = "hashcompat.io/v1"

Document = dict[str, Any]


def document(kind: str, **content: Any) -> Document:
    """Put a document's content under its version and kind."""
    return {"apiVersion": API_VERSION, "kind": kind, **content}


def plan_document(plan: Plan, items: Sequence[Item] | None = None) -> Document:
    """Return the RestartPlan of a plan; with ``items`` it shows those alone, and the summary still counts all."""
    return document(
        "RestartPlan",
        spec={
            "from": plan.from_release,
            "to": plan.to_release,
            "releases": {read.name: release_facts(read) for read in plan.releases},
            "assumptions": list(plan.assumptions),
            "warnings": list(plan.warnings),
            "hops": [_hop(hop) for hop in plan.hops],
            "rollback": _hop(plan.rollback) if plan.rollback else None,
            "assumedPatch": plan.patch or None,
            "suggestion": _suggestion(plan.suggestion) if plan.suggestion else None,
            "tool": {"name": "hashcompat", "version": hashcompat.__version__},
        },
        summary={
            **summary(plan.summary),
            "recorded": plan.share.recorded,
            "reproduced": plan.share.reproduced,
        },
        items=Rows(plan.items if items is None else items, item_document),
    )


def _suggestion(suggestion: Suggestion) -> Document:
    return {
        "kubelet": suggestion.kubelet,
        "like": list(suggestion.likes),
        "strategy": "accept",
        "restartsSaved": suggestion.saves,
        "command": suggestion.command,
    }


def _hop(hop: Hop) -> Document:
    return {"from": hop.old, "to": hop.new, "findings": hop.findings, "unknown": hop.unknown}


def release_facts(read: ReleaseFacts) -> Document:
    """Return how a release's name was read."""
    return {
        "readAs": read.read_as,
        "era": read.era,
        "types": read.types,
        "vendorAssumed": read.vendor_assumed,
        "patchAssumed": read.patch_assumed,
    }


def summary(counts: Summary) -> Document:
    """Return the containers by verdict, and the pods and nodes that a finding touches."""
    return {
        "containers": counts.containers,
        **{verdict.value.lower(): count for verdict, count in counts.verdicts.items()},
        "pods": counts.pods,
        "podsAffected": counts.pods_affected,
        "nodesAffected": counts.nodes_affected,
    }


def item_document(item: Item) -> Document:
    """Return one container's verdict as it stands in a RestartPlan."""
    return {
        "node": item.pod.node,
        "namespace": item.pod.namespace,
        "pod": item.pod.name,
        "uid": item.pod.uid,
        "container": item.container.name,
        "containerType": item.container.type.value,
        "owner": item.pod.owner,
        "fromRelease": item.from_release,
        "verdict": item.verdict.value,
        "podRecreated": item.pod_recreated,
        "hash": {"recorded": item.hashes.recorded, "from": item.hashes.from_, "to": item.hashes.to},
        "calibrated": item.calibrated,
        "reasons": [{"id": reason.id, "path": reason.path, "text": reason.text} for reason in item.reasons],
    }


def hash_document(hashed: Hashed) -> Document:
    """Return the HashList of hash rows; ``hash`` and ``hex`` are null where a vendor's Go decides."""
    items = [_hash_item(row, hashed.releases) for row in hashed.rows]
    return document("HashList", assumptions=list(hashed.assumptions), items=items)


def _hash_item(row: HashRow, releases: Mapping[str, ReleaseFacts]) -> Document:
    item: Document = {
        "node": row.pod.node,
        "namespace": row.pod.namespace,
        "pod": row.pod.name,
        "uid": row.pod.uid,
        "container": row.container.name,
        "containerType": row.container.type.value,
        **({"podUID": {release: found.uid for release, found in row.uids.items()}} if row.uids else {}),
        "hashes": {},
    }
    for release, result in row.hashes.items():
        entry: Document = {"hash": result.value, "hex": result.hex, "era": result.era}
        entry |= {"vendorAssumed": True} if releases[release].vendor_assumed else {}
        entry |= {"patchAssumed": True} if releases[release].patch_assumed else {}
        entry |= {"text": row.texts[release]} if release in row.texts else {}
        item["hashes"][release] = entry
    return item


def releases_document(catalog: Catalog) -> Document:
    """Return the ReleaseList of everything the catalog knows, a minor an item."""
    return document(
        "ReleaseList",
        items=[
            {
                "minor": row.minor,
                "releases": list(row.names),
                "types": row.types,
                "madeFrom": catalog.schema(row.types).made_from,
                "era": row.era,
                "go": [{"since": build.releases.since, "go": build.go} for build in row.go],
                "userAdded": bool(row.based_on),
            }
            for row in catalog.known.rows
        ],
    )


def verify_document(results: Iterable[Verification]) -> Document:
    """Return the VerifyResult of golden directories."""
    return document("VerifyResult", items=[_verification(result) for result in results])


def _verification(result: Verification) -> Document:
    return {
        "directory": result.directory,
        "releases": list(result.releases),
        "cases": result.cases,
        "compared": result.compared,
        "mismatches": [
            {"release": row.release, "case": row.case, "problem": row.problem} for row in result.mismatches
        ],
    }


def version_document(catalog: Catalog) -> Document:
    """Return the Version: this program's, and the newest kubelet release it knows."""
    known = catalog.known
    return document(
        "Version", version=hashcompat.__version__, oldestKubelet=known.oldest, newestKubelet=known.newest
    )
