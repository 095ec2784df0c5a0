"""A static pod's manifest with the UID that its pod has, which is all that is changed in it."""

from __future__ import annotations

from typing import Any, Final

from hashcompat.core.errors import InputError
from hashcompat.core.go import jsontext

_LONGEST: Final = 64
_MARK: Final = "\ufeff"
"""The byte order mark, as some editors write it before UTF-8."""

_UNSAFE: Final = "$.metadata: written in a way in which nothing can be added to it safely"


def with_uid(text: str, uid: str) -> str:
    """Return a static pod's manifest, JSON or YAML, with ``metadata.uid``; nothing else in it changes.

    Raises InputError for a manifest that has a uid, is more than one document, or cannot be changed so.
    """
    # only a UID that is the same text in JSON and, in quotes, in YAML
    if not (uid.isascii() and uid.replace("-", "0").isalnum() and len(uid) <= _LONGEST):
        raise InputError("a UID that no manifest can have")
    if text.startswith(_MARK):
        return _MARK + with_uid(text.removeprefix(_MARK), uid)
    is_json = text.lstrip().startswith("{")
    before = _document(text, is_json=is_json)
    metadata = before.get("metadata") if isinstance(before, dict) else None
    if not isinstance(metadata, dict) or not metadata:
        raise InputError("$.metadata: want an object with a name")
    if "uid" in metadata:
        raise InputError("$.metadata.uid: set already")
    place, added = (_in_json if is_json else _in_yaml)(text, uid)
    changed = text[:place] + added + text[place:]
    wanted = {**before, "metadata": {**metadata, "uid": uid}}
    try:
        is_right = _document(changed, is_json=is_json) == wanted
    except InputError:
        is_right = False
    if not is_right:
        raise InputError(_UNSAFE)
    return changed


def _document(text: str, *, is_json: bool) -> Any:
    if is_json:
        return jsontext.loads(text)
    from hashcompat.core.go import yaml  # noqa: PLC0415 - JSON input need not import a YAML parser

    documents = list(yaml.load_all(text))
    if len(documents) != 1:
        raise InputError(f"{len(documents)} documents, of which a kubelet reads the first alone; want one")
    return documents[0]


def _in_json(text: str, uid: str) -> tuple[int, str]:
    """Return where the UID is added to JSON, and the text: first in ``metadata``."""
    return jsontext.value_of(text, jsontext.skip_space(text, 0), "metadata") + 1, f'"uid":"{uid}",'


def _in_yaml(text: str, uid: str) -> tuple[int, str]:
    """Return where the UID is added to YAML, and the text: first in ``metadata``, in a line of its own."""
    import yaml  # noqa: PLC0415 - only what is rewritten needs a YAML parser

    try:
        mark, flow = _metadata(text)
    except yaml.YAMLError:  # libyaml takes a tab where this parser, whose places count characters, does not
        raise InputError(_UNSAFE) from None
    if flow:
        return mark.index + 1, f'uid: "{uid}", '
    before = text[: mark.index]
    line = before.rpartition("\n")[2]
    if line.strip(" "):
        raise InputError(_UNSAFE)
    end = "\r\n" if before.endswith(f"\r\n{line}") else "\n"
    return mark.index, f'uid: "{uid}"{end}{line}'


def _metadata(text: str) -> tuple[Any, bool]:
    """Return where the mapping ``metadata`` begins, and whether it is in braces."""
    import yaml  # noqa: PLC0415 - as above

    depth, keys, is_key = 0, "", True
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.MappingStartEvent) and depth == 1 and keys == "metadata" and not is_key:
            return event.start_mark, bool(event.flow_style)
        if isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
            is_key = is_key if depth != 1 else True
        elif isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.ScalarEvent | yaml.AliasEvent) and depth == 1:
            keys, is_key = (getattr(event, "value", "") if is_key else keys), not is_key
    raise InputError("$.metadata: want an object with a name")
