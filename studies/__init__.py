"""Case studies that repeat the papers dynagen builds on.

`make studies` writes tables and figures to docs/studies.

A study is a folder with a module `study`: its TABLES are what is computed beside what the paper
has, and `figures` draws it. The tables stand between marks on the study's page,
docs/studies/NAME.md; a test computes them again.
"""
