"""Targets: containers, pods and releases (``compile``, ``catalog``, ``kubelet``, ``patching``)."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cache

from hashcompat.analysis.answers.redaction import snapshot
from hashcompat.analysis.patching import AddImport, DropUnusedImports, Literals, MisplacedError, function_text
from hashcompat.analysis.planning import make
from hashcompat.analysis.planning.options import Options, check_gates
from hashcompat.analysis.planning.view import View
from hashcompat.api.inputs import collect
from hashcompat.cli.args import facts
from hashcompat.core.catalog.added import added, added_releases
from hashcompat.core.catalog.behaviour import Gates
from hashcompat.core.catalog.eras import Schema
from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.core.errors import InputError, UsageError
from hashcompat.core.go.metav1 import DEFAULTS
from hashcompat.core.kubelet.hashing import compile_hasher, hashers
from hashcompat.core.kubelet.staticpods import static_containers, static_pod_uid
from hashcompat.core.release import Release, parse_release
from hashcompat.sources.upstream import container_types
from tests.suites.fuzz.places import on_disk, opened, quick_digest
from tests.suites.fuzz.target import Form, Target, document, fields, one_of, sometimes, text

_OF_CONTAINERS = tuple(
    (release, keep_empty)
    for release in ("1.0.7", "1.2.7", "1.9.11", "1.16.15", "1.27.15", "1.37.1")
    for keep_empty in (False, True)
)
"""A release of each era and codec, and whether empty lists are kept."""

_OF_PODS = ("1.6.13", "1.15.12", "1.21.14", "1.37.1")

_UPGRADES = tuple(
    (upgrade, keep_going)
    for upgrade in (("1.9.11", "1.16.15"), ("1.30.14", "1.37.1"))
    for keep_going in (False, True)
)
"""Upgrades, and whether a container that does not decode ends the plan."""

_WITH_GATES = "1.37.1"

_C = {"name": "c", "image": "i"}


_kubelet = cache(default_catalog().kubelet)


def _container(data: bytes) -> None:
    """Hash a container as a kubelet of one of several releases does, from the API or from a file."""
    value = document(data)
    name, keep_empty = one_of(_OF_CONTAINERS, data)
    (hasher,) = hashers(_kubelet(name), keep_empty=keep_empty)
    assert 0 <= hasher.hash(value) < 1 << 32
    hasher.tree(value)


def _pod(data: bytes) -> None:
    """Compute the UID of a static pod as a kubelet of one of several releases does."""
    value, kubelet = document(data), _kubelet(one_of(_OF_PODS, data))
    if not isinstance(value, dict):
        raise InputError("not an object, which a manifest is known to be when it gets here")
    with quick_digest():
        static_pod_uid(value, kubelet, "node-1", "file:/etc/kubernetes/manifests/pod.yaml")
    if sometimes(data, 2):
        static_containers(value, kubelet)


def _plan(data: bytes) -> None:
    """Plan an upgrade of the pods in some JSON, and save them as a snapshot."""
    inventory = collect([document(data)])
    catalog = default_catalog()
    (old, new), keep_going = one_of(_UPGRADES, data)
    with suppress(InputError):
        make(inventory, old, new, View(catalog, Options(keep_going=keep_going)))
    snapshot(inventory, catalog)


def _release(data: bytes) -> None:
    """Find what a node reports: its kubelet's release, and its runtime's."""
    reported, name = fields(data, 2)
    catalog = default_catalog()
    for fault in catalog.runtime_faults:
        fault.concerns(reported)
    catalog.vendors.of(_parsed(name))
    catalog.vendors.true(_parsed(name))
    known = catalog.kubelet(name)
    assert catalog.kubelet(str(known.release)).release == known.release
    assert catalog.known.known_name(name) in catalog.known.names


def _parsed(name: str) -> Release:
    return parse_release(default_catalog().known.aliases.get(name.strip(), name))


def _gates(data: bytes) -> None:
    """Read feature gates, and refuse those with which a kubelet would not start."""
    pairs = frozenset(facts._gates(text(data)))
    options = Options(
        gates=frozenset(name for name, on in pairs if on),
        gates_off=frozenset(name for name, on in pairs if not on),
    )
    gates = Gates(default_catalog().gate_table, parse_release(_WITH_GATES), pairs)
    for name, _ in pairs:
        gates.is_on(name)
    known = all(gates.knows(name) for name, _ in pairs)  # of others, the nearest names are looked for
    if known and sometimes(data, 4):
        check_gates(options, (_WITH_GATES,), default_catalog())


def _added(data: bytes) -> None:
    """Read an added release, from its file too, and hash a container by its types."""
    if opened(data):
        additions = added_releases(on_disk(data, "releases/1.json").parent)
        assert len(additions.damaged) + len(additions.releases) == 1
    release = added(document(data))
    newest = default_catalog().kubelet(default_catalog().known.newest)
    schema = Schema(release.release.minor, release.tree, DEFAULTS)
    compile_hasher(schema, newest.era, newest.escapes[0], True).hash(_C)


def _go_types(data: bytes) -> None:
    """Read the types of a Go file; what is read is a type tree, or refused as one."""
    types = container_types(data, "types.go")
    tree = {"package": "v1", "releases": "", "madeFrom": "", "root": "Container", "types": types}
    json.dumps(tree)
    added({"release": "1.99.0", **tree})


def _go_source(data: bytes) -> None:
    """Change Go source as a patch does."""
    source = text(data)
    function_text(source, "HashContainer")
    DropUnusedImports((("hash/fnv", "fnv"), ("encoding/json", "json"))).apply(source)
    with suppress(MisplacedError):
        Literals(((0x8E45CBD0, 1), (0x1, 2))).apply(source)
    changed = AddImport("k8s.io/kubernetes/pkg/kubelet/container/hashlike").apply(source)
    assert "hashlike" in changed


TARGETS = (
    Target(
        "container",
        _container,
        ("core/compile/gojson", "core/compile/quick", "core/go/metav1", "core/kubelet/hashing"),
        longest=1024,
    ),
    Target(
        "pod",
        _pod,
        ("core/compile/gojson", "core/kubelet/staticpods", "core/corev1/conversion", "core/corev1/defaults"),
        longest=1664,
    ),
    Target(
        "plan",
        _plan,
        (
            "analysis/planning/prepare",
            "analysis/planning/judge",
            "analysis/answers/redaction",
            "analysis/answers/keeping",
        ),
        guided=False,
    ),
    Target(
        "release",
        _release,
        ("core/release", "core/catalog/releases", "core/catalog/hazards"),
        Form.TEXT,
        longest=64,
        raises=(UsageError,),
    ),
    Target(
        "feature-gates",
        _gates,
        ("cli/args/facts", "analysis/planning/options", "core/catalog/behaviour"),
        Form.TEXT,
        longest=128,
        raises=(UsageError,),
    ),
    Target(
        "added-release",
        _added,
        ("core/catalog/added", "core/catalog/eras", "core/catalog/files", "core/go/types"),
        raises=(InputError, UsageError),
    ),
    Target(
        "go-types",
        _go_types,
        ("sources/upstream", "core/catalog/added"),
        Form.TEXT,
        raises=(InputError, UsageError),
    ),
    Target("go-source", _go_source, ("analysis/patching/__init__",), Form.TEXT, raises=(MisplacedError,)),
)
