"""Errata of the papers that dynagen reproduces, each with a check that runs.

`published/errata.yaml` holds the errata. A check evaluates the printed statement, which has to
fail, and the corrected one, which has to hold.
"""
