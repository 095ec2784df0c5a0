"""Strategy strip: remove the text of new fields from what is hashed, as operators have done by hand."""

from __future__ import annotations

from typing import Final

from hashcompat.catalog.eras import Site
from hashcompat.kubelet.hashing import compile_hasher
from hashcompat.patching.gosource import decoded_examples, hash_as, header, imports, quoted, template
from hashcompat.patching.model import FileEdit, NewFile, Patch, Task
from hashcompat.patching.steps import Body, ReplaceLine
from hashcompat.patching.stripping import Cut, cuts_between, stripped

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
    test = template(
        "strip_test", release=release, imports=_TEST_IMPORTS, rows="\n".join(_expectations(task, cuts))
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


def _expectations(task: Task, cuts: tuple[Cut, ...]) -> list[str]:
    """Return test rows: the containers whose stripped text is the old text, with the old hash."""
    new, old = (
        compile_hasher(kubelet.schema, kubelet.era, kubelet.escapes[-1], True)
        for kubelet in (task.new, task.olds[0])
    )
    specs = [spec for spec in decoded_examples(task) if stripped(new.text(spec), cuts) == old.text(spec)]
    return [f"\t\t{{{quoted(spec)}, {hash_as(task.olds[0], spec):#x}}}," for spec in specs]


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
