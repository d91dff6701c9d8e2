"""Values, errors and randomness: what every other layer speaks in, free of I/O."""
