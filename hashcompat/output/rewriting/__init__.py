"""Rewrites the records of a node, by a document that says which: the only thing here that changes a node.

Three kinds of places are written to, and nothing else: the extension of a container's own object in
containerd, one label in a container's own file below Docker's data directory, and one line of a static pod's
manifest. What is changed is found by the container's id, and by what the document says of it: the UID of its
pod, its name, and the hash that is recorded. Whatever differs is skipped, with the reason.

The order is what makes it safe at every point:

1. Everything is checked before anything is written (``guard``): the kubelet does not run, so nobody reads a
   record while it changes, or creates a container.
2. All old and new values go into one file (``undo``), which is on the disk before the first change.
3. Each change is whole or not there: a transaction of containerd's database, or a file that is renamed.

So after a crash each record is either the old one or the new one, and both are in the file: ``apply`` goes
on, and ``undo`` goes back. A kubelet that starts in between is no danger. It compares each record by itself,
and the worst that a record which is not rewritten does is what it did before.
"""
