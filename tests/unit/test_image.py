"""The tag of an image, as github.com/distribution/reference v0.6.0 under pkg/util/parsers reads it."""

from __future__ import annotations

import pytest

from hashcompat.kubelet.image import image_tag

HEX = "0123456789abcdef"
SHA256 = "sha256:" + HEX * 4


@pytest.mark.parametrize(
    ("image", "tag"),
    [
        ("a", "latest"),
        ("a:latest", "latest"),
        ("a:1", "1"),
        ("a:_x", "_x"),
        ("a:LATEST", "LATEST"),
        (f"a@{SHA256}", ""),
        (f"a:latest@{SHA256}", "latest"),
        (f"a:1@{SHA256}", "1"),
        (f"a:1@sha384:{HEX * 6}", "1"),
        (f"a:1@sha512:{HEX * 8}", "1"),
        ("foo/bar", "latest"),
        ("docker.io/library/a:2", "2"),
        ("r.example:5000/a", "latest"),
        ("r.example:5000/a:1", "1"),
        ("localhost:5000/a", "latest"),
        ("localhost/a", "latest"),
        ("[::1]:5000/a", "latest"),
        ("1.2.3.4:80/x", "latest"),
        ("a:5000", "5000"),
        ("r.example:5000", "5000"),
        ("R.example/a", "latest"),
        ("a__b", "latest"),
        ("a---b", "latest"),
        ("a:" + "x" * 128, "x" * 128),
        ("x" * 247 + ":1", "1"),
        ("x/" + "x" * 253 + ":1", "1"),
        ("r.example/" + "x" * 255 + ":1", "1"),
        ("localhost/" + "x" * 255 + ":1", "1"),
        ("R/" + "x" * 255 + ":1", "1"),
    ],
)
def test_the_tag_that_kubernetes_reads(image: str, tag: str) -> None:
    assert image_tag(image) == tag


@pytest.mark.parametrize(
    "image",
    [
        "",
        "x" * 248,
        "x/" + "x" * 254,
        "r.example/" + "x" * 256,
        "Busybox",
        "BUSYBOX:latest",
        "r.example/A",
        "r.example/a/B:latest",
        "a:",
        "a:-x",
        "a:" + "x" * 129,
        "a:x:y",
        "a@b",
        f"a:latest@sha256:{HEX * 2}",
        f"a:latest@sha256:{HEX.upper() * 4}",
        f"a:latest@md5:{HEX * 2}",
        f"a@{SHA256}:latest",
        HEX * 4,
        "a___b",
        "a..b",
        "-a",
        "a-",
        " a",
        "a\n",
        "/a",
        "a/",
        "a//b",
        "https://a/b",
        "user@host/a",
        "${IMAGE}",
        "\u00e9",
        "a\u0661",
    ],
)
def test_what_is_no_reference_has_no_tag(image: str) -> None:
    assert image_tag(image) == ""
