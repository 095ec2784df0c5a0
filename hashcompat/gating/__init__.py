"""The judge of a rollout: a plan and a policy in, a verdict out; and then what was seen, against the plan.

``policy`` is what may restart, ``refusal`` which plans are not judged at all, ``exceptions`` and ``baseline``
which findings do not count, ``checks`` the lines of a policy one by one, ``judge`` all of it together.
``outcome`` compares a plan with what became of upgraded nodes, ``turns`` decides which node may be next.
"""
