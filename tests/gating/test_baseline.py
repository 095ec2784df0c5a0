"""Which findings of two plans are the same one."""

from __future__ import annotations

import pytest

from hashcompat.core.errors import InputError
from hashcompat.core.model.verdicts import Verdict
from hashcompat.core.policies.exceptions import baseline_of, check_target, identity
from tests.helpers.plans import item


def test_replicas_under_other_names_are_the_same_finding() -> None:
    known = baseline_of([item(pod="web-1", node="n1"), item(Verdict.KEEP, owner="Deployment/kept")])
    assert identity(item(pod="web-2", node="n2")) in known
    assert len(known) == 1


def test_another_verdict_owner_or_namespace_is_another_finding() -> None:
    known = baseline_of([item()])
    others = [item(Verdict.KILL), item(Verdict.UNKNOWN), item(owner="Deployment/api"), item(namespace="x")]
    assert not {*map(identity, others)} & known


def test_a_pod_that_nothing_owns_is_known_by_its_name() -> None:
    known = baseline_of([item(owner="", pod="a")])
    assert identity(item(owner="", pod="a", node="n9")) in known
    assert identity(item(owner="", pod="b")) not in known


def test_a_baseline_is_of_the_same_target() -> None:
    check_target("v1.9.11", "1.9.11", lambda name: name == "v1.9.11")
    with pytest.raises(InputError, match=r"^a baseline for 1\.8\.15, and the plan is of 1\.9\.11$"):
        check_target("1.8.15", "1.9.11", lambda name: name == "v1.9.11")
