"""A manifest or a dump behind an http(s) URL."""

from __future__ import annotations

import re
from typing import Final

import requests

from hashcompat.errors import InputError

_TIMEOUT_SECONDS: Final = (10, 60)


def label(url: str) -> str:
    """Name a URL in messages: without user, password and query, which may be secrets."""
    scheme, _, rest = url.partition("://")
    host, slash, path = re.split("[?#]", rest, maxsplit=1)[0].partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"


def download(url: str) -> bytes:
    """Return the content behind ``url``.

    Raises InputError, naming the URL, when it cannot be had whole; a partial answer is never input.
    """
    try:
        response = requests.get(url, timeout=_TIMEOUT_SECONDS)
        response.raise_for_status()
    except requests.HTTPError as error:
        raise InputError(
            f"{label(url)}: the server answered {error.response.status_code} {error.response.reason}"
        ) from None
    except requests.RequestException as error:
        raise InputError(f"{label(url)}: cannot download: {type(error).__name__}") from None
    expected = response.headers.get("Content-Length")
    if (
        expected is not None
        and "Content-Encoding" not in response.headers
        and len(response.content) != int(expected)
    ):
        raise InputError(f"{label(url)}: cannot download: the answer was cut short")
    return response.content
