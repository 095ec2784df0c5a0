"""What the text of a newer release has more than an older one's, as pieces to cut out of it.

The method of those who patched kubelets by hand: unset new fields print the same everywhere, so their text
can be removed. It is text surgery, so a string of the user's own that holds such a piece is cut too, and a
new field that is set stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hashcompat.catalog.lookup import Kubelet
from hashcompat.compile.decode import compile_decoder
from hashcompat.compile.spew import compile_printer
from hashcompat.errors import UsageError
from hashcompat.go.types import Basic, Coded, Field, GoType, Map, Pointer, Slice, Struct, zero_value
from hashcompat.kubelet.alike import Defaults


def check_strip(new: Kubelet, olds: Sequence[Kubelet]) -> None:
    """Raise UsageError where there is no text to strip."""
    if len(olds) > 1:
        raise UsageError(
            "--strategy strip: give one release with --like, for what is cut out depends on it; or take --strategy accept"
        )
    for kubelet in (new, olds[0]):
        if kubelet.era.steps[0] != "spew":
            raise UsageError(
                f"--strategy strip: {kubelet.release} hashes no text of unset fields ({kubelet.era.name}), so there is nothing to cut out; "
                "take --strategy accept or pin"
            )


_INSTEAD: Final = "take --strategy accept or pin"


@dataclass(frozen=True, slots=True)
class Cut:
    """A piece of the newer text and what is put in its place; ``field`` is the Go field that it is of."""

    field: str
    piece: str
    instead: str


def stripped(text: str, cuts: Sequence[Cut]) -> str:
    """Return the text after all cuts, one after the other, as strings.Replace makes them."""
    for cut in cuts:
        text = text.replace(cut.piece, cut.instead)
    return text


def cuts_between(old: Kubelet, new: Kubelet, defaults: Defaults) -> tuple[Cut, ...]:
    """Return the cuts that make ``new``'s text of a container ``old``'s, for containers that set no new field.

    Raises UsageError, with the reason, where the releases do not differ by added fields alone.
    """
    olds = {struct.name: struct for struct in _structs(old.schema.container)}
    pairs = [(struct, olds[struct.name]) for struct in _structs(new.schema.container) if struct.name in olds]
    cuts = [cut for pair in pairs for cut in _cuts(*pair, dict(defaults))]
    taken = {(field.name, field.type.name) for struct in olds.values() for field in struct.fields}
    for cut in cuts:
        if (cut.field.rpartition(".")[2], cut.piece.partition("(")[2].partition(")")[0]) in taken:
            raise UsageError(
                f"--strategy strip: the text of the new field {cut.field} is also that of an old one; {_INSTEAD}"
            )
    return tuple(cuts)


def _structs(root: GoType) -> list[Struct]:
    """Return every struct type below a type, each once, itself first."""
    found: dict[str, Struct] = {}
    todo = [root]
    while todo:
        match todo.pop():
            case Struct() as struct if struct.name not in found and not isinstance(struct, Coded):
                found[struct.name] = struct
                todo += [field.type for field in struct.fields]
            case Slice(_, elem) | Pointer(_, elem) | Map(_, _, elem):
                todo.append(elem)
    return list(found.values())


def _cuts(new: Struct, old: Struct, defaults: dict[str, Any]) -> Iterator[Cut]:
    """Yield the cuts for one struct, the last field first, so that what follows a field is always an old one."""
    known = {field.name: field.type.name for field in old.fields}
    if [name for name in known if name not in {field.name for field in new.fields}]:
        raise UsageError(
            f"--strategy strip: fields of {old.name} are gone or renamed, which no cut can bring back; {_INSTEAD}"
        )
    following = "}"
    for index, field in reversed(list(enumerate(new.fields))):
        if field.name in known:
            if known[field.name] != field.type.name:
                raise UsageError(
                    f"--strategy strip: {old.name}.{field.name} has another Go type, which no cut can undo; {_INSTEAD}"
                )
            following = f" {field.name}:"
        elif index == 0:
            raise UsageError(
                f"--strategy strip: the new field {new.name}.{field.name} comes first in its type; {_INSTEAD}"
            )
        else:
            yield from _field_cuts(new, field, following, defaults)


def _field_cuts(struct: Struct, field: Field, following: str, defaults: dict[str, Any]) -> Iterator[Cut]:
    """Cut an unset field, and one that holds what API servers write by themselves; a string needs what follows as its end."""
    name = f"{struct.name.rpartition('.')[2]}.{field.name}"
    values = [zero_value(field.type)]
    written = [
        value
        for path, value in defaults.items()
        if path.rpartition(".")[2] == field.json and isinstance(value, str)
    ]
    values += [compile_decoder(field.type, keep_empty=True)(value) for value in written]
    for value in values:
        text = f" {_text(field, value)}"
        is_string = isinstance(field.type, Basic) and field.type.kind == "string"
        yield Cut(name, text + following, following) if is_string else Cut(name, text, "")


def _text(field: Field, value: Any) -> str:
    """Return a field's name and value as they stand between the braces of a struct."""
    pieces: list[str] = []
    compile_printer(Struct("x", (field,)))((value,), pieces.append)
    return "".join(pieces).removeprefix("(x){").removesuffix("}")
