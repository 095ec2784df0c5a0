"""Readers of texts without a format of their own: units, processes, what ``df`` prints, arguments."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import Any, Final

from hashcompat.analysis.preflight.facts import (
    host,
    kubelet,
    processes,
    runtime,
    settings,
    statefiles,
    units,
)
from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.core.errors import InputError, UsageError
from hashcompat.core.go import jsontext
from hashcompat.core.go.metav1 import parse_duration
from hashcompat.core.model.items import PodName
from hashcompat.core.records.probes import AbsentError, Dump, Probe, UnparsedError, UnreadError
from hashcompat.core.release import parse_release
from hashcompat.output.formats import jsonpath
from hashcompat.output.formats.jsonpath import find
from hashcompat.output.formats.template import parse
from hashcompat.sources.filters import Filters
from tests.suites.fuzz.target import Form, Target, document, fields, text

_UNIT: Final = "/etc/systemd/system/kubelet.service"

_RELEASE: Final = "1.31.14"

_SEVERAL: Final = ("1.9.11", "1.24.17", _RELEASE)

_ITEM: Final = {"name": "d/p/c", "verdict": "KEEP", "hashes": [1, 2, None], "a.b": {"c": True}}

_DOCUMENT: Final[dict[str, Any]] = {"kind": "Plan", "items": [_ITEM, {**_ITEM, "verdict": "RESTART"}]}

_catalog = cache(default_catalog)


def _dump(**texts: str) -> Dump:
    """Return a dump of probes by their kinds, each under a name that its reader looks for."""
    probes = (
        Probe(kind.partition("_")[0], _NAMES.get(kind, kind), content) for kind, content in texts.items()
    )
    return Dump("n", "fuzz", {(probe.kind, probe.name): (probe,) for probe in probes})


_NAMES: Final = {
    "file_unit": _UNIT,
    "file_variables": "/e",
    "arguments": "7",
    "processes": "all",
    "cgroups": "all",
    "certificate": "/etc/kubernetes/pki/ca.crt",
}


def _unit(data: bytes) -> None:
    """Read a unit, with a file of variables on its first line, and the flags in it as releases take them."""
    variables, unit = fields(data, 2)
    started = units.start(_dump(file_unit=unit, file_variables=variables.replace("\\n", "\n")))
    assert sum(len(word.text) for word in started.words) <= units.MOST_OF_WORDS
    for name in _SEVERAL:
        release, table = parse_release(name), _catalog().flag_table
        for flag in kubelet.flag_arguments(started.words, table, release):
            list(kubelet.pairs(flag.value))
            kubelet.truth(flag.value)
    with suppress(UnreadError):
        kubelet.reserved_memory({"reserved-memory": unit}, {})


def _settings(data: bytes) -> None:
    """Read a duration or number of a flag, and a configuration file as another one changes it."""
    flag, first, second = fields(data, 3)
    release = parse_release(_RELEASE)
    parse_duration(flag)
    with suppress(UnreadError, UnparsedError):
        settings.repeated("/c.yaml", second)
    for name in (
        *("max-pods", "sync-frequency", "node-labels", "cloud-provider", "feature-gates"),
        *("system-reserved", "eviction-hard"),
    ):
        for given in kubelet.flag_arguments(_words(f"--{name}={flag}"), _catalog().flag_table, release):
            settings.flag_value(given)
    documents = [config for text_ in (first, second) if isinstance(config := _json(text_), dict)]
    made = settings.KubeletSettings([(str(place), config) for place, config in enumerate(documents)], ())
    known = _catalog().hazards(release).config.fields(release)
    for config in documents:
        for field, value in settings.values(known, config, ""):
            settings.fits(field, value)
            settings.number_of(value)
            made.find(field.path)


def _words(argument: str) -> tuple[units.UnitArgument, ...]:
    return units.start(_dump(file_unit=f"[Service]\nExecStart=/usr/bin/kubelet '{argument}'")).words


def _json(given: str) -> Any:
    try:
        return jsontext.loads(given)
    except InputError:
        return None


def _processes(data: bytes) -> None:
    """Read the processes of a node and their arguments."""
    wanted, listed, arguments, cgroups = fields(data, 4)
    listed = listed.replace("\\n", "\n")
    given = _dump(processes=listed, arguments=arguments.replace("\\n", "\n"), cgroups=cgroups)
    list(processes.processes_of(given).lasting())
    tasks = processes.Tasks(given)
    assert {holder.pid for holder in tasks.holders(wanted)} <= {"7"}
    assert tasks.has_cgroup(wanted) is (wanted in cgroups)
    processes.option(arguments, wanted)
    tasks.require_runtime()


def _node_file(data: bytes) -> None:
    """Read what a node shows as text: mounts, memory, file systems, a certificate's end, ids."""
    read = text(data)
    host.mounts(read)
    host.meminfo(read)
    list(host.expiries(_dump(certificate=read)))
    host.usage(read)


def _answer(data: bytes) -> None:
    """Read what a runtime answers about itself, and a checkpoint."""
    answer = document(data)
    given = Dump("n", "fuzz", {(kind, name): (Probe(kind, name, text(data)),) for kind, name in _ASKED})
    with suppress(UnreadError, AbsentError):
        runtime.runtime_version(given, None)
    with suppress(UnreadError, AbsentError):
        runtime.api_version(given)
    with suppress(UnreadError):
        runtime.container_ids(given)
    if isinstance(answer, dict):
        for ask in (runtime.cgroup_driver, runtime.sandbox_image, runtime.conditions):
            with suppress(UnreadError):
                ask(answer)
        list(runtime.image_names(answer))
    for tree in filter(None, (_hazards().sandbox_checkpoint, _hazards().cri_dockerd_checkpoint)):
        statefiles.checkpoint_fault(text(data), tree)
    runtime.document(given, "cri", "info")


_ASKED: Final = (("cri", "version"), ("cri", "info"), ("cri", "containers"), ("docker", "version"))


@cache
def _hazards() -> Any:
    return _catalog().hazards(_catalog().kubelet("1.20.15").release)


def _template(data: bytes) -> None:
    """Read a template of jsonpath, and look up what its actions find."""
    given = text(data)
    for action in parse(given):
        with suppress(InputError):
            for _, value in zip(range(100), find(action, _DOCUMENT), strict=False):
                jsonpath.text(value, "utf-8")


def _columns(data: bytes) -> None:
    """Read custom columns: what separates them is kept in none."""
    given = text(data)
    jsonpath.check_custom_columns(given)
    for _, path in jsonpath._columns(given):
        with suppress(InputError):
            jsonpath._cell(path, _ITEM)


def _filters(data: bytes) -> None:
    """Look for a pod by names: one per line, of namespaces, nodes and owners; sets decide as one by one."""
    namespace, node, owner, *asked = fields(data, 4)
    pod = PodName(node, namespace, "p", "", owner, owner)
    wanted = tuple(asked[0].split("\n"))
    assert Filters(namespaces=wanted).matches(pod) is (namespace in wanted)
    assert Filters(excluded_namespaces=wanted).matches(pod) is (namespace not in wanted)
    assert Filters(nodes=wanted).matches(pod) is (node in wanted)
    single = [Filters(owners=(name,)).matches(pod) for name in wanted]
    assert Filters(owners=wanted).matches(pod) is any(single)


_NODE_ERRORS: Final = (UnreadError, AbsentError, InputError)

TARGETS = (
    Target(
        "unit",
        _unit,
        ("analysis/preflight/facts/units", "analysis/preflight/facts/kubelet"),
        Form.TEXT,
        longest=512,
        raises=(),
        words=("EnvironmentFile=/e", "ExecStart=", "Environment=", "${A}", "$A", "--feature-gates="),
    ),
    Target(
        "kubelet-settings",
        _settings,
        ("core/go/metav1", "analysis/preflight/facts/settings"),
        Form.TEXT,
        longest=512,
        raises=(),
        words=("1m30s", '{"maxPods": ', '{"logging": {"flushFrequency": ', "0x10", '"syncFrequency": '),
    ),
    Target(
        "processes",
        _processes,
        ("analysis/preflight/facts/processes",),
        Form.TEXT,
        longest=512,
        raises=_NODE_ERRORS,
    ),
    Target(
        "node-file",
        _node_file,
        ("analysis/preflight/facts/host",),
        Form.TEXT,
        longest=512,
        raises=_NODE_ERRORS,
    ),
    Target(
        "runtime-answer",
        _answer,
        ("analysis/preflight/facts/runtime", "analysis/preflight/facts/statefiles"),
        longest=512,
        raises=_NODE_ERRORS,
    ),
    Target(
        "template",
        _template,
        ("output/formats/template", "output/formats/jsonpath"),
        Form.TEXT,
        longest=256,
        raises=(UsageError,),
    ),
    Target(
        "columns",
        _columns,
        ("output/formats/jsonpath", "output/formats/template"),
        Form.TEXT,
        longest=256,
        raises=(UsageError,),
    ),
    Target("filters", _filters, ("sources/filters",), Form.TEXT, longest=256, raises=()),
)
