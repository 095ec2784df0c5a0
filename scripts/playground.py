"""Build the playground: hashcompat itself, in a web page that asks no server for anything.

``python -m scripts.playground --out DIR`` writes a directory that any web server serves. The program is the
wheel, on Pyodide's Python; what it needs is downloaded by pip and npm, and checked by the digests in
``deploy/locks/run.txt`` and below. Equal sources make equal bytes. ``--serve`` serves it here.
Needs the extra ``site``, npm and node.

Exit codes: 0 it is written; 1 a download or a program failed; 64 usage error.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

from hashcompat import __version__
from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.output.formats.html import digest
from scripts.lib import commandline
from scripts.locks import ROOT, needed

SOURCE: Final = ROOT / "deploy" / "playground"
REPORT: Final = ROOT / "hashcompat" / "output" / "formats" / "html"

PYODIDE: Final = "314.0.7"
INTEGRITY: Final = (
    "sha512-0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
)
"""Of npm's package: npm checks it too, but against what the registry says today."""
_RUNTIME: Final = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)

PYTHON: Final = "3.14"
PLATFORM: Final = "pyemscripten_2026_0_wasm32"
PACKAGES: Final = ("click", "deepdiff", "jinja2", "msgspec", "orderly-set", "packaging", "platformdirs")
"""What the page's commands import; no socket is opened in a browser, so nothing that opens one is needed."""
PURE: Final = ("markupsafe", "pyyaml")
"""These are not built for this platform; they work without their compiled modules, which are left out."""
_COMPILED: Final = (".so", ".pyd")

_FROM: Final = "1.30.14"
_TO: Final = "1.31.14"
"""The upgrade that the page begins with: the latest in which every container restarts."""


def main(argv: Sequence[str] | None = None) -> int:
    """Build the page, and serve it if asked to."""
    parser = commandline.Parser(prog="scripts.playground", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "dist" / "playground", metavar="DIR")
    parser.add_argument("--serve", action="store_true", help="serve it at a local address until Ctrl-C")
    options = parser.parse_args(argv)
    try:
        build(options.out)
    except (OSError, subprocess.CalledProcessError, ValueError) as error:
        return commandline.failed(parser.prog, error)
    for line in sizes(options.out):
        print(line)
    if options.serve:
        serve(options.out)
    return 0


def build(out: Path) -> None:
    """Write the page and all that it loads; a directory that is there is replaced when all is made.

    Raises:
        OSError: pip, npm or node is missing, or a file cannot be written.
        ValueError: what was downloaded is not what was locked.
        subprocess.CalledProcessError: one of them failed.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".playground-") as name:
        work = Path(name)
        runtime, packages, made = work / "package", work / "packages", work / "made"
        unpack_runtime(work)
        for wheel in (own_wheel(work), *downloaded(work)):
            unpack(wheel, packages)
        shutil.copy(SOURCE / "answers.py", packages)
        (made / "pyodide").mkdir(parents=True)
        for file in _RUNTIME:
            shutil.copy(runtime / file, made / "pyodide" / file)
        _run("node", SOURCE / "compile.mjs", runtime, packages, made / "app.zip")
        write_page(made)
        shutil.rmtree(out, ignore_errors=True)
        made.replace(out)


def unpack_runtime(work: Path) -> None:
    """Download Pyodide by npm, and unpack it into ``package``; raises ValueError for any other package."""
    _run("npm", "pack", f"pyodide@{PYODIDE}", "--pack-destination", work, "--loglevel", "error")
    (archive,) = work.glob("pyodide-*.tgz")
    digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if f"sha512-{digest}" != INTEGRITY:
        raise ValueError(f"pyodide {PYODIDE}: npm has another package than the one that is locked")
    with tarfile.open(archive) as packed:
        packed.extractall(work, filter="data")


def own_wheel(work: Path) -> Path:
    """Build the wheel of this checkout."""
    _run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", work / "own", cwd=ROOT)
    (wheel,) = (work / "own").glob("*.whl")
    return wheel


def downloaded(work: Path) -> list[Path]:
    """Download the locked packages by pip, which checks their digests."""
    into = work / "wheels"
    for names, platform in ((PACKAGES, PLATFORM), (PURE, "manylinux2014_x86_64")):
        wanted = work / f"{platform}.txt"
        wanted.write_text("".join(locked(names)), encoding="utf-8")
        _run(
            *(sys.executable, "-m", "pip", "download", "--quiet", "--require-hashes", "--no-deps"),
            *("--only-binary", ":all:", "--python-version", PYTHON, "--platform", platform),
            *("--dest", into, "--requirement", wanted),
        )
    return sorted(into.glob("*.whl"))


def locked(names: Sequence[str]) -> Iterator[str]:
    """Yield the rows of some packages in the lock, with the digests of their files."""
    asked = {"python_full_version": f"{PYTHON}.0", "python_version": PYTHON, "sys_platform": "emscripten"}
    rows = dict(needed(asked))
    for name in names:
        if name not in rows:
            raise ValueError(f"{name} is not locked in deploy/locks/run.txt")
        yield rows[name]


def unpack(wheel: Path, into: Path) -> None:
    """Unpack a wheel, without the compiled modules of packages that work without them."""
    is_pure = wheel.name.partition("-")[0].lower() in PURE
    with zipfile.ZipFile(wheel) as packed:
        names = [name for name in packed.namelist() if not (is_pure and name.endswith(_COMPILED))]
        for name in names:
            packed.extract(name, into)


def write_page(made: Path) -> None:
    """Write the page, with a policy that allows nothing from anywhere else, and the facts that it shows."""
    names = ("report.css", "report.js", "page.html.jinja")
    style, script, template = ((REPORT / name).read_text(encoding="utf-8") for name in names)
    releases = default_catalog().releases()
    values = {
        "policy": "; ".join(policy(style, script)),
        "patterns": template[template.index('<svg class="patterns"') : template.index("<header")].strip(),
        "version": __version__,
        "oldest": releases[0],
        "newest": releases[-1],
    }
    page = (SOURCE / "index.html").read_text(encoding="utf-8")
    for key, value in values.items():
        page = page.replace(f"{{{{ {key} }}}}", value)
    (made / "index.html").write_text(page, encoding="utf-8")
    files = [REPORT / name for name in ("report.css", "report.js")]
    for file in (*files, *(SOURCE / name for name in ("style.css", "page.js", "worker.js"))):
        shutil.copy(file, made / file.name)
    facts = {"releases": releases[::-1], "from": _FROM, "to": _TO}
    (made / "facts.json").write_text(json.dumps(facts), encoding="utf-8")


def policy(style: str, script: str) -> Iterator[str]:
    """Yield the rules of the page; a report that it opens in a tab inherits them, so they name its parts."""
    yield "default-src 'none'"
    yield f"script-src 'self' 'wasm-unsafe-eval' {digest(script)}"
    yield f"style-src 'self' {digest(style)}"
    yield "connect-src 'self'"
    yield "worker-src 'self'"
    yield "img-src 'self' data:"
    yield "base-uri 'none'"
    yield "form-action 'none'"


def sizes(out: Path) -> Iterator[str]:
    """Yield how large the files are."""
    for path in sorted(path for path in out.rglob("*") if path.is_file()):
        yield f"{path.stat().st_size:>10,}  {path.relative_to(out)}"


class _Handler(SimpleHTTPRequestHandler):
    extensions_map = {  # noqa: RUF012 - as it is declared
        **SimpleHTTPRequestHandler.extensions_map,
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def log_message(self, *_: object) -> None:
        """Say nothing of requests."""


def server(directory: Path) -> ThreadingHTTPServer:
    """Return a server of a directory, at a free port of this machine."""
    return ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=directory))


def serve(directory: Path) -> None:
    """Serve a directory until Ctrl-C, and print where."""
    with server(directory) as serving:
        print(f"http://127.0.0.1:{serving.server_port}/", flush=True)
        serving.serve_forever()


def _run(*command: str | Path, cwd: Path | None = None) -> None:
    # equal bytes at any time: hatchling and zip take their dates from here
    environment = {"SOURCE_DATE_EPOCH": "1577836800", **os.environ}
    subprocess.run(command, check=True, cwd=cwd, env=environment, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
