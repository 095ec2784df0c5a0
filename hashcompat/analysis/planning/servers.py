"""The API servers that a cluster shows to run, where the options name none, and what follows for a plan.

What a plan takes for granted otherwise, that the API server is of the newer one of two kubelets, is wrong in
two cases: in a rollout that begins with kubelets, and under an API server that is newer than both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import structs

from hashcompat.analysis.planning.reading import rows
from hashcompat.analysis.planning.view import View
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.catalog.releases import minors_behind
from hashcompat.core.kubelet import servers
from hashcompat.core.kubelet.alike import waits_for_services
from hashcompat.core.kubelet.servers import Servers
from hashcompat.core.model.escape import count
from hashcompat.core.model.items import Item
from hashcompat.core.model.verdicts import Verdict


def seen(found: Mapping[str, Iterable[str]], view: View) -> Servers:
    """Return the API servers that pods and reports show; none where the options name one, and of a sample."""
    if view.sample or view.options.apiserver or view.options.apiserver_to:
        return Servers()
    return servers.servers_of(found, view.catalog)


def under(shown: Servers, olds: Iterable[Kubelet], new: Kubelet, view: View) -> View | None:
    """Return the view with these API servers; None where no pod is read differently under them.

    The oldest one is what wrote the pods. One that is newer than both kubelets stays; else it is taken to
    become the newer kubelet's before that starts, as without any.
    """
    if not shown:
        return None
    olds = tuple(olds)
    stays = all(minors_behind(kubelet.release, shown.newest.release) > 0 for kubelet in (*olds, new))
    options = structs.replace(
        view.options,
        apiserver=str(shown.oldest.release),
        apiserver_to=str(shown.newest.release) if stays else "",
    )
    other = structs.replace(view, options=options)
    return other if any(rows(old, new, other) != rows(old, new, view) for old in olds) else None


def assumed(shown: Servers) -> Iterator[str]:
    """Yield of which release the API server is, and where that shows."""
    if shown and not servers.mixed(shown):
        yield f"kube-apiserver is {shown}"


def warned(shown: Servers, new: Kubelet, items: Iterable[Item]) -> Iterator[str]:
    """Yield what the version skew policy says of these API servers, and which containers would wait."""
    if not shown:
        return
    yield from filter(None, (servers.mixed(shown), servers.too_new(new, shown), servers.too_old(new, shown)))
    if waits_for_services(new, shown.oldest) and (number := len(list(starved(items)))):
        does = "restarts and stays" if number == 1 else "restart and stay"
        yield f"{count(number, 'container')} {does} {servers.waiting(new, shown.oldest)}"


def starved(items: Iterable[Item]) -> Iterator[Item]:
    """Yield the containers that are created again and wait for the list of services.

    Static pods do not.
    """
    for item in items:
        if item.verdict is Verdict.RESTART and not item.pod.workload.startswith("Node/"):
            yield item
