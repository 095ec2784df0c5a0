"""Many pods at once, as far as a first look at a file needs them, by msgspec.

It reads a pod's owners and counts its containers, and skips all else, which is most of a dump.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, TypedDict

import msgspec


class _Metadata(TypedDict, total=False):
    name: Any
    namespace: Any
    labels: Any
    annotations: Any
    ownerReferences: Any


class _Spec(TypedDict, total=False):
    containers: list[msgspec.Raw]


class _Pod(TypedDict):
    kind: Literal["Pod"]
    metadata: _Metadata
    spec: _Spec


_PODS: Final = msgspec.json.Decoder(list[_Pod])


def decoded(text: str) -> Sequence[tuple[Any, str]] | None:
    """Return the pods of a JSON list, with what a first look reads of them; None for any other list.

    What is wrong in the rest is found when the pods are read.
    """
    try:
        return [(pod, "") for pod in _PODS.decode(text)]
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
