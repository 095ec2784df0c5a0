"""What a file is that holds no pods: text that kubectl prints for people, a document of this program.

The first error about such a file names it, with the command that saves what is read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from hashcompat.core.errors import InputError
from hashcompat.core.model.documents import API_VERSION
from hashcompat.core.regex import regex

SAVE: Final = "kubectl get nodes,pods -A -o json > cluster.json"
"""The command that saves what plans are made of."""

_STDERR: Final = regex(r"(?:(?:Warning: |[IWEF]\d{4} \d\d:\d\d:\d\d)[^\n]*(?:\n|\Z))+")
"""Lines that kubectl prints beside its result: warnings of the API server, and its own log (klog)."""
_TEXTS: Final = (
    (
        regex(r"(?:NAMESPACE +)?NAME +[A-Z][A-Z0-9 ()-]*\r?(?:\n|\Z)"),
        "a table of kubectl, which lacks most of each pod",
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
        "an error message in place of objects; run its command again until it succeeds",
    ),
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


def refusal(documents: Iterable[tuple[str, str]], nodes: int, *, empty: bool) -> str:
    """Return what files without any pod hold instead, and what to do.

    ``documents`` are the apiVersion and the kind of each document, ``empty`` is whether all are lists
    without an element.
    """
    every = dict.fromkeys(documents)
    own = [kind for api, kind in every if api == API_VERSION]
    if own:
        return _SAVED.get(own[0], f"a {own[0]} of hashcompat, not pods") + f"; pods are saved by {SAVE}"
    if empty:
        return (
            "no pods in the input: an empty list, as kubectl prints where it finds nothing; "
            f"-A asks for all namespaces: {SAVE}"
        )
    if nodes:
        return f"no pods in the input, only nodes; save both: {SAVE}"
    return "no pods in the input; give a file with pods or pod templates"
