"""Python interface, and generated code as functions of numpy arrays."""
