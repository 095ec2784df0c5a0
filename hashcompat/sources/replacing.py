"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

_OWN: Final = 0o600
"""The mode of a new file: what it holds of a cluster is for its owner alone."""
_PERMISSIONS: Final = 0o777
"""The bits of a mode that are kept: a document has no use for the others."""


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes the place of ``path`` once all of it is written, and otherwise vanishes.

    It keeps the permissions of the file that it replaces. Its name is chosen before there is a file, so that
    no interruption leaves one; its content is on the disk before the name is, so that a crash leaves the one
    or the other. Raises OSError.
    """
    temporary = path.with_name(f".hashcompat-{os.urandom(8).hex()}")
    try:
        with open(temporary, "xb", opener=_opened) as stream:
            yield stream
            stream.flush()
            # before the rename: some file systems write the name first, and a crash would leave an empty file
            os.fsync(stream.fileno())
        # after the content is written: a mode that forbids reading would be there too early
        if path.exists():
            temporary.chmod(path.stat().st_mode & _PERMISSIONS)
        temporary.replace(path)
    # Ctrl-C too: nothing may be left over, whatever ends this
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def _opened(name: str, flags: int) -> int:
    return os.open(name, flags, _OWN)
