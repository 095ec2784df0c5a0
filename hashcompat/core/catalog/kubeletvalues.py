"""The values with which kubelets do not start: the rows of kubeletvalues.json.

A kubelet checks its flags and its configuration, with the defaults filled in, before anything else, and
ends with an error (``ValidateKubeletConfiguration`` in pkg/kubelet/apis/config/validation/validation.go and
``ValidateKubeletFlags`` in cmd/kubelet/app/options/options.go, 1.15 - 1.37). Each row names its own source.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import msgspec

from hashcompat.core.catalog.files import DataFiles
from hashcompat.core.catalog.releases import Range
from hashcompat.core.release import Release

Scalar = bool | int | float | str


class Other(msgspec.Struct, frozen=True, rename={"values": "is"}):
    """Another setting that decides about a value."""

    field: str
    """Its path in the configuration file."""
    flag: str = ""
    """The flag that wins over it; empty where there is none."""
    values: tuple[Scalar, ...] = ()
    """The values that count; empty for every one."""
    default: Any = None
    """What a kubelet takes where it is not given."""
    unset: tuple[Scalar, ...] = ()
    """The values that are as good as none."""


class Limits(msgspec.Struct, frozen=True):
    """The numbers or durations that are accepted; durations as Go writes them."""

    least: int | float | str | None = None
    """The smallest one."""
    most: int | float | str | None = None
    """The largest one."""
    above: int | float | str | None = None
    """The number that it has to be greater than."""


class Labels(msgspec.Struct, frozen=True):
    """The labels in the namespaces of Kubernetes that a kubelet sets on its own node."""

    allowed: frozenset[str]
    """Their keys."""
    namespaces: tuple[str, ...]
    """Namespaces in which, and below which, every key is accepted."""


class ValueRow(msgspec.Struct, frozen=True, rename="camel"):
    """What some releases ask of the value of a flag or a field; one of the forms is given."""

    releases: Range
    """The releases."""
    source: str
    """The Go file and the releases in which it was read."""
    field: str = ""
    """The path in the configuration file; empty for a flag alone."""
    flag: str = ""
    """The flag, which wins over the field; empty for a field alone."""
    with_gate: str = ""
    """The feature gate that has to be on for the row to count; empty for none."""
    only_with: Other | None = None
    """The other setting that has to have one of its values for the row to count."""
    having: frozenset[str] = frozenset()
    """The elements of which a list has to have one for the row to count; empty where any list counts."""
    unset: tuple[Scalar, ...] = ()
    """The values that are as good as none."""
    default: Any = None
    """What a kubelet takes where it is not given, for forms that compare it with another setting."""
    excepted: tuple[Scalar, ...] = msgspec.field(default=(), name="except")
    """The values that are accepted in spite of the form."""
    one_of: tuple[Scalar, ...] = ()
    """Form: the accepted values, or elements of a list."""
    keys_one_of: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Form: the accepted keys of a map, each with the feature gate that it needs or an empty text."""
    needs_gate: str = ""
    """Form: the feature gate without which it may not be given."""
    range: Limits | None = None
    """Form: the limits."""
    multiple_of: int = 0
    """Form: what a number is a multiple of."""
    at_most_field: Other | None = None
    """Form: the setting that it may not be more than."""
    less_than_field: Other | None = None
    """Form: the setting that it has to be less than."""
    more_than_field: Other | None = None
    """Form: the setting that it has to be more than."""
    not_with: Other | None = None
    """Form: the setting with whose values it may not be given."""
    needs_field: Other | None = None
    """Form: the setting that has to be given too."""
    values_are: str = ""
    """Form: the kind of a map's values, ``string``."""
    format: str = ""
    """Form: what a text has to be, ``cpus`` or an ``absolute path``."""
    alone: str = ""
    """Form: the element that has to be the only one of a list."""
    unique: bool = False
    """Form: whether no element of a list may be in it twice."""
    not_together: tuple[str, ...] = ()
    """Form: elements of which a list may have one."""
    labels: Labels | None = None
    """Form: the labels that a kubelet sets on its own node."""
    needs_variable: str = ""
    """Form: the environment variable without which the flag is refused."""
    drop_ins_need: tuple[str, ...] = ()
    """Form: the fields without which a file of the directory is refused."""

    @property
    def words(self) -> Iterator[str]:
        """The words that the row knows: accepted values, keys and exceptions."""
        others = (self.only_with, self.not_with)
        known = (*self.one_of, *self.excepted, *self.keys_one_of, *self.having, *self.not_together)
        yield from (word for word in known if isinstance(word, str))
        for other in others:
            yield from (word for word in (other.values if other else ()) if isinstance(word, str))


class ValueTable:
    """The rows of kubeletvalues.json, read when they are first asked for."""

    def __init__(self, data: DataFiles) -> None:
        self._data = data

    @cached_property
    def _rows(self) -> tuple[ValueRow, ...]:
        return self._data.rows("kubeletvalues", tuple[ValueRow, ...], "rows")

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word that some release accepts somewhere, so that it can be shown."""
        return frozenset(word for row in self._rows for word in row.words)

    def rows(self, release: Release) -> tuple[ValueRow, ...]:
        """Return what a release asks of values; empty for releases before 1.10."""
        return tuple(row for row in self._rows if row.releases.holds(release))
