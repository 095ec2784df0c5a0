"""The steps of the lab: which kubelet follows which, and what happens to the node while none runs."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from scripts.suites import kubelets
from scripts.suites.kubelets import CHAIN, Kubelet
from tests.suites.reality import pods
from tests.suites.reality.lab import PODS, Lab, add_ephemeral
from tests.suites.reality.outcome import CONTAINER, NAME, newest
from tests.suites.reality.pods import LABEL, NODE, OTHER_IMAGE, TAINT, Json


@dataclass(frozen=True)
class Step:
    """One change of kubelets."""

    number: int
    old: Kubelet
    new: Kubelet

    @property
    def name(self) -> str:
        return f"{self.number:02}-{self.old.name}-to-{self.new.name}"

    @property
    def flags(self) -> list[str]:
        """The options by which `plan` knows the kubelets."""
        return kubelets.flags(self.old, self.new)


STEPS = [Step(number + 1, old, new) for number, (old, new) in enumerate(pairwise(CHAIN))]


def _container(lab: Lab, pod: str, container: str) -> str:
    """Return the id of the newest container of a name."""
    container_id: str = newest(lab.containers(), NAME, CONTAINER)[pod, container]["id"]
    return container_id


def _sandbox(lab: Lab, pod: str) -> str:
    sandbox_id: str = newest(lab.sandboxes(), NAME)[(pod,)]["id"]
    return sandbox_id


def _kill_process(lab: Lab, *inspect: str) -> None:
    template = ("-o", "go-template", "--template", "{{.info.pid}}")
    os.kill(int(lab.node.cri(inspect[0], *template, *inspect[1:]).strip()), signal.SIGKILL)


def kill_pause(lab: Lab) -> None:
    """End the pause process of a pod, as an OOM killer does."""
    _kill_process(lab, "inspectp", _sandbox(lab, "pause-killed"))


def remove_sandbox(lab: Lab) -> None:
    lab.node.cri("rmp", "--force", _sandbox(lab, "sandbox-removed"))


def kill_process(lab: Lab) -> None:
    _kill_process(lab, "inspect", _container(lab, "process-killed", "killed"))


def remove_container(lab: Lab) -> None:
    lab.node.cri("rm", "--force", _container(lab, "container-removed", "removed"))


def change_image(lab: Lab) -> None:
    """Change the image of a container that runs, there and back at every other time."""
    path = f"{PODS}/image-changed"
    now = lab.api("GET", path)["spec"]["containers"][0]["image"]
    image = pods.IMAGE if now == OTHER_IMAGE else OTHER_IMAGE
    lab.patch(path, {"spec": {"containers": [{"name": "changed", "image": image}]}})


def delete(lab: Lab) -> None:
    """Ask for the deletion of a pod that takes long to end and of one that is kept from it."""
    for name in ("deleting", "deleting-with-finalizer"):
        lab.api("DELETE", f"{PODS}/{name}")


def remove_label(lab: Lab) -> None:
    lab.patch(f"/api/v1/nodes/{NODE}", {"metadata": {"labels": {LABEL: None}}})


def taint(lab: Lab) -> None:
    lab.patch(f"/api/v1/nodes/{NODE}", {"spec": {"taints": [TAINT]}})


Disturbance = Callable[[Lab], None]
OF_PODS: Final[dict[str, Disturbance]] = {
    "pause-killed": kill_pause,
    "sandbox-removed": remove_sandbox,
    "process-killed": kill_process,
    "container-removed": remove_container,
    "image-changed": change_image,
}
"""What happens to which pod while no kubelet runs, at each step but the first, which shows a node at rest."""
AT: Final[dict[int, tuple[Disturbance, ...]]] = {
    4: (remove_label,),
    6: (taint,),
    10: (remove_label, taint),
    18: (remove_label,),
}
"""What happens to the node, by the number of the step; it is undone before the next one."""


def disturb(lab: Lab, step: Step) -> list[str]:
    """Let something happen while no kubelet runs, and name the pods to which it happened."""
    of_pods = OF_PODS if step.number > 1 else {}
    for disturbance in (*of_pods.values(), *AT.get(step.number, ())):
        disturbance(lab)
    return [*of_pods]


def renew(lab: Lab) -> None:
    """Give the node its label back and take the taint, and create what has failed or was removed again."""
    lab.patch(f"/api/v1/nodes/{NODE}", {"metadata": {"labels": {LABEL: "1"}}, "spec": {"taints": None}})
    there = {pod["metadata"]["name"]: pod for pod in lab.pods()}
    wanted = {pod["metadata"]["name"]: pod for pod in pods.api_pods()}
    gone = [name for name in wanted if name not in there or _refused(there[name])]
    for name in gone:
        if name in there:
            lab.patch(f"{PODS}/{name}", {"metadata": {"finalizers": None}})
            lab.api("DELETE", f"{PODS}/{name}?gracePeriodSeconds=0")
    for name in gone:
        lab.create(wanted[name])
    if "ephemeral" in gone:
        lab.wait(5, 10)
        add_ephemeral(lab)
    if gone:
        lab.wait(5, 10)


def _refused(pod: Json) -> bool:
    """Return whether a kubelet refused the pod, or it ended because that killed its containers."""
    status: Any = pod["status"]
    return bool(status.get("phase") == "Failed") and pod["metadata"]["name"] != "failed"
