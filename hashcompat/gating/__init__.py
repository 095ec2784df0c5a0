"""The judge of a rollout: a plan and a policy in, a verdict out.

``policy`` is what may restart, ``refusal`` which plans are not judged at all, ``exceptions`` and ``baseline``
which findings do not count, ``checks`` the lines of a policy one by one, ``judge`` all of it together.
"""
