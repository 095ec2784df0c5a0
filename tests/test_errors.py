from __future__ import annotations

from hashcompat.core.errors import DecodeError, ExitCode, HashcompatError, InputError, UsageError


def test_a_crash_a_finding_and_a_usage_error_never_share_an_exit_code() -> None:
    assert [code.value for code in ExitCode] == [0, 1, 2, 3, 64, 130, 141]


def test_only_a_usage_error_exits_with_64() -> None:
    assert {error: error.exit_code for error in (HashcompatError, InputError, DecodeError, UsageError)} == {
        HashcompatError: 1,
        InputError: 1,
        DecodeError: 1,
        UsageError: 64,
    }


def test_a_decode_error_without_a_path_is_the_problem_alone() -> None:
    assert str(DecodeError("want an integer")) == "want an integer"


def test_the_path_grows_from_the_inside_out() -> None:
    error = DecodeError("want an integer").within(".containerPort").within("[1]").within(".ports")
    assert str(error) == ".ports[1].containerPort: want an integer"
