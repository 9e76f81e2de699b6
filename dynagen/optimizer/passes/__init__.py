"""Passes: functions from program to program with the same meaning, and the order of their runs.

`manager.run_passes` runs the groups of passes in the following order.

1. SIMPLIFYING_PASSES run as a cycle until a whole cycle changes nothing.
2. REVIVING_PASS runs after the cycles. If it lowers the cost, the cycle starts again.
3. TRADING_PASSES run once each.
4. FINAL_PASSES run once each.

`manager.run_last_pass` runs LAST_PASS on programs that are emitted, but not on programs from which
a search continues. If LAST_PASS changes a program, all passes except REVIVING_PASS run once more.
Only trading passes add operations. The result of a trading pass is discarded unless it costs less
than the program before the pass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dynagen.ir.cost import CostModel
from dynagen.ir.operation import Operation
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
    """A pass, with its name in reports and the conditions for its run.

    Attributes:
        name: name of the pass in reports.
        apply: function from program to program.
        trades: whether the pass replaces operations by other ones, which may cost more. Its result
            is then used only if it costs less than the program before.
        may_pay: function that returns whether the result can cost less under a cost model; if not,
            the pass is not run.
    """

    name: str
    apply: Callable[[Program], Program]
    trades: bool = False
    may_pay: Callable[[CostModel], bool] = lambda model: True


def prices_addition_below_multiplication(model: CostModel) -> bool:
    """Return whether an addition costs less than a multiplication."""
    return model.weigh(Operation.ADD) < model.weigh(Operation.MULTIPLY)


# Each pass uncovers work for the others, so the list is repeated. The order saves rounds:
# - Folding comes first, as numbers that become 0 or 1 remove whole terms.
# - Copies and dead code go next: passes that count uses must not count unused ones.
# - Signs move before values are compared: then a - b and -(b - a) are one value, as are 3*x and
#   -(-3*x). Factoring needs that, too.
# - Terms are collected before they are factored: a term that cancels would hide behind a factor.
# - Factoring of single sums precedes common divisors of several sums: a Horner scheme keeps
#   together terms that common divisors would separate.
# - Pairs of factors come last: a product that has been factored out is not shared.
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
# Compares all values by fingerprints, which takes longer than the comparisons of the list above.
REVIVING_PASS = Pass("equal values", unite_equal_values, trades=True)
# Only for programs that are emitted. It computes values from values of unlike form, which hides
# common factors from a search that follows.
LAST_PASS = Pass("resubstitution", resubstitute, trades=True)
# For cost models with unequal prices: an addition may be cheaper than a multiplication, or a
# multiplication free within a fused multiply-add. Cancellation would turn x + x into 2*x again.
TRADING_PASSES = (
    Pass("doubling", add_doubles, trades=True, may_pay=prices_addition_below_multiplication),
    Pass("fusing", order_for_fusing, trades=True, may_pay=lambda model: model.fusing_saves > 0),
)
# This pass runs last, because sign propagation would undo it.
FINAL_PASSES = (Pass("sign absorption", absorb_signs),)
