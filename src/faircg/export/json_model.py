"""JSON: the model file itself, and the schema that describes it."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from faircg.exceptions import ExportError

if TYPE_CHECKING:
    from faircg.model import RuleSetModel


def to_json(model: RuleSetModel) -> str:
    r"""Return the text of the model file.

    Half a surrogate pair, which no UTF-8 file can hold, is written as an escape.

    Examples
    --------
    >>> from faircg.model import RuleSetModel
    >>> from faircg.rules import RuleSet
    >>> text = to_json(RuleSetModel(RuleSet(()), (), ("no", "y\ud800s")))
    >>> RuleSetModel.from_json(text).labels
    ('no', 'y\ud800s')
    """
    text = re.sub("[\ud800-\udfff]", _escaped, model.to_json()) + "\n"
    if type(model).from_json(text) != model:
        raise ExportError(
            "a text of the model holds two halves of a character as two; JSON would "
            "join them"
        )
    return text


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of the model file.

    Every file that faircg reads is valid. The schema does not say that rules test
    declared features only, in the way that the features' kinds allow, and that no key
    or feature is repeated; loading a model checks all of it.

    Examples
    --------
    >>> json_schema()["properties"]["version"]
    {'const': 1}
    """
    text = files("faircg.export").joinpath("model.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema
