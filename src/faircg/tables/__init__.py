"""Tables where they live, through DuckDB: read, typed, decided and written."""
