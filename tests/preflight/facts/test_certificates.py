"""When certificates expire: lines, PEM, and what is neither."""

from __future__ import annotations

from datetime import UTC, datetime

from hashcompat.preflight.facts.host import Expiry, expiries
from tests.helpers.dumps import GONE, dump, failed

CLIENT = ("certificate", "/var/lib/kubelet/pki/kubelet-client-current.pem")


def test_each_certificate_has_its_day_or_why_not() -> None:
    given = dump(
        {
            CLIENT: "notAfter=Feb  3 04:05:06 2027 GMT\n",
            ("certificate", "/x"): failed(),
            ("certificate", "/y"): GONE,
        }
    )
    assert list(expiries(given)) == [
        Expiry(CLIENT[1], datetime(2027, 2, 3, 4, 5, 6, tzinfo=UTC)),
        Expiry("/x", None, "permission denied"),
    ]


def test_what_is_neither_line_nor_pem() -> None:
    (found,) = expiries(dump({CLIENT: "-----BEGIN PRIVATE KEY-----"}))
    assert found == Expiry(CLIENT[1], None, "neither a certificate nor the line notAfter= of one")
