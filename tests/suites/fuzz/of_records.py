"""Targets: what runtimes, logs and kubelets recorded (``records``), as ``--recorded`` reads it."""

from __future__ import annotations

from functools import cache

from msgspec.structs import replace

from hashcompat.core.go import jsontext
from hashcompat.core.model.pods import Inventory, Pod
from hashcompat.core.model.verdicts import Applied, Files, Record, Recorded
from hashcompat.core.records.collected import dump_of, from_log
from hashcompat.core.records.documents import from_checkpoint, from_node, is_checkpoint, time_of
from hashcompat.core.records.index import index, unlisted
from hashcompat.sources.content import lines
from hashcompat.sources.files import dumps
from hashcompat.sources.filters import Filters
from hashcompat.sources.objects import read_object
from tests.suites.fuzz.places import named
from tests.suites.fuzz.target import Form, Target, in_chunks

_STARTED = time_of("2026-01-14T17:57:42Z")


@cache
def _pod() -> Pod:
    """Return any pod."""
    (pod,) = read_object({"kind": "Pod", "spec": {"containers": [{"name": "c"}]}}, "a pod")
    assert isinstance(pod, Pod)
    return pod


def _recorded(data: bytes) -> None:
    """Read a file of records, and look for those of pods that it names."""
    with named(dumps, data, "records.json") as name:
        records = dumps.records_in((name,))
    _look_up(records)
    list(unlisted(Inventory(()), records, Filters(nodes=("node-1",)).cover))


def _look_up(entries: list[Record]) -> None:
    records = index(entries)
    for record in entries:
        if isinstance(record, Files):
            dump_of(record)
            continue
        name = record.container if isinstance(record, Recorded | Applied) else "POD"
        container = replace(_pod().containers[0], name=name, started=_STARTED, restarts=1)
        where = ("", "") if isinstance(record, Applied) else (record.namespace, record.pod)
        pod = replace(_pod(), namespace=where[0], name=where[1], uid=record.uid, containers=(container,))
        records.of(pod, container)
        records.as_reported(pod)
        records.sandboxes_of(pod)
        records.applied_to(pod, container)


def _inspect(data: bytes) -> None:
    """Read the JSON of a runtime, each document by itself."""
    for document in jsontext.load_all(jsontext.decode_text(data)):
        _look_up(list(from_node(document)))


def _checkpoint(data: bytes) -> None:
    """Read the text in a kubelet's checkpoint, and the checkpoint."""
    text = jsontext.decode_text(data)
    made = {"data": text, "checksum": 1}
    assert is_checkpoint(made)
    records = list(from_checkpoint(made))
    assert records == list(from_node(made))
    _look_up(list(records))


def _log(data: bytes) -> None:
    """Read a log's lines whole and in chunks."""
    text = jsontext.decode_text(data)
    whole = list(from_log(lines([text])))
    assert whole == list(from_log(lines(in_chunks(text, 5))))
    _look_up(list(whole))


TARGETS = (
    Target(
        "inspect",
        _inspect,
        ("core/records/documents", "core/records/index"),
    ),
    Target(
        "recorded-file", _recorded, ("sources/files/dumps", "core/records/documents", "core/records/index")
    ),
    Target("checkpoint", _checkpoint, ("core/records/documents",), longest=512),
    Target("log", _log, ("core/records/collected", "sources/content"), Form.TEXT, longest=512, raises=()),
)
