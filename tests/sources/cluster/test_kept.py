"""Pages of pods that are kept as text give the very pods that the server's objects are."""

from __future__ import annotations

import errno
import io
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from msgspec import structs

from hashcompat.core.errors import InputError
from hashcompat.core.go import allowance
from hashcompat.core.model.pods import Pod
from hashcompat.sources.cluster import Request, _keep_pods
from hashcompat.sources.cluster import kept as module
from hashcompat.sources.cluster.kept import PodPages, page_of, stencils_of_pods
from hashcompat.sources.cluster.kubeapi import StatusError
from hashcompat.sources.documents import loads
from hashcompat.sources.objects import read_object
from tests.answers.test_details import replica
from tests.helpers.pods import Json, pod

PODS = [*(replica(number) for number in range(12)), pod(name="bare"), pod({"name": "d"}, name="é,{")]


def page(*pods: Json, more: str = "", **envelope: Any) -> str:
    """Return a page as API servers write it: on one line, and the items have no kind."""
    items = [
        {key: manifest[key] for key in ("metadata", "spec", "status") if key in manifest} for manifest in pods
    ]
    metadata = {"resourceVersion": "7", **({"continue": more} if more else {})}
    document = {"kind": "PodList", "apiVersion": "v1", "metadata": metadata, "items": items, **envelope}
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False)


def kept(*pages: str) -> PodPages:
    store, stencils = PodPages(), stencils_of_pods()
    for text in pages:
        store.keep(page_of(text, stencils))
    return store


def read_one(value: Json) -> Pod:
    metadata = value["metadata"]
    (subject,) = read_object(value, f"pod {metadata['namespace']}/{metadata['name']} of the cluster")
    assert isinstance(subject, Pod)
    return subject


def plain(subject: Pod) -> Pod:
    """Return a pod without what only makes reading and hashing it quick."""
    containers = tuple(structs.replace(container, blank=None, own=()) for container in subject.containers)
    return structs.replace(subject, containers=containers, shape=None)


def test_pods_are_those_of_the_server_each_time_that_they_are_read() -> None:
    store = kept(page(*PODS[:5], more="x"), page(*PODS[5:]), page())
    for _ in range(2):
        pods = list(store)
        assert list(map(plain, pods)) == list(map(read_one, PODS))
        assert sum(subject.shape is not None for subject in pods) > 5


@pytest.mark.parametrize("indent", [None, 2])
def test_a_page_is_what_the_server_says(indent: int | None) -> None:
    text = json.dumps(json.loads(page(*PODS[-2:], more="x")), indent=indent)
    assert page_of(text, stencils_of_pods()) == loads(text)


@pytest.mark.parametrize(
    "text",
    [
        page(*PODS)[:-7],
        page(*PODS).replace('"items"', '"items":[],"items"'),
        page(*PODS) * 2,
        page(*PODS).replace('"nodeName"', '"nodeName":"o","nodeName"'),
        "",
    ],
    ids=["cut", "items twice", "two documents", "a key twice", "empty"],
)
def test_what_is_no_whole_page_is_refused_in_the_words_about_any_answer(text: str) -> None:
    with pytest.raises(InputError) as as_any:
        loads(text)
    with pytest.raises(InputError) as as_page:
        page_of(text, stencils_of_pods())
    assert str(as_page.value) == str(as_any.value)


@pytest.mark.parametrize("text", ["[1]", '{"kind":"Status","message":"m"}', '{"kind":"List","items":null}'])
def test_other_answers_are_what_they_are(text: str) -> None:
    assert page_of(text, stencils_of_pods()) == json.loads(text)


def test_another_object_is_refused() -> None:
    given = json.loads(page(*PODS))
    given["items"][3]["kind"] = "Secret"
    document = page_of(json.dumps(given), stencils_of_pods())
    with pytest.raises(InputError, match="not a Pod"):
        list(map(module.pod_of, document["items"]))


class _Server:
    """Answers with pages; for None that the list expired."""

    def __init__(self, *pages: str | None) -> None:
        self._pages = iter(pages)

    def get(self, _path: str, _query: Mapping[str, str], parse: Any) -> Any:
        text = next(self._pages)
        if text is None:
            raise StatusError(410, "expired")
        return parse(text)


def test_of_a_list_that_expired_only_the_second_reading_counts() -> None:
    store = PodPages()
    server: Any = _Server(
        page(*PODS[:2]),
        *(page(*PODS[2:4], more="x"), None),
        *(page(*PODS[2:5], more="x"), page(*PODS[5:])),
    )
    seen: list[str] = []
    assert _keep_pods(server, Request("pods", "a"), store, seen.append) == 2
    assert _keep_pods(server, Request("pods", "b"), store, seen.append) == len(PODS) - 2
    assert [subject.name for subject in store] == [manifest["metadata"]["name"] for manifest in PODS]
    assert seen == ["2 pods in the namespace a", "12 pods in the namespace b"]


def test_nobody_else_can_read_the_file_and_it_has_no_name() -> None:
    store = kept(page(*PODS))
    state = os.fstat(store._file.fileno())
    assert (state.st_mode & 0o777, state.st_nlink) == (0o600, 0)
    assert state.st_size >= len(page(*PODS))


def test_where_no_file_can_be_made_pods_are_kept_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(**_: Any) -> Iterator[bytes]:
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")

    monkeypatch.setattr(tempfile, "TemporaryFile", refused)
    store = kept(page(*PODS))
    assert isinstance(store._file, io.BytesIO)
    assert len(list(store)) == len(PODS)


def test_a_full_disk_is_an_error_that_names_the_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.BytesIO):
        def write(self, _: Any) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(module, "_file", Full)
    with pytest.raises(InputError, match=f"^cannot keep pods in {tempfile.gettempdir()}: No space left"):
        kept(page(*PODS))


def test_chunks_end_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CHUNK", 7)
    assert [subject.name for subject in kept(page(*PODS), page(*PODS[:1]))][-2:] == ["é,{", "web-00"]


def test_a_pod_beyond_the_limits_of_one_object_is_an_error_that_says_where(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = kept(page(*PODS))
    monkeypatch.setattr(allowance, "LONGEST", 100)
    with pytest.raises(InputError, match=r"^the pods of the cluster: line 1 column "):
        list(store)
