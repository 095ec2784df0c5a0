"""Frozen values between the stages, one module per stage; none of them reads or decides anything.

In their order: ``pods.py`` (what is read), ``verdicts.py`` (what runtimes recorded, and what becomes of it),
``items.py`` (that of each container), ``plan.py`` (all of them), then what is made of a plan: ``impact.py``,
``preflight.py``. ``results.py`` has what all results share, ``escape.py`` how names and texts may be shown,
``uids.py`` and ``cluster.py`` what values of pods and clusters mean.
"""
