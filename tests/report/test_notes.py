"""What goes with a plan on stderr: one warning of a kind, commands to go on with, the closing line last."""

from __future__ import annotations

import shlex

import pytest

from hashcompat.core.model.items import Item
from hashcompat.core.model.plan import Hop, Suggestion
from hashcompat.core.model.verdicts import Verdict
from hashcompat.output.report.plan import PLAN
from hashcompat.output.report.planview import Excerpt, Invocation
from tests.helpers.hostile import NAMES
from tests.helpers.plans import excerpt, item, plan

AGAIN = Invocation("hashcompat", ("-f", "my pods.json", "-n", "shop"), ("--recorded", "a.json"))
WAY = "--from auto --to 1.9.11 -f 'my pods.json' -n shop --recorded a.json"
PATCH = Suggestion("1.9.11", ("1.7.16", "1.8.15"), 3)
KEPT = item(Verdict.KEEP)


def lines(shown: Excerpt) -> list[str]:
    return list(PLAN.notes(shown))


def commands(*items: Item, invocation: Invocation = AGAIN, suggestion: Suggestion | None = None) -> list[str]:
    made = plan(*items, suggestion=suggestion)
    said = lines(Excerpt(made, made.items, invocation=invocation))
    start = next((place for place, line in enumerate(said) if line.startswith("Next: ")), len(said) - 1)
    assert all(line.startswith("      ") for line in said[start + 1 : -1])
    return [line[6:] for line in said[start:-1]]


def test_the_worst_owner_is_explained_and_the_nodes_are_listed() -> None:
    pods = [item(owner="Deployment/b", pod=f"b-{number}") for number in range(2)]
    assert commands(item(owner="Deployment/a", pod="a-0"), *pods) == [
        f"hashcompat explain shop/b-0 {WAY}",
        f"hashcompat plan {WAY} --only-restarts --group-by node",
    ]


def test_a_patch_takes_the_place_of_the_nodes() -> None:
    assert commands(item(), suggestion=PATCH)[1:] == [
        "hashcompat patch --kubelet 1.9.11 --like 1.7.16,1.8.15"
    ]


def test_a_pod_that_is_killed_comes_before_one_that_is_unknown() -> None:
    unknown = item(Verdict.UNKNOWN, pod="a")
    assert commands(unknown, item(pod="b"))[0] == f"hashcompat explain shop/b {WAY}"
    assert commands(unknown) == [f"hashcompat explain shop/a {WAY}"]


def test_manifests_are_on_no_node_that_could_be_listed() -> None:
    assert commands(item(node="")) == [f"hashcompat explain shop/web-1 {WAY}"]


def test_where_nothing_restarts_preflight_is_next() -> None:
    preflight = "preflight --to 1.9.11 --no-node -f 'my pods.json' -n shop"
    assert commands(KEPT) == [f"hashcompat {preflight}"]
    assert commands(item(Verdict.KEEP, node="")) == []
    plugin = Invocation("kubectl hashcompat", AGAIN.pods, AGAIN.facts)
    assert commands(KEPT, invocation=plugin) == [f"kubectl hashcompat {preflight}"]
    patched = commands(item(), invocation=plugin, suggestion=PATCH)
    assert [line.startswith("kubectl hashcompat ") for line in patched] == [True, True]


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_a_name_is_in_a_command_only_if_it_can_be_pasted(name: str) -> None:
    texts = commands(item(pod=name, owner="Deployment/a"), item(pod="plain", owner="Deployment/b"))
    words = shlex.split(texts[0])
    assert words[:2] == ["hashcompat", "explain"]
    assert words[2] in (f"shop/{name}", "shop/plain")
    assert "\n" not in texts[0]


def test_no_name_at_all_leaves_the_other_command() -> None:
    assert [line.split()[1] for line in commands(item(pod="a\nb"))] == ["plan"]


def test_the_api_has_no_command_line_to_repeat() -> None:
    said = list(PLAN.notes(plan(item(), suggestion=PATCH)))
    assert said == [
        "A patched kubelet would restart 3 fewer: hashcompat patch --kubelet 1.9.11 --like 1.7.16,1.8.15",
        "v1.7.16 -> 1.9.11: 1 of 1 running container restarts in 1 of 1 pod on 1 node; 0 kept, 0 unknown",
    ]


HOPS = (Hop("1.7.16", "1.8.15", 2, 1, ()), Hop("1.8.15", "1.9.11", 3, 0, ()))


def test_on_a_terminal_other_ways_are_one_line_and_assumptions_are_counted() -> None:
    made = plan(item(), hops=HOPS, rollback=Hop("1.9.11", "1.7.16", 4, 0, ()), suggestion=PATCH)
    shown = Excerpt(made, made.items, brief=True)
    assert lines(shown)[:-1] == [
        "Otherwise: 2 (and 1 unknown) + 3 one minor at a time, 4 on rollback, 3 fewer if patched"
    ]
    several = plan(item(), assumptions=("one", "two"))
    assert lines(Excerpt(several, several.items, brief=True))[0] == "Assumed: 2 things; -v lists them"
    assert lines(Excerpt(several, several.items))[:2] == ["Assumed: one", "Assumed: two"]
    single = plan(item(), assumptions=("one",))
    assert lines(Excerpt(single, single.items, brief=True))[0] == "Assumed: one"


def test_elsewhere_other_ways_are_spelt_out() -> None:
    made = plan(item(), hops=HOPS, rollback=Hop("1.9.11", "1.7.16", 4, 0, ()))
    assert lines(Excerpt(made, made.items))[:-1] == [
        "One minor at a time, it would restart: 1.7.16 -> 1.8.15 2 (and 1 unknown), 1.8.15 -> 1.9.11 3",
        "Rolling back, 1.9.11 -> 1.7.16, would restart 4",
    ]


@pytest.mark.parametrize("brief", [False, True])
def test_a_restart_of_the_same_release_has_no_way_back(brief: bool) -> None:
    back = Hop("1.9.11", "1.9.11", 4, 0, ())
    made = plan(item(Verdict.KEEP), from_release="1.9.11", rollback=back)
    assert len(lines(Excerpt(made, made.items, brief=brief))) == 1


def test_a_warning_of_a_kind_is_one_line() -> None:
    drain = "{} -> 1.9.11: in-place minor upgrades of a kubelet are not supported"
    made = plan(item(), warnings=tuple(drain.format(old) for old in ("1.7.16", "1.8.15")))
    assert lines(Excerpt(made, made.items))[0] == "Warning: " + drain.format("1.7.16, 1.8.15")


def test_the_closing_line_counts_all() -> None:
    shown = excerpt(item(), item(Verdict.KILL, pod="b"), item(Verdict.UNKNOWN, pod="c"), item(Verdict.KEEP))
    assert lines(shown)[-1] == (
        "v1.7.16 -> 1.9.11: 2 of 4 running containers restart in 2 of 3 pods on 1 node; "
        "1 of them is not started again; 1 kept, 1 unknown"
    )


@pytest.mark.parametrize(
    "again",
    [Invocation("hashcompat", ("-f", "-")), Invocation("hashcompat", ("-f", "a.json"), ("--recorded", "-"))],
    ids=["pods", "records"],
)
def test_no_command_reads_standard_input_again(again: Invocation) -> None:
    assert commands(item(), invocation=again) == []
    assert commands(KEPT, invocation=again) == []
    assert commands(item(), invocation=again, suggestion=PATCH) == [
        "hashcompat patch --kubelet 1.9.11 --like 1.7.16,1.8.15"
    ]
