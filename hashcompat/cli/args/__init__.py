"""The groups of options that commands share, each with what its values mean.

``declare`` makes options of the fields of a class. ``source`` says where pods come from and which count,
``inventory`` reads them; ``releases`` and ``facts`` are what else is known. ``planned`` makes a plan of all
that, for ``plan`` and for ``gate``; ``savedplan``, ``policy`` and ``rollout`` are of ``gate`` alone.
"""
