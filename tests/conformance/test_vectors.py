"""Kernels with sines and cosines in one step, and batch kernels: all are proved."""

from dataclasses import replace

import pytest

from dynagen.codegen.languages import find_language
from dynagen.codegen.package import VECTOR
from dynagen.codegen.routine import name_batch_kernel
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.loading import load_robot
from tests.support.generated_once import compiled, generated, proved
from tests.support.loaded_arm import EVERY_FUNCTION, LOADED_ARM


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "compiler", "real"),
    [
        ("c", "gcc", "double"),
        ("c", "clang", "float"),
        ("fortran", "", "double"),
    ],
)
def test_every_function_of_an_arm_with_everything_is_proved(language, compiler, real, monkeypatch):
    """With friction, payload, wrench, run-time parameters and a status."""
    monkeypatch.setenv("CC", compiler)
    generation = generated(LOADED_ARM, Settings("c", EVERY_FUNCTION, real=real, batch=True))
    proofs = proved(generation, compiled(generation, language), states=200)
    names = [function.name for function in generation.functions]
    assert [proof.function for proof in proofs] == [
        name for each in names for name in (each, name_batch_kernel(each))
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("robot", "real"), [("puma560", "double"), ("scara", "float")])
def test_every_function_of_a_robot_is_proved(robot, real):
    generation = generate(
        load_robot(robot), Settings("c", ("all",), real=real, batch=True, states=300)
    )
    assert generation.package.trig == VECTOR
    assert len(generation.proofs) == 2 * len(generation.functions)
    assert all(proof.passed for proof in generation.proofs.values())


@pytest.mark.parametrize(
    ("language", "step", "segment"),
    [
        ("c", "panda_sincos_four(", "static PANDA_SEGMENT"),
        ("fortran", "call sines_and_cosines_of_four(", "call segment_2()"),
    ],
)
def test_long_kernels_in_segments_take_steps_too(language, step, segment):
    generation = generated(load_robot("panda"), Settings("c", ("mass_matrix",), trig=VECTOR))
    for longest in (50, 5000):
        cut = replace(generation, package=replace(generation.package, longest=longest))
        text = "".join(file.text for file in find_language(language).print_kernels(cut.package))
        assert step in text
        assert (segment in text) == (longest == 50)
        (proof,) = proved(cut, compiled(cut, language), states=50)
        assert proof.passed


@pytest.mark.language_can("batch", "vector")
def test_both_are_proved_when_a_function_is_generated(language):
    generation = generate(load_robot("planar3"), Settings(language, trig=VECTOR, states=50))
    assert list(generation.proofs) == ["inverse_dynamics"]
    settings = Settings(language, ("inverse_dynamics", "step"), batch=True, threads=True, states=50)
    generation = generate(load_robot("planar3"), settings)
    assert list(generation.proofs) == [
        "inverse_dynamics",
        "inverse_dynamics_batch",
        "step",
        "step_batch",
    ]
