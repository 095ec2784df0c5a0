"""JSON values as YAML text, as kubectl writes them: keys sorted, lists not indented, lines as a block."""

from __future__ import annotations

from typing import Any

import yaml


class _Dumper(yaml.CSafeDumper):
    """Writes a repeated node out each time, without anchors."""

    def ignore_aliases(self, _: object) -> bool:
        """Return whether no anchor is written."""
        return True


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    """Return a text as a block where it has several lines."""
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


def as_yaml(value: Any) -> str:
    """Return a JSON value as YAML."""
    return yaml.dump(value, Dumper=_Dumper, width=10**6, allow_unicode=True)
