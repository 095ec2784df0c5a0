"""The judge of a rollout, a closed loop: plan, roll, observe, compare.

Before a node is upgraded, a saved plan is judged by a policy (``judge``): may these containers restart?
Plans that are old, edited, or of another cluster are not judged at all, and findings that
somebody accepted or that an earlier plan has do not count. Then the node takes its turn (``result``), the
operator upgrades it, and the cluster is read again. ``outcome`` compares what became of each container with
what the plan predicted of it. A surprise fails the node's turn, and a failed turn stops
the next node, so that a wrong prediction costs one node and not a cluster.

Everything that cannot be decided is UNDECIDED, which never counts as passed: of three outcomes the worst of
any line decides (``result``).

Read ``core/policies/`` first (what may be allowed, who may say so, and what does not count), then ``judge``,
then ``outcome``. Nothing here reads a file or a clock: plans, times and what a cluster shows are arguments.
"""
