"""Files that are complete or untouched, whatever happens while they are written."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a file atomically: whoever looks sees the old file or the new one."""
    with replacing(path) as file:
        file.write(text.encode())


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a new file that takes the place of ``path`` at the end, if all went well."""
    target = Path(path)
    handle, name = tempfile.mkstemp(dir=target.parent or ".", prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
