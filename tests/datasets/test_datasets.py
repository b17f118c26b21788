import hashlib
import pickle
import re
import subprocess
import sys
from dataclasses import FrozenInstanceError
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pandas.api.types import is_bool_dtype, is_integer_dtype, is_string_dtype

from faircg import datasets
from faircg.datasets import DATASETS, Dataset, load_adult, load_compas, load_default

ROOT = Path(__file__).resolve().parents[2]
FILES = ROOT / "src" / "faircg" / "datasets"

FACTS = {
    "adult": {
        "shape": (32_561, 14),
        "positives": 7_841,
        "groups": {"Male": 21_790, "Female": 10_771},
        "group_name": "sex",
        "target": "income",
        "distinct_rows": 29_153,
    },
    "compas": {
        "shape": (5_278, 7),
        "positives": 2_483,
        "groups": {"African-American": 3_175, "Caucasian": 2_103},
        "group_name": "race",
        "target": "two_year_recid",
        "distinct_rows": 282,
    },
    "default": {
        "shape": (30_000, 23),
        "positives": 6_636,
        "groups": {"Male": 11_888, "Female": 18_112},
        "group_name": "SEX",
        "target": "default_payment_next_month",
        "distinct_rows": 29_406,
    },
}


@pytest.fixture(scope="module", params=sorted(DATASETS))
def dataset(request) -> Dataset:
    return DATASETS[request.param]()


@pytest.fixture(scope="module")
def facts(dataset):
    return FACTS[dataset.name]


def text_columns(X: pd.DataFrame) -> list[str]:
    return [name for name in X if is_string_dtype(X[name])]


def test_every_data_set_has_facts_and_a_loader():
    """The mapping for the command line names the three data sets of the paper."""
    assert set(DATASETS) == set(FACTS)
    assert DATASETS["adult"] is load_adult
    assert DATASETS["compas"] is load_compas
    assert DATASETS["default"] is load_default


def test_counts_are_those_of_the_paper(dataset, facts):
    """People, features, positives and groups are as many as published."""
    assert dataset.X.shape == facts["shape"]
    assert dataset.y.sum() == facts["positives"]
    assert dataset.sensitive_features.value_counts().to_dict() == facts["groups"]


def test_parts_line_up(dataset, facts):
    """Features, target and groups have the same index, and the target is no feature."""
    assert dataset.X.index.equals(dataset.y.index)
    assert dataset.X.index.equals(dataset.sensitive_features.index)
    assert dataset.y.name == facts["target"]
    assert facts["target"] not in dataset.X
    assert dataset.sensitive_features.name == facts["group_name"]
    assert dataset.sensitive_features.equals(dataset.X[facts["group_name"]])


def test_nothing_is_missing(dataset):
    """No value is missing, neither as NaN nor as an empty text."""
    assert not dataset.X.isna().any(axis=None)
    assert not dataset.y.isna().any()
    assert not (dataset.X[text_columns(dataset.X)] == "").any(axis=None)


def test_types_say_what_a_column_is(dataset):
    """A column is boolean, a whole number, or text; the target is 0 and 1."""
    for name, column in dataset.X.items():
        kinds = (is_bool_dtype, is_integer_dtype, is_string_dtype)
        assert sum(kind(column) for kind in kinds) == 1, name
    assert dataset.y.dtype == np.int64
    assert set(dataset.y) == {0, 1}


def test_text_carries_no_spaces_around_it(dataset):
    """The Adult file separates by comma and space; the space is not part of a value."""
    for name in text_columns(dataset.X):
        for value in dataset.X[name].unique():
            assert value == value.strip()


def test_distinct_rows_at_the_deciles(dataset, facts):
    """As many people differ in their conditions as the published experiments saw."""
    coded = dataset.X.copy()
    for name, column in dataset.X.items():
        if is_integer_dtype(column):
            deciles = np.unique(np.quantile(column, np.linspace(0.1, 0.9, 9)))
            coded[name] = np.searchsorted(deciles, column)
    assert len(coded.drop_duplicates()) == facts["distinct_rows"]


def test_categories_of_adult():
    """Eight columns of Adult are text, and unknown values are the category "?"."""
    X = load_adult().X
    assert text_columns(X) == [
        "workclass",
        "education",
        "marital_status",
        "occupation",
        "relationship",
        "race",
        "sex",
        "native_country",
    ]
    unknown = (X == "?").sum()
    assert unknown[unknown > 0].to_dict() == {
        "workclass": 1_836,
        "occupation": 1_843,
        "native_country": 583,
    }


def test_features_of_compas():
    """COMPAS has the paper's seven features, in its order and kinds."""
    X = load_compas().X
    assert list(X) == [
        "priors",
        "high_score",
        "age_above_45",
        "age_below_25",
        "race",
        "sex",
        "misdemeanor",
    ]
    assert text_columns(X) == ["race", "sex"]
    assert X.dtypes["priors"] == np.int64
    assert X.select_dtypes(bool).sum().to_dict() == {
        "high_score": 2_525,
        "age_above_45": 1_026,
        "age_below_25": 1_156,
        "misdemeanor": 1_838,
    }
    assert not (X["age_above_45"] & X["age_below_25"]).any()
    assert X["priors"].agg(["min", "max"]).to_list() == [0, 38]


def test_codes_of_default():
    """EDUCATION and MARRIAGE are folded back into the codes of the source."""
    X = load_default().X
    assert text_columns(X) == ["SEX", "EDUCATION", "MARRIAGE"]
    assert X["EDUCATION"].value_counts().sort_index().to_dict() == {
        "0": 14,
        "1": 10_585,
        "2": 14_030,
        "3": 4_917,
        "4": 123,
        "5": 280,
        "6": 51,
    }
    assert X["MARRIAGE"].value_counts().sort_index().to_dict() == {
        "0": 54,
        "1": 13_659,
        "2": 15_964,
        "3": 323,
    }


@pytest.mark.parametrize(
    ("name", "source"),
    [("adult", "UCI"), ("compas", "ProPublica"), ("default", "UCI")],
)
def test_description_names_the_source(name, source):
    """A user learns from the object alone where the people come from."""
    assert source in DATASETS[name]().description


def test_a_caller_may_change_the_table():
    """Two loads share nothing, and the groups do not follow a change of the table."""
    first = load_compas()
    first.X.loc[:, "race"] = "changed"
    assert set(first.sensitive_features) == {"African-American", "Caucasian"}
    assert set(load_compas().X["race"]) == {"African-American", "Caucasian"}


def test_a_data_set_is_a_value():
    """A data set cannot be reassigned, survives pickling, and prints in one line."""
    compas = load_compas()
    with pytest.raises(FrozenInstanceError):
        compas.name = "other"
    again = pickle.loads(pickle.dumps(compas))
    pd.testing.assert_frame_equal(again.X, compas.X)
    assert repr(compas) == (
        "<Dataset compas: 5278 samples, 7 features, 2483 positive "
        "(reoffends within two years), groups by race>"
    )


def test_importing_the_module_does_not_import_pandas():
    """The command line can list the data sets without paying for pandas."""
    program = (
        "import importlib.util, sys\n"
        f"spec = importlib.util.spec_from_file_location('d', {datasets.__file__!r})\n"
        "module = sys.modules['d'] = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(module)\n"
        "assert 'pandas' not in sys.modules and 'numpy' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_provenance_lists_the_hash_of_every_file():
    """The text beside the files speaks of exactly these files."""
    text = (FILES / "PROVENANCE.md").read_text(encoding="utf-8")
    stated = dict(re.findall(r"\| `(\w+\.csv\.gz)` \| [\d,]+ \| `(\w{64})` \|", text))
    assert stated == {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in FILES.glob("*.csv.gz")
    }
    assert set(stated) == {f"{name}.csv.gz" for name in DATASETS}


@pytest.mark.long
def test_script_rebuilds_the_same_bytes():
    """The checked-in files are what the script makes of the published sources."""
    script = ROOT / "scripts" / "build_datasets.py"
    done = subprocess.run(
        [sys.executable, str(script), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 3:
        pytest.skip("the published wheels are out of reach")
    assert done.returncode == 0, done.stdout + done.stderr
