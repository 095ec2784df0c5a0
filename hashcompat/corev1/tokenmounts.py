"""The names of the volumes in which pods get their service account's token, from 1.21 on."""

from __future__ import annotations

import re
from typing import Final

from hashcompat.regex import regex

_NAME: Final = regex(r"kube-api-access-[0-9a-z]{5}", re.ASCII)


def is_token_mount(name: str) -> bool:
    """Return whether an API server generates such names, another one for each pod.

    Source: plugin/pkg/admission/serviceaccount/admission.go ``ServiceAccountVolumeName``.
    """
    return _NAME.fullmatch(name) is not None
