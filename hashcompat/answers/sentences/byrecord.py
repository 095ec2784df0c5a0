"""Why a record decides, or what is missing for a decision, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hashcompat import rules
from hashcompat.answers.sentences.situation import Clause, Reasons, Situation, after


def _not_decoded(_: Situation, found: Reasons) -> str:
    return f"the object does not fit the kubelet's Go types: {found[0].text}"


def _never_compared(given: Situation, _: Reasons) -> str:
    return (
        f"{given.new} compares this sidecar, and {given.old} never did, so the recorded hash may be "
        "that of an older release"
    )


def _recorded(given: Situation, _: Reasons) -> str:
    return f"the recorded hash is the one that {given.new} computes"


def _not_reproduced(given: Situation, _: Reasons) -> str:
    whose = f"not {given.new}'s"
    if given.decided.old_known:
        whose = f"neither {given.old}'s nor {given.new}'s"
    return f"the recorded hash is {whose}: another release created it, or it was created from another spec"


def _not_calibrated(_: Situation, __: Reasons) -> str:
    return "the container has no record, and other recorded hashes of its node are not reproduced"


def _hash_missing(given: Situation, _: Reasons) -> str:
    return f"no hash is recorded for it, which {given.new} reads as 0, and 0 differs from every hash"


def _patched(given: Situation, _: Reasons) -> str:
    return f"{given.new} is assumed to have a patch that accepts the recorded hash"


def _other_creator(given: Situation, found: Reasons) -> str:
    maker = after(found[0].text, "created by ").partition(":")[0]
    return f"{maker} created it, as the recorded hash shows, and {given.new} computes another hash"


def _creator(given: Situation, found: Reasons) -> str:
    return f"the hash of its creator decides, which need not be {given.old}: {found[0].text}"


def _manifest(_: Situation, found: Reasons) -> str:
    return f"the input is a manifest: {after(found[0].text, 'a manifest: ')}"


def _not_compared(given: Situation, found: Reasons) -> str:
    return f"{given.new} does not compare its hash: {after(found[0].text, 'not compared: ')}"


def _text(_: Situation, found: Reasons) -> str:
    return "; ".join(reason.text for reason in found)


BY_RECORD: Final[Mapping[str, Clause]] = {
    rules.NOT_COMPARED: _not_compared,
    rules.NODE_RELEASE: _text,
    rules.NODE_DISPUTED: _text,
    rules.NOT_DECODED: _not_decoded,
    rules.NEVER_COMPARED: _never_compared,
    rules.RECORDED: _recorded,
    rules.NOT_REPRODUCED: _not_reproduced,
    rules.NOT_CALIBRATED: _not_calibrated,
    rules.HASH_MISSING: _hash_missing,
    rules.ADMISSION: _manifest,
    rules.PATCHED: _patched,
    rules.NOT_STORED: _text,
    rules.SERVER_GATE: _manifest,
    rules.OTHER_CREATOR: _other_creator,
    rules.CREATOR: _creator,
    rules.CLOSED_BUILD: _text,
}
"""The clause of each rule about what is recorded, and about what the input lacks."""
