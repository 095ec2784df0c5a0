"""Strategy strip: remove the text of new fields from what is hashed, as operators have done by hand.

Unset new fields print the same everywhere, so their text can be removed. It works on text alone: a string
of a container that contains such a piece is cut too, and a new field that is set stays. First the pieces to
remove, then the patch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from hashcompat.analysis.patching import FileEdit, NewFile, Patch, Task
from hashcompat.analysis.patching.gosource import decoded_examples, hash_as, header, imports, quoted, template
from hashcompat.analysis.patching.steps import Body, ReplaceLine
from hashcompat.core.catalog.eras import Site
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.compile.decode import compile_decoder
from hashcompat.core.compile.spew import compile_printer
from hashcompat.core.errors import UsageError
from hashcompat.core.go.types import Basic, Field, Struct, zero_value
from hashcompat.core.go.walk import structs
from hashcompat.core.kubelet.alike import Defaults
from hashcompat.core.kubelet.hashing import compile_hasher


def check_strip(new: Kubelet, olds: Sequence[Kubelet]) -> None:
    """Raise UsageError if there is no text to strip."""
    if len(olds) > 1:
        raise UsageError(
            "strategy strip: give one release with --like, because the text to remove depends on it; "
            "the strategy accept takes several"
        )
    for kubelet in (new, olds[0]):
        if not kubelet.era.prints_unset_fields:
            raise UsageError(
                f"strategy strip: {kubelet.release} hashes no text of unset fields ({kubelet.era.name}), "
                f"so there is nothing to remove; {_INSTEAD}"
            )


_INSTEAD: Final = "take the strategy accept or pin"


class Cut(msgspec.Struct, frozen=True):
    """A piece of the newer text to remove."""

    field: str
    """The Go field that prints it, ``Container.VolumeDevices``."""

    piece: str
    """The text to look for, which includes what follows a string as its end."""

    instead: str
    """What replaces it: what follows a string, otherwise empty."""


def stripped(text: str, cuts: Sequence[Cut]) -> str:
    """Return the text after all cuts, in order, as ``strings.Replace`` makes them."""
    for cut in cuts:
        text = text.replace(cut.piece, cut.instead)
    return text


def cuts_between(old: Kubelet, new: Kubelet, defaults: Defaults) -> tuple[Cut, ...]:
    """Return the cuts that turn the text of ``new`` into that of ``old``, for containers without new fields.

    Raises UsageError, with the reason, if the releases differ by more than added fields.
    """
    olds = {struct.name: struct for struct in structs(old.schema.container)}
    pairs = [(struct, olds[struct.name]) for struct in structs(new.schema.container) if struct.name in olds]
    cuts = [cut for pair in pairs for cut in _cuts(*pair, dict(defaults))]
    taken = {(field.name, field.type.name) for struct in olds.values() for field in struct.fields}
    for cut in cuts:
        if (cut.field.rpartition(".")[2], cut.piece.partition("(")[2].partition(")")[0]) in taken:
            raise UsageError(
                f"strategy strip: an old field prints the same text as the new field {cut.field}; {_INSTEAD}"
            )
    return tuple(cuts)


def _cuts(new: Struct, old: Struct, defaults: dict[str, Any]) -> Iterator[Cut]:
    """Yield the cuts for one struct, the last field first, so that what follows a field is always old."""
    old_types = {field.name: field.type.name for field in old.fields}
    if [name for name in old_types if name not in {field.name for field in new.fields}]:
        raise UsageError(
            f"strategy strip: fields of {old.name} were removed or renamed, which no cut can undo; {_INSTEAD}"
        )
    following = "}"
    # backwards, because the text of a string ends at the field that follows it
    for index, field in reversed(list(enumerate(new.fields))):
        if field.name in old_types:
            if old_types[field.name] != field.type.name:
                raise UsageError(
                    f"strategy strip: {old.name}.{field.name} has another Go type, which no cut can "
                    f"undo; {_INSTEAD}"
                )
            following = f" {field.name}:"
        elif index == 0:
            raise UsageError(
                f"strategy strip: the new field {new.name}.{field.name} comes first in its type; {_INSTEAD}"
            )
        else:
            yield from _field_cuts(new, field, following, defaults)


def _field_cuts(struct: Struct, field: Field, following: str, defaults: dict[str, Any]) -> Iterator[Cut]:
    """Yield the cuts for one field: unset, and with each default that API servers set.

    The text of a string ends only at what follows it, so that is part of the piece.
    """
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
    """Return a field's name and value as they are printed between the braces of a struct."""
    pieces: list[str] = []
    compile_printer(Struct("x", (field,)))((value,), pieces.append)
    return "".join(pieces).removeprefix("(x){").removesuffix("}")


_HELPERS: Final = "pkg/kubelet/container/helpers.go"
_HASH: Final = "pkg/util/hash/hash.go"
_BODY: Final = """	hash := &strippedHash{Hash32: fnv.New32a()}
	hashutil.DeepHashObject(hash, *container)
	return uint64(hash.sum())
"""
_PRINT: Final = '\tprinter.Fprintf(hasher, "%#v", objectToWrite)\n'
_PRINT_STRIPPED: Final = '\thasher.Write([]byte(stripped(printer.Sprintf("%#v", objectToWrite))))\n'


def strip(task: Task) -> Patch:
    """Return the patch that strips new fields from the container hash; with ``article`` from all hashes."""
    (old,) = task.olds
    cuts = cuts_between(old, task.new, task.defaults)
    edit, files = _article(task.site, cuts) if task.article else _container_hash(task, cuts)
    return Patch(
        subject=f"kubelet: strip from hashes what {old.release} does not print",
        explanation="\n\n".join(
            [_WHAT.format(new=task.new.release, old=old.release), _GLOBAL if task.article else _LOCAL]
        ),
        new_files=files,
        edits=(edit,),
    )


def _container_hash(task: Task, cuts: tuple[Cut, ...]) -> tuple[FileEdit, tuple[NewFile, ...]]:
    release = str(task.olds[0].release)
    code = template(
        "strip", release=release, imports=imports(["bytes", "hash", "io", "strings"], []), cuts=_rows(cuts)
    )
    # only containers that stripping really gives the old text can be asserted
    new, old = (
        compile_hasher(kubelet.schema, kubelet.era, kubelet.escapes[-1], True)
        for kubelet in (task.new, task.olds[0])
    )
    specs = [spec for spec in decoded_examples(task) if stripped(new.text(spec), cuts) == old.text(spec)]
    test = template(
        "strip_test",
        release=release,
        imports=_TEST_IMPORTS,
        rows="\n".join([f"\t\t{{{quoted(spec)}, {hash_as(task.olds[0], spec):#x}}}," for spec in specs]),
    )
    files = (
        NewFile("pkg/kubelet/container/strip.go", header() + code),
        NewFile("pkg/kubelet/container/strip_test.go", header() + test),
    )
    return FileEdit(_HELPERS, (Body(task.site, "HashContainer", _BODY, "strippedHash"),)), files


_TEST_IMPORTS: Final = imports(["encoding/json", "testing"], [("", "k8s.io/api/core/v1")])


def _article(site: Site, cuts: tuple[Cut, ...]) -> tuple[FileEdit, tuple[NewFile, ...]]:
    code = template("strip_global", imports=imports(["strings"], []), cuts=_rows(cuts))
    edit = FileEdit(_HASH, (ReplaceLine(site, "DeepHashObject", _PRINT, _PRINT_STRIPPED, "stripped("),))
    return edit, (NewFile("pkg/util/hash/strip.go", header() + code),)


def _rows(cuts: tuple[Cut, ...]) -> str:
    return "\n".join(f"\t{{`{cut.piece}`, `{cut.instead}`}}," for cut in cuts)


_WHAT: Final = (
    "The text that kubelet {new} hashes differs from that of {old} by new fields. Their text is removed "
    "where they are unset, or have a default that API servers set."
)
_LOCAL: Final = (
    "Only the container hash changes. Strings in a container that contain such text are cut too: "
    "hashcompat patch --audit lists those containers."
)
_GLOBAL: Final = (
    "DeepHashObject changes, and with it every hash that it computes: static pods' UIDs, checkpoint "
    "checksums and, if the controller-manager is built from this tree, the pod-template-hash of every "
    "template. Replace only the kubelet binary."
)
