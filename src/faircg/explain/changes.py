"""The smallest change of a row that flips the decision.

Smallest means: fewest changed features, then lowest cost. A number costs its distance
in units of the feature's range, anything else costs one. Both searches are exact.

To be covered, a row must meet one rule, and it must change just those features that
fail there; the best of all rules is the answer. To be uncovered it must break every
rule that covers it and run into no other, which is a hitting set problem: the search
takes a rule that still covers, and tries every way to break it.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from faircg.explain.bins import SWITCH_COST, Bins, Option, choice_bins, number_bins
from faircg.printable import spoken_name, spoken_value
from faircg.table import as_frame

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from faircg.features import NumericRange
    from faircg.model import RuleSetModel
    from faircg.rules import Condition
    from faircg.typing import Value

Box = dict[str, frozenset[int]]
"""For some features the bins that their values may lie in."""


@dataclass(frozen=True, slots=True)
class FeatureChange:
    """Another value for one feature.

    ``before`` is the row's own value, None where it is missing; ``after`` the nearest
    value that flips the decision; ``wanted`` says all values that do, if the other
    changes are made as wanted: ``"more than 5"``. ``cost`` is its part in the cost of
    the change.
    """

    feature: str
    before: Value
    after: Value
    wanted: str
    cost: float

    def __str__(self) -> str:
        after = spoken_value(self.after)
        # "at most 5" names its nearest value; just beyond 0.3 is no number to read.
        is_said = self.wanted in (after, f"exactly {after}")
        is_said = is_said or self.wanted.endswith(f"at most {after}")
        is_plain = isinstance(self.after, int | str)
        example = f", such as {after}," if is_plain and not is_said else ""
        before = spoken_value(self.before)
        return f"{spoken_name(self.feature)} {self.wanted}{example} instead of {before}"

    def to_dict(self) -> dict[str, Any]:
        """Return the change as plain JSON values; an infinite cost is null."""
        return {**asdict(self), "cost": _finite(self.cost)}


@dataclass(frozen=True, slots=True)
class Change:
    """Other values for a few features, by name."""

    features: tuple[FeatureChange, ...]

    @property
    def cost(self) -> float:
        """The sum of the costs."""
        return math.fsum(change.cost for change in self.features)

    @property
    def size(self) -> tuple[int, float]:
        """What makes one change smaller than another: features first, then cost."""
        return len(self.features), self.cost

    def __str__(self) -> str:
        return "; ".join(map(str, self.features))

    def to_dict(self) -> dict[str, Any]:
        """Return the change as plain JSON values."""
        return {
            "features": [change.to_dict() for change in self.features],
            "cost": _finite(self.cost),
        }


def _finite(cost: float) -> float | None:
    return cost if math.isfinite(cost) else None


@dataclass(frozen=True, slots=True)
class Row:
    """One row, as its values and bins, by feature."""

    values: Mapping[str, Value]
    bins: Mapping[str, int]


class Changes:
    """Searches changes of rows under the rules of one model.

    ``whole`` are the numeric features of whole numbers where ``ranges`` is silent.
    """

    def __init__(
        self,
        model: RuleSetModel,
        *,
        immutable: Collection[str],
        ranges: Mapping[str, NumericRange],
        whole: Collection[str],
        allow_missing: bool,
    ) -> None:
        self.rules = model.rule_set.rules
        self.immutable = frozenset(immutable)
        self.allow_missing = allow_missing
        tests: dict[str, list[Condition]] = {}
        for rule in self.rules:
            for condition in rule.conditions:
                tests.setdefault(condition.feature, []).append(condition)
        self.bins: dict[str, Bins] = {}
        self.met: dict[Condition, frozenset[int]] = {}
        for feature in model.features:
            name = feature.name
            if name not in tests:
                continue
            if feature.kind == "numeric":
                known = ranges.get(name)
                self.bins[name] = number_bins(name, tests[name], known, name in whole)
            else:
                self.bins[name] = choice_bins(
                    name, tests[name], feature.kind, feature.categories
                )
            column = self.bins[name].column()
            for condition in tests[name]:
                holds = np.flatnonzero(condition.holds(column))
                self.met[condition] = frozenset(holds.tolist())
        self.boxes = tuple(self._box(rule.conditions) for rule in self.rules)
        self._kept = {
            name: [self._keeping(name, k) for k in range(bins.missing + 1)]
            for name, bins in self.bins.items()
        }

    def _box(self, conditions: Collection[Condition]) -> Box:
        """Return for each feature of a rule the bins that meet all its conditions."""
        box: Box = {}
        for condition in conditions:
            met = self.met[condition]
            box[condition.feature] = box.get(condition.feature, met) & met
        return box

    def _keeping(self, name: str, bin: int) -> int:
        """Return the rules that a bin of a feature does not break, as bits."""
        allows = (bin in box.get(name, {bin}) for box in self.boxes)
        return sum(1 << rule for rule, allowed in enumerate(allows) if allowed)

    def failed(self, rule: int, row: Row) -> tuple[Condition, ...]:
        """Return the conditions of a rule that a row does not meet."""
        return tuple(
            condition
            for condition in self.rules[rule].conditions
            if row.bins[condition.feature] not in self.met[condition]
        )

    def to_rule(self, rule: int, row: Row) -> Change | None:
        """Return the smallest change that meets one rule; None if there is none."""
        changes = []
        for name, allowed in self.boxes[rule].items():
            if row.bins[name] in allowed:
                continue
            options = [o for o in self._options(name, row) if o.bin in allowed]
            if not options:
                return None
            best = min(options, key=lambda option: option.cost)
            changes.append(self._change(name, row, best, allowed))
        return Change(tuple(changes))

    def to_none(self, row: Row) -> Change | None:
        """Return the smallest change that leaves all rules; None if there is none."""
        options = {
            name: self._undominated(name, self._options(name, row))
            for name in self.bins
        }
        for most in range(1, len(self.bins) + 1):
            best = self._leave(row.bins, {}, options, most, math.inf)
            if best is not None:
                return self._widened(row, best)
        return None

    def _options(self, name: str, row: Row) -> list[Option]:
        if name in self.immutable:
            return []
        bins, bin = self.bins[name], row.bins[name]
        options = bins.options(row.values[name], bin)
        if self.allow_missing and bin != bins.missing:
            options.append(Option(bins.missing, None, SWITCH_COST))
        return options

    def _undominated(self, name: str, options: list[Option]) -> list[Option]:
        """Leave out bins that cost no less than another and keep all its rules."""
        kept = self._kept[name]
        best: list[Option] = []
        for option in sorted(options, key=lambda o: (o.cost, kept[o.bin].bit_count())):
            if all(kept[other.bin] & ~kept[option.bin] for other in best):
                best.append(option)
        return best

    def _leave(
        self,
        bins: Mapping[str, int],
        chosen: dict[str, Option],
        options: Mapping[str, list[Option]],
        most: int,
        bound: float,
    ) -> dict[str, Option] | None:
        """Complete a choice with at most ``most`` features, cheaper than the bound.

        Whatever leaves a rule that still covers has a feature of that rule outside of
        what it allows, and that feature was not chosen yet: so no choice is forgotten.
        """
        bits = (1 << len(self.boxes)) - 1
        for name, bin in bins.items():
            bits &= self._kept[name][bin]
        if not bits:
            return chosen
        covering = [
            {name: allowed for name, allowed in box.items() if name not in chosen}
            for rule, box in enumerate(self.boxes)
            if bits >> rule & 1
        ]
        covering.sort(key=len)
        if _apart(covering) > most:
            return None
        spent = sum(option.cost for option in chosen.values())
        best = None
        for name, allowed in covering[0].items():
            for option in options[name]:
                if option.bin in allowed:
                    continue
                if spent + option.cost >= bound and bound < math.inf:
                    break
                found = self._leave(
                    {**bins, name: option.bin},
                    {**chosen, name: option},
                    options,
                    most - 1,
                    bound,
                )
                if found is not None:
                    cost = sum(option.cost for option in found.values())
                    if best is None or cost < bound:
                        best, bound = found, cost
            # What follows leaves the rule by another feature first.
            options = {**options, name: [o for o in options[name] if o.bin in allowed]}
        return best

    def _widened(self, row: Row, chosen: Mapping[str, Option]) -> Change:
        """Say how far each new value may move while all rules still fail."""
        box = {name: frozenset({bin}) for name, bin in row.bins.items()}
        box |= {name: frozenset({option.bin}) for name, option in chosen.items()}
        for name, option in chosen.items():
            bins = self.bins[name]
            safe = {
                bin
                for bin in range(bins.missing)
                if self._leaves_all({**box, name: frozenset({bin})})
            }
            box[name] = bins.run(option.bin, safe)
        names = [name for name in self.bins if name in chosen]
        return Change(
            tuple(self._change(name, row, chosen[name], box[name]) for name in names)
        )

    def _leaves_all(self, box: Box) -> bool:
        return all(
            any(allowed.isdisjoint(box[name]) for name, allowed in rule.items())
            for rule in self.boxes
        )

    def _change(
        self, name: str, row: Row, option: Option, wanted: Collection[int]
    ) -> FeatureChange:
        bins = self.bins[name]
        words = bins.words(bins.run(option.bin, wanted))
        return FeatureChange(name, row.values[name], option.value, words, option.cost)


def _apart(boxes: Collection[Box]) -> int:
    """Count rules that share no feature: each of them needs a change of its own."""
    used: set[str] = set()
    count = 0
    for box in boxes:
        if used.isdisjoint(box):
            used.update(box)
            count += 1
    return count


def whole_features(X: Any) -> frozenset[str]:
    """Return the columns that can only hold whole numbers, by their type."""
    frame = as_frame(X)
    if frame is not None:
        return frozenset(
            str(name)
            for name, dtype in frame.schema.items()
            if dtype.is_integer() or dtype == nw.Boolean
        )
    if isinstance(X, np.ndarray) and X.dtype.kind in "iub":
        return frozenset(f"x{j}" for j in range(X.shape[1]))
    return frozenset()
