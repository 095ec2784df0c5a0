"""PF-314: the image of sandboxes is not on the node."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from shlex import quote
from typing import Final

from hashcompat import shown
from hashcompat.model.preflight import Status
from hashcompat.preflight.checks.check import Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts, driver
from hashcompat.rules import Rule


def _find(facts: Facts, _upgrade: Upgrade) -> Iterator[Problem]:
    given = driver.sandbox_image(facts.cri_info)
    image = shown.image(given)
    names = driver.image_names(driver.document(facts.dump, "cri", "images"))
    if not _has(names, given):
        yield Problem(
            Status.WARN,
            image,
            f"{image}, the image of sandboxes, is not on the node: each new pod has to pull it first",
            f"crictl pull {quote(image)}; from 1.35 on pin it in the runtime",
        )


def _has(names: Iterable[str], image: str) -> bool:
    """Return whether an image is among names, which runtimes write in full: ``docker.io/library/pause``."""
    return any(name == image or name.endswith(f"/{image}") for name in names)


SANDBOX_IMAGE: Final = Check(
    Rule(
        "PF-314",
        "sandbox image missing",
        "The image that every pod's sandbox is made of is not on the node. Where the registry cannot be "
        "reached, a pod that is recreated does not start.",
        "pkg/kubelet/images/image_gc_manager.go (pinned images); kubernetes/kubernetes#133779",
    ),
    ("the runtime's own report", "the list of its images"),
    _find,
)
