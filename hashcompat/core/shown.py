"""What is shown of a text that may hold a secret: an image, a path, a URL, what another program says."""

from __future__ import annotations

import re
from typing import Final

from hashcompat.core.regex import regex

MASK: Final = "***"

_DIGEST: Final = regex(r"@(?:sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128})\Z")

_REFERENCE: Final = regex(r"[A-Za-z0-9._:/\[\]-]*")

_WITH_USER: Final = regex(r"(?:[A-Za-z][A-Za-z0-9+.-]*://)?[^/]*@([A-Za-z0-9._:\[\]-]+/[A-Za-z0-9._:/-]+)")
"""A reference with user and password, or whatever else precedes the ``@``."""

_USUAL: Final = """
    actuator alive api apis app apps bin cache check checks common conf config configs current data
    default dev env etc file files get health healthcheck healthy healthz home hooks html http index
    info internal io json kubernetes lib live liveness livez local log logs management metrics microk8s
    mnt net opt php ping pods probe proc prometheus readiness ready readyz root run secrets
    serviceaccount share shm snap srv start started startup startupz state static status stop sys system
    termination tmp tokens txt up usr var version versions volumes web work workspace www xml
"""

_WORDS: Final = frozenset(_USUAL.split())
"""The parts of a path that consist of these are shown: usual words, so that none can be a secret."""

_VERSION: Final = regex(r"v[0-9]{1,2}(?:(?:alpha|beta)[0-9]{1,2})?")

_LONGEST: Final = 4096
"""Characters that are shown of what another program says, so that the time for it has an end."""

_HOST: Final = regex(r"[A-Za-z0-9._~%+*-]*(?::[0-9]*)?|\[[0-9A-Fa-f:.%]+\](?::[0-9]*)?")

_URL: Final = regex(r"(?<![A-Za-z0-9+.-])[A-Za-z0-9+.-]+:/[^\s\"'`<>\\]*")
"""A URL, also one that was read as a path, which has one slash."""

_SCHEME: Final = regex(r"[^/]*:(?://?)?")

_RUN: Final = regex(r"[A-Za-z0-9+_=~-]{8,}")

_UUID: Final = regex(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")

_NAME: Final = regex(r"[^=@:]{0,253}")

_UID: Final = regex(r"[0-9a-f-]{32,36}")
"""That of a pod of an API server, or of a static pod, which is a digest."""

_PRIVATE: Final = "token|passw|pwd|secret|credential|cookie|session|signature|authorization|api_?-?key"

_QUOTING: Final = "pars(?:e|ing)|port|userinfo|value|string|argument|literal|data|input|text|line"

_VALUE: Final = r"""(?:\\"(?:[^"\\]|\\[^"])*(?:\\")?|"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s"',;)\\]+)"""

_OF_LOGS: Final = "msg|err|error|level|time|code|desc|reason|status|type"
"""Keys of logrus and klog, whose values are words."""

_SAID: Final = (
    (regex(r"(?i)\b(bearer|basic) +(?!token\b|auth)[^\s\"',;]+"), rf"\1 {MASK}"),
    (
        regex(
            rf"(?i)((?:{_PRIVATE})[\w.-]{{0,40}}\\?[\"']? ?[:=] ?)"
            rf"(?:bearer +|basic +)?{_VALUE}"
        ),
        rf"\1{MASK}",
    ),
    (regex(rf"((?<![\w.-])(?!(?:{_OF_LOGS})=)[\w.-]+=)(?!=){_VALUE}"), rf"\1{MASK}"),
    (regex(r"`[^`]*`?"), f"`{MASK}`"),
    (regex(rf"(?i)\b((?:{_QUOTING}) \\?\")(?![^\"\\]*://)[^\"\\]+"), rf"\1{MASK}"),
)
"""Where the words of a message may quote a secret, and what is shown instead."""


def image(text: str) -> str:
    """Return an image without user and password; nothing of one that does not parse besides."""
    digest = _DIGEST.search(text)
    name = text[: digest.start()] if digest else text
    end = digest[0] if digest else ""
    if _REFERENCE.fullmatch(name):
        return text
    match = _WITH_USER.fullmatch(name)
    return f"{MASK}@{match[1]}{end}" if match else MASK


def path(text: str) -> str:
    """Return a path of usual words: every other part of it, its query and its fragment are hidden."""
    place, mark, _ = _cut(text)
    shown = "/".join(part if _is_usual(part) else MASK for part in place.split("/"))
    return f"{shown}{mark and mark + MASK}"


def _cut(text: str) -> tuple[str, str, str]:
    """Cut a URL at its query or fragment."""
    match = re.search("[?#]", text)
    return (text[: match.start()], match[0], text[match.end() :]) if match else (text, "", "")


def _is_usual(part: str) -> bool:
    return all(word in _WORDS or not word or _VERSION.fullmatch(word) for word in re.split("[-_.]", part))


def url(text: str) -> str:
    """Return a URL without user, password and query; parts of its path that look generated are hidden."""
    match = _SCHEME.match(text)
    scheme = match[0] if match else ""
    rest = text[len(scheme) :]
    place, slash, more = _cut(rest)[0].partition("/")
    host = place.rpartition("@")[2]
    after = rest[len(place) :]
    may_hold_another = "@" in after and (":" in place or "://" in rest or not host)
    if not _HOST.fullmatch(host) or may_hold_another:
        return f"{scheme}{MASK}"
    parts = (MASK if looks_generated(part) else part for part in more.split("/"))
    return f"{scheme}{host}{slash}{'/'.join(parts)}"


def urls(text: str) -> str:
    """Return a text, its URLs without user, password and query."""
    return _URL.sub(lambda match: _url_in_text(match[0]), text) if ":/" in text else text


def _url_in_text(text: str) -> str:
    """Return a URL within a sentence, whose comma or full stop is no part of it if nothing is hidden then."""
    bare = text.rstrip(",;:.)")
    return text if url(bare) == bare else url(text)


def name(text: str) -> str:
    """Return a key as a message shows it: what is not a name, or looks generated, is hidden."""
    return text if _NAME.fullmatch(text) and not looks_generated(text) else MASK


def uid(text: str) -> str:
    """Return a pod's UID as a file has it; what is none is shown as a name is."""
    return text if _UID.fullmatch(text) else name(text)


def said(text: str) -> str:
    """Return what another program says, which may quote what it was given, without what may be a secret.

    Hidden are user, password and query of URLs, values that are assigned to names, what follows ``Bearer``,
    what Go quotes of a value that it cannot read, and words that look generated.
    """
    text = urls(text[:_LONGEST])
    for pattern, shown in _SAID:
        text = pattern.sub(shown, text)
    return _RUN.sub(lambda match: MASK if looks_generated(match[0]) else match[0], text)


def looks_generated(text: str) -> bool:
    """Return whether a text may be a token, a key or a digest, rather than words or a name of Kubernetes."""
    return any(_is_generated(match[0]) for match in _RUN.finditer(text))


def _is_generated(run: str) -> bool:
    if _UUID.search(run) or _kinds(run) == (True, True, True):
        return True
    for part in re.split("[+_=~-]", run):
        lower, upper, digit = _kinds(part)
        if digit and ((upper and len(part) >= 8) or (lower and len(part) >= 16)):
            return True
    return False


def _kinds(text: str) -> tuple[bool, bool, bool]:
    """Return whether there are small letters, capitals and digits in a text."""
    return tuple(re.search(kind, text) is not None for kind in ("[a-z]", "[A-Z]", "[0-9]"))  # type: ignore[return-value]
