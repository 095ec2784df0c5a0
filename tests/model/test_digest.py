"""The digest of a document: the same however it is written, another after any change."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from hashcompat.core.model.results import DocumentDigest, is_signed, line_of, signature
from hashcompat.sources.files import saved

TEXTS = st.text(max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 70), 1 << 70) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
KEY = b"0123456789abcdef"


def digest(document: dict[str, object], *items: object) -> str:
    document_digest = DocumentDigest()
    for item in items:
        document_digest.add(line_of(item))
    return document_digest.of(document)


def test_it_is_that_of_sorted_lines_without_spaces() -> None:
    text = '{"a":1,"b":"é\\n"}\n{"kind":"K"}\n'
    whole: dict[str, object] = {"kind": "K", "items": [1], "digest": "x", "signature": None}
    assert digest(whole, {"b": "é\n", "a": 1}) == f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def test_order_number_and_content_of_items_count() -> None:
    digests = {
        digest({}),
        digest({}, 1),
        digest({}, 1, 2),
        digest({}, 2, 1),
        digest({}, 12),
        digest({"a": 1}),
    }
    assert len(digests) == 6


def test_a_signature_is_of_one_key_and_one_digest() -> None:
    signed = signature("sha256:1", KEY)
    assert is_signed("sha256:1", signed, KEY)
    assert not is_signed("sha256:2", signed, KEY)
    assert not is_signed("sha256:1", signed, KEY + b"0")
    assert not is_signed("sha256:1", signed[:-1], KEY)


@given(VALUES)
def test_both_encoders_write_the_same(value: object) -> None:
    assert saved.line(value) == line_of(value)
