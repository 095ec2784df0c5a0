"""A kubectl of a few lines: ``kubectl proxy --unix-socket=PATH`` before a directory of canned answers.

Run as a program: the answers are in the file FAKE_ANSWERS, ``{path: [status, document]}``; arguments are
noted next to it.
"""

from __future__ import annotations

import json
import os
import socketserver
import sys
from http.server import BaseHTTPRequestHandler
from pathlib import Path


class Handler(BaseHTTPRequestHandler):
    """Answers by the path and query, or the path alone."""

    def do_GET(self) -> None:
        answers = json.loads(Path(os.environ["FAKE_ANSWERS"]).read_text())
        status, document = (
            answers.get(self.path)
            or answers.get(self.path.partition("?")[0])
            or [404, {"message": "nothing here"}]
        )
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self) -> str:
        return "unix"

    def log_message(self, *_: object) -> None:
        pass


def main() -> None:
    """Note the arguments, say what FAKE_SAYS says, and serve until ended."""
    if "config" in sys.argv:
        cluster = {"server": os.environ.get("FAKE_SERVER", "https://fake:6443")}
        view = {"current-context": "fake", "clusters": [{"cluster": cluster}]}
        sys.stdout.write(json.dumps(view))
        return
    Path(os.environ["FAKE_ANSWERS"]).with_suffix(".argv").write_text(json.dumps(sys.argv[1:]))
    if said := os.environ.get("FAKE_SAYS"):
        sys.stderr.write(said)
        sys.stderr.flush()
    if os.environ.get("FAKE_FAILS"):
        sys.exit(1)
    path = next(argument.partition("=")[2] for argument in sys.argv if argument.startswith("--unix-socket="))
    with socketserver.ThreadingUnixStreamServer(path, Handler) as server:
        sys.stdout.write(f"Starting to serve on {path}\n")
        sys.stdout.flush()
        server.serve_forever(0.01)


if __name__ == "__main__":
    main()
