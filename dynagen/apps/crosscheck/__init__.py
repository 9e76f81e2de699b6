"""Cross-checks: comparison of a robot in another tool with the numeric reference."""
