"""Tables where they live, through DuckDB: read, typed, decided and written."""

from faircg.tables.source import Reading, Source, open_source, open_table

__all__ = ["Reading", "Source", "open_source", "open_table"]
