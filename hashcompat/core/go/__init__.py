"""Go's semantics where Python differs: types, strings, numbers, JSON and YAML text. No Kubernetes tables.

A hash is made over Go's bytes, so whatever Go reads or prints in its own way is here once, with its source.

- Types: ``types.py`` (Go's notation, types as values, and walks over them); those with JSON methods of their
  own are in ``quantity.py`` and ``metav1.py``, which has Go's number text too.
- Text: ``jsontext.py`` (what is read and printed), ``digest.py`` (what is hashed).
- Large inputs: ``jsonstream.py`` reads JSON in parts, ``yaml.py`` over ``yamlevents.py``; ``jsonpath.py`` has
  the parts that both yield, and the strings of a text. Texts that repeat: ``yamlblocks.py``.
- Bounds: ``allowance.py``. Paths such as ``ports[0].name``: ``jsonpath.py``.
"""
