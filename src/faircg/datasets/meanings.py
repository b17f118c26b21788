"""What the columns of the embedded data sets mean, as their sources say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_MONTHS: Final = ("September", "August", "July", "June", "May", "April")

COLUMNS: Final[Mapping[str, Mapping[str, str]]] = {
    "adult": {
        "age": "Age in years",
        "workclass": "Kind of employer",
        "fnlwgt": "How many people of the country the person stands for in the census",
        "education": "Highest level of education",
        "education_num": "Highest level of education as a number from 1 to 16",
        "marital_status": "Marital status",
        "occupation": "Occupation",
        "relationship": "Role in the household",
        "race": "Race, as recorded",
        "sex": "Sex, as recorded",
        "capital_gain": "Capital gains of the year, in dollars",
        "capital_loss": "Capital losses of the year, in dollars",
        "hours_per_week": "Hours of work in a week",
        "native_country": "Country of origin",
        "income": "Whether the person earns more than 50,000 dollars a year",
    },
    "compas": {
        "priors": "Number of prior offences",
        "high_score": "Whether the risk score is medium or high",
        "age_above_45": "Whether the person is older than 45",
        "age_below_25": "Whether the person is younger than 25",
        "race": "Race, as recorded",
        "sex": "Sex, as recorded",
        "misdemeanor": "Whether the charge is a misdemeanor, not a felony",
        "two_year_recid": "Whether the person reoffended within two years",
    },
    "default": {
        "LIMIT_BAL": "Credit given, in new Taiwan dollars",
        "SEX": "Sex, as recorded",
        "EDUCATION": "Education: 1 graduate school, 2 university, 3 high school",
        "MARRIAGE": "Marital status: 1 married, 2 single, 3 others",
        "AGE": "Age in years",
        **{
            f"PAY_{number}": f"Months of delay of the payment in {month} 2005"
            for number, month in zip((0, 2, 3, 4, 5, 6), _MONTHS, strict=True)
        },
        **{
            f"BILL_AMT{number}": f"Bill of {month} 2005, in new Taiwan dollars"
            for number, month in enumerate(_MONTHS, start=1)
        },
        **{
            f"PAY_AMT{number}": f"Paid in {month} 2005, in new Taiwan dollars"
            for number, month in enumerate(_MONTHS, start=1)
        },
        "default_payment_next_month": "Whether the client defaulted the next month",
    },
}
