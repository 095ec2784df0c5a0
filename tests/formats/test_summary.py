"""Five lines for a chat, plain and for webhooks."""

from __future__ import annotations

import json
from typing import Any

import pytest

import hashcompat
from hashcompat.output.formats import FORMATS
from hashcompat.output.formats.model import Style
from hashcompat.output.report.plan import PLAN
from tests.helpers.pods import as_json, node, pod
from tests.helpers.program import Run

MOUNTED = {"name": "c", "image": "i", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}
PODS = as_json(
    node("v1.13.12"), pod({"name": "c", "image": "i"}, name="a"), *(pod(MOUNTED, name=n) for n in "bdefg")
)
WAY = ("--to", "1.14.10", "-f", "-")


def lines(run: Run, *argv: str, form: str = "summary", stdin: bytes = PODS) -> list[str]:
    return run(*argv, "-q", "-o", form, stdin=stdin).out.splitlines()


def test_a_gate_says_what_decided_in_five_lines(run: Run) -> None:
    assert lines(run, "gate", *WAY) == [
        "FAIL: Upgrade gate: kubelet v1.13.12 -> 1.14.10",
        "fail-on restart: 5 containers, allowed 0",
        "6 running containers judged: 5 violations",
        "Top owners: ns/Pod/b (1), ns/Pod/d (1), ns/Pod/e (1), 2 more",
        "Next: hashcompat gate --to 1.14.10 -f - -o html > gate.html",
    ]


@pytest.mark.parametrize(
    ("argv", "first"),
    [
        (("plan", *WAY), "FAIL: Restart plan: kubelet v1.13.12 -> 1.14.10"),
        (("gate", *WAY, "--max-restarts", "9"), "PASS: Upgrade gate: kubelet v1.13.12 -> 1.14.10"),
        (("impact", *WAY), "UNDECIDED: Impact of an upgrade: kubelet v1.13.12 -> 1.14.10"),
        (("preflight", "--no-node", *WAY), "UNDECIDED: Preflight of nodes: kubelet v1.13.12 -> 1.14.10"),
        (("explain", "ns/b", *WAY), "RESTART: Explanation: kubelet v1.13.12 -> 1.14.10"),
        (("matrix", "--from", "1.13.12", *WAY), "Matrix of releases: kubelet 1.13.12 -> 1.14.10"),
    ],
)
def test_every_kept_result_has_a_summary_of_five_lines_at_most(
    run: Run, argv: tuple[str, ...], first: str
) -> None:
    summary = lines(run, *argv)
    assert summary[0] == first
    assert 3 <= len(summary) <= 5
    assert summary[-1].startswith(f"Next: hashcompat {argv[0]} ")


def texts(value: Any) -> list[str]:
    """Return every text of a message that people see."""
    if isinstance(value, dict):
        own = [value["text"]] if isinstance(value.get("text"), str) else []
        return own + [text for each in value.values() for text in texts(each)]
    return [text for each in value for text in texts(each)] if isinstance(value, list) else []


@pytest.mark.parametrize("form", ["slack", "teams"])
def test_a_webhook_gets_the_same_lines_as_plain_text(run: Run, form: str) -> None:
    message = json.loads("\n".join(lines(run, "gate", *WAY, form=form)))
    plain = [line.removeprefix("Next: ") for line in lines(run, "gate", *WAY)]
    if form == "slack":
        assert message.pop("text") == plain[0].replace(">", "&gt;")
        kinds = {block["text"]["type"] for block in message["blocks"]}
        assert kinds == {"plain_text"}
        assert [block["type"] for block in message["blocks"]] == ["header", *["section"] * 4]
    else:
        (card,) = (attachment["content"] for attachment in message["attachments"])
        assert (card["type"], card["version"]) == ("AdaptiveCard", "1.4")
        assert {block["type"] for block in card["body"]} == {"RichTextBlock"}, "a TextBlock has Markdown"
        assert card["body"][0]["inlines"][0]["color"] == "Attention"
    assert [text.removeprefix("Next: ") for text in texts(message)] == plain


def test_a_long_name_stays_within_what_slack_takes(run: Run) -> None:
    pods = as_json(node("v1.13.12"), *(pod(MOUNTED, name=f"{n}{'x' * 250}") for n in "abc"))
    message = json.loads("\n".join(lines(run, "explain", f"ns/a{'x' * 250}", *WAY, form="slack", stdin=pods)))
    assert len(message["blocks"][0]["text"]["text"]) <= 150
    assert max(len(block["text"]["text"]) for block in message["blocks"]) <= 3000


def test_a_result_of_the_api_has_no_command() -> None:
    plan = hashcompat.plan(json.loads(PODS)["items"], "1.13.12", "1.14.10")
    text = "".join(FORMATS["summary"].render(PLAN, plan, Style()))
    assert text.splitlines()[0].startswith("FAIL: Restart plan")
    assert "Next" not in text
