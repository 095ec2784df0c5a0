"""Print the README's commands marked ``<!-- command: NAME -->``: CI runs what a reader would type."""

import re
import sys
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"

for name in sys.argv[1:]:
    found = re.findall(
        rf"<!-- command: {re.escape(name)} -->\n```sh\n(.+?)\n```", README.read_text(), re.DOTALL
    )
    if len(found) != 1:
        sys.exit(f"README.md: want one command marked {name}, found {len(found)}")
    print(found[0])
