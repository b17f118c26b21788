r"""LaTeX: the document as tables, to be put into a paper with ``\input``.

No package is needed. Letters beyond ASCII are left to the engine and its fonts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from faircg.export.document import make_document

if TYPE_CHECKING:
    from collections.abc import Iterable

    from faircg.export.document import Block
    from faircg.model import RuleSetModel

_ESCAPES: Final = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        # Babel gives the double quote a meaning in several languages.
        '"': r"\symbol{34}",
        # In braces: these make ligatures, or end a row of a table with an option.
        "`": r"\textasciigrave{}",
        "'": "{'}",
        "-": "{-}",
        ",": "{,}",
        "[": "{[}",
        "]": "{]}",
        "*": "{*}",
        "!": "{!}",
        "?": "{?}",
        "=": "{=}",
        ":": "{:}",
        ";": "{;}",
        "/": "{/}",
        "@": "{@}",
    }
)


def to_latex(model: RuleSetModel) -> str:
    """Return the rules, the certificate and the group counts as LaTeX."""
    return "\n".join(map(_block, make_document(model)))


def escape(text: str) -> str:
    r"""Write a text so that LaTeX shows just the text.

    Examples
    --------
    >>> print(escape(r"50% of a_1 & \input{x}"))
    50\% of a\_1 \& \textbackslash{}input\{x\}
    """
    return text.translate(_ESCAPES)


def _block(block: Block) -> str:
    lines = [rf"\paragraph{{{block.title}}}", escape(block.sentence), ""]
    if block.header:
        # Rules may be long: a column of paragraphs breaks them.
        wide = len(block.header) == 2
        columns = r"lp{0.7\linewidth}" if wide else "l" + "r" * len(block.header[1:])
        lines += [r"\noindent", rf"\begin{{tabular}}{{{columns}}}", r"\hline"]
        lines += [_row(block.header) if wide else _stacked(block.header), r"\hline"]
        lines += [*map(_row, block.rows), r"\hline", r"\end{tabular}", ""]
    return "\n".join(lines)


def _row(cells: Iterable[str]) -> str:
    return " & ".join(map(escape, cells)) + r" \\"


def _stacked(cells: Iterable[str]) -> str:
    """Return a row of headings with one word to a line: six rates fit on a page."""
    stacks = (r" \\ ".join(map(escape, cell.split())) for cell in cells)
    return " & ".join(rf"\shortstack[r]{{{stack}}}" for stack in stacks) + r" \\"
