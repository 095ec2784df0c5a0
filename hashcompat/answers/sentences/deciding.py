"""What would decide a verdict that is UNKNOWN: an option, a record, a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hashcompat import rules
from hashcompat.answers.sentences.situation import Situation

_BY_RECORD: Final = "the hash that the runtime recorded decides: give it with --recorded FILE or --runtime"

_BY_MANIFEST: Final = (
    "the pod's manifest decides: give it with --static-pod-dir DIR and --node-name NODE, or look whether "
    "the UID changes on one node"
)

DECIDES: Final[Mapping[str, str]] = {
    rules.STATIC_POD: _BY_MANIFEST,
    rules.NODE_RELEASE: (
        "the release of the node's kubelet decides: give the Node with -f or the release with --from, or the "
        "recorded hash with --recorded"
    ),
    rules.NODE_DISPUTED: (
        "the release that really runs decides: take what the node reports with --from auto, or insist on "
        "--from with --override-node-releases"
    ),
    rules.NOT_DECODED: "a corrected object decides: see the field that the reason names",
    rules.VENDOR_GO: (
        "the Go release of the vendor's build decides, which no option gives: upgrade one node and compare "
        "the hashes that its runtime records (hashcompat verify --recorded)"
    ),
    rules.NEVER_COMPARED: _BY_RECORD,
    rules.NOT_CALIBRATED: _BY_RECORD,
    rules.RESIZE_POLICY: "only the new kubelet's own record decides: look on one node, or drain the nodes",
    rules.API_DEFAULT: "the API server's release decides: give it with --apiserver and --apiserver-to",
    rules.ADMISSION: "the pod as the API server returns it decides: read it from the cluster, with its uid",
    rules.STARTUP_PROBE: "the probe decides: plan again once it has passed",
    rules.NOT_STORED: (
        "a new snapshot decides: take it with this version of hashcompat, and with the records "
        "(hashcompat snapshot --recorded FILE)"
    ),
    rules.SERVER_GATE: (
        "the API server's feature gates decide: give them with --feature-gates GATE=true|false, or read the "
        "pod from the cluster"
    ),
    rules.CREATOR: _BY_RECORD,
    rules.STRICT_GROUPS: (
        "the node's status decides: look whether status.features has supplementalGroupsPolicy once the new "
        "kubelet runs on one node"
    ),
    rules.CLOSED_BUILD: f"{_BY_RECORD}; or take the build to hash as upstream's does, with --assume-upstream",
}
"""What would decide a verdict that is UNKNOWN: an option, a record, a file."""


def deciding(given: Situation) -> str:
    """Say what would decide an UNKNOWN verdict, without the full stop; the last reason is why it is one."""
    known = [DECIDES[reason.id] for reason in given.item.reasons if reason.id in DECIDES]
    worst = "kill" if given.has(rules.STRICT_GROUPS) else "restart"
    return f"{_narrowed(given) or known[-1]}; until then count it as a {worst}"


def _narrowed(given: Situation) -> str:
    """Return what decides where that depends on the case.

    A manifest does not decide where it is available already, or where a release's UIDs are not known; a
    record does where the Go of the target kubelet is known.
    """
    case = given.case
    if case is None:
        return ""
    computable = case.old.static_pods.known and case.new.static_pods.known
    if given.has(rules.STATIC_POD) and (case.static_uids or not computable):
        return "no option decides: look whether the UID changes on one node"
    return _BY_RECORD if given.has(rules.VENDOR_GO) and case.new_hash.is_certain else ""
