"""PF-133 - 137: what the new kubelet reads of its host before it runs."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from hashcompat.analysis.preflight.checks import Need
from hashcompat.analysis.preflight.facts import NodeObjects
from hashcompat.core.model.pods import Node
from hashcompat.core.records.probes import NOT_COLLECTED
from tests.helpers.apiservers import server_pod
from tests.helpers.dumps import GONE, dump, failed, found, status, upgrade

CONFIG, ARGUMENTS = ("file", "/var/lib/kubelet/config.yaml"), ("arguments", "kubelet")
PROTECT = {CONFIG: "kind: KubeletConfiguration\nprotectKernelDefaults: true\n"}
WANTED: dict[Any, Any] = {
    ("file", f"/proc/sys/{name}"): f"{value}\n"
    for name, value in (
        ("vm/overcommit_memory", 1),
        ("vm/panic_on_oom", 0),
        ("kernel/panic", 10),
        ("kernel/panic_on_oops", 1),
        ("kernel/keys/root_maxkeys", 1000000),
        ("kernel/keys/root_maxbytes", 25000000),
    )
}
PANIC = ("file", "/proc/sys/kernel/panic")
OK, UNKNOWN = [("OK", "")], [("UNKNOWN", "")]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, OK),
        ({**PROTECT, **WANTED}, OK),
        ({**PROTECT, **WANTED, PANIC: "0\n"}, [("ERROR", "kernel.panic")]),
        ({**PROTECT, **WANTED, PANIC: GONE}, [("ERROR", "kernel.panic")]),
        ({**WANTED, PANIC: "0\n"}, OK),
        (
            {ARGUMENTS: "kubelet\n--protect-kernel-defaults=true\n", **WANTED, PANIC: "0"},
            [("ERROR", "kernel.panic")],
        ),
        ({**PROTECT, **WANTED, PANIC: failed()}, UNKNOWN),
        (PROTECT, UNKNOWN),
        ({CONFIG: failed()}, UNKNOWN),
    ],
)
def test_pf135_kernel_settings(changes: Any, expected: list[tuple[str, str]]) -> None:
    assert status("PF-135", dump(changes), upgrade("1.31.0")) == expected


def test_pf135_says_what_is_wanted() -> None:
    ((_, _, text),) = found("PF-135", dump({**PROTECT, **WANTED, PANIC: "0\n"}), upgrade("1.31.0"))
    assert text == (
        "kubelet 1.31.0 does not start with protectKernelDefaults: kernel.panic is 0 and has to be 10"
    )


def certificate(common_name: str) -> str:
    """Return a certificate of a name, as a kubelet has it."""
    key, name = (
        ec.generate_private_key(ec.SECP256R1()),
        x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, common_name)] if common_name else []),
    )
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    made = made.not_valid_before(datetime(2026, 1, 1, tzinfo=UTC)).not_valid_after(
        datetime(2036, 1, 1, tzinfo=UTC)
    )
    return made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM).decode()


HOST = ("file", "/proc/sys/kernel/hostname")
OWN = ("certificate", "/var/lib/kubelet/pki/kubelet-client-current.pem")
OF_N1 = {OWN: certificate("system:node:n1")}
OVERRIDE = {ARGUMENTS: "kubelet\n--hostname-override=N2\n"}
SPACED = {ARGUMENTS: "kubelet\n--hostname-override\nn1\n"}
AWS = {ARGUMENTS: "kubelet\n--cloud-provider=aws\n"}
UNIT = {
    ("file", "/etc/systemd/system/kubelet.service"): (
        "[Service]\nExecStart=/usr/bin/kubelet --v=2 --hostname-override n3\n"
    )
}
BLOCK = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({HOST: "n1\n", **OF_N1}, OK),
        ({HOST: "N1\n", **OF_N1}, OK),
        ({HOST: "n2\n", **OF_N1}, [("ERROR", HOST[1])]),
        ({HOST: "n2\n", **OF_N1, **AWS}, OK),
        ({HOST: "n1\n", **OF_N1, **OVERRIDE}, [("ERROR", "--hostname-override")]),
        ({HOST: "x\n", **OF_N1, **SPACED}, OK),
        ({HOST: "n1\n", **OF_N1, **UNIT}, [("ERROR", "--hostname-override")]),
        ({HOST: "n2\n", OWN: certificate("somebody")}, UNKNOWN),
        ({HOST: "n2\n", OWN: certificate("")}, UNKNOWN),
        ({HOST: "n2\n", OWN: BLOCK}, UNKNOWN),
        ({HOST: "n2\n", OWN: GONE}, UNKNOWN),
        ({HOST: "n2\n", OWN: "notAfter=Jun  1 12:00:00 2036 GMT\n"}, UNKNOWN),
        ({HOST: "n2\n", OWN: GONE, **AWS}, OK),
        ({OWN: GONE, **OVERRIDE}, UNKNOWN),
        ({HOST: failed(), **OF_N1}, UNKNOWN),
        ({HOST: failed(NOT_COLLECTED), **OF_N1}, UNKNOWN),
    ],
)
def test_pf136_the_node_has_another_name(changes: Any, expected: list[tuple[str, str]]) -> None:
    assert status("PF-136", dump(changes), upgrade("1.31.0")) == expected


def test_pf136_compares_with_the_node_object_too() -> None:
    cluster = NodeObjects(Node("n1", "v1.30.0"))
    ((state, _, text),) = found("PF-136", dump({HOST: "n2\n", OWN: GONE}), upgrade("1.31.0"), cluster)
    assert state == "ERROR"
    assert text == (
        "kubelet 1.31.0 calls its node n2, and its Node object is of n1: it may not change that one, and "
        "does not find its pods"
    )
    assert status("PF-136", dump({OWN: GONE}), upgrade("1.31.0"), cluster) == OK


def test_pf136_without_the_host_s_name_a_node_object_shows_nothing() -> None:
    cluster = NodeObjects(Node("n1", "v1.30.0"))
    assert (
        status("PF-136", dump({HOST: failed(NOT_COLLECTED), OWN: GONE}), upgrade("1.31.0"), cluster)
        == UNKNOWN
    )
    assert status("PF-136", dump({HOST: failed(), OWN: GONE}), upgrade("1.31.0"), cluster) == UNKNOWN


def test_pf136_says_what_is_missing() -> None:
    ((_, _, text),) = found("PF-136", dump({OWN: GONE}), upgrade("1.31.0"))
    assert text == "neither a client certificate in the dump nor a Node object shows the node's name"


BIN, FILE = ("directory", "/opt/creds/bin"), ("file", "/opt/creds/config.yaml")
FLAGS = {
    ARGUMENTS: f"kubelet\n--image-credential-provider-config={FILE[1]}\n"
    f"--image-credential-provider-bin-dir={BIN[1]}\n"
}
HEAD = "apiVersion: kubelet.config.k8s.io/v1\nkind: CredentialProviderConfig\n"
REST = '  matchImages:\n  defaultCacheDuration: ""\n  apiVersion: credentialprovider.kubelet.k8s.io/v1\n'
ECR = f"{HEAD}providers:\n- name: ecr\n{REST}"
SET_UP = {**FLAGS, BIN: "ecr\n", FILE: ECR}
OLDER = ECR.replace("/v1\n", "/v1beta1\n")
FOLDER = ("directory", FILE[1])
PROVIDER = {
    "name": "ecr",
    "matchImages": ["*.dkr.ecr.*.amazonaws.com"],
    "defaultCacheDuration": "12h",
    "apiVersion": "credentialprovider.kubelet.k8s.io/v1",
}
GCR = {"apiVersion": "kubelet.config.k8s.io/v1", "kind": "CredentialProviderConfig"}


@pytest.mark.parametrize(
    ("to", "changes", "expected"),
    [
        ("1.31.0", {}, OK),
        ("1.31.0", SET_UP, OK),
        ("1.31.0", {**SET_UP, BIN: "acr\n"}, [("ERROR", "ecr")]),
        ("1.31.0", {**SET_UP, BIN: GONE}, [("ERROR", BIN[1])]),
        ("1.31.0", {**SET_UP, FILE: GONE}, [("ERROR", FILE[1])]),
        ("1.23.17", {**SET_UP, BIN: "acr\n"}, OK),
        ("1.24.17", {**SET_UP, BIN: "acr\n", FILE: OLDER}, [("ERROR", "ecr")]),
        (
            "1.31.0",
            {**SET_UP, ARGUMENTS: f"kubelet\n--image-credential-provider-config={FILE[1]}\n"},
            [("ERROR", "--image-credential-provider-bin-dir")],
        ),
        (
            "1.34.10",
            {
                **SET_UP,
                FOLDER: "b.yaml\na.json\nREADME\n",
                ("file", f"{FILE[1]}/a.json"): json.dumps(
                    {**GCR, "providers": [{**PROVIDER, "name": "gcr"}]}
                ),
                ("file", f"{FILE[1]}/b.yaml"): ECR,
            },
            [("ERROR", "gcr")],
        ),
        ("1.31.0", {**SET_UP, BIN: failed()}, UNKNOWN),
        ("1.31.0", {**SET_UP, FILE: failed()}, UNKNOWN),
        ("1.31.0", {**SET_UP, FILE: "a: b: c"}, UNKNOWN),
        ("1.31.0", FLAGS, UNKNOWN),
    ],
)
def test_pf137_credential_providers(to: str, changes: Any, expected: list[tuple[str, str]]) -> None:
    assert status("PF-137", dump(changes), upgrade(to)) == expected


def refused(to: str, *providers: object, **changes: object) -> list[str]:
    """Return why a kubelet refuses a configuration, after the path of its file."""
    document = {**GCR, "providers": list(providers), **changes}
    given = {name: value for name, value in document.items() if value is not None}
    rows = found("PF-137", dump({**SET_UP, FILE: json.dumps(given)}), upgrade(to))
    assert {(state, where) for state, where, _ in rows} <= {("ERROR", FILE[1]), ("OK", "")}
    texts = (text.partition(f"{FILE[1]} ")[2] for state, _, text in rows if state == "ERROR")
    return [why for text in texts for why in text.split("; ")]


def without(name: str) -> dict[str, object]:
    return {key: value for key, value in PROVIDER.items() if key != name}


ATTRIBUTES = {"serviceAccountTokenAudience": "x", "requireServiceAccount": True}
OLDER_TOKENS = {**PROVIDER, "tokenAttributes": ATTRIBUTES}
TOKENS = {**PROVIDER, "tokenAttributes": {**ATTRIBUTES, "cacheType": "Token"}}
GROUP = "kubelet.config.k8s.io"
OF_V1 = "credentialprovider.kubelet.k8s.io/v1"
ALL_VERSIONS = f"{OF_V1}alpha1, {OF_V1}beta1, {OF_V1}"
GATE_OF_TOKENS = "KubeletServiceAccountTokenForCredentialProviders"
OF_TOKENS = "with tokenAttributes, which need"


@pytest.mark.parametrize(
    ("to", "providers", "expected"),
    [
        ("1.26.15", [PROVIDER], []),
        ("1.37.1", [PROVIDER], []),
        ("1.26.15", [], ["has no providers"]),
        ("1.37.1", [], ["has no providers"]),
        ("1.27.16", [PROVIDER, PROVIDER], ["has the provider ecr twice"]),
        ("1.31.14", [without("apiVersion")], ["has the provider ecr that has no apiVersion"]),
        (
            "1.31.14",
            [without("matchImages"), {**PROVIDER, "name": "a/b"}],
            [
                "has the provider ecr without matchImages",
                "has the provider a/b whose name is none of a program",
            ],
        ),
        ("1.31.14", [without("matchImages")], ["has the provider ecr without matchImages"]),
        ("1.31.14", [without("defaultCacheDuration")], ["has the provider ecr without defaultCacheDuration"]),
        ("1.31.14", [{**PROVIDER, "apiVersion": "", "matchImages": None, "defaultCacheDuration": ""}], []),
        (
            "1.31.14",
            [{**PROVIDER, "apiVersion": "v2"}],
            [f"has the provider ecr that has the apiVersion v2, and it knows {ALL_VERSIONS}"],
        ),
        *(
            (
                "1.31.14",
                [{**PROVIDER, "defaultCacheDuration": given}],
                ["has the provider ecr whose defaultCacheDuration is no duration, or is negative"],
            )
            for given in ("-1h", "12", 12)
        ),
        ("1.31.14", [{**PROVIDER, "name": "a/b"}], ["has the provider a/b whose name is none of a program"]),
        ("1.31.14", [{**PROVIDER, "more": 1}], []),
        (
            "1.32.13",
            [{**PROVIDER, "more": 1}],
            ["has the provider ecr with the field more, which it does not know"],
        ),
        ("1.31.14", [TOKENS], []),
        (
            "1.32.13",
            [TOKENS],
            ["has the provider ecr with the field tokenAttributes, which it does not know"],
        ),
        (
            "1.33.13",
            [OLDER_TOKENS],
            [f"has the provider ecr {OF_TOKENS} the feature gate {GATE_OF_TOKENS}"],
        ),
        (
            "1.33.13",
            [TOKENS],
            [
                f"has the provider ecr {OF_TOKENS} the feature gate {GATE_OF_TOKENS}",
                "has the provider ecr with the field cacheType of tokenAttributes, which it does not know",
            ],
        ),
        ("1.34.10", [OLDER_TOKENS], ["has the provider ecr with tokenAttributes without cacheType"]),
        ("1.34.10", [TOKENS], []),
        (
            "1.34.10",
            [{**TOKENS, "apiVersion": "credentialprovider.kubelet.k8s.io/v1beta1"}],
            [f"has the provider ecr {OF_TOKENS} the apiVersion credentialprovider.kubelet.k8s.io/v1"],
        ),
    ],
)
def test_pf137_a_configuration_that_a_kubelet_refuses(to: str, providers: Any, expected: list[str]) -> None:
    assert refused(to, *providers) == expected


@pytest.mark.parametrize(
    ("to", "current", "expected"),
    [
        ("1.34.10", "1.33.13", "UNKNOWN"),
        ("1.34.10", "", "UNKNOWN"),
        ("1.37.1", "1.34.10", "OK"),
        ("1.34.10", "1.37.1", "OK"),
    ],
)
def test_pf137_what_no_collector_shows_of_tokens_is_unknown_where_it_matters(
    to: str, current: str, expected: str
) -> None:
    document = json.dumps({**GCR, "providers": [{**PROVIDER, "tokenAttributes": None}]})
    ((state, _, text),) = found("PF-137", dump({**SET_UP, FILE: document}), upgrade(to, current))
    assert state == expected
    why = "what tokenAttributes have is not shown, and kubelet 1.34.10 may need others than the running one"
    assert text == ("nothing found: credential providers" if expected == "OK" else f"{FILE[1]}: {why}")


@pytest.mark.parametrize(
    ("to", "changes", "expected"),
    [
        ("1.37.1", {"apiVersion": "kubelet.config.k8s.io/v1beta1"}, []),
        ("1.37.1", {"apiVersion": ""}, []),
        ("1.37.1", {"apiVersion": None}, ["has no apiVersion"]),
        (
            "1.25.16",
            {"apiVersion": "kubelet.config.k8s.io/v2"},
            [f"has the apiVersion {GROUP}/v2, and it knows {GROUP}/v1alpha1, {GROUP}/v1beta1"],
        ),
        ("1.37.1", {"kind": "Other"}, ["is not of the kind CredentialProviderConfig"]),
        ("1.31.14", {"more": 1}, []),
        ("1.32.13", {"more": 1}, ["has the field more, which it does not know"]),
    ],
)
def test_pf137_a_document_that_a_kubelet_refuses(
    to: str, changes: dict[str, object], expected: list[str]
) -> None:
    beta = {**PROVIDER, "apiVersion": "credentialprovider.kubelet.k8s.io/v1beta1"}
    assert refused(to, beta, **changes) == expected


def test_pf137_repeated_keys_are_refused_where_decoding_is_strict() -> None:
    twice: Any = {**SET_UP, FILE: f"{HEAD}kind: CredentialProviderConfig\n{ECR.removeprefix(HEAD)}"}
    assert status("PF-137", dump(twice), upgrade("1.31.14")) == OK
    ((_, _, text),) = found("PF-137", dump(twice), upgrade("1.32.13"))
    assert text == f"kubelet 1.32.13 does not start: {FILE[1]} has kind twice, which it refuses"


@pytest.mark.parametrize(
    ("to", "names", "expected"),
    [
        ("1.33.13", "a.yaml\n", "is a directory, and it reads one file"),
        ("1.34.10", "README\nc.txt\n", "has no file whose name ends with .json, .yaml or .yml"),
        ("1.34.10", "a.yaml\n", ""),
        ("1.34.10", "a.yaml\nb.yml\n", "/b.yml has the provider ecr twice"),
    ],
)
def test_pf137_a_directory_of_configurations(to: str, names: str, expected: str) -> None:
    files = {("file", f"{FILE[1]}/{name}"): ECR for name in ("a.yaml", "b.yml")}
    ((state, _, text),) = found("PF-137", dump({**SET_UP, **files, FOLDER: names}), upgrade(to))
    assert (state == "ERROR") is bool(expected)
    assert text.endswith(expected)


@pytest.mark.parametrize("held", ["providers: ecr", "providers: {name: ecr}", "[]", ""])
def test_pf137_providers_in_a_form_that_is_none_are_unknown(held: str) -> None:
    text = held if held in ("[]", "") else f"{HEAD}{held}\n"
    assert status("PF-137", dump({**SET_UP, FILE: text}), upgrade("1.37.1")) == UNKNOWN


def test_pf137_a_name_that_is_not_shown_is_unknown() -> None:
    """Two of these are not one name."""
    hidden = {**PROVIDER, "name": ""}
    text = json.dumps({**GCR, "providers": [PROVIDER, hidden, hidden]})
    assert status("PF-137", dump({**SET_UP, FILE: text}), upgrade("1.37.1")) == UNKNOWN


CLOUD = ("path", "/etc/kubernetes/cloud.conf")
GCE = {ARGUMENTS: f"kubelet\n--cloud-provider=gce\n--cloud-config={CLOUD[1]}\n"}
EXTERNAL = {ARGUMENTS: f"kubelet\n--cloud-provider=external\n--cloud-config={CLOUD[1]}\n"}


@pytest.mark.parametrize(
    ("to", "changes", "expected"),
    [
        ("1.28.15", {}, OK),
        ("1.28.15", {**GCE, CLOUD: "file"}, OK),
        ("1.28.15", {**GCE, CLOUD: GONE}, [("ERROR", CLOUD[1])]),
        ("1.28.15", {**EXTERNAL, CLOUD: GONE}, OK),
        ("1.31.0", {**GCE, CLOUD: GONE}, OK),
        ("1.28.15", {**GCE, CLOUD: failed()}, UNKNOWN),
        ("1.28.15", GCE, UNKNOWN),
    ],
)
def test_pf133_the_cloud_s_configuration(to: str, changes: Any, expected: list[tuple[str, str]]) -> None:
    assert status("PF-133", dump(changes), upgrade(to)) == expected


MANIFESTS = ("directory", "/etc/kubernetes/manifests")
NAMED = {CONFIG: f"kind: KubeletConfiguration\nstaticPodPath: {MANIFESTS[1]}\n"}
BOTH = frozenset({Need.NODE, Need.OBJECTS})


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({**NAMED, MANIFESTS: "kube-apiserver.yaml\n"}, OK),
        ({**NAMED, MANIFESTS: ".kubelet-keep\n"}, [("ERROR", MANIFESTS[1])]),
        ({**NAMED, MANIFESTS: GONE}, [("ERROR", MANIFESTS[1])]),
        ({ARGUMENTS: f"kubelet\n--pod-manifest-path={MANIFESTS[1]}\n", MANIFESTS: "a.yaml"}, OK),
        ({}, [("ERROR", "staticPodPath")]),
        ({**NAMED, MANIFESTS: failed()}, UNKNOWN),
        (NAMED, UNKNOWN),
        ({CONFIG: failed()}, UNKNOWN),
    ],
)
def test_pf134_static_pods_without_manifests(changes: Any, expected: list[tuple[str, str]]) -> None:
    pods = tuple(server_pod(name, "v1.30.4") for name in "abc")
    assert status("PF-134", dump(changes), upgrade("1.31.0"), NodeObjects(None, pods), BOTH) == expected


@pytest.mark.parametrize("changes", [{"static": False}, {"mirror_doubt": "x"}, {"from_url": True}])
def test_pf134_other_pods_need_none(changes: dict[str, Any]) -> None:
    cluster = NodeObjects(None, (server_pod("a", "v1.30.4", **changes),))
    assert status("PF-134", dump({CONFIG: failed()}), upgrade("1.31.0"), cluster, BOTH) == OK


def test_pf134_names_them() -> None:
    pods = tuple(server_pod(name, "v1.30.4") for name in "abc")
    ((_, _, text),) = found(
        "PF-134", dump({**NAMED, MANIFESTS: ""}), upgrade("1.31.0"), NodeObjects(None, pods), BOTH
    )
    assert text == (
        "kubelet 1.31.0 removes 3 static pods (kube-system/kube-apiserver-a, kube-system/kube-apiserver-b, "
        f"1 more): {MANIFESTS[1]} has no file"
    )
