"""The state of a rollout in a ConfigMap: what is asked of the API server, and what its answers mean."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest

from hashcompat.core.errors import InputError
from hashcompat.core.model.impact import Phase, Rollout, Turn
from hashcompat.sources.cluster import Access, own
from hashcompat.sources.cluster.kubeapi import StatusError, UnreachableError
from hashcompat.sources.cluster.own import StateConfigMap
from hashcompat.sources.files.rollout import text_of

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
TURN = Turn(Phase.STARTED, "1", "ci@a", "sha256:1", NOON)
PATH = "/api/v1/namespaces/ops/configmaps/roll"
Json = dict[str, Any]


class Server:
    """An API server with one ConfigMap; ``meanwhile`` is what others do before each write."""

    def __init__(self) -> None:
        self.found: Json | None = None
        self.asked: list[tuple[str, str]] = []
        self.meanwhile: Callable[[], None] = lambda: None
        self.refuses = 0

    def get(self, path: str) -> Json:
        self.asked.append(("GET", path))
        if self.refuses:
            raise StatusError(self.refuses, "not you")
        if self.found is None:
            raise StatusError(404, "not found")
        return json.loads(json.dumps(self.found))  # type: ignore[no-any-return]  # an object

    def write(self, method: str, path: str, document: Json) -> Json:
        self.asked.append((method, path))
        self.meanwhile()
        version = document["metadata"].get("resourceVersion")
        is_there = self.found is not None
        current = self.found["metadata"]["resourceVersion"] if self.found else None
        if (method == "POST") == is_there or version != current:
            raise StatusError(409, "the object has been modified")
        self.put(document["data"], **{key: document[key] for key in document.keys() & {"immutable"}})
        return document

    def put(self, data: Json, **more: Any) -> None:
        version = int(self.found["metadata"]["resourceVersion"]) + 1 if self.found else 1
        self.found = {"metadata": {"name": "roll", "resourceVersion": str(version)}, "data": data, **more}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    made = Server()

    @contextmanager
    def connect(_access: Access, _say: object, written: str) -> Iterator[Server]:
        assert written == PATH
        yield made

    monkeypatch.setattr(own, "connect", connect)
    return made


STATE = StateConfigMap(Access(), lambda _: None, "ops", "roll")


def add(name: str) -> Callable[[Rollout], tuple[Rollout | None, list[str]]]:
    def edit(current: Rollout) -> tuple[Rollout | None, list[str]]:
        return Rollout({**current.turns, name: TURN}), [*current.turns]

    return edit


def test_it_is_created_and_then_replaced(server: Server) -> None:
    assert STATE.read() == Rollout()
    assert STATE.update(add("a")) == []
    assert STATE.update(add("b")) == ["a"]
    assert [*STATE.read().turns] == ["a", "b"]
    folder = PATH.rpartition("/")[0]
    assert [request for request in server.asked if request[0] != "GET"] == [("POST", folder), ("PUT", PATH)]


def test_other_data_of_the_object_stay(server: Server) -> None:
    server.put({"state.json": text_of(Rollout()), "notes": "mine"}, immutable=False)
    STATE.update(add("a"))
    assert server.found
    assert (server.found["data"]["notes"], server.found["immutable"]) == ("mine", False)


@pytest.mark.parametrize("is_there", [False, True])
def test_who_comes_second_reads_again(server: Server, is_there: bool) -> None:
    if is_there:
        server.put({"state.json": text_of(Rollout())})

    def other() -> None:
        server.meanwhile = lambda: None
        server.put({"state.json": text_of(Rollout({"other": TURN}))})

    server.meanwhile = other
    assert STATE.update(add("a")) == ["other"]
    assert [*STATE.read().turns] == ["a", "other"]


def test_nothing_is_written_where_nothing_changes(server: Server) -> None:
    assert STATE.update(lambda current: (None, len(current.turns))) == 0
    assert server.asked == [("GET", PATH)]


def test_who_always_comes_second_gives_up(server: Server) -> None:
    server.meanwhile = lambda: server.put({"state.json": text_of(Rollout())})
    with pytest.raises(
        InputError, match=r"configmap ops/roll: others changed it 20 times before it could be written$"
    ):
        STATE.update(add("a"))
    server.meanwhile = lambda: server.put({"state.json": text_of(Rollout({"other": TURN}))})
    with pytest.raises(InputError, match=f"the last turn in it is that of {TURN.holder}$"):
        STATE.update(add("a"))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ({}, r"configmap ops/roll: \$.data\['state.json'\]: missing"),
        ({"state.json": "{}"}, r"configmap ops/roll: state.json: \$.kind: want RolloutState"),
    ],
)
def test_an_object_of_others_is_left_alone(server: Server, data: Json, why: str) -> None:
    server.put(data)
    with pytest.raises(InputError, match=why):
        STATE.update(add("a"))
    assert server.found
    assert server.found["data"] == data


def test_a_refusal_names_the_role(server: Server) -> None:
    server.refuses = 403
    with pytest.raises(InputError, match="cannot get the configmap ops/roll: not you; 'hashcompat rbac"):
        STATE.read()


@pytest.mark.parametrize(("is_there", "verb"), [(False, "create"), (True, "update")])
def test_a_write_that_is_refused_is_named(server: Server, is_there: bool, verb: str) -> None:
    if is_there:
        server.put({"state.json": text_of(Rollout())})

    def refuse() -> None:
        raise StatusError(403, "not you")

    server.meanwhile = refuse
    with pytest.raises(InputError, match=f"cannot {verb} the configmap ops/roll: not you"):
        STATE.update(add("a"))


@pytest.mark.parametrize("ask", [STATE.read, lambda: STATE.update(add("n1"))], ids=["read", "update"])
def test_a_server_that_is_not_reached_is_an_error_that_names_the_state(
    monkeypatch: pytest.MonkeyPatch, ask: Callable[[], object]
) -> None:
    @contextmanager
    def connect(*_: object) -> Iterator[Server]:
        raise UnreachableError("connection refused")
        yield

    monkeypatch.setattr(own, "connect", connect)
    with pytest.raises(InputError, match=r"^cannot read the state configmap ops/roll: connection refused$"):
        ask()


def test_a_server_that_is_lost_before_the_state_is_written_is_an_error_that_says_so(server: Server) -> None:
    def lose() -> None:
        raise UnreachableError("connection reset")

    server.meanwhile = lose
    with pytest.raises(InputError, match=r"^cannot write the state configmap ops/roll: connection reset$"):
        STATE.update(add("n1"))
