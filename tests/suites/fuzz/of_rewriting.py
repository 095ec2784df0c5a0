"""Readers of what ``normalize apply`` takes: the document, the undo file, and what a node keeps."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hashcompat.core.go import jsontext
from hashcompat.core.records.manifests import with_uid
from hashcompat.output.rewriting import RuntimeContainer, apply, containerd, files, with_string
from hashcompat.sources.files import reports, saved
from tests.suites.fuzz.places import named, on_disk
from tests.suites.fuzz.target import Form, Target

_NOW = datetime(2026, 11, 25, tzinfo=UTC)


def _normalization(data: bytes) -> None:
    """Read a saved document, as far as a node goes."""
    with named(saved, data, "n.json") as name:
        work = reports.work_in(name, "n1", b"", timedelta(days=1), _NOW)
    ids = [task.rewrite.id for task in work.tasks]
    assert len(ids) == len(set(ids))


def _undo(data: bytes) -> None:
    """Read an undo file: what is written reads the same."""
    path = on_disk(data, "n.json.undo")
    path.chmod(0o600)
    undo = apply.load_undo(path, "sha256:1", "n1")
    apply.save_undo(path, "sha256:1", "n1", undo.values())
    assert apply.load_undo(path, "sha256:1", "n1") == undo


def _manifest(data: bytes) -> None:
    """Give a manifest a uid: without the line it is what it was."""
    text = jsontext.decode_text(data)
    changed = with_uid(text, "a1")
    for added in ('"uid":"a1",', 'uid: "a1", ', 'uid: "a1"'):
        if (place := changed.find(added)) >= 0 and added not in text:
            rest = changed[place + len(added) :]
            assert text.startswith(changed[:place])
            assert text.endswith((rest, rest.lstrip("\r\n ")))
            break


def _containerd(data: bytes) -> None:
    """Read a container of containerd, and change its hash in that one place."""
    container = containerd._container(data)
    if container is not None and container.hash:
        _there_and_back(container, containerd.Containerd.with_hash)


def _docker(data: bytes) -> None:
    """Read a container's file of Docker, and change its hash in that one place."""
    container = files.docker_container("a" * 64, data)
    if container is not None and container.hash:
        _there_and_back(container, files.Docker.with_hash)


def _crio(data: bytes) -> None:
    """Read a container's file of CRI-O, and change its hash in its two places."""
    container = files.crio_container("a" * 64, data)
    if container is not None and container.hash:
        _there_and_back(container, files.CriO.with_hash)


def _there_and_back(container: RuntimeContainer, with_hash: object) -> None:
    assert callable(with_hash)
    changed = with_hash(container.value, container.hash, "0")
    again = with_hash(changed, "0", container.hash)
    assert jsontext.loads(jsontext.decode_text(again)) == jsontext.loads(
        jsontext.decode_text(container.value)
    )


def _string(data: bytes) -> None:
    """Replace a string of JSON."""
    text = jsontext.decode_text(data)
    assert with_string(text, ("a", "b"), "old", "old").count("old") >= 1


TARGETS = (
    Target("normalization", _normalization, ("sources/files/reports", "sources/documents"), longest=2048),
    Target("undo-file", _undo, ("output/rewriting/apply",), longest=1024),
    Target("manifest-uid", _manifest, ("core/records/manifests",), Form.YAML, longest=256),
    Target("json-string", _string, ("output/rewriting/__init__",), longest=256),
    Target(
        "containerd-container",
        _containerd,
        ("output/rewriting/containerd", "output/rewriting/containerd"),
        Form.BYTES,
        longest=1024,
    ),
    Target("docker-container", _docker, ("output/rewriting/files",), longest=1024),
    Target("crio-container", _crio, ("output/rewriting/files",), longest=1024),
)
