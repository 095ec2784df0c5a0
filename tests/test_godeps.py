"""Modules of releases without go.mod: what Godeps/Godeps.json pins, in versions of it that are known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scripts.suites import godeps

PINNED = {
    "github.com/aws/aws-sdk-go": "v1.12.7",
    "github.com/docker/docker": "v0.0.0-20170731201938-4f3616fb1c11",
    "google.golang.org/grpc": "v1.3.0",
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Lay out what matters of a source: two packages of one module, a tag, others, and a staged module."""
    deps = [
        {"ImportPath": "github.com/docker/docker/api", "Rev": "4f3616fb1c112e206b88cb7a9922bf49067a7756"},
        {"ImportPath": "github.com/docker/docker/pkg/x", "Rev": "4f3616fb1c112e206b88cb7a9922bf49067a7756"},
        {"ImportPath": "github.com/aws/aws-sdk-go/aws", "Rev": "76074", "Comment": "v1.12.7"},
        {"ImportPath": "google.golang.org/grpc", "Rev": "d2e1b", "Comment": "v1.3.0"},
        {"ImportPath": "github.com/golang/glog", "Rev": "0123456789abcdef"},
        {"ImportPath": "github.com/docker/docker-other", "Rev": "fedcba"},
    ]
    (tmp_path / "source" / "Godeps").mkdir(parents=True)
    (tmp_path / "source" / "Godeps" / "Godeps.json").write_text(json.dumps({"Deps": deps}))
    (staged := tmp_path / "source" / "staging" / "src" / "k8s.io" / "api" / "core").mkdir(parents=True)
    (staged / "types.go").write_text("package core\n")
    (staged / "types.go").chmod(0o444)
    staged.chmod(0o555)
    return tmp_path / "source"


def test_a_module_has_the_version_of_the_revision_or_the_tag_that_is_pinned(source: Path) -> None:
    assert godeps.pinned(source) == PINNED  # no other revision of glog


def test_the_module_requires_exactly_these_and_kubernetes_own_from_its_source(
    source: Path, tmp_path: Path
) -> None:
    (module := tmp_path / "module").mkdir()
    godeps.write(source, module)
    lines = (module / "go.mod").read_text().splitlines()
    assert {line for line in lines if line.startswith("require")} == {
        "require k8s.io/api v0.0.0",
        *(f"require {name} {version}" for name, version in PINNED.items()),
    }
    assert {line for line in lines if line.startswith("replace")} == {
        "replace k8s.io/api => ./parts/k8s.io/api",
        *(f"replace {name} => {name} {version}" for name, version in PINNED.items()),
    }
    copied = module / "parts" / "k8s.io" / "api"
    assert (copied / "go.mod").read_text() == "module k8s.io/api\n"
    (copied / "core" / "types.go").write_text("")  # not read-only, as it is in the module cache
