"""kubectl as the way to the API server: it alone knows how its user's kubeconfig authenticates.

``kubectl proxy`` listens on a unix socket in a directory that only this user may enter; it passes on reads of
pods, nodes, PodDisruptionBudgets, Services, one namespace and the server's release, or on what is asked of
one object, and nothing else; and it ends with this process, however that ends.
"""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, Any, Final

from urllib3.connection import HTTPConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import LocationValueError

from hashcompat.core.errors import InputError
from hashcompat.core.go import jsontext
from hashcompat.core.go.jsontext import clean
from hashcompat.core.shown import said, urls
from hashcompat.sources import programs
from hashcompat.sources.cluster.kubeapi import UnreachableError
from hashcompat.sources.documents import loads

_START_SECONDS: Final = 20
_END_SECONDS: Final = 5
"""For kubectl to end by itself; then it is killed."""
_LONGEST_LINE: Final = 4096
"""Characters of what kubectl says that count as one line: a link to open has 2000."""
_MOST_LINES: Final = 1000
"""Lines of kubectl's plugins that are passed on."""
_MOST_SHOWN: Final = 8
"""Lines of an error of kubectl's own."""
_PATHS: Final = (
    r"^/api/v1/(nodes|(namespaces/[^/]+/)?(pods|services))$,^/api/v1/nodes/[^/]+$,"
    r"^/api/v1/namespaces/kube-system$,"
    r"^/apis/policy/(v1|v1beta1)/(namespaces/[^/]+/)?poddisruptionbudgets$,^/version$"
)
_WRITES: Final = ("POST", "PUT")
_OTHER_METHODS: Final = ("PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE", "HEAD")
_LOG_LINE: Final = re.compile(r"[IWEF]\d{4} |\d{4}/\d\d/\d\d |error: ")
"""Lines of kubectl's own, in the forms of klog and of Go's log package."""
_WATCHED: Final = (
    'exec 3<&0; (trap "" INT HUP TERM; cat <&3; kill $$; rm -rf "$0") >/dev/null 2>&1 & exec "$@" 3<&-'
)
"""A shell script that kubectl replaces; it stops kubectl when standard input ends with this process."""


@contextmanager
def proxy(
    flags: tuple[str, ...], say: Callable[[str], None], written: str = ""
) -> Iterator[HTTPConnectionPool]:
    """Run ``kubectl proxy`` with these flags (``--context=…``) and yield the connections to it.

    ``written`` is the path of an object that may be read, created and replaced; then nothing else passes.

    What a credential plugin prints on stderr (a link to open, a code to type) is passed to ``say`` line by
    line, without what may be secret unless a person is at the terminal. Raises UnreachableError where there
    is no kubectl or it does not start.
    """
    try:
        kubectl = programs.find("kubectl")
    except InputError as error:
        raise UnreachableError(f"{error}; a live cluster is read through it") from None
    with ExitStack() as stack:
        # mode 0700: the proxy asks nobody who connects for credentials
        directory = tempfile.mkdtemp(prefix="hashcompat-")
        path = str(Path(directory) / "api")
        process = _started([kubectl, *flags, *_arguments(path, written)], directory)
        stack.callback(_stop, process)
        over = threading.Event()
        stack.callback(over.set)
        listener = _Listener(say)
        listener.start(process.stderr, over)
        if not _is_ready(process, over):
            raise UnreachableError(f"kubectl does not start: {listener.error()}")
        listener.release()
        yield stack.enter_context(_UnixPool(path))


def target(flags: tuple[str, ...]) -> tuple[str, str]:
    """Return the context and the API server's URL that kubectl uses with these flags; empty where unknown."""
    try:
        kubectl = programs.find("kubectl")
        shown = programs.output([kubectl, *flags, "config", "view", "--minify", "-o", "json"], _START_SECONDS)
        view = loads(jsontext.decode_text(shown))
        return clean(str(view["current-context"])), urls(clean(str(view["clusters"][0]["cluster"]["server"])))
    except (InputError, LookupError, TypeError):
        return "", ""  # a plan needs neither


def _arguments(path: str, written: str) -> list[str]:
    folder, _, name = written.rpartition("/")
    paths = f"^{re.escape(folder)}(/{re.escape(name)})?$" if written else _PATHS
    methods = _OTHER_METHODS if written else (*_WRITES, *_OTHER_METHODS)
    return [
        "proxy",
        f"--unix-socket={path}",
        f"--accept-paths={paths}",
        f"--reject-methods={','.join(methods)}",
    ]


def _started(command: list[str], directory: str) -> subprocess.Popen[str]:
    # standard input is the pipe whose end stops kubectl
    terminal = "/dev/tty" if sys.stdin.isatty() else "/dev/null"  # plugins may ask for a password
    script = f"{_WATCHED} <{terminal}"
    pipe = subprocess.PIPE
    return subprocess.Popen(  # noqa: S603
        ["/bin/sh", "-c", script, directory, *command],
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        encoding="utf-8",
        errors="replace",
        env=programs.inherited(),
    )


def _stop(process: subprocess.Popen[str]) -> None:
    """Stop kubectl: its watcher sees the pipe close, kills it and removes the socket."""
    if process.stdin:
        process.stdin.close()
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        with suppress(subprocess.TimeoutExpired):  # in a system call that never returns
            process.wait(_END_SECONDS)


def _is_ready(process: subprocess.Popen[str], over: threading.Event) -> bool:
    """Wait for the line with which kubectl says that it listens; whatever it prints then is dropped."""
    listens = threading.Event()
    ended = threading.Event()

    def read(stream: IO[str]) -> None:
        for _ in _lines(stream, over):
            listens.set()
            ended.set()
        ended.set()

    threading.Thread(target=read, args=(process.stdout,), daemon=True).start()
    ended.wait(_START_SECONDS)
    if not listens.is_set():
        process.kill()
    return listens.is_set()


def _lines(stream: IO[str], over: threading.Event) -> Iterator[str]:
    """Yield lines, one that is too long in parts, and close the stream when all is over.

    Only the thread that reads may close it: closing waits for a read, and what kubectl started may still hold
    the other end. A process that prints without end outlives kubectl until nobody reads it.
    """
    with stream:
        for line in iter(partial(stream.readline, _LONGEST_LINE), ""):
            yield line
            if over.is_set():
                return


class _Listener:
    """Reads kubectl's stderr, so that it never blocks: what its log says is kept, the rest is passed on.

    Nothing is passed on before kubectl listens: if it never does, what it says is the error.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say, self._lock = say, threading.Lock()
        self._held: list[str] | None = []
        self._last: deque[str] = deque(maxlen=_MOST_SHOWN)

    def start(self, stream: IO[str] | None, over: threading.Event) -> None:
        """Begin to read a stream, in a thread of its own."""
        self._thread = threading.Thread(target=self.read, args=(stream, over), daemon=True)
        self._thread.start()

    def read(self, stream: IO[str], over: threading.Event) -> None:
        """Read a stream to its end."""
        for number, line in enumerate(_lines(stream, over)):
            if line.strip():
                self._last.append(line.strip())
            if number >= _MOST_LINES or _LOG_LINE.match(line):
                continue
            with self._lock:
                if self._held is None:
                    self._pass_on(line)
                else:
                    self._held.append(line)

    def _pass_on(self, line: str) -> None:
        """Pass on a line of a credential plugin: whole for the person at a terminal, not in a log."""
        text = line.rstrip("\n")
        self._say(text if sys.stdin.isatty() and sys.stderr.isatty() else said(text))

    def release(self) -> None:
        """Pass on what was said so far, and from now on each line at once."""
        with self._lock:
            for line in self._held or ():
                self._pass_on(line)
            self._held = None

    def error(self) -> str:
        """Return the error that ends what was said, or else its last line, once kubectl has ended."""
        self._thread.join(timeout=1)
        lines = list(self._last)
        first = max((at for at, line in enumerate(lines) if line.lower().startswith("error")), default=-1)
        text = " ".join(lines[first:])
        return said(text.removeprefix("error: ")) or "no message"


class _UnixConnection(HTTPConnection):
    """An HTTP connection over a unix socket; requests-unixsocket would open a new one for every page."""

    def __init__(self, *args: Any, path: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._path = path

    def _new_conn(self) -> socket.socket:
        sock = socket.socket(socket.AF_UNIX)
        # without it a read of a proxy that hangs would have no end
        sock.settimeout(self.timeout)
        sock.connect(self._path)
        return sock


class _UnixPool(HTTPConnectionPool):
    """Keeps one connection to a unix socket alive."""

    ConnectionCls = _UnixConnection

    def __init__(self, path: str) -> None:
        super().__init__("localhost", path=path)


# A pod's own way to the API server: the service account that is mounted into every container. Source:
# client-go ``rest.InClusterConfig``.

_LONGEST_TOKEN: Final = 64 << 10
"""Bytes; HTTP servers take no longer header."""
ACCOUNT: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")


def is_there(environment: Mapping[str, str]) -> bool:
    """Return whether this process runs in a pod with a service account."""
    return bool(environment.get("KUBERNETES_SERVICE_HOST")) and (ACCOUNT / "token").is_file()


def connections(environment: Mapping[str, str]) -> HTTPSConnectionPool:
    """Return the connections to the API server, which the account's own CA vouches for."""
    host, port = _address(environment)
    try:
        return HTTPSConnectionPool(host, port, cert_reqs="CERT_REQUIRED", ca_certs=str(ACCOUNT / "ca.crt"))
    except LocationValueError:
        raise InputError("KUBERNETES_SERVICE_HOST is not a host's name or address") from None


def server(environment: Mapping[str, str]) -> str:
    """Return the URL of the API server."""
    host, port = _address(environment)
    return f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"


def _address(environment: Mapping[str, str]) -> tuple[str, int]:
    port = environment.get("KUBERNETES_SERVICE_PORT") or "443"
    if not port.isascii() or not port.isdigit() or not 0 < int(port[:6]) < 1 << 16:
        raise InputError("KUBERNETES_SERVICE_PORT is not a port's number")
    return environment["KUBERNETES_SERVICE_HOST"], int(port)


def token() -> str:
    """Read the token again: a kubelet renews it in its file while a long list is read."""
    path = ACCOUNT / "token"
    try:
        with path.open("rb") as stream:
            # stripped: an editor or a template may leave a line break at its end, and a header has none
            text = stream.read(_LONGEST_TOKEN + 1).strip().decode(errors="replace")
    except OSError as error:
        raise InputError(f"{path}: cannot read: {error.strerror}") from None
    if len(text) > _LONGEST_TOKEN or not text.isascii() or not text.isprintable():
        raise InputError(f"{path}: not a token; want a line of printable ASCII")
    return text


def has_kubeconfig(environment: Mapping[str, str]) -> bool:
    """Return whether kubectl would find a kubeconfig, which comes before a service account."""
    return bool(environment.get("KUBECONFIG")) or (Path.home() / ".kube" / "config").exists()
