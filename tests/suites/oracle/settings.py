"""Random settings of kubelets: a configuration file and flags, with values at the edges."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, Final

from hashcompat.core.catalog.kubeletsettings import Bounds, ValueRow
from hashcompat.core.catalog.lookup import Kubelet, default_catalog
from hashcompat.core.release import Release

LEFT: Final = frozenset(
    {
        "failCgroupV1",
        "singleProcessOOMKill",
        "showHiddenMetricsForVersion",
        "staticPodURLHeader",
        "tlsCurvePreferences",
    }
)
"""Fields that are not compared: the host decides about two, the version with which a program is linked about
one, and a kubelet looks at others later."""

OTHERS: Final = (
    *("config", "config-dir", "kubeconfig", "bootstrap-kubeconfig", "help", "version"),
    "fail-cgroupv1",
)
"""Flags that name files, end the program before anything is judged, or are judged by the host."""

OF_LIBRARIES: Final[Mapping[str, str]] = {"v": "logging.verbosity"}
"""Flags that libraries register, which the programs are built without, until a file has a field for it."""

_NUMBERS: Final = (-1001, -2, -1, 0, 1, 2, 3, 10, 31, 32, 100, 101, 1000, 1001, 65535, 65536, 131072)

_WIDE: Final = tuple(
    sign * (1 << bits) + near for bits in (31, 32, 63, 64) for sign in (1, -1) for near in (-1, 0)
)
"""Numbers at the limits of Go's types."""

_DURATIONS: Final = ("-1s", "0s", "1us", "999us", "1ms", "999ms", "1s", "2999ms", "3s", "100ms", "5m", "301s")

_VALUES: Final[Mapping[str, tuple[Any, ...]]] = {
    "bool": (True, False),
    "int": _NUMBERS,
    "float": (-0.5, 0, 0.5, 0.9, 1, 1.5),
    "duration": _DURATIONS,
    "string": ("", "nonsense", "/a"),
    "list": ([], ["nonsense"], ["nonsense", "nonsense"]),
    "map": ({}, {"nonsense": "1"}, {"memory": "100Mi"}),
    "quantity": ("1", "100Mi"),
    "time": (None,),
    "object": ({},),
}

_KEYS: Final = ("a", "a.b/c", "a b", "", "A_/c", "a/b/c", "a-", "kubernetes.io/os", "x.k8s.io/a")
_LABELED: Final = ("", "b", "b", "b b", "-", "b=b", "x" * 63, "x" * 64)
_EFFECTS: Final = ("NoSchedule", "NoSchedule", "PreferNoSchedule", "NoExecute", "", "Nonsense")
_RESERVED: Final = ("memory", "memory", "hugepages-2Mi", "cpu", "hugepages", "hugepages-")
_SYSCTLS: Final = (
    "net.ipv4.x",
    "kernel.sem",
    "kernel/sem",
    "kernel.pid_max",
    "user.a",
    "a",
    "",
    "net.*",
    "NET.a",
)
"""Parts of labels and taints, what may be reserved of a NUMA node, and names of sysctls."""

_WRONG: Final = (True, 3, "x", ["x"], {"x": "y"})


class Settings:
    """Makes settings for one release."""

    def __init__(self, release: str, seed: int) -> None:
        catalog = default_catalog()
        self.kubelet: Kubelet = catalog.kubelet(release)
        self.hazards = catalog.hazards(self.kubelet.release)
        self._random = Random(seed)
        of: Release = self.kubelet.release
        names = catalog.releases()
        every = [row for name in names for row in self.hazards.values.rows(catalog.kubelet(name).release)]
        self.rows = tuple({repr(row): row for row in every}.values())
        """Those of every release: a value that others refuse may be one that this one refuses too."""
        self.fields = {
            path: field.kind
            for path, field in self.hazards.config.fields(of).items()
            if "[]" not in path and path not in LEFT and path.partition(".")[0] not in ("kind", "apiVersion")
        }
        self.flags = {
            name: flag.kind
            for name, flag in self.hazards.flags.flags(of).items()
            if name not in OTHERS and (name not in OF_LIBRARIES or OF_LIBRARIES[name] in self.fields)
        }
        # 1.26 refuses to be given none, which PF-103 finds.
        needed = self.hazards.runtime_endpoint == "none"
        self._endpoint = ["--container-runtime-endpoint=unix:///run/x.sock"] if needed else []
        # What refuses these is no part of the validation.
        self._left = frozenset(self.hazards.gates_that_end)
        self._gates = sorted({gate for row in self.rows for gate in _gates(row)} - self._left)

    def __iter__(self) -> Iterator[tuple[list[str], str]]:
        """Yield flags and a configuration file, without end."""
        judged = [row for row in self.rows if row.field in self.fields]
        while True:
            document: dict[str, Any] = {}
            chosen = self._random.choices(judged, k=self._random.choice((0, 1, 1, 2)))
            for row in chosen:
                self._put_judged(document, row)
            if self._random.random() < 0.3:
                self._put(document, self._random.choice(sorted(self.fields)), None)
            deciding = [gate for row in chosen for gate in _gates(row) if gate not in self._left]
            gates = deciding if deciding and self._random.random() < 0.7 else self._gates
            if self._random.random() < 0.5 and gates:
                document["featureGates"] = {self._random.choice(gates): self._random.random() < 0.5}
            yield [*self._endpoint, *self._flags()], self._text(document)

    def _put_judged(self, document: dict[str, Any], row: ValueRow) -> None:
        """Give the field of a row a value, and at times those that decide about it."""
        self._put(document, row.field, row)
        for other in filter(None, (row.only_with, row.not_with, row.needs_field, row.less_than_field)):
            if self._random.random() < 0.5 and other.field in self.fields:
                self._put(document, other.field, None, other.values)

    def _text(self, document: dict[str, Any]) -> str:
        head: dict[str, Any] = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration"}
        if "failCgroupV1" in self.hazards.config.fields(self.kubelet.release):
            head["failCgroupV1"] = False
        return json.dumps({**head, **document})

    def _put(
        self, document: dict[str, Any], path: str, row: ValueRow | None, words: tuple[Any, ...] = ()
    ) -> None:
        """Give a field a value; one that is within another field too."""
        *above, name = path.split(".")
        for part in above:
            inner = document.setdefault(part, {})
            if not isinstance(inner, dict):
                return
            document = inner
        document[name] = self._value(self.fields[path], row, words)

    def _value(self, kind: str, row: ValueRow | None, words: tuple[Any, ...]) -> Any:
        if self._random.random() < 0.02:
            return self._random.choice(_WRONG)
        if kind == "int" and self._random.random() < 0.1:
            return self._random.choice(_WIDE)
        if row and kind in ("list", "map") and (made := self._made(row)) is not None:
            return made
        near = [*words, *(row.one_of if row else ()), *(row.excepted if row else ()), *_edges(row)]
        if kind == "list":
            known = [*near, *(row.having if row else ())]
            if known and self._random.random() < 0.8:
                return self._random.sample(known, self._random.randint(0, min(2, len(known))))
            return self._random.choice(_VALUES["list"])
        if kind == "map" and row and row.keys_one_of:
            return {self._random.choice([*row.keys_one_of, "nonsense"]): "true"}
        if near and self._random.random() < 0.7:
            return self._random.choice(near)
        return self._random.choice(_VALUES[kind])

    def _made(self, row: ValueRow) -> Any:
        """Return a value for the rows that say how one is written; None for others."""
        some = range(self._random.randint(0, 2))
        if row.taints:
            return [self._taint() for _ in some]
        if row.field == "logging.vmodule":
            return [{"filePattern": "a*", "verbosity": self._random.randint(0, 9)} for _ in some]
        if row.memory_of_nodes:
            nodes = (self._random.choice((0, 0, 1)) for _ in some)
            return [{"numaNode": node, "limits": self._limits()} for node in nodes]
        if row.sysctls and row.field == "defaultPodSysctls":
            return {self._mostly(_SYSCTLS): "1" for _ in some}
        if row.valid_labels or row.labels:
            return {self._mostly(_KEYS): self._mostly(_LABELED) for _ in some}
        return None

    def _taint(self) -> dict[str, str]:
        parts = {
            "key": self._mostly(_KEYS),
            "value": self._mostly(_LABELED),
            "effect": self._mostly(_EFFECTS),
        }
        return {name: part for name, part in parts.items() if part or self._random.random() < 0.3}

    def _limits(self) -> dict[str, str]:
        some = range(self._random.randint(0, 2))
        return {self._mostly(_RESERVED): self._random.choice(("1Gi", "1Gi", "64Mi", "0")) for _ in some}

    def _mostly(self, parts: tuple[str, ...]) -> str:
        """Return one of the first two, which are right, most of the time."""
        return self._random.choice(parts[:2] if self._random.random() < 0.7 else parts)

    def _written(self, taint: Mapping[str, str]) -> str:
        """Return a taint as a flag has it, or almost so."""
        text = taint.get("key", "")
        if "value" in taint and self._random.random() < 0.8:
            text += f"={taint['value']}"
        if "effect" in taint and self._random.random() < 0.9:
            text += f":{taint['effect']}"
        return f"{text}-" if self._random.random() < 0.1 else text

    def _flags(self) -> Iterator[str]:
        """Yield at most two flags that the table has something to say about."""
        judged = [row for row in self.rows if row.flag in self.flags]
        seen = set[str]()
        for _ in range(self._random.choice((0, 0, 0, 1, 2))):
            row = self._random.choice(judged)
            value = self._value(self.flags[row.flag], row, ())
            if not value or value == "0s" or value in row.unset or row.flag in seen:
                continue  # zero, which for a flag is not as good as none; or given twice
            seen.add(row.flag)
            if isinstance(value, bool):
                value = str(value).lower()
            if isinstance(value, list):
                texts = (self._written(each) if isinstance(each, dict) else str(each) for each in value)
                value = "," * (self._random.random() < 0.05) + ",".join(texts)
            if isinstance(value, dict):
                value = ",".join(f"{key}={entry}" for key, entry in value.items())
            yield f"--{row.flag}={value}"


def _gates(row: ValueRow) -> Iterator[str]:
    gates = (row.with_gate, row.needs_gate, row.needs_gate_in_flags)
    yield from filter(None, (*gates, *row.keys_one_of.values()))


def _edges(row: ValueRow | None) -> Iterator[Any]:
    """Yield the limits of a row, and the numbers next to them."""
    limits = row.range if row and row.range else Bounds()
    for limit in (limits.least, limits.most, limits.above):
        if isinstance(limit, int):
            yield from (limit - 1, limit, limit + 1)
        elif limit is not None:
            yield limit
    if row and row.multiple_of:
        yield from (row.multiple_of, 2 * row.multiple_of, row.multiple_of + 1)
