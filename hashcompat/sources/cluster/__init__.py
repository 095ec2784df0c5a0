"""A live cluster -> pods, nodes, its UID, the API server's release; where asked for, budgets and Services."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, TypeVar
from urllib.parse import quote

import msgspec
from msgspec import structs
from urllib3 import HTTPHeaderDict

from hashcompat.core.errors import InputError
from hashcompat.core.go.jsonpath import part, text
from hashcompat.core.model.cluster import NOT_READ, ApiServers, Availability, Service
from hashcompat.core.model.escape import count
from hashcompat.core.model.pods import Inventory, Node, Origin, Source
from hashcompat.core.model.uids import Dated, Dating, Reach
from hashcompat.sources.budgets import KIND as BUDGET
from hashcompat.sources.budgets import SERVICE, budgets_of, of_budget, of_service
from hashcompat.sources.cluster import kubectl
from hashcompat.sources.cluster.kept import PodPages, check_kind, page_of, pod_of, stencils_of_pods
from hashcompat.sources.cluster.kubeapi import Client, Get, StatusError, list_all
from hashcompat.sources.dating import now, until
from hashcompat.sources.objects import SYSTEM, read_object

T = TypeVar("T")
Say = Callable[[str], None]
_NOT_FOUND: Final = 404
_FORBIDDEN: Final = 403
_POLICY: Final = ("policy/v1", "policy/v1beta1")
"""The versions of their API, from 1.21 and from 1.5 to 1.24."""


class Access(msgspec.Struct, frozen=True):
    """Which cluster, as whom: kubectl's own flags, and how many seconds an answer may take."""

    kubeconfig: str = ""
    context: str = ""
    user: str = ""
    groups: tuple[str, ...] = ()
    timeout: float = 60

    @property
    def flags(self) -> tuple[str, ...]:
        """The flags for kubectl."""
        groups = (("as-group", name) for name in self.groups)
        named = (("kubeconfig", self.kubeconfig), ("context", self.context), ("as", self.user), *groups)
        return tuple(f"--{name}={value}" for name, value in named if value)


class ReadScope(msgspec.Struct, frozen=True):
    """Which pods are read."""

    namespaces: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    selector: str = ""
    needs_nodes: bool = False
    """Whether there is no answer without the nodes (``--from auto``)."""
    needs_pods: bool = True
    """Whether there is no answer without any pod: there is one where other sources have pods."""
    budgets: bool = False
    """Whether PodDisruptionBudgets and Services are read too."""


class Request(msgspec.Struct, frozen=True):
    """One read: a list, or one object by its ``name``; ``namespace`` is empty for all of them."""

    resource: str
    namespace: str = ""
    name: str = ""
    query: tuple[tuple[str, str], ...] = ()
    api: str = "v1"
    """The API group and its version; only the core group has no name."""

    @property
    def group(self) -> str:
        """The API group, empty for the core group."""
        return self.api.rpartition("/")[0]

    @property
    def path(self) -> str:
        """The path below the API server."""
        parts: tuple[str, ...] = ("namespaces", self.namespace) if self.namespace else ()
        root = f"/apis/{self.api}" if self.group else f"/api/{self.api}"
        parts += (self.resource, *filter(None, [self.name]))
        return "/".join((root, *(quote(part, safe="") for part in parts)))

    @property
    def verb(self) -> str:
        """What a role must allow."""
        return "get" if self.name else "list"

    def __str__(self) -> str:
        return f"the {self._singular} {self.name}" if self.name else f"{self.resource}{self._place}"

    def progress(self, number: int) -> str:
        """Return how many objects of the list were read so far."""
        return f"{count(number, self._singular)}{self._place}"

    @property
    def _singular(self) -> str:
        return self.resource.removesuffix("s")

    @property
    def _place(self) -> str:
        if self.resource == "nodes":
            return ""
        return f" in the namespace {self.namespace}" if self.namespace else " in all namespaces"


def pod_requests(scope: ReadScope) -> list[Request]:
    """Return the lists that hold the scope's pods, one for each namespace and node that it names."""
    selected = (("labelSelector", scope.selector),) if scope.selector else ()
    return [
        Request(
            "pods",
            namespace,
            query=(*selected, *((("fieldSelector", f"spec.nodeName={node}"),) if node else ())),
        )
        for namespace in dict.fromkeys(scope.namespaces or ("",))
        for node in dict.fromkeys(scope.nodes or ("",))
    ]


def node_requests(scope: ReadScope) -> list[Request]:
    """Return the reads of the scope's nodes."""
    return [Request("nodes", name=name) for name in dict.fromkeys(scope.nodes)] or [Request("nodes")]


def system_request() -> Request:
    """Return the read of the namespace whose UID is that of the cluster."""
    return Request("namespaces", name=SYSTEM)


def budget_requests(scope: ReadScope, api: str = _POLICY[0]) -> list[Request]:
    """Return the lists that hold the budgets of the scope's namespaces."""
    return [
        Request("poddisruptionbudgets", namespace, api=api)
        for namespace in dict.fromkeys(scope.namespaces or ("",))
    ]


def service_requests(scope: ReadScope) -> list[Request]:
    """Return the lists that hold the Services of the scope's namespaces."""
    return [Request("services", namespace) for namespace in dict.fromkeys(scope.namespaces or ("",))]


def collect(access: Access, scope: ReadScope, say: Say, progress: Say) -> Inventory:
    """Read the pods of a cluster, and its nodes where they are needed or may be read.

    ``say`` gets lines for the user, ``progress`` how far a list is. Raises InputError, naming what was to be
    read, for what is refused or cannot be read whole: a part of a cluster is never an inventory.
    """
    begun = now()
    with connect(access, say) as client:
        pods = PodPages()
        asked = pod_requests(scope)
        counts = [_keep_pods(client, request, pods, progress) for request in asked]
        if scope.needs_pods and not any(counts):
            raise InputError("the cluster has no pods that match; an empty plan would look like a safe one")
        nodes = tuple(_nodes(client, scope, say, progress))
        budgets = _budgets(client, scope, progress) if scope.budgets else NOT_READ
        origin = structs.replace(_origin(access), cluster=_uid_or_none(client))
        dating = Dating(until(), (Dated("", Reach(begun), says=True),))
        servers = ApiServers(_version_or_none(client))
        # the API server lists a namespace that does not exist as one without pods
        warnings = tuple(
            f"no pods in the namespace {request.namespace}, if there is one of this name"
            for request, number in zip(asked, counts, strict=True)
            if not (number or request.query) and request.namespace
        )
        return Inventory(
            pods, nodes, origin=origin, warnings=warnings, budgets=budgets, dating=dating, servers=servers
        )


def uid(access: Access, say: Say) -> str:
    """Return the UID of a cluster, that of its namespace kube-system.

    Raises InputError where it cannot be read.
    """
    with connect(access, say) as client:
        try:
            cluster_uid = _uid(client)
        except StatusError as error:
            raise InputError(
                f"cannot get {system_request()}, whose UID is that of the cluster: {error}; "
                "'hashcompat rbac' prints the role that is needed"
            ) from None
    if not cluster_uid:
        raise InputError(f"{system_request()} has no UID, so the cluster is not known")
    return cluster_uid


def _uid(client: Client) -> str:
    return text(part(client.get(system_request().path), "metadata"), "uid")


def _uid_or_none(client: Client) -> str:
    """Return the UID where it can be read: a plan does not need it."""
    try:
        return _uid(client)
    except InputError:
        return ""


def _version_or_none(client: Client) -> str:
    """Return the release that the API server reports, which everybody may ask; a plan does not need it."""
    try:
        return text(client.get("/version"), "gitVersion")
    except InputError:
        return ""


def is_named(access: Access) -> bool:
    """Return whether a flag, KUBECONFIG or the service account of this pod names a cluster."""
    named = access.kubeconfig or access.context or os.environ.get("KUBECONFIG")
    return bool(named) or kubectl.is_there(os.environ)


def _by_account(access: Access) -> bool:
    """Return whether the service account is the way to the cluster: a kubeconfig comes before it."""
    kubeconfig = access.kubeconfig or access.context or kubectl.has_kubeconfig(os.environ)
    return not kubeconfig and kubectl.is_there(os.environ)


def _origin(access: Access) -> Origin:
    if _by_account(access):
        return Origin(Source.CLUSTER, server=kubectl.server(os.environ))
    context, server = kubectl.target(access.flags)
    return Origin(Source.CLUSTER, context=context or access.context, server=server)


@contextmanager
def connect(access: Access, say: Say, written: str = "") -> Iterator[Client]:
    """Connect as kubectl would: through kubectl by its kubeconfig, or by the service account of this pod.

    ``written`` is the path of the one object that this connection is for, where it may be written.
    """
    if _by_account(access):
        with kubectl.connections(os.environ) as pool:
            yield Client(pool, access.timeout, partial(_account_headers, access))
    else:
        with kubectl.proxy(access.flags, say, written) as connections:
            yield Client(connections, access.timeout)


def _account_headers(access: Access) -> HTTPHeaderDict:
    headers = HTTPHeaderDict(Authorization=f"Bearer {kubectl.token()}")
    if access.user:
        headers.add("Impersonate-User", access.user)
    for group in access.groups:
        headers.add("Impersonate-Group", group)
    return headers


def _nodes(client: Client, scope: ReadScope, say: Say, progress: Say) -> Iterator[Node]:
    for request in node_requests(scope):
        try:
            yield from _read(client, request, _node, progress)
        except _RefusedError as error:
            if scope.needs_nodes:
                raise
            say(f"Continuing without nodes: {error}")
            return


def _budgets(client: Client, scope: ReadScope, progress: Say) -> Availability:
    """Return budgets and Services; of each that is refused, why.

    The budgets are those of the first version of their API that is served.
    """
    services, refused = list[Service](), ""
    try:
        for request in service_requests(scope):
            services += filter(None, _read(client, request, _service, progress))
    except _RefusedError as error:
        refused = str(error)
    for api in _POLICY:
        try:
            budgets: list[object] = [
                of_budget({**item, "apiVersion": api, "kind": BUDGET})
                for request in budget_requests(scope, api)
                for item in _read(client, request, _budget, progress)
            ]
        except _RefusedError as error:
            listed = budgets_of(services, {}, listed=True, services=refused)
            return structs.replace(listed, missing=str(error))
        except _NotServedError:
            continue
        return budgets_of([*budgets, *services], {}, listed=True, services=refused)
    # before 1.5, and where no server has the API, there are none
    return budgets_of(services, {}, listed=True, services=refused)


def _budget(item: dict[str, Any]) -> dict[str, Any]:
    check_kind(item, BUDGET)
    return item


def _service(item: dict[str, Any]) -> Service | None:
    check_kind(item, SERVICE)
    return of_service({**item, "apiVersion": "v1", "kind": SERVICE})


class _NotServedError(InputError):
    """The server does not have the API that is asked for."""


class _RefusedError(InputError):
    """The user may not read what is asked for."""


def _keep_pods(client: Client, request: Request, pods: PodPages, progress: Say) -> int:
    """Keep the pods of a list, each of which can be read; return how many they are."""
    begin, stencils = pods.place, stencils_of_pods()

    def get(path: str, query: Mapping[str, str]) -> dict[str, Any]:
        if "continue" not in query:
            pods.cut(begin)  # a list that expired on the way is read again
        page = client.get(path, query, partial(page_of, stencils=stencils))
        pods.keep(page)
        return page

    # of each no more than whether it can be read
    return len(_read(client, request, lambda item: pod_of(item) is None, progress, get))


def _read(
    client: Client,
    request: Request,
    read: Callable[[dict[str, Any]], T],
    progress: Say,
    get: Get | None = None,
) -> list[T]:
    def seen(number: int) -> None:
        progress(request.progress(number))

    try:
        if request.name:
            return [read(client.get(request.path))]
        return list_all(client, request.path, dict(request.query), read, seen, get)
    except StatusError as error:
        if error.code == _NOT_FOUND and request.name:
            return []  # its pods may outlive a node by minutes
        if error.code == _NOT_FOUND and request.group:
            raise _NotServedError(request.api) from None
        if error.code == _FORBIDDEN:
            of_impact = request.group or request.resource == "services"
            rbac = "hashcompat rbac --impact" if of_impact else "hashcompat rbac"
            raise _RefusedError(
                f"cannot {request.verb} {request}: {error}; '{rbac}' prints the role that is needed"
            ) from None
        raise InputError(f"cannot {request.verb} {request}: {error}") from None


def _node(item: dict[str, Any]) -> Node:
    check_kind(item, "Node")
    (node,) = read_object({**item, "apiVersion": "v1", "kind": "Node"}, "a node of the cluster")
    return node  # type: ignore[return-value]  # of the kind asked for
