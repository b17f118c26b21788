"""Printable text: names, values and numbers that may be anything, as people read them.

Names and values of the user's data may be of any length and hold any character. What
is written on a terminal, in a report or in a rule goes through here.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from fractions import Fraction

    from faircg.typing import Value

LONGEST: Final = 120
"""Characters of a name or value that are shown; longer ones lose their middle."""
LONGEST_LINE: Final = 2000
"""Characters of a message that are shown."""
NOTHING: Final = "-"
"""What stands for a share of nobody."""
_PLAIN_TEXT: Final = re.compile(r"[^\W\d][\w.\-/+<>?]*|[<>?][\w.\-/+<>?]*")
_KEYWORDS: Final = frozenset(
    {"and", "or", "not", "if", "is", "true", "false", "none", "nan"}
)


def shown(text: object, longest: int | None = LONGEST) -> str:
    r"""Return a text on one line, short enough to read.

    Characters that do not print are escaped. Of a text with more than ``longest``
    characters the middle is left out.

    Examples
    --------
    >>> print(shown("a\nb"))
    a\nb
    >>> shown("x" * 500, 20)
    'xxxxxxxxxx … xxxxxxx (500 characters)'
    """
    raw = str(text)
    if longest is not None and len(raw) > longest:
        tail = longest // 2 - 3
        raw = f"{raw[: longest // 2]} … {raw[-tail:]} ({len(raw)} characters)"
    printed = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in raw)
    return printed if printed.strip() else f'"{printed}"'


def one_line(text: str) -> str:
    """Return a message on one line that a terminal can show."""
    return shown(" ".join(map(shown, text.split())), LONGEST_LINE)


def number(value: float) -> str:
    """Return a number as people write it.

    Examples
    --------
    >>> number(5278), number(0.25), number(1e300)
    ('5,278', '0.25', '1e+300')
    """
    if isinstance(value, int) or (value == int(value) and abs(value) < 1e15):
        return f"{int(value):,}" if abs(value) < 1e15 else f"{float(value):g}"
    return f"{value:,.10g}"


def percent(value: float | Fraction | None, digits: int = 1) -> str:
    """Return a share in percent, or a dash for a share of nobody.

    Examples
    --------
    >>> percent(0.669), percent(None)
    ('66.9 %', '-')
    """
    if value is None or math.isnan(value):
        return NOTHING
    return f"{100 * float(value):.{digits}f} %"


def plural(count: int, noun: str) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> plural(1, "rule"), plural(1200, "person")
    ('1 rule', '1,200 people')
    """
    many = {"person": "people"}.get(noun, f"{noun}s")
    return f"{count:,} {noun if count == 1 else many}"


def quoted(text: str) -> str:
    """Quote a text; what would garble a terminal line is escaped."""
    return "".join(
        c if c.isprintable() else _escaped(c)
        for c in json.dumps(text, ensure_ascii=False)
    )


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[k : k + 4]}" for k in range(0, len(units), 4))


def spoken_name(name: str) -> str:
    """Return a feature's name; only what would garble a terminal line is escaped."""
    return name if name.isprintable() and name.strip() else quoted(name)


def spoken_value(value: Value) -> str:
    """Say a value as rules do; a text that does not read as one word is quoted.

    Examples
    --------
    >>> spoken_value(31.0), spoken_value("head of sales"), spoken_value(True)
    ('31', '"head of sales"', 'true')
    """
    if value is None:
        return "missing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        is_word = _PLAIN_TEXT.fullmatch(value) and value.lower() not in _KEYWORDS
        return value if is_word else quoted(value)
    # In full, without the ".0" of a whole number.
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
