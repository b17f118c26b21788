"""A fit from a frame, from DuckDB and through ibis gives the same model file."""

import duckdb
import numpy as np
import pytest

from faircg import FairRuleSetClassifier
from faircg import counted as counted_module
from faircg import labelled as labelled_module
from faircg.reduction import cut_features
from reduction.people import ASKED, asked, people, text_of
from reduction.servers import postgres, spark


def whole_table(seed, *, weight=False):
    """Return one frame of features, groups and label, and perhaps weights."""
    X, y, groups = people(seed)
    frame = X.join(groups).assign(repaid=y)
    if weight:
        rng = np.random.default_rng(seed)
        frame["survey"] = rng.choice([0.0, 0.25, 1.5, 2.0], len(frame))
    return frame


@pytest.fixture(params=[100_000, 10], ids=["exact", "cut"])
def most_distinct(request, monkeypatch):
    """Reduce to distinct rows, or to distinct rows of intervals."""
    monkeypatch.setattr(labelled_module, "MOST_DISTINCT", request.param)
    monkeypatch.setattr(counted_module, "MOST_DISTINCT", request.param)


COLUMNS = {"target": "repaid", "sensitive": ["sex", "born"]}


@pytest.mark.usefixtures("most_distinct")
@pytest.mark.parametrize(
    "way", ["auto", pytest.param("quantile", marks=pytest.mark.long)]
)
def test_duckdb_gives_the_model_of_the_frame(way):
    """The same people three times, in a database: the same file as with weights."""
    frame = whole_table(7, weight=True)
    thrice = duckdb.sql("SELECT * FROM frame CROSS JOIN range(3) AS times(k)")
    more = {**COLUMNS, "weight": "survey", "features": [*people(7)[0]]}
    here = asked(**ASKED[way]).fit_table(
        frame.loc[frame.index.repeat(3)].reset_index(drop=True), **more
    )
    there = asked(**ASKED[way]).fit_table(thrice, **more)
    assert text_of(here) == text_of(there)


def test_only_distinct_rows_leave_the_database(caplog):
    """A million rows of a few kinds of people: all queries count, none lists rows."""
    frame = whole_table(8)
    many = duckdb.sql("SELECT * FROM frame CROSS JOIN range(10000) AS times(k)")
    with caplog.at_level("DEBUG", logger="faircg.reduction.databases"):
        fitted = asked().fit_table(many, features=["job", "member"], **COLUMNS)
    asks = [record.message for record in caplog.records]
    assert len(asks) == 3
    assert all("COUNT(" in sql for sql in asks)
    assert asks[-1].endswith('GROUP BY "repaid", "sex", "born", "job", "member"')
    assert sum(c.total for c in fitted.model_.groups.values()) == 10_000 * len(frame)


@pytest.mark.usefixtures("most_distinct")
def test_numbers_beyond_the_budget_are_sampled_alike(monkeypatch):
    """Of too many different numbers some decide the cut points: the same everywhere."""
    monkeypatch.setattr(cut_features, "MOST_LEVELS", 30)
    frame = whole_table(9)
    more = {**COLUMNS, "features": ["age", "rate"]}
    here = asked().fit_table(frame, **more)
    assert text_of(here) == text_of(asked().fit_table(duckdb.from_df(frame), **more))


def test_excluded_features_and_wrong_names():
    """An excluded column is not asked for; a name that is not there is an error."""
    frame = whole_table(10)
    relation = duckdb.from_df(frame)
    asks = asked(exclude=["age"], monotone={"rate": "increasing"})
    here, there = (asks.fit_table(t, **COLUMNS) for t in (frame, relation))
    assert text_of(here) == text_of(there)
    assert "age" not in here.model_.rule_set.features
    with pytest.raises(ValueError, match="no column 'repayed'; its columns are 'age'"):
        FairRuleSetClassifier().fit_table(relation, target="repayed")
    with pytest.raises(TypeError, match="takes a DuckDB relation, an ibis table"):
        FairRuleSetClassifier().fit_table(Nothing(), target="x")


class Nothing:
    """Something with columns that is no table."""

    columns = ("x",)


def same_models(frame, table):
    """Assert that a table in a database gives the models of its frame."""
    more = {**COLUMNS, "weight": "survey", "features": [*people(7)[0]]}
    for parameters in (ASKED["auto"], ASKED["quantile"]):
        here = asked(**parameters).fit_table(frame, **more)
        there = asked(**parameters).fit_table(table, **more)
        assert text_of(here) == text_of(there)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # ibis with pandas 3
@pytest.mark.usefixtures("most_distinct")
def test_ibis_on_duckdb_gives_the_model_of_the_frame():
    """The same queries, transpiled into the words that they were written in."""
    ibis = pytest.importorskip("ibis", reason="ibis is not installed (faircg[ibis])")
    frame = whole_table(7, weight=True)
    database = ibis.duckdb.connect()
    database.con.register("people_here", frame)
    database.raw_sql("CREATE TABLE applicants AS FROM people_here")
    same_models(frame, database.table("applicants"))
    database.disconnect()


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # ibis with pandas 3
@pytest.mark.usefixtures("most_distinct")
def test_postgres_gives_the_model_of_the_frame():
    """The server's own log has the queries that ran: each one counts."""
    ibis = pytest.importorskip("ibis", reason="ibis is not installed (faircg[ibis])")
    frame = whole_table(7, weight=True)
    with postgres() as (where, log):
        database = ibis.postgres.connect(**where)
        table = database.create_table("applicants", frame)
        before = len(log.read_text())
        same_models(frame, table)
        database.disconnect()
        ran = log.read_text()[before:]
    asks = [line for line in ran.split("LOG:") if "people AS" in line]
    assert asks
    assert all("COUNT(" in sql or "SELECT DISTINCT" in sql for sql in asks)
    assert "CREATE" not in ran


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("most_distinct")
def test_spark_gives_the_model_of_the_frame():
    """The same queries, in the words of Spark."""
    ibis = pytest.importorskip("ibis", reason="ibis is not installed (faircg[ibis])")
    frame = whole_table(7, weight=True)
    rows = [
        tuple(None if value != value else value for value in row)
        for row in frame.astype(object).itertuples(index=False)
    ]
    with spark() as session:
        people_there = session.createDataFrame(rows, list(frame.columns))
        people_there.createOrReplaceTempView("applicants")
        same_models(frame, ibis.pyspark.connect(session).table("applicants"))
