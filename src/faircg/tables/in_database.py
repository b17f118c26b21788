"""Decisions of a rule set in a database: counted there, and kept as a view or a table.

The statement is the exported one, in the words of the database.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from faircg.export.duckdb_sql import literal, name, quoted
from faircg.export.plan import make_plan
from faircg.export.sql import OUTPUT, reads_back, sql_tree
from faircg.export.sql_dialects import DIALECTS, check_name
from faircg.reduction.databases import IbisSource
from faircg.tables.decide import Counted, check_seen

if TYPE_CHECKING:
    from faircg.export.plan import Plan
    from faircg.export.sql_dialects import Dialect
    from faircg.model import RuleSetModel
    from faircg.model_parts import Feature
    from faircg.tables.write import Wanted
    from faircg.typing import Value

Kept: TypeAlias = Literal["view", "table"]
TYPES: Final = {str: "string", bool: "boolean", int: "int64", float: "float64"}
"""Types of labels as ibis calls them."""


@dataclass(frozen=True, eq=False)
class TableDecisions:
    """What a model says about the rows of a table of ibis, perhaps in a schema."""

    model: RuleSetModel
    table: Any
    schema: str | None = None

    @property
    def _database(self) -> Any:
        return self.table.get_backend()

    @cached_property
    def dialect(self) -> Dialect:
        """The words of the database."""
        for kind in self._database.dialect.__mro__:
            if kind.__name__.lower() in DIALECTS:
                return DIALECTS[kind.__name__.lower()]
        raise ValueError(
            f"rules cannot be written for {self._database.name}; export them as SQL "
            "for a database that is like it"
        )

    def count(self, strict: bool | None = None) -> Counted:
        """Look at all rows: what a rule cannot test is an error.

        ``strict`` is as for :meth:`faircg.tables.decide.Decisions.count`.
        """
        for feature in self.model.features:
            self._check_kind(feature)
        unseen = {}
        for feature in self.model.features:
            if feature.kind == "category":
                present, count, example = self._new(feature)
                if count:
                    unseen[feature.name] = count, example
                    check_seen(feature.name, present, count, example, strict)
            elif feature.kind == "numeric":
                self._check_finite(feature.name)
        plan = make_plan(self.model)
        by_label = self._by_label(plan)
        is_positive = self.model.rule_set.rules_for == "positive"
        positive = str(plan.covered if is_positive else plan.otherwise)
        return Counted(sum(by_label.values()), by_label.get(positive, 0), unseen)

    def check_new(self, into: str) -> None:
        """Refuse a name that a view or a table has."""
        from ibis.common.exceptions import TableNotFound

        try:
            self._database.table(into, database=self.schema)
        except TableNotFound:
            return
        raise ValueError(f"there is {into!r} already; --force replaces it")

    def keep(self, wanted: Wanted, into: str, kept: Kept, *, replacing: bool) -> None:
        """Make a view or a table of the rows with their decisions."""
        from sqlglot import exp

        check_name(into, self.dialect)
        check_name(wanted.column, self.dialect)
        columns = self.table.columns if wanted.keep is None else wanted.keep
        chosen: list[Any] = [exp.column(column, quoted=True) for column in columns]
        label = exp.column(self._output, quoted=True)
        chosen.append(exp.alias_(label, wanted.column, quoted=True))
        made = exp.table_(into, db=self.schema, quoted=True)
        create = exp.Create(
            this=made,
            kind=kept.upper(),
            expression=exp.select(*chosen).from_(self._decided()),
        )
        statement = self._written(create)
        if replacing:
            name = made.sql(self.dialect.name)
            statement = f"DROP {kept.upper()} IF EXISTS {name}; {statement}"
        self._database.raw_sql(statement)

    def _written(self, tree: Any) -> str:
        """Return a statement as text that says just that."""
        text: str = tree.sql(self.dialect.name)
        if not reads_back(text, tree, self.dialect.name):
            raise ValueError(
                f"a name or a value cannot be written safely for {self.dialect.name}"
            )
        return text

    @property
    def _output(self) -> str:
        """A name for the decision that no column of the table has."""
        taken, name = {column.casefold() for column in self.table.columns}, OUTPUT
        while name in taken:
            name += "_"
        return name

    def _decided(self) -> Any:
        """Return the rows with their decisions, as part of a statement."""
        parts = [*([] if self.schema is None else [self.schema]), self.table.get_name()]
        tree = sql_tree(
            self.model, table=parts, dialect=self.dialect.name, output=self._output
        )
        return tree.subquery("decided")

    def _by_label(self, plan: Plan) -> dict[str, int]:
        """Count the rows of each decision."""
        from sqlglot import exp

        label = exp.column(self._output, quoted=True)
        count = exp.alias_(exp.Count(this=exp.Star()), "n", quoted=True)
        tree = exp.select(label, count).from_(self._decided()).group_by(label)
        labels = (plan.covered, plan.otherwise)
        kind = next(TYPES[type(label)] for label in labels if label is not None)
        types = {self._output: kind, "n": "int64"}
        found = self._database.sql(self._written(tree), schema=types).to_pandas()
        decided = found[self._output]
        return {str(v): int(n) for v, n in zip(decided, found["n"], strict=True)}

    def _check_kind(self, feature: Feature) -> None:
        """Refuse a column of another kind than the model knows."""
        kind = IbisSource(self.table).kinds([feature.name])[feature.name]
        categories: tuple[Value, ...] = feature.categories
        is_coded = bool(categories) and not any(isinstance(v, str) for v in categories)
        wanted = "numeric" if feature.kind == "category" and is_coded else feature.kind
        if kind != wanted:
            raise ValueError(
                f"feature {feature.name!r} was {feature.kind} when the model was "
                f"fitted, and its column is {kind} now; cast it, for example in a view"
            )

    def _new(self, feature: Feature) -> tuple[int, int, str]:
        """Count the values of a category, those never seen, and name one of them."""
        column = name(feature.name)
        known = ", ".join(map(literal, feature.categories)) or "NULL"
        is_new = f"CASE WHEN {column} IN ({known}) THEN NULL ELSE {column} END"
        asked = "COUNT(x) AS present, COUNT(new) AS unseen, MIN(new) AS example"
        kind = IbisSource(self.table).type_of(feature.name)
        found = (
            IbisSource(self.table)
            .ask(
                f"SELECT {asked} FROM (SELECT {column} AS x, {is_new} AS new "
                "FROM people) AS looked_at",
                present="int64",
                unseen="int64",
                example=kind,
            )
            .iloc[0]
        )
        return int(found["present"]), int(found["unseen"]), str(found["example"])

    def _check_finite(self, column: str) -> None:
        """Refuse infinity, as every reader of tables does."""
        infinite = ", ".join(
            f"CAST({quoted(text)} AS DOUBLE)" for text in ("Infinity", "-Infinity")
        )
        found = IbisSource(self.table).ask(
            f"SELECT COUNT(*) AS n FROM people WHERE CAST({name(column)} AS DOUBLE) IN "
            f"({infinite})",
            n="int64",
        )
        if int(found["n"].iloc[0]):
            raise ValueError(
                f"feature {column!r} has infinity in some rows; replace it by a number "
                "or by a missing value"
            )
