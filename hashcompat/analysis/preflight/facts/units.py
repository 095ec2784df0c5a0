"""What systemd starts as the kubelet: its unit, the drop-ins, and the files of variables that they name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import chain, takewhile
from typing import Final

import msgspec

from hashcompat.core.records.probes import (
    BEFORE_COMMAND,
    HOSTNAME,
    KUBELET_UNIT,
    UNITS,
    VARIABLE_FILES,
    AbsentError,
    Dump,
    UnreadError,
    in_order,
)

RUNNING: Final = "the running kubelet"
"""Where an argument is that no file has."""

_SPACES: Final = re.compile(r"[ \t\r\n]*")
_ALONE: Final = re.compile(r"\$(\w+)")
_VARIABLE: Final = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_WORD: Final = re.compile(
    r"""(?>(?:[^ \t\r\n"'\\]++|\\.|'[^']*+'|"(?>(?:[^"\\]++|\\.)*)")+)(?![^ \t\r\n])""", re.DOTALL
)
"""A word of a command line: runs of other characters, escapes, and what is in quotes."""

_PIECE: Final = re.compile(r"""\\(.)|'([^']*+)'|"((?>(?:[^"\\]++|\\.)*))\"""", re.DOTALL)

_ESCAPE: Final = re.compile(r"""\\(["\\])""")
"""In double quotes a backslash stands for itself before anything else."""

LONGEST_WORD: Final = 131_071
"""Bytes of one argument (Linux, include/uapi/linux/binfmts.h ``MAX_ARG_STRLEN``, with its end)."""

MOST_OF_WORDS: Final = 2 << 20
"""Bytes of all arguments, each with its end and a pointer to it: a quarter of the usual stack of 8 MiB.

No kubelet starts with more (Linux, fs/exec.c ``bprm_stack_limits``)."""

_POINTER: Final = 9
_SPECIFIER: Final = re.compile("%(.)", re.DOTALL)

_SPECIFIERS: Final[Mapping[str, str]] = {
    "%": "%",
    "n": KUBELET_UNIT,
    **dict.fromkeys("Njp", "kubelet"),
    **dict.fromkeys("iI", ""),
    **dict.fromkeys("gu", "root"),
    **dict.fromkeys("GU", "0"),
    **dict(zip("CELSht", ("/var/cache", "/etc", "/var/log", "/var/lib", "/root", "/run"), strict=True)),
}
"""What systemd puts in place of ``%`` and a letter in a unit of the system (systemd.unit(5))."""

_OF_HOST: Final = "Hl"
"""The specifiers that stand for the host's name, and for what is before its first point."""

_NOT_COLLECTED: Final = "aAbBcdDfJmMoqrRsTvVwWyY"
"""Those that stand for what no dump has, or seldom. Any other character is kept with its ``%``: ``<10%,``."""

_LEFT_OUT: Final = re.compile(r"\\\n[ \t]*\\?(?=\n|\Z)")
"""A line that goes on in one with nothing on it: the collector left out what was there."""

_NAME: Final = "kubelet"

_LAUNCHERS: Final = frozenset(
    (
        *("ash", "bash", "busybox", "catatonit", "chroot", "chrt", "ctr", "dash"),
        *("docker", "dumb-init", "env", "ionice", "nerdctl", "nice", "nsenter", "numactl"),
        *("podman", "rkt", "runuser", "setpriv", "sh", "stdbuf", "su", "sudo"),
        *("systemd-cat", "systemd-inhibit", "taskset", "timeout", "tini", "unshare"),
    )
)
"""Programs that start another one: what follows them is their own up to its name."""


class UnitArgument(msgspec.Struct, frozen=True):
    """An argument of the kubelet."""

    text: str
    source: str
    """The file that it is in, or ``the running kubelet``."""


class Start(msgspec.Struct, frozen=True):
    """The next start of the kubelet, as far as its files show it."""

    words: tuple[UnitArgument, ...]
    """The arguments after the program."""
    complete: bool
    """Whether these are all: a unit was read that starts a kubelet, and each file that it names was read or
    is absent."""
    program: str = ""
    """The kubelet's own program as the unit names it; empty where that is not known."""
    variables: frozenset[str] = frozenset()
    """The names of the environment variables that the unit and its files set."""


class _Line(msgspec.Struct, frozen=True):
    key: str
    value: str
    source: str


def start(dump: Dump) -> Start:
    """Read what the kubelet's next start gets; without a unit, what the usual files of variables have."""
    lines = list(_lines(dump))
    command = next((line for line in reversed(lines) if line.key == "ExecStart" and line.value), None)
    if command is None:
        words = (
            UnitArgument(word, path)
            for path in VARIABLE_FILES
            for name, value in (_file(dump, path) or {}).items()
            if name.startswith("KUBELET")
            for word in _split(value)
        )
        return Start(tuple(words), complete=False)
    return _expanded(dump, command, lines)


def spares_other_processes(dump: Dump) -> bool:
    """Return whether systemd ends only the kubelet itself, and not what it started (KillMode=process)."""
    modes = [line.value for line in _lines(dump) if line.key == "KillMode"]
    return modes[-1:] in (["process"], ["none"])


def _expanded(dump: Dump, command: _Line, lines: list[_Line]) -> Start:
    variables: dict[str, UnitArgument] = {}
    complete = True
    named = list[str]()
    for line in lines:
        if line.key == "EnvironmentFile":
            named = [*named, line.value.lstrip("-")] if line.value else []
        elif line.key == "Environment":
            if not line.value:
                variables.clear()
            texts = [_specified(dump, word) for word in _split(line.value)]
            complete = complete and None not in texts
            pairs = (text.partition("=") for text in texts if text is not None)
            variables |= {name: UnitArgument(value, line.source) for name, equals, value in pairs if equals}
    for path in reversed(dict.fromkeys(reversed(named))):  # the last place of each counts
        assigned = _file(dump, path)
        complete = complete and assigned is not None
        variables |= {name: UnitArgument(value, path) for name, value in (assigned or {}).items()}
    split = cache(_split)  # a word may repeat a variable any number of times
    program, *after = _from_program(split(command.value))
    own = [_specified(dump, word) for word in after]
    is_whole = not any(_LEFT_OUT.search(dump.read("file", path)) for path in {line.source for line in lines})
    complete = complete and is_whole and _is_kubelet(dump, program) and None not in own
    arguments = (_of_word(text, variables, command.source, split) for text in own if text is not None)
    words = tuple(_within_limits(chain.from_iterable(arguments), command.source))
    return Start(words, complete, program, frozenset(variables))


def _from_program(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words from the kubelet's program on; one empty word where another one is started."""
    names = [_base(word) for word in words]
    if names and names[0] in _LAUNCHERS:
        # The last one: a container may have the name too, but not as the value of a flag: --name kubelet.
        positions = (
            at for at in reversed(range(len(words))) if names[at] == _NAME and not _is_flag(words[at - 1])
        )
        return words[next(positions, len(words)) :] or ("",)
    # Whatever else starts a kubelet is given it first: kubenswrapper of OpenShift, and hyperkube.
    before = list(takewhile(lambda name: name == "--" or not name.startswith("-"), names))
    return words[len(before) - 1 - before[::-1].index(_NAME) :] if _NAME in before else words or ("",)


def _is_kubelet(dump: Dump, program: str) -> bool:
    """Return whether a program is the kubelet, and not a script that may give it more arguments."""
    try:
        running = dump.read("arguments", _NAME).partition("\n")[0]
    except (AbsentError, UnreadError):
        running = program
    return bool(program) and _base(program) in (_NAME, _base(running))


def _is_flag(word: str) -> bool:
    return word.startswith("-") and word != "--" and "=" not in word


def _base(path: str) -> str:
    return path.rpartition("/")[2]


def _specified(dump: Dump, text: str) -> str | None:
    """Return a word of a unit with what its specifiers stand for; None where that is not known."""
    specifiers = dict(_SPECIFIERS)
    letters = set(_SPECIFIER.findall(text))
    if not letters.isdisjoint(_NOT_COLLECTED):
        return None
    if not letters.isdisjoint(_OF_HOST):
        try:
            host = dump.read("file", HOSTNAME).strip()
        except (AbsentError, UnreadError):
            return None
        specifiers |= {"H": host, "l": host.partition(".")[0]}
    return _SPECIFIER.sub(lambda match: specifiers.get(match[1], match[0]), text)


def _within_limits(words: Iterable[UnitArgument], source: str) -> Iterator[UnitArgument]:
    """Yield words as long as a kernel takes so many: each may repeat a variable of any length."""
    whole = 0
    for word in words:
        whole += len(word.text) + _POINTER
        if whole > MOST_OF_WORDS:
            raise _too_long(source, f"all arguments are more than {MOST_OF_WORDS:,} bytes")
        yield word


def _too_long(source: str, what: str) -> UnreadError:
    return UnreadError(f"{source}: with its variables, {what}, with which Linux starts no program")


def _of_word(
    text: str, variables: Mapping[str, UnitArgument], source: str, split: Callable[[str], Iterable[str]]
) -> Iterator[UnitArgument]:
    """Expand the variables of one word: ``$NAME`` alone gives words, ``${NAME}`` a part of one."""
    if alone := _ALONE.fullmatch(text):
        held = variables.get(alone[1], UnitArgument("", source))
        yield from (UnitArgument(word, held.source) for word in split(held.text))
        return
    pieces, length, after = list[str](), 0, 0
    for match in _VARIABLE.finditer(text):
        held = variables.get(match[1] or match[2], UnitArgument("", source))
        pieces += text[after : match.start()], held.text
        after = match.end()
        length += len(pieces[-1]) + len(pieces[-2])
        if length > LONGEST_WORD:
            raise _too_long(source, f"one argument is more than {LONGEST_WORD:,} bytes")
    yield UnitArgument("".join((*pieces, text[after:])), source)


def _file(dump: Dump, path: str) -> Mapping[str, str] | None:
    """Return the variables of a file; None where it could not be read, empty where there is none."""
    try:
        text = dump.read("file", path)
    except AbsentError:
        return {}
    except UnreadError:
        return None
    if _LEFT_OUT.search(text):
        return None
    variables: dict[str, str] = {}
    for row in map(str.strip, text.replace("\\\n", " ").splitlines()):
        name, equals, value = row.partition("=")
        if equals and not row.startswith(("#", ";")):
            value = value.strip()
            is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
            variables[name.removeprefix("export ").strip()] = value[1:-1] if is_quoted else value
    return variables


def _split(text: str) -> tuple[str, ...]:
    """Split a text into words as a POSIX shell does, in linear time, unlike shlex.

    A line in which a quote has no end, which systemd refuses, is read word by word.
    """
    words, place = list[str](), 0
    while (place := _SPACES.match(text, place).end()) < len(text):  # type: ignore[union-attr]  # matches always
        word = _WORD.match(text, place)
        if word is None:
            return tuple(text.split())
        words.append(_PIECE.sub(_meant, word[0]))
        place = word.end()
    return tuple(words)


def _meant(piece: re.Match[str]) -> str:
    escaped, single, double = piece.groups()
    return escaped or single or _ESCAPE.sub(r"\1", double or "")


def _lines(dump: Dump) -> Iterator[_Line]:
    """Yield the assignments of the unit and then of its drop-ins, as systemd orders them."""
    files = {probe.name for probe in dump.of_kind("file") if probe.text is not None or probe.problem}
    _check_drop_ins(dump)
    for path in in_order(KUBELET_UNIT, files):
        for row in dump.read("file", path).replace("\\\n", " ").splitlines():
            key, equals, value = row.strip().partition("=")
            if equals and not key.startswith(("#", ";")):
                yield _Line(
                    key.strip(),
                    value.strip().lstrip(BEFORE_COMMAND if key.strip() == "ExecStart" else ""),
                    path,
                )


def _check_drop_ins(dump: Dump) -> None:
    """Raise UnreadError for a drop-in that may be there and was not read.

    A collector passes over a name that it could not write, and what is no file, such as a link to /dev/null.
    """
    for place in UNITS:
        directory = f"{place}/{KUBELET_UNIT}.d"
        for name in dump.names(directory) if ("directory", directory) in dump.probes else ():
            hidden = name.startswith(".") or not name.endswith(".conf")  # which systemd passes over
            if not hidden and ("file", f"{directory}/{name}") not in dump.probes:
                raise UnreadError(
                    f"{directory}/{name}: not read, because of its name or because it is no file"
                )
