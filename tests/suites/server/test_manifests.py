"""What a real API server makes of a manifest is what our own manifest stage makes of it, field by field."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.compile.gojson import compile_decoder
from hashcompat.core.go.jsontext import decode_text, loads
from scripts.lib.golden import INPUTS, requests
from scripts.suites import servers
from tests.helpers.golden import rows
from tests.helpers.manifests import LISTS, served
from tests.helpers.program import CONTAINERS
from tests.helpers.realserver import Cluster

pytestmark = pytest.mark.server

LEAST = 200


def specs() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the golden manifests, and a pod around each golden container, with the volumes that it mounts."""
    for case, row in rows("served").items():
        yield case, row["manifest"]["spec"]
    for case, request in requests(CONTAINERS / INPUTS).items():
        container = json.loads(decode_text(request))["container"]
        mounts = container.get("volumeMounts") or ()
        names = dict.fromkeys(mount.get("name", "") for mount in mounts if mount)
        yield (
            case,
            {"containers": [container], "volumes": [{"name": name, "emptyDir": {}} for name in names]},
        )


@pytest.fixture(scope="module")
def accepted(empty: Cluster) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Return each manifest's spec, and what the server returned, for those that pass its validation."""
    empty.request("POST", "/api/v1/namespaces", {"metadata": {"name": "manifests"}})
    pairs = {}
    for number, (name, spec) in enumerate(specs()):
        body = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": f"m-{number}"}, "spec": spec}
        answer = empty.request("POST", "/api/v1/namespaces/manifests/pods?dryRun=All", body)
        if answer.status_code == 201:
            pairs[name] = (loads(json.dumps(spec)), loads(answer.text)["spec"])
    return pairs


def test_enough_manifests_are_accepted(accepted: dict[str, object]) -> None:
    assert len(accepted) >= LEAST


def test_every_container_comes_back_as_the_manifest_stage_makes_it(
    catalog: Catalog, accepted: dict[str, Any]
) -> None:
    release = servers.release()
    server, decode = (
        catalog.api_server(release),
        compile_decoder(catalog.kubelet(release).schema.container, keep_empty=False),
    )
    differing = {}
    for name, (spec, answer) in accepted.items():
        for key in LISTS:
            own = served(spec, key, server)
            given = answer.get(key, [])
            if list(map(decode, own)) != list(map(decode, given)) or own != given:
                differing[name] = (own, given)
    assert differing == {}
