"""Properties that are tried on what hypothesis draws, in the long run 200 times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings

if TYPE_CHECKING:
    from collections.abc import Callable

MANY = 200


def tried(*drawn: Any, few: int) -> Callable[[Callable[..., None]], Any]:
    """Make a test of a property, which takes what is drawn for it."""

    def decorate(holds: Callable[..., None]) -> Any:
        @pytest.mark.parametrize(
            "count", [few, pytest.param(MANY, marks=pytest.mark.long)], ids=str
        )
        def test(count: int) -> None:
            trying = settings(
                max_examples=count,
                deadline=None,
                derandomize=True,
                suppress_health_check=[
                    HealthCheck.filter_too_much,
                    HealthCheck.too_slow,
                ],
            )
            trying(given(*drawn)(holds))()

        test.__name__, test.__doc__ = holds.__name__, holds.__doc__
        return test

    return decorate
