"""Patches of a kubelet's source after which it accepts, or computes, the hashes of another release.

A patch is made of values until it is printed. ``strategies`` chooses one of three ways and refuses what no
patch can do: ``accept`` keeps containers whose hash an older kubelet recorded, ``pin`` hashes as one old
release does, ``strip`` removes the text of new fields from what is hashed. The first two carry the old
release's Go types along: ``gotypes`` writes them as Go source, with the copy from the new types, and
``gosource`` the packages around them. ``steps`` are the edits of Kubernetes' own files: each finds its
place by the function's checksum, so that a patch never lands in another release's source. ``model`` has
these values, applies them, and prints what ``git am`` takes. ``audit`` names the containers that a
stripping patch would miss.
"""
