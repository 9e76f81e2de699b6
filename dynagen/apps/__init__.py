"""Applications of the compiler: each is a folder with its own command, report and pages, and can be left out."""
