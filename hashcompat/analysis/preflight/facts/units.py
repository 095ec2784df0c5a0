"""What systemd starts as the kubelet: its unit, the drop-ins, and the files of variables that they name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, partial
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
_REFERENCE: Final = re.compile(r"\$(?:\$|\{([^}]*+)\})")
"""A variable within a word, or ``$$``; without braces it is none (systemd, basic/env-util.c)."""

_WORD: Final = re.compile(
    r"""(?>(?:[^ \t\r\n"'\\]++|\\.|'(?>(?:[^'\\]++|\\.)*)'|"(?>(?:[^"\\]++|\\.)*)")+)(?![^ \t\r\n])""",
    re.DOTALL,
)
"""A word of a command line: runs of other characters, escapes, and what is in quotes."""

_PIECE: Final = re.compile(
    r"""'((?>(?:[^'\\]++|\\.)*))'|"((?>(?:[^"\\]++|\\.)*))"|(\\(?:x[0-9A-Fa-f]{2}|[0-3][0-7]{2}|.))""",
    re.DOTALL,
)

_ESCAPE: Final = re.compile(r"\\(x[0-9A-Fa-f]{2}|[0-3][0-7]{2}|.)", re.DOTALL)

_ESCAPED: Final = dict(zip("abfnrtvs\\\"'", "\a\b\f\n\r\t\v \\\"'", strict=True))
"""What a backslash and a character stand for in a unit."""

_KEY: Final = re.compile(r"^[ \t\r]*+([^#;=\s][^=\n]*+)=", re.MULTILINE)
_GOES_ON: Final = r"\n(?![ \t]*+(?:export )?[A-Za-z_][A-Za-z0-9_]*+=)"
_QUOTED: Final = re.compile(
    rf"""[ \t\r]*+(?:'((?>(?:[^'\n]++|{_GOES_ON})*))'|"((?>(?:[^"\\\n]++|\\.|{_GOES_ON})*))")""", re.DOTALL
)
"""A part in quotes of a variable's value, of one line or several, up to the next variable.

The other quote may be in a word that the collector left out."""

_UNQUOTED: Final = re.compile(r"(?>(?:[^\\\n]++|\\.)*)", re.DOTALL)
_IN_DOUBLE: Final = re.compile(r"""\\(?:(["\\`$])|\n)""")
_NAME_OF_VARIABLE: Final = re.compile("[A-Za-z_][A-Za-z0-9_]*")
_BREAK: Final = re.compile(r"\r\n|[\r\n]")

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
            if name.removeprefix("export ").strip().startswith("KUBELET")
            for word in _split(value, _as_written)
        )
        return Start(tuple(words), complete=False)
    return _expanded(dump, command, lines)


def spares_other_processes(dump: Dump) -> bool:
    """Return whether systemd ends only the kubelet itself, and not what it started (KillMode=process)."""
    modes = [line.value for line in _lines(dump) if line.key == "KillMode"]
    return modes[-1:] in (["process"], ["none"])


def watchdog(dump: Dump) -> float:
    """Return the seconds after which systemd ends a kubelet that does not notify it; 0 for never.

    Raises UnreadError where it is not known which unit counts, and where the collector left the time out.
    """
    for place in UNITS:
        with suppress(AbsentError):
            dump.read("file", f"{place}/{KUBELET_UNIT}")
            break
    for line in reversed([line for line in _lines(dump) if line.key == "WatchdogSec"]):
        if not line.value:
            raise UnreadError(f"{line.source}: the value of WatchdogSec is not shown")
        if (time := seconds(line.value)) is not None:
            return time
    return 0


_UNITS_OF_TIME: Final = {
    **dict.fromkeys(("us", "usec", "\u00b5s", "\u03bcs"), 1e-6),
    **dict.fromkeys(("ms", "msec"), 1e-3),
    **dict.fromkeys(("", "s", "sec", "second", "seconds"), 1.0),
    **dict.fromkeys(("m", "min", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hr", "hour", "hours"), 3600.0),
    **dict.fromkeys(("d", "day", "days"), 86400.0),
    **dict.fromkeys(("w", "week", "weeks"), 604800.0),
    **dict.fromkeys(("M", "month", "months"), 2629800.0),
    **dict.fromkeys(("y", "year", "years"), 31557600.0),
}
_SPAN: Final = re.compile(r"[ \t]*+([0-9]++(?:[.][0-9]*+)?|[.][0-9]++)[ \t]*+([A-Za-z\u00b5\u03bc]*+)")


def seconds(text: str) -> float | None:
    """Return a time span of systemd, ``1min 30s``, in seconds; 0 for ``infinity``, None for what is none."""
    if text == "infinity":
        return 0
    total, place = 0.0, 0
    while place < len(text):
        span = _SPAN.match(text, place)
        if span is None or span[2] not in _UNITS_OF_TIME:
            return None
        total += float(span[1]) * _UNITS_OF_TIME[span[2]]
        place = span.end()
    return total if text else None


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
        entries = ((name, UnitArgument(value, path)) for name, value in (assigned or {}).items())
        variables |= {name: argument for name, argument in entries if _NAME_OF_VARIABLE.fullmatch(name)}
    split = cache(partial(_split, unescape=_as_written))  # a word may repeat a variable any number of times
    text = command.value.lstrip(BEFORE_COMMAND)
    prefix = command.value.removesuffix(text)
    program, *after = _from_program(_split(text), is_called_otherwise="@" in prefix)
    own = [_specified(dump, word) for word in after]
    is_whole = not any(_LEFT_OUT.search(dump.read("file", path)) for path in {line.source for line in lines})
    complete = complete and is_whole and _is_kubelet(dump, program) and None not in own
    specified = [text for text in own if text is not None]
    if ":" in prefix:  # nothing is put in for variables
        arguments: Iterable[UnitArgument] = (UnitArgument(text, command.source) for text in specified)
    else:
        arguments = chain.from_iterable(
            _of_word(text, variables, command.source, split) for text in specified
        )
    words = tuple(_within_limits(arguments, command.source))
    return Start(words, complete, program, frozenset(variables))


def _from_program(words: tuple[str, ...], *, is_called_otherwise: bool) -> tuple[str, ...]:
    """Return the words from the kubelet's program on; one empty word where another one is started.

    ``is_called_otherwise``: whether the second word is the name by which the program is called (``@``).
    """
    names = ["" if word.startswith("-") else _base(word) for word in words]
    if names and names[0] in _LAUNCHERS:
        # The last one: a container may have the name too, but not as the value of a flag: --name kubelet.
        positions = (
            at for at in reversed(range(len(words))) if names[at] == _NAME and not _is_flag(words[at - 1])
        )
        return words[next(positions, len(words)) :] or ("",)
    # Whatever else starts a kubelet is given it first: kubenswrapper of OpenShift, and hyperkube.
    before = sum(1 for _ in takewhile(lambda word: word == "--" or not word.startswith("-"), words))
    if _NAME in names[:before]:
        at = before - 1 - names[:before][::-1].index(_NAME)
        is_program = is_called_otherwise and at == 0
        return (words[0], *words[2:]) if is_program else words[at:]
    return words or ("",)


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
    if text.startswith("$") and text[1:2] not in ("{", "$", ""):
        held = variables.get(text[1:], UnitArgument("", source))
        yield from (UnitArgument(word, held.source) for word in split(held.text))
        return
    pieces, length, after = list[str](), 0, 0
    for match in _REFERENCE.finditer(text):
        value = "$" if match[1] is None else variables.get(match[1], UnitArgument("", source)).text
        pieces += text[after : match.start()], value
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
    return dict(_assignments(text))


def _assignments(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names and values of a file of variables (systemd, basic/env-file.c)."""
    place = 0
    while key := _KEY.search(text, place):
        place, parts = key.end(), list[str]()
        while quoted := _QUOTED.match(text, place):
            single, double = quoted.groups()
            parts.append(_IN_DOUBLE.sub(r"\1", double) if single is None else single)
            place = quoted.end()
        end = _UNQUOTED.match(text, place).end()  # type: ignore[union-attr]  # matches always
        tail, place = text[place:end].strip(), end
        # A quote without an end: the collector left out the word that has it.
        tail = tail[1:] if tail[:1] in ("'", '"') else tail
        parts.append(_ESCAPE.sub(lambda match: "" if match[1] == "\n" else match[1], tail))
        yield key[1].strip(), "".join(parts)


def _in_unit(escape: re.Match[str]) -> str:
    """Return what an escape in a unit stands for; systemd keeps what it does not know."""
    code = escape[1]
    if len(code) > 1:
        return chr(int(code[1:], 16) if code[0] == "x" else int(code, 8))
    return _ESCAPED.get(code, escape[0])


def _as_written(escape: re.Match[str]) -> str:
    """Return what is behind a backslash in the value of a variable."""
    return escape[1]


def _split(text: str, unescape: Callable[[re.Match[str]], str] = _in_unit) -> tuple[str, ...]:
    """Split a text into words as systemd does, in linear time (systemd, basic/extract-word.c).

    A line in which a quote has no end, which systemd refuses, is read word by word.
    """
    words, place = list[str](), 0
    while (place := _SPACES.match(text, place).end()) < len(text):  # type: ignore[union-attr]  # matches always
        word = _WORD.match(text, place)
        if word is None:
            return tuple(text.split())
        words.append(
            _PIECE.sub(lambda piece: _ESCAPE.sub(unescape, "".join(filter(None, piece.groups()))), word[0])
        )
        place = word.end()
    return tuple(words)


def _lines(dump: Dump) -> Iterator[_Line]:
    """Yield the assignments of the unit and then of its drop-ins, as systemd orders them."""
    files = {probe.name for probe in dump.of_kind("file") if probe.text is not None or probe.problem}
    _check_drop_ins(dump)
    for path in in_order(KUBELET_UNIT, files):
        section = ""
        for row in _whole_lines(dump.read("file", path)):
            key, equals, value = row.partition("=")
            if row.startswith("["):
                section = row
            elif equals and section in ("", "[Service]"):
                yield _Line(key.strip(), value.strip(), path)


def _whole_lines(text: str) -> Iterator[str]:
    """Yield the lines of a unit, each with those that continue it; comments are left out between them too."""
    held = list[str]()
    for row in _BREAK.split(text.removeprefix("\ufeff")):
        if row.lstrip().startswith(("#", ";")):
            continue
        goes_on = (len(row) - len(row.rstrip("\\"))) % 2
        held.append(row[:-1] if goes_on else row)
        if not goes_on:
            yield " ".join(held).strip()
            held.clear()
    yield " ".join(held).strip()


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
