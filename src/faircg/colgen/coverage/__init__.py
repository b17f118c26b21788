"""The coverage formulation: whether a row is covered is a variable of its own."""
