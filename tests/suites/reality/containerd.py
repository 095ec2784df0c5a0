"""What kubelets have created in containerd, as crictl lists it."""

from __future__ import annotations

import json

from tests.helpers.daemons import Node
from tests.suites.reality.outcome import Look
from tests.suites.reality.pods import Json


def look(node: Node) -> Look:
    """Return the containers and the sandboxes that there are now."""
    return containers(node), sandboxes(node)


def containers(node: Node) -> list[Json]:
    """Return every container, whether it runs or not."""
    listed: list[Json] = json.loads(node.cri("ps", "-a", "-o", "json"))["containers"]
    return listed


def sandboxes(node: Node) -> list[Json]:
    listed: list[Json] = json.loads(node.cri("pods", "-o", "json"))["items"]
    return listed


def clear(node: Node) -> None:
    """Remove every pod."""
    node.cri("rmp", "--all", "--force")
