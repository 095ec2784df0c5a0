#!/bin/sh
# Upgrade the kubelet of this node in place, with rewritten records; run as root.
#
#   node.sh DOCUMENT KUBELET [MANIFESTS]
#
# DOCUMENT is what hashcompat normalize saved, KUBELET the new program, MANIFESTS the directory of static pods.
# If a step fails before the new kubelet is installed, the records are what they were, and the old kubelet runs.
set -eu

document=$1 kubelet=$2 manifests=${3:-/etc/kubernetes/manifests}
node=${NODE_NAME:-$(hostname | tr '[:upper:]' '[:lower:]')}

run() {
  action=$1
  shift
  hashcompat normalize "$action" "$document" --node-name "$node" "$@"
}

back() {
  trap - EXIT
  echo "going back" >&2
  if [ -e "$document.undo" ]; then
    run undo --write --static-pod-dir "$manifests"
    systemctl restart containerd
  fi
  systemctl start kubelet
  exit 1
}

systemctl stop kubelet
trap back EXIT
run apply --write --static-pod-dir "$manifests"
systemctl restart containerd
run check
install -m 0755 "$kubelet" /usr/bin/kubelet
trap - EXIT
systemctl start kubelet
