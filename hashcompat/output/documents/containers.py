"""Documents about containers: their hashes, why these change, and how two documents of them compare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from hashcompat.analysis.answers.calibration import Creator, TokenMount
from hashcompat.analysis.answers.changes import ComparedFile, What
from hashcompat.analysis.answers.comparison import FieldDifference
from hashcompat.analysis.answers.expectation import Expected
from hashcompat.analysis.answers.golden import Verification
from hashcompat.analysis.answers.sentences import Sentences
from hashcompat.core.catalog.behaviour import EraChange, FieldChange
from hashcompat.core.model.documents import ContainerVerdict, Document, NamedContainer, Origin, Tool
from hashcompat.core.model.plan import Piece
from hashcompat.core.model.results import Count, Hash32, Hex, Number, Object, ReleaseName, Some, Text, Time
from hashcompat.core.model.verdicts import Verdict

AnyChange = Annotated[
    dict[str, Any],
    Meta(
        extra_json_schema={
            "anyOf": [{"$ref": f"#/$defs/{kind.__name__}"} for kind in (FieldChange, EraChange)]
        }
    ),
]
"""A FieldChange or an EraChange, as an object."""


class Side(Object, frozen=True):
    """What one of two kubelets hashes of a container."""

    release: ReleaseName
    era: Text
    hash: Hash32 | None
    hex: Hex | None
    text: str
    """The text that is hashed, with values masked unless they were asked for."""
    readable: str
    """The text, or the JSON whose bytes it prints as numbers."""


class Explained(ContainerVerdict, frozen=True):
    """One container, explained."""

    sentences: Sentences
    """What an operator wants to know first, each a sentence."""
    from_: Side | None
    to: Side | None
    fields: Sequence[FieldDifference]
    fragment: Sequence[Piece]
    """The first places in which the two texts differ, if that is why; between two gaps, the same and the
    removed pieces in a row are part of the old text, and the same and the added ones of the new text;
    empty across eras and where the texts are the same."""
    upstream: Sequence[AnyChange]
    expect: Sequence[Expected]
    """What will be seen; empty where nothing is killed."""
    log_line: str
    """What the new kubelet logs; empty when it does not restart the container."""
    event: str
    """The message of the event that the new kubelet writes for a sidecar whose hash changed; else empty."""
    masked: bool
    compared: bool
    """Whether the hash has a say; false where the pod is recreated or refused before any is compared."""


class ExplanationList(Document, frozen=True):
    """Why the hash of some containers changes, in full."""

    reaches = (FieldChange, EraChange)

    kind: Literal["ExplanationList"]
    warnings: Sequence[Text]
    """Which nodes report another release than the current one that is given."""
    source: Origin
    """Where the pods were read."""
    tool: Tool
    created_at: Time | None
    """When the pods were read; null where that is not known."""
    items: Some[Explained]
    besides: Sequence[Text]
    """What happens to these containers besides restarts."""


class HashFacts(Object, kw_only=True, frozen=True):
    """The hash of a container under one release."""

    hash: Hash32 | None
    hex: Hex | None
    era: Text
    vendor_assumed: Annotated[bool, Meta(extra_json_schema={"const": True})] | UnsetType = UNSET
    patch_assumed: Annotated[bool, Meta(extra_json_schema={"const": True})] | UnsetType = UNSET
    text: str | UnsetType = UNSET
    """The exact hashed text, where it was asked for."""


class HashedContainer(NamedContainer, kw_only=True, frozen=True):
    """One container with its hashes."""

    pod_uid: Annotated[dict[ReleaseName, Text | None], Meta(min_length=1)] | UnsetType = UNSET
    """Of static pods read from their manifests, by release, as it was asked for; null where it is not
    known."""
    hashes: Annotated[dict[ReleaseName, HashFacts], Meta(min_length=1)]
    """By release, as it was asked for."""


class HashList(Document, frozen=True):
    """The hash of every container under some kubelet releases."""

    kind: Literal["HashList"]
    assumptions: Sequence[Text]
    """What the hashes take for granted: of manifests, that admission adds nothing."""
    items: Sequence[HashedContainer]


class CalibrationSummary(Object, frozen=True):
    """How many records there are."""

    recorded: Count
    compared: Count
    reproduced: Count
    skipped: Count
    """Records of containers that no kubelet compares."""


class RecordHashes(Object, frozen=True):
    """The recorded hash and the computed one."""

    recorded: Hash32 | None
    computed: Hash32 | None


class RecordItem(Object, frozen=True):
    """One record that its release does not compute."""

    node: str
    """Empty where no container was found."""
    namespace: str
    """Empty where the record does not tell."""
    pod: Text
    uid: str
    """Empty where the record does not tell."""
    container: Text
    hash: RecordHashes
    token_mount: TokenMount | None
    """The service account's volume mount with which a manifest has the recorded hash; null where none was
    searched or found."""
    problem: Text
    """Differs; reproduced with a token mount, which tokenMount names; created by another release, which
    origin names (both count as reproduced); or why nothing was compared."""
    origin: Creator | None
    """The nearest release that computes the recorded hash, and so created the container; null where there
    is none."""


class CalibrationResult(Document, frozen=True):
    """Which recorded hashes this program computes too; an item for each that it does not."""

    kind: Literal["CalibrationResult"]
    summary: CalibrationSummary
    items: Sequence[RecordItem]


class Cut(Object, frozen=True):
    """A text that is cut out."""

    field: str
    """The Go field that the text is of."""
    text: str
    instead: str


class AuditSpec(Object, frozen=True):
    """What is patched, and how."""

    kubelet: str
    """The release that is patched."""
    like: str
    """The release whose hashes it is to make."""
    cuts: Sequence[Cut]
    """The text that is cut out, in order."""


class AuditSummary(Object, frozen=True):
    """How many containers there are."""

    containers: Count
    hit: Count


class AuditItem(Object, frozen=True):
    """One container that is hit."""

    node: str
    namespace: str
    pod: str
    uid: str
    container: str
    strings: Sequence[str]
    """Paths of the container's own strings that hold such text."""
    new_fields: Sequence[str]
    """Paths of set fields that the old release does not know."""


class Article(Object, frozen=True):
    """What the global form changes beside the container hash."""

    static_pods: Sequence[str]
    """Static pods that get another UID."""
    pod_templates: Sequence[str]
    """Owners whose pods' templates get another hash."""


class PatchAudit(Document, frozen=True):
    """Which containers a stripping kubelet does not hash as the old release does."""

    kind: Literal["PatchAudit"]
    spec: AuditSpec
    summary: AuditSummary
    items: Sequence[AuditItem]
    article: Article
    """What the global form changes beside the container hash."""


class VerifyResult(Document, frozen=True):
    """How golden directories compare with what this program computes."""

    kind: Literal["VerifyResult"]
    items: Some[Verification]


# The document of what changed between two plans or two snapshots.


class VerdictCount(Object, frozen=True):
    """How many containers went from one verdict to another."""

    from_: Verdict | None
    to: Verdict | None
    containers: Number


class ChangesSummary(Object, frozen=True):
    """How many items there are of each kind of change."""

    appeared: Count
    gone: Count
    changed: Count
    same: Count
    verdicts: Sequence[VerdictCount]
    """How many containers went from one verdict to another; empty for snapshots."""


class Edited(Object, frozen=True):
    """A place in which the two differ."""

    path: Annotated[str, Meta(pattern=r"^\$\.")]
    """Elements that have names by these: $.items[node-a/shop/web-1/api].verdict."""
    from_: Any
    """Any JSON; null where that document has nothing there."""
    to: Any
    """Any JSON; null where that document has nothing there."""


class VerdictChange(Object, frozen=True):
    """The verdicts of one container in both plans."""

    from_: Verdict | None
    to: Verdict | None


class ChangedItem(Object, frozen=True):
    """A container or an object that changed."""

    change: What
    kind: Annotated[
        str, Meta(extra_json_schema={"enum": ["Container", "Node", "Pod", "Recorded", "Sandbox", "Applied"]})
    ]
    """Container in a plan."""
    node: str
    namespace: str
    pod: str
    container: str
    verdict: VerdictChange | None
    """Null for snapshots."""
    changes: Sequence[Edited]
    """What differs where both have it."""


class DocumentDifference(Document, frozen=True):
    """What changed between two plans, or between two snapshots."""

    kind: Literal["DocumentDifference"]
    of: Annotated[str, Meta(extra_json_schema={"enum": ["RestartPlan", "ClusterSnapshot"]})]
    from_: ComparedFile
    to: ComparedFile
    summary: ChangesSummary
    changes: Sequence[Edited]
    """What differs outside the items."""
    items: Sequence[ChangedItem]
