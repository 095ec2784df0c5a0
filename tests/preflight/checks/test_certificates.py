"""PF-114: certificates that have expired, or soon will; as lines and as PEM."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
import trustme

from hashcompat.core.records.probes import Dump, Probe
from tests.helpers.dumps import GONE, NOW, dump, failed, found, status, upgrade

CLIENT = ("certificate", "/var/lib/kubelet/pki/kubelet-client-current.pem")
SERVER = ("certificate", "/var/lib/kubelet/pki/kubelet.crt")
CA = ("certificate", "/etc/kubernetes/pki/client-ca.crt")
CONFIG = ("certificate", "/etc/kubernetes/kubelet.conf")


def line(at: datetime) -> str:
    """Return what ``openssl x509 -enddate -noout`` prints."""
    return f"notAfter={at.strftime('%b %d %H:%M:%S %Y')} GMT\n"


def pem(at: datetime) -> str:
    """Return a certificate that is valid until then."""
    certificate = trustme.CA().issue_cert("n1", not_after=at.replace(tzinfo=None))
    return certificate.cert_chain_pems[0].bytes().decode()


SECOND = timedelta(seconds=1)
WEEK = timedelta(days=7)


@pytest.mark.parametrize("form", [line, pem])
@pytest.mark.parametrize(
    ("key", "after", "expected"),
    [
        (CLIENT, -SECOND, ("ERROR", CLIENT[1])),
        (CLIENT, SECOND, ("WARN", CLIENT[1])),
        (CLIENT, WEEK - SECOND, ("WARN", CLIENT[1])),
        (CLIENT, WEEK, ("OK", "")),
        (SERVER, -SECOND, ("WARN", SERVER[1])),
        (CA, -SECOND, ("WARN", CA[1])),
        (CONFIG, -SECOND, ("ERROR", CONFIG[1])),
    ],
)
def test_pf114_a_certificate_that_expires(
    form: object, key: tuple[str, str], after: timedelta, expected: tuple[str, str]
) -> None:
    assert callable(form)
    given = dump({CLIENT: GONE, key: form(NOW + after)})
    assert status("PF-114", given, upgrade("1.31.0")) == [expected]


def test_pf114_of_several_certificates_in_a_file_the_first_counts() -> None:
    chain = pem(NOW + timedelta(days=100)) + pem(NOW - SECOND)
    assert status("PF-114", dump({CLIENT: "a comment\n" + chain}), upgrade("1.31.0")) == [("OK", "")]


@pytest.mark.parametrize(
    "state",
    [failed(), "", "notAfter=soon", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"],
    ids=["refused", "empty", "no date", "no certificate"],
)
def test_pf114_a_certificate_that_cannot_be_read_is_unknown(state: str | Probe) -> None:
    assert status("PF-114", dump({CLIENT: state}), upgrade("1.31.0")) == [("UNKNOWN", CLIENT[1])]


def test_pf114_without_the_time_or_any_certificate_is_unknown() -> None:
    assert status("PF-114", dump(), upgrade("1.31.0", now=None)) == [("UNKNOWN", "")]
    empty = Dump("n1", "test", {("file", "/x"): (Probe("file", "/x", ""),)})
    assert status("PF-114", empty, upgrade("1.31.0")) == [("UNKNOWN", "")]


def test_pf114_a_node_without_certificates_has_none_that_expires() -> None:
    assert status("PF-114", dump({CLIENT: GONE}), upgrade("1.31.0")) == [("OK", "")]


AUTHORITY = ("certificate", "/etc/kubernetes/pki/ca.crt")
SETTINGS = ("file", "/var/lib/kubelet/config.yaml")
WITH_CA = {SETTINGS: "kind: X\nauthentication:\n  x509:\n    clientCAFile: /etc/kubernetes/pki/ca.crt\n"}
WITH_TLS = {SETTINGS: f"kind: X\ntlsCertFile: {SERVER[1]}\n"}
ARGUMENTS = ("arguments", "kubelet")
USER = {ARGUMENTS: f"kubelet\n--config={SETTINGS[1]}\n--kubeconfig={CONFIG[1]}\n"}
BOOTSTRAP = ("path", "/etc/kubernetes/bootstrap-kubelet.conf")
BOTH = {ARGUMENTS: f"{USER[ARGUMENTS]}--bootstrap-kubeconfig={BOOTSTRAP[1]}\n"}
OK, UNKNOWN = [("OK", "")], [("UNKNOWN", "")]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({**WITH_CA, AUTHORITY: GONE}, [("ERROR", AUTHORITY[1])]),
        ({**WITH_CA, AUTHORITY: line(NOW + 2 * WEEK)}, OK),
        ({AUTHORITY: GONE}, OK),
        ({**WITH_TLS, SERVER: GONE}, [("ERROR", SERVER[1])]),
        ({SERVER: GONE}, OK),
        ({**USER, CONFIG: GONE}, [("ERROR", CONFIG[1])]),
        ({**USER, CONFIG: line(NOW + 2 * WEEK)}, OK),
        ({CONFIG: GONE}, OK),
        ({**BOTH, CONFIG: GONE, BOOTSTRAP: GONE}, [("ERROR", CONFIG[1])]),
        ({**BOTH, CONFIG: GONE, BOOTSTRAP: "file"}, OK),
        ({**BOTH, CONFIG: GONE}, UNKNOWN),
        ({SETTINGS: failed(), AUTHORITY: GONE}, UNKNOWN),
        ({SETTINGS: failed()}, OK),
    ],
)
def test_pf114_a_file_that_the_kubelet_is_given_is_missing(
    changes: dict[tuple[str, str], Any], expected: list[tuple[str, str]]
) -> None:
    assert status("PF-114", dump(changes), upgrade("1.31.0")) == expected


@pytest.mark.parametrize(
    ("changes", "expected", "says"),
    [
        ({**BOTH, BOOTSTRAP: "file"}, "WARN", f": the kubelet asks for another one by {BOOTSTRAP[1]}, and"),
        ({**BOTH, BOOTSTRAP: GONE}, "ERROR", ""),
        (BOTH, "ERROR", ""),
        (USER, "ERROR", ""),
        ({ARGUMENTS: failed()}, "ERROR", ""),
    ],
)
def test_pf114_an_expired_certificate_of_a_kubelet_that_can_ask_for_another_one(
    changes: Any, expected: str, says: str
) -> None:
    rows = found("PF-114", dump({**changes, CLIENT: pem(NOW - SECOND)}), upgrade("1.31.0"))
    (row,) = [row for row in rows if row[1] == CLIENT[1]]
    assert row[0] == expected
    assert f"{CLIENT[1]} expired on 2026-05-31{says}" in row[2]
