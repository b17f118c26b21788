"""A certificate as a fit would give it, to put models together by hand."""

from dataclasses import replace

from faircg.colgen.certificate import Certificate

FEASIBLE = Certificate(
    status="feasible",
    loss="hamming",
    objective=2000.0,
    lower_bound=1900.0,
    gap=0.05,
    lp_value=1890.5,
    lp_proven=True,
    proven_optimal=False,
    max_conditions=2,
    max_complexity=10,
    constraint="equality_of_opportunity",
    epsilon=0.05,
    rates="exact",
    returned_loss=2000.0,
    data="0123456789abcdef",
    seconds=1.0,
)


def certificate(**changes):
    """Return a certificate with some entries changed."""
    return replace(FEASIBLE, **changes)
