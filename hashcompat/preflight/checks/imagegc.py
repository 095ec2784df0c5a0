"""PF-225: images that a kubelet removes soon after it starts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.model.preflight import Status
from hashcompat.preflight.checks.check import Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts, driver
from hashcompat.preflight.facts.space import least
from hashcompat.rules import Rule


def _find(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    given = facts.setting("image-gc-high-threshold", "imageGCHighThresholdPercent")
    high = least(str(upgrade.hazards.image_gc_high if given is None else given), 0)
    directory = driver.image_directory(
        facts.runtime, facts.docker_info if facts.drives_docker else facts.cri_info
    )
    usage = facts.usage(directory)
    used = 100 - usage.available * 100 // usage.size if usage.size else 0
    if high < 100 and used >= high:
        yield Problem(
            Status.WARN,
            directory,
            f"{directory} is {used} % full: from {high} % on the kubelet removes images that no container "
            "uses, those of stopped containers too",
            "free some space first, or raise imageGCHighThresholdPercent",
        )


IMAGE_GC: Final = Check(
    Rule(
        "PF-225",
        "images will be removed",
        "The file system of images is fuller than imageGCHighThresholdPercent: within minutes a kubelet that "
        "starts removes images, and what is recreated later has to pull them again.",
        "pkg/kubelet/images/image_gc_manager.go GarbageCollect; pkg/kubelet/apis/config/v1beta1/defaults.go",
    ),
    ("df of the runtime's directory", "the kubelet's flags and configuration file"),
    _find,
)
