"""Applications of dynagen's generated code, such as identification and simulation.

Each application is optional; its folder contains its command, report and pages.
"""
