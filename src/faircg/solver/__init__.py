"""The border to the solver."""
