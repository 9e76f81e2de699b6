"""Recording: formulas in sympy, applied step by step to recorded values -> Program."""
