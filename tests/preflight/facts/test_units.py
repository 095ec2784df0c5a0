"""What systemd starts as the kubelet."""

from __future__ import annotations

import pytest

from hashcompat.analysis.preflight.facts import units
from hashcompat.analysis.preflight.facts.units import Start, UnitArgument, start
from hashcompat.core.records.probes import VARIABLE_FILES, Probe, UnreadError
from tests.helpers.dumps import GONE, Key, dump, failed

ENV = VARIABLE_FILES[0]


def started(files: dict[str, object]) -> Start:
    changes: dict[Key, object] = {("file", path): text for path, text in files.items()}
    return start(dump(changes))  # type: ignore[arg-type]


def texts(command_line: Start) -> list[tuple[str, str]]:
    return [(word.text, word.source) for word in command_line.words]


def test_without_a_unit_every_file_of_variables_counts() -> None:
    command_line = started(
        {
            ENV: 'KUBELET_KUBEADM_ARGS="--a=1 --b"\n',
            "/etc/default/kubelet": "export KUBELET_EXTRA_ARGS=--c='x y'\nPATH=/bin\n; no\n#KUBELET_X=--d\n",
            "/etc/sysconfig/kubelet": failed(),
        }
    )
    assert texts(command_line) == [("--a=1", ENV), ("--b", ENV), ("--c=x y", "/etc/default/kubelet")]
    assert not command_line.complete


UNIT = "/lib/systemd/system/kubelet.service"
DROP_IN = "/etc/systemd/system/kubelet.service.d/20-x.conf"


@pytest.mark.parametrize(
    ("files", "words", "complete"),
    [
        (
            {UNIT: "[Service]\nExecStart=-/usr/bin/kubelet --a \\\n  --b\n"},
            [("--a", UNIT), ("--b", UNIT)],
            True,
        ),
        (
            {UNIT: "ExecStart=/kubelet --a=${X} ${Y}z $Z\nEnvironment=X=1 'Y=2 3'\n"},
            [("--a=1", UNIT), ("2 3z", UNIT)],
            True,
        ),
        (
            {
                UNIT: "ExecStart=/kubelet --a\n",
                DROP_IN: "ExecStart=\nExecStart=/kubelet $M\nEnvironmentFile=-/m\n",
                "/m": "M=--b --c",
            },
            [("--b", "/m"), ("--c", "/m")],
            True,
        ),
        ({UNIT: f"ExecStart=/kubelet $M\nEnvironmentFile=-{ENV}\n", ENV: GONE}, [], True),
        ({UNIT: f"ExecStart=/kubelet $M\nEnvironmentFile=-{ENV}\n", ENV: failed()}, [], False),
        ({UNIT: "ExecStart=/kubelet 'a b\n# ExecStart=/no\n"}, [("'a", UNIT), ("b", UNIT)], True),
        (
            {
                UNIT: "ExecStart=/kubelet --old\n",
                "/etc/systemd/system/kubelet.service": "ExecStart=/kubelet --new\n",
                "/usr/lib/systemd/system/kubelet.service.d/10.conf": "Environment=A=--hidden\n",
                "/etc/systemd/system/kubelet.service.d/10.conf": "Environment=\n",
            },
            [("--new", "/etc/systemd/system/kubelet.service")],
            True,
        ),
        (
            {
                UNIT: f"ExecStart=/kubelet $A $B $M\nEnvironment=A=--a B=--b\nEnvironmentFile={ENV}\n",
                ENV: "M=--m",
                DROP_IN: "Environment=\nEnvironment=B=--c\nEnvironmentFile=\n",
            },
            [("--c", DROP_IN)],
            True,
        ),
    ],
)
def test_units_and_drop_ins(files: dict[str, object], words: list[tuple[str, str]], complete: bool) -> None:
    command_line = started(files)
    assert texts(command_line) == words
    assert command_line.complete == complete


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("/usr/bin/numactl --cpunodebind=0 /usr/bin/kubelet --v=2", ["--v=2"]),
        ("/usr/bin/env A=b kubelet --v=2", ["--v=2"]),
        ("/usr/bin/docker run --name kubelet i/hyperkube kubelet --v=2", ["--v=2"]),
        ("/usr/local/bin/kubenswrapper /usr/bin/kubelet --v=2", ["--v=2"]),
        ("/usr/local/bin/kubenswrapper -- /usr/bin/hyperkube kubelet --v=2", ["--v=2"]),
        ("/usr/bin/hyperkube kubelet --v=2", ["--v=2"]),
        ("/usr/bin/podman run --name kubelet --privileged q/poseidon/kubelet:v1.34.1 --v=2", None),
        ("/usr/bin/nsenter -m -- /usr/bin/kubelet --v=2", ["--v=2"]),
        ("/bin/sh -c 'exec /usr/bin/kubelet --v=2'", None),
        ("/bin/bash /opt/start.sh --v=2", None),
    ],
)
def test_the_arguments_of_what_starts_a_kubelet_are_not_its_own(
    command: str, words: list[str] | None
) -> None:
    command_line = started({UNIT: f"ExecStart={command}\n"})
    assert [text for text, _ in texts(command_line)] == (words or [])
    assert command_line.complete is (words is not None)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("/kubelet --a \\\n# c\n  ; c\n --b\nRestart=always", ["--a", "--b"]),
        ("/kubelet --a \\\r\n --b\r", ["--a", "--b"]),
        ("/kubelet --a=\"x y\" '--b=z \\'w' --c=it\\'s", ["--a=x y", "--b=z 'w", "--c=it's"]),
        ("/kubelet --a=x\\x20y\\sz --b\\101 --c\\q", ["--a=x y z", "--bA", "--c\\q"]),
        ("/kubelet --a=$$X --b=$${X} a$X $X.y ${X:-d} ${X}y", ["--a=$X", "--b=${X}", "a$X", "", "1 2y"]),
        ('/kubelet $X "$X" ${X}${X}', ["1", "2", "1", "2", "1 21 2"]),
        (":/kubelet $X ${X}", ["$X", "${X}"]),
        ("@/kubelet other --a", ["--a"]),
        ("-@/usr/bin/kubelet kubelet --a", ["--a"]),
        (
            "/kubelet --c=/x/y --root-dir=/var/lib/kubelet --a",
            ["--c=/x/y", "--root-dir=/var/lib/kubelet", "--a"],
        ),
        ("/bin/nice /kubelet --root-dir=/var/lib/kubelet --b", ["--root-dir=/var/lib/kubelet", "--b"]),
        ("/kubelet --a\n[Install]\nExecStart=/kubelet --no", ["--a"]),
    ],
)
def test_a_unit_is_read_as_systemd_reads_it(command: str, words: list[str]) -> None:
    """conf-parser.c, extract-word.c and env-util.c of systemd."""
    start = started({UNIT: f"\ufeff[Service]\nEnvironment='X=1 2'\nExecStart={command}\n"})
    assert ([text for text, _ in texts(start)], start.complete) == (words, True)


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ('X="--a=b" "--c"\n', ["--a=b--c"]),
        ("X=\"--a=b\n--c\"\nY='--d\n  --e'\n", ["--a=b", "--c", "--d", "--e"]),
        ('X="--a=b \\\n--c"\nY=--d\\\n--e\n', ["--a=b", "--c", "--d--e"]),
        ('X="--a=\\"b c\\" --d"\n', ["--a=b c", "--d"]),
        ("X='--a=\"b c\" --d'\n", ["--a=b c", "--d"]),
        ('X=--a="b c" --d\n', ["--a=b c", "--d"]),
        ('X="--a" # c\nY=--b # c\n', ["--a#", "c", "--b", "#", "c"]),
        ('X=--l=\\"b\\ c\\" --d\\e\n', ["--l=b c", "--de"]),
        (" X = --a\r\nY=\r\n--b\r\n", ["--a"]),
        ("export X=--a\nY=--b\n;Y=--c\n", ["--b"]),
        ('X="--a --token=\nY=--b\n', ["--a", "--token=", "--b"]),
        ("X='--a --token=\nY=--b'\n", ["--a", "--token=", "--b'"]),
        ("X=$Y\nY=1", ["$Y", "1"]),
        ("X='a\\q b'", ["aq", "b"]),  # what is put in for a word is split at spaces, without its backslashes
    ],
)
def test_a_file_of_variables_is_read_as_systemd_reads_it(file: str, words: list[str]) -> None:
    """env-file.c of systemd; but a quote that the collector left alone ends with its line."""
    start = started({UNIT: f"[Service]\nExecStart=/kubelet $X $Y\nEnvironmentFile={ENV}\n", ENV: file})
    assert ([text for text, _ in texts(start)], start.complete) == (words, True)


@pytest.mark.parametrize(
    ("running", "complete"),
    [
        ("/usr/bin/kubelet\n--v=2\n--root-dir=/data\n", False),
        ("/opt/kubelet-wrapper\n--v=2\n", True),
        (GONE, True),
        (failed(), True),
    ],
)
def test_a_script_may_give_the_kubelet_more_arguments(running: str | Probe, complete: bool) -> None:
    """The program that runs shows whether it is one."""
    unit = {("file", UNIT): "ExecStart=/opt/kubelet-wrapper --v=2 --root-dir /var/lib/kubelet\n"}
    command_line = start(dump({**unit, ("arguments", "kubelet"): running}))
    assert [text for text, _ in texts(command_line)] == ["--v=2", "--root-dir", "/var/lib/kubelet"]
    assert (command_line.complete, command_line.program) == (complete, "/opt/kubelet-wrapper")


@pytest.mark.parametrize(
    ("unit", "variables", "complete"),
    [
        ("ExecStart=/kubelet \\\n  $A \\\n  $B\n", "A=--v=2\n", True),
        ("ExecStart=/kubelet \\\n\\\n--a\n", "", False),
        ("ExecStart=/kubelet --a \\\n\nRestart=always\n", "", False),
        ("ExecStart=/kubelet $A\n", 'A="--v=2 \\\n--a \\\n"\n', True),
        ("ExecStart=/kubelet $A\n", 'A="--v=2 \\\n--a \\\n\nB=\n', False),
    ],
)
def test_what_the_collector_left_out_of_a_line_that_goes_on_is_not_known(
    unit: str, variables: str, complete: bool
) -> None:
    """It shows no variable that begins a line, as in the units of kubespray, AKS and EKS."""
    command_line = started({UNIT: f"{unit}EnvironmentFile={ENV}\n", ENV: variables})
    assert command_line.complete == complete


def test_a_unit_that_could_not_be_read_is_no_missing_one() -> None:
    with pytest.raises(UnreadError, match="permission denied"):
        started({UNIT: failed()})


DIRECTORY: Key = ("directory", "/etc/systemd/system/kubelet.service.d")


@pytest.mark.parametrize(
    ("listed", "why"),
    [
        ("20-x.conf\n10 a.conf\n", r"/kubelet\.service\.d/10 a\.conf: not read, because of its name"),
        (failed(), "permission denied"),
    ],
)
def test_a_drop_in_that_was_not_read_is_no_missing_one(listed: str | Probe, why: str) -> None:
    with pytest.raises(UnreadError, match=why):
        start(dump({("file", UNIT): "ExecStart=/kubelet\n", ("file", DROP_IN): "", DIRECTORY: listed}))


@pytest.mark.parametrize("listed", ["20-x.conf\nREADME\n.10.conf\n10.conf~\n", GONE])
def test_what_is_no_drop_in_need_not_be_read(listed: str | Probe) -> None:
    assert start(
        dump({("file", UNIT): "ExecStart=/kubelet\n", ("file", DROP_IN): "", DIRECTORY: listed})
    ).complete


def test_words_know_their_source() -> None:
    assert started({UNIT: "ExecStart=/kubelet --a\n"}).words == (UnitArgument("--a", UNIT),)


def test_what_linux_starts_no_program_with_is_unread() -> None:
    long = UnitArgument("x" * 70_000, "f")
    with pytest.raises(UnreadError, match="one argument is more than"):
        list(units._of_word("a${A}${A}", {"A": long}, "u", str.split))
    assert [word.text for word in units._of_word("a${A}", {"A": UnitArgument("1", "f")}, "u", str.split)] == [
        "a1"
    ]
    with pytest.raises(UnreadError, match="all arguments are more than"):
        list(units._within_limits([long] * 40, "u"))
    assert len(list(units._within_limits([long] * 2, "u"))) == 2


@pytest.mark.parametrize(
    ("word", "host", "expected"),
    [
        ("--hostname-override=%H", "n1.example.com\n", ["--hostname-override=n1.example.com"]),
        ("--hostname-override=%l", "n1.example.com\n", ["--hostname-override=n1"]),
        ("--root-dir=%S/%N", "n1\n", ["--root-dir=/var/lib/kubelet"]),
        ("--a=100%%", "n1\n", ["--a=100%"]),
        ("--eviction-hard=nodefs.available<10%,imagefs.available<15%", "n1\n", None),
        ("--a=%m", "n1\n", []),
        ("--a=%H", failed(), []),
    ],
)
def test_specifiers_of_systemd(word: str, host: object, expected: list[str] | None) -> None:
    """What stands for something that no dump has leaves the argument to the running kubelet."""
    hostname = "/proc/sys/kernel/hostname"
    command_line = started({UNIT: f"ExecStart=/kubelet {word} $X\nEnvironment=X=%p\n", hostname: host})
    known = expected != []
    assert [text for text, _ in texts(command_line)] == [
        *([word] if expected is None else expected),
        "kubelet",
    ]
    assert command_line.complete is known
