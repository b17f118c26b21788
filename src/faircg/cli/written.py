"""Columns of a file whose texts are numbers, as a model records them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from faircg.model import RuleSetModel
    from faircg.written_numbers import Decimal


@dataclass(frozen=True, slots=True)
class Written:
    """Columns whose texts are numbers, with what separates their decimals.

    Some ``words`` among them stand for missing values.
    """

    decimals: Mapping[str, Decimal] = field(default_factory=dict)
    words: frozenset[str] = frozenset()

    @classmethod
    def of(cls, model: RuleSetModel) -> Written:
        """Return what a model file records."""
        asked = model.asked
        commas = dict.fromkeys(asked.decimal_commas or (), ",")
        points = dict.fromkeys(asked.decimal_points or (), ".")
        words = frozenset(asked.missing_words or ())
        return cls({**commas, **points}, words)  # type: ignore[dict-item]

    def read(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return a frame with numbers for these texts; numbers stay as they are."""
        from faircg.written_numbers import as_numbers

        texts = {
            name: as_numbers(frame[name], decimal, self.words)
            for name, decimal in self.decimals.items()
            if name in frame.columns and frame[name].dtype.kind not in "iufb"
        }
        return frame.assign(**texts) if texts else frame

    def recorded(self, model: RuleSetModel) -> RuleSetModel:
        """Return the model with a record of those that its rules or tree test."""
        simple = () if model.baseline is None else model.baseline.tree.features
        names = [feature.name for feature in (*model.features, *simple)]
        tested = {name: self.decimals.get(name) for name in names}
        if not any(tested.values()):
            return model
        asked = replace(
            model.asked,
            decimal_commas=tuple(name for name, d in tested.items() if d == ","),
            decimal_points=tuple(name for name, d in tested.items() if d == "."),
            missing_words=tuple(sorted(self.words)),
        )
        return replace(model, asked=asked)
