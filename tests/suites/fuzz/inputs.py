"""Inputs that hypothesis makes for a target: kept ones with changes, and new ones of its form."""

from __future__ import annotations

import json
from random import Random

from hypothesis import strategies as st

from tests.helpers import random_yaml
from tests.suites.fuzz.mutations import ODD, PIECES, mutated
from tests.suites.fuzz.target import Form, Target

_KEYS = ("kind", "metadata", "items", "spec", "status", "containers", "name", "uid", "labels", "annotations")
_WORDS = (
    *_KEYS,
    "Pod",
    "List",
    "Node",
    "continue",
    "resources",
    "limits",
    "cpu",
    "ClusterSnapshot",
    "recorded",
)

_scalars = st.sampled_from(ODD) | st.sampled_from(_WORDS) | st.integers() | st.floats() | st.text(max_size=8)
_json = st.recursive(
    _scalars,
    lambda below: (
        st.lists(below, max_size=4)
        | st.dictionaries(st.sampled_from(_WORDS) | st.text(max_size=3), below, max_size=5)
    ),
    max_leaves=20,
)


def inputs(target: Target, kept: list[bytes]) -> st.SearchStrategy[bytes]:
    """Return inputs, mostly changed ones of those that are kept."""

    def change(data: bytes, seed: int) -> bytes:
        return mutated(data, target.form, target.words, Random(seed))

    changed = st.builds(change, st.sampled_from(kept), st.integers(0, 2**32 - 1))
    return changed | changed | _made(target.form)


def _made(form: Form) -> st.SearchStrategy[bytes]:
    if form is Form.JSON:
        return _json.map(lambda value: json.dumps(value).encode())
    if form is Form.YAML:
        return st.integers(0, 2**32 - 1).map(lambda seed: next(random_yaml.documents(seed, 1)).encode())
    if form is Form.TEXT:
        pieces = st.lists(st.sampled_from((*PIECES, *_WORDS)) | st.text(max_size=5), max_size=20)
        return pieces.map(lambda parts: "".join(parts).encode(errors="surrogatepass"))
    return st.binary(max_size=64)
