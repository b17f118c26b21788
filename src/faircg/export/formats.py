"""The formats by name, and the one function that writes them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol

from faircg.exceptions import ExportError, ModelFormatError
from faircg.export.latex import to_latex
from faircg.export.markdown import to_markdown
from faircg.export.onnx_graph import to_onnx
from faircg.export.python_source import to_python
from faircg.export.sql import to_sql
from faircg.model import RuleSetModel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


class Exporter(Protocol):
    """A format: how its files are called, what they are for, and how to write one."""

    @property
    def suffix(self) -> str:
        """Usual end of a file's name, with the dot."""

    @property
    def description(self) -> str:
        """What the format is, in a few words."""

    @property
    def options(self) -> Mapping[str, str]:
        """Options that the format takes, each with a description."""

    def __call__(self, model: RuleSetModel, **options: Any) -> str | bytes:
        """Write a checked model."""


@dataclass(frozen=True, slots=True)
class _Format:
    suffix: str
    description: str
    write: Callable[..., str | bytes] = field(repr=False)
    options: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def __call__(self, model: RuleSetModel, **options: Any) -> str | bytes:
        return self.write(model, **options)


def to_json(model: RuleSetModel) -> str:
    """Return the text of the model file."""
    return model.to_json() + "\n"


FORMATS: Final[Mapping[str, Exporter]] = MappingProxyType(
    {
        "json": _Format(".json", "the model file that faircg reads again", to_json),
        "sql": _Format(
            ".sql",
            "a SELECT that adds the prediction to each row of a table",
            to_sql,
            MappingProxyType(
                {
                    "table": "name of the table, or its parts (schema, table)",
                    "dialect": "the database, one of faircg.export.DIALECTS",
                }
            ),
        ),
        "onnx": _Format(".onnx", "an ONNX graph, one input per feature", to_onnx),
        "python": _Format(".py", "a Python function that needs nothing", to_python),
        "markdown": _Format(".md", "tables to read, in Markdown", to_markdown),
        "latex": _Format(".tex", "tables to read, in LaTeX", to_latex),
    }
)
"""The formats, by the name that users give."""
PREDICTING: Final = ("sql", "onnx", "python")
"""Those that predict by themselves, from columns that they read by themselves."""


def export_model(
    model: RuleSetModel,
    format: str,
    *,
    table: str | Sequence[str] = "data",
    dialect: str = "duckdb",
) -> str | bytes:
    """Write a model in another format: as text, or as the bytes of an ONNX file.

    A format that cannot hold the model, or that is none, is an :class:`ExportError`.

    Parameters
    ----------
    model
        What to write.
    format
        One of :data:`FORMATS`.
    table
        For SQL: name of the table, as the database spells it; a sequence of names for
        a table in a schema.
    dialect
        For SQL: the database.

    Examples
    --------
    >>> from faircg.model import Feature, RuleSetModel
    >>> from faircg.rules import Condition, Rule, RuleSet
    >>> rules = RuleSet((Rule((Condition("age", "<=", 25),)),), label="risk")
    >>> model = RuleSetModel(rules, (Feature("age", "numeric"),), ("safe", "risk"))
    >>> print(export_model(model, "sql", table="people", dialect="duckdb"))
    SELECT
      "t".*,
      CASE WHEN CAST("t"."age" AS DOUBLE) <= 25e0 THEN 'risk' ELSE 'safe' END AS "prediction"
    FROM "people" AS "t"
    """  # noqa: E501
    exporter = FORMATS.get(format)
    if exporter is None:
        raise ExportError(f"unknown format {format!r}; use one of {list(FORMATS)}")
    given = {"table": table, "dialect": dialect}
    options = {name: given[name] for name in exporter.options}
    # A model put together by hand may hold what the file format refuses: write only
    # what its file would give back.
    try:
        checked = RuleSetModel.from_json(model.to_json())
    except (ModelFormatError, TypeError, ValueError) as error:
        raise ExportError(f"this is no model that can be written: {error}") from None
    if format in PREDICTING:
        _check_numbers(checked, format)
    return exporter(checked, **options)


def _check_numbers(model: RuleSetModel, format: str) -> None:
    """Refuse features whose numbers were texts, which other programs read otherwise."""
    asked = model.asked
    written = {*(asked.decimal_commas or ()), *(asked.decimal_points or ())}
    for name in model.kinds:
        if name in written:
            raise ExportError(
                f"the rules test {name!r}, whose numbers are written as texts such as "
                f"'$1,200' or '12,5 %', which {format} would not read as faircg does; "
                "make it a column of plain numbers and fit again"
            )


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of the model file.

    Every file of this version that faircg reads is valid. The schema does not say that
    rules test declared features only, in the way that the features' kinds allow, that
    ranges are those of numeric features, and that no key or feature is repeated;
    loading a model checks all of it.

    Examples
    --------
    >>> json_schema()["properties"]["version"]
    {'const': 2}
    """
    text = files("faircg.export").joinpath("model.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema
