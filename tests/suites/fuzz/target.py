"""A target: one reader of bytes that others wrote, and the only errors that may leave it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeVar
from zlib import crc32

from hashcompat.core.errors import HashcompatError, InputError
from hashcompat.core.go import jsontext

T = TypeVar("T")

MEGABYTES = 500
"""Memory of a process: what docs/security.md promises for any input below 100 MB."""


class Form(Enum):
    """What the inputs of a target mostly are; it decides how they are changed."""

    JSON = "JSON"
    YAML = "YAML"
    TEXT = "text"
    BYTES = "bytes"


@dataclass(frozen=True, slots=True)
class Target:
    """One reader."""

    name: str
    """Its name, also of the directory with its kept inputs."""

    read: Callable[[bytes], object]
    """Passes bytes to the reader; asserts what else has to hold, such as that chunks make no difference."""

    modules: tuple[str, ...]
    """The modules that read, below ``hashcompat``; coverage of them guides the search."""

    form: Form = Form.JSON
    longest: int = 2048
    """Bytes of an input (``-max_len``): what lets a million executions take minutes."""

    raises: tuple[type[HashcompatError], ...] = (InputError,)
    """What the reader declares to raise."""

    guided: bool = True
    """Whether atheris runs it too; not where one execution takes tens of milliseconds."""

    words: tuple[str, ...] = ()
    """Words of its language beyond those in its kept inputs."""

    def __call__(self, data: bytes) -> bool:
        """Return whether the reader accepts the bytes; any error that it does not declare is a crash."""
        try:
            self.read(data)
        except self.raises as error:
            message = str(error)
        else:
            return True
        assert message.strip(), "an error without a message"
        return False


def outcome(read: Callable[[], Iterable[T]]) -> tuple[list[T], str]:
    """Return what a reader yields, and the message of the InputError that ends it."""
    values: list[T] = []
    try:
        values.extend(read())
    except InputError as error:
        return values, str(error)
    return values, ""


def one_of(options: Sequence[T], data: bytes) -> T:
    """Choose by the input, so that an execution is quick and an input's is always the same."""
    return options[crc32(data) % len(options)]


def sometimes(data: bytes, times: int) -> bool:
    """Return whether to do what takes longer than the rest: for one input in that many.

    It depends on other bits than ``one_of``, so that these inputs are of every choice.
    """
    return (crc32(data) >> 16) % times == 0


class replaced:  # noqa: N801 - used as contextlib's functions are
    """Replace an attribute for a while, in a hundredth of the time that ``mock.patch`` takes."""

    __slots__ = ("_before", "_holder", "_name", "_value")

    def __init__(self, holder: object, name: str, value: object) -> None:
        self._holder, self._name, self._value = holder, name, value

    def __enter__(self) -> None:
        self._before = getattr(self._holder, self._name)
        setattr(self._holder, self._name, self._value)

    def __exit__(self, *_: object) -> None:
        setattr(self._holder, self._name, self._before)


def in_chunks(text: str, size: int) -> Iterator[str]:
    """Yield a text in chunks of some size."""
    for start in range(0, len(text), size):
        yield text[start : start + size]


def document(data: bytes) -> Any:
    """Return the one JSON document in some bytes."""
    return jsontext.loads(jsontext.decode_text(data))


def text(data: bytes) -> str:
    """Return bytes as an argument or a variable of the environment reaches a program."""
    return data.decode(errors="surrogateescape")


def fields(data: bytes, number: int) -> list[str]:
    """Return that many texts, one per line; the last one is the rest."""
    texts = text(data).split("\n", number - 1)
    return texts + [""] * (number - len(texts))
