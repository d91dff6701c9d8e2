"""Files and data frames: how tasks, workers and labels come in, and how labels and estimates go out."""
