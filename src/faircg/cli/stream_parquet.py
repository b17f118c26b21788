"""Predictions for Parquet files of any length: read, decide and write in pieces."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from faircg.cli.decisions import Decisions, check_names, label_text
from faircg.cli.files import STANDARD, must_exist, pyarrow_parquet

if TYPE_CHECKING:
    from collections.abc import Callable

    from faircg.cli.decisions import Tally, Wanted
    from faircg.model import RuleSetModel

ROWS: Final = 65_536
"""Rows that are looked at together."""


def predict_parquet(
    model: RuleSetModel,
    tally: Tally,
    source: str,
    output: Path,
    out: BinaryIO,
    wanted: Wanted,
    *,
    on_piece: Callable[[int], None] = lambda _: None,
) -> None:
    """Add a column to a Parquet file; the output is Parquet, or CSV by its name."""
    must_exist(Path(source))
    parquet = pyarrow_parquet()
    import pyarrow as pa  # type: ignore[import-untyped]

    as_csv = str(output) == STANDARD or output.suffix.lower() == ".csv"
    labels = model.labels
    if len(set(map(type, labels))) > 1:
        labels = (label_text(labels[0]), label_text(labels[1]))
    try:
        file = parquet.ParquetFile(source)
    except (OSError, ValueError) as error:
        raise ValueError(f"{source} is not a Parquet file: {error}") from None
    check_names(model, file.schema_arrow.names, wanted, source)
    columns = None if wanted.keep is None else list(wanted.keep)
    writer, is_first = None, True
    for batch in file.iter_batches(batch_size=ROWS):
        table = pa.Table.from_batches([batch])
        frame = table.to_pandas()
        with tally.locating(source):
            decisions = Decisions.on(model, frame)
        tally.add(decisions)
        if columns is not None:
            table = table.select(columns)
        added = pa.array(
            [labels[c] for c in decisions.accepted.tolist()], pa.array(labels).type
        )
        table = table.append_column(wanted.column, added)
        if as_csv:
            text = table.to_pandas().to_csv(
                index=False, header=is_first, lineterminator="\n"
            )
            out.write(text.encode())
        else:
            writer = writer or parquet.ParquetWriter(out, table.schema)
            writer.write_table(table)
        is_first = False
        on_piece(tally.n_rows)
    if writer is not None:
        writer.close()
    elif is_first:
        raise ValueError(f"{source} has no rows")
