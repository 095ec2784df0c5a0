"""A stand-in for kubectl before a made cluster: it answers with the pages of an API server.

Run as a program it is ``kubectl proxy``. It keeps how much CPU time it took, because that is not the plan's.
"""

from __future__ import annotations

import json
import socketserver
import sys
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scripts.bench.made.chance import Json

_PAGE: Final = 500
"""Objects on a page, as the program asks for."""

_KINDS: Final = {"Node": "nodes", "Pod": "pods"}


def write(directory: Path, objects: Iterable[Json]) -> Path:
    """Write the pages of a cluster, nodes first, and the stand-in; return its directory, for PATH."""
    pages: dict[str, int] = dict.fromkeys(_KINDS.values(), 0)
    waiting: list[Json] = []
    for manifest in objects:
        if waiting and (len(waiting) == _PAGE or waiting[0]["kind"] != manifest["kind"]):
            _write_page(directory, waiting, pages, more=waiting[0]["kind"] == manifest["kind"])
            waiting = []
        waiting.append(manifest)
    _write_page(directory, waiting, pages, more=False)
    programs = directory / "programs"
    programs.mkdir()
    (programs / "kubectl").write_text(f'#!/bin/sh\nexec {sys.executable} -ESs {__file__} {directory} "$@"\n')
    (programs / "kubectl").chmod(0o755)
    return programs


def _write_page(directory: Path, objects: list[Json], pages: dict[str, int], *, more: bool) -> None:
    kind = objects[0]["kind"]
    name = _KINDS[kind]
    pages[name] += 1
    items = [
        {key: value for key, value in manifest.items() if key not in {"apiVersion", "kind"}}
        for manifest in objects
    ]
    metadata = {"resourceVersion": "987654321", **({"continue": str(pages[name] + 1)} if more else {})}
    page = {"kind": f"{kind}List", "apiVersion": "v1", "metadata": metadata, "items": items}
    (directory / f"{name}-{pages[name]}.json").write_text(json.dumps(page, separators=(",", ":")))


def seconds(directory: Path) -> float:
    """Return the CPU time that the stand-in took when it last answered; 0 where it never did."""
    path = directory / "cpu"
    return float(path.read_text()) if path.exists() else 0


class _Handler(BaseHTTPRequestHandler):
    """Answers with pages."""

    def do_GET(self) -> None:
        directory, asked = Path(sys.argv[1]), urlsplit(self.path)
        token = parse_qs(asked.query).get("continue", ["1"])[0]
        path = directory / f"{asked.path.rpartition('/')[2]}-{token}.json"
        exists = path.is_file()
        body = path.read_bytes() if exists else b'{"kind":"Status","message":"not here"}'
        self.send_response(200 if exists else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        now = directory / "cpu.new"  # whole or not, for a plan that has all its pages ends this process
        now.write_text(str(time.process_time()))
        now.replace(directory / "cpu")

    def address_string(self) -> str:
        """Return whom it answers."""
        return "unix"

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def main() -> None:
    """Name the cluster, or serve it until ended."""
    if "config" in sys.argv:
        server = {"server": "https://made.example.com:6443"}
        sys.stdout.write(json.dumps({"current-context": "made", "clusters": [{"cluster": server}]}))
        return
    path = next(argument.partition("=")[2] for argument in sys.argv if argument.startswith("--unix-socket="))
    with socketserver.ThreadingUnixStreamServer(path, _Handler) as serving:
        sys.stdout.write(f"Starting to serve on {path}\n")
        sys.stdout.flush()
        serving.serve_forever()


if __name__ == "__main__":
    main()
