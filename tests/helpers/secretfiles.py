"""Files of a node with a secret wherever a node keeps one, and with what the checks need."""

from __future__ import annotations

MARKER = "swordfish"
"""Stands for every secret."""

CERTIFICATE = "-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n"
_KEY = f"-----BEGIN PRIVATE KEY-----\n{MARKER}\n-----END PRIVATE KEY-----\n"

SECRETS = {
    "/etc/passwd": f"root:{MARKER}:0:0::/root:/bin/sh\nkubelet:{MARKER}:998:998:{MARKER}:/{MARKER}:/x\n",
    "/etc/subuid": f"{MARKER}:1:2\nkubelet:65536:7208960\nkubelet:{MARKER}:1\n998:1:2\n",
    "/etc/nsswitch.conf": f"passwd: {MARKER}\nsubid: files {MARKER}\n",
    "/etc/cni/net.d/10-calico.conflist": f"""\
{{"name": "{MARKER}", "cniVersion": "0.3.1", "plugins": [
  {{"type": "calico", "datastore_type": "{MARKER}", "ipam": {{"type": "calico-ipam"}},
    "policy": {{"type": "k8s", "k8s_auth_token": "{MARKER}"}}, "kubernetes": {{"kubeconfig": "/{MARKER}"}}}},
  {{"type": "portmap", "capabilities": {{"portMappings": true}}}}
]}}
""",
    "/etc/default/kubelet": f"""\
KUBELET_EXTRA_ARGS="--node-ip=10.0.0.1 --feature-gates A=true --x-token {MARKER}"
AWS_SECRET_ACCESS_KEY={MARKER}
HTTP_PROXY=http://u:{MARKER}@proxy
KUBELET_ARGS="--manifest-url=http://host/pods?key={MARKER} --node-ip=10.0.0.2"
# {MARKER}
""",
    "/etc/systemd/system/kubelet.service.d/10-kubeadm.conf": f"""\
[Service]
Environment="KUBELET_KUBECONFIG_ARGS=--kubeconfig=/etc/k.conf --config=/c"
Environment="A={MARKER} {MARKER}" "B=--ok" C={MARKER}
EnvironmentFile=-/etc/default/kubelet
ExecStart=
ExecStart=/usr/bin/env D={MARKER} /usr/bin/kubelet $KUBELET_KUBECONFIG_ARGS --password={MARKER}
""",
    "/var/lib/kubelet/config.yaml": f"""\
apiVersion: kubelet.config.k8s.io/v1beta1 # {MARKER}
kind: KubeletConfiguration
authentication:
  webhook:
    enabled: true
staticPodURLHeader:
  Authorization:
  - Basic {MARKER}
  X:
  - {MARKER}
failSwapOn: false
evictionHard: {{memory.available: 100Mi, "nodefs.available": '10%'}}
clusterDNS: # {MARKER}
- 10.0.0.10
clusterDomain: |
  {MARKER}
unknownField:
  nested: {MARKER}
anotherUnknown: {MARKER}
logging: &anchor {{token: {MARKER}}}
cgroupRoot: *{MARKER}
staticPodURL: http://u:{MARKER}@host/pods?token={MARKER}#{MARKER}
containerRuntimeEndpoint: http://u:{MARKER}@{MARKER}@host/x,http://u:{MARKER}/{MARKER}@host/x
""",
    "/etc/kubernetes/kubelet.json": f"""\
{{"kind": "KubeletConfiguration", "apiVersion": "kubelet.config.k8s.io/v1beta1", "maxPods": 7,
"clusterDNS": ["10.0.0.10", "10.0.0.11"], "other": "{MARKER}",
"unknown": {{"a": ["{MARKER}", {{"b": "{MARKER}"}}]}},
"evictionHard": {{"memory.available": "100Mi"}}, "featureGates": {{"A": true}},
"staticPodURLHeader": {{"Authorization": ["{MARKER}"]}}}}
""",
    "/etc/docker/daemon.json": f"""\
{{"exec-opts": ["native.cgroupdriver=systemd"],
"log-opts": {{"splunk-token":
"{MARKER}"}}, "proxies": {{"http-proxy": "http://u:{MARKER}@p"}}, "registry-mirrors": ["https://u:{MARKER}@m"]}}
""",
    "/etc/containerd/config.toml": f"""\
version = 2
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "pause:3.9"
  env = ["A={MARKER}",
  "B={MARKER}"]
[plugins."io.containerd.grpc.v1.cri".registry.configs."r.example".auth]
  username = "u{MARKER}"
  password = "{MARKER}"
[plugins."io.containerd.grpc.v1.cri".registry.headers]
  X-Key = ["{MARKER}"]
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
  SystemdCgroup = true
registry = {{ configs = {{ "r" = {{ auth = {{ password = "{MARKER}" }} }} }} }}
token = \"\"\"
{MARKER}
\"\"\"
root = "/data"
""",
    "/etc/crio/crio.conf": f"""\
[crio.runtime]
cgroup_manager = "systemd"
default_env = ["A={MARKER}"]
""",
    "/var/lib/kubelet/pki/kubelet-client-current.pem": CERTIFICATE + _KEY,
    "/etc/kubernetes/kubelet.conf": f"""\
users:
- user:
    client-certificate: /var/lib/kubelet/pki/client.pem
    token: {MARKER}
""",
    "/var/lib/kubelet/pki/client.pem": _KEY + CERTIFICATE,
    "/proc/1/mounts": f"""\
//s /mnt cifs rw,username=u,password={MARKER} 0 0
https://u:{MARKER}@host/dav?{MARKER} /dav fuse rw,secret_key={MARKER},access-token={MARKER} 0 0
cgroup2 /sys/fs/cgroup cgroup2 rw 0 0
""",
}
"""What is in the files, by their paths."""
