"""Which pods of a node a starting kubelet has room for: what they ask for against what the node can give.

A kubelet that starts admits every pod again, as if it had just been assigned. It takes the static pods first,
which it reads from files, and then those of the API server, the oldest ``creationTimestamp`` first; each has
to fit beside those that were admitted before it. What does not fit is Failed (``OutOfcpu``), however long it
ran. The scheduler asked the same once, but since then a reservation may have grown, a resize been made, or a
pod been assigned by hand.

1. *What does a pod ask for?* ``Asking`` sums requests as the release does: containers side by side, the
   largest init container, sidecars, overhead, resources of the pod itself. What a pod asks for when it is
   admitted and what it counts for beside others are two sums: the latter has a resize in it.
2. *Does it fit?* ``outcomes`` goes through the pods of a node in the kubelet's order. A critical pod that
   does not fit takes room from others instead (``preempted``), but none takes another's host port
   (``ports``).
3. *Does it matter?* For most nodes a sum shows at once that everything fits (``Sums``), and nothing else is
   looked at.

Two pods of one second have no order, nor have static pods, as a kubelet sorts what comes out of a map: where
that matters, the outcome is not known. Nor is it which of several pods that are alike goes for a critical
one, or, without a dump of the node, whether a pod gets a resource of a device plugin, whose record there may
raise what the node can give (pkg/kubelet/cm/devicemanager/manager.go ``sanitizeNodeAllocatable``). Nor is it
always known whether a pod is there at all: a static pod whose mirror pod has failed runs again at the next
start, unless its manifest is gone.

Source: pkg/kubelet/kubelet.go ``HandlePodAdditions``; pkg/kubelet/lifecycle/predicate.go ``Admit``;
pkg/scheduler/framework/plugins/noderesources/fit.go ``fitsRequest``; component-helpers resource/helpers.go
``PodRequests``; pkg/kubelet/preemption/preemption.go (1.8.15 - 1.37.1).
"""
