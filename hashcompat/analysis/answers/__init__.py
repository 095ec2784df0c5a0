"""The questions besides a plan, each answered by the same judge.

``explanation`` says why one container gets its verdict, in sentences, with the places where hashed texts
differ. ``matrix`` compares releases in pairs, without pods or counting some, and finds the cheapest
way through them. ``redaction`` makes a snapshot: a cluster with values hidden, which gives the same plans.
``calibration`` shows how many recorded hashes this program reproduces, ``golden`` how many of those that
real Go computed. ``hashes`` and ``comparison`` are the primitives: a container under some releases, and two
releases. ``details`` is what a page of HTML shows of a plan in addition.

A module is a command, and can be read alone; ``texts`` is what several of them share.
"""
