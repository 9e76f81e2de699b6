"""Names that all generated functions share: how run-time parameters come in, and how failure goes out."""

from __future__ import annotations

PREPARE = "prepare"
"""The function that takes the values of run-time parameters and fills what the kernels take instead of them."""
VALUES = "values"
"""Its input: one number for every parameter."""
PARAMS = "params"
"""Its output, and an input of every kernel: the values, then every product of them that some kernel needs."""
STATUS = "status"
"""The last output of kernels that can fail: a number that is positive if all went well; generated code makes 0 or 1 of it."""
