"""Applications of the compiler.

Each is a folder with its own command, report and pages, and is optional.
"""
