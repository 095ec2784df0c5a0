"""Refuses feature gates with which a kubelet or an API server of the upgrade would not start."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final

from hashcompat.catalog.lookup import Catalog
from hashcompat.errors import UsageError
from hashcompat.planning.options import Options

_FLAG: Final = "--feature-gates"


def check_gates(options: Options, names: Iterable[str], catalog: Catalog) -> None:
    """Raise UsageError, with the reason, for feature gates that cannot be set as the options say.

    ``names`` are the releases of the kubelets; an API server that the options do not name is of the same.
    Some kubelet or API server has to know a gate; one that lacks it is taken to run without it.
    """
    if both := options.gates & options.gates_off:
        raise UsageError(f"{_FLAG}: {', '.join(sorted(both))} cannot be both true and false")
    if not options.gate_settings:
        return
    every = filter(None, (*names, options.apiserver, options.apiserver_to))
    kubelets = list(dict.fromkeys(catalog.kubelet(name, options.gate_settings) for name in every))
    known = set(chain.from_iterable(catalog.gate_table.known_to(kubelet.release) for kubelet in kubelets))
    for name, _ in sorted(options.gate_settings):
        if name not in known:
            raise UsageError(_unknown(name, sorted(known), [str(kubelet.release) for kubelet in kubelets]))
    for kubelet in kubelets:
        for refusal in kubelet.gates.refusals():
            raise UsageError(f"{_FLAG}: {refusal}: it would not start with these gates")


def _unknown(name: str, known: Sequence[str], releases: Sequence[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - few upgrades name a wrong gate

    where = "neither " + " nor ".join(releases) if len(releases) > 1 else f"{releases[0]} does not"
    verb = "has" if len(releases) > 1 else "have"
    alike = {gate.lower(): gate for gate in known}
    near = [alike[found] for found in get_close_matches(name.lower(), alike, n=3)]
    hint = f"; the nearest: {', '.join(near)}" if near else ""
    return f"{_FLAG}: {where} {verb} a feature gate {name!r}{hint}"
