"""Make golden/values: what Go prints for the inputs that stand in its files (the first key of every line)."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "scripts" / "unitdata"
DATA = ROOT / "golden" / "values"
KEYS = {
    "quantities": ("text", "fields", "json", "canonical", "milliFields", "milli"),
    "yaml": ("yaml", "json"),
}


def expected(name: str) -> str:
    """Ask Go for every line of a file anew, from its inputs.

    Raises CalledProcessError where Go fails, whose words are on stderr then.
    """
    given, *answered = KEYS[name]
    inputs = [
        json.loads(line)[given] for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    requests = "".join(f"{json.dumps(text)}\n" for text in inputs)
    # The caller's GOFLAGS, GOWORK or GOTOOLCHAIN must not decide which modules answer.
    own = {**os.environ, "GOFLAGS": "-mod=readonly", "GOWORK": "off", "GOTOOLCHAIN": "go1.26.8"}
    done = subprocess.run(
        ["go", "run", ".", name],
        cwd=SOURCE,
        env=own,
        input=requests,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    answers = map(json.loads, done.stdout.splitlines())
    rows = (
        {given: text, **{key: answer[key] for key in answered}}
        for text, answer in zip(inputs, answers, strict=True)
    )
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def main(argv: Sequence[str] | None = None) -> int:
    """Rewrite the files, or only compare them; 1 says that --check found a difference or that Go failed."""
    parser = argparse.ArgumentParser(prog="unitdata.py", description="Make golden/values with Go.")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 when anything would change"
    )
    check = parser.parse_args(argv).check
    try:
        files = {DATA / f"{name}.jsonl": expected(name) for name in KEYS}
    except subprocess.CalledProcessError:
        return 1
    changed = [path for path, text in files.items() if path.read_text(encoding="utf-8") != text]
    print("\n".join(f"differs  {path.name}" for path in changed) or "identical")
    if check:
        return 1 if changed else 0
    for path in changed:
        path.write_text(files[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
