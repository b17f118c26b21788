"""The paper's three data sets, inside the package: nothing is downloaded.

Where they come from, what was changed and under which licence is in PROVENANCE.md
beside the files; ``scripts/build_datasets.py`` rebuilds them byte for byte.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from importlib.resources import as_file, files
from types import MappingProxyType
from typing import TYPE_CHECKING

from faircg.datasets.meanings import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    # Only for annotations: "faircg --help" lists the data sets without loading pandas.
    import pandas as pd

__all__ = ["DATASETS", "Dataset", "load_adult", "load_compas", "load_default"]


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Dataset:
    """A table of people, what is to be predicted of them, and their groups.

    Attributes
    ----------
    name
        Short name, as in :data:`DATASETS`.
    X
        One row per person, one column per feature. Booleans are ``bool``, numbers
        ``int64``, categories plain text (the default text type of pandas).
    y
        1 for a person of the positive class, 0 otherwise, named after the target.
    sensitive_features
        The group of each person; a copy of one column of ``X``.
    positive_label
        What ``y == 1`` means.
    description
        Source, content and changes, in a few sentences.
    columns
        What each column means, the target among them.
    """

    name: str
    X: pd.DataFrame
    y: pd.Series
    sensitive_features: pd.Series
    positive_label: str
    description: str
    columns: Mapping[str, str]

    def __repr__(self) -> str:
        n_samples, n_features = self.X.shape
        return (
            f"<Dataset {self.name}: {n_samples} samples, {n_features} features, "
            f"{self.y.sum()} positive ({self.positive_label}), "
            f"groups by {self.sensitive_features.name}>"
        )


def load_adult() -> Dataset:
    """Load the census of 1994, to predict who earns more than 50,000 dollars a year.

    32,561 people, 14 features, groups by sex.

    Examples
    --------
    >>> adult = load_adult()
    >>> adult
    <Dataset adult: 32561 samples, 14 features, 7841 positive (>50K), groups by sex>
    >>> adult.X[["age", "education", "sex"]].head(2)
       age  education   sex
    0   39  Bachelors  Male
    1   50  Bachelors  Male
    """
    return _load(
        "adult",
        sensitive="sex",
        positive_value=">50K",
        positive_label=">50K",
        text=(
            "workclass",
            "education",
            "marital_status",
            "occupation",
            "relationship",
            "race",
            "sex",
            "native_country",
            "income",
        ),
        description=(
            "Adult (UCI Machine Learning Repository; Becker and Kohavi 1996): people "
            "in the United States census of 1994, and whether they earn more than "
            "50,000 dollars a year. This is the training file, unchanged as in the "
            "paper: an unknown workclass, occupation or native_country is the text "
            '"?", a category like any other; fnlwgt, a survey weight, is a feature.'
        ),
    )


def load_compas() -> Dataset:
    """Load ProPublica's COMPAS data, to predict who is charged again in two years.

    5,278 people, 7 features, groups by race.

    Examples
    --------
    >>> compas = load_compas()
    >>> compas.X.columns.to_list()
    ['priors', 'high_score', 'age_above_45', 'age_below_25', 'race', 'sex',
     'misdemeanor']
    >>> compas.sensitive_features.value_counts().to_dict()
    {'African-American': 3175, 'Caucasian': 2103}
    """
    return _load(
        "compas",
        sensitive="race",
        positive_value="1",
        positive_label="reoffends within two years",
        text=("race", "sex", "two_year_recid"),
        booleans=("high_score", "age_above_45", "age_below_25", "misdemeanor"),
        description=(
            "COMPAS (ProPublica; Angwin, Larson, Mattu and Kirchner 2016): defendants "
            "in Broward County, Florida, scored in 2013 and 2014, and whether they "
            "were charged with a new crime within two years. ProPublica's own filter, "
            "then African-American and Caucasian defendants only. priors counts "
            "earlier offences, high_score means that the COMPAS score was not low, "
            "misdemeanor that the charge was no felony. New charges are what is "
            "recorded, which is not the same as new crimes."
        ),
    )


def load_default() -> Dataset:
    """Load credit card clients of 2005, to predict who defaults next month.

    30,000 clients, 23 features, groups by sex.

    Examples
    --------
    >>> default = load_default()
    >>> default.sensitive_features.value_counts().to_dict()
    {'Female': 18112, 'Male': 11888}
    >>> float(default.y.mean())
    0.2212
    """
    return _load(
        "default",
        sensitive="SEX",
        positive_value="1",
        positive_label="defaults next month",
        text=("SEX", "EDUCATION", "MARRIAGE", "default_payment_next_month"),
        description=(
            "Default of credit card clients (UCI Machine Learning Repository; Yeh "
            "2009): clients of a bank in Taiwan in 2005, and whether they defaulted "
            "the next month. EDUCATION (1 graduate school, 2 university, 3 high "
            "school, 4 others; 0, 5, 6 not documented) and MARRIAGE (1 married, 2 "
            "single, 3 others; 0 not documented) hold the codes of the source as text, "
            "since they are categories. PAY_0 to PAY_6 are months of delay from "
            "September back to April, BILL_AMT and PAY_AMT the bills and payments of "
            "the same months."
        ),
    )


DATASETS: Mapping[str, Callable[[], Dataset]] = MappingProxyType(
    {"adult": load_adult, "compas": load_compas, "default": load_default}
)
"""The loader of each data set, by its name."""


def _load(
    name: str,
    *,
    sensitive: str,
    positive_value: str,
    positive_label: str,
    text: tuple[str, ...],
    booleans: tuple[str, ...] = (),
    description: str,
) -> Dataset:
    """Read one table; its last column is the target."""
    import pandas as pd

    types = defaultdict(
        lambda: "int64", dict.fromkeys(text, "str") | dict.fromkeys(booleans, "bool")
    )
    with as_file(files(__name__) / f"{name}.csv.gz") as path:
        # No text means "missing" here: "?" is a category.
        table = pd.read_csv(path, dtype=types, na_filter=False)
    target = table.pop(table.columns[-1])
    return Dataset(
        name=name,
        X=table,
        y=(target == positive_value).astype("int64"),
        sensitive_features=table[sensitive].copy(),
        positive_label=positive_label,
        description=description,
        columns=COLUMNS[name],
    )
