"""The metrics have one list; the dashboard of Grafana and the plugins of k9s ask for what there is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Final

import promql_parser
import pytest
import yaml
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard

from tests.fleet.clusters import NEW, cluster, save
from tests.helpers.examples import EXAMPLES
from tests.helpers.pods import as_json, node, pod
from tests.helpers.program import ROOT, Run
from tests.helpers.readback import samples

DASHBOARDS: Final[dict[str, dict[str, Any]]] = {
    path.stem: json.loads(path.read_text("utf-8")) for path in sorted((EXAMPLES / "grafana").glob("*.json"))
}
MOUNTED = {"name": "c", "image": "i", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}
WRONG = {"name": "c", "image": "i", "args": "no list"}
NODE = node("v1.13.12")
NODE["status"]["conditions"] = [{"type": "Ready", "lastHeartbeatTime": "2025-12-31T23:00:00Z"}]
PODS = as_json(NODE, pod(MOUNTED), pod(WRONG, name="w"), pod({"name": "c", "image": "i"}, name="kept"))
COMMANDS = {
    "plan": ("plan", "--to", "1.14.10", "--keep-going"),
    "gate": ("gate", "--to", "1.14.10", "--keep-going"),
    "preflight": ("preflight", "--to", "1.31.14", "--no-node"),
}


def listed() -> dict[str, set[str]]:
    """Return the labels of each metric that the page lists."""
    text = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8").partition("These are all of them.")[2]
    metrics: dict[str, set[str]] = {}
    last: set[str] = set()
    for names, labels in re.findall(r"^\| (`hashcompat_[^|]*) \|([^|]*)\|", text, re.MULTILINE):
        words = set(re.findall("`([a-z]+)`", labels))
        last = words | last if labels.strip().startswith("the same") else words
        for name in re.findall("`([A-Za-z_]+)`", names):
            for subject in (*COMMANDS, "fleet") if "SUBJECT" in name else ("",):
                metrics[name.replace("SUBJECT", subject)] = last
    return metrics


def printed(run: Run, place: Path) -> dict[str, set[str]]:
    """Return the labels of each metric that some results have."""
    metrics: dict[str, set[str]] = {}
    texts = [run(*argv, "-f", "-", "-q", "-o", "prometheus", stdin=PODS).out for argv in COMMANDS.values()]
    (aged := cluster())["items"][0]["status"]["conditions"] = NODE["status"]["conditions"]
    source = save(place / "in", a=cluster(), aged=aged, bad="{")
    words = ("--to", NEW, "--out", place / "out", "--workers", "0", "--waves", "2", "-q")
    texts.append(run("fleet", source, *words, "-o", "prometheus").out)
    for sample in chain.from_iterable(map(samples, texts)):
        metrics[sample.name] = {*sample.labels}
    return metrics


def test_the_page_lists_every_metric_with_its_labels(run: Run, tmp_path: Path) -> None:
    page, metrics = listed(), printed(run, tmp_path)
    assert {name: page.get(name) for name in metrics} == metrics
    # none of these pods is finding and undecided of each result at once, and a preflight is of no plan
    rare = {"hashcompat_preflight_plan_created_timestamp_seconds", "hashcompat_preflight_finding"}
    rare |= {f"hashcompat_fleet_{name}_timestamp_seconds" for name in ("input_taken", "plan_created")}
    assert page.keys() - metrics.keys() <= rare | {"hashcompat_preflight_undecided"}


def test_each_time_says_what_it_is_of(run: Run) -> None:
    lines = run(
        "plan", "--from", "1.30.14", "--to", "1.31.14", "--sample", "-q", "-o", "prometheus"
    ).out.splitlines()
    times = [line.removeprefix("# HELP ").partition(" ") for line in lines if "_timestamp_seconds " in line]
    assert {
        name.removesuffix("_timestamp_seconds"): text for name, _, text in times if text.endswith("seconds")
    } == {
        "hashcompat_plan_plan_created": "When the plan was created, in Unix seconds",
        "hashcompat_plan_report_made": "When the report was made, in Unix seconds",
        "hashcompat_plan_release_data": "The day of the release data, in Unix seconds",
    }


@pytest.mark.parametrize("name", DASHBOARDS)
def test_the_dashboard_is_what_grafana_knows(name: str) -> None:
    """Grafana's own types read it, and nothing is lost: no field has a name that Grafana does not know."""
    register_default_plugins()
    dashboard = DASHBOARDS[name]
    known = json.loads(JSONEncoder(sort_keys=True).encode(Dashboard.from_json(dashboard)))
    assert [*lost(dashboard, known)] == []
    wrong = json.loads(json.dumps(dashboard).replace('"gridPos"', '"gridPosition"', 1))
    again = json.loads(JSONEncoder(sort_keys=True).encode(Dashboard.from_json(wrong)))
    assert [*lost(wrong, again)] == ["$.panels[0].gridPosition"]


def lost(given: Any, kept: Any, path: str = "$") -> Iterator[str]:
    """Yield the paths of what is not the same in another value, which may have more."""
    if isinstance(given, dict) and isinstance(kept, dict):
        for key, value in given.items():
            yield from lost(value, kept[key], f"{path}.{key}") if key in kept else [f"{path}.{key}"]
    elif isinstance(given, list) and isinstance(kept, list) and len(given) == len(kept):
        for place, (element, other) in enumerate(zip(given, kept, strict=True)):
            yield from lost(element, other, f"{path}[{place}]")
    elif given != kept:
        yield path


@pytest.mark.parametrize(
    "panel",
    [panel for one in DASHBOARDS.values() for panel in one["panels"]],
    ids=lambda panel: str(panel["title"]),
)
def test_each_panel_asks_for_metrics_that_there_are(panel: Any) -> None:
    known = listed()
    assert panel["description"]
    for target in panel["targets"]:
        asked = target["expr"].replace("$job", ".*").replace("$target", ".*")
        promql_parser.parse(asked)
        names = set(re.findall(r"\bhashcompat_[a-z_]+\b", re.sub(r'__name__=~"[^"]*"', "", asked)))
        assert names <= known.keys()
        for name, labels in re.findall(r"\b(hashcompat_[a-z_]+)\{([^}]*)\}", asked):
            assert {*re.findall(r"([a-z_]+)[=!]", labels)} - {"job"} <= known[name]
        for pattern in re.findall(r'__name__=~"([^"]*)"', asked):
            assert [name for name in known if re.fullmatch(pattern, name)]


@pytest.mark.parametrize("name", DASHBOARDS)
def test_panels_do_not_overlap(name: str) -> None:
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARDS[name]["panels"]:
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert not cells & taken
        assert place["x"] + place["w"] <= 24
        taken |= cells


PLUGINS: Final = yaml.safe_load((EXAMPLES / "k9s" / "plugins.yaml").read_text(encoding="utf-8"))["plugins"]
VALUES: Final = {"$CONTEXT": "prod", "$NAMESPACE": "shop", "$NAME": "web", "$RESOURCE_NAME": "deployments"}


@pytest.mark.parametrize("name", PLUGINS)
def test_a_plugin_of_k9s_asks_what_the_program_answers(run: Run, tmp_path: Path, name: str) -> None:
    """The program takes the command of each plugin; names are arguments, never part of the script."""
    plugin = PLUGINS[name]
    assert set(plugin) == {"shortCut", "description", "scopes", "command", "background", "args"}
    _, script, *given = plugin["args"]
    assert not [value for value in VALUES if value in script]
    words = re.findall(r'"[^"]*"|\S+', script.partition(" 2>&1")[0])
    values = [VALUES[argument] for argument in given]
    argv = [
        re.sub(r"\$([0-9])", lambda match: values[int(match[1])], word.strip('"')).replace(
            "${KUBELET_TO:-latest}", "latest"
        )
        for word in words
    ]
    assert argv[0] == "hashcompat"
    result = run(*argv[1:], "--kubeconfig", tmp_path / "missing")
    assert "No such option" not in result.err
    assert result.code == 1, "it gets as far as asking kubectl"


def test_each_key_has_one_meaning_in_a_view() -> None:
    keys = [(scope, plugin["shortCut"]) for plugin in PLUGINS.values() for scope in plugin["scopes"]]
    assert len(keys) == len({*keys})
