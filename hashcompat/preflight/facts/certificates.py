"""When certificates on a node expire."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

import msgspec

from hashcompat.records.probes import Dump, Probe, UnreadError

KIND: Final = "certificate"

_LINE: Final = "notAfter="

_PEM: Final = "-----BEGIN CERTIFICATE-----"


class Expiry(msgspec.Struct, frozen=True):
    """When one certificate expires."""

    path: str
    """The file that it is in."""
    at: datetime | None
    """The last moment of its validity, UTC; None where it could not be read."""
    problem: str = ""
    """Why it could not be read."""


def expiries(dump: Dump) -> Iterator[Expiry]:
    """Yield when each certificate expires that is on the node; of several in a file, the first one.

    Raises UnreadError where no certificate was looked for.
    """
    probes = list(dump.of_kind(KIND))
    if not probes:
        raise UnreadError("nothing looked for certificates")
    for probe in probes:
        if probe.problem:
            yield Expiry(probe.name, None, probe.problem)
        elif probe.text is not None:
            yield _expiry(probe, probe.text)


def _expiry(probe: Probe, text: str) -> Expiry:
    try:
        return Expiry(probe.name, _not_after(text))
    except ValueError:
        return Expiry(probe.name, None, "neither a certificate nor the line notAfter= of one")


def _not_after(text: str) -> datetime:
    """Read the line that ``openssl x509 -enddate`` prints, or the first block of PEM."""
    line = next((line for line in text.splitlines() if line.startswith(_LINE)), None)
    if line is not None:
        return datetime.fromtimestamp(ssl.cert_time_to_seconds(line.removeprefix(_LINE).strip()), UTC)
    from cryptography import x509  # noqa: PLC0415 - takes a tenth of a second, and only PEM needs it

    return x509.load_pem_x509_certificate(text[text.index(_PEM) :].encode()).not_valid_after_utc
