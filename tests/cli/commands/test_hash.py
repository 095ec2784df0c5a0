"""``hash``: every container under every release asked for, as it was asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hashcompat.core.go import allowance
from tests.helpers.pods import ARTICLE, ARTICLE_MANIFEST, as_json, mirror_pod, pod
from tests.helpers.program import Run

RECORDED = {"1.7.16": (1559107639, "5cee1837"), "1.9.11": (1428860573, "552aae9d")}


@pytest.mark.parametrize(
    "stdin", [as_json(pod(ARTICLE)), ARTICLE_MANIFEST.encode()], ids=["API pod", "manifest"]
)
def test_the_recorded_hashes(run: Run, stdin: bytes) -> None:
    item = run("hash", "--kubelet", "1.7.16,1.9.11", "-f", "-", "-o", "json", stdin=stdin).item
    assert {release: (row["hash"], row["hex"]) for release, row in item["hashes"].items()} == RECORDED


def test_a_manifest_taken_as_it_is_hashes_differently(run: Run) -> None:
    item = run(
        "hash",
        "--kubelet",
        "1.9.11",
        "-f",
        "-",
        "-o",
        "json",
        "--no-defaults",
        stdin=ARTICLE_MANIFEST.encode(),
    ).item
    assert item["hashes"]["1.9.11"]["hash"] not in {1559107639, 1428860573}


def test_an_api_pod_gets_no_defaults(run: Run) -> None:
    bare = as_json(pod({"name": "c", "image": "i"}))
    assert (
        run("hash", "--kubelet", "1.9.11", "-f", "-", stdin=bare).out
        == run("hash", "--kubelet", "1.9.11", "-f", "-", "--no-defaults", stdin=bare).out
    )


def test_releases_are_keyed_as_they_were_asked_for(run: Run) -> None:
    item = run(
        "hash",
        "--kubelet",
        "v1.9.11, 1.16.15-eks-1,1.36.99",
        "-f",
        "-",
        "-o",
        "json",
        stdin=as_json(pod(ARTICLE)),
    ).item
    hashes = item["hashes"]
    assert list(hashes) == ["v1.9.11", "1.16.15-eks-1", "1.36.99"]
    assert (
        hashes["v1.9.11"]["hash"],
        "vendorAssumed" in hashes["v1.9.11"],
        "patchAssumed" in hashes["v1.9.11"],
    ) == (
        1428860573,
        False,
        False,
    )
    assert (hashes["1.16.15-eks-1"]["vendorAssumed"], hashes["1.36.99"]["patchAssumed"]) == (True, True)


def test_each_release_names_its_era(run: Run) -> None:
    item = run(
        "hash", "--kubelet", "1.15.12,1.16.0,1.31.0", "-f", "-", "-o", "json", stdin=as_json(pod())
    ).item
    assert [row["era"] for row in item["hashes"].values()] == [
        "spew-fnv32a",
        "json-spew-fnv32a",
        "picked-json-spew-fnv32a",
    ]


def test_hex_is_not_padded_with_zeros(run: Run) -> None:
    """1.16 asserts 311670a for this container in its own tests: seven digits."""
    container = {
        "name": "test_container",
        "image": "foo/image:v1",
        "command": ["/bin/testcmd"],
        "args": ["/bin/sh", "-c", "echo abc"],
        "ports": [{"containerPort": 8001}],
        "env": [
            {"name": "ENV_FOO", "value": "bar"},
            {
                "name": "ENV_BAR",
                "valueFrom": {"secretKeyRef": {"name": "foo", "key": "bar", "optional": True}},
            },
        ],
        "resources": {"limits": {"foo": "1G"}, "requests": {"foo": "500M"}},
    }
    item = run("hash", "--kubelet", "1.30.0", "-f", "-", "-o", "json", stdin=as_json(pod(container))).item
    assert (item["hashes"]["1.30.0"]["hash"], item["hashes"]["1.30.0"]["hex"]) == (51472138, "311670a")


def test_what_a_vendors_go_decides_is_null(run: Run) -> None:
    stdin = as_json(pod({"name": "c", "args": ["\b"]}))
    row = run("hash", "--kubelet", "1.27.3-gke.1", "-f", "-", "-o", "json", stdin=stdin).item["hashes"][
        "1.27.3-gke.1"
    ]
    assert (row["hash"], row["hex"]) == (None, None)
    assert run("hash", "--kubelet", "1.27.3-gke.1", "-f", "-", "--no-headers", stdin=stdin).out.split()[
        3:6
    ] == ["1.27.3-gke.1", "-", "-"]


def test_the_table_has_a_line_for_each_container_and_release(run: Run) -> None:
    lines = run(
        "hash", "--kubelet", "1.7.16,1.9.11", "-f", "-", stdin=as_json(pod(ARTICLE), pod(name="q"))
    ).out.splitlines()
    assert lines[0].split() == ["NAMESPACE", "POD", "CONTAINER", "KUBELET", "HASH", "HEX", "ERA"]
    assert [line.split()[1:5] for line in lines[1:3]] == [
        ["p", "prometheus-node-exporter", "1.7.16", "1559107639"],
        ["p", "prometheus-node-exporter", "1.9.11", "1428860573"],
    ]
    assert len(lines) == 5


def test_every_container_is_hashed_whether_compared_or_not(run: Run) -> None:
    given = mirror_pod(
        spec={"initContainers": [{"name": "i"}], "ephemeralContainers": [{"name": "e"}]},
        status={"phase": "Failed"},
    )
    items = run("hash", "--kubelet", "1.36.0", "-f", "-", "-o", "json", stdin=as_json(given)).items
    assert {item["container"]: item["containerType"] for item in items} == {
        "i": "init",
        "c": "container",
        "e": "ephemeral",
    }


def test_show_input_prints_the_exact_text(run: Run) -> None:
    """Escape sequences, which a terminal library would take away, are part of the text."""
    stdin = as_json(pod({"name": "c", "args": ["\x1b[31mred\x1b[0m", "two\nlines"]}))
    out = run("hash", "--kubelet", "1.9.11", "-f", "-", "--show-input", "--show-values", stdin=stdin).out
    assert "Args:([]string)[\x1b[31mred\x1b[0m two\nlines] " in out


def test_show_input_puts_the_text_into_the_document(run: Run) -> None:
    argv = ("hash", "--kubelet", "1.31.0", "-f", "-", "-o", "json", "--show-input", "--show-values")
    text = run(*argv, stdin=as_json(pod({"name": "n", "image": "i"}))).item["hashes"]["1.31.0"]["text"]
    expected = b'{"image":"i","name":"n"}'
    assert text == f"([]uint8)[{' '.join(map(str, expected))}]"


@pytest.mark.parametrize("form", ["table", "wide", "name", "json", "yaml"])
def test_show_input_alone_is_a_usage_error(run: Run, form: str) -> None:
    result = run("hash", "--kubelet", "1.9.11", "--sample", "--show-input", "-o", form)
    assert (result.code, result.out) == (64, "")
    assert "--show-values" in result.err


def test_kubelet_is_needed(run: Run) -> None:
    result = run("hash", "--sample")
    assert (result.code, "--kubelet is missing" in result.err) == (64, True)


@pytest.mark.parametrize(
    ("releases", "stdin", "more", "noted"),
    [
        pytest.param(
            "1.9.11,1.31.0", ARTICLE_MANIFEST.encode(), (), 1, id="a manifest, once for all releases"
        ),
        pytest.param(
            "1.31.0,1.36.3", ARTICLE_MANIFEST.encode(), (), 0, id="name and image are all that 1.31 hashes"
        ),
        pytest.param(
            "1.9.11",
            ARTICLE_MANIFEST.encode(),
            ("--no-defaults",),
            0,
            id="taken as a kubelet reads it from a file",
        ),
        pytest.param("1.9.11", as_json(pod(ARTICLE)), (), 0, id="an API pod"),
    ],
)
def test_what_admission_adds_is_not_in_the_hash_of_a_manifest(
    run: Run, releases: str, stdin: bytes, more: tuple[str, ...], noted: int
) -> None:
    result = run("hash", "--kubelet", releases, "-f", "-", "-o", "json", *more, stdin=stdin)
    assert len(result.document["assumptions"]) == noted
    assert result.err.count("Assumed: manifests: their hashes include neither what admission adds") == noted


def test_as_many_hashes_are_made_as_fit_into_memory(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allowance, "MOST_HASHES", 3)
    given = as_json(pod({"name": "c"}, {"name": "d"}))
    assert run("hash", "--kubelet", "1.9.11", "-f", "-", stdin=given).code == 0
    refused = run("hash", "--kubelet", "1.9.11,1.10.13", "-f", "-", stdin=given)
    assert (refused.code, refused.out) == (1, "")
    assert "more than 3 hashes, the most of one run; name fewer releases" in refused.err


def test_a_manifest_is_read_past_where_there_are_others(run: Run, tmp_path: Path) -> None:
    """Of a file that only older releases decode there are their hashes; each warning names the others."""
    odd = {"fsGroupChangePolicy": 3}  # a field that 1.17 does not know
    for name, more in (("p", {}), ("q", {"securityContext": odd})):
        made = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": "ns"},
            "spec": {"containers": [{"name": "c", "image": "i"}], **more},
        }
        (tmp_path / f"{name}.json").write_text(json.dumps(made))
    flags = ("--static-pod-dir", tmp_path, "--node-name", "n1", "-o", "json")
    result = run("hash", "--kubelet", "1.17.17,1.35.8,1.36.5", *flags)
    releases = {item["pod"]: (list(item["hashes"]), list(item["podUID"])) for item in result.items}
    every = ["1.17.17", "1.35.8", "1.36.5"]
    assert releases == {"p-n1": (every, every), "q-n1": (["1.17.17"], ["1.17.17"])}
    (line,) = [line for line in result.err.splitlines() if "as kubelets do" in line]
    place = f"{tmp_path}/q.json: $.spec.securityContext.fsGroupChangePolicy"
    assert line.startswith(f"Warning: 1.35.8, 1.36.5 skip a file, as kubelets do: {place}: want a string")
    later = run("hash", "--kubelet", "1.36.5", *flags)
    assert [item["pod"] for item in later.items] == ["p-n1"]
    assert "1.36.5 skips a file, as kubelets do" in later.err
    (tmp_path / "p.json").unlink()
    alone = run("hash", "--kubelet", "1.17.17,1.36.5", *flags)
    assert alone.code == 1
    assert "fsGroupChangePolicy: want a string" in alone.err
