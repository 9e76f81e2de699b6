"""Published algorithms of robot dynamics, for comparison of operation counts.

The algorithms are recorded as printed in their papers, as programs of scalar operations, and are
never emitted as code. Each algorithm is a function with the notation of its paper, and has an entry
in ALGORITHMS or FORWARD_ALGORITHMS. The same counter counts the operations of these programs and of
generated code. In comments, M is a multiplication or division, and A an addition or subtraction: 8M
+ 4A are eight multiplications and four additions.
"""

from __future__ import annotations

from dynagen.apps.literature.conventional.algorithm import (
    Algorithm,
    ConventionalCount,
    count_conventional,
    record_conventional,
)
from dynagen.apps.literature.conventional.forward_recursions import record_saha
from dynagen.apps.literature.conventional.lagrangian import (
    record_closed_form,
    record_lagrange_3x3,
    record_lagrange_4x4,
)
from dynagen.apps.literature.conventional.recursive_newton_euler import (
    record_angeles,
    record_newton_euler,
    record_reformulated,
)
from dynagen.apps.literature.conventional.turney import record_turney, record_turney_modified

__all__ = [
    "ALGORITHMS",
    "FORWARD_ALGORITHMS",
    "Algorithm",
    "ConventionalCount",
    "count_conventional",
    "record_conventional",
]

ALGORITHMS = (
    Algorithm(
        name="newton_euler",
        title="Newton-Euler, conventional",
        source="Dhanaraj (1990), Table 2.3, after Luh, Walker and Paul (1980)",
        convention="modified",
        record=record_newton_euler,
    ),
    Algorithm(
        name="reformulated_newton_euler",
        title="Newton-Euler, reformulated",
        source="Dhanaraj (1990), Table 2.4",
        convention="modified",
        record=record_reformulated,
    ),
    Algorithm(
        name="turney",
        title="Newton-Euler, Turney",
        source="Turney, Mudge and Lee (1980), section 3",
        convention="standard",
        record=record_turney,
        sliding=False,
    ),
    Algorithm(
        name="turney_modified",
        title="Newton-Euler, Turney's modified set",
        source="Turney, Mudge and Lee (1980), section 5",
        convention="standard",
        record=record_turney_modified,
        sliding=False,
    ),
    Algorithm(
        name="angeles",
        title="Newton-Euler, Angeles",
        source="Angeles (2003), Algorithms 7.4.1 and 7.4.2",
        convention="standard",
        record=record_angeles,
    ),
    Algorithm(
        name="lagrange_4x4",
        title="Lagrange, recursive, 4 x 4",
        source="Hollerbach (1980), in Dhanaraj (1990), Appendix A.2",
        convention="modified",
        record=record_lagrange_4x4,
    ),
    Algorithm(
        name="lagrange_3x3",
        title="Lagrange, recursive, 3 x 3",
        source="Hollerbach (1980), in Dhanaraj (1990), Appendix A.3",
        convention="modified",
        record=record_lagrange_3x3,
        sliding=False,
    ),
    Algorithm(
        name="lagrange_closed_form",
        title="Lagrange, closed form",
        source="Uicker (1965) and Kahn (1969), in Dhanaraj (1990), Appendix A.1",
        convention="modified",
        record=record_closed_form,
        largest=3,
        general=False,
    ),
)
"""Published algorithms of inverse dynamics."""

FORWARD_ALGORITHMS = (
    Algorithm(
        name="saha",
        title="Saha, recursive",
        source="Saha (2003), section 3",
        convention="standard",
        record=record_saha,
        function="forward_dynamics",
    ),
)
"""Published algorithms of forward dynamics."""
