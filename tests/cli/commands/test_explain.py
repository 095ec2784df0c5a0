"""``explain``: sentences, where texts differ, what will be seen, whole texts; and releases in general."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from hashcompat.analysis.answers import texts as marking
from hashcompat.core.go import allowance
from tests.disruption.pods import RESTARTS, replica
from tests.helpers.pods import ARTICLE, Json, as_json, mirror_pod, node, pod
from tests.helpers.program import Run

TARGET = "ns/p"
ASKED = ("explain", TARGET, "--from", "1.7.16", "--to", "1.9.11", "-f", "-")


def explain(run: Run, old: str, new: str, *more: str, stdin: bytes = b"", target: str = TARGET) -> str:
    result = run(
        "explain", target, "--from", old, "--to", new, "-f", "-", *more, stdin=stdin or as_json(pod(ARTICLE))
    )
    assert result.code == 0
    return result.out


def test_the_recorded_case_has_every_section(run: Run) -> None:
    out = explain(run, "1.7.16", "1.9.11")
    assert out.startswith(
        "ns/p/prometheus-node-exporter: RESTART\n\nWhen the kubelet 1.9.11 starts, it kills"
    )
    assert "new fields MountPropagation (since 1.8) and VolumeDevices (since 1.9)" in out
    assert "from  1.7.16     1559107639  5cee1837  spew-fnv32a\n" in out
    assert "to    1.9.11     1428860573  552aae9d  spew-fnv32a\n" in out
    titles = [
        "Commands",
        "Where they differ, [-only 1.7.16-] {+only 1.9.11+}",
        "Upstream",
        "What to expect",
    ]
    assert [out.index(f"\n{title}\n") for title in titles] == sorted(out.index(f"\n{t}\n") for t in titles)
    assert "(v1.Container){" not in out


def test_the_fragment_is_what_differs_with_its_context(run: Run) -> None:
    out = explain(run, "1.7.16", "1.9.11")
    mount = "SubPath:(string){+ MountPropagation:(*v1.MountPropagationMode)<nil>+}}]"
    assert f"{mount}{{+ VolumeDevices:([]v1.VolumeDevice)<nil>+}} LivenessProbe:" in out
    document = run(*ASKED, "-o", "json", stdin=as_json(pod(ARTICLE))).item
    added = [piece["text"] for piece in document["fragment"] if piece["kind"] == "added"]
    assert added == [
        " MountPropagation:(*v1.MountPropagationMode)<nil>",
        " VolumeDevices:([]v1.VolumeDevice)<nil>",
    ]


def test_a_difference_in_a_masked_value_is_not_shown_as_none(run: Run) -> None:
    given = as_json(pod({"name": "c", "args": ["a\fb"]}))
    out = explain(run, "1.27.15", "1.27.16", stdin=given)
    assert "They differ in a masked value; --show-values prints what is really hashed." in out
    assert '"a\\f' not in out
    assert "They differ in a masked value" in explain(run, "1.27.15", "1.27.16", "--no-hashes", stdin=given)
    shown = explain(run, "1.27.15", "1.27.16", "--show-values", stdin=given)
    assert '[-"a\\u000cb"-]{+"a\\fb"+}' in shown


def test_masks_are_explained_where_they_are_shown(run: Run) -> None:
    note = "Values are masked; --show-values"
    given = as_json(pod({"name": "c", "image": "i", "args": ["secret"]}))
    assert note in explain(run, "1.15.12", "1.16.15", stdin=given)
    assert note not in explain(run, "1.8.15", "1.9.0", stdin=as_json(pod({"name": "c"})))


@pytest.mark.parametrize("more", [(), ("--full",)])
def test_what_is_decided_before_any_hash_shows_texts_only_if_asked(run: Run, more: tuple[str, ...]) -> None:
    out = explain(run, "1.5.8", "1.6.0", *more)
    assert ("(v1.Container){" in out, "spew-fnv32a" in out) == ((True, True) if more else (False, False))
    static = explain(run, "1.20.15", "1.21.14", *more, stdin=as_json(mirror_pod(ARTICLE)), target="ns/p-n1")
    assert ('"name":' in static) is bool(more)


@pytest.mark.usefixtures("untraced")
def test_many_places_are_bounded(run: Run) -> None:
    mounts = [{"name": f"v{number}", "mountPath": f"/v{number}"} for number in range(800)]
    given = as_json(pod({"name": "c", "image": "i", "volumeMounts": mounts}))
    out = explain(run, "1.13.12", "1.14.10", stdin=given)
    assert "More places differ; --full shows all." in out
    assert len(out) < 4000
    assert len(explain(run, "1.15.12", "1.16.15", stdin=given)) < 4000


def test_the_text_marks_what_only_the_new_kubelet_hashes(run: Run) -> None:
    out = explain(run, "1.7.16", "1.9.11", "--full")
    mount = "SubPath:(string){+ MountPropagation:(*v1.MountPropagationMode)<nil>+}}]"
    assert mount + "{+ VolumeDevices:([]v1.VolumeDevice)<nil>+} Liveness" in out
    assert "[-" not in out.partition("[-only 1.7.16-]")[2]


def test_the_text_marks_what_only_the_old_kubelet_hashes(run: Run) -> None:
    assert "[- VolumeDevices:([]v1.VolumeDevice)<nil>-]" in explain(run, "1.9.11", "1.8.15")


def test_upstream_changes_cite_pull_requests(run: Run) -> None:
    out = explain(run, "1.7.16", "1.9.11").partition("Upstream\n")[2]
    assert "  1.8  MountPropagation: mount propagation between host and container" in out
    assert "  https://github.com/kubernetes/kubernetes/pull/46444\n" in out
    assert "  https://github.com/kubernetes/kubernetes/pull/50457\n" in out


def test_an_upstream_change_is_cited_once(run: Run) -> None:
    given = as_json(pod({"name": "one", "image": "i"}, {"name": "two", "image": "j"}))
    out = explain(run, "1.8.15", "1.9.0", stdin=given)
    assert (out.count("two: RESTART"), out.count("pull/50457"), out.count("Upstream\n")) == (1, 1, 1)


def test_a_rule_that_no_change_of_types_is_behind_cites_its_source(run: Run) -> None:
    out = explain(run, "1.5.8", "1.6.0")
    assert "  HC017  kubernetes/kubernetes#40727 (1.6)\n  https://github.com/" in out
    static = explain(run, "1.20.15", "1.21.14", stdin=as_json(mirror_pod(ARTICLE)), target="ns/p-n1")
    assert "  HC022  kubernetes/kubernetes#87461 (1.21)\n" in static
    assert static.count("https://") == 1
    later = explain(run, "1.31.14", "1.32.13", stdin=as_json(mirror_pod(ARTICLE)), target="ns/p-n1")
    assert "  HC022  kubernetes/kubernetes#116080\n" in later
    assert "Upstream" not in explain(run, "1.16.0", "1.30.14")
    finished = as_json(pod(ARTICLE, status={"phase": "Succeeded"}))
    assert "Upstream" not in explain(run, "1.30.14", "1.31.14", stdin=finished)


def test_json_eras_show_the_json_and_the_field(run: Run) -> None:
    container = {"name": "c", "image": "i", "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}}}
    out = explain(run, "1.18.20", "1.19.16", "--full", stdin=as_json(pod(container)))
    assert "securityContext.seccompProfile  absent  ->" in out
    assert '"securityContext":{{+"seccompProfile":{"type":"RuntimeDefault"}+}}' in out.replace("+}{+", "")


def test_across_the_step_to_json_both_texts_stand_one_after_the_other(run: Run) -> None:
    out = explain(run, "1.15.12", "1.16.0", "--full")
    assert "Text that 1.15.12 hashes" in out
    assert "JSON whose bytes 1.16.0 hashes, as ([]uint8)[123 34" in out
    assert "kubernetes/kubernetes/pull/57741" in out
    assert "Fields that make the difference" not in out


def test_across_eras_what_each_hashes_is_said_and_how_it_begins(run: Run) -> None:
    out = explain(run, "1.15.12", "1.16.15")
    begins = "(v1.Container){Name:(string)prometheus-node-exporter Image:(string)harbor.finupgroup.com"
    assert f"\n1.15.12 hashes the Go text of the whole container\n  {begins[:70]} …\n" in out
    assert '\n1.16.15 hashes the JSON of the whole container\n  {"name":"prometheus-node-exporter",' in out


def test_across_the_step_to_name_and_image_the_json_is_these_two(run: Run) -> None:
    image = "harbor.finupgroup.com/kubernetes/node-exporter:v0.16.0"
    whole = f'{{"image":"{image}","name":"prometheus-node-exporter"}}'
    assert f"\n  {whole}\n" in explain(run, "1.30.0", "1.31.0", "--full")
    out = explain(run, "1.30.0", "1.31.0")
    assert f"\n1.31.0 hashes the JSON of its name and image alone\n  {whole[:70]} …\n" in out
    assert "https://github.com/kubernetes/kubernetes/pull/124220" in out


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
def test_the_log_line_is_the_one_of_the_target_kubelet(run: Run, old: str, new: str, line: str) -> None:
    out = explain(run, old, new)
    assert line in out.partition("What to expect\n")[2].splitlines()[0]
    assert (
        run(
            *ASKED[:2], "--from", old, "--to", new, "-f", "-", "-o", "json", stdin=as_json(pod(ARTICLE))
        ).item["logLine"]
        == line
    )


def test_a_sidecar_has_an_event_and_no_log_line(run: Run) -> None:
    given = pod(
        {"name": "main"}, spec={"initContainers": [{"name": "s", "image": "i", "restartPolicy": "Always"}]}
    )
    command = ("explain", "ns/p/s", "--from", "1.30.14", "--to", "1.32.13", "-f", "-")
    out = run(*command, stdin=as_json(given)).out
    assert out.endswith("What to expect\n  event: Killing: Init container s definition changed\n")
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
    assert "What to expect" not in out
    assert "No action is needed." in out or "until then count it as a restart." in out


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
    ],
)
def test_an_unknown_pod_or_container_names_near_ones(run: Run, target: str, hint: str) -> None:
    result = run("explain", target, "--from", "1.7.16", "--to", "1.9.11", "--sample")
    assert (result.code, result.out) == (1, "")
    assert target in result.err
    assert hint in result.err


@pytest.mark.parametrize("target", ["prometheus", "/p", "ns/", "/", "x/y/z/w", "a/b/c/d/e"])
def test_a_target_of_another_form_is_a_usage_error(run: Run, target: str) -> None:
    result = run("explain", target, "--from", "1.7.16", "--to", "1.9.11", "--sample")
    assert (result.code, result.out, "is not NAMESPACE/POD" in result.err) == (64, "", True)


@pytest.mark.parametrize(
    ("objects", "why"),
    [
        ((pod(),), "Node n1: its kubelet release is not in the input."),
        ((node("v2.0.0"), pod()), "Node n1: kubelet release v2.0.0 is not known."),
        ((pod(node=""),), "A pod without a node: its kubelet release is not in the input."),
    ],
    ids=["no node", "unknown release", "not scheduled"],
)
def test_a_pod_whose_release_is_not_known_is_unknown(
    run: Run, objects: tuple[dict[str, object], ...], why: str
) -> None:
    result = run("explain", TARGET, "--from", "auto", "--to", "1.9.11", "-f", "-", stdin=as_json(*objects))
    assert (result.code, result.out.startswith("ns/p/c: UNKNOWN\n")) == (0, True)
    assert f"\n{why}\nThe release of the node's kubelet decides" in result.out


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
    out = run("explain", "--from", old, "--to", new).out
    assert out.startswith(f"Every container restarts: {old} hashes the ")
    assert all(f"https://github.com/kubernetes/kubernetes/pull/{number}\n" in out for number in pulls)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("1.8.15", "1.9.11", "Every container restarts: 1.8.15 and 1.9.11 have other fields in Container"),
        ("1.9.11", "1.10.0", "A container restarts if it has a value of one of the types below: 1.9.11 and"),
        ("1.10.0", "1.11.0", "No container restarts for its hash: 1.10.0 and 1.11.0 hash the Go text of"),
        ("1.5.8", "1.6.0", "Every container restarts: 1.5.8 hashes the Go text of the whole container with"),
        ("1.18.20", "1.19.0", "A container restarts if it sets a field that only one of 1.18.20 and 1.19.0"),
        (
            "1.27.15",
            "1.27.16",
            "A container restarts if it contains a backspace or form feed: 1.27.15 and 1.27.16",
        ),
        (
            "1.26.15",
            "1.27.16",
            "A container restarts if it sets a field that only one of 1.26.15 and 1.27.16 knows, or contains",
        ),
        (
            "1.31.0",
            "1.36.0",
            "No container restarts for its hash: 1.31.0 and 1.36.0 both hash the JSON of a",
        ),
    ],
)
def test_without_a_pod_a_sentence_comes_first(run: Run, old: str, new: str, sentence: str) -> None:
    assert run("explain", "--from", old, "--to", new).out.startswith(sentence)


def test_equal_trees_say_so(run: Run) -> None:
    assert "The type trees are the same." in run("explain", "--from", "1.10.0", "--to", "1.11.0").out
    assert run("explain", "--from", "1.10.0", "--to", "1.11.0", "-o", "json").document["types"] == []


def test_pods_without_a_target_are_a_usage_error(run: Run) -> None:
    result = run("explain", "--from", "1.7.16", "--to", "1.9.11", "--sample")
    assert (result.code, "name the pod" in result.err) == (64, True)


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


def test_replicas_are_explained_once(run: Run) -> None:
    """The pods of a StatefulSet and of a file with the same name in two namespaces are told apart by name."""
    given = [pod(ARTICLE, node=f"n{number}", metadata={"uid": f"u{number}"}) for number in range(8)]
    out = explain(run, "1.7.16", "1.9.11", stdin=as_json(*given))
    assert out.count("When the kubelet 1.9.11 starts") == 1
    names = ", ".join(["ns/p/prometheus-node-exporter"] * 5)
    assert f"RESTART\nand 7 more like it: {names}, …\n" in out
    other = pod({**ARTICLE, "image": "other"}, node="n8", metadata={"uid": "other"})
    out = explain(run, "1.7.16", "1.9.11", stdin=as_json(given[0], given[1], other))
    assert (out.count("When the kubelet 1.9.11 starts"), out.count("more like it")) == (2, 1)


def with_token(name: str, node: str, token: str) -> Json:
    """Return a replica with a token mount of its own."""
    mount = {"name": f"kube-api-access-{token}", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}
    manifest = replica(name, node, owner="StatefulSet/web", spec={"serviceAccountName": "web"})
    manifest["metadata"]["uid"] = f"uid-{name}"
    manifest["spec"]["containers"] = [{**RESTARTS, "volumeMounts": [mount]}]
    return manifest


def test_replicas_with_token_mounts_of_their_own_are_explained_once_the_worst_first(run: Run) -> None:
    tokens = ("x7k2p", "bqgkv", "dk4sq")
    pods = [with_token(f"web-{number}", f"n{number}", token) for number, token in enumerate(tokens)]
    nodes = [node("v1.31.14", "n0"), node("v1.30.14", "n1"), node("v1.30.14", "n2")]
    way = ("explain", "sts/web", "-n", "ns", "--from", "auto", "--to", "1.31.14", "-f", "-")
    out = run(*way, stdin=as_json(*nodes, *pods)).out
    lines = [line for line in out.splitlines() if line.startswith(("ns/", "and "))]
    assert lines == [
        "ns/web-1/c: RESTART",
        "and 1 more like it, each with hashes of its own: ns/web-2/c",
        "ns/web-0/c: KEEP",
    ]
    assert out.count("What to expect") == out.count("1.31.14 starts, it kills")


def test_hashes_are_withheld_from_sentences_fragments_and_what_will_be_seen(run: Run) -> None:
    out = explain(run, "1.7.16", "1.9.11", "--no-hashes")
    assert "1559107639" not in out
    assert "5cee1837" not in out
    assert "1428860573" not in out
    assert "Where they differ" in out


def test_the_uid_of_a_static_pod_is_withheld_as_a_hash(run: Run, tmp_path: Path) -> None:
    manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "ns"}}
    (tmp_path / "p.json").write_text(
        json.dumps({**manifest, "spec": {"containers": [{"name": "c", "image": "i"}]}})
    )
    way = ("explain", "ns/p-n1", "--from", "1.20.15", "--to", "1.21.14", "--node-name", "n1")
    result = run(*way, "--static-pod-dir", tmp_path, "-o", "json")
    (uid,) = [seen["text"] for seen in result.item["expect"] if seen["where"] == "uid"]
    assert re.fullmatch("[0-9a-f]{32} -> [0-9a-f]{32}", uid)
    assert "new UID: " in run(*way, "--static-pod-dir", tmp_path).out
    withheld = run(*way, "--static-pod-dir", tmp_path, "--no-hashes", "-o", "json").item
    assert [seen["where"] for seen in withheld["expect"]] == ["log", "event"]


@pytest.mark.parametrize("columns", ["80", "120"])
@pytest.mark.parametrize(
    ("old", "new"), [("1.7.16", "1.9.11"), ("1.15.12", "1.16.15"), ("1.30.14", "1.31.14"), ("1.5.8", "1.6.0")]
)
def test_a_terminal_gets_lines_that_fit_it(
    run: Run, monkeypatch: pytest.MonkeyPatch, columns: str, old: str, new: str
) -> None:
    """Off a terminal no line is broken, so that a command or a text can be copied."""
    whole = explain(run, old, new)
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    fitted = explain(run, old, new, "--color", "never")
    assert max(map(len, fitted.splitlines())) <= int(columns)
    assert max(map(len, whole.splitlines())) > int(columns)
    assert fitted.split() == whole.split()
    assert len(fitted.splitlines()) <= 45


def test_a_release_difference_fits_a_terminal_but_for_its_table(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    out = run("explain", "--from", "1.30.14", "--to", "1.31.14", "--color", "never").out
    assert max(map(len, out.partition("TYPES MADE FROM")[0].splitlines())) <= 80
