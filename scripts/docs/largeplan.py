"""What ``plan`` shows of 150,000 pods, as a page of docs."""

from __future__ import annotations

from functools import partial
from typing import Final

from scripts.docs.plans import make_large
from scripts.lib.generated import Generated

_PODS: Final = 150_000

GENERATED: Final = Generated(partial(make_large, _PODS), owned=("docs/plan-large.md",))
