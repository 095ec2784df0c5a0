"""YAML scalars and documents as Kubernetes reads them (sigs.k8s.io/yaml over go.yaml.in/yaml/v2, resolve.go).

PyYAML parses; only the meaning of plain scalars and of keys is Go's: ``y`` and ``on`` are booleans, ``0644`` is 420,
``22:22`` and ``2001-01-01`` are strings, ``1e3`` is a number, duplicate keys are an error.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterator
from typing import Any, Final

import yaml

from hashcompat.errors import InputError
from hashcompat.go.jsontext import Number
from hashcompat.go.strconv import format_float, json_float

_CONSTANTS: Final[dict[str, Any]] = {
    **dict.fromkeys("y Y yes Yes YES true True TRUE on On ON".split(), True),  # noqa: SIM905
    **dict.fromkeys("n N no No NO false False FALSE off Off OFF".split(), False),  # noqa: SIM905
    **dict.fromkeys(["", "~", "null", "Null", "NULL"]),
    **dict.fromkeys([".nan", ".NaN", ".NAN"], math.nan),
    **dict.fromkeys([".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"], math.inf),
    **dict.fromkeys(["-.inf", "-.Inf", "-.INF"], -math.inf),
}
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_GO_INTEGER: Final = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))")
_BASES: Final = (16, 2, 8, 10)
_PLAIN_TAG: Final = "tag:hashcompat:plain"
_MERGE_TAG: Final = "tag:yaml.org,2002:merge"


def resolve(text: str) -> Any:
    """Return the JSON value of a plain scalar: bool, None, int, float or the text itself."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] not in "+-.0123456789":
        return text
    plain = text if text[0] == "." else text.replace("_", "")
    if (number := _go_integer(plain)) is not None:
        return number
    if _FLOAT.fullmatch(plain) and math.isfinite(value := float(plain)):
        return value
    return text


def _go_integer(text: str) -> int | None:
    """Read what ``strconv.ParseInt(text, 0, 64)`` or ``ParseUint`` accepts."""
    match = _GO_INTEGER.fullmatch(text)
    if match is None:
        return None
    digits, base = next((group, base) for group, base in zip(match.groups()[1:], _BASES, strict=True) if group)
    if len(digits) > 70:
        return None
    value = int(match[1] + digits, base)
    return value if -(2**63) <= value < (2**63 if match[1] == "+" else 2**64) else None


def to_json_number(value: float) -> int | Number:
    """Return a YAML float as the JSON that encoding/json writes for it reads back: ``1e3`` is the integer 1000.

    Raises InputError for infinities and NaN, which JSON does not have.
    """
    if not math.isfinite(value):
        raise InputError("a number that JSON does not have (infinity or NaN)")
    text = json_float(value)
    return int(text) if text.lstrip("-").isdecimal() and text != "-0" else Number(text)


def _key(value: Any) -> str:
    """Return the JSON key of a YAML key, as ``convertToJSONableObject`` spells it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return {"+Inf": ".inf", "-Inf": "-.inf", "NaN": ".nan"}.get(text := format_float(value, 32), text)
    raise InputError("a key that is neither text nor a number")


_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _GoLoader(_Base):  # type: ignore[misc]
    """PyYAML's safe loader with Go's resolution of plain scalars and Go's refusal of duplicate keys."""

    def resolve(self, kind: type, value: Any, implicit: Any) -> Any:
        if kind is yaml.ScalarNode and implicit[0]:
            return _MERGE_TAG if value == "<<" else _PLAIN_TAG
        return super().resolve(kind, value, implicit)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002
        own = [key for key, _ in node.value if key.tag != _MERGE_TAG]
        seen: set[str] = set()
        for key_node in own:
            key = self._key_of(key_node)
            if key in seen:
                raise _at(key_node.start_mark, f"the key {key!r} appears twice in one mapping")
            seen.add(key)
        self.flatten_mapping(node)
        result: dict[Hashable, Any] = {}
        for key_node, value_node in node.value:
            result[self._key_of(key_node)] = self.construct_object(value_node, deep=deep)
        return result

    def _key_of(self, node: yaml.Node) -> str:
        if not isinstance(node, yaml.ScalarNode):
            raise _at(node.start_mark, "a key that is neither text nor a number")
        try:
            return _key(resolve(node.value) if node.tag == _PLAIN_TAG else self.construct_object(node))
        except InputError as error:
            raise _at(node.start_mark, str(error)) from None

    def construct_plain(self, node: yaml.ScalarNode) -> Any:
        value = resolve(node.value)
        try:
            return to_json_number(value) if isinstance(value, float) else value
        except InputError as error:
            raise _at(node.start_mark, str(error)) from None


_GoLoader.add_constructor(_PLAIN_TAG, _GoLoader.construct_plain)
for _tag in ("int", "float", "bool", "null"):
    _GoLoader.add_constructor(f"tag:yaml.org,2002:{_tag}", _GoLoader.construct_plain)
_GoLoader.add_constructor("tag:yaml.org,2002:timestamp", _GoLoader.construct_yaml_str)


def _at(mark: Any, problem: str) -> InputError:
    place = f"line {mark.line + 1} column {mark.column + 1}: " if mark else ""
    return InputError(f"{place}{problem}")


def load_all(text: str) -> Iterator[object]:
    """Yield the documents of a YAML stream as JSON values; empty documents are None.

    Raises InputError with line and column.
    """
    loader = _GoLoader(text)
    try:
        while loader.check_data():
            yield loader.get_data()
    except yaml.MarkedYAMLError as error:
        problem = " ".join(filter(None, (error.context, error.problem)))
        raise _at(error.problem_mark or error.context_mark, f"not valid YAML: {problem}") from None
    except yaml.YAMLError as error:
        raise InputError(f"not valid YAML: {str(error).splitlines()[0]}") from None
    except RecursionError:
        raise InputError("nested too deeply to be a Kubernetes object") from None
    finally:
        loader.dispose()
