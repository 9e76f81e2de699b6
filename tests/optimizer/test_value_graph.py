"""Tests of the value graph: dependents of nodes."""

from dynagen.ir.cost import FLOPS
from dynagen.ir.operation import Operation
from dynagen.numbers.exact import Exact
from dynagen.optimizer.node_values import Combination
from dynagen.optimizer.value_graph import ValueGraph, add_constant


def test_all_dependents_at_once_are_those_of_single_nodes() -> None:
    graph = ValueGraph(FLOPS)
    two, five = (add_constant(graph, Exact(number)) for number in (2, 5))
    product = graph.add_combination(Combination(Operation.MULTIPLY, two, five))
    total = graph.add_combination(Combination(Operation.ADD, product, two))
    graph.add_use(total >> 1)
    found = graph.find_all_dependents()
    nodes = range(len(graph.uses))
    assert {node: {other for other in nodes if other in found[node]} for node in found} == {
        node: graph.find_dependents(node) for node in graph.iterate_needed_nodes()
    }
    assert total >> 1 in found[two >> 1]
    assert two >> 1 not in found[total >> 1]
