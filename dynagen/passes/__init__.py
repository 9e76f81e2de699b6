"""Passes: Program -> Program with the same meaning and never more operations; one module each, applied in the order below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dynagen.ir.program import Program
from dynagen.passes.cancellation import cancel_terms
from dynagen.passes.collection import collect_terms
from dynagen.passes.common_divisors import extract_common_divisors
from dynagen.passes.common_subexpressions import share_common_subexpressions
from dynagen.passes.constant_folding import fold_constants
from dynagen.passes.copy_propagation import propagate_copies
from dynagen.passes.dead_code import remove_dead_code
from dynagen.passes.doubling import add_doubles
from dynagen.passes.equal_values import unite_equal_values
from dynagen.passes.factoring import factor_sums
from dynagen.passes.fusing import order_for_fusing
from dynagen.passes.resubstitution import resubstitute
from dynagen.passes.shared_pairs import extract_shared_pairs
from dynagen.passes.sign_absorption import absorb_signs
from dynagen.passes.sign_propagation import propagate_signs


@dataclass(frozen=True)
class Pass:
    """A pass and the name that reports use.

    Attributes:
        trades: whether it gives some operations for others, so that what comes out is taken only if it costs less.
    """

    name: str
    apply: Callable[[Program], Program]
    trades: bool = False


# Repeated as a sequence until nothing changes: each of them uncovers work for the others.
SIMPLIFYING_PASSES = (
    Pass("constant folding", fold_constants),
    Pass("cancellation", cancel_terms),
    Pass("copy propagation", propagate_copies),
    Pass("dead code", remove_dead_code),
    Pass("sign propagation", propagate_signs),
    Pass("common subexpressions", share_common_subexpressions),
    Pass("collection", collect_terms),
    Pass("factoring", factor_sums, trades=True),
    Pass("common divisors", extract_common_divisors, trades=True),
    Pass("shared pairs", extract_shared_pairs),
)
# Whenever these have come to rest; they begin anew if it lowers the cost.
REVIVING_PASS = Pass("equal values", unite_equal_values, trades=True)
# Of what all others have left, for programs that are to be emitted: what is computed from unlike values is harder to factor.
LAST_PASS = Pass("resubstitution", resubstitute, trades=True)
# Once after them, each only where it lowers the cost, which it never does as long as all operations cost the same.
TRADING_PASSES = (
    Pass("doubling", add_doubles, trades=True),
    Pass("fusing", order_for_fusing, trades=True),
)
FINAL_PASSES = (Pass("sign absorption", absorb_signs),)
