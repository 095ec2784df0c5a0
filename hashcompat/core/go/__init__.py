"""Go's semantics where Python differs: types, strings, numbers, JSON and YAML text. No Kubernetes tables.

A hash is made over Go's bytes, so whatever Go reads or prints in its own way is here once, with its source.

- Types: ``types.py`` (Go's notation and types as values), ``walk.py``; those with JSON methods of their own
  are in ``quantity.py``, ``quantity_sum.py`` and ``metav1.py``, over ``inf.py``.
- Text: ``jsontext.py`` and ``strconv.py`` (what is read and printed), ``digest.py`` (what is hashed).
- Large inputs: ``jsonstream.py`` reads JSON in parts over ``jsonwindow.py``, ``yaml.py`` over
  ``yamlevents.py``; ``tokens.py`` has the parts that both yield, and the strings of a text. Texts that
  repeat: ``tokens.py``, ``yamlblocks.py``.
- Bounds: ``allowance.py``. Paths such as ``ports[0].name``: ``jsonpath.py``.
"""
