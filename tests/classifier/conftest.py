"""One classifier that several tests look at."""

import pytest

from classifier.small import fit


@pytest.fixture(scope="session")
def clf():
    """Fit once what several tests look at."""
    return fit()
