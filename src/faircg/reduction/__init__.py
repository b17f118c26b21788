"""What a fit needs of a table: its distinct rows, counted, wherever it lives."""
