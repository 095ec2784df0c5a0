"""What programs print, say and never do."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from hashcompat.core.errors import InputError
from hashcompat.sources import programs
from hashcompat.sources.programs import ExitCodeError, output


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
    with pytest.raises(ExitCodeError, match=f"^{says}$"):
        shell(script)


def test_much_is_said_and_its_end_kept() -> None:
    with pytest.raises(ExitCodeError, match=r"^the end$"):
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


def test_a_failure_whose_message_never_ends_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "_AFTERWARDS_SECONDS", 0.2)
    with pytest.raises(ExitCodeError, match=r"^no message$"):
        shell("(exec >&-; exec sleep 5) & exit 1")


def script(directory: Path, mode: int = 0o755) -> Path:
    directory.mkdir(exist_ok=True)
    directory.chmod(0o755)
    made = directory / "asked"
    made.write_text("#!/bin/sh\n")
    made.chmod(mode)
    return made


@pytest.mark.parametrize("entry", [".", "", "planted", "./planted", "../planted", "planted/../planted"])
def test_no_program_is_where_this_one_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str
) -> None:
    script(tmp_path / "planted")
    script(tmp_path)
    program = script(tmp_path / "bin")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{entry}:{program.parent}")
    assert programs.find("asked") == str(program)
    monkeypatch.setenv("PATH", f"/usr/bin:{entry}")
    with pytest.raises(InputError, match=r"^asked is not on the PATH"):
        programs.find("asked")


def test_no_program_is_where_others_can_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = script(tmp_path / "bin")
    linked = tmp_path / "links"
    linked.mkdir(mode=0o755)
    (linked / "asked").symlink_to(program)
    for directory in (program.parent, linked):
        monkeypatch.setenv("PATH", str(directory))
        assert programs.find("asked") == str(directory / "asked")
        for place, mode in ((program, 0o757), (program.parent, 0o757), (tmp_path, 0o777)):
            place.chmod(mode)
            with pytest.raises(InputError, match=rf"^asked is not on the PATH; .* others can write {place}$"):
                programs.find("asked")
            place.chmod(0o755)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a file away")
@pytest.mark.parametrize("given", ["bin/asked", "bin"])
def test_root_runs_no_program_of_another_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    script(tmp_path / "bin")
    os.chown(tmp_path / given, 1000, 0)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(InputError, match=f"{given} belongs to the user 1000"):
        programs.find("asked")


def test_in_a_directory_of_everybody_a_program_is_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = script(tmp_path / "bin")
    program.parent.chmod(0o1777)
    monkeypatch.setenv("PATH", str(program.parent))
    assert programs.find("asked") == str(program)


def test_a_program_gets_a_directory_and_an_environment(tmp_path: Path) -> None:
    command = ["/bin/sh", "-c", 'pwd; echo "$A$HOME"']
    assert output(command, 20, str(tmp_path), {"A": "a"}) == f"{tmp_path}\na\n".encode()


def test_a_killed_program_that_never_ends_keeps_nobody_waiting() -> None:
    """As in a system call on a file server that does not answer."""

    class Stuck:
        pid = 2**22  # more than any process has
        waited = 0.0

        def wait(self, timeout: float) -> None:
            self.waited = timeout
            raise subprocess.TimeoutExpired("stuck", timeout)

    stuck = Stuck()
    programs._end(stuck)  # type: ignore[arg-type]  # what it asks of a process
    assert 0 < stuck.waited < 60


def test_what_a_program_starts_is_not_found_where_this_one_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("here", "there"):
        script(tmp_path / name).write_text(f"#!/bin/sh\necho {name}\n")
    monkeypatch.chdir(tmp_path / "here")
    for entry in ("", ".", "./", "../here"):
        monkeypatch.setenv("PATH", f"{entry}:{tmp_path / 'there'}")
        assert shell("asked") == b"there\n"
