"""PF-145: a next start without an API server."""

from __future__ import annotations

from typing import Any

import pytest

from tests.helpers.dumps import GONE, Key, dump, failed, found, upgrade
from tests.preflight.checks.test_flags import DROP_IN, KUBEADM_DROP_IN, NODE, UNIT

ARGUMENTS: Key = ("arguments", "kubelet")
CONFIG: Key = ("file", "/var/lib/kubelet/config.yaml")
RUNNING = (
    "/usr/bin/kubelet\n--kubeconfig=/etc/kubernetes/kubelet.conf\n--config=/var/lib/kubelet/config.yaml\n"
)
ALONE = KUBEADM_DROP_IN.replace("$KUBELET_KUBECONFIG_ARGS ", "")
BARE = {DROP_IN: GONE}
LACKS = "the running kubelet has --kubeconfig, and its unit no longer gives it: kubelet 1.34.10 "
STOPS = f"{LACKS}does not start: it has to ask an API server who may use it, and is given none"
REMOVES = f"{LACKS}runs without an API server, and removes the pods that it had from one"
NO_WEBHOOK = "authentication: {webhook: {enabled: false}}\nauthorization: {mode: AlwaysAllow}\n"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ""),
        ({DROP_IN: ALONE}, STOPS),
        ({DROP_IN: ALONE, CONFIG: NO_WEBHOOK}, REMOVES),
        ({DROP_IN: ALONE, CONFIG: NO_WEBHOOK.replace("AlwaysAllow", "Webhook")}, STOPS),
        (BARE, REMOVES),
        ({**BARE, UNIT: "[Service]\nExecStart=/usr/bin/kubelet --authorization-mode=Webhook\n"}, STOPS),
        ({**BARE, UNIT: "[Service]\nExecStart=/usr/bin/kubelet --authentication-token-webhook\n"}, STOPS),
        ({**BARE, UNIT: "[Service]\nExecStart=/opt/start.sh\n"}, ""),
        ({**BARE, UNIT: "[Service]\nExecStart=/usr/bin/kubelet --kubeconfig=\n"}, ""),  # ${FILE}, not shown
        ({**BARE, UNIT: GONE}, ""),
        ({DROP_IN: ALONE, ARGUMENTS: RUNNING.replace("/usr/bin", "/opt/rke2")}, ""),
        ({DROP_IN: ALONE, ARGUMENTS: "/usr/bin/kubelet\n"}, ""),
        ({DROP_IN: ALONE, ARGUMENTS: GONE}, ""),
    ],
)
def test_pf145_no_api_server(changes: dict[Key, Any], expected: str) -> None:
    node: dict[Key, Any] = {**NODE, ARGUMENTS: RUNNING, **changes}
    wanted = (
        [("ERROR", "--kubeconfig", expected)] if expected else [("OK", "", "nothing found: no API server")]
    )
    assert found("PF-145", dump(node), upgrade("1.34.10")) == wanted


def test_pf145_is_unknown_where_the_arguments_of_the_kubelet_could_not_be_read() -> None:
    node: dict[Key, Any] = {**NODE, DROP_IN: ALONE, ARGUMENTS: failed()}
    assert [row[0] for row in found("PF-145", dump(node), upgrade("1.34.10"))] == ["UNKNOWN"]
