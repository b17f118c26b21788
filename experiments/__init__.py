"""The experiments of the paper; not part of the wheel."""
