"""What every result is to Python, by what it was made and is checked, and of what documents are made."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Iterator, Mapping, Sequence, Sized
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Final, Generic, Protocol, TypeVar

import msgspec
from msgspec import Meta

import hashcompat
from hashcompat.core.errors import UsageError, unknown_keyword

Element_co = TypeVar("Element_co", covariant=True)
T = TypeVar("T")


class Keywords(msgspec.StructMeta):
    """Makes structs, and raises UsageError for a keyword that is none of their fields."""

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        """Return a struct of these fields."""
        for name in keywords:
            if name not in self.__struct_fields__:
                raise unknown_keyword(name, self.__struct_fields__)
        return super().__call__(*args, **keywords)


class Shows(Protocol):
    """Shows results of any kind."""

    def rows(self, result: object) -> list[dict[str, Any]]:
        """Return a flat dict for each row of ``-o csv``, by its columns; numbers stay numbers."""

    def html(self, result: object) -> str:
        """Return its headline and its table as a fragment of HTML, every text in it escaped."""

    def line(self, result: object) -> str:
        """Return what it comes to in a few words."""


class Result(Generic[Element_co]):
    """A result, which is true however few elements it has."""

    __slots__ = ()
    shows: ClassVar[Shows | None] = None

    def _elements(self) -> Any:
        return self.items  # type: ignore[attr-defined]  # most results have their elements there

    def __len__(self) -> int:
        elements = self._elements()
        return len(elements) if isinstance(elements, Sized) else sum(1 for _ in elements)

    def __iter__(self) -> Iterator[Element_co]:
        return iter(self._elements())

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        name = type(self).__name__
        return f"<{name}: {self.shows.line(self) if self.shows else len(self)}>"

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of ``-o csv`` as flat dicts by its columns; numbers stay numbers.

        Raises UsageError for a result without rows.
        """
        if self.shows is None:
            raise UsageError(f"{type(self).__name__} has no rows")
        return self.shows.rows(self)

    def to_pandas(self) -> Any:
        """Return the rows as a DataFrame of pandas; raises UsageError where pandas is not installed."""
        try:
            import pandas as pd  # type: ignore[import-untyped,unused-ignore]  # noqa: PLC0415 - who needs it has it
        except ImportError:
            raise UsageError("to_pandas needs pandas: pip install pandas") from None
        return pd.DataFrame(self.rows())

    def _repr_html_(self) -> str:
        return self.shows.html(self) if self.shows else ""


_FRESH: Final = timedelta(days=90)
"""Upstream publishes patch releases about once a month, so data of three months lack some."""


class Making(msgspec.Struct, frozen=True):
    """How a result came to be; what is not known is empty or None."""

    at: datetime | None = None
    """When it was made, UTC: when its input was first read."""
    command: str = ""
    """The command line that makes it again, URLs in it without user, password and query, and without what is
    only about showing it; empty for the Python API."""
    newest: str = ""
    """The newest release that the release data knows."""
    data_date: date | None = None
    """The day on which the last of the known releases was published."""
    version: str = ""
    """The version of this program that made it; empty for this one."""

    @property
    def tool(self) -> str:
        """The program and its version."""
        return f"hashcompat {self.version or hashcompat.__version__}"

    @property
    def data(self) -> str:
        """Of when the release data is, and how far it goes; empty where that is not known."""
        return f"of {self.data_date}, newest known release {self.newest}" if self.data_date else self.newest

    @property
    def stale(self) -> str:
        """Say that newer releases may be missing, if the data was old already; empty where it was not."""
        if self.at is None or self.data_date is None or self.at.date() - self.data_date <= _FRESH:
            return ""
        days = (self.at.date() - self.data_date).days
        return (
            f"the release data is {days} days old: newest known release {self.newest}, data of "
            f"{self.data_date}; a newer version of hashcompat may know newer releases"
        )


class Fact(msgspec.Struct, frozen=True):
    """One thing that a report says of itself."""

    key: str
    """What programs call it: ``release_data``."""
    name: str
    """What people call it: ``Release data``."""
    text: str


class About(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a page says of itself, for one that joins several."""

    kind: str
    """What people call such a page."""
    title: str
    verdict: str
    """What it comes to, in one word; empty where nothing is judged."""
    tone: str
    """``bad``, ``open`` or ``good``; empty for none of them."""
    answer: str
    facts: tuple[Fact, ...]

    def fact(self, key: str) -> str:
        """Return one of the facts; empty where it does not have it."""
        return next((fact.text for fact in self.facts if fact.key == key), "")


class KeptPage(msgspec.Struct, frozen=True):
    """A page in a file."""

    file: str
    """Its name, without the directory."""
    about: About


class KeptPages(msgspec.Struct, frozen=True):
    """The pages in a directory."""

    directory: str
    pages: tuple[KeptPage, ...]
    """By the names of the files."""
    foreign: tuple[str, ...] = ()
    """Files of HTML that are no such pages."""
    making: Making = Making()


CONTAINER_LISTS: Final = ("containers", "initContainers", "ephemeralContainers")
"""The lists of a pod's containers, in the order in which a row has them."""


class RowKind(StrEnum):
    """What a row is, in the order in which rows are shown."""

    NODE = "Node"
    POD = "Pod"
    RECORDED = "Recorded"
    """What a runtime or kubelet recorded of a container."""
    SANDBOX = "Sandbox"
    APPLIED = "Applied"
    """The resources that a kubelet applied to a container."""
    FILES = "Files"
    """What the files of a node show of its CPUs, of devices and of allocated resources."""


class RowName(msgspec.Struct, frozen=True):
    """How a row is found in another snapshot."""

    kind: RowKind
    namespace: str
    """Empty for a node."""
    name: str
    """The node's, or the pod's."""
    container: str = ""
    """Of what was recorded; empty for others."""
    number: int = 0
    """Which of several rows with these names it is, from 0, in the snapshot's order."""


class SnapshotRows(msgspec.Struct, frozen=True):
    """What a saved snapshot holds."""

    file: str
    """Where it was read from, without what may be secret."""
    spec: Mapping[str, Any]
    """What is said of all of it: ``newestRelease``, and whether ``hashes`` are kept or hidden."""
    taken: datetime | None
    """When it was taken, UTC; None for older ones, which do not say it."""
    cluster: str
    """The UID of its cluster; empty where that is unknown."""
    rows: Mapping[RowName, tuple[bytes, ...]]
    """Each row in JSON; of a pod what surrounds its lists of containers, and then each list.

    Equal lists, such as those of replicas, are one object.
    """

    @property
    def keeps_hashes(self) -> bool:
        """Whether the hashes over hidden values are in it; otherwise numbers of its own stand for them."""
        return self.spec.get("hashes") == "kept"


# The digest of a document and its signature: what shows that nobody edited it since it was saved.
#
# The digest is the SHA-256 of canonical JSON in UTF-8: a line for each item, and a last one for the
# document without its items, its digest and its signature. So it stays the same however the file is
# indented, and ``jq -cS '.items[], del(.items, .digest, .signature)' FILE | sha256sum`` prints it too.

DIGEST: Final = "digest"
SIGNATURE: Final = "signature"

_ITEMS: Final = "items"
_APART: Final = frozenset({_ITEMS, DIGEST, SIGNATURE})
"""What is not in the last line."""


def line_of(value: Any) -> bytes:
    """Return a line of JSON with sorted keys and without spaces; what JSON has no form for is its text."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    return text.encode(errors="surrogatepass") + b"\n"


class DocumentDigest:
    """Adds up a document, one item after the other."""

    def __init__(self) -> None:
        self._sum = hashlib.sha256()

    def add(self, line: bytes) -> None:
        """Add the line of an item, or those of several."""
        self._sum.update(line)

    def of(self, rest: Mapping[str, Any]) -> str:
        """Return the digest, ``sha256:`` and hex, of the items so far within ``rest``, a whole document."""
        whole = self._sum.copy()
        whole.update(line_of({key: value for key, value in rest.items() if key not in _APART}))
        return f"sha256:{whole.hexdigest()}"


def signature(digest: str, key: bytes) -> str:
    """Return the signature of a digest with a key: HMAC-SHA256 of its text."""
    return f"hmac-sha256:{hmac.new(key, digest.encode(), hashlib.sha256).hexdigest()}"


def is_signed(digest: str, text: str, key: bytes) -> bool:
    """Return whether a signature is that of a digest with a key; takes as long for any wrong one."""
    return hmac.compare_digest(signature(digest, key).encode(), text.encode(errors="replace"))


# What the objects of documents are made of.

Count = Annotated[int, Meta(ge=0)]
Number = Annotated[int, Meta(ge=1)]
Hash32 = Annotated[int, Meta(ge=0, le=(1 << 32) - 1, description="an unsigned 32-bit container hash")]
Text = Annotated[str, Meta(min_length=1)]
Time = Annotated[datetime, Meta(tz=True)]
Some = Annotated[Sequence[T], Meta(min_length=1)]

_RELEASE: Final = r"v?[0-9]+\.[0-9]+\.[0-9]+([-+].+)?"
ReleaseName = Annotated[str, Meta(pattern=f"^{_RELEASE}$", description="a kubelet release as it was given")]
ReleaseOrAuto = Annotated[str, Meta(pattern=f"^({_RELEASE}|auto)$")]
HopEnd = Annotated[
    str,
    Meta(
        pattern=rf"^({_RELEASE}$|auto$|[a-z]+:v?[0-9]+\.[0-9]+)",
        description="a release, auto, or another name of a release, which a distribution's nodes report",
    ),
]
Minor = Annotated[str, Meta(pattern=r"^[0-9]+\.[0-9]+$")]
Upstream = Annotated[str, Meta(pattern=r"^[0-9]+\.[0-9]+\.[0-9]+$")]
RuleId = Annotated[str, Meta(pattern="^HC[0-9]{3}$")]
CheckId = Annotated[str, Meta(pattern="^PF-[0-9]{3}$")]
Hex = Annotated[
    str,
    Meta(
        pattern="^(0|[1-9a-f][0-9a-f]{0,7})$",
        description="the hash as labels and annotations hold it: lower case, not zero-padded",
    ),
]
DigestText = Annotated[str, Meta(pattern="^sha256:[0-9a-f]{64}$")]
Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
SignatureText = Annotated[str, Meta(pattern="^hmac-sha256:[0-9a-f]{64}$")]
PullRequest = Annotated[str, Meta(pattern="^[a-z0-9-]+/[a-z0-9-]+#[0-9]+$")]


def key(name: str) -> str:
    """Return the key of a field: ``containerID`` for ``container_id``, ``from`` for ``from_``."""
    first, *words = name.rstrip("_").split("_")
    return re.sub("(?<=[a-z])(Id|Uid)$", lambda end: end[0].upper(), first + "".join(map(str.title, words)))


class Object(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename=key):
    """An object of a document: it has every key of its fields but for those that are UNSET, and no other."""
