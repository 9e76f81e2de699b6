"""Code generation: from programs to source files in each language, delivered by targets."""
