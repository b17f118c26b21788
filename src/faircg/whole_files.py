"""Files that are complete or untouched, whatever happens while they are written."""

from __future__ import annotations

import errno
import os
import shutil
import stat
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
    with replacement(path) as new, new.open("wb") as file:
        yield file


@contextmanager
def replacement(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Return a new file that takes the place of ``path`` at the end, if all went well.

    Links are followed, and the mode of a file stays. Into a device or a pipe, which
    cannot be replaced, the new file is copied.
    """
    target, folder = _place(path)
    new = _made(target, folder)
    try:
        yield new
        if folder is None:
            with new.open("rb") as file, target.open("wb") as out:
                shutil.copyfileobj(file, out)
            new.unlink()
            return
        mask = os.umask(0)
        os.umask(mask)
        mode = target.stat().st_mode if target.exists() else 0o666 & ~mask
        new.chmod(stat.S_IMODE(mode))
        new.replace(target)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def check_can_write(path: str | os.PathLike[str]) -> None:
    """Raise the OSError now that writing a file would end with."""
    target, folder = _place(path)
    if folder is None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    _made(target, folder).unlink()


def _place(path: str | os.PathLike[str]) -> tuple[Path, Path | None]:
    """Return what is written to, and its folder if that is a file that is replaced."""
    given = Path(path)
    is_open = os.path.abspath(given).startswith(("/dev/", "/proc/"))
    if given.exists() and (is_open or not given.is_file()):
        return given, None
    target = Path(os.path.realpath(given))
    return target, target.parent


def _made(target: Path, folder: Path | None) -> Path:
    handle, name = tempfile.mkstemp(dir=folder, prefix=f".{target.name[:50]}.")
    os.close(handle)
    return Path(name)
