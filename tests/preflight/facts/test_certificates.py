"""The end of a certificate's validity, read from PEM: the same as cryptography reads."""

from __future__ import annotations

import base64
import random
import textwrap
import warnings
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from hashcompat.analysis.preflight.facts.host import Expiry, expiries
from hashcompat.core.records.probes import Dump, Probe
from tests.helpers import randomness
from tests.helpers.randomness import FRESH

PATH = "/var/lib/kubelet/pki/kubelet.crt"
START = datetime(1960, 1, 1, tzinfo=UTC)
UNREADABLE = Expiry(PATH, None, "neither a certificate nor the line notAfter= of one")


def read(text: str) -> Expiry:
    (expiry,) = expiries(Dump("n1", "test", {("certificate", PATH): (Probe("certificate", PATH, text),)}))
    return expiry


def pem(der: bytes) -> str:
    lines = textwrap.wrap(base64.b64encode(der).decode(), 64)
    return "\n".join(["-----BEGIN CERTIFICATE-----", *lines, "-----END CERTIFICATE-----", ""])


@cache
def key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def certificate(end: datetime, serial: int = 1, names: int = 1) -> bytes:
    """Return a certificate in DER; many names make long lengths."""
    name = x509.Name([x509.NameAttribute(NameOID.ORGANIZATIONAL_UNIT_NAME, "x" * 60) for _ in range(names)])
    built = x509.CertificateBuilder(name, name, key().public_key(), serial, START, end.replace(tzinfo=None))
    return built.sign(key(), hashes.SHA256()).public_bytes(Encoding.DER)


def element(tag: int, *contents: bytes) -> bytes:
    """Return an element of DER."""
    content = b"".join(contents)
    length = len(content)
    if length < 0x80:
        return bytes([tag, length]) + content
    digits = length.to_bytes((length.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(digits)]) + digits + content


def old_version(end: bytes, tag: int = 0x17) -> bytes:
    """Return what the first version of X.509 has, without its version and with nothing in most elements."""
    validity = element(0x30, element(0x17, b"600101000000Z"), element(tag, end))
    fields = element(0x30, element(2, b"\x01"), element(0x30), element(0x30), validity, element(0x30))
    return element(0x30, fields, element(0x30), element(3, b"\0"))


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("year", [1961, 1999, 2000, 2026, 2049, 2050, 2999, 9999])
@pytest.mark.parametrize(("serial", "names"), [(1, 1), (1 << 150, 3), (7, 2000 if FRESH else 400)])
def test_the_end_of_certificates_of_any_length(year: int, serial: int, names: int) -> None:
    end = datetime(year, 12, 31, 23, 59, 58, tzinfo=UTC)
    assert read("a comment\n" + pem(certificate(end, serial, names)) + "more") == Expiry(PATH, end)


@pytest.mark.parametrize(
    ("digits", "tag", "end"),
    [
        (b"500102030405Z", 0x17, datetime(1950, 1, 2, 3, 4, 5, tzinfo=UTC)),
        (b"491231235959Z", 0x17, datetime(2049, 12, 31, 23, 59, 59, tzinfo=UTC)),
        (b"20500101000000Z", 0x18, datetime(2050, 1, 1, tzinfo=UTC)),
    ],
)
def test_a_certificate_without_a_version_and_each_form_of_time(
    digits: bytes, tag: int, end: datetime
) -> None:
    assert read(pem(old_version(digits, tag))) == Expiry(PATH, end)


GOOD = old_version(b"300101000000Z")


@pytest.mark.parametrize(
    "der",
    [
        b"",
        b"\x30",
        b"\x30\x80",
        b"\x30\x81",
        b"\x30\x81\x05" + b"12345",
        b"\x30\x82\x00\x90" + b"x" * 0x90,
        GOOD + b"\0",
        GOOD[:-1],
        element(0x31, GOOD),
        element(0x30, b"\x02\x01\x01"),
        element(0x30, element(0x30, element(2, b"\x01"))),
        element(0x30, element(0x30)),
        GOOD.replace(b"\x30\x1e\x17", b"\x30\x1e\x16"),
        old_version(b"3001010000Z"),
        old_version(b"300101000000+0100"),
        old_version(b"301301000000Z"),
        old_version(b"300101000061Z"),
        old_version(b"20300101000000Z"),
        old_version(b"300101000000Z", 0x18),
        old_version("\u0663".encode() + b"0101000000Z"),
    ],
)
def test_what_is_no_certificate(der: bytes) -> None:
    assert read(pem(der)) == UNREADABLE


@pytest.mark.parametrize(
    "text",
    [
        "-----END CERTIFICATE-----\n",
        pem(GOOD).partition("-----END")[0],
        pem(GOOD).replace("MA", "M!", 1),
        pem(GOOD).replace("\n", "\nProc-Type: 4\n\n", 1),
        "",
    ],
)
def test_what_is_no_pem(text: str) -> None:
    assert read(text) == UNREADABLE


def changes(chance: random.Random, der: bytes) -> Iterator[bytes]:
    """Yield a certificate with some bytes changed, taken out or inserted, mostly in its first half."""
    for _ in range(2000 if randomness.FRESH else 400):
        changed = bytearray(der)
        for _ in range(chance.choice((1, 1, 2))):
            place = chance.randrange(len(changed) // chance.choice((1, 2, 2)))
            match chance.randrange(3):
                case 0:
                    changed[place] = chance.randrange(256)
                case 1:
                    del changed[place]
                case _:
                    changed.insert(place, chance.randrange(256))
        yield bytes(changed)


def test_every_certificate_that_cryptography_reads_has_the_same_end() -> None:
    chance = random.Random(randomness.SEED if randomness.FRESH else 7)
    end = datetime(2031, 5, 6, 7, 8, 9, tzinfo=UTC)
    both = refused = 0
    for der in changes(chance, certificate(end)):
        time = read(pem(der)).at
        try:
            with warnings.catch_warnings(action="ignore"):
                expected = x509.load_der_x509_certificate(der).not_valid_after_utc
        except (ValueError, x509.InvalidVersion):
            refused += time is None
            continue
        assert time == expected, der.hex()
        both += 1
    assert both > 50
    assert refused > 50
    assert read(pem(certificate(end + timedelta(days=1)))).at == end + timedelta(days=1)
