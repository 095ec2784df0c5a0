"""Frozen values between the stages, one module per stage; none of them reads or decides anything.

In their order: ``pods.py`` (what is read), ``records.py`` (what runtimes recorded), ``verdicts.py`` and
``items.py`` (what becomes of each container), ``plan.py`` (all of them), then what is made of a plan:
``impact.py``, ``preflight.py``. ``escape.py``, ``kinds.py`` and ``mask.py`` say how names and texts may be
shown, ``uids.py`` and ``budgets.py`` what values of pods mean.
"""
