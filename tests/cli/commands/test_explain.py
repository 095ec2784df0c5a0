"""``explain``: the fields, both texts, the upstream change, the log line; and two releases in general."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.answers import marking
from hashcompat.go import allowance
from tests.helpers.pods import ARTICLE, as_json, mirror_pod, node, pod
from tests.helpers.program import Run

TARGET = "ns/p"


def explain(run: Run, old: str, new: str, *more: str, stdin: bytes = b"", target: str = TARGET) -> str:
    result = run(
        "explain", target, "--from", old, "--to", new, "-f", "-", *more, stdin=stdin or as_json(pod(ARTICLE))
    )
    assert result.code == 0
    return result.out


def test_the_recorded_case_has_every_section(run: Run) -> None:
    out = explain(run, "1.7.16", "1.9.11")
    assert out.startswith(
        "ns/p/prometheus-node-exporter: RESTART, new field MountPropagation, VolumeDevices\n"
    )
    assert "from  1.7.16     1559107639  5cee1837  spew-fnv32a\n" in out
    assert "to    1.9.11     1428860573  552aae9d  spew-fnv32a\n" in out
    for title in (
        "Fields that make the difference\n",
        "Hashed text, ",
        "Upstream changes\n",
        "Expect in the kubelet's log\n",
    ):
        assert title in out


def test_the_text_marks_what_only_the_new_kubelet_hashes(run: Run) -> None:
    out = explain(run, "1.7.16", "1.9.11")
    mount = "SubPath:(string){+ MountPropagation:(*v1.MountPropagationMode)<nil>+}}]"
    assert mount + "{+ VolumeDevices:([]v1.VolumeDevice)<nil>+} Liveness" in out
    assert "[-" not in out.partition("[-only 1.7.16-]")[2]


def test_the_text_marks_what_only_the_old_kubelet_hashes(run: Run) -> None:
    assert "[- VolumeDevices:([]v1.VolumeDevice)<nil>-]" in explain(run, "1.9.11", "1.8.15")


def test_upstream_changes_cite_pull_requests(run: Run) -> None:
    out = explain(run, "1.7.16", "1.9.11").partition("Upstream changes")[2]
    assert "kubernetes/kubernetes#46444" in out
    assert "kubernetes/kubernetes#50457" in out


def test_json_eras_show_the_json_and_the_field(run: Run) -> None:
    container = {"name": "c", "image": "i", "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}}}
    out = explain(run, "1.18.20", "1.19.16", stdin=as_json(pod(container)))
    assert "securityContext.seccompProfile  absent  ->" in out
    assert '"securityContext":{{+"seccompProfile":{"type":"RuntimeDefault"}+}}' in out.replace("+}{+", "")


def test_across_the_step_to_json_both_texts_stand_one_after_the_other(run: Run) -> None:
    out = explain(run, "1.15.12", "1.16.0")
    assert "Text that 1.15.12 hashes" in out
    assert "JSON whose bytes 1.16.0 hashes, as ([]uint8)[123 34" in out
    assert "kubernetes/kubernetes#57741" in out
    assert "Fields that make the difference" not in out


def test_across_the_step_to_name_and_image_the_json_is_these_two(run: Run) -> None:
    out = explain(run, "1.30.0", "1.31.0")
    image = "harbor.finupgroup.com/kubernetes/node-exporter:v0.16.0"
    assert f'\n  {{"image":"{image}","name":"prometheus-node-exporter"}}\n' in out
    assert "kubernetes/kubernetes#124220" in out


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (
            "1.9.11",
            "1.7.16",
            (
                'Pod "p" container "prometheus-node-exporter" hash changed (1428860573 vs 1559107639), '
                "it will be killed and re-created."
            ),
        ),
        (
            "1.7.16",
            "1.9.11",
            (
                "Container spec hash changed (1559107639 vs 1428860573).. "
                "Container will be killed and recreated."
            ),
        ),
        ("1.13.12", "1.14.10", "Container prometheus-node-exporter definition changed, will be restarted"),
    ],
)
def test_the_log_line_is_the_one_of_the_kubelet_to_come(run: Run, old: str, new: str, line: str) -> None:
    assert explain(run, old, new).endswith(f"Expect in the kubelet's log\n  {line}\n")


def test_a_sidecar_has_an_event_and_no_log_line(run: Run) -> None:
    given = pod(
        {"name": "main"}, spec={"initContainers": [{"name": "s", "image": "i", "restartPolicy": "Always"}]}
    )
    command = ("explain", "ns/p/s", "--from", "1.30.14", "--to", "1.32.13", "-f", "-")
    out = run(*command, stdin=as_json(given)).out
    assert out.endswith("Expect among the pod's events\n  Init container s definition changed\n")
    item = run(*command, "-o", "json", stdin=as_json(given)).item
    assert (item["event"], item["logLine"]) == ("Init container s definition changed", "")


@pytest.mark.parametrize(
    ("old", "new", "given"), [("1.9.11", "1.13.12", pod(ARTICLE)), ("1.5.8", "1.5.6", mirror_pod(ARTICLE))]
)
def test_without_a_restart_there_is_no_log_line_and_no_upstream_change(
    run: Run, old: str, new: str, given: dict[str, Any]
) -> None:
    target = f"ns/{given['metadata']['name']}/{ARTICLE['name']}"
    out = explain(run, old, new, stdin=as_json(given), target=target)
    assert "kubelet's log" not in out
    assert "Upstream" not in out


def test_the_document_holds_what_the_text_says(run: Run) -> None:
    item = run(
        "explain",
        TARGET,
        "--from",
        "1.7.16",
        "--to",
        "1.9.11",
        "-f",
        "-",
        "-o",
        "json",
        stdin=as_json(pod(ARTICLE)),
    ).item
    assert (item["from"]["hex"], item["to"]["hex"], item["verdict"], item["masked"]) == (
        "5cee1837",
        "552aae9d",
        "RESTART",
        True,
    )
    assert {field["path"]: (field["from"], field["to"]) for field in item["fields"]} == {
        "VolumeDevices": ("absent", None),
        "VolumeMounts[0].MountPropagation": ("absent", None),
    }
    assert [row["pr"] for row in item["upstream"]] == [
        "kubernetes/kubernetes#46444",
        "kubernetes/kubernetes#50457",
    ]
    assert item["from"]["text"].startswith("(v1.Container){Name:(string)prometheus-node-exporter ")


def test_a_pod_is_explained_container_by_container(run: Run) -> None:
    stdin = as_json(pod({"name": "one"}, {"name": "two"}))
    argv = ("--from", "1.9.11", "--to", "1.10.0", "-f", "-", "-o", "json")
    assert [item["container"] for item in run("explain", "ns/p", *argv, stdin=stdin).items] == ["one", "two"]
    assert [item["container"] for item in run("explain", "ns/p/two", *argv, stdin=stdin).items] == ["two"]


def test_colour_marks_what_is_marked(run: Run) -> None:
    out = explain(run, "1.7.16", "1.9.11", "--color", "always")
    assert "\x1b[32m{+ VolumeDevices:([]v1.VolumeDevice)<nil>+}\x1b[0m" in out


def test_names_and_texts_with_control_characters_are_escaped(run: Run) -> None:
    given = pod({"name": "c\x1b[2J", "image": "i\x9b2J", "securityContext": {}}, name="p\nq")
    out = run("explain", "ns/p\nq", "--from", "1.9.11", "--to", "1.7.16", "-f", "-", stdin=as_json(given)).out
    assert set(map(ord, out)) & {*range(32), 0x7F, *range(0x80, 0xA0)} == {ord("\n")}
    assert out.startswith('ns/"p\\nq"/"c\\x1b[2J": RESTART')


@pytest.mark.parametrize(
    ("target", "hint"),
    [
        ("monitoring/prometheus-node-exporter", "monitoring/prometheus-node-exporter-"),
        ("default/toolbox", "batch/toolbox"),
        ("data/redis-0/redi", "near it: redis"),
        ("x/y/z/w", "near it: "),
    ],
)
def test_an_unknown_pod_or_container_names_near_ones(run: Run, target: str, hint: str) -> None:
    result = run("explain", target, "--from", "1.7.16", "--to", "1.9.11", "--sample")
    assert (result.code, result.out) == (1, "")
    assert target in result.err
    assert hint in result.err


@pytest.mark.parametrize("target", ["prometheus", "/p", "ns/", "/", ""])
def test_a_target_of_another_form_is_a_usage_error(run: Run, target: str) -> None:
    result = run("explain", target, "--from", "1.7.16", "--to", "1.9.11", "--sample")
    assert (result.code, result.out, "is not NAMESPACE/POD" in result.err) == (64, "", True)


@pytest.mark.parametrize("objects", [(pod(),), (node("v2.0.0"), pod())], ids=["no node", "unknown release"])
def test_a_pod_whose_release_is_not_known_cannot_be_explained(
    run: Run, objects: tuple[dict[str, object], ...]
) -> None:
    result = run("explain", TARGET, "--from", "auto", "--to", "1.9.11", "-f", "-", stdin=as_json(*objects))
    assert (result.code, result.out) == (1, "")
    assert "kubelet release" in result.err


def test_a_deep_unknown_field_is_dropped_not_followed(run: Run) -> None:
    deep: object = 1
    for _ in range(600):
        deep = {"a": deep}
    assert "deep" not in explain(run, "1.9.11", "1.10.0", stdin=as_json(pod({"name": "c", "deep": deep})))


def test_without_a_pod_the_type_trees_are_compared(run: Run) -> None:
    out = run("explain", "--from", "1.7.16", "--to", "1.9.11").out
    rows = {tuple(line.split()[:2]): line.split()[2:] for line in out.splitlines()}
    assert rows["Container", "VolumeDevices"] == [
        "absent",
        "[]VolumeDevice",
        "1.9",
        "kubernetes/kubernetes#50457",
    ]
    assert rows["VolumeDevice", "DevicePath"] == ["absent", "string", "-", "-"]
    assert rows["SecurityContext", "AllowPrivilegeEscalation"][-1] == "kubernetes/kubernetes#47019"


@pytest.mark.parametrize(
    ("old", "new", "pulls"),
    [
        ("1.15.12", "1.16.0", ["57741"]),
        ("1.31.0", "1.30.0", ["124220"]),
        ("1.15.0", "1.36.0", ["57741", "124220"]),
    ],
)
def test_without_a_pod_a_new_algorithm_is_named(run: Run, old: str, new: str, pulls: list[str]) -> None:
    document = run("explain", "--from", old, "--to", new, "-o", "json").document
    assert [row["pr"] for row in document["upstream"]] == [
        f"kubernetes/kubernetes#{number}" for number in pulls
    ]
    assert "every container restarts" in run("explain", "--from", old, "--to", new).out


def test_equal_trees_say_so(run: Run) -> None:
    assert "The type trees are the same." in run("explain", "--from", "1.10.0", "--to", "1.11.0").out
    assert run("explain", "--from", "1.10.0", "--to", "1.11.0", "-o", "json").document["types"] == []


def test_pods_without_a_target_are_a_usage_error(run: Run) -> None:
    result = run("explain", "--from", "1.7.16", "--to", "1.9.11", "--sample")
    assert (result.code, "say which pod" in result.err) == (64, True)


def test_a_text_of_many_changed_words_is_marked_as_a_whole() -> None:
    """Comparing each word with each would take hours."""
    old, new = (" ".join(f"{side}{number}" for number in range(4000)) for side in "ab")
    assert marking.mark(f"x {old} y", f"x {new} y") == f"x[- {old}-]{{+ {new}+}} y"


def test_as_many_containers_are_explained_as_a_reader_can_read(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(allowance, "MOST_EXPLAINED", 1)
    assert explain(run, "1.7.16", "1.9.11")
    releases = ("--from", "1.7.16", "--to", "1.9.11")
    result = run("explain", TARGET, *releases, "-f", "-", stdin=as_json(pod(ARTICLE, {"name": "d"})))
    assert (result.code, result.out) == (1, "")
    assert "more than 1 containers of that name, the most of one run; name one container" in result.err
