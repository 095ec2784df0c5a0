"""What a snapshot keeps of a pod: an allow-list of fields, along the type trees of all known releases.

Of what is not on the list, a text becomes a mask, and what no release knows is left out; numbers and truth
values of known fields stay where the whole structure does. An empty text stays empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, Final

import msgspec

from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.compile.gojson import compile_decoder
from hashcompat.core.errors import DecodeError, UndecidedError
from hashcompat.core.go.jsonpath import below
from hashcompat.core.go.jsontext import clean, kind_of
from hashcompat.core.go.metav1 import is_time
from hashcompat.core.go.quantity import HELD_TYPE
from hashcompat.core.go.types import STRING, Basic, Coded, GoType, Map, Pointer, Slice, Struct, json_fields
from hashcompat.core.model.pods import CONTAINER_LISTS
from hashcompat.core.shown import MASK, image
from hashcompat.core.shown import name as shown_name

_MORE: Final[Mapping[str, Callable[[str], bool]]] = {
    "image": lambda text: image(text) == text,
    "env.name": lambda text: "=" not in text,
}
"""Which texts on the list are kept: a name of an image or a variable without anything that may be secret."""
_TERMS: Final = "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
CONTAINER: Final = frozenset(
    {
        "name",
        "image",
        "restartPolicy",
        "restartPolicyRules.action",
        "restartPolicyRules.exitCodes.operator",
        "env.name",
        "ports.protocol",
        "resizePolicy.resourceName",
        "resizePolicy.restartPolicy",
        "resources.limits",
        "resources.requests",
        "securityContext.procMount",
        "terminationMessagePolicy",
        "volumeMounts.recursiveReadOnly",
    }
)
"""Texts of a container: what a plan asks for or an API server writes, and the names of variables."""
POD: Final = frozenset(
    {
        "activeDeadlineSeconds",
        "nodeName",
        "hostNetwork",
        "hostUsers",
        "restartPolicy",
        "automountServiceAccountToken",
        "nodeSelector",
        *(
            f"{_TERMS}.{kind}.{key}"
            for kind in ("matchExpressions", "matchFields")
            for key in ("key", "operator")
        ),
        *(f"{_TERMS}.{kind}.values" for kind in ("matchExpressions", "matchFields")),
        *(f"tolerations.{key}" for key in ("key", "operator", "value", "effect")),
        "resources.limits",
        "resources.requests",
        "os.name",
        "overhead",
        "priority",
        "securityContext.supplementalGroupsPolicy",
        "securityContext.sysctls.name",
    }
)
"""What a plan asks for of a pod besides its containers, of any kind of JSON."""
_SOME_DAY: Final = "1970-01-01T00:00:00Z"
"""Stands for every time in a spec: that there is one decides."""
Hide = Callable[[str], str]
"""What replaces a text that is not kept."""
_Keep = Callable[[Any, Hide], Any]


class FieldKeeper:
    """The lists, compiled along the type trees of all known releases."""

    def __init__(self, catalog: Catalog) -> None:
        kubelets = [catalog.kubelet(name) for name in catalog.releases()][::-1]
        self._containers = [
            schema.container for schema in dict.fromkeys(kubelet.schema for kubelet in kubelets)
        ]
        pods = dict.fromkeys(
            kubelet.static_pods.types for kubelet in kubelets if kubelet.static_pods.is_known
        )
        self._pods = [types.struct("PodSpec") for types in pods]

    def container(self, spec: Mapping[str, Any], hide: Hide) -> dict[str, Any]:
        """Return a container's JSON with every text hidden that is not on the list.

        Raises DecodeError, with the path inside the container, for a value of the wrong type.
        """
        kept: dict[str, Any] = self._container(spec, hide)
        return kept

    def pod(self, spec: Mapping[str, Any], *, whole: bool) -> dict[str, Any]:
        """Return the JSON of a pod's spec without its containers, with nothing but what is on the list.

        ``whole`` keeps the structure of all the rest too, its texts hidden: a static pod's UID depends on it.
        Raises DecodeError, with the path inside the spec, for a value of the wrong type.
        """
        rest = {key: value for key, value in spec.items() if key not in CONTAINER_LISTS}
        kept: dict[str, Any] = (self._static_pod if whole else self._pod)(rest, masked)
        return kept

    @cached_property
    def _container(self) -> _Keep:
        return _List(CONTAINER).compiled(self._containers)

    @cached_property
    def _pod(self) -> _Keep:
        return _List(POD, prunes=True).compiled(self._pods)

    @cached_property
    def _static_pod(self) -> _Keep:
        return _List(POD).compiled(self._pods)


def may_be_kept(path: str) -> bool:
    """Return whether a snapshot may show texts at a path of a container, such as ``env.name``."""
    return path in CONTAINER


def masked(text: str) -> str:
    """Return what replaces a text of a pod; whether it is empty is shown."""
    return MASK if text else ""


class _List(msgspec.Struct, frozen=True):
    """An allow-list, to be compiled: the same type of several releases at once, the newest first."""

    allowed: frozenset[str]
    """The paths of the texts that are kept; of anything that is kept, where it ``prunes``."""
    prunes: bool = False
    """Whether everything else is left out, not only hidden."""

    def compiled(self, types: Sequence[GoType], path: str = "") -> _Keep:
        """Return the function that keeps a value; a null is kept as it is."""
        keep = self._compiled([_pointed(go_type) for go_type in types], path)
        return lambda value, hide: None if value is None else keep(value, hide)

    def _compiled(self, types: Sequence[GoType], path: str) -> _Keep:
        match types[0]:
            case Coded() as coded:
                return _coded(coded)
            case Struct():
                structs = [go_type for go_type in types if isinstance(go_type, Struct)]
                return _object(dict(self._members(structs, path)))
            case Slice():
                elems = [go_type.elem for go_type in types if isinstance(go_type, Slice)]
                return _elements(self.compiled(elems, path))
            case Map():
                values = [go_type.value for go_type in types if isinstance(go_type, Map)]
                return _entries(self.compiled(values, path), shows_keys=path in self.allowed)
            case Basic(_, "string"):
                return _text(path, allowed=path in self.allowed)
        return _checked(types[0])

    def _members(self, structs: Iterable[Struct], path: str) -> Iterator[tuple[str, _Keep]]:
        types_by_key: dict[str, list[GoType]] = {}
        for struct in structs:
            for _, _, field in json_fields(struct):
                types_by_key.setdefault(field.json, []).append(field.type)
        for key, types in types_by_key.items():
            place = below(path, key)
            if not self.prunes or any(f"{allowed}.".startswith(f"{place}.") for allowed in self.allowed):
                yield key, self.compiled(types, place)


def _pointed(go_type: GoType) -> GoType:
    return _pointed(go_type.elem) if isinstance(go_type, Pointer) else go_type


def _checked(go_type: GoType) -> _Keep:
    """Keep a value that its type decodes."""
    decode = compile_decoder(go_type, keep_empty=True)

    def keep(value: Any, _: Hide) -> Any:
        with suppress(UndecidedError):  # of the right type, but its text depends on more
            decode(value)
        return value

    return keep


def _coded(go_type: Coded) -> _Keep:
    """Keep numbers; a time is some day, and managed fields are none."""
    check = _checked(go_type)
    if go_type.name == HELD_TYPE.name:
        return check

    def keep(value: Any, hide: Hide) -> Any:
        check(value, hide)
        if isinstance(value, str):
            return _SOME_DAY if is_time(value) else hide(value)
        return value if isinstance(value, int) else {}

    return keep


def _text(path: str, *, allowed: bool) -> _Keep:
    check = _checked(STRING)

    def keep(value: Any, hide: Hide) -> Any:
        check(value, hide)
        return value if allowed and _MORE.get(path, bool)(value) else hide(value)

    return keep


def _object(members: Mapping[str, _Keep]) -> _Keep:
    def keep(value: Any, hide: Hide) -> Any:
        if not isinstance(value, Mapping):
            raise DecodeError(f"want an object, got {kind_of(value)}")
        return {
            key: _within(f".{key}", members[key], item, hide) for key, item in value.items() if key in members
        }

    return keep


def _elements(keep_one: _Keep) -> _Keep:
    def keep(value: Any, hide: Hide) -> Any:
        if not isinstance(value, list):
            raise DecodeError(f"want a list, got {kind_of(value)}")
        return [_within(f"[{index}]", keep_one, item, hide) for index, item in enumerate(value)]

    return keep


def _entries(keep_one: _Keep, *, shows_keys: bool) -> _Keep:
    """Keep a map; of one whose keys are hidden too, only that there is something in it."""

    def keep(value: Any, hide: Hide) -> Any:
        if not isinstance(value, Mapping):
            raise DecodeError(f"want an object, got {kind_of(value)}")
        kept = {
            key: _within(f"[{shown_name(clean(key))!r}]", keep_one, item, hide) for key, item in value.items()
        }
        return kept if shows_keys else dict(zip([MASK], kept.values(), strict=False))

    return keep


def _within(step: str, keep: _Keep, value: Any, hide: Hide) -> Any:
    try:
        return keep(value, hide)
    except DecodeError as error:
        raise error.within(step) from None
