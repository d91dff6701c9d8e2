"""The mathematics: one file per policy, over integer indices and arrays, compiled, free of I/O."""
