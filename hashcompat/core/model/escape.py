"""Text that no name can fake, and what is shown of a container at all.

What nobody sees is escaped, names are one word, and things are counted. Of a container names, words and
numbers are shown; every other text may be a secret and is hidden.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final, NamedTuple

from hashcompat.core import shown
from hashcompat.core.regex import regex

UTF_8: Final = "utf-8"

_BLANK: Final = regex("[\u115f-\u11ff\u2800\u3164\ud7b0-\ud7ff\uffa0\U0001d159]")
"""Letters and symbols without a picture of their own: Hangul fillers and vowels, the empty Braille cell."""

_RIGHT_TO_LEFT: Final = frozenset({"R", "AL", "AN"})
"""Bidirectional classes of Unicode's UAX #9; a terminal reorders what is next to them, columns included."""

_INSIDE: Final = regex(r"#(?=#\w*\[)")
"""How a command begins that CI runners obey anywhere in a line: ``##[error]``, ``##vso[a.b]``.

Source: TryParse in ActionCommand.cs of actions/runner and in Command.cs of microsoft/azure-pipelines-agent.
"""

_FIRST: Final = regex(r"^( *):(?=:)")
"""How a line begins that GitHub's runner obeys, ``::error::``, also after white space (TryParseV2)."""

_OBEYED: Final = regex(rf"(?:^|(?<=[\r\n]))(?P<space>[^\S\r\n]*):(?=:)|{_INSIDE.pattern}")
"""Either of them in a text of several lines."""

_ODD: Final = regex(r"[^ -~\s]")

_SPECIAL: Final = regex(r'[ "\\]|^::')

_SPACES: Final = regex("^ | (?= )| $")


def is_visible(char: str) -> bool:
    """Return whether a character is one that people see, alone and where it is written.

    Not control, format, private or unassigned characters, white space other than a space, surrogates, marks
    that change the character before them (variation selectors too), blank ones, and those that are written
    from right to left.
    """
    return (
        char.isprintable()
        and unicodedata.category(char)[0] != "M"
        and unicodedata.bidirectional(char) not in _RIGHT_TO_LEFT
        and not _BLANK.match(char)
    )


def printable(text: str, encoding: str = UTF_8) -> str:
    """Escape what is not visible, line breaks included, what the encoding lacks, and ``##[``.

    A CI runner obeys that anywhere in what it shows; see ``unobeyed``.
    """
    if "##" in text:
        text = _INSIDE.sub(r"\\x23", text)
    if not (text.isascii() and text.isprintable()):
        text = "".join(char if is_visible(char) else char.encode("unicode_escape").decode() for char in text)
    return text if encoding == UTF_8 else text.encode(encoding, "backslashreplace").decode(encoding)


class Escapes(NamedTuple):
    """What stands for two characters in a form of text, with which commands of CI runners begin."""

    number_sign: str = r"\x23"
    colon: str = r"\x3a"


IN_TEXT: Final = Escapes()

IN_JSON: Final = Escapes(r"\u0023", r"\u003a")

IN_XML: Final = Escapes("&#35;", "&#58;")


def unobeyed(pieces: Iterable[str], escapes: Escapes = IN_TEXT) -> Iterator[str]:
    """Yield a text, whose pieces need not be lines, so that a CI runner obeys no line of it.

    Names are escaped one by one before; this is for what several of them are together, and for what follows
    an indent. Of a text that needs no escape every character stays.
    """
    line: list[str] = []
    for piece in pieces:
        end = max(piece.rfind("\n"), piece.rfind("\r")) + 1
        if end:
            yield disarmed("".join([*line, piece[:end]]), escapes)
            line = [piece[end:]] if piece[end:] else []
        else:
            line.append(piece)
    yield disarmed("".join(line), escapes)


def disarmed(text: str, escapes: Escapes = IN_TEXT) -> str:
    """Return whole lines with the first character of each command of a CI runner escaped."""

    def escape(match: re.Match[str]) -> str:
        space = match["space"]
        return escapes.number_sign if space is None else f"{space}{escapes.colon}"

    return _OBEYED.sub(escape, text) if is_obeyed(text) else text


def is_obeyed(text: str) -> bool:
    """Return whether a CI runner would obey a line of a text in which everything is visible."""
    return ("##" in text or "::" in text) and _OBEYED.search(text) is not None


def is_obeyed_unescaped(text: str) -> bool:
    """Return whether a CI runner would obey a line of a text in which any character may be.

    .NET compares by the rules of a culture, which pass over characters that nobody sees. Whatever some reader
    of lines may take as the end of one is an end.
    """
    seen = _ODD.sub(lambda match: match[0] if is_visible(match[0]) else "", text)
    return is_obeyed("\n".join(seen.splitlines()))


def distinct(text: str, encoding: str = UTF_8) -> str:
    """Escape as ``printable`` does, and double each backslash, so that no two texts become one.

    It begins no command of a CI runner.
    """
    return _FIRST.sub(r"\1\\x3a", printable(text.replace("\\", r"\\"), encoding))


def prose(text: str, encoding: str = UTF_8) -> str:
    """Escape a text as ``printable`` does, and spaces that could pass for the gap between two columns."""
    return _FIRST.sub(r"\\x3a", _SPACES.sub(r"\\x20", printable(text, encoding)))


def word(text: str, encoding: str = UTF_8, special: re.Pattern[str] = _SPECIAL) -> str:
    """Return a name as one word: bare, or in quotes where it could pass for something else.

    Quoted are an empty name, ``-``, and what holds a space, a quote, a backslash or an escape. Within the
    quotes spaces are escaped, so that a word is one for awk too.
    """
    shown = printable(text, encoding)
    if shown == text and text not in ("", "-") and not special.search(text):
        return text
    inner = text.replace("\\", r"\\").replace('"', r"\"")
    return '"' + printable(inner, encoding).replace(" ", r"\x20") + '"'


_IN_PATH: Final = regex(r'[ "\\/]|^::')

_ORDINARY_PATH: Final = regex("[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*")
"""A path without a quoted name, recognised at once: long lists consist of these."""


def name_path(*names: str) -> str:
    """Join names with slashes, ``NAMESPACE/POD/CONTAINER``; one that could pass for two is quoted."""
    path = "/".join(names)
    if _ORDINARY_PATH.fullmatch(path) and path.count("/") == len(names) - 1:
        return path
    return "/".join(word(name, special=_IN_PATH) if name else "" for name in names)


def owner_path(namespace: str, owner: str) -> str:
    """Return an owner, ``Deployment/web``, below its namespace: ``NAMESPACE/Deployment/web``."""
    return name_path(namespace, *owner.split("/", 1))


# Numbers in sentences: one way to count things, for every message.


def some(names: Iterable[str], most: int) -> str:
    """Join the first names, each once, and say how many more there are: ``a, b and 3 more``."""
    unique = list(dict.fromkeys(names))
    more = f" and {len(unique) - most} more" if len(unique) > most else ""
    return ", ".join(unique[:most]) + more


def few(names: Sequence[str], most: int) -> str:
    """List the first names, and how many more there are: ``a, b, 3 more``."""
    more = [f"{len(names) - most} more"] if len(names) > most else []
    return ", ".join([*names[:most], *more])


def count(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural where it is not one: ``1 pod``, ``0 hashes``."""
    ending = "" if number == 1 else "es" if noun.endswith(("ch", "sh")) else "s"
    return f"{number} {noun}{ending}"


def agree(number: int, verb: str) -> str:
    """Return a regular verb as it goes with so many subjects: one ``restarts``, two ``restart``."""
    return f"{verb}s" if number == 1 else verb


def are(number: int) -> str:
    """Return ``is`` for one of something, ``are`` for any other number."""
    return "is" if number == 1 else "are"


def never_compared(number: int) -> str:
    """Return what follows a number of running containers: how many more no kubelet compares; or nothing."""
    return f"; {number} more {are(number)} never compared" if number else ""


# What is shown of a container.

MASK: Final = shown.MASK

_DEEPEST: Final = 50
"""Levels; no Go type below Container is nearly as deep, so decoding drops what is deeper."""

_NAME: Final = re.compile(r"[A-Za-z0-9_./'\[\]-]*")
"""Names, words and paths of fields; what has ``=``, ``:`` or ``@`` in it may be more than a name."""

_PORT: Final = re.compile(r"[0-9]{1,5}|(?=[a-z0-9-]{1,15}\Z)[a-z0-9-]*[a-z][a-z0-9-]*")
"""A port by its number or its name (IANA_SVC_NAME)."""

_QUANTITIES: Final = ("resources.limits.", "resources.requests.")
"""Below these every text is an amount; the keys are names of resources."""

_HANDLERS: Final = (
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle.postStart",
    "lifecycle.preStop",
)

_OF_HANDLERS: Final = ("httpGet.httpHeaders.name", "httpGet.scheme", "httpGet.protocol", "grpc.mode")

_NAMES: Final = (
    "imagePullPolicy",
    "env.name",
    "env.valueFrom.configMapKeyRef.key",
    "env.valueFrom.configMapKeyRef.name",
    "env.valueFrom.fieldRef.apiVersion",
    "env.valueFrom.fieldRef.fieldPath",
    "env.valueFrom.fileKeyRef.key",
    "env.valueFrom.fileKeyRef.volumeName",
    "env.valueFrom.resourceFieldRef.containerName",
    "env.valueFrom.resourceFieldRef.resource",
    "env.valueFrom.secretKeyRef.key",
    "env.valueFrom.secretKeyRef.name",
    "envFrom.configMapRef.name",
    "envFrom.prefix",
    "envFrom.secretRef.name",
    "lifecycle.stopSignal",
    "ports.name",
    "ports.protocol",
    "resizePolicy.resourceName",
    "resizePolicy.restartPolicy",
    "resources.claims.name",
    "resources.claims.request",
    "restartPolicy",
    "restartPolicyRules.action",
    "restartPolicyRules.exitCodes.operator",
    "securityContext.appArmorProfile.type",
    "securityContext.capabilities.add",
    "securityContext.capabilities.drop",
    "securityContext.procMount",
    "securityContext.seccompProfile.type",
    "securityContext.windowsOptions.gmsaCredentialSpecName",
    "terminationMessagePolicy",
    "volumeDevices.name",
    "volumeMounts.mountPropagation",
    "volumeMounts.name",
    "volumeMounts.recursiveReadOnly",
    *map(".".join, product(_HANDLERS, _OF_HANDLERS)),
)

_PATHS: Final = (
    "env.valueFrom.fileKeyRef.path",
    "terminationMessagePath",
    "volumeDevices.devicePath",
    "volumeMounts.mountPath",
    "volumeMounts.subPath",
    "volumeMounts.subPathExpr",
    "workingDir",
    *(f"{handler}.httpGet.path" for handler in _HANDLERS),
)

_PORTS: Final = tuple(map(".".join, product(_HANDLERS, ("httpGet.port", "tcpSocket.port"))))


def masked(container: Mapping[str, Any]) -> dict[str, Any]:
    """Return the container's JSON, every text hidden that may be a secret; a hidden one is ``***``.

    The structure, numbers and truth values stay, and so do names. Of images user and password are hidden, of
    paths what is not made of usual words.
    """
    result: dict[str, Any] = _masked(container, "", 0)
    return result


def _masked(value: Any, path: str, depth: int) -> Any:
    if depth > _DEEPEST:
        return None
    if isinstance(value, Mapping):
        return {key: _masked(item, f"{path}.{key}".lstrip("."), depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_masked(item, path, depth + 1) for item in value]
    if not isinstance(value, str) or path.startswith(_QUANTITIES):
        return value
    return _SHOWN[path](value) if path in _SHOWN else MASK


def _where(pattern: re.Pattern[str]) -> Callable[[str], str]:
    """Show a text that is of a form."""
    return lambda value: value if pattern.fullmatch(value) else MASK


_SHOWN: Final[Mapping[str, Callable[[str], str]]] = {
    **dict.fromkeys(_NAMES, _where(_NAME)),
    **dict.fromkeys(_PATHS, shown.path),
    **dict.fromkeys(_PORTS, _where(_PORT)),
    "image": shown.image,
    "name": str,
    "env.valueFrom.resourceFieldRef.divisor": str,
}
"""What is shown of a text, by its place; elsewhere nothing is."""
