"""The command line: one module a command, thin. Exit status: 0 ok, 1 unproved or stale, 2 bad input, 3 no toolchain."""
