"""JSON values as YAML text, as kubectl writes them: lists are not indented, keys are sorted."""

from __future__ import annotations

from typing import Any

import yaml


class _Dumper(yaml.CSafeDumper):
    """Writes what is there twice twice."""

    def ignore_aliases(self, _: object) -> bool:
        """Return whether no anchor is written."""
        return True


def as_yaml(value: Any) -> str:
    """Return a JSON value as YAML."""
    return yaml.dump(value, Dumper=_Dumper, width=10**6, allow_unicode=True)
