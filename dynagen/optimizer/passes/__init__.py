"""Passes: Program -> Program with the same meaning and never more operations; one module each, applied in the order below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dynagen.ir.program import Program
from dynagen.optimizer.passes.divisors import extract_common_divisors, extract_shared_pairs
from dynagen.optimizer.passes.equal_values import resubstitute, unite_equal_values
from dynagen.optimizer.passes.folding import (
    fold_constants,
    propagate_copies,
    remove_dead_code,
    share_common_subexpressions,
)
from dynagen.optimizer.passes.signs import absorb_signs, propagate_signs
from dynagen.optimizer.passes.sums import (
    add_doubles,
    cancel_terms,
    collect_terms,
    factor_sums,
    order_for_fusing,
)


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
