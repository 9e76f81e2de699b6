"""Code generation: programs to source files in every language, and the folders and wheels that hold them."""
