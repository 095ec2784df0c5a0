#!/bin/sh
# Upgrade k3s, RKE2 or k0s on this node in place, with rewritten records; run as root.
#
#   k3s.sh DOCUMENT UNIT PROGRAM
#
# DOCUMENT is what hashcompat normalize saved, UNIT what runs the kubelet (k3s, k3s-agent, rke2-server, rke2-agent, k0scontroller,
# k0sworker), PROGRAM the new k3s, rke2 or k0s. Their containerd is a child of that unit and ends with it, while the containers run
# on: in between it is started by itself, as they start it. If a step fails before the new program is installed, or this is ended by
# a signal, the records are what they were, and the old one runs. Where the new one is in place already, nothing is done.
set -eu

document=$1 unit=$2 program=$3
node=${NODE_NAME:-$(hostname | tr '[:upper:]' '[:lower:]')}

case $unit in
k3s*)
  name=k3s data=/var/lib/rancher/k3s/agent bin=/var/lib/rancher/k3s/data/current/bin config=$data/etc/containerd/config.toml
  state=/run/k3s/containerd socket=/run/k3s/containerd/containerd.sock manifests=$data/pod-manifests
  ;;
rke2*)
  name=rke2 data=/var/lib/rancher/rke2/agent bin=/var/lib/rancher/rke2/bin config=$data/etc/containerd/config.toml
  state=/run/k3s/containerd socket=/run/k3s/containerd/containerd.sock manifests=$data/pod-manifests
  ;;
k0s*)
  name=k0s data=/var/lib/k0s bin=/var/lib/k0s/bin config=/etc/k0s/containerd.toml
  state=/run/k0s/containerd socket=/run/k0s/containerd.sock manifests= # k0s has static pods from a URL
  ;;
*)
  echo "no unit of k3s, RKE2 or k0s: $unit" >&2
  exit 1
  ;;
esac
target=${TARGET:-/usr/local/bin/$name}

run() {
  action=$1
  shift
  hashcompat normalize "$action" "$document" --node-name "$node" --runtime-endpoint "$socket" "$@"
}

write() {
  run "$1" --write ${manifests:+--static-pod-dir "$manifests"}
}

start_containerd() {
  PATH=$bin:$PATH containerd -c "$config" -a "$socket" --root "$data/containerd" --state "$state" >"$document.log" 2>&1 &
  containerd=$!
  for _ in $(seq 60); do
    PATH=$bin:$PATH ctr -a "$socket" version >/dev/null 2>&1 && return 0 # not the status that called back
    kill -0 "$containerd" || break
    sleep 1
  done
  echo "containerd does not answer: $document.log" >&2
  return 1
}

stop_containerd() {
  kill "$containerd" 2>/dev/null || :
  wait "$containerd" || :
}

stuck() {
  stop_containerd
  echo "not gone back: $unit stays stopped, as it would restart what has a rewritten record. Mend what undo says, then:" >&2
  echo "  PATH=$bin:\$PATH containerd -c $config -a $socket --root $data/containerd --state $state &" >&2
  echo "  hashcompat normalize undo $document --node-name $node --runtime-endpoint $socket --write${manifests:+ --static-pod-dir $manifests}" >&2
  echo "  kill %1; wait; systemctl start $unit" >&2
  exit 1
}

back() {
  trap - EXIT
  trap : HUP INT TERM
  echo "going back" >&2
  if [ -e "$document.undo" ]; then
    { { kill -0 "$containerd" 2>/dev/null || start_containerd; } && write undo; } || stuck
  fi
  stop_containerd
  systemctl start "$unit"
  exit 1
}

if cmp -s "$program" "$target"; then # going back would undo what the new kubelet needs
  echo "$target is the new program already" >&2
  exit 0
fi
containerd=
systemctl stop "$unit"
trap back EXIT
trap 'exit 1' HUP INT TERM # dash calls what is for EXIT on no signal
start_containerd
write apply
stop_containerd
start_containerd
run check
stop_containerd
install -m 0755 "$program" "$target.new"
trap : HUP INT TERM
mv -f "$target.new" "$target" # whole or not at all
trap - EXIT
systemctl start "$unit"
