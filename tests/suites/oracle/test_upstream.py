"""The weekly job, asking the real module proxy and reading Kubernetes' real source."""

from __future__ import annotations

import pytest

from scripts import upstream
from scripts.lib.paths import RELEASES
from scripts.schemas.trees import load

pytestmark = [pytest.mark.oracle, pytest.mark.full]


def test_every_watched_function_is_in_the_newest_source_or_known_to_be_gone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What is missing today may be published tomorrow: only the answer's form is the same every day."""
    code = upstream.main([])
    out = capsys.readouterr().out
    assert (code, out) == (0, "nothing is missing\n") or (code == 2 and "nothing is missing" not in out)


def test_a_changed_checksum_and_an_unknown_release_are_found(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    watched, releases = load(upstream.WATCHED), load(RELEASES)
    name = "pkg/kubelet/container/helpers.go HashContainer"
    watched["read"]["1.37"]["sha256"][name] = "0" * 64
    del releases["releases"][-1]["patches"]["1"]
    tables = {upstream.WATCHED: watched, RELEASES: releases}
    monkeypatch.setattr(upstream, "load", tables.__getitem__)
    assert upstream.main([]) == 2
    out = capsys.readouterr().out
    assert "1.37.1" in out
    assert f"{name} changed between" in out
