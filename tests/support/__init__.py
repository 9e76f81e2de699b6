"""What several test files use: robots, programs, logs, and proofs of generated code."""
