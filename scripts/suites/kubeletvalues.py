"""Build programs around the code that validates a kubelet's settings, one per release, for ``oracle``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final

from scripts.lib.paths import CACHE, SCRIPTS
from scripts.lib.program import Program
from scripts.suites import kubeletoptions, patches

SOURCE: Final = SCRIPTS / "suites" / "kubeletoptions" / "values.go.txt"

_KUBELET: Final = "k8s.io/kubernetes/pkg/kubelet"
_LOGS: Final = "k8s.io/component-base/logs/api/v1"
_GATES: Final = "k8s.io/apiserver/pkg/util/feature"

RELEASES: Final = (
    "1.10.13",
    "1.11.10",
    "1.12.10",
    "1.13.12",
    "1.14.10",
    "1.15.12",
    "1.16.15",
    "1.17.17",
    "1.18.19",
    "1.19.16",
    "1.20.15",
    "1.21.14",
    "1.22.17",
    "1.23.17",
    "1.24.17",
    "1.25.16",
    "1.26.15",
    "1.27.16",
    "1.28.15",
    "1.29.15",
    "1.30.14",
    "1.31.14",
    "1.32.13",
    "1.33.13",
    "1.34.10",
    "1.35.8",
    "1.36.3",
    "1.37.1",
)
"""The releases that are compared: one of each minor whose kubelet reads a configuration file."""

_OPTIONS: Final = "cmd/kubelet/app/options"
"""The package of the kubelet's own flags."""

_LIBRARIES: Final = "globalflags"
"""How its files begin that only register the flags of libraries, most of what a kubelet is linked with."""

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

_COPIED: Final = """
var pristine = features.DefaultMutableFeatureGate

func gates() interface{ SetFromMap(map[string]bool) error } { return features.DefaultMutableFeatureGate }

func resetGates() {
	features.DefaultMutableFeatureGate = pristine.DeepCopy()
	features.DefaultFeatureGate = features.DefaultMutableFeatureGate
}
"""

_MADE_AGAIN: Final = """
var pristine = features.DefaultFeatureGate.KnownFeatures()

func gates() interface{ SetFromMap(map[string]bool) error } { return features.DefaultFeatureGate }

// resetGates makes the gates again by their descriptions: "Accelerators=true|false (ALPHA - default=false)".
func resetGates() {
	known := map[features.Feature]features.FeatureSpec{}
	for _, line := range pristine {
		name, rest, _ := strings.Cut(line, "=true|false (")
		stage, on, found := strings.Cut(strings.TrimSuffix(rest, ")"), " - ")
		if !found {
			stage, on = "", rest
		}
		if name != "AllAlpha" {
			spec := features.FeatureSpec{Default: strings.Contains(on, "default=true")}
			reflect.ValueOf(&spec).Elem().FieldByName("PreRelease").SetString(stage)
			known[features.Feature(name)] = spec
		}
	}
	made := features.NewFeatureGate()
	if err := made.Add(known); err != nil {
		panic(err)
	}
	features.DefaultFeatureGate = made
}
"""
"""Up to 1.11 gates cannot be copied."""


def program(release: str) -> Program:
    """Write the module of one release's program, and describe the build."""
    directory = CACHE / "kubeletvalues" / release
    module = kubeletoptions.module(release, directory / "module", "kubeletvalues", _files(release))
    return Program(directory / "kubeletvalues", module)


def judged(release: str, settings: Iterable[tuple[list[str], str]]) -> Iterator[str]:
    """Yield the error of each command line and configuration file; an empty text where the kubelet goes on.

    Raises:
        GoError: the program cannot be built, or died.
    """
    lines = (json.dumps({"flags": flags, "config": config}).encode() for flags, config in settings)
    for answer in program(release).ask(lines):
        yield answer["error"]


def _files(release: str) -> dict[str, str]:
    """Return the program of a release: its flags are a copy, without those of libraries."""
    source = patches.source(release)
    config = f"{_KUBELET}/apis/config"
    if not (source / "pkg/kubelet/apis/config").exists():  # up to 1.11
        config = f"{_KUBELET}/apis/kubeletconfig"
    flags = "k8s.io/component-base/cli/flag"
    options = {path.name: path.read_text(encoding="utf-8") for path in (source / _OPTIONS).glob("*.go")}
    if f'"{flags}"' not in options["options.go"]:
        flags = "k8s.io/apiserver/pkg/util/flag"
    main = SOURCE.read_text(encoding="utf-8")
    named = {"CLIFLAG": f'flag "{flags}"', "SETTINGS": f'config "{config}"', "CONFIG": config}
    for name, text in {**named, "OWN": kubeletoptions.named("kubeletvalues", release)}.items():
        main = main.replace(name, text)
    own = {
        f"options/{name}": text
        for name, text in options.items()
        if not name.startswith(_LIBRARIES) and not name.endswith("_test.go")
    }
    return {"main.go": main, "own.go": _own(release, config), **own}


def _own(release: str, config: str) -> str:
    """Return the part of the program that is the release's own."""
    source = patches.source(release)
    has_gate, has_context, has_logs = (
        part in (source / path).read_text(encoding="utf-8")
        for path, part in (
            (
                f"{config.removeprefix('k8s.io/kubernetes/')}/validation/validation.go",
                "featureGate featuregate.FeatureGate",
            ),
            ("pkg/kubelet/kubeletconfig/util/codec/codec.go", "DecodeKubeletConfiguration(ctx"),
            ("cmd/kubelet/app/server.go", "logsapi.AddFeatureGates("),
        )
    )
    copied = (
        (source / "cmd/kubelet/app/server.go").read_text(encoding="utf-8").count("DefaultMutableFeatureGate")
    )
    imports = [
        *(['"context"'] if has_context else []),
        *([] if copied else ['"reflect"', '"strings"']),
        '"k8s.io/apimachinery/pkg/runtime/serializer"',
        f'features "{_GATES}"',
        *([f'logsapi "{_LOGS}"'] if has_logs else []),
        f'config "{config}"',
        f'"{config}/validation"',
        f'"{_KUBELET}/kubeletconfig/util/codec"',
    ]
    text = _OWN % (
        "\n".join(f"\t{line}" for line in imports),
        "context.Background(), codecs, data" if has_context else "codecs, data",
        "kc, features.DefaultFeatureGate" if has_gate else "kc",
    )
    return text + (_COPIED if copied else _MADE_AGAIN) + _INIT * has_logs
