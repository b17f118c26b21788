"""Decisions of a rule set where the data is: one query counts, another one writes.

The first query looks at every value that rules test, so that what is wrong is told
before anything is written.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from faircg.export.duckdb_sql import prediction
from faircg.export.plan import make_plan
from faircg.tables import typed
from faircg.unseen import mostly_unseen

if TYPE_CHECKING:
    from collections.abc import Mapping

    import duckdb

    from faircg.export.plan import Check
    from faircg.model import RuleSetModel
    from faircg.model_parts import Feature
    from faircg.tables.source import Source
    from faircg.typing import Value
    from faircg.written_numbers import Decimal


@dataclass(frozen=True, slots=True)
class Counted:
    """How many rows there are, how many get the positive label, and what was new.

    ``unseen`` has for each feature the rows with categories never seen in training, and
    an example.
    """

    rows: int
    positive: int
    unseen: Mapping[str, tuple[int, str]]


@dataclass(frozen=True, eq=False)
class Decisions:
    """What a model says about the rows of a table; ``f0``, ``f1`` are its features."""

    model: RuleSetModel
    source: Source

    @cached_property
    def relation(self) -> duckdb.DuckDBPyRelation:
        """The columns of the table, and the features that rules test."""
        features = enumerate(self.model.features)
        values = [f"{self._value(f)} AS f{j}" for j, f in features]
        return self.source.relation.project(", ".join(["*", *values]))

    def label(self, negative: Value, positive: Value) -> str:
        """Return the decision on a row as SQL, with other names for the labels."""
        plan = make_plan(self.model)
        rules = tuple(
            replace(rule, checks=tuple(map(self._as_name, rule.checks)))
            for rule in plan.rules
        )
        if self.model.rule_set.rules_for == "negative":
            negative, positive = positive, negative
        plan = replace(plan, rules=rules, otherwise=negative, covered=positive)
        columns = {f.name: f"f{j}" for j, f in enumerate(self.model.features)}
        return prediction(plan, columns)

    @property
    def is_odd(self) -> str:
        """The test for rows with a value never seen, or one that cannot be tested."""
        tests = (
            f"NOT {self._is_known(j, feature)}"
            if feature.kind == "category"
            else self._is_bad(j, feature)
            for j, feature in enumerate(self.model.features)
        )
        return " OR ".join(f"({test})" for test in tests) or "false"

    def count(self, strict: bool | None = None) -> Counted:
        """Look at all rows; a value that cannot be tested is an error.

        ``strict`` makes a category never seen in training one as well; None does so if
        that is most of a feature.
        """
        counts = ["count(*)", f"count(*) FILTER ({self.label(False, True)})"]
        for j, feature in enumerate(self.model.features):
            if feature.kind == "category":
                new = f"FILTER (NOT {self._is_known(j, feature)})"
                counts += [f"count(f{j})", f"count(*) {new}", f"min(f{j}) {new}"]
            else:
                counts.append(f"count(*) FILTER ({self._is_bad(j, feature)})")
        [[rows, positive, *rest]] = self.relation.aggregate(
            ", ".join(counts)
        ).fetchall()
        found, unseen = iter(rest), {}
        for j, feature in enumerate(self.model.features):
            if feature.kind != "category":
                if next(found):
                    raise ValueError(self._words(j, feature))
                continue
            present, count, example = next(found), next(found), next(found)
            if count:
                unseen[feature.name] = count, example
                check_seen(feature.name, present, count, example, strict)
        return Counted(rows, positive, unseen)

    def _there(self, name: str) -> str:
        """Return the value of a column, or NULL if it stands for none."""
        column, kind = self.source.column(name), self._type(name)
        if self._decimal(name) and kind == "VARCHAR":
            words = self.model.asked.missing_words or ()
            return typed.present(f"trim({column})", words)
        if kind in ("DOUBLE", "FLOAT"):
            return f"CASE WHEN NOT isnan({column}) THEN {column} END"
        return typed.present(column) if self.source.files else column

    def _type(self, name: str) -> str:
        return self.source.types[self.source.names.index(name)]

    def _decimal(self, name: str) -> Decimal | None:
        """Return what separates the decimals of a column whose texts are numbers."""
        asked = self.model.asked
        if name in (asked.decimal_commas or ()):
            return ","
        return "." if name in (asked.decimal_points or ()) else None

    def _value(self, feature: Feature) -> str:
        """Return a feature as SQL: a double, a boolean or a name; NULL is missing."""
        kind, there = self._type(feature.name), self._there(feature.name)
        if feature.kind == "category":
            return typed.text_of(there, kind)
        if feature.kind == "boolean" and kind == "BOOLEAN":
            return there
        if kind in ("BOOLEAN", "DOUBLE", "FLOAT"):
            number = f"CAST({there} AS DOUBLE)"
        else:
            text = f"CAST({self.source.column(feature.name)} AS VARCHAR)"
            said = f"CAST({typed.boolean(text)} AS DOUBLE)"
            number = f"coalesce({typed.cast(text, self.source.decimal)}, {said})"
            decimal = self._decimal(feature.name)
            if decimal and kind == "VARCHAR":
                number = typed.written_number(there, decimal)
        if feature.kind == "numeric":
            return number
        return f"CASE {number} WHEN 1 THEN true WHEN 0 THEN false END"

    def _is_known(self, j: int, feature: Feature) -> str:
        known = [self._name(feature.name, value) for value in feature.categories]
        return typed.among(f"f{j}", known)

    def _is_bad(self, j: int, feature: Feature) -> str:
        absent = f"CASE WHEN f{j} IS NULL THEN {self._there(feature.name)} END"
        bad = f"{absent} IS NOT NULL"
        if self._type(feature.name) == "VARCHAR" and not self._decimal(feature.name):
            bad += f" OR contains({self.source.column(feature.name)}, '_')"
        return bad if feature.kind == "boolean" else f"{bad} OR isinf(f{j})"

    def _words(self, j: int, feature: Feature) -> str:
        """Say where the first value is that cannot be tested."""
        [(row, value)] = (
            self.relation.project(
                f"row_number() OVER () - 1, {self.source.column(feature.name)}, "
                f"{self._is_bad(j, feature)} AS is_bad"
            )
            .filter("is_bad")
            .limit(1)
            .project("* EXCLUDE is_bad")
            .fetchall()
        )
        if "inf" in str(value).lower():
            return (
                f"feature {feature.name!r} has infinity in row {row}; replace it by a "
                "number or by a missing value"
            )
        return (
            f"feature {feature.name!r} was {feature.kind} when the model was fitted "
            f"and holds {value!r} in row {row} now"
        )

    def _as_name(self, check: Check) -> Check:
        """Compare categories by their names, as a file holds them."""
        if not check.input.is_category or check.value is None:
            return check
        name = self._name(check.input.name, check.value)
        return replace(check, input=replace(check.input, storage="text"), value=name)

    def _name(self, column: str, value: Value) -> str:
        """Return what a category is called in a column: 3.0 is 3 among numbers."""
        if isinstance(value, float) and self._type(column) != "VARCHAR":
            value = int(value) if value.is_integer() else value
        return str(value)


def check_seen(
    name: str, present: int, count: int, example: str, strict: bool | None
) -> None:
    """Refuse categories that are new, or a feature that mostly has such."""
    if strict:
        raise ValueError(
            f"feature {name!r}: {count:,} rows hold categories never seen in training "
            f"(for example {example!r})"
        )
    if strict is None and mostly_unseen(count, present):
        raise ValueError(
            f"feature {name!r}: {count:,} of {present:,} values were never seen in "
            f"training (for example {example!r}), so that it seems to be written in "
            "another way; --allow-unseen goes on"
        )
