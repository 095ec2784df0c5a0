"""Which pods a plan decides from scratch, and which repeat others.

This is the one place that knows how the program decides: ``Judge.draft`` prepares a container by itself.
"""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hashcompat.analysis import planning
from hashcompat.analysis.planning.judge import Draft, Judge
from hashcompat.analysis.planning.view import View
from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.sources.files import collect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hashcompat.core.model.pods import Container, Pod

Key = tuple[str, str]
"""A pod's namespace and name."""


@contextmanager
def decided(old: str, new: str) -> Iterator[set[Key]]:
    """Yield the pods as they come that have a container which is decided from scratch for this upgrade."""
    pods: set[Key] = set()
    draft = Judge.draft

    def counted(self: Judge, pod: Pod, container: Container) -> Draft:
        if (self.way.old, self.way.new) == (old, new):
            pods.add((pod.namespace, pod.name))
        return draft(self, pod, container)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Judge, "draft", counted)
        yield pods


def fresh(path: Path, old: str, new: str) -> set[Key]:
    """Return the pods of a file that a plan decides from scratch."""
    with decided(old, new) as pods:
        planning.make(collect.collect((str(path),)), old, new, View(default_catalog()))
    return pods
