"""A node whose runtime answers another cgroup driver than its pods have: what was said, and what happened.

tests/suites/reality/switching.py makes such a document on a real node; golden/switched has them.
"""

from __future__ import annotations

from typing import Any

from msgspec import structs

from hashcompat.analysis.preflight import examine
from hashcompat.core.model.preflight import Status
from hashcompat.core.records.probes import Dump, Probe, dumps
from tests.helpers.dumps import upgrade


def dump_of(made: dict[str, Any]) -> Dump:
    """Return what the collector printed, with the kubelet's own arguments and configuration file.

    To be sure of those takes CAP_SYS_PTRACE, which a machine of tests may lack.
    """
    (dump,) = dumps(made["dump"], "the node")
    given = {("arguments", "kubelet"): "\n".join([*made["arguments"], ""])}
    given[("file", made["arguments"][1].removeprefix("--config="))] = made["config"]
    probes = {**dump.probes, **{key: (Probe(*key, text),) for key, text in given.items()}}
    return structs.replace(dump, probes=probes)


def check(made: dict[str, Any]) -> None:
    """Every pod was created again by the kubelet that asks, none before, and preflight had said so."""
    observed = {(row["outcome"], row["podRecreated"]) for row in made["observed"]}
    assert observed == {("restarted", True)}
    assert {(row["outcome"], row["podRecreated"]) for row in made["unasked"]} == {("kept", False)}
    assert len(made["observed"]) == len(made["unasked"]) == len(made["after"]) >= 20
    assert {name.split("/")[1] for name in made["before"]} == {"kubepods"}
    assert {name.split("/")[1] for name in made["after"]} == {"kubepods.slice"}
    findings = examine(dump_of(made), upgrade(made["to"], made["from"]))
    (said,) = [finding for finding in findings if finding.id == "PF-111"]
    assert said.status is Status.ERROR
    assert f"answers systemd, which kubelet {made['to']} takes: it kills and creates every pod" in said.text
