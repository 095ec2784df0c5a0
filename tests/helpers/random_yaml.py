"""Make random YAML: scalars that could be numbers, words or dates, in block and flow collections."""

from __future__ import annotations

import random
from collections.abc import Iterator

_WORDS = (
    "y",
    "Yes",
    "NO",
    "on",
    "Off",
    "true",
    "FALSE",
    "null",
    "~",
    ".inf",
    "-.INF",
    ".nan",
    "2001-01-01",
    "22:22",
    "=",
    "<<",
    "a b",
    "0o17",
    "é",
)
_TAGS = ("!!str", "!!int", "!!float", "!!bool", "!!null", "!!binary", "!", "!mine")
_NUMBERS = "0123456789abcdefxXoObBeE_+-."


def documents(seed: int, count: int) -> Iterator[str]:
    """Yield documents, the same ones for the same seed."""
    source = random.Random(seed)
    for _ in range(count):
        yield f"top: {_block(source, 1)}\n" if source.random() < 0.5 else f"top: {_flow(source, 3)}\n"


def scalar(source: random.Random) -> str:
    """Return a scalar as somebody may have written it."""
    kind = source.random()
    if kind < 0.55:
        text = "".join(source.choices(_NUMBERS, k=source.randint(1, 8)))
        return text if text not in ("-", ".") else "0"
    if kind < 0.75:
        return source.choice(_WORDS)
    if kind < 0.85:
        return f"'{source.choice(_WORDS)}'"
    if kind < 0.92:
        return f'"{source.choice(_WORDS)}\\n\\x41\\u263a"'
    return f"{source.choice(_TAGS)} {source.choice(_WORDS[:14])}"


def _flow(source: random.Random, depth: int) -> str:
    if depth == 0 or source.random() < 0.4:
        return scalar(source)
    items = [_flow(source, depth - 1) for _ in range(source.randint(0, 4))]
    if source.random() < 0.5:
        return f"[{', '.join(items)}]"
    return "{" + ", ".join(f"{scalar(source)}: {item}" for item in items) + "}"


def _block(source: random.Random, depth: int) -> str:
    lead = "\n" + "  " * depth
    choice = source.random()
    if depth > 3 or choice < 0.3:
        return scalar(source)
    if choice < 0.4:
        style = source.choice("|>") + source.choice(("", "-", "+"))
        return style + "".join(
            f"{lead}{source.choice(('', ' '))}{line}" for line in ("one", "two", scalar(source))
        )
    if choice < 0.65:
        return "".join(f"{lead}- {_block(source, depth + 1)}" for _ in range(source.randint(1, 3)))
    if choice < 0.75:
        base, merged = _flow(source, 1), source.choice(("*x", "[*x]", "{k: 1}"))
        return f"{lead}base: &x {base}{lead}again: *x{lead}more:{lead}  <<: {merged}{lead}  k: 2"
    return "".join(
        f"{lead}{scalar(source)}: {_block(source, depth + 1)}" for _ in range(source.randint(1, 3))
    )
