"""The pods of a live cluster: the pages of its lists, kept as text and read like those of a file.

Whole pods would take 30 kB each. The pages go into a file without a name, which only this user can read and
which is gone with this process, however that ends; into memory where no file can be made.
"""

from __future__ import annotations

import io
import re
import tempfile
import weakref
from collections.abc import Iterator, Mapping
from typing import IO, Any, Final

from msgspec import structs

from hashcompat.core.errors import InputError
from hashcompat.core.go import jsonstream
from hashcompat.core.go.jsonpath import Part, part, text
from hashcompat.core.model.pods import Pod
from hashcompat.sources.cluster.kubeapi import Json
from hashcompat.sources.documents import check_values, loads
from hashcompat.sources.files import reading
from hashcompat.sources.objects import KubernetesObject, read, read_object
from hashcompat.sources.replicas.shape import Replica
from hashcompat.sources.replicas.stencils import Stencils

_KIND: Final = "Pod"
_CHUNK: Final = 1 << 20
"""Characters that are read at once."""
_NEXT: Final = re.compile(r'\},\{(?="metadata":\{|"kind":"|"apiVersion":")')
"""Where an item of a list ends and the next one begins, as API servers write them. In no string: there the
quotes would be escaped."""


class ListPage(dict[str, Any]):
    """A page as JSON, with its text, in which each item begins a line."""

    def __init__(self, value: Json, lines: str) -> None:
        super().__init__(value)
        self.lines = lines


class PodPages:
    """The pods of some lists, read again each time they are iterated over."""

    def __init__(self) -> None:
        self._file = _file()
        self._end = 0
        weakref.finalize(self, self._file.close)

    @property
    def place(self) -> int:
        """Where the next page begins."""
        return self._end

    def cut(self, place: int) -> None:
        """Forget the pages from a place on."""
        # what was read of an expired list is read again
        self._file.truncate(place)
        self._end = place

    def keep(self, page: Json) -> None:
        """Keep a page for whoever iterates.

        Raises InputError where that is not possible.
        """
        data = f"{page.lines}\n".encode(errors="surrogatepass") if isinstance(page, ListPage) else b""
        try:
            self._file.seek(self._end)
            self._file.write(data)
            self._file.flush()
        except OSError as error:
            raise InputError(f"cannot keep pods in {tempfile.gettempdir()}: {error.strerror}") from None
        self._end += len(data)

    def __iter__(self) -> Iterator[Pod]:
        for element in self._parts():
            if element.index is not None:
                yield pod_of(element.value)

    def _parts(self) -> Iterator[Part]:
        try:
            yield from jsonstream.parts(self._chunks(), quick=reading.decoded, alike=stencils_of_pods())
        except InputError as error:  # a pod beyond the limits of one object
            raise InputError(f"the pods of the cluster: {error}") from None

    def _chunks(self) -> Iterator[str]:
        """Yield the text of all pages, with whole lines."""
        place, rest = 0, b""
        while place < self._end:
            self._file.seek(place)
            data = self._file.read(min(_CHUNK, self._end - place))
            place += len(data)
            whole, line_break, rest_of_it = (rest + data).rpartition(b"\n")
            rest = rest_of_it
            # whole lines, so that no character is cut in two
            yield (whole + line_break).decode(errors="surrogatepass")


def _file() -> IO[bytes]:
    try:
        return tempfile.TemporaryFile(prefix="hashcompat-")
    except OSError:  # no directory may be written to
        return io.BytesIO()


def stencils_of_pods() -> Stencils:
    """Return what finds replicas among the items of a list of pods, which leave their kind out."""
    return Stencils(kind=_KIND)


def page_of(content: str, stencils: Stencils) -> Any:
    """Return a page, whose items may be replicas of earlier ones; errors as ``wholejson.loads``."""
    check_values(content)
    # API servers write one line; with elements on lines of their own many are decoded at once
    lines = _NEXT.sub("\n},\n{", content)
    try:
        page = _page(lines, stencils)
    except InputError:
        page = loads(content)  # what is wrong with it, in words about the text as it came
    return ListPage(page, lines) if isinstance(page, dict) else page


def _page(content: str, stencils: Stencils) -> Json:
    """Return a list with its items; errors as ``jsonstream.parts``, and InputError for anything else."""
    items, envelopes = list[Any](), list[Any]()
    for element in jsonstream.parts(iter((content,)), quick=reading.decoded, alike=stencils):
        (envelopes if element.index is None else items).append(element.value)
    if (
        len(envelopes) != 1
        or not isinstance(envelopes[0], dict)
        or envelopes[0].get("kind") != f"{_KIND}List"
    ):
        raise InputError("not one list of pods")
    return {**envelopes[0], "items": items}


def pod_of(item: Any) -> Pod:
    """Return the pod of an item of a list.

    Raises InputError, which names the pod, for one that cannot be read and for another object.
    """
    if isinstance(item, Replica):
        (made,) = read(KubernetesObject(item.outline, _origin(item.namespace, item.name), "$", maker=item))
        pod: Pod = made  # type: ignore[assignment]  # of the kind asked for
        # without the lines of the text that is kept, which nobody sees
        pod = structs.replace(
            pod, containers=tuple(structs.replace(container, line=0) for container in pod.containers)
        )
    else:
        check_kind(item, _KIND)
        metadata = part(item, "metadata")
        origin = _origin(text(metadata, "namespace"), text(metadata, "name"))
        (pod,) = read_object({**item, "kind": _KIND}, origin)  # type: ignore[assignment]  # as above
    return pod


def _origin(namespace: str, name: str) -> str:
    return f"pod {namespace}/{name} of the cluster"


def check_kind(item: Mapping[str, Any], kind: str) -> None:
    """Refuse an object that was not asked for; items of a typed list leave their kind out."""
    if item.get("kind", kind) != kind:
        raise InputError(f"the server answers with an object that is not a {kind}")
