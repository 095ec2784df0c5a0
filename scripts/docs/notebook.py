"""Run the notebook of examples, keep what its cells show, and write it as a page of docs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from scripts.lib.generated import Generated
from scripts.lib.paths import ROOT

NOTEBOOK: Final = Path("examples/notebook/upgrade.ipynb")
PAGE: Final = Path("docs/notebook.md")
_SECONDS: Final = 300
"""For one cell, on a machine that does much else."""
_NOTE: Final = (
    "This page is the notebook [upgrade.ipynb](../examples/notebook/upgrade.ipynb) with what its cells show; "
    "`python scripts/regenerate.py notebook` runs it."
)


def make() -> dict[Path, bytes]:
    """Run the cells, and return the notebook with what they show, and the page."""
    cells = _run((ROOT / NOTEBOOK).read_text(encoding="utf-8"))
    return {
        NOTEBOOK: (json.dumps(cells, indent=1, ensure_ascii=False) + "\n").encode(),
        PAGE: ("\n\n".join(_page(cells["cells"])) + "\n").encode(),
    }


def _run(text: str) -> dict[str, Any]:
    import nbformat  # noqa: PLC0415 - the other pages need no Jupyter
    from nbclient import NotebookClient  # noqa: PLC0415
    from traitlets.config import Config  # noqa: PLC0415

    notebook = nbformat.reads(text, as_version=4)  # type: ignore[no-untyped-call]
    # by sockets in a directory: another process may take a port between its choice and its use
    with TemporaryDirectory() as place:
        sockets = Config(KernelManager={"transport": "ipc", "ip": f"{place}/kernel"})
        NotebookClient(notebook, timeout=_SECONDS, kernel_name="python3", config=sockets).execute()
    made: dict[str, Any] = json.loads(nbformat.writes(notebook))  # type: ignore[no-untyped-call]
    # of when it ran, and on which Python, nothing is kept
    made["metadata"] = json.loads(text)["metadata"]
    for cell in made["cells"]:
        cell["metadata"] = {}
        if "outputs" in cell:
            cell["outputs"] = list(_joined(cell["outputs"]))
    return made


def _joined(outputs: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the outputs of a cell; what it printed comes in parts, as its timing has it."""
    for kind, some in groupby(outputs, lambda output: output.get("name")):
        first, *others = some
        if kind is None:
            yield from (first, *others)
        else:
            text = "".join(part for output in (first, *others) for part in output["text"])
            yield {**first, "text": text.splitlines(keepends=True)}  # a part may end within a line


def _page(cells: list[Mapping[str, Any]]) -> Iterator[str]:
    for number, cell in enumerate(cells):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            yield source
        else:
            yield f"```python\n{source}\n```"
            yield from filter(None, map(_shown, cell["outputs"]))
        if not number:
            yield _NOTE


def _shown(output: Mapping[str, Any]) -> str:
    """Return what a cell shows; of other libraries' objects the text, since their HTML has styles."""
    data = output.get("data", {})
    html = "".join(data.get("text/html", ""))
    if html.startswith('<div class="hashcompat">'):
        return html
    text = "".join(data.get("text/plain", output.get("text", "")))
    lines = [line.rstrip() for line in text.rstrip().splitlines()]
    return "\n".join(["```text", *lines, "```"])


GENERATED: Final = Generated(make, owned=(str(NOTEBOOK), str(PAGE)))
