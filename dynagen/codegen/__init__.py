"""Code generation: programs -> source files in four languages, in folders and wheels."""
