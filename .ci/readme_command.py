"""Print the README's command marked ``<!-- command: NAME -->``: CI runs what a reader would type."""

import re
import sys
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"

found = re.findall(
    rf"<!-- command: {re.escape(sys.argv[1])} -->\n```sh\n(.+?)\n```", README.read_text(), re.DOTALL
)
if len(found) != 1:
    sys.exit(f"README.md: want one command marked {sys.argv[1]}, found {len(found)}")
print(found[0])
