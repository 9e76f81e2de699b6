"""Times of functions beside those of other tools, on the same states in one process, compared before they are timed."""
