#!/bin/sh
# Upgrade the kubelets of some nodes one by one, and stop at the first that is not as the plan predicted.
#
#   hashcompat plan --to 1.31.14 --out plan.json
#   STATE=configmap:ops/rollout UPGRADE=./upgrade-kubelet roll-nodes.sh plan.json node-a node-b node-c
#
# UPGRADE   the command that upgrades the kubelet of the node which it is given, and waits until that is Ready
# STATE     where the pipelines of this rollout keep whose turn it is: a file, or configmap:NAMESPACE/NAME
# SETTLE    seconds that the kubelet gets to look at its pods, during which they are compared (60)
# TRIES     how often it gets them while that is undecided (10)
#
# What may restart is the policy of HASHCOMPAT_GATE_*, or of the settings file that HASHCOMPAT_CONFIG names; see docs/gate.md.
# A settings file of the working directory is not read.
# The exit code is that of the gate which stopped, or of UPGRADE.
set -eu

: "${STATE:?name a file, or configmap:NAMESPACE/NAME}"
: "${UPGRADE:?name the command that upgrades the kubelet of a node}"
if [ $# -lt 2 ]; then
    echo "usage: roll-nodes.sh PLAN NODE..." >&2
    exit 64
fi
plan=$1
shift
export HASHCOMPAT_CONFIG="${HASHCOMPAT_CONFIG:-none}"

gate() {
    hashcompat gate --plan "$plan" --state "$STATE" -o name --node "$@"
}

# Compare a node with the plan; while that is undecided (3), do it again.
compare() {
    tries=${TRIES:-10}
    while :; do
        code=0
        gate "$1" --after --settle "${SETTLE:-60}" || code=$?
        tries=$((tries - 1))
        if [ "$code" -ne 3 ] || [ "$tries" -le 0 ]; then
            return "$code"
        fi
    done
}

stop() {
    echo "Stopped at $2: $3 (exit code $1)" >&2
    exit "$1"
}

for node in "$@"; do
    gate "$node" || stop $? "$node" "it was not touched"
    "$UPGRADE" "$node" || stop $? "$node" "its upgrade failed, and its turn stays taken"
    compare "$node" || stop $? "$node" "it is not as the plan predicted, or not decided"
    echo "$node is upgraded, and as the plan predicted" >&2
done
