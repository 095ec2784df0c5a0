"""Print the README's commands marked ``<!-- command: NAME -->``: CI runs what a reader would type.

``quick-start`` prints those of docs/guide/first-plan.md that need no cluster. A gate that is there to be seen
failing is marked ``<!-- stops -->``; it has to exit with 2.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
QUICK_START = ROOT / "docs" / "guide" / "first-plan.md"
_BLOCK = re.compile(r"(?:<!-- ([^\n]+) -->\n)?```sh\n(.+?)\n```", re.DOTALL)


def quick_start(page: str) -> Iterator[str]:
    """Yield the commands of a page; raise ValueError for a mark that has no meaning here."""
    for mark, text in _BLOCK.findall(page):
        if mark == "stops":
            yield f"code=0; {text} || code=$?; test $code = 2"
        elif not mark:
            yield text
        elif not mark.startswith("needs: "):
            raise ValueError(f"{mark}: no such mark")


def main() -> None:
    """Print what is asked for."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in sys.argv[1:]:
        if name == "quick-start":
            print(*quick_start(QUICK_START.read_text(encoding="utf-8")), sep="\n")
            continue
        commands = re.findall(rf"<!-- command: {re.escape(name)} -->\n```sh\n(.+?)\n```", readme, re.DOTALL)
        if len(commands) != 1:
            sys.exit(f"README.md: want one command marked {name}, found {len(commands)}")
        print(commands[0])


if __name__ == "__main__":
    main()
