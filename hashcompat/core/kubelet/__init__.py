"""What a kubelet computes and decides.

``hashing.py`` computes a container's hash: an era's steps, compiled once per type tree. ``staticpods.py``
does the same for the UID of a static pod. ``decide/`` has the kubelet's decision about a running container,
in its order. ``alike.py`` answers what two kubelets have in common before any pod is looked at.

Pods of one template repeat each other, and a hash of text can go on from where two texts part:
``template.py`` prints what is common once, and gives exactly what ``hashing.py`` gives.
"""
