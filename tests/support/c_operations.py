"""Count the operations in emitted C with a C parser: an oracle for the counts in the manifest."""

import re

from pycparser import c_ast, c_parser

from dynagen.ir.cost import OperationCount


def count_operations(source: str, prefix: str) -> OperationCount:
    """Operations of the one kernel in a C file, as its operators say; trigonometric calls are
    counted by distinct angles.

    Its segments are static functions that return nothing; other static functions are what it calls
    for a value. What is in a function for a stage counts as often as that is called, and what is in
    a loop as often as the loop goes round.
    """
    text = re.sub(r"/\*.*?\*/", "", source, flags=re.S).replace(
        f"static {prefix.upper()}_SEGMENT void", "void"
    )
    text = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    visitor, stage = _Operators(prefix), _Operators(prefix)
    types = "".join(f"typedef double {prefix}_{name};\n" for name in ("real", "four"))
    for node in c_parser.CParser().parse(types + text).ext:
        declaration = getattr(node, "decl", node)
        if "static" not in declaration.storage:
            visitor.visit(node)
        elif (declaration.name or "").endswith("_stage"):
            stage.visit(node)
    own, of_stage = visitor.counted().as_dict(), stage.counted().as_dict()
    return OperationCount(**{kind: own[kind] + visitor.stages * of_stage[kind] for kind in own})


class _Operators(c_ast.NodeVisitor):
    def __init__(self, prefix):
        self.operators = dict.fromkeys(("+", "-", "*", "/", "<="), 0)
        self.negations = 0
        self.roots = 0
        self.others = 0
        self.angles = set()
        self.stages = 0
        self._times = 1
        self._segments = rf"{prefix.lower()}_\w+"
        self._trigonometric = {f"{prefix.upper()}_{name}" for name in ("SINCOS", "SIN", "COS")}
        self._step = f"{prefix}_sincos_four"

    def counted(self):
        return OperationCount(
            mul=self.operators["*"],
            add=self.operators["+"] + self.operators["-"],
            div=self.operators["/"],
            sqrt=self.roots,
            sincos=len(self.angles),
            neg=self.negations,
            other=self.others,
        )

    def visit_For(self, node):  # noqa: N802 # pycparser's name
        if node.cond.op == "<":
            self._times *= int(node.cond.right.value)
            self.visit(node.stmt)
            self._times //= int(node.cond.right.value)
        else:
            self.generic_visit(node)  # stores the same number in many places

    def visit_BinaryOp(self, node):  # noqa: N802
        self.operators[node.op] += self._times
        self.generic_visit(node)

    def visit_UnaryOp(self, node):  # noqa: N802
        if node.op == "-" and not isinstance(node.expr, c_ast.Constant):
            self.negations += 1
        self.generic_visit(node)

    def visit_FuncCall(self, node):  # noqa: N802
        if node.name.name in self._trigonometric:
            self.angles.add(str(node.args.exprs[0]))
        elif node.name.name == self._step:
            count, angles, *_ = node.args.exprs
            self.angles.update((angles.expr.name, place) for place in range(int(count.value)))
        elif node.name.name == "sqrt":
            self.roots += 1
        elif node.name.name.endswith("_stage"):
            self.stages += 1
        elif node.name.name in ("fabs", "tanh", "exp", "sign_of", "min_of", "max_of"):
            self.others += 1
        elif not re.fullmatch(rf"{self._segments}_\d+", node.name.name):
            raise AssertionError(f"unexpected call of {node.name.name}")
        self.generic_visit(node)
