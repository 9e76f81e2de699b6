"""Code generation: programs become source files in each language, and targets deliver the files."""
