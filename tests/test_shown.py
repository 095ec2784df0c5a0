"""What is shown of texts that may hold a secret, case by case; cli/test_secrets.py has the whole program."""

from __future__ import annotations

import time

import pytest

from hashcompat.core import shown

DIGEST = "@sha256:" + "0f" * 32


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("", ""),
        ("nginx", "nginx"),
        ("registry.example:5000/team/app:1.0", "registry.example:5000/team/app:1.0"),
        (f"registry.example/app:1{DIGEST}", f"registry.example/app:1{DIGEST}"),
        ("user:word@registry.example/app:1", "***@registry.example/app:1"),
        ("https://user:word@registry:5000/a/b", "***@registry:5000/a/b"),
        (f"token@registry/app{DIGEST}", f"***@registry/app{DIGEST}"),
        ("user:w@rd@registry/app", "***@registry/app"),
        ("user:w/rd@registry/app", "***"),
        ("registry/app@word", "***"),
        ("registry/app@sha256:0f0f", "***"),
        (f"registry/app{DIGEST}@word", "***"),
        ("registry/app?token=word", "***"),
        ("registry/app?token=a@word/x", "***"),
        ("registry/app\n", "***"),
        ("word with spaces", "***"),
    ],
)
def test_an_image_is_shown_without_its_credentials(given: str, expected: str) -> None:
    assert shown.image(given) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("", ""),
        ("/", "/"),
        ("/healthz", "/healthz"),
        ("/actuator/health/readiness", "/actuator/health/readiness"),
        ("/api/v1beta1/status.json", "/api/v1beta1/status.json"),
        ("/dev/termination-log", "/dev/termination-log"),
        ("/var/run/secrets/kubernetes.io/serviceaccount", "/var/run/secrets/kubernetes.io/serviceaccount"),
        ("/healthz?token=word", "/healthz?***"),
        ("/healthz?", "/healthz?***"),
        ("/healthz#word?x", "/healthz#***"),
        ("/hooks/word/ready", "/hooks/***/ready"),
        ("/health/1234", "/health/***"),
        ("/v123", "/***"),
        ("/HEALTHZ", "/***"),
        ("/healthz;id=word", "/***"),
        ("http://user:word@host/healthz", "***//***/healthz"),
        ("$(POD_NAME)/data", "***/data"),
    ],
)
def test_of_a_path_only_usual_words_are_shown(given: str, expected: str) -> None:
    assert shown.path(given) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("https://host:6443/api/pods.json", "https://host:6443/api/pods.json"),
        ("http://user:word@host/x?token=word#word", "http://host/x"),
        ("http://[::1]:80/x", "http://[::1]:80/x"),
        ("http://user:wo/rd@host/x", "http://***"),
        ("http://user:1/rd@host/x", "http://***"),
        ("http://user:wo#rd@host/x", "http://***"),
        ("https://proxy.example/https://user:word@host/x", "https://***"),
        ("tps:@//user:word@host/x", "tps:***"),
        ("https:///user:word@host//", "https://***"),
        ("https://cdn.example/app@1.2/pods.yaml", "https://cdn.example/app@1.2/pods.yaml"),
        ("https://host/AbCd1234efgh/x", "https://host/***/x"),
        ("unix:///run/containerd/containerd.sock", "unix:///run/containerd/containerd.sock"),
        ("containerd://1.6.20+k3s1", "containerd://1.6.20+k3s1"),
    ],
)
def test_a_url_is_shown_without_user_and_query(given: str, expected: str) -> None:
    assert shown.url(given) == expected
    assert shown.urls(f"{expected}: why") == f"{expected}: why"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("no URL in it: a?b@c", "no URL in it: a?b@c"),
        ('Get "https://u:word@host/x?a=word": refused', 'Get "https://host/x": refused'),
        (
            "v1 on containerd://2.0.5, v2 on docker://20.10.7; x",
            "v1 on containerd://2.0.5, v2 on docker://20.10.7; x",
        ),
        (
            "on cri-o://1.24.1-2.rhaos4.11.git7be4ac6.el8). x",
            "on cri-o://1.24.1-2.rhaos4.11.git7be4ac6.el8). x",
        ),
        ("of https://u:word@host/x?a=b, x", "of https://host/x x"),
        ("1http://u:word@host and HTTP://u:word@host", "1http://host and HTTP://host"),
    ],
)
def test_urls_within_a_text(given: str, expected: str) -> None:
    assert shown.urls(given) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("app.kubernetes.io/name", "app.kubernetes.io/name"),
        ("é", "é"),
        ("", ""),
        ("A=word", "***"),
        ("user:word@host", "***"),
        ("x" * 254, "***"),
        ("S3cr3tWord", "***"),
    ],
)
def test_a_key_is_shown_where_it_is_a_name(given: str, expected: str) -> None:
    assert shown.name(given) == expected


KEPT = [
    "connection refused",
    'pods is forbidden: User "jane@example.com" cannot list resource "pods" in API group ""',
    'secrets is forbidden: User "system:serviceaccount:ns:web" cannot list resource "secrets"',
    'error: context "prod" does not exist',
    "exec: executable aws failed with exit code 255",
    "x509: certificate signed by unknown authority",
    "dial unix /run/containerd/containerd.sock: connect: no such file or directory",
    "rpc error: code = Unavailable desc = transport is closing",
    'time="2026-01-31T12:00:00Z" level=fatal msg="the endpoint \\"unix:///run/x.sock\\" does not answer"',
    'pod "web-5d4f8c7b9-x7k2p" not found',
    "the server has asked for the client to provide credentials",
    "invalid bearer token",
]

HIDDEN = {
    'Get "https://u:word@host/x?token=word": refused': 'Get "https://host/x": refused',
    "Authorization: Bearer word": "Authorization: ***",
    "sent Basic word": "sent Basic ***",
    "the password is wrong: password: word": "the password is wrong: password: ***",
    '{"auth_token": "wo\\"rd", "a": 1}': '{"auth_token": ***, "a": 1}',
    'msg="body {\\"secret\\": \\"a word\\"} refused"': 'msg="body {\\"secret\\": ***} refused"',
    "invalid environment A=word, B='a word'": "invalid environment A=***, B=***",
    'unknown flag: --what="a word"': "unknown flag: --what=***",
    "cannot unmarshal !!str `word` into int": "cannot unmarshal !!str `***` into int",
    'strconv.ParseInt: parsing "word": invalid syntax': 'strconv.ParseInt: parsing "***": invalid syntax',
    'parse "http://u:wo#rd@h": invalid port ":wo" after host': (
        'parse "http://***": invalid port "***" after host'
    ),
    "unexpected AbCd1234 there": "unexpected *** there",
    "unexpected ABCD1234EFGH": "unexpected ***",
    f"no such container: {'0f' * 32}": "no such container: ***",
    "unexpected 01234567-89ab-cdef-0123-456789abcdef": "unexpected ***",
    "unexpected Ab_c-d+1234 there": "unexpected *** there",
}


@pytest.mark.parametrize("message", KEPT)
def test_what_a_program_says_stays_readable(message: str) -> None:
    assert shown.said(message) == message


@pytest.mark.parametrize("message", HIDDEN)
def test_what_a_program_quotes_is_hidden(message: str) -> None:
    assert shown.said(message) == HIDDEN[message]
    assert "word" not in HIDDEN[message].replace("password", "")


def test_of_a_message_without_end_only_the_start_is_shown() -> None:
    assert len(shown.said("word " * 10_000)) == 4096


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(
    "piece",
    ["a", "a=", '"', "://", "a://@", "token", "token=", "`", '\\"', "-", 'A="', "bearer ", "@", "a@", "/"],
)
def test_no_text_takes_long(piece: str) -> None:
    """Fifty thousand characters, well below a second each."""
    text = piece * (50_000 // len(piece))
    start = time.process_time()
    for show in (shown.image, shown.path, shown.url, shown.urls, shown.name, shown.said):
        show(text)
    assert time.process_time() - start < 5
