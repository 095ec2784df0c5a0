"""What programs print, say and never do."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from hashcompat.errors import InputError
from hashcompat.sources import programs
from hashcompat.sources.programs import FailedError, output


def shell(script: str, seconds: float = 20) -> bytes:
    return output(["/bin/sh", "-c", script], seconds)


def test_what_a_program_prints_is_returned_as_bytes() -> None:
    assert shell(r"printf 'a\377'; echo noise >&2") == b"a\xff"


def test_a_program_has_no_standard_input() -> None:
    assert shell("cat; echo end") == b"end\n"


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("echo part; echo WARN >&2; echo 'no such thing' >&2; exit 3", "no such thing"),
        (r"printf 'caf\351' >&2; exit 1", "caf\N{REPLACEMENT CHARACTER}"),
        ("exit 1", "no message"),
    ],
)
def test_a_failure_is_the_last_line_that_a_program_said(script: str, says: str) -> None:
    with pytest.raises(FailedError, match=f"^{says}$"):
        shell(script)


def test_much_is_said_and_its_end_kept() -> None:
    with pytest.raises(FailedError, match=r"^the end$"):
        shell("yes | head -c 3000000 >&2; echo the end >&2; exit 1")


def test_a_program_that_is_not_there_is_named_in_the_system_s_words(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^No such file or directory$"):
        output([str(tmp_path / "none")], 1)


@pytest.mark.parametrize(
    "script", ["sleep 60", "sleep 60 & exit 0", "exec >&-; sleep 60"], ids=["it", "its child", "silently"]
)
def test_a_program_that_does_not_end_is_stopped(script: str) -> None:
    start = time.monotonic()
    with pytest.raises(InputError, match=r"^no answer within 0.3 s$"):
        shell(script, 0.3)
    assert time.monotonic() - start < 10


@pytest.mark.parametrize(("size", "refused"), [(1000, False), (1001, True)])
def test_output_is_limited(monkeypatch: pytest.MonkeyPatch, size: int, refused: bool) -> None:
    monkeypatch.setattr(programs, "LONGEST_TEXT", 1000)
    script = f"head -c {size} /dev/zero"
    if refused:
        with pytest.raises(InputError, match="output of more than 1000 bytes"):
            shell(script)
    else:
        assert len(shell(script)) == size


def test_a_failure_whose_message_never_ends_is_one() -> None:
    with pytest.raises(FailedError, match=r"^no message$"):
        shell("(exec >&-; exec sleep 5) & exit 1")
