"""What cannot be meant: each usage error is one message that says what to do, and exit 64."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.program import ROOT, Run

PLAN = ("plan", "--from", "1.9.11", "--to", "1.10.0")
USAGE: list[tuple[str, tuple[str, ...], str]] = [
    ("no --from and no pods", ("explain", "--to", "1.9.11"), "--from is missing; name the kubelet release"),
    ("no --to", ("plan", "--from", "1.9.11", "--sample"), "--to is missing"),
    ("a file without -f", ("plan", "--to", "1.10.0", "a.json"), "(a.json); each file takes an -f of its own"),
    (
        "files that a shell found for one -f",
        (*PLAN, "-f", "a.json", "b.json", "c.json"),
        "(b.json c.json); each file takes an -f of its own",
    ),
    ("a word for a number", (*PLAN, "--sample", "--jobs", "x"), "'x' is not a valid whole number."),
    ("a word where no file goes", ("releases", "1.31"), "unexpected extra argument (1.31)\n"),
    *(
        (f"two names in one value of {flag}", (*PLAN, "--sample", flag, "a,b"), f"{flag} a,b: want one name")
        for flag in ("-n", "--exclude-namespace", "--node", "--owner")
    ),
    ("files to choose from, and none", (*PLAN, "--sample", "-R"), "-R goes with -f FILE|DIR"),
    ("to choose from a cluster", (*PLAN, "--exclude", "a"), "--exclude goes with -f FILE|DIR"),
    ("details in a table", (*PLAN, "--sample", "--details"), "--details goes with --out, or with -o json"),
    (
        "details in one format of two that has none",
        (*PLAN, "--sample", "--details", "-o", "csv", "--report", "name=x"),
        "--details goes with --out, or with -o json",
    ),
    *(
        (f"nothing overrides nodes: {words[0]}", (*words, "--override-node-releases"), "needs --from RELEASE")
        for words in (
            ("plan", "--to", "1.10.0", "--sample"),
            ("gate", "--from", "auto", "--to", "1.10.0", "--sample"),
            ("impact", "--to", "1.10.0", "--sample"),
            ("explain", "shop/web", "--to", "1.10.0", "--sample"),
            ("matrix", "--sample"),
            ("normalize", "--to", "1.10.0", "--sample"),
            ("preflight", "--to", "1.10.0", "--sample", "--no-node"),
        )
    ),
    (
        "values of no pod",
        ("explain", "--from", "1.9.11", "--to", "1.10.0", "--show-values"),
        "--show-values is about a pod",
    ),
    (
        "no hashes of two releases explained",
        ("explain", "--from", "1.9.11", "--to", "1.10.0", "--no-hashes"),
        "--no-hashes is about a pod",
    ),
    (
        "no hashes of two releases",
        ("diff", "1.9.11", "1.10.0", "--no-hashes"),
        "--no-hashes is about plans and snapshots",
    ),
    (
        "release data for saved plans",
        ("diff", "a.json", "b.json", "--schemas", str(ROOT / "schemas")),
        "--schemas goes with two releases",
    ),
    ("a release that no role is for", ("rbac", "--from", "atuo"), "--from: 'atuo' is not a kubelet release"),
    ("standard input for assistants", ("mcp", "-f", "-"), "-f -: standard input is for the protocol"),
    ("two sources", (*PLAN, "--sample", "-f", "x"), "-f x and --sample"),
    (
        "standard input for two options",
        (*PLAN, "-f", "-", "--recorded", "-"),
        "-f and --recorded: standard input can be only one of them",
    ),
    ("flags of a cluster beside a file", (*PLAN, "-f", "x", "-l", "a=b"), "-l goes with a live cluster"),
    ("a group without a user", (*PLAN, "--as-group", "g"), "--as-group needs --as"),
    (
        "a time-out that is none",
        (*PLAN, "--request-timeout", "0s"),
        "--request-timeout: want a number of seconds",
    ),
    (
        "an unknown release",
        ("plan", "--from", "1.9.11", "--to", "1.99.0", "--sample"),
        "'1.99.0' is not a known kubelet release; the",
    ),
    (
        "a release before the first",
        ("plan", "--from", "0.21.4", "--to", "1.9.11", "--sample"),
        "is not a known kubelet release",
    ),
    ("a patch that never was", ("plan", "--from", "1.17.10", "--to", "1.18.0", "--sample"), "1.17.9"),
    (
        "a malformed release",
        ("plan", "--from", "1.9.x", "--to", "1.10.0", "--sample"),
        "want MAJOR.MINOR.PATCH such as 1.9.11; the nearest known releases are 1.9.11, 1.9.10, 1.9.9 ",
    ),
    (
        "a word for a release",
        ("plan", "--from", "newest", "--to", "1.10.0", "--sample"),
        "the nearest known releases are",
    ),
    ("a misspelled word", ("plan", "--to", "lastest", "--sample"), "the nearest known release is latest "),
    (
        "a minor that is not known",
        ("plan", "--to", "1.38", "--sample"),
        "'1.38' is not a known kubelet release; the nearest known releases are 1.37.2, 1.36.6, ",
    ),
    (
        "an unknown API server",
        ("plan", "--from", "1.9", "--to", "1.10", "--sample", "--apiserver", "1.99"),
        "'1.99' is not a known kubelet release",
    ),
    ("a pre-release", ("plan", "--from", "1.9.11", "--to", "1.10.0-beta.1", "--sample"), "is a pre-release"),
    (
        "auto for --to",
        ("plan", "--from", "auto", "--to", "auto", "--sample"),
        "'auto' is not a kubelet release",
    ),
    ("an unknown release to hash", ("hash", "--kubelet", "1.9.11,9.9.9", "--sample"), "'9.9.9'"),
    ("an empty release to hash", ("hash", "--kubelet", "1.9.11,", "--sample"), "'' is not a kubelet release"),
    ("an unknown release to explain", ("explain", "--from", "1.9.11", "--to", "1.99.0"), "'1.99.0'"),
    ("an unknown command", ("plann",), "Did you mean plan?"),
    (
        "a command like no other",
        ("zzz",),
        (
            "The commands are plan, impact, preflight, matrix, fleet, gate, normalize, patch, explain, diff, "
            "hash, verify, rules, snapshot, convert, report, collector, rbac, releases, mcp, help, version, "
            "completion."
        ),
    ),
    ("an unknown option", (*PLAN, "--sampel"), "--sample"),
    ("an unknown format", (*PLAN, "--sample", "-o", "xml"), "'xml' is not one of"),
    (
        "an unknown command below another",
        ("normalize", "aply", "x"),
        "No such command 'aply'; there are apply, check, undo.",
    ),
    ("an option without its value", ("plan", "--from"), "requires an argument"),
    ("an argument too many", (*PLAN, "--sample", "extra"), "extra"),
    (
        "a signature that nothing shows",
        (*PLAN, "--sample", "--sign-key", "k", "--report", "csv=x"),
        "--sign-key goes with --out, or with -o json",
    ),
    (
        "a signature of a normalization that nothing shows",
        ("normalize", "--to", "1.10.0", "-f", "x", "--sign-key", "k", "-o", "wide"),
        "--sign-key goes with --out, or with -o json",
    ),
    (
        "verify without a path",
        ("verify",),
        "give golden directories as PATH, or recorded hashes with --recorded FILE",
    ),
]


@pytest.mark.parametrize(("argv", "says"), [pytest.param(argv, says, id=name) for name, argv, says in USAGE])
def test_a_usage_error_is_64_and_says_what_to_do(run: Run, argv: tuple[str, ...], says: str) -> None:
    result = run(*argv)
    assert (result.code, result.out) == (64, "")
    assert result.err.count("\n") <= 3
    assert says in result.err


@pytest.mark.parametrize(
    ("argv", "command"),
    [(("plan", "--from"), "plan"), (("normalize", "apply", "--node"), "normalize apply"), (("-x",), "")],
)
def test_the_help_that_a_usage_error_names_is_that_of_the_command(
    run: Run, argv: tuple[str, ...], command: str
) -> None:
    assert f"\nSee 'hashcompat {command} --help'.\n".replace("  ", " ") in run(*argv).err


def test_a_usage_error_wins_over_bad_input(run: Run, tmp_path: Path) -> None:
    assert run("plan", "--from", "1.9.11", "--to", "1.99.0", "-f", tmp_path / "missing").code == 64


def test_no_command_prints_the_help_to_stderr(run: Run) -> None:
    result = run()
    assert (result.code, result.out) == (64, "")
    assert "Usage: hashcompat" in result.err


def test_releases_may_go_backwards(run: Run) -> None:
    assert run("plan", "--from", "1.36.0", "--to", "1.6.0", "--sample").code == 0


def test_filters_that_match_nothing_are_an_error(run: Run) -> None:
    for filters in (
        ("--owner", "Deployment/web", "-n", "data"),
        ("-n", "shop", "--exclude-namespace", "shop"),
    ):
        result = run(*PLAN, "--sample", *filters)
        assert (result.code, result.out, result.err) == (
            1,
            "",
            "Error: none of the 58 pods matches the filters\n",
        )


@pytest.mark.parametrize(
    "words",
    [("-o", "json"), ("-o", "yaml"), ("-o", "jsonpath={.signature}"), ("--report", "json=-")],
    ids=" ".join,
)
def test_a_signature_is_shown_where_the_document_is(run: Run, tmp_path: Path, words: tuple[str, ...]) -> None:
    key = tmp_path / "key"
    key.write_text("k" * 32)
    result = run(*PLAN, "--sample", "-q", "--sign-key", key, *words)
    assert (result.code, "hmac-sha256:" in result.out) == (0, True), result.err
