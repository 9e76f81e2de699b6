"""Errata of the papers that dynagen reproduces, each with a check that runs.

`published/errata.yaml` holds the errata. A check evaluates the printed statement, which must be
false, and the corrected statement, which must be true.
"""
