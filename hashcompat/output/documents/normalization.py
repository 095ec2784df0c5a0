"""The document of a normalization: which records of nodes are rewritten."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta

from hashcompat.core.model.documents import (
    ContainerVerdict,
    Count,
    DigestText,
    Document,
    Hash32,
    Object,
    Origin,
    ReleaseName,
    ReleaseOrAuto,
    SignatureText,
    Text,
    Time,
    Tool,
)
from hashcompat.core.model.verdicts import Verdict

_Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class RewrittenNode(Object):
    """A node with an item."""

    name: str
    kubelet: str
    """The current release of its kubelet."""
    runtime: str
    """The container runtime, as the node reports it or records show it; empty where that is not known."""


class ManifestPin(Object):
    """The manifest of a static pod that is given a uid."""

    node: str
    namespace: str
    pod: Text
    path: Text
    """The path on the node."""
    uid: Text
    """The UID that the pod has now."""
    sha256: _Sha256
    """The digest of the file as it was read."""


class NormalizationSpec(Object):
    """What was asked, and what is rewritten where."""

    from_: ReleaseOrAuto
    """A release, or auto: what each node reports."""
    to: ReleaseName
    source: Origin
    """Where the pods were read."""
    nodes: Sequence[RewrittenNode]
    """The nodes with an item."""
    manifests: Sequence[ManifestPin]
    """The manifests of static pods that are given a uid."""
    warnings: Sequence[Text]
    tool: Tool
    created_at: Time | None
    """When the pods were read; null where that is not known."""


class NormalizationSummary(Object):
    """How many containers there are, and how many records are rewritten."""

    containers: Count
    """Containers of the input."""
    killed_before: Count
    """Containers that are killed with the records as they are."""
    killed_after: Count
    """Those that are killed once the records are rewritten."""
    unknown: Count
    """Containers of which that is unknown."""
    records: Count
    """Records to rewrite."""
    manifests: Count
    """Manifests to give a uid."""


class RewrittenRecord(Object):
    """How the record of a container is rewritten."""

    container_id: _Sha256
    """Its id in the runtime."""
    pod_uid: Text
    """The UID under which the kubelet runs its pod."""
    hash: Hash32
    """The recorded hash, which is that of the spec as it is now."""
    new_hash: Hash32
    """What the target kubelet computes of the same spec."""
    kubelet: Text
    """A release that computes the recorded hash of it."""


class NormalizationItem(ContainerVerdict):
    """One container."""

    after: Verdict
    """What becomes of it once the records are rewritten."""
    record: RewrittenRecord | None
    """How its record is rewritten; null where that stays as it is."""
    manifest: bool
    """Whether its static pod is kept by the uid that the manifest is given."""
    left_alone: Text | None
    """Why it is left alone; null where it is kept."""


class Normalization(Document):
    """Which records of nodes are rewritten so that the next kubelet keeps its containers."""

    kind: Literal["Normalization"]
    spec: NormalizationSpec
    summary: NormalizationSummary
    items: Sequence[NormalizationItem]
    """Every container that the target kubelet does not surely keep as it is."""
    digest: DigestText
    """The SHA-256 of all the rest, as docs/gate.md describes it."""
    signature: SignatureText | None
    """The HMAC-SHA256 of the digest; null where there is no key."""
