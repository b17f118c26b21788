"""Addresses of databases, such as postgres://..., and tables there through ibis.

An address may hold a password: what is shown of it has none.
"""

from __future__ import annotations

import re
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, unquote_plus, urlsplit

from faircg.exceptions import FairCGError

if TYPE_CHECKING:
    from collections.abc import Iterator

_ADDRESS: Final = re.compile(r"[A-Za-z][\w+.-]+://")
_CREDENTIALS: Final = re.compile(r"([A-Za-z][\w+.-]{1,20}:/{1,2})[^\s?]*@")
"""All before the host; a path takes one of two slashes away."""
_OPTIONS: Final = re.compile(r"([A-Za-z][\w+.-]{1,20}:/{1,2}[^\s?]*)\?\S*")


def is_address(name: str) -> bool:
    """Whether a name is the address of a database, and of no file."""
    return _ADDRESS.match(name) is not None


def shown(address: str) -> str:
    """Return an address without user, password and options.

    Examples
    --------
    >>> shown("postgres://anna:s3cret@db.example/loans?sslmode=require")
    'postgres://db.example/loans'
    """
    return without_passwords(address)


def without_passwords(text: str) -> str:
    """Return a message in which addresses have no user, password and options."""
    return _CREDENTIALS.sub(r"\1", _OPTIONS.sub(r"\1", text))


def refuse_address(name: str) -> None:
    """Refuse a database where only files are read."""
    if is_address(name):
        raise ValueError(
            f"{shown(name)} is a database, which only fit and predict read; write the "
            "table into a file first, such as people.parquet"
        )


@contextmanager
def database_table(
    address: str, table: str | None, schema: str | None
) -> Iterator[Any]:
    """Open a table of a database, as ibis knows it; errors are said in words."""
    if table is None:
        raise ValueError(f"{shown(address)} is a database; name a table with --table")
    _check_parts(address)
    try:
        import ibis
    except ImportError:
        raise ImportError(
            "tables in databases need ibis: pip install 'faircg[ibis]'"
        ) from None
    with _in_words(address):
        database = ibis.connect(address)
        try:
            yield database.table(table, database=schema)
        finally:
            database.disconnect()


def _check_parts(address: str) -> None:
    """Refuse an address whose password ends too early."""
    parts = urlsplit(address)
    is_cut = bool(parts.netloc) and "@" in parts.path
    if not is_cut:
        with suppress(ValueError):
            _ = parts.port
            return
    raise ValueError(
        f"{shown(address)} is no address that can be read; in a password, write / as "
        "%2F, @ as %40 and : as %3A"
    )


@contextmanager
def _in_words(address: str) -> Iterator[None]:
    """Turn what a database says into one line without any password."""
    try:
        yield
    except (FairCGError, MemoryError):
        raise
    except ImportError as error:
        kind = address.partition("://")[0].replace("postgresql", "postgres")
        raise ImportError(
            f"{shown(address)} cannot be asked: {error}; pip install "
            f"'ibis-framework[{kind}]'"
        ) from None
    except Exception as error:
        if type(error) in (ValueError, TypeError) and address not in str(error):
            raise  # said by this program, in its own words
        raise ValueError(
            f"{shown(address)}: {_without_secrets(str(error), address)}"
        ) from None


def _without_secrets(said: str, address: str) -> str:
    """Return the first line of an error, in which nothing secret of an address is."""
    credentials, _, _ = address.partition("?")[0].rpartition("@")
    password = credentials.partition("://")[2].partition(":")[2]
    options = [value for _, value in parse_qsl(address.partition("?")[2])]
    line = without_passwords(next(iter(said.strip().splitlines()), "no reason given"))
    for secret in (address, password, unquote_plus(password), *options):
        if secret:
            line = line.replace(secret, "***")
    return line
