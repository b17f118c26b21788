"""Which columns rules may test, and which texts are numbers: told, line by line."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from faircg.cli import files
from faircg.cli.progress import note
from faircg.cli.written import Written

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from faircg.cli.named_table import NamedTable
    from faircg.suspects import Suspect
    from faircg.written_numbers import Decimal


def written_in(people: NamedTable, besides: Collection[str]) -> Written:
    """Find columns of texts that are numbers, other than some, and say so."""
    from faircg.suspects import texts_of

    decimals: dict[str, Decimal] = {}
    missing: set[str] = set()
    for name in people.frame.columns:
        texts = None
        if name not in besides:
            texts = texts_of(people.frame[name].dropna())
        found = None if texts is None else _decimal(texts.value_counts().to_dict())
        if found is not None:
            decimals[str(name)], words, said = found
            missing |= set(words)
            note(f"{str(name)!r} is read as numbers{said}; --category makes it names")
    return Written(decimals, frozenset(missing))


def _decimal(
    counts: dict[str, int],
) -> tuple[Decimal, tuple[str, ...], str] | None:
    """Return how the numbers of a column are written, words among them, and this said.

    None, if they are no numbers.
    """
    from faircg.written_numbers import decimal_of, spoilt

    decimal = decimal_of(counts)
    if decimal is not None:
        example = next(text for text in counts if text.strip())
        return decimal, (), f", written as {example!r}"
    found = spoilt(counts)
    if found is None:
        return None
    decimal, words = found
    cells = files.missing_words(sum(counts[word] for word in words), words[0])
    return decimal, words, f": {cells}"


def without_suspects(
    people: NamedTable,
    target: str,
    groups: list[str],
    *,
    named: Iterable[str],
    unused: Collection[str],
) -> NamedTable:
    """Take away columns that should be no rules, unless the user names them.

    Each is told, proxies too, which stay. Columns that are ``unused`` are not looked
    at; embedded data sets are known.
    """
    from faircg.suspects import suspects

    if people.dataset is not None:
        return people
    looked_at = [c for c in people.frame.columns if c not in (*unused, target)]
    found = suspects(
        people.frame[looked_at], people.frame[target], people.groups(groups)
    )
    wanted, left_out = set(named), []
    for suspect in found:
        if suspect.column in groups:
            continue
        if suspect.column in wanted and suspect.is_left_out:
            continue
        left_out += [suspect.column] if suspect.is_left_out else []
        note(suspect_words(suspect))
    frame = people.frame.drop(columns=left_out)
    if left_out and not set(frame.columns) - {target, *unused}:
        raise ValueError(
            f"no column is left that rules may test: {', '.join(left_out)} "
            f"{'is' if len(left_out) == 1 else 'are'} left out; --keep brings one back"
        )
    return replace(people, frame=frame)


def suspect_words(suspect: Suspect) -> str:
    """Say what a column seems to be, and what can be done about it."""
    said, typed = f"{suspect.column!r} {suspect.reason}", shlex.quote(suspect.column)
    if suspect.is_left_out:
        return f"{said}: it is left out; --keep {typed} brings it back"
    return (
        f"{said}: rules may stand for the group through it; --exclude {typed} forbids "
        "that"
    )


def check_left(columns: Iterable[Any], exclude: Collection[str], target: str) -> None:
    """Refuse a table of which no column is left for rules."""
    if not set(map(str, columns)) - {target, *exclude}:
        raise ValueError(
            "no column is left that rules may test; --use-sensitive allows the "
            "sensitive ones"
        )
