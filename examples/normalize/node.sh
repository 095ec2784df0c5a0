#!/bin/sh
# Upgrade the kubelet of this node in place, with rewritten records; run as root.
#
#   node.sh DOCUMENT KUBELET [MANIFESTS]
#
# DOCUMENT is what hashcompat normalize saved, KUBELET the new program, MANIFESTS the directory of static pods.
# If a step fails before the new kubelet is installed, or this is ended by a signal, the records are what they were, and the old
# kubelet runs. Where the new one is in place already, nothing is done.
set -eu

document=$1 kubelet=$2 manifests=${3:-/etc/kubernetes/manifests}
node=${NODE_NAME:-$(hostname | tr '[:upper:]' '[:lower:]')}
target=${TARGET:-/usr/bin/kubelet}

run() {
  action=$1
  shift
  hashcompat normalize "$action" "$document" --node-name "$node" "$@"
}

stuck() {
  echo "not gone back: the kubelet stays stopped, as it would restart what has a rewritten record. Mend what undo says, then:" >&2
  echo "  hashcompat normalize undo $document --node-name $node --write --static-pod-dir $manifests" >&2
  echo "  systemctl restart containerd && systemctl start kubelet" >&2
  exit 1
}

back() {
  trap - EXIT
  trap : HUP INT TERM
  echo "going back" >&2
  if [ -e "$document.undo" ]; then
    { run undo --write --static-pod-dir "$manifests" && systemctl restart containerd; } || stuck
  fi
  systemctl start kubelet
  exit 1
}

if cmp -s "$kubelet" "$target"; then # going back would undo what the new kubelet needs
  echo "$target is the new kubelet already" >&2
  exit 0
fi
systemctl stop kubelet
trap back EXIT
trap 'exit 1' HUP INT TERM # dash calls what is for EXIT on no signal
run apply --write --static-pod-dir "$manifests"
systemctl restart containerd
run check
install -m 0755 "$kubelet" "$target.new"
trap : HUP INT TERM
mv -f "$target.new" "$target" # whole or not at all
trap - EXIT
systemctl start kubelet
