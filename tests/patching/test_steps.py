"""The steps place themselves by what a file says, and refuse a text that is not the release's own."""

from __future__ import annotations

import hashlib

import pytest

from hashcompat.analysis.patching import (
    AddImport,
    Body,
    DropUnusedImports,
    FileEdit,
    InFunction,
    Literals,
    MisplacedError,
    NewFile,
    Patch,
    PatchedFile,
    RemoveFunction,
    ReplaceLine,
    apply,
    function_text,
)
from hashcompat.core.catalog.eras import Function, PatchedSource
from hashcompat.core.catalog.releases import parse_range

OWN = "func sum(a int) int {\n\ttotal := a + one()\n\treturn total\n}\n"
OTHER = "func sum(a int64) int64 {\n\treturn a\n}\n"
HELPER = "func one() int {\n\treturn 1\n}\n"
FILE = f"""package p

import (
	"fmt"
	"hash/fnv"

	"example.org/a"
	"example.org/m/b"
	renamed "example.org/z"
)

// sum adds.
{OWN}
// one is one.
// Really.
{HELPER}
func last() {{ fmt.Println(a.A, b.B, renamed.Z) }}
"""


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def site() -> PatchedSource:
    mine, others = parse_range(">=1.9"), parse_range("<1.9")
    functions = (Function("f.go", "sum", mine, sha(OWN)), Function("f.go", "one", mine, sha(HELPER)))
    return PatchedSource(
        functions, (Function("f.go", "sum", others, sha(OTHER)),), (), "log", "version", "util"
    )


def test_a_function_reaches_from_func_to_its_closing_brace() -> None:
    assert function_text(FILE, "sum") == OWN
    assert function_text(FILE, "su") == ""


def test_lines_are_inserted_before_a_line() -> None:
    text = InFunction(site(), "sum", "\treturn total", "\ttotal++\n", "total++").apply(FILE)
    assert "one()\n\ttotal++\n\treturn total\n" in text


def test_a_body_is_replaced() -> None:
    text = Body(site(), "sum", "\treturn like(a)\n", "like(").apply(FILE)
    assert function_text(text, "sum") == "func sum(a int) int {\n\treturn like(a)\n}\n"


def test_a_line_is_replaced() -> None:
    text = ReplaceLine(site(), "sum", "\treturn total\n", "\treturn -total\n", "-total").apply(FILE)
    assert function_text(text, "sum") == OWN.replace("return total", "return -total")


def test_a_function_goes_with_its_comment_and_only_if_nothing_calls_it() -> None:
    assert RemoveFunction(site(), "one").apply(FILE) == FILE
    without_call = FILE.replace(" + one()", "")
    text = RemoveFunction(site(), "one").apply(without_call)
    assert "one" not in text
    assert "return total\n}\n\nfunc last()" in text


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (FILE.replace("\treturn total", "\ttotal++ // already\n\treturn total"), "already patched"),
        (FILE.replace(OWN, ""), "there is no func sum; this is not the source of that release"),
        (
            FILE.replace("\n", "\r\n"),
            "its lines end with CRLF, which git writes by core.autocrlf; check it out without",
        ),
        (FILE.replace(OWN, OTHER), "this is func sum of Kubernetes <1.9, so the tree is of another release"),
        (FILE.replace("a + one()", "a + 2"), "func sum is not upstream's (SHA-256 "),
    ],
    ids=["patched", "missing", "crlf", "other-release", "vendor"],
)
def test_what_is_not_the_releases_own_text_is_refused(text: str, problem: str) -> None:
    step = InFunction(site(), "sum", "\treturn total", "\ttotal++\n", "total++")
    patch = Patch("s", "e", (), (FileEdit("dir/f.go", (step,)),))
    with pytest.raises(MisplacedError) as caught:
        apply(patch, {"dir/f.go": text})
    assert str(caught.value).startswith("dir/f.go: hunk sum: ")
    assert problem in str(caught.value)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("path", "before"),
    [
        ("example.org/0", '\t"example.org/a"'),
        ("example.org/m", '\t"example.org/m/b"'),
        ("example.org/n", '\trenamed "example.org/z"'),
    ],
)
def test_an_import_stands_where_gofmt_sorts_it(path: str, before: str) -> None:
    assert f'\t"{path}"\n{before}\n' in AddImport(path).apply(FILE)


def test_an_import_may_come_last_and_with_another_name() -> None:
    assert '"example.org/z"\n\tx "example.org/zz"\n)\n' in AddImport("example.org/zz", "x").apply(FILE)


def test_an_import_is_not_added_twice_or_without_a_block() -> None:
    with pytest.raises(MisplacedError, match=r"already patched: example\.org/a is imported"):
        AddImport("example.org/a").apply(FILE)
    with pytest.raises(MisplacedError, match="no import block"):
        AddImport("x").apply("package p\n")


def test_only_unused_imports_are_dropped() -> None:
    text = DropUnusedImports((("hash/fnv", "fnv"), ("fmt", "fmt"))).apply(FILE)
    assert '"hash/fnv"' not in text
    assert '"fmt"' in text


def test_literals_are_replaced_in_order() -> None:
    assert Literals(((1, 7), (1, 8))).apply("a 0x1 b 0x1 c") == "a 0x7 b 0x8 c"
    with pytest.raises(MisplacedError, match="0x2 is missing where upstream asserts it"):
        Literals(((1, 7), (2, 8))).apply("0x2 then 0x1")


def test_changes_are_sorted_by_path() -> None:
    patch = Patch(
        "s", "e", (NewFile("z", "new"), NewFile("a", "new")), (FileEdit("m", (Literals(((1, 2),)),)),)
    )
    assert apply(patch, {"m": "0x1"}) == (
        PatchedFile("a", "", "new"),
        PatchedFile("m", "0x1", "0x2"),
        PatchedFile("z", "", "new"),
    )


@pytest.mark.parametrize(
    "step",
    [
        InFunction(site(), "sum", "\treturn total", "\ttotal++\n", "total++"),
        Body(site(), "sum", "\treturn 0\n", "x"),
        ReplaceLine(site(), "sum", "\treturn total\n", "\treturn 0\n", "x"),
        RemoveFunction(site(), "sum"),
        AddImport("example.org/sum"),
        DropUnusedImports((("example.org/sum", "sum"),)),
        Literals(((1, 2),)),
    ],
    ids=lambda step: type(step).__name__,
)
def test_every_step_says_in_words_what_it_does(step: InFunction) -> None:
    assert step.hunk in ("sum", "import", "asserted hashes")
    assert "sum" in step.words or "0x1 -> 0x2" in step.words
