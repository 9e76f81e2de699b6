"""Runtime: the functions that Python users call, and generated code as functions of numpy arrays."""
