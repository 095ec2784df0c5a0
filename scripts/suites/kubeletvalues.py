"""Build programs around the code that validates a kubelet's settings, one per release, for ``oracle``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final

from scripts.lib.paths import CACHE, SCRIPTS
from scripts.lib.program import Program
from scripts.suites import kubeletoptions, patches

SOURCE: Final = SCRIPTS / "suites" / "kubeletoptions" / "values.go.txt"

RELEASES: Final = ("1.37.1",)
"""The releases that are compared."""

_LOGS: Final = "k8s.io/component-base/logs/api/v1"
_GATES: Final = "k8s.io/apiserver/pkg/util/feature"

_OWN: Final = """package main

import (
%s
)

func decode(codecs *serializer.CodecFactory, data []byte) (*config.KubeletConfiguration, error) {
	return codec.DecodeKubeletConfiguration(%s)
}

func validate(kc *config.KubeletConfiguration) error {
	return validation.ValidateKubeletConfiguration(%s)
}
"""
"""What differs between releases: the arguments of two functions."""

_INIT: Final = """
func init() {
	if err := logsapi.AddFeatureGates(features.DefaultMutableFeatureGate); err != nil {
		panic(err)
	}
}
"""


def program(release: str) -> Program:
    """Write the module of one release's program, and describe the build."""
    directory = CACHE / "kubeletvalues" / release
    files = {"main.go": SOURCE.read_text(encoding="utf-8"), "own.go": _own(release)}
    module = kubeletoptions.module(release, directory / "module", "kubeletvalues", files)
    return Program(directory / "kubeletvalues", module)


def judged(release: str, settings: Iterable[tuple[list[str], str]]) -> Iterator[str]:
    """Yield the error of each command line and configuration file; an empty text where the kubelet goes on.

    Raises:
        GoError: the program cannot be built, or died.
    """
    lines = (json.dumps({"flags": flags, "config": config}).encode() for flags, config in settings)
    for answer in program(release).ask(lines):
        yield answer["error"]


def _own(release: str) -> str:
    """Return the part of the program that is the release's own."""
    has_gate, has_context, has_logs = (
        part in (patches.source(release) / path).read_text(encoding="utf-8")
        for path, part in (
            ("pkg/kubelet/apis/config/validation/validation.go", "featureGate featuregate.FeatureGate"),
            ("pkg/kubelet/kubeletconfig/util/codec/codec.go", "DecodeKubeletConfiguration(ctx"),
            ("cmd/kubelet/app/server.go", "logsapi.AddFeatureGates("),
        )
    )
    imports = [
        *(['"context"'] if has_context else []),
        '"k8s.io/apimachinery/pkg/runtime/serializer"',
        *([f'features "{_GATES}"'] if has_gate or has_logs else []),
        *([f'logsapi "{_LOGS}"'] if has_logs else []),
        '"k8s.io/kubernetes/pkg/kubelet/apis/config"',
        '"k8s.io/kubernetes/pkg/kubelet/apis/config/validation"',
        '"k8s.io/kubernetes/pkg/kubelet/kubeletconfig/util/codec"',
    ]
    text = _OWN % (
        "\n".join(f"\t{line}" for line in imports),
        "context.Background(), codecs, data" if has_context else "codecs, data",
        "kc, features.DefaultFeatureGate" if has_gate else "kc",
    )
    return text + _INIT if has_logs else text
