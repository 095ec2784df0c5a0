"""Strategy strip: remove the text of new fields from what is hashed, as operators have done by hand.

Unset new fields print the same everywhere, so their text can be removed. It works on text alone: a string
of a container that contains such a piece is cut too, and a new field that is set stays. First the pieces to
remove, then the patch, then the audit: which containers a kubelet patched so does not hash as the old release
does, and which other hashes the global form of the patch changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from hashcompat.analysis.patching import Body, FileEdit, Goal, NewFile, Patch, ReplaceLine
from hashcompat.analysis.patching.gosource import decoded_examples, header, imports, quoted, template
from hashcompat.analysis.planning.latest import Latest
from hashcompat.analysis.planning.templates import Named, Template, Templates
from hashcompat.analysis.planning.view import View
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.compile.gojson import compile_decoder
from hashcompat.core.compile.spew import compile_printer
from hashcompat.core.errors import DecodeError, InputError, UndecidedError, UsageError
from hashcompat.core.go.jsonpath import below, element
from hashcompat.core.go.types import Basic, Field, Struct, structs, zero_value
from hashcompat.core.kubelet.alike import Defaults, unknown_to
from hashcompat.core.kubelet.hashing import compile_hasher, hashers
from hashcompat.core.kubelet.staticpods import static_pod_text
from hashcompat.core.model.items import ContainerName, PodName, container_name, name_of
from hashcompat.core.model.pods import Container, Inventory, Pod, Source
from hashcompat.core.model.results import Result


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
_BODY: Final = """	hash := &strippedHash{Hash32: fnv.New32a()}
	hashutil.DeepHashObject(hash, *container)
	return uint64(hash.sum())
"""
_PRINT: Final = '\tprinter.Fprintf(hasher, "%#v", objectToWrite)\n'
_PRINT_STRIPPED: Final = '\thasher.Write([]byte(stripped(printer.Sprintf("%#v", objectToWrite))))\n'


def strip(task: Goal) -> Patch:
    """Return the patch that strips new fields from the container hash; with ``article`` from all hashes."""
    (old,) = task.olds
    cuts = cuts_between(old, task.new, task.defaults)
    if task.article:
        code = template("strip_global", imports=imports(["strings"], []), cuts=_rows(cuts))
        step = ReplaceLine(task.site, "DeepHashObject", _PRINT, _PRINT_STRIPPED, "stripped(")
        edit = FileEdit("pkg/util/hash/hash.go", (step,))
        files: tuple[NewFile, ...] = (NewFile("pkg/util/hash/strip.go", header() + code),)
    else:
        edit, files = _container_hash(task, cuts)
    return Patch(
        subject=f"kubelet: strip from hashes what {old.release} does not print",
        explanation="\n\n".join(
            [_WHAT.format(new=task.new.release, old=old.release), _GLOBAL if task.article else _LOCAL]
        ),
        new_files=files,
        edits=(edit,),
    )


def _container_hash(task: Goal, cuts: tuple[Cut, ...]) -> tuple[FileEdit, tuple[NewFile, ...]]:
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
        rows="\n".join([f"\t\t{{{quoted(spec)}, {old.hash(spec):#x}}}," for spec in specs]),
    )
    files = (
        NewFile("pkg/kubelet/container/strip.go", header() + code),
        NewFile("pkg/kubelet/container/strip_test.go", header() + test),
    )
    return FileEdit(_HELPERS, (Body(task.site, "HashContainer", _BODY, "strippedHash"),)), files


_TEST_IMPORTS: Final = imports(["encoding/json", "testing"], [("", "k8s.io/api/core/v1")])


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


# Which containers a kubelet patched so does not hash as the old release does.

_OWNERS: Final = ("ReplicaSet/", "Deployment/", "DaemonSet/", "StatefulSet/")
"""How the names of the controllers begin that hash their pod templates."""


class Hit(msgspec.Struct, frozen=True):
    """Why stripping fails for a container."""

    strings: tuple[str, ...]
    """The paths of strings that contain text to be removed."""
    fields: tuple[str, ...]
    """The paths of new fields that are set."""


class AuditRow(msgspec.Struct, frozen=True):
    """One container for which stripping fails, and why."""

    pod: PodName
    container: ContainerName
    hit: Hit


class Audit(Result[AuditRow], msgspec.Struct, frozen=True):
    """What stripping would miss in a cluster, and what its global form would change besides."""

    old: Kubelet
    """The release whose hashes the stripped text is to have."""
    new: Kubelet
    """The release to patch."""
    cuts: tuple[Cut, ...]
    """The text that the patch removes."""
    containers: int
    """How many containers were checked."""
    items: tuple[AuditRow, ...]
    """The containers for which stripping fails."""
    static_pods: tuple[str, ...]
    """``namespace/name`` of the static pods whose UID the global form changes."""
    templates: tuple[str, ...]
    """``namespace/Kind/name`` of the controllers whose pod-template-hash the global form changes."""


class Checked(msgspec.Struct, frozen=True):
    """What is known of a container, and of its replicas."""

    hit: Hit | None
    """Why stripping fails for it; None where it does not."""
    is_cut: bool
    """Whether any of its text is cut."""


def check_container(
    spec: Mapping[str, Any],
    old: Kubelet,
    new: Kubelet,
    cuts: Sequence[Cut],
    defaults: Defaults,
    *,
    keep_empty: bool,
) -> Checked:
    """Return whether the stripped text of ``new`` is the text of ``old``, and whether any of it is cut.

    Raises DecodeError for a container that does not decode.
    """
    (new_hasher,), (old_hasher,) = (hashers(kubelet, keep_empty=keep_empty) for kubelet in (new, old))
    text = new_hasher.text(spec)
    cut = stripped(text, cuts)
    if cut == old_hasher.text(spec):
        return Checked(None, cut != text)
    pieces = [cut.piece for cut in cuts]
    fields = tuple(dict.fromkeys(unknown_to(spec, new, old, defaults)))
    return Checked(Hit(tuple(_strings_with(spec, pieces, "")), fields), cut != text)


def _strings_with(value: Any, pieces: Sequence[str], path: str) -> Iterator[str]:
    """Yield the paths of strings that contain a piece, or most of one."""
    if isinstance(value, str):
        if any(piece.strip() in value or piece.rstrip("}") in value for piece in pieces):
            yield path
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _strings_with(item, pieces, below(path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _strings_with(item, pieces, element(path, index))


_HIDDEN: Final = (
    "a snapshot hides the strings that would be cut; audit the cluster itself, or what kubectl saved of it"
)


def audit(inventory: Inventory, old: Kubelet, new: Kubelet, view: View) -> Audit:
    """Return the audit of every container of a source.

    Raises UsageError if ``new`` cannot be stripped to ``old``, and InputError for a container that does not
    decode, or whose strings a snapshot hides.
    """
    checks, is_saved = _Checks(old, new, view), inventory.origin.kind is Source.SNAPSHOT
    containers, rows, static = 0, list[AuditRow](), list[str]()
    templates: dict[str, None] = {}
    for pod in inventory.pods:
        containers += len(pod.containers)
        if is_saved or any(container.stored is not None for container in pod.containers):
            raise InputError(f"{pod.origin}: {_HIDDEN}")
        checked = checks.of(pod)
        for container, check in zip(pod.containers, checked, strict=True):
            if check.hit is not None:
                name = container_name(container.name, container.type)
                rows.append(AuditRow(name_of(pod), name, check.hit))
        if pod.static and _uid_changes(pod, new, checks.cuts):
            static.append(f"{pod.namespace}/{pod.name}")
        if pod.owner.startswith(_OWNERS) and checks.changes_template(pod, checked):
            templates[f"{pod.namespace}/{pod.owner}"] = None
    return Audit(old, new, checks.cuts, containers, tuple(rows), tuple(static), tuple(templates))


class _Checks:
    """Checks containers, those of the latest templates once.

    The names in which these differ are whole strings without spaces and parentheses
    (``core/kubelet/template.py``). Each word of what is cut has a parenthesis, so that no cut depends on a
    name.
    """

    def __init__(self, old: Kubelet, new: Kubelet, view: View) -> None:
        self.cuts = cuts_between(old, new, view.catalog.server_defaults())
        self._old, self._new, self._view = old, new, view
        self._templates = Templates(view)
        self._checked: Latest[Template, Checked] = Latest()

    def of(self, pod: Pod) -> list[Checked]:
        """Return what is known of each container of a pod; errors as ``audit``."""
        templates = self._templates.all_of(pod)
        return [self._check(pod, *row) for row in zip(pod.containers, templates, strict=True)]

    def _check(self, pod: Pod, container: Container, named: Named) -> Checked:
        template = named.template
        if template is None:
            return self._alone(pod, container)
        checked = self._checked.get(template)
        if checked is None:
            checked = self._alone(pod, container)
            self._checked.add(template, checked, named.likeness.size)
        return checked

    def _alone(self, pod: Pod, container: Container) -> Checked:
        view = self._view
        defaults, keep_empty = view.catalog.server_defaults(), view.keeps_empty(pod)
        try:
            spec = view.seen(pod, container, self._new)
            return check_container(spec, self._old, self._new, self.cuts, defaults, keep_empty=keep_empty)
        except DecodeError as error:
            raise InputError(f"{pod.origin}: {container.path}{error}") from None

    def changes_template(self, pod: Pod, checked: Iterable[Checked]) -> bool:
        """Return whether the text of a controller's template, which has its containers', would be cut."""
        if not self._view.keeps_empty(pod):
            return any(check.is_cut for check in checked)
        specs = (self._view.seen(pod, container, self._new) for container in pod.containers)
        texts = (hashers(self._new)[0].text(spec) for spec in specs)
        return any(stripped(text, self.cuts) != text for text in texts)


def _uid_changes(pod: Pod, new: Kubelet, cuts: Sequence[Cut]) -> bool:
    """Return whether the text of a static pod, or as much as its mirror pod shows of it, would be cut."""
    manifest = pod.static_manifest.content if pod.static_manifest else {"spec": dict(pod.spec)}
    try:
        # Where the text is unknown the UID may change: an audit rather warns than misses.
        text = static_pod_text(manifest, new)
    except (DecodeError, UndecidedError):
        return True
    return stripped(text, cuts) != text
