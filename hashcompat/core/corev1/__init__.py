"""What both API servers and kubelets do to a core/v1 pod: defaults, conversion, resources, scheduling.

Both decode a pod with the same Go packages, so these steps are written once and take the rows of one release.
``defaults.py`` and ``resources.py`` fill in what a manifest leaves out, in JSON; ``conversion.py`` makes the
internal pod's JSON of it, which a static pod's UID is a hash of; ``scheduling.py`` reads a spec and changes
nothing.
"""
