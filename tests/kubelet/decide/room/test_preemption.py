"""Critical pods, which take the room of others when a kubelet starts."""

from __future__ import annotations

from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.kubelet.decide.room.admitting import outcomes
from hashcompat.core.kubelet.decide.room.requests import asking
from hashcompat.core.kubelet.decide.room.tenants import Tenant, given
from hashcompat.sources.values import collect
from tests.helpers.program import Run
from tests.helpers.room import CRITICAL, host, sized, verdicts


def test_hc048_a_critical_pod_takes_the_room_of_others(run: Run) -> None:
    pods = [
        *(sized("best", "01:00"), sized("most", "01:01", cpu="2"), sized("less", "01:02", cpu="1500m")),
        sized("critical", "03:00", CRITICAL, cpu="1"),
    ]
    found = verdicts(run, host(), *pods)
    assert found == {"best": "KEEP", "most": "KEEP", "less": "KILL preempted", "critical": "KEEP"}
    assert verdicts(run, host(), *pods, old="1.10.0", new="1.10.13")["critical"] == "KILL OutOfcpu"
    large = sized("critical", "03:00", CRITICAL, cpu="5")
    found = verdicts(run, host(), *pods[:3], large)
    assert found["critical"] == "KILL UnexpectedAdmissionError"


def test_hc048_the_nearest_pods_are_preempted_best_effort_ones_first(run: Run) -> None:
    limits = {"cpu": "1", "memory": "1Gi"}
    guaranteed = sized("guaranteed", "01:00", **limits)
    guaranteed["spec"]["containers"][0]["resources"]["limits"] = limits
    pods = [
        *(guaranteed, sized("small", "01:01", cpu="500m"), sized("large", "01:02", cpu="2500m")),
        *(sized("low", "01:03", {"priority": 1}), sized("critical", "04:00", CRITICAL, cpu="3")),
    ]
    found = verdicts(run, host(), *pods)
    assert [name for name, verdict in found.items() if verdict == "KILL preempted"] == ["large", "small"] or {
        name for name, verdict in found.items() if verdict == "KILL preempted"
    } == {"large", "small"}
    assert found["guaranteed"] == found["critical"] == "KEEP"
    by_pods = verdicts(run, host(pods="4"), *pods[3:4], *pods[:3], sized("system", "05:00", CRITICAL))
    assert by_pods["low"] == "KILL preempted"


def test_hc048_which_of_pods_that_are_alike_is_preempted_is_unknown(run: Run) -> None:
    pods = [sized("one", "01:00", cpu="2"), sized("two", "02:00", cpu="2")]
    critical = sized("critical", "03:00", CRITICAL, cpu="1")
    found = verdicts(run, host(), *pods, critical)
    assert found == {"one": "UNKNOWN may be preempted", "two": "UNKNOWN may be preempted", "critical": "KEEP"}
    both = sized("critical", "03:00", CRITICAL, cpu="4")
    assert set(verdicts(run, host(), *pods, both).values()) == {"KILL preempted", "KEEP"}
    other = [pods[0], sized("two", "02:00", cpu="2", memory="1Mi")]
    assert verdicts(run, host(), *other, critical)["one"] == "KILL preempted"


def test_a_limit_that_is_no_quantity_makes_a_pod_burstable(catalog: Catalog) -> None:
    odd = sized("odd", "01:00", cpu="2")
    odd["spec"]["containers"][0]["resources"]["limits"] = {"cpu": "many"}
    kubelet = catalog.kubelet("1.33.13")
    pods = collect([odd, sized("critical", "03:00", CRITICAL, cpu="3")]).pods
    tenants = [Tenant(one, asking(one, {}, kubelet)) for one in pods]
    found = outcomes(tenants, given({"cpu": "4", "pods": "9"}), kubelet)
    assert {uid: short.reason for uid, short in found.items()} == {"uid-odd": "Preempting"}


def test_hc048_a_device_plugin_may_make_room_for_a_critical_pod_too(run: Run) -> None:
    widget = {"example.com/widget": "1"}
    pods = sized("old", "01:00", **widget), sized("new", "02:00", CRITICAL, **widget)
    found = verdicts(run, host(**widget), *pods)
    assert {name: verdict.split()[0] for name, verdict in found.items()} == {"old": "UNKNOWN", "new": "KEEP"}
