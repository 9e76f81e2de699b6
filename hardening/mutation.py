"""Faults (mutants) in Python functions, and their insertion at run time."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType

_SWAPS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.MatMult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
}
_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


@dataclass(frozen=True)
class Mutant:
    """Fault that can be inserted in a module.

    Attributes:
        path: file of the module.
        line: line of the fault.
        node: index of the changed node in `ast.walk` of the module.
        change: kind of the change.
        text: expression before the change.
    """

    path: Path
    line: int
    node: int
    change: str
    text: str


def list_mutants(path: Path) -> Iterator[Mutant]:
    """Yield every fault that can be inserted in the functions of a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    allowed = set(_find_changeable(tree))
    for position, node in enumerate(ast.walk(tree)):
        if node in allowed:
            for change in _list_changes(node):
                yield Mutant(path, node.lineno, position, change, ast.unparse(node)[:60])


def _find_changeable(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the expressions in which faults may be inserted: those in bodies of functions.

    Expressions in messages and annotations are left out.
    """
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for function in functions:
        waiting: list[ast.AST] = list(function.body)
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr | ast.FunctionDef):
                continue
            yield node
            annotation = node.annotation if isinstance(node, ast.AnnAssign) else None
            waiting += [child for child in ast.iter_child_nodes(node) if child is not annotation]


def _list_changes(node: ast.AST) -> Iterator[str]:
    """Yield the kinds of faults, such as "swap" or "sign", that a syntax-tree node allows."""
    if isinstance(node, ast.BinOp) and type(node.op) in _SWAPS:
        yield "swap"
        if isinstance(node.op, ast.Add | ast.Sub):
            yield "drop"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        yield "sign" if isinstance(node.op, ast.USub) else "not"
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARISONS:
        yield "compare"
    elif isinstance(node, ast.BoolOp):
        yield "and-or"
    elif (
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, int)
    ):
        yield "index"


def _change(node: ast.AST, change: str) -> ast.AST:
    """Change a node of a syntax tree; return the changed node or its replacement.

    Args:
        node: the node; may be modified.
        change: kind of the change, from `_list_changes`.
    """
    if isinstance(node, ast.BinOp):
        if change == "drop":
            return node.left
        node.op = _SWAPS[type(node.op)]()
    elif isinstance(node, ast.UnaryOp):
        return node.operand
    elif isinstance(node, ast.Compare):
        node.ops[0] = _COMPARISONS[type(node.ops[0])]()
    elif isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        node.slice = ast.Constant(1 if node.slice.value == 0 else 0)
        ast.copy_location(node.slice, node)
    return node


def compile_mutant(mutant: Mutant) -> CodeType:
    """Return the compiled code of the module with the fault."""
    tree = ast.parse(mutant.path.read_text(encoding="utf-8"))
    wanted = list(ast.walk(tree))[mutant.node]

    class Planter(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return _change(deepcopy(node), mutant.change) if node is wanted else super().visit(node)

    planted = ast.fix_missing_locations(Planter().visit(tree))
    return compile(planted, str(mutant.path), "exec", dont_inherit=True)


def plant(mutant: Mutant) -> int:
    """Replace the code of the faulty function in all function objects that were made from it.

    Functions that other modules have imported, and existing closures, change too. The result is the
    number of changed function objects.
    """
    codes = {(code.co_name, code.co_firstlineno): code for code in _walk(compile_mutant(mutant))}
    planted = 0
    for found in gc.get_objects():
        if not isinstance(found, FunctionType) or found.__code__.co_filename != str(mutant.path):
            continue
        new = codes.get((found.__code__.co_name, found.__code__.co_firstlineno))
        if new is None or new == found.__code__:
            continue
        if new.co_freevars == found.__code__.co_freevars:
            found.__code__ = new
            planted += 1
    return planted


def _walk(code: CodeType) -> Iterator[CodeType]:
    """Yield a code object, and all code objects that it contains."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _walk(constant)
