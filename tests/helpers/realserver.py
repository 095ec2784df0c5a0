"""A real control plane for tests: etcd and kube-apiserver on the loopback, with CA, users, audit log."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests
import trustme

from scripts.suites import servers
from tests.helpers import processes

Json = dict[str, Any]
ADMIN, READER, NARROW, NOBODY = "admin-token", "reader-token", "narrow-token", "nobody-token"
USERS = {
    ADMIN: ("admin", "system:masters"),
    READER: ("reader", ""),
    NARROW: ("narrow", ""),
    NOBODY: ("nobody", ""),
}
ROLES = "/apis/rbac.authorization.k8s.io/v1"
_AUDIT = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [{"level": "Metadata"}],
}
_START_SECONDS = 90


@dataclass(frozen=True)
class Cluster:
    """A running API server: its address, the directory with its files, and its CA."""

    port: int
    etcd: str
    directory: Path
    ca: trustme.CA

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    @property
    def ca_file(self) -> Path:
        return self.directory / "ca.crt"

    def request(
        self, method: str, path: str, body: object = None, content_type: str = "application/json"
    ) -> requests.Response:
        """Send one request as an administrator."""
        headers = {"Authorization": f"Bearer {ADMIN}", "Content-Type": content_type}
        data = None if body is None else json.dumps(body)
        return requests.request(
            method, self.url + path, data=data, headers=headers, verify=str(self.ca_file), timeout=60
        )

    def create(self, path: str, body: object) -> Json:
        """Create one object and return what the server made of it."""
        answer = self.request("POST", path, body)
        assert answer.status_code == 201, answer.text
        made: Json = answer.json()
        return made

    def create_all(self, path: str, bodies: Iterable[object]) -> list[Json]:
        """Create many objects, some at a time."""
        with ThreadPoolExecutor(8) as pool:
            return list(pool.map(lambda body: self.create(path, body), bodies))

    def apply(self, manifest: Json) -> None:
        """Create the roles and bindings that ``hashcompat rbac`` prints."""
        for item in manifest["items"]:
            namespace = item["metadata"].get("namespace")
            folder = f"{ROLES}/namespaces/{namespace}" if namespace else ROLES
            self.create(f"{folder}/{item['kind'].lower()}s", item)

    def compact(self) -> None:
        """Forget the past, so that every list begun before now expires."""
        latest = requests.post(f"{self.etcd}/v3/kv/range", json={"key": "AA=="}, timeout=30).json()["header"][
            "revision"
        ]
        answer = requests.post(
            f"{self.etcd}/v3/kv/compaction", json={"revision": latest, "physical": True}, timeout=30
        )
        assert answer.status_code == 200, answer.text

    def audited(self, user: str) -> list[Json]:
        """Return what one user asked for, as the server's own audit log has it."""
        events = map(json.loads, (self.directory / "audit.log").read_text().splitlines())
        return [event for event in events if event["user"].get("username") == user]

    def kubeconfig(
        self, name: str, user: Mapping[str, object], *, server: str = "", **cluster: object
    ) -> Path:
        """Write a kubeconfig file with one cluster, one user and one context, all of this name."""
        place = {"server": server or self.url, "certificate-authority": str(self.ca_file), **cluster}
        document = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": name,
            "clusters": [{"name": name, "cluster": place}],
            "users": [{"name": name, "user": user}],
            "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        }
        path = self.directory / f"{name}.kubeconfig"
        path.write_text(json.dumps(document))
        return path


@contextmanager
def running(directory: Path) -> Iterator[Cluster]:
    """Start etcd and kube-apiserver with everything below a directory, and end them."""
    ca = trustme.CA()
    ca.cert_pem.write_to_path(str(directory / "ca.crt"))
    ca.issue_cert("127.0.0.1", "localhost").private_key_and_cert_chain_pem.write_to_path(
        str(directory / "server.pem")
    )
    (directory / "tokens.csv").write_text(
        "".join(f'{token},{name},{name},"{group}"\n' for token, (name, group) in USERS.items())
    )
    (directory / "audit.json").write_text(json.dumps(_AUDIT))
    client, peer, secure = (processes.free_port() for _ in range(3))
    cluster = Cluster(secure, f"http://127.0.0.1:{client}", directory, ca)
    with ExitStack() as stack:
        stack.enter_context(
            processes.running(
                [servers.built("etcd"), *_etcd_flags(directory, client, peer)], directory / "etcd.log"
            )
        )
        command: list[str | Path] = [servers.built("kube-apiserver"), *_server_flags(cluster)]
        server = stack.enter_context(processes.running(command, directory / "kube-apiserver.log"))
        _wait(cluster, server)
        yield cluster


def _etcd_flags(directory: Path, client: int, peer: int) -> list[str]:
    urls, peers = f"http://127.0.0.1:{client}", f"http://127.0.0.1:{peer}"
    return [
        f"--data-dir={directory / 'etcd'}",
        f"--listen-client-urls={urls}",
        f"--advertise-client-urls={urls}",
        f"--listen-peer-urls={peers}",
        f"--initial-advertise-peer-urls={peers}",
        f"--initial-cluster=default={peers}",
        "--unsafe-no-fsync",
    ]


def _server_flags(cluster: Cluster) -> list[str]:
    key = cluster.directory / "server.pem"
    return [
        f"--etcd-servers={cluster.etcd}",
        "--etcd-compaction-interval=0",
        "--feature-gates=ListFromCacheSnapshot=false",  # a list must expire when etcd forgets
        "--bind-address=127.0.0.1",
        f"--secure-port={cluster.port}",
        f"--tls-cert-file={key}",
        f"--tls-private-key-file={key}",
        f"--client-ca-file={cluster.ca_file}",
        f"--token-auth-file={cluster.directory / 'tokens.csv'}",
        "--authorization-mode=RBAC",
        "--disable-admission-plugins=ServiceAccount",  # it would add a volume to every pod
        "--service-account-issuer=https://127.0.0.1",
        f"--service-account-key-file={key}",
        f"--service-account-signing-key-file={key}",
        "--service-cluster-ip-range=10.0.0.0/24",
        f"--audit-log-path={cluster.directory / 'audit.log'}",
        f"--audit-policy-file={cluster.directory / 'audit.json'}",
        f"--cert-dir={cluster.directory}",
    ]


def _wait(cluster: Cluster, server: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end and server.poll() is None:
        try:
            if (
                cluster.request("GET", "/readyz").status_code == 200
                and cluster.request("GET", "/api/v1/namespaces/default").ok
            ):
                return
        except requests.ConnectionError:
            pass
        time.sleep(0.25)
    raise AssertionError(
        f"kube-apiserver is not ready:\n{(cluster.directory / 'kube-apiserver.log').read_text()[-3000:]}"
    )


def environment(kubeconfig: object, home: Path) -> dict[str, str]:
    """Return a fresh shell's environment: the tests' kubectl, a kubeconfig, and nothing else."""
    path = os.pathsep.join([str(servers.built("kubectl").parent), os.environ["PATH"]])
    return {"PATH": path, "HOME": str(home), "KUBECONFIG": str(kubeconfig)}
