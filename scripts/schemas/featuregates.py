"""Make schemas/tables/gates.json, the feature gates of kubelets and API servers, from Go modules."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, TypedDict

from scripts.lib.generated import Generated
from scripts.lib.gotool import GoError, download
from scripts.lib.paths import CACHE, GATES, ROOT, SCRIPTS
from scripts.lib.program import Program
from scripts.schemas.trees import load, minor, ranges

MODULE: Final = SCRIPTS / "schemas" / "featuregates"
PROGRAM: Final = Program(CACHE / "featuregates" / "featuregates", MODULE)

KUBELET: Final = "kubelet"
API_SERVER: Final = "apiserver"

_FEATURES: Final = "k8s.io/kubernetes/pkg/features"
_WITH_FEATURES: Final = (
    "k8s.io/apiserver/pkg/features",
    "k8s.io/apiextensions-apiserver/pkg/features",
    "k8s.io/client-go/features",
)
"""The packages that register their gates where _FEATURES imports them."""

_BOTH: Final = (
    _FEATURES,
    "k8s.io/kubernetes/pkg/util/config",
    "k8s.io/apiserver/pkg/util/feature",
    "k8s.io/component-base/featuregate",
    "k8s.io/component-base/logs",
    "k8s.io/component-base/logs/api/v1",
    "k8s.io/component-base/metrics/features",
    "k8s.io/component-base/zpages/features",
)
"""The packages whose gates both programs register, in the releases that have them."""

_API_SERVER_ONLY: Final = ("k8s.io/apiextensions-apiserver/pkg/features",)
"""The packages whose gates an API server registers, whoever imports them."""


class Source(TypedDict):
    """A row of featuregates/modules.json: where the gates are read that some releases of a minor have."""

    since: str
    """The first release that has these gates: a minor, or a patch release that changed some."""

    release: str
    """The release that is read: the newest of them that the module proxy has."""

    modules: dict[str, str]
    """Versions by Go module; up to 1.14, k8s.io/kubernetes has the others in it."""


class Spec(NamedTuple):
    """What a gate is in one release."""

    stage: str
    """ALPHA, BETA, GA or DEPRECATED."""

    on: bool
    locked: bool
    needs: tuple[str, ...]
    """The gates that have to be on where this one is."""


Gates = dict[str, Spec]

_ABOUT: Final = (
    "Every feature gate that kubelets and API servers know, with its stage, its default (on), whether it is "
    "locked to that, and the gates that have to be on where it is (needs). Both know the same ones."
)


def programs() -> dict[str, Program]:
    """Describe the one program."""
    return {"featuregates": PROGRAM}


def sources() -> list[Source]:
    """Read the table of sources, oldest first."""
    rows: list[Source] = load(MODULE / "modules.json")
    return rows


def make() -> dict[Path, bytes]:
    """Compute the table of every gate in every release."""
    return {GATES.relative_to(ROOT): render(histories())}


def histories() -> dict[str, dict[str, Spec]]:
    """Return what each gate is, by the range of releases.

    Raises:
        GoError: a kubelet and the API server of its release do not know the same gates; the table has no
            place for that, because they always did.
    """
    gates: dict[str, dict[str, Spec]] = {}
    rows = sources()
    tables = [_common(source) for source in rows]
    for name in sorted({name for table in tables for name in table}):
        specs = [(row["since"], table.get(name)) for row, table in zip(rows, tables, strict=True)]
        gates[name] = dict(ranges(specs))
    return gates


def _common(source: Source) -> Gates:
    gates = extract(source)
    if gates[KUBELET] != gates[API_SERVER]:
        differing = set(gates[KUBELET].items()) ^ set(gates[API_SERVER].items())
        names = ", ".join(sorted({name for name, _ in differing}))
        raise GoError(f"{source['release']}: kubelet and API server do not have the same gates: {names}")
    return gates[KUBELET]


def render(gates: Mapping[str, Mapping[str, Spec]]) -> bytes:
    """Write the table with one gate a line."""
    lines = [f"  {json.dumps(name)}: {json.dumps(_rows(specs))}" for name, specs in gates.items()]
    return (f'{{\n "about": {json.dumps(_ABOUT)},\n "gates": {{\n' + ",\n".join(lines) + "\n }\n}\n").encode()


def _rows(specs: Mapping[str, Spec]) -> list[dict[str, Any]]:
    return [
        {
            "releases": releases,
            "stage": spec.stage,
            "on": spec.on,
            **({"locked": True} if spec.locked else {}),
            **({"needs": list(spec.needs)} if spec.needs else {}),
        }
        for releases, spec in specs.items()
    ]


def extract(source: Source) -> dict[str, Gates]:
    """Read one release's gates by component.

    Raises:
        GoError: a module is missing, or two packages do not agree on a gate, so that the release would panic.
    """
    places = {name: download(f"{name}@{version}") for name, version in source["modules"].items()}
    return gates_in(places, source["release"])


def gates_in(places: Mapping[str, Path], release: str) -> dict[str, Gates]:
    """Read one release's gates by component from the directories of its modules."""
    modules = [flag for name, where in places.items() for flag in ("-dir", f"{name}={where}")]
    number = minor(release).partition(".")[2]
    packages = dict.fromkeys([*_BOTH, *_WITH_FEATURES, *_API_SERVER_ONLY])
    answer: dict[str, Any] = json.loads(PROGRAM.run("-minor", number, *modules, *packages))
    imports = answer.get(_FEATURES, {"imports": []})["imports"]
    kubelet = [*_BOTH, *(name for name in _WITH_FEATURES if name in imports)]
    registered = {KUBELET: kubelet, API_SERVER: [*kubelet, *_API_SERVER_ONLY]}
    return {
        component: _merged([answer[name] for name in dict.fromkeys(names) if name in answer], release)
        for component, names in registered.items()
    }


def _merged(packages: Iterable[Mapping[str, Any]], release: str) -> Gates:
    gates: Gates = {}
    needs = {name: tuple(sorted(of)) for package in packages for name, of in package["needs"].items()}
    for package in packages:
        for name, row in package["gates"].items():
            spec = Spec(row["stage"], row["on"], row["locked"], needs.get(name, ()))
            if gates.setdefault(name, spec) != spec:
                raise GoError(f"{release}: {name} is declared in two ways")
    return gates


GENERATED: Final = Generated(make, owned=("schemas/tables/gates.json",))
