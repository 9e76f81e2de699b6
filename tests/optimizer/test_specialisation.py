"""Formulas specialised for zeros and ones: the estimates of candidates stay the same."""

import pytest

from dynagen.dynamics.recording import CountingRecorder, Formula
from dynagen.dynamics.requests import find_functions
from dynagen.ir.cost import FLOPS
from dynagen.ir.operation import Operation
from dynagen.optimizer import estimation
from dynagen.optimizer.estimation import CandidateEstimator
from dynagen.optimizer.formulation import DesignSpace
from dynagen.optimizer.passes.manager import SimplifyingBuilder
from dynagen.optimizer.specialisation import SpecialisingRecorder
from dynagen.robot.loading import load_robot
from dynagen.robot.model.model import build_model


def test_operations_on_zeros_and_ones_are_not_recorded():
    builder = SimplifyingBuilder()
    recorder = SpecialisingRecorder(builder)
    product = Formula(lambda left, right: left.dot(right))
    x, y, z = (recorder.add_element("x", index) for index in range(3))
    counted = []
    emit_all = builder.emit_all
    builder.emit_all = lambda operations, values: (
        counted.append([operation for operation, _ in operations]),
        emit_all(operations, values),
    )
    vector = type(x)(recorder, (3,), (*x.values, *y.values, *z.values))
    result = product(recorder.add_constant(1, 0, 3), vector)
    assert counted == [[Operation.MULTIPLY, Operation.ADD]]  # x[0] + 3*x[2]
    addition = builder[result.values[0]]
    assert addition.operation is Operation.ADD
    assert {builder[each].operation for each in addition.operands} == {
        Operation.INPUT,
        Operation.MULTIPLY,
    }


@pytest.mark.parametrize("robot", ["puma560", "scara", "planar3", "general6"])
@pytest.mark.parametrize("name", ["inverse_dynamics", "mass_matrix", "jacobian", "regressor"])
def test_estimates_are_those_of_the_formulas_in_full(robot, name, monkeypatch):
    model = build_model(load_robot(robot))
    (function,) = find_functions([name], model)
    method = next(iter(function.methods))

    def estimate() -> list[object]:
        estimator = CandidateEstimator(function, method, model, FLOPS)
        candidates = DesignSpace(model).usual
        return [
            *map(estimator.estimate, candidates),
            *map(estimator.estimate_closely, candidates[:3]),
        ]

    specialised = estimate()
    monkeypatch.setattr(estimation, "SpecialisingRecorder", CountingRecorder)
    assert estimate() == specialised
