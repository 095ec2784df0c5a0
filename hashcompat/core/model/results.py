"""What every result is to Python: its elements one by one, rows, a short ``repr`` and a view in a notebook.

A result is a value, and how it is shown is known above it: whoever offers results to people sets
``Result.shows`` once. Without that a result has elements, and no rows.

What people put into a call, such as a policy, is a struct of the class ``Keywords``: a keyword that it does
not have is an error of this program, as in a call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sized
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import msgspec

from hashcompat.core.errors import UsageError, unknown_keyword

Element_co = TypeVar("Element_co", covariant=True)


class Keywords(msgspec.StructMeta):
    """Makes structs, and raises UsageError for a keyword that is none of their fields."""

    def __call__(self, *args: Any, **given: Any) -> Any:
        """Return a struct of these fields."""
        for name in given:
            if name not in self.__struct_fields__:
                raise unknown_keyword(name, self.__struct_fields__)
        return super().__call__(*args, **given)


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
