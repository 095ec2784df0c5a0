"""Whether a patch for one kubelet and some old releases makes sense, and why not where it does not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hashcompat.catalog.lookup import Kubelet
from hashcompat.catalog.patching import Site
from hashcompat.errors import UsageError


def hash_alike(one: Kubelet, other: Kubelet) -> bool:
    """Tell whether two releases hash every container alike that sets only fields which both know.

    Where JSON is hashed unset fields leave no trace; where ``%#v`` text is, the whole type tree is part of
    it.
    """
    return one.era is other.era and ("json" in one.era.steps or one.schema is other.schema)


def distinct(olds: Iterable[Kubelet], new: Kubelet, *, new_fields: bool) -> tuple[Kubelet, ...]:
    """Return the old releases that ``new`` does not hash like already, one for each distinct hash.

    ``new_fields``: containers that set fields which the old release did not know are to count, so its types
    have to be the same.
    """
    found: list[Kubelet] = []
    for old in olds:
        alike = (
            _same_code(old, new) if new_fields and "pick" not in old.era.steps[0] else hash_alike(old, new)
        )
        if not alike and not any(_same_code(old, known) for known in found):
            found.append(old)
    return tuple(found)


def _same_code(one: Kubelet, other: Kubelet) -> bool:
    return (one.schema, one.era, one.escapes) == (other.schema, other.era, other.escapes)


def check(new: Kubelet, site: Site, olds: Sequence[Kubelet]) -> None:
    """Raise UsageError, with the reason, for releases that no strategy has a patch for."""
    if site.function("containerChanged") is None:
        raise UsageError(
            f"{new.release}: only kubelets from 1.8 on can be patched; older ones compare hashes in another way"
        )
    for old in olds:
        if "fnv32a" not in old.era.steps or old.schema.tree["package"] != new.schema.tree["package"]:
            raise UsageError(
                f"{old.release}: its hash cannot be had in {new.release}: it is of another type and digest (before 1.6)"
            )


def check_pin(new: Kubelet, olds: Sequence[Kubelet], *, force: bool) -> None:
    """Raise UsageError where pinning makes no sense, or does harm that nobody asked for with ``force``."""
    if len(olds) > 1:
        raise UsageError(
            "--strategy pin: give one release with --like, for a kubelet hashes like one only; or take --strategy accept"
        )
    covers_resources = any("pick" not in old.era.steps[0] for old in olds)
    if new.rules.resources_recorded and covers_resources and not force:
        raise UsageError(
            f"--strategy pin: {new.release} resizes containers in place, and the hash of {olds[0].release} covers resources, so every "
            "resize would restart the container; take --strategy accept, or say --force"
        )


def check_strip(new: Kubelet, olds: Sequence[Kubelet]) -> None:
    """Raise UsageError where there is no text to strip."""
    if len(olds) > 1:
        raise UsageError(
            "--strategy strip: give one release with --like, for what is cut out depends on it; or take --strategy accept"
        )
    for kubelet in (new, olds[0]):
        if kubelet.era.steps[0] != "spew":
            raise UsageError(
                f"--strategy strip: {kubelet.release} hashes no text of unset fields ({kubelet.era.name}), so there is nothing to cut out; "
                "take --strategy accept or pin"
            )
