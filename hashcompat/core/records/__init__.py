"""What runtimes, logs and kubelets recorded about containers, as values.

A kubelet compares the hash that it computes with the one that was stored when the container was created. That
one is in the runtime, not in the API, so it has to be collected on the nodes.

- ``probes.py``: the dump of a node, as the collector prints it: probes of kinds and names, each text or a
  problem. The checks of nodes read the same dumps, by the same paths.
- ``collected.py``: the records in a dump, by the runtime that the kubelet uses, and in a kubelet's log.
- ``documents.py``: what each runtime's JSON records, release by release, in names and labels.
- ``manifests.py``: a static pod's manifest with the UID that its pod has, which a kubelet then takes.
- ``index.py``: records by pod and container, and which of several counts.
"""
