"""Applications of the compiler.

Each application is optional, and is a folder with its own command, report and pages.
"""
