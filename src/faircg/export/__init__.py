"""Every way to take a rule set out: JSON, SQL, ONNX, Python, Markdown and LaTeX.

Each format that predicts agrees with :meth:`faircg.model.RuleSetModel.predict` on every
row that it accepts, missing values and unseen categories included. What a format cannot
hold is an :class:`~faircg.exceptions.ExportError`, never something else.
"""

from __future__ import annotations

from faircg.export.formats import FORMATS, Exporter, export_model, json_schema
from faircg.export.onnx_graph import MISSING_TEXT
from faircg.export.sql_dialects import DIALECTS

__all__ = [
    "DIALECTS",
    "FORMATS",
    "MISSING_TEXT",
    "Exporter",
    "export_model",
    "json_schema",
]
