"""Who gives a setting, and which of a settings file's loosen nothing that the caller says."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from hashcompat.core.errors import UsageError
from hashcompat.core.policies import (
    FILES,
    STRICTER,
    FailOn,
    Limit,
    Policy,
    PolicySetting,
    SettingsFile,
    policy_of,
    settled,
)
from hashcompat.sources.files import settings

LOOSE = {"report-only": "true", "exceptions": "e.yaml", "baseline": "b.json"}
ALL = tuple(LOOSE)


def of(name: str, **rows: str) -> SettingsFile:
    texts = {key.replace("_", "-"): value for key, value in rows.items()}
    return SettingsFile(
        name, {key: PolicySetting(text, f"{name}: {key}", Path()) for key, text in texts.items()}
    )


def policy(given: dict[str, str], *files: SettingsFile) -> Policy:
    return policy_of(settled({key: PolicySetting(text, f"--{key}") for key, text in given.items()}, files))


def test_every_key_that_a_file_may_have_is_in_the_table() -> None:
    """And none of them writes a file or starts a program."""
    keys = {field.encode_name for field in msgspec.structs.fields(settings.Gate)}
    assert keys == {*STRICTER}
    assert {*FILES} < keys


@pytest.mark.parametrize(
    ("given", "counts"),
    [
        ({}, ALL),
        ({"plan-max-age": "24h", "cluster-uid": "x", "verify-key": "k"}, ALL),
        ({"max-restarts": "1"}, ()),
        ({"max-per-owner": "50%"}, ()),
        ({"max-per-node": "0"}, ()),
        ({"fail-on": "restart"}, ()),
        ({"strict": "true"}, ()),
        ({"strict": "false"}, ALL),
        ({"preflight": "p.json"}, ("exceptions", "baseline")),
        ({"report-only": "false"}, ("exceptions", "baseline")),
    ],
)
def test_what_loosens_does_not_count_beside_what_is_stricter(
    given: dict[str, str], counts: tuple[str, ...]
) -> None:
    (file,) = policy(given, of("f", **{key.replace("-", "_"): text for key, text in LOOSE.items()})).files
    assert {*file.loosens} == {*file.keys} == {*counts}
    assert {key for key, _ in file.ignored} == {*LOOSE} - {*counts} - {*given}
    assert all(place in {f"--{key}" for key in given} for _, place in file.ignored)


def test_a_file_is_not_reported_only_beside_a_limit() -> None:
    gate_policy = policy({"max-restarts": "1"}, of("f", report_only="true"))
    assert not gate_policy.report_only
    assert gate_policy.warnings == (
        "f: report-only: not counted, because --max-restarts is stricter; give the flag if it is meant",
    )


@pytest.mark.parametrize(
    ("given", "file", "limits", "loosens"),
    [
        ({}, {"max_restarts": "100%"}, ("100%", None), ("max-restarts",)),
        ({}, {"max_restarts": "0"}, ("0", None), ()),
        ({"max-restarts": "1"}, {"max_restarts": "100%"}, ("1", None), ()),
        ({"max-restarts": "9"}, {"max_per_owner": "1"}, ("9", "1"), ()),
        ({"fail-on": "restart,kill"}, {"max_restarts": "100%"}, (None, None), ()),
    ],
)
def test_limits_of_a_file_make_those_of_the_caller_stricter(
    given: dict[str, str], file: dict[str, str], limits: tuple[str | None, ...], loosens: tuple[str, ...]
) -> None:
    gate_policy = policy(given, of("f", **file))
    wanted = tuple(text and Limit(text) for text in limits)
    assert (gate_policy.max_restarts, gate_policy.max_per_owner) == wanted
    assert gate_policy.files[0].loosens == loosens


@pytest.mark.parametrize(
    ("given", "words", "loosens"),
    [
        ({}, {"kill"}, ("fail-on",)),
        ({"max-restarts": "3"}, {"restart", "kill", "unknown"}, ()),
        ({"preflight": "p.json"}, {"kill", "preflight"}, ("fail-on",)),
        ({"fail-on": "static"}, {"static"}, ()),
    ],
)
def test_fail_on_of_a_file_leaves_what_the_caller_is_about(
    given: dict[str, str], words: set[str], loosens: tuple[str, ...]
) -> None:
    gate_policy = policy(given, of("f", fail_on="kill"))
    assert {*gate_policy.fail_on} == {FailOn(word) for word in words}
    assert gate_policy.files[0].loosens == loosens


def test_a_file_adds_to_what_fails() -> None:
    gate_policy = policy({"max-restarts": "3"}, of("f", fail_on="restart,kill,unknown,static"))
    assert FailOn.STATIC in gate_policy.fail_on
    assert (gate_policy.files[0].keys, gate_policy.files[0].loosens, gate_policy.files[0].ignored) == (
        ("fail-on",),
        (),
        (),
    )


def test_the_report_that_a_caller_asks_for_is_the_callers() -> None:
    with pytest.raises(UsageError, match="--fail-on preflight: needs --preflight FILE"):
        policy({"fail-on": "restart,preflight"}, of("f", preflight="forged.json"))
    assert FailOn.PREFLIGHT in policy({}, of("f", preflight="p.json")).fail_on


def test_exceptions_loosen_nothing_where_none_counts() -> None:
    assert policy({}, of("f", strict="true", exceptions="e")).files[0].loosens == ()


def test_the_nearest_file_counts_and_each_is_named() -> None:
    gate_policy = policy({}, of("near", max_restarts="2"), of("far", max_restarts="1", report_only="true"))
    assert gate_policy.max_restarts == Limit("2")
    assert [str(file) for file in gate_policy.files] == ["near (max-restarts)", "far (report-only)"]


def test_no_file_of_a_settings_file_is_standard_input() -> None:
    for text in ("-", "./-"):
        assert PolicySetting(text, "f: baseline", Path()).file == "./-"
    assert PolicySetting("-", "--baseline").file == "-"


@pytest.mark.parametrize(
    ("nearer", "own", "counts"),
    [
        ({"strict": "false"}, {"strict": "true"}, "true"),
        ({"strict": "true"}, {"strict": "false"}, "true"),
        ({"max_age": "9999h"}, {"max_age": "1h"}, "1h"),
        ({"max_age": "30m"}, {"max_age": "1h"}, "30m"),
        ({"plan_max_age": "100h"}, {"plan_max_age": "99h60s"}, "99h60s"),
        ({"cluster_uid": "theirs"}, {"cluster_uid": "mine"}, "mine"),
        ({"verify_key": "theirs"}, {"verify_key": "mine"}, "mine"),
    ],
)
def test_a_nearer_file_undoes_nothing_that_only_makes_a_policy_stricter(
    nearer: dict[str, str], own: dict[str, str], counts: str
) -> None:
    result = settled({}, (of("near", **nearer), of("own", **own)))
    (value,) = result.settings.values()
    assert value.text == counts
    assert sum(bool(file.keys) for file in result.files) == 1
    winner = next(file for file in result.files if file.keys)
    assert value.place.startswith(winner.name)


def test_a_preflight_of_a_file_counts_next_to_words_without_it() -> None:
    given = {"fail-on": PolicySetting("restart", "--fail-on")}
    result = settled(
        given, [SettingsFile("f", {"preflight": PolicySetting("p.json", "f: preflight", Path())})]
    )
    assert result.settings["preflight"].text == "p.json"
    words = {"fail-on": PolicySetting("restart,preflight", "--fail-on")}
    result = settled(
        words, [SettingsFile("f", {"preflight": PolicySetting("p.json", "f: preflight", Path())})]
    )
    assert "preflight" not in result.settings
