"""JSON: the model file itself, and the schema that describes it."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

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
    return model.to_json() + "\n"


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
