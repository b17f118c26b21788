"""Tables in databases: fit counts where they live, predict makes a view or a table."""

from __future__ import annotations

import builtins
import json
import re
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pandas as pd
import pytest

from faircg.cli.addresses import shown
from reduction.servers import postgres

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cli.people import Done

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # ibis, pandas 3
N = 300
ASKED = (
    "--target",
    "repaid",
    "--sensitive",
    "sex",
    "--constraint",
    "equality_of_opportunity",
    "--epsilon",
    0.2,
    "--max-complexity",
    4,
    "--max-conditions",
    2,
    "--jobs",
    1,
)


def loans() -> pd.DataFrame:
    """Return people of few kinds, an identifier, a leak, a proxy and some days."""
    rng = np.random.default_rng(0)
    age, sex = rng.integers(20, 28, N) * 2, rng.choice(["f", "m"], N)
    job = rng.choice(["cook", "näherin", "o'clerk"], N)
    paid = (age > 45) ^ (job == "cook") ^ (rng.random(N) < 0.1)
    frame = pd.DataFrame(
        {
            "age": age,
            "job": job,
            "member": rng.random(N) < 0.5,
            "rate": rng.integers(0, 4, N) / 8,
            "case_id": [f"A-{k}" for k in range(N)],
            "since": pd.date_range("2021-01-01", periods=N),
            "outcome": np.where(paid, "closed", "overdue"),
            "title": np.where(rng.random(N) < 0.99, sex, "m") + "r.",
            "sex": sex,
            "repaid": np.where(paid, "yes", "no"),
        }
    )
    frame.loc[::7, "rate"] = np.nan
    frame.loc[::11, "job"] = None
    return frame


def model_of(path: Path) -> dict[str, Any]:
    """Return what a model file holds."""
    entry: dict[str, Any] = json.loads(path.read_text())
    return entry


def words(out: str) -> str:
    """Return what was printed, without times and names of files."""
    return re.sub(r"\d+\.\d s,|\w+\.json", "", out)


@pytest.fixture
def address(tmp_path: Path) -> str:
    """Keep the people in a database of one file."""
    pytest.importorskip("ibis", reason="ibis is not installed (faircg[ibis])")
    people = loans()  # noqa: F841 (DuckDB finds it)
    with duckdb.connect(tmp_path / "loans.duckdb") as database:
        database.execute("CREATE TABLE applicants AS FROM people")
    return f"duckdb://{tmp_path / 'loans.duckdb'}"


def same_from_there(
    faircg: Callable[..., Done], tmp_path: Path, address: str
) -> tuple[Done, Done]:
    """Fit from a file and from a database; demand the same model file and notes."""
    loans().drop(columns="since").to_csv(tmp_path / "loans.csv", index=False)
    here = faircg("fit", "loans.csv", *ASKED, "-o", "here.json")
    there = faircg("fit", address, "--table", "applicants", *ASKED, "-o", "there.json")
    assert (here.code, there.code) == (0, 0), here.err + there.err
    assert model_of(tmp_path / "here.json") == model_of(tmp_path / "there.json")
    assert words(here.out) == words(there.out)
    return here, there


def test_a_table_in_a_database_gives_the_model_of_the_file(
    faircg: Callable[..., Done],
    tmp_path: Path,
    address: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The same rules and the same notes, and of 300 rows only counts were asked."""
    with caplog.at_level("DEBUG", logger="faircg.reduction.databases"):
        here, there = same_from_there(faircg, tmp_path, address)
    for text in (
        "'case_id' has 300 different",
        "'outcome' determines",
        "'title' tells",
    ):
        assert text in here.err
    notes = there.err.splitlines()
    assert "faircg: note: column 'since' holds timestamp(6): it is left out" in notes
    assert [line for line in notes if "'since'" not in line] == here.err.splitlines()
    asks = [record.message for record in caplog.records]
    assert asks
    assert all("COUNT(" in sql for sql in asks)
    assert not any("case_id" in sql for sql in asks if "GROUP BY" not in sql)


def decided(faircg: Callable[..., Done], path: Path) -> pd.Series:
    """Return what predict writes about the same people in a file."""
    done = faircg("predict", "here.json", "loans.csv", "-o", path, "--only")
    assert done.code == 0, done.err
    return pd.read_csv(path)["prediction"]


def test_predictions_become_a_view_or_a_table(
    faircg: Callable[..., Done], tmp_path: Path, address: str
) -> None:
    """A view follows the table, nothing is replaced unasked, and decisions agree."""
    same_from_there(faircg, tmp_path, address)
    from_here = ("predict", "there.json", address, "--table", "applicants", "--into")
    view = faircg(*from_here, "decided", "--column", "says")
    expected = decided(faircg, tmp_path / "file.csv")
    n_yes = int((expected == "yes").sum())
    assert view.out == f"Wrote decided: {n_yes} of 300 rows are yes.\n"
    again = faircg(*from_here, "decided", "--as", "table")
    assert again.code == 1
    assert "there is 'decided' already; --force replaces it" in again.err
    kept = ("--as", "table", "--keep", "case_id", "--json")
    assert faircg(*from_here, "kept", *kept).json["predicted"]["yes"] == n_yes
    assert faircg(*from_here, "kept", *kept, "--force").code == 0
    source = faircg(*from_here, "applicants", "--force")
    assert "--into applicants is the table that is read" in source.err
    path = address.removeprefix("duckdb://")
    with duckdb.connect(path) as database:
        rows = database.sql("SELECT says FROM decided").df()["says"]
        assert rows.tolist() == expected.tolist()
        assert database.sql("FROM kept").columns == ["case_id", "prediction"]
        database.execute("DELETE FROM applicants WHERE age > 45")
        assert (
            len(database.sql("FROM decided").df()) < N == len(database.sql("FROM kept"))
        )


def test_a_table_that_cannot_be_tested_is_told(
    faircg: Callable[..., Done], tmp_path: Path, address: str
) -> None:
    """Another kind of column, new categories and infinity, as for files."""
    same_from_there(faircg, tmp_path, address)
    path = address.removeprefix("duckdb://")
    with duckdb.connect(path) as database:
        for name, columns in {
            "texts": "* REPLACE (age::VARCHAR AS age)",
            "others": "* REPLACE ('x' || job AS job)",
            "no_age": "* EXCLUDE age",
            "far": "* REPLACE ('inf'::DOUBLE AS age)",
        }.items():
            database.execute(f"CREATE VIEW {name} AS SELECT {columns} FROM applicants")
    for table, told in {
        "texts": "feature 'age' was numeric when the model was fitted, and its column",
        "others": "values were never seen in training (for example 'xcook')",
        "no_age": "no_age lacks the column 'age', which the rules test; it has job",
        "far": "feature 'age' has infinity in some rows",
        "nowhere": "nowhere",
    }.items():
        done = faircg(
            "predict", "there.json", address, "--table", table, "--into", "never"
        )
        assert done.code == 1
        assert told in done.err
        assert len(done.err.splitlines()) == 1
    strict = ("others", "--into", "new", "--allow-unseen")
    done = faircg("predict", "there.json", address, "--table", *strict)
    assert "'job'" in done.err
    assert done.code == 0


SECRET = "s3cr%40t/x"


@pytest.mark.parametrize(
    "arguments",
    [
        ("fit", "ADDRESS", "--target", "x", "-o", "m.json"),
        ("fit", "ADDRESS", "--table", "t", "--target", "x", "-o", "m.json"),
        ("fit", "ADDRESS", "--table", "t", "--holdout", "0.3", "-o", "m.json"),
        ("fit", "ADDRESS", "--table", "t", "-o", "ADDRESS"),
        ("predict", "model.json", "ADDRESS", "--table", "t", "--into", "u"),
        ("predict", "model.json", "ADDRESS", "--table", "t", "-o", "ADDRESS"),
        ("predict", "ADDRESS", "model.json"),
        ("evaluate", "model.json", "ADDRESS"),
        ("explain", "model.json", "ADDRESS", "--row", "0"),
        ("frontier", "ADDRESS", "--target", "x", "--test", "ADDRESS"),
        ("export", "ADDRESS", "--to", "sql"),
    ],
)
@pytest.mark.parametrize(
    "where",
    [
        f"postgres://anna:{SECRET}@127.0.0.1:9/loans",
        f"postgres://127.0.0.1:9/loans?user=anna&password={SECRET}",
        f"nosuch://anna:{SECRET}@db/loans",
    ],
)
@pytest.mark.usefixtures("model")
def test_no_password_is_shown(
    faircg: Callable[..., Done], arguments: tuple[str, ...], where: str
) -> None:
    """One line says what is wrong with an address, and never the whole address."""
    done = faircg(*(where if word == "ADDRESS" else word for word in arguments))
    assert done.code in (1, 2)
    for secret in (SECRET, "s3cr@t", "s3cr", "anna:"):
        assert secret not in done.out + done.err


def test_what_is_shown_of_an_address() -> None:
    """Neither user nor password nor options; a slash in a password ends nothing."""
    assert shown("postgres://a:b@host:1/db?password=x") == "postgres://host:1/db"
    assert shown("postgres://a:b/c@d@host/db") == "postgres://host/db"
    assert shown("duckdb:///data/loans.duckdb") == "duckdb:///data/loans.duckdb"


@pytest.mark.parametrize(
    "arguments",
    [
        ("fit", "compas", "--table", "people", "-o", "m.json"),
        ("predict", "model.json", "compas", "--into", "people"),
    ],
)
@pytest.mark.usefixtures("model")
def test_options_of_databases_are_refused_beside_files(
    faircg: Callable[..., Done], arguments: tuple[str, ...]
) -> None:
    """Rather than ignored."""
    done = faircg(*arguments)
    assert done.code == 1
    assert "are for a database, as postgres://..." in done.err


def test_without_ibis_one_line_says_what_to_install(
    faircg: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The package that is missing, and the command that brings it."""
    load = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "ibis":
            raise ImportError(name)
        return load(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    done = faircg("fit", "postgres://db/x", "--table", "t", "-o", "m.json")
    assert done.code == 1
    assert done.err == (
        "faircg: error: tables in databases need ibis: pip install 'faircg[ibis]'\n"
    )


@pytest.mark.long
def test_postgres_from_the_command_line(
    faircg: Callable[..., Done], tmp_path: Path
) -> None:
    """The server's own log has the queries that ran: each of them counts."""
    ibis = pytest.importorskip("ibis", reason="ibis is not installed (faircg[ibis])")
    with postgres() as (where, log):
        database = ibis.postgres.connect(**where)
        database.create_table("applicants", loans())
        database.disconnect()
        address = f"postgresql://faircg:hush@/postgres?host={where['host']}"
        before = len(log.read_text())
        _, there = same_from_there(faircg, tmp_path, address)
        assert "hush" not in there.out + there.err
        asks = [t for t in log.read_text()[before:].split("LOG:") if "people AS" in t]
        assert asks
        assert all("COUNT(" in sql for sql in asks)
        expected = decided(faircg, tmp_path / "file.csv")
        for kind in ("view", "table"):
            made = ("--into", f"a {kind}", "--as", kind, "--column", "says")
            command = ("predict", "there.json", address, "--table", "applicants", *made)
            assert faircg(*command).code == 0
            refused = faircg(*command)
            assert f"there is 'a {kind}' already" in refused.err
            assert faircg(*command, "--force").code == 0
            database = ibis.postgres.connect(**where)
            rows = database.table(f"a {kind}").order_by("since").to_pandas()
            database.disconnect()
            assert rows["says"].tolist() == expected.tolist()
