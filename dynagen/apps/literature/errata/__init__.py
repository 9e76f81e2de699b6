"""Errata of the papers that dynagen reproduces, each with an executable check.

The errata and the data of their checks are in `published/errata.yaml`. A check evaluates the
printed statement, which must be false, and the corrected statement, which must be true.
"""
