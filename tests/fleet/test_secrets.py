"""Nothing but names leaves a cluster: values with markers in them are in no table, part, page or message."""

from __future__ import annotations

import json
from pathlib import Path

from hashcompat.core.catalog.lookup import Catalog
from hashcompat.fleet.parts import InputResult, unpacked
from tests.fleet.clusters import content
from tests.helpers.planted import MARK, Planter
from tests.helpers.pods import listed
from tests.helpers.program import Run


def test_no_value_of_a_cluster_is_in_what_a_fleet_writes(run: Run, tmp_path: Path, catalog: Catalog) -> None:
    """Also not where a container does not decode, a file is cut or holds no objects."""
    planter, source = Planter(catalog), tmp_path / "in"
    source.mkdir()
    objects = [planter.node("v1.30.0"), planter.pod("p"), planter.mirror_pod("m"), planter.deployment("d")]
    misfit = {**planter.container(), "ports": planter.mark(), "args": [{planter.mark(): planter.mark()}]}
    files = {
        "whole": json.dumps(listed(*objects)),
        "misfit": json.dumps(listed(objects[0], planter.pod("p", misfit))),
        "cut": json.dumps(listed(*objects))[:-40],
        "text": f"{planter.mark()}: [{planter.mark()}",
        "other": json.dumps({planter.mark(): planter.mark(), "kind": "Secret"}),
    }
    for name, text in files.items():
        (source / f"{name}.json").write_text(text)
    assert all(MARK in text for text in files.values())
    words = ("fleet", source, "--to", "1.31.0,1.33", "--out", tmp_path / "out", "--workers", "0")
    forms = ("html", "json", "csv", "markdown", "prometheus", "junit", "sarif", "summary", "slack", "gitlab")
    reports = [f"--report={form}={tmp_path / form}.txt" for form in forms]
    done = run(*words, "--items", "--keep-going", "--waves=2", *reports)
    strict = run(*words, "--items")
    assert {row["status"] for row in content(tmp_path / "out")["clusters/target=1.31.0"]} == {
        *("planned", "refused", "unreadable")
    }
    pages = [tmp_path / f"{form}.txt" for form in forms]
    written = [*pages, *(path for path in (tmp_path / "out").rglob("*") if path.is_file())]
    assert all(path.stat().st_size for path in written), done.err
    parts = [unpacked(path.read_bytes(), InputResult) for path in written if path.suffix == ".part"]
    assert len(parts) == 2 * len(files)
    texts = (done.out, done.err, strict.out, strict.err, str(content(tmp_path / "out")), str(parts))
    assert [text for text in texts if MARK in text] == []
    assert [path for path in written if MARK.encode() in path.read_bytes()] == []
