"""An item of a plan has the attributes of its prediction, which replicas share."""

from __future__ import annotations

from hashcompat.core.model.items import ContainerName, Item, PodName, Prediction, container_name
from hashcompat.core.model.pods import ContainerType
from hashcompat.core.model.verdicts import Reason, Verdict

PREDICTION = Prediction(
    "1.9.11",
    Verdict.KILL,
    (Reason("HC004", "new field A (1.9)", "a", "A"),),
    pod_recreated=True,
    calibrated=True,
    rests=True,
    sandboxed=True,
    from_url=True,
    hashed=True,
    creator="1.8.15",
    aligned=True,
    unstarted=True,
    of_plugins=True,
    by_kernel=True,
    settings_shown=True,
    mistaken=True,
    gated=True,
    timed=True,
    difference=3,
    uncreated=True,
)


def test_an_item_has_all_that_is_predicted() -> None:
    item = Item(PodName("n", "d", "p", "", ""), ContainerName("c", ContainerType.CONTAINER), PREDICTION)
    for name in Prediction.__struct_fields__:
        value = getattr(item, name)
        assert value == getattr(PREDICTION, name), name
        assert value, name


def test_containers_of_one_name_and_type_share_it() -> None:
    name = container_name("c", ContainerType.INIT)
    assert name == ContainerName("c", ContainerType.INIT)
    assert name is container_name("c", ContainerType.INIT)
    assert name != container_name("c", ContainerType.CONTAINER)
