"""Column generation: problem, pool, master, duals, pricing, loop, selection."""
