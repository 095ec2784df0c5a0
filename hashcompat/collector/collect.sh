#!/bin/sh
# Prints what this node's container runtime reports about the kubelet's containers, as JSON for `hashcompat plan --recorded FILE`,
# and which resources a kubelet of 1.33 or later noted as applied.
#
#   sh collect.sh > node1.json      to standard output
#   sh collect.sh DIR               to DIR/<node>.json
#
# It only reads: names, UIDs, labels, states, and the hashes that the kubelet recorded; no environments, arguments, commands
# or pod annotations. It writes no temporary files. It needs root for the runtime's socket, and crictl or docker on the PATH.
# Set RUNTIME_ENDPOINT=/path/to/cri.sock or DOCKER_HOST=unix:///path/to/docker.sock if the socket is not at its usual path, and
# KUBELET_ROOT if the kubelet's --root-dir is not.
set -eu

SOCKETS='/run/containerd/containerd.sock /run/crio/crio.sock /run/cri-dockerd.sock /run/k3s/containerd/containerd.sock /run/k0s/containerd.sock /var/snap/microk8s/common/run/containerd.sock'
ROOTS='/var/lib/kubelet /var/lib/k0s/kubelet /var/snap/microk8s/common/var/lib/kubelet'
PATH=$PATH:/usr/local/bin:/opt/bin:/var/lib/rancher/rke2/bin

# Runtimes keep all annotations of a pod with its sandbox, and kubectl apply stores whole manifests in one.
blank_annotations() {
    awk '
        /"annotations": *\{ *$/ { print; inside = 1; next }
        inside && /^ *\}/ { inside = 0 }
        inside { sub(/": *".*"/, "\": \"\"") }
        { print }'
}

label() { printf '"%s":{{json (index .Config.Labels "%s")}}' "$1" "$1"; }

# Lists the labels explicitly, because dockershim also stored all annotations as labels.
docker_template() {
    printf '{"Id":{{json .Id}},"Name":{{json .Name}},"State":{"Running":{{json .State.Running}}},'
    printf '"HostConfig":{"NetworkMode":{{json .HostConfig.NetworkMode}}},"Config":{"Labels":{'
    for name in docker.type container.name pod.name pod.namespace pod.uid sandbox.id container.hash; do
        label "io.kubernetes.$name"
        printf ','
    done
    label annotation.io.kubernetes.container.hash
    printf ','
    label annotation.io.kubernetes.container.hashWithoutResources
    printf '}}}\n'
}

from_cri() {
    containers=$(crictl --runtime-endpoint "unix://$1" ps -a -o json) || return 1
    case $containers in
        *'"io.kubernetes.container.name"'*) ;;
        *) return 1 ;;
    esac
    pods=$(crictl --runtime-endpoint "unix://$1" pods -o json) || return 1
    printf '%s\n' "$containers"
    printf '%s\n' "$pods" | blank_annotations
}

from_docker() {
    ids=$(docker ps -aq --no-trunc --filter name=k8s_) || return 1
    [ -n "$ids" ] || return 1
    # A container that is removed in between is not an error.
    # shellcheck disable=SC2086 # each id is one word
    docker inspect --format "$(docker_template)" $ids 2>/dev/null || :
}

# Pod UIDs, container names and resources; the kubelet's own file, and there is none before 1.33.
applied() {
    for root in ${KUBELET_ROOT:-$ROOTS}; do
        if [ -f "$root/actuated_pods_state" ]; then
            cat "$root/actuated_pods_state"
            echo
        fi
    done
}

containers() {
    if command -v crictl >/dev/null; then
        for socket in ${RUNTIME_ENDPOINT:-$SOCKETS}; do
            [ -S "$socket" ] && from_cri "$socket" && return 0
        done
    fi
    command -v docker >/dev/null && from_docker && return 0
    echo "collect.sh: no runtime with a kubelet's containers on $(uname -n); tried crictl at ${RUNTIME_ENDPOINT:-$SOCKETS}, and docker" >&2
    return 1
}

if [ $# -eq 0 ]; then
    containers
    applied
else
    found=$(containers && applied)
    mkdir -p "$1"
    printf '%s\n' "$found" > "$1/${NODE_NAME:-$(uname -n)}.json"
fi
