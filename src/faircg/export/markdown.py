"""Markdown: the document as tables (CommonMark with the pipe tables of GitHub)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from faircg.export.document import make_document

if TYPE_CHECKING:
    from collections.abc import Iterable

    from faircg.export.document import Block
    from faircg.model import RuleSetModel


# A point inside a word could make it a link; one inside a number cannot.
_SPECIAL = re.compile(r"[!#$&*:<>@\[\\\]^_`{|}~]|(?<!\d)\.(?=\w)|\.(?=[^\W\d])")
# Spaces at the ends of a cell and several in a row would be lost.
_ODD_SPACE = re.compile(r"^ | $|(?<= ) ")


def to_markdown(model: RuleSetModel) -> str:
    """Return the rules, the certificate and the group counts as Markdown."""
    return "\n".join(map(_block, make_document(model)))


def escape(text: str) -> str:
    r"""Write a text so that Markdown shows just the text.

    Examples
    --------
    >>> print(escape("<b>*1* 2.5"))
    \<b\>\*1\* 2.5
    """
    return _ODD_SPACE.sub("&#32;", _SPECIAL.sub(r"\\\g<0>", text))


def _block(block: Block) -> str:
    lines = [f"## {block.title}", "", escape(block.sentence), ""]
    if block.header:
        rule = f"| {' | '.join('---' for _ in block.header)} |"
        lines += [_row(block.header), rule, *map(_row, block.rows), ""]
    return "\n".join(lines)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(map(escape, cells))} |"
