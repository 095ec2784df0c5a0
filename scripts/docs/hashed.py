"""The page that follows one container from its YAML to the hashes of releases, with what differs marked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from html import escape
from pathlib import Path
from typing import Final

import yaml

from hashcompat import container_hash, container_text, load_sample

_TEXT: Final = Path(__file__).with_name("hash.md")

POD: Final = "prometheus-node-exporter-fmvwp"
OLD, NEW, NEWER, JSON, PICKED = "1.7.16", "1.9.11", "1.15.12", "1.16.15", "1.31.14"


def page() -> str:
    """Return the page, with every text and number as the program computes it."""
    (pod,) = (pod for pod in load_sample().pods if pod.name == POD)
    spec = pod.containers[0].spec
    texts = {release: container_text(spec, release) for release in (OLD, NEW)}
    names = {"old": OLD, "new": NEW, "newer": NEWER, "json": JSON, "picked": PICKED, "adler": "1.5.8"}
    hashes = {name: container_hash(spec, release) for name, release in names.items()}
    return _TEXT.read_text(encoding="utf-8").format(
        pod=POD,
        container=yaml.safe_dump(dict(spec), sort_keys=False).strip(),
        old_text=_fields(escape(texts[OLD], quote=False)),
        new_text=_fields("".join(marked(texts[OLD], texts[NEW]))),
        steps="\n".join(_steps(texts[OLD], 5)),
        length=f"{len(texts[OLD].encode()):,}",
        added=len(texts[NEW].encode()) - len(texts[OLD].encode()),
        json_text=escape(_of_numbers(container_text(spec, JSON)), quote=False),
        picked_text=escape(_of_numbers(container_text(spec, PICKED)), quote=False),
        **names,
        **{f"{name}_hash": digest.value for name, digest in hashes.items()},
        **{f"{name}_hex": digest.hex for name, digest in hashes.items()},
    )


def marked(old: str, new: str) -> Iterator[str]:
    """Yield a text as HTML, with what another one lacks in ``ins`` and what only that one has in ``del``."""
    before, after = (re.findall(r"[^ \]}]+|[ \]}]", text) for text in (old, new))
    changes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    for kind, first, last, start, end in changes:
        if kind in {"replace", "delete"}:
            yield f"<del>{escape(''.join(before[first:last]), quote=False)}</del>"
        text = escape("".join(after[start:end]), quote=False)
        yield f"<ins>{text}</ins>" if kind in {"replace", "insert"} and text else text


def _fields(text: str) -> str:
    """Break the line before each field of the outer struct."""
    parts, depth = [""], 0
    for piece in re.split(r"([{}])|( (?=(?:<ins>)?[A-Z]\w*:\())", text):
        depth += {"{": 1, "}": -1}.get(piece or "", 0)
        if piece == " " and depth == 1:
            parts.append("  ")
        else:
            parts[-1] += piece or ""
    return "\n".join(parts)


def _steps(text: str, count: int) -> Iterator[str]:
    value = 0x811C9DC5
    for byte in text.encode()[:count]:
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
        yield f"| `{byte:02x}` | `{chr(byte)}` | `{value:08x}` |"


def _of_numbers(text: str) -> str:
    """Return the text whose bytes spew printed as numbers."""
    return bytes(map(int, text.partition("[")[2].partition("[")[2].rstrip("]").split() or [])).decode()
