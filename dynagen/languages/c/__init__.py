"""C99 that is also C++."""
