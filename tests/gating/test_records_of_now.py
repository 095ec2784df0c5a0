"""Which records of upgraded nodes a plan is compared with."""

from __future__ import annotations

from hashcompat.analysis.answers import calibration
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.model.pods import Inventory, Pod
from hashcompat.core.model.verdicts import Recorded
from hashcompat.core.records.index import index
from hashcompat.sources.objects import read_object
from tests.helpers.pods import pod


def test_a_kubelet_that_is_not_known_is_compared_by_its_name(catalog: Catalog) -> None:
    assert calibration._is_upgraded("v9.9.9-odd", "9.9.9-odd", catalog)
    assert not calibration._is_upgraded("v1.31.14", "9.9.9-odd", catalog)
    assert calibration._is_upgraded("v1.31.14", "1.31.14", catalog)


def test_a_record_without_a_hash_is_no_number_to_compare() -> None:
    (subject,) = read_object(pod(name="p", metadata={"uid": "u"}), "test")
    assert isinstance(subject, Pod)
    name = subject.containers[0].name
    for recorded, expected in ((7, [(("u", name), 7)]), (None, [])):
        records = index([Recorded("u", subject.namespace, "p", name, recorded, running=True)])
        assert list(calibration._recorded([subject], records)) == expected


def test_containers_of_static_pods_are_known_by_the_uids_of_their_pods(catalog: Catalog) -> None:
    rows = [
        Recorded("0" * 32, "ns", "etcd-n1", "etcd", 7, running=True, id="a"),
        Recorded("0" * 32, "ns", "etcd-n1", "old", 7, running=False, id="b"),
        Recorded("11111111-2222-4333-8444-555555555555", "ns", "web", "c", 7, running=True, id="c"),
    ]
    known = index(rows)
    now = calibration.now_of(Inventory((), ()), ["n1"], "1.31.14", catalog=catalog, begun={}, records=known)
    assert [*now.static] == [("ns", "etcd-n1", "etcd")]
