"""Case studies that repeat the computations of papers.

`make studies` writes tables and figures to docs/studies. A study is a folder with a module `study`.
Its TABLES compare computed results with results of the paper, and its function `figures` draws
them. The tables are written between marks on the study's page, docs/studies/NAME.md. A test
computes again those tables that take little time, and compares them with the page.
"""
