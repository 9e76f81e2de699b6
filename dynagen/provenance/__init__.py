"""Provenance of the constants in generated code: formulas in the numbers of the description."""
