"""Show that a change keeps what every command prints: record the program before and after it, and compare.

    python -m scripts.outputs.compare record /old/.venv/bin/hashcompat /tmp/old
    python -m scripts.outputs.compare record /new/.venv/bin/hashcompat /tmp/new
    python -m scripts.outputs.compare diff /tmp/old /tmp/new

The command lines are those of cases.txt; inputs.py writes the files that they read. Each runs in a directory
of its own with a fixed environment, and what depends on the place is replaced in its outputs. Record both
programs with the same checkout of this script: its golden data and the sample cluster are inputs.
"""

from __future__ import annotations

import argparse
import gzip
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from difflib import unified_diff
from functools import partial
from itertools import islice
from pathlib import Path
from string import Template
from typing import Final

from scripts.lib.commandline import DIFFERENT, Parser
from scripts.lib.paths import SCRIPTS
from scripts.outputs import inputs
from tests.helpers import fakekubectl

CASES: Final = SCRIPTS / "outputs" / "cases.txt"
_SECONDS: Final = 300
_MOST_LINES: Final = 2000
"""Lines of two outputs that are compared, from the first difference on."""
_MOST_CASES: Final = 10
"""Cases that are named below one difference."""
_CHOICE: Final = re.compile(r"\{([^{}]*\|[^{}]*)\}")
_LIST: Final = re.compile(r"([A-Z]+) = (.*)")
_SOCKET: Final = re.compile(rb"/tmp/hashcompat-\w+")
_ASSIGNMENT: Final = re.compile("[A-Z_]+=")

Outputs = dict[str, bytes]
"""What a command line left behind: ``out``, ``err``, ``code``, and ``file.NAME`` for each file it wrote."""
Change = tuple[str, ...]
"""The name of an output, and the lines that were removed and added in one place of it."""


def command_lines(text: str) -> list[str]:
    """Return every command line that a text of cases stands for, each once."""
    lists: dict[str, str] = {}
    lines: dict[str, None] = {}
    for line in filter(None, text.splitlines()):
        if named := _LIST.fullmatch(line):
            lists[named[1]] = named[2]
        elif not line.startswith("#"):
            lines |= dict.fromkeys(_choices(Template(line).substitute(lists)))
    return list(lines)


def _choices(line: str) -> Iterator[str]:
    """Yield a line with each combination of the words between its braces."""
    choice = _CHOICE.search(line)
    if choice is None:
        yield " ".join(line.split())
        return
    for words in choice[1].split("|"):
        yield from _choices(f"{line[: choice.start()]}{words}{line[choice.end() :]}")


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs command lines of one program below a directory."""

    program: Path
    work: Path

    def run(self, line: str, place: Path) -> Outputs:
        """Run a command line in a directory, and return its outputs with places replaced."""
        words = shlex.split(line)
        named = dict(word.split("=", 1) for word in words if _ASSIGNMENT.match(word))
        rest = words[len(named) :]
        stdin = (place / rest.pop()).read_bytes() if "<" in rest else b""
        program = self.program.with_name(named.get("PROGRAM", self.program.name))
        command = [str(program), *(word for word in rest if word != "<")]
        environment = {**self._environment(place), **named}
        before = set(place.rglob("*"))
        try:
            done = subprocess.run(
                command,
                cwd=place,
                env=environment,
                input=stdin,
                capture_output=True,
                check=False,
                timeout=_SECONDS,
            )
        except subprocess.TimeoutExpired:
            return {"code": b"no end within %d s\n" % _SECONDS}
        new = [path for path in set(place.rglob("*")) - before if path.is_file() and not path.is_symlink()]
        files = {f"file.{path.relative_to(place)}".replace("/", "+"): _content(path) for path in new}
        outputs = {"out": done.stdout, "err": done.stderr, "code": b"%d\n" % done.returncode, **files}
        return {name: self._placeless(data, place) for name, data in outputs.items()}

    def _environment(self, place: Path) -> dict[str, str]:
        """Return an environment without anything of the user's."""
        own = {"HOME": f"{place}/home", "HASHCOMPAT_DATA": f"{place}/data", "PATH": f"{self.work}/nothing"}
        return {**own, "COLUMNS": "100", "LC_ALL": "C.UTF-8", "TZ": "UTC", "no_proxy": "*"}

    def _placeless(self, data: bytes, place: Path) -> bytes:
        data = data.replace(str(place).encode(), b"<here>").replace(str(self.work).encode(), b"<work>")
        return _SOCKET.sub(b"<socket>", data)

    def answer(self, place: Path, line: str) -> bytes:
        """Return what a command line prints that must succeed, or stop."""
        outputs = self.run(line, place)
        if outputs["code"] != b"0\n":
            sys.exit(f"{line}: {outputs.get('err', b'').decode()}")
        return outputs["out"]


def _content(path: Path) -> bytes:
    """Return what is in a file, compressed or not; damaged data as it is."""
    data = path.read_bytes()
    with suppress(EOFError, OSError, zlib.error):
        return gzip.decompress(data)
    return data


def record(program: Path, directory: Path, jobs: int) -> int:
    """Run every command line, save its outputs in a new directory, and say how many ended with which code."""
    directory.mkdir(parents=True)
    cases = list(enumerate(command_lines(CASES.read_text()), 1))
    with tempfile.TemporaryDirectory(prefix="outputs-") as name, ThreadPoolExecutor(jobs) as pool:
        runner = Runner(program.absolute(), Path(name).resolve())
        _prepare(runner)
        shutil.copytree(runner.work / "inputs", directory / "inputs")
        codes = Counter(pool.map(partial(_save, runner, directory), cases))
    counts = ", ".join(f"{code}: {codes[code]}" for code in sorted(codes))
    print(f"{len(cases)} cases; by exit code: {counts}")
    return 0


def _prepare(runner: Runner) -> None:
    """Write the inputs, and the kubectl of the live cluster."""
    place = runner.work / "inputs"
    place.mkdir()
    inputs.make(place, partial(runner.answer, place))
    kubectl = runner.work / "live" / "kubectl"
    kubectl.parent.mkdir()
    kubectl.write_text(
        "#!/bin/sh\nln -s inputs/answers.json answers.json\n"
        f'FAKE_ANSWERS=answers.json exec {shlex.join([sys.executable, fakekubectl.__file__])} "$@"\n'
    )
    kubectl.chmod(0o755)


def _save(runner: Runner, directory: Path, case: tuple[int, str]) -> str:
    """Run one command line, and return its exit code."""
    number, line = case
    place = runner.work / f"{number:04}"
    place.mkdir()
    (place / "inputs").symlink_to("../inputs")
    outputs = runner.run(line, place)
    slug = re.sub(r"[^A-Za-z0-9.]+", "-", line)[:80].strip("-.")
    for name, data in {**outputs, "cmd": f"{line}\n".encode()}.items():
        (directory / f"{number:04}-{slug}.{name}").write_bytes(data)
    return outputs["code"].decode().strip()


def recorded(directory: Path) -> dict[str, Outputs]:
    """Return what ``record`` saved, by command line; an input counts as a case too.

    Ends the program where nothing was saved: two empty directories would look like two equal programs.
    """
    recording: dict[str, Outputs] = {}
    for path in sorted(directory.glob("*.cmd")):
        files = directory.glob(f"{path.stem}.*")
        named = {file.name.removeprefix(f"{path.stem}."): file for file in files if file != path}
        recording[path.read_text().strip()] = {name: file.read_bytes() for name, file in named.items()}
    if not recording:
        sys.exit(f"{directory}: not a recording: no *.cmd file in it")
    for path in sorted((directory / "inputs").rglob("*")):
        if path.is_file():
            recording[f"(input) {path.relative_to(directory / 'inputs')}"] = {"content": _content(path)}
    return recording


def diff(old: Path, new: Path, lines: int) -> int:
    """Print what differs between two recordings, each change once, and return 2 when anything does."""
    before, after = recorded(old), recorded(new)
    cases = list(dict.fromkeys([*before, *after]))
    changes = {case: differences(before.get(case), after.get(case)) for case in cases}
    alike: dict[Change, list[str]] = {}
    for case, case_changes in changes.items():
        for change in case_changes:
            alike.setdefault(change, []).append(case)
    for change, having in sorted(alike.items(), key=lambda row: -len(row[1])):
        print(f"=== {len(having)} case{'s' if len(having) > 1 else ''}")
        print("\n".join([*_first(having, _MOST_CASES), *_first(change, lines)]), end="\n\n")
    differing = sum(1 for case_changes in changes.values() if case_changes)
    print(f"{len(cases)} cases, {differing} differ")
    return DIFFERENT if differing else 0


def differences(old: Outputs | None, new: Outputs | None) -> list[Change]:
    """Return what changed in a case, each place of each output by itself and each only once."""
    if old is None or new is None:
        return [(f"only in the {'new' if old is None else 'old'} recording",)]
    changes: dict[Change, None] = {}
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) != new.get(name):
            places = list(_changes(*(_lines(outputs, name) for outputs in (old, new))))
            changes |= dict.fromkeys((f"--- {name}", *place) for place in places or [("other bytes",)])
    return list(changes)


def _changes(first: list[str], other: list[str]) -> Iterator[Change]:
    """Yield the removed and added lines of each place; of long texts as many as difflib is fast for."""
    pairs = enumerate(zip(first, other, strict=False))
    start = next((index for index, (old, new) in pairs if old != new), min(len(first), len(other)))
    first, other = (lines[start : start + _MOST_LINES] for lines in (first, other))
    place: list[str] = []
    for line in islice(unified_diff(first, other, n=0, lineterm=""), 2, None):
        if not line.startswith("@@"):
            place.append(line)
        elif place:
            yield tuple(place)
            place = []
    if place:
        yield tuple(place)


def _lines(outputs: Mapping[str, bytes], name: str) -> list[str]:
    return outputs.get(name, b"").decode(errors="backslashreplace").split("\n")


def _first(rows: Sequence[str], most: int) -> list[str]:
    return list(rows) if len(rows) <= most else [*rows[:most], f"... {len(rows) - most} more"]


def main() -> int:
    """Record a program, or compare two recordings."""
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="run every command line and save its outputs")
    recording.add_argument("program", type=Path, help="the executable")
    recording.add_argument("directory", type=Path, help="a new directory")
    recording.add_argument("--jobs", type=int, default=2, help="processes at a time (default: 2)")
    comparing = commands.add_parser("diff", help="print what differs; exit 2 when anything does")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    comparing.add_argument("--lines", type=int, default=40, help="lines of each difference (default: 40)")
    given = parser.parse_args()
    if given.command == "record":
        return record(given.program, given.directory, given.jobs)
    return diff(given.old, given.new, given.lines)


if __name__ == "__main__":
    sys.exit(main())
