"""What a file is that holds no pods: text that kubectl prints for people, a document of this program.

The first error about such a file names it, with the command that saves what is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from hashcompat.core.errors import InputError
from hashcompat.core.model.documents import API_VERSION
from hashcompat.core.model.escape import word
from hashcompat.core.regex import regex
from hashcompat.sources.content import Decoded, too_long
from hashcompat.sources.objects import REFUSED, SAVE

_STDERR: Final = regex(r"(?:(?:Warning: |[IWEF]\d{4} \d\d:\d\d:\d\d)[^\n]*(?:\n|\Z))+")
"""Lines that kubectl prints beside its result: warnings of the API server, and its own log (klog)."""
_TABLE: Final = "a table of kubectl, which lacks most of each pod"
_REPORT: Final = "a report of hashcompat, not pods"
_TEXTS: Final = (
    (regex(r"[A-Z][A-Z-]+(?:\([a-z]+\))?(?: +[A-Z(][A-Z0-9()%-]*(?:\([a-z]+\))?)+ *\r?(?:\n|\Z)"), _TABLE),
    # without its head: [NAMESPACE] NAME READY STATUS, or NAME STATUS of nodes
    (regex(r"(?:[a-z0-9.-]+ +){1,2}\d+/\d+ +[A-Z]|[a-z0-9.-]+ +(?:Not)?Ready[ ,]"), _TABLE),
    (
        regex(r"(?:[A-Z][A-Z -]+,){3}|(?:\d+ of \d+|The only|All \d+) running container|Nothing restarts"),
        _REPORT,
    ),
    (
        regex(r"Name: {2,}\S[^\n]*\n(?:[A-Z][A-Za-z ]*: [^\n]*\n)*?(?:Namespace|Roles|Labels|Annotations):"),
        "text of kubectl describe, which lacks parts of each pod",
    ),
    (
        regex(r"(?:pod|node|[a-z]+(?:\.[a-z0-9-]+)*)/[a-z0-9.-]+\r?(?:\n|\Z)"),
        "names of objects, as kubectl -o name prints them",
    ),
    (regex(r"No resources found"), "what kubectl prints where it finds nothing"),
    (
        regex(
            r"Error from server|error: |Unable to connect to the server|The connection to the server "
            r"|Unable to connect|Error: |Error in configuration"
        ),
        REFUSED,
    ),
    (regex(r'(?is)<!doctype html>.*?<meta name="hashcompat"'), _REPORT),
    (regex(r"(?i)<!doctype html|<html"), "a page of HTML, such as a login"),
)
"""The beginnings of texts that are no objects, and what they are."""


def refuse_text(head: str) -> None:
    """Raise InputError for the beginning of a file that is text of a command, not objects of Kubernetes."""
    head = head.lstrip("\r\n ")
    beside = _STDERR.match(head)
    rest = head[beside.end() :] if beside else head
    for pattern, what in _TEXTS:
        if pattern.match(rest):
            raise InputError(f"{what}; save objects: {SAVE}")
    if beside and not rest.strip():
        raise InputError(f"only what kubectl printed on stderr; save its stdout: {SAVE}")
    if beside:
        lines = beside[0].count("\n")
        which = "line 1 is" if lines == 1 else f"lines 1 - {lines} are"
        raise InputError(
            f"{which} of kubectl's stderr, not of its objects; save stdout alone, without 2>&1: {SAVE}"
        )


_SAVED: Final = {
    "RestartPlan": "a saved plan, not the pods of one; hashcompat gate --plan FILE judges it, and "
    "hashcompat convert FILE -o table shows it",
    "RolloutState": "the state of a rollout, which hashcompat gate --state FILE takes",
    "PreflightReport": "a saved preflight, which hashcompat gate --preflight FILE takes",
    "Normalization": "a saved normalization, which hashcompat normalize apply FILE takes",
}
"""The documents of this program that are read again, and by which command."""
_SHOWN: Final = 3
"""Kinds that are named."""


def refusal(documents: Iterable[tuple[str, str]], nodes: int, *, empty: bool) -> str:
    """Return what files without any pod hold instead, and what to do.

    ``documents`` are the apiVersion and the kind of each document, ``empty`` is whether all are lists
    without an element.
    """
    heads = dict.fromkeys(documents)
    own = [kind for api, kind in heads if api == API_VERSION]
    if own:
        article = "an" if own[0][:1] in "AEIOU" else "a"
        what = _SAVED.get(own[0], f"{article} {own[0]} of hashcompat, not pods")
        return f"{what}; pods are saved by {SAVE}"
    if heads == {("v1", "Config"): None}:
        return "a kubeconfig, not pods; --kubeconfig FILE reads the cluster that it names"
    if empty:
        return (
            "no pods in the input: an empty list, as kubectl prints where it finds nothing; "
            f"-A asks for all namespaces: {SAVE}"
        )
    if nodes:
        return f"no pods in the input, only nodes; save both: {SAVE}"
    kinds = list(dict.fromkeys(word(kind) for _, kind in heads if kind not in ("", "List")))
    named = ", ".join(kinds[:_SHOWN]) + " and others" * (len(kinds) > _SHOWN)
    held = f", only objects of kind{'s' * (len(kinds) > 1)} {named}" if kinds else ""
    return f"no pods in the input{held}; give a file with pods or pod templates"


# ``kubectl cluster-info dump`` without a directory prints the lists of a cluster and, behind the pods of each
# namespace, the logs of its containers. What is in a log was written by whoever runs there: a text that looks
# like the end of its section, and then like objects, must not be read as what the API server said. So each
# section is of a container that none was of before, ends with the line that names it and has no other such
# line in it, and no end is without a beginning: whatever a log fakes, one of its lines is then too many.
# Source: k8s.io/kubectl pkg/cmd/clusterinfo/clusterinfo_dump.go, 1.4 - 1.37.

_BEGIN: Final = "==== START logs for container "
_END: Final = "==== END logs for container "
_SIGN: Final = "\n===="
_MARK: Final = regex(r"^==== (START|END) logs for container (\S+ of pod \S+) ====\r?$", re.MULTILINE)
_LONGEST_MARK: Final = 1 << 10
"""Characters of such a line: names of objects have up to 253."""
_MOST_LOGS: Final = 1_000_000
"""Sections, each with a name of 100 bytes: several times the containers of the largest cluster."""


def without_logs(texts: Decoded) -> Decoded:
    """Yield the texts without the logs of containers, but with their line breaks.

    Raises InputError for logs that do not end, or that may have been written to look like objects.
    """
    logs, rest = _Logs(), ""
    for text, plain in texts:
        text = rest + text if rest else text  # noqa: PLW2901 - with what was left of the last one
        kept, rest = logs.without(text)
        if kept:
            yield kept, plain
    kept, rest = logs.without(rest, last=True)
    if kept:
        yield kept, False


def _unclear(text: str) -> str:
    """Return the end of a text where the next one may make such a line of it."""
    for length in range(min(len(text), len(_BEGIN) - 1), 0, -1):
        if _BEGIN.startswith(text[-length:]) or _END.startswith(text[-length:]):
            return text[-length:]
    return ""


def _doubted(container: str) -> InputError:
    return InputError(f"the logs of container {container} may be written to look like objects; save {SAVE}")


class _Logs:
    """Sections of logs, by the names of their containers."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._open = ""  # the container whose log goes on
        self._at_line = True  # whether the next text begins a line

    def without(self, text: str, *, last: bool = False) -> tuple[str, str]:
        """Return what of a text is no log, and its end that only the next text explains."""
        kept = list[str]()
        while True:
            if self._open:
                breaks, text = self._skipped(text, last=last)
                kept.append(breaks)
                if self._open:
                    break
            place = self._next(text)
            self._check(text if place < 0 else text[:place])
            if place < 0:
                rest = "" if last else _unclear(text)
                kept.append(text[: len(text) - len(rest)])
                self._at_line = kept[-1].endswith("\n") if kept[-1] else self._at_line
                return "".join(kept), rest
            kept.append(text[:place])
            text = text[place:]
            line = _MARK.match(text) if "\n" in text[:_LONGEST_MARK] or last else None
            if line is None:
                if not last and len(text) < _LONGEST_MARK:
                    self._at_line = True
                    return "".join(kept), text
                raise InputError("a line that begins like logs of a container, but is none of kubectl's")
            self._begin(line[1], line[2])
            text = text[line.end() :]
        return "".join(kept), text

    def _next(self, text: str) -> int:
        """Return where the next line is that looks like a beginning or an end; -1 without one."""
        if self._at_line and text.startswith((_BEGIN, _END)):
            return 0
        if _SIGN not in text:  # which is found much faster, and in most files nothing is
            return -1
        places = [place for mark in (_BEGIN, _END) if (place := text.find(f"\n{mark}")) >= 0]
        return min(places) + 1 if places else -1

    def _check(self, kept: str) -> None:
        """Raise InputError for an end that is left over, be it within a line."""
        if self._seen and _END in kept:
            raise _doubted(kept.partition(_END)[2].partition(" ====")[0][:_LONGEST_MARK])

    def _begin(self, what: str, container: str) -> None:
        if what == "END" or container in self._seen:
            raise _doubted(container)
        if len(self._seen) >= _MOST_LOGS:
            raise too_long("logs", _MOST_LOGS, f"save {SAVE}")
        self._seen.add(container)
        self._open = container

    def _skipped(self, text: str, *, last: bool) -> tuple[str, str]:
        """Skip a log as far as it goes; return its line breaks, and what follows."""
        end = f"{_END}{self._open} ===="
        place = text.find(_END)
        begin = text.find(_BEGIN)
        if begin >= 0 and not 0 <= place < begin:
            raise _doubted(self._open)
        if place >= 0 and text.startswith(end, place):
            self._open, self._at_line = "", False
            return "\n" * text.count("\n", 0, place), text[place + len(end) :]
        if last:
            raise InputError(f"the logs of container {self._open} do not end; is the file cut short?")
        if place >= 0 and not end.startswith(text[place:]):
            raise _doubted(self._open)
        left = text[place:] if place >= 0 else text[max(0, len(text) - len(end)) :]
        return "\n" * text.count("\n", 0, len(text) - len(left)), left
