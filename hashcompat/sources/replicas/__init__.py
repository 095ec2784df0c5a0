"""Stencils: of the pods that follow one template, only the first is decoded.

Most pods of a cluster are replicas: the texts of two pods of one Deployment differ in names, addresses, times
and ids alone. A *stencil* is such a text with *slots* where those strings are, and a later text that equals
it but for what is in the slots has the same keys, numbers and structure. So it is as valid as the first, its
containers begin at the same lines, and it decodes to the same but for the strings in the slots.

1. *Cut* (``stencil.py``). A pod's text has three parts, each with stencils of its own: metadata, spec and
   status. Of 15,000 pods 6,800 may differ as a whole, but only a few hundred specs do. A string in a slot may
   have escapes: most commands and variables that are a workload's own have quotes or line breaks.
2. *Learn* (``stencils.py``). The first pod of a stencil is decoded strictly, and so is the first with another
   string outside the slots: that one becomes a slot too. The n-th string of a text is the n-th of its value,
   which shows where in the value each slot is; an address, a uid or the name of a token's mount in a key of
   managedFields is in a slot too. No table has the paths of what replicas may differ in.
3. *Know what decides* (``roles.py``). A slot is read of each pod, or is hashed, or nothing reads it, or it
   decides; where a table does not name it, it decides. Pods of the same stencils of metadata and spec with
   equal strings in the slots that decide are of one ``Shape`` (``shape.py``), which makes each of them of its
   values and its status.
4. *Read the status*. Of each pod, by the functions that read any other's: which containers run, ended or were
   restarted makes more structures than pods have in common. Its stencils only save decoding it; a JSON status
   that is of none is decoded where it is.
5. *Fall back*. Whatever is unusual is decoded: another layout, a name with escapes, a mirror pod, a pod of a
   snapshot. The decoder is the definition, and the only source of error messages.

What planning does with them is on a page of its own: ``analysis/planning/repeats.py``.
"""
