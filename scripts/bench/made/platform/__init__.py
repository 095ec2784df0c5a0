"""A cluster of a data platform: what a large company runs on several pools of nodes.

The first ``kubectl`` dumps of this kind were drawn up by somebody who had not read this program, so that what
it finds alike is not what its author had in mind.
"""

from __future__ import annotations

from collections.abc import Iterator

from scripts.bench.made.chance import Json
from scripts.bench.made.platform.given import GIVEN, chance_for
from scripts.bench.made.platform.nodes import node_obj
from scripts.bench.made.platform.owned import Pod
from scripts.bench.made.platform.plans import planned
from scripts.bench.made.platform.pods import pod_obj
from scripts.bench.made.platform.statuses import whole_image
from scripts.bench.made.platform.templates import template
from scripts.bench.made.shape import Shape

_IMAGES: int = 60
"""Of a node, at the most: it has those of its pods."""


def objects(pods: int, shape: Shape) -> Iterator[Json]:
    """Yield the nodes of a cluster and then its pods; the same ones each time, one cluster at a time."""
    GIVEN.seed, GIVEN.distinct, GIVEN.release = str(shape.seed), shape.distinct, f"v{shape.release}"
    GIVEN.cache.clear()
    nodes, made = planned(pods, distinct=shape.distinct)
    images: dict[int, list[str]] = {}
    for pod in made:
        if pod.node and len(pod.node.images) < _IMAGES:
            if pod.w.id not in images:
                images[pod.w.id] = _images(pod)
            pod.node.images.update(images[pod.w.id])
    for node in nodes:
        yield node_obj(node, sorted(node.images), GIVEN.release, shape.managed_fields)
    for pod in made:
        yield pod_obj(pod, shape.managed_fields)


def _images(pod: Pod) -> list[str]:
    """Return the images of a pod's workload."""
    pod.r = chance_for("pod", pod.key)
    spec = template(pod.w, pod)["spec"]
    return [
        whole_image(container["image"])
        for container in (*spec["containers"], *spec.get("initContainers", ()))
    ]
