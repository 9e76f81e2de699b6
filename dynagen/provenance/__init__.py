"""Where the constants of generated code come from: formulas in the numbers of the description."""
