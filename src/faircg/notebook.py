"""Small HTML forms of results, for notebooks; whatever users named is escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def list_html(head: str, items: Iterable[str]) -> str:
    """Return a line and a numbered list.

    Examples
    --------
    >>> list_html("Predict <1> if", ["age > 30"])
    '<div><p>Predict &lt;1&gt; if</p><ol><li>age &gt; 30</li></ol></div>'
    """
    entries = "".join(f"<li>{escape(item)}</li>" for item in items)
    return f"<div><p>{escape(head)}</p>{f'<ol>{entries}</ol>' if entries else ''}</div>"


def folded_html(text: str, details: str = "") -> str:
    """Return a paragraph, and details to unfold."""
    more = f"<details><summary>Details</summary><p>{escape(details)}</p></details>"
    return f"<div><p>{escape(text)}</p>{more if details else ''}</div>"


def table_html(
    head: Sequence[str], rows: Iterable[Sequence[str]], notes: Iterable[str] = ()
) -> str:
    """Return a table, and a line for each note below it."""
    titles = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    body = "".join(
        f'<tr><th scope="row">{escape(first)}</th>'
        f"{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
        for first, *cells in rows
    )
    lines = "".join(f"<p>{escape(note)}</p>" for note in notes)
    return (
        f"<div><table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"
        f"{lines}</div>"
    )


class Shown:
    """An estimator that shows, once fitted, its rules below scikit-learn's diagram."""

    def _html_repr(self) -> str:
        from sklearn.utils import estimator_html_repr

        names = ("rule_set_", "fairness_", "certificate_")
        found: list[Any] = [getattr(self, name, None) for name in names]
        forms = [value._repr_html_() for value in found if value is not None]
        return "".join((estimator_html_repr(self), *forms))

    # scikit-learn 1.6 knows no _html_repr, and asks for these.

    def _repr_html_inner(self) -> str:
        return self._html_repr()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] = self._html_repr()
        return bundle
