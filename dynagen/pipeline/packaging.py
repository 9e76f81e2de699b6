"""Generated functions -> Package: what a language needs to know, golden states included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import PurePath
from typing import Any

from dynagen.codegen.languages import checked_prefix
from dynagen.codegen.package import (
    LIBM,
    VECTOR,
    Constants,
    Joint,
    Kernel,
    MimicJoint,
    Package,
    Proof,
    Rows,
)
from dynagen.codegen.partition import Partition
from dynagen.codegen.printing import Calls
from dynagen.dynamics.algorithms.external_wrenches import WRENCH, exerted_at, formula_with_wrench
from dynagen.dynamics.function import ComposedFunction
from dynagen.ir.cost import count
from dynagen.ir.program import PARAMS, VALUES, Program
from dynagen.numbers.exact import ONE, Exact
from dynagen.numbers.real import Real
from dynagen.optimizer.compile import CompiledFunction
from dynagen.optimizer.passes.equal_values import FACTORS
from dynagen.options import changed, option_words
from dynagen.pipeline.generation import Request
from dynagen.pipeline.provenance import constants_of
from dynagen.pipeline.settings import Settings
from dynagen.robot.description import TOOL, LinkDescription, RobotDescription
from dynagen.robot.edits import PAYLOAD
from dynagen.robot.model.base_parameters import groupings
from dynagen.robot.model.model import Body, RobotModel
from dynagen.robot.names import identifier
from dynagen.verification.comparison import RULES
from dynagen.verification.reference import reference_names
from dynagen.verification.sampling import sample_parameters, sample_states
from dynagen.version import __version__

_VECTORS = 6  # states of the golden test


def package_of(
    description: RobotDescription,
    model: RobotModel,
    request: Request,
    functions: Sequence[CompiledFunction],
    prepare: Program | None,
    partitions: Mapping[str, Partition],
) -> Package:
    """Gather what a language writes.

    Args:
        description: the robot.
        model: the same in the generator's frames.
        request: what was asked for.
        functions: what was made.
        prepare: of run-time parameters, if there are any.
        partitions: of those functions that several cores share, by name.
    """
    settings, rule = request.settings, RULES[request.real]
    return Package(
        robot=description.name,
        prefix=checked_prefix(
            identifier(description.name) if settings.prefix is None else settings.prefix
        ),
        source=description.source,
        gravity="({})".format(
            ", ".join(f"{float(component):g}" for component in description.gravity)
        ),
        joints=tuple(map(_joint, model.coordinates)),
        mimics=tuple(_mimics(description)),
        input_name=PurePath(description.path).name,
        input_sha256=description.sha256,
        version=__version__,
        kernels=tuple(_kernels(request, functions, prepare, partitions)),
        proof=Proof(settings.states, settings.seed, rule.tolerance, rule.text)
        if settings.verify
        else None,
        vectors=_vectors(description, functions, request),
        parameters=description.parameters,
        base=groupings(model) if any(each.definition.base_parameters for each in functions) else (),
        real=request.real,
        choices=_choices(description, settings),
        facts=tuple(_facts(description, settings)),
        single_file=settings.single_file,
        batch=settings.batch,
        threads=settings.threads,
        trig=settings.trig or (VECTOR if settings.batch else LIBM),
    )


def _kernels(
    request: Request,
    functions: Sequence[CompiledFunction],
    prepare: Program | None,
    partitions: Mapping[str, Partition],
) -> Iterator[Kernel]:
    """All kernels, the one that prepares run-time parameters first."""
    if prepare is not None:
        constants = _constants(
            prepare, chain.from_iterable(each.formulas for each in functions), request.real
        )
        yield Kernel("params = prepare(values)", prepare, count(prepare), constants=constants)
    for each in functions:
        yield Kernel(
            _formula(each),
            each.program,
            each.operations,
            request=each.definition.request,
            notes=each.formulation,
            references=reference_names(each.definition.oracle.subjects),
            constants=_constants(each.program, each.formulas, request.real),
            partition=partitions.get(each.name),
            calls=_calls(each),
        )


def _calls(function: CompiledFunction) -> Calls | None:
    definition = function.definition
    called = function.called
    return (
        Calls(definition.composition, called)
        if isinstance(definition, ComposedFunction) and called is not None
        else None
    )


def _joint(body: Body | LinkDescription) -> Joint:
    return Joint(body.joint.name or body.name, body.joint.type, body.name)


def _mimics(description: RobotDescription) -> Iterator[MimicJoint]:
    names = {link.name: link.joint_name for link in description.links}
    for link in description.links:
        if link.joint.mimics:
            yield MimicJoint(
                _joint(link),
                names[link.joint.mimics],
                float(link.joint.ratio),
                float(link.joint.offset),
            )


def _formula(function: CompiledFunction) -> str:
    """The formula of a function, with the wrench if that is among its inputs."""
    formula = function.definition.formula
    return (
        formula_with_wrench(formula)
        if any(each.name == WRENCH for each in function.program.inputs)
        else formula
    )


def _constants(program: Program, formulas: Iterable[tuple[Exact, str]], real: Real) -> Constants:
    """The constants of a program: those that have formulas, and how many others; factors of the equations are neither."""
    known: dict[Exact, list[str]] = {}
    for magnitude, formula in formulas:
        known.setdefault(magnitude, []).append(formula)
    magnitudes = {abs(Exact(number)) for number in constants_of(program)} - {ONE}
    listed = [
        (str(real.nearest(each)), formula)
        for each in magnitudes & known.keys()
        for formula in known[each]
    ]
    return Constants(
        tuple(sorted(set(listed))), sum(each not in FACTORS for each in magnitudes - known.keys())
    )


def _choices(description: RobotDescription, settings: Settings) -> dict[str, Any]:
    """Return the options that decide what is emitted, by name, where they are not the default."""
    reading = description.reading.changes
    return {**changed(settings), **({"reading": reading} if reading else {})}


def _facts(description: RobotDescription, settings: Settings) -> Iterator[tuple[str, str]]:
    """Facts that a caller has to know besides names and units."""
    named = next(
        (frame.link for frame in description.frames if identifier(frame.name) == TOOL), None
    )
    *_, last = (link.name for link in description.links if link.name != PAYLOAD)
    yield (
        "Tool",
        f"the frame of link {last}" if named is None else f"frame {TOOL}, fixed to link {named}",
    )
    if description.payload:
        (carrier,) = (link.parent for link in description.links if link.name == PAYLOAD)
        yield (
            "Payload",
            f"mass, first moments and inertia about the origin of the frame of link {carrier}, in its axes",
        )
    if description.external_wrenches:
        yield "Wrench", f"force and moment {exerted_at(description.external_wrenches)}"
    if mimics := [str(mimic) for mimic in _mimics(description)]:
        yield "Mimics", "; ".join(mimics)
    if words := option_words(description.reading.changes):
        yield "Read with", words
    if options := [
        name if value is True else f"{name} {value}" for name, value in changed(settings).items()
    ]:
        yield "Options", ", ".join(options)


def _vectors(
    description: RobotDescription, functions: Sequence[CompiledFunction], request: Request
) -> dict[str, Rows]:
    """A handful of states for the golden test: at rest, at special poses, at random; three decimals, then rounded to the type.

    With run-time parameters the first state has their defaults, and the others have the values of the proof's cases in turn.
    """
    real, seed = request.real, request.settings.seed
    inputs = (argument.name for function in functions for argument in function.program.inputs)
    names = tuple(name for name in dict.fromkeys(inputs) if name != PARAMS)
    states = sample_states(description, names, _VECTORS, seed)
    unrounded = (
        {"q": range(3, 7)} if any(link.joint.type.is_free for link in description.links) else {}
    )  # a unit quaternion
    vectors = {
        name: tuple(
            tuple(
                float(
                    real.dtype(
                        value if place in unrounded.get(name, ()) else round(float(value), 3)
                    )
                )
                for place, value in enumerate(row)
            )
            for row in states[name].reshape(_VECTORS, -1)
        )
        for name in names
    }
    if not description.parameters:
        return vectors
    defaults = tuple(float(real.nearest(parameter.value)) for parameter in description.parameters)
    _, *others = (
        tuple(float(real.dtype(f"{value:.3g}")) for value in case.values())
        for case in sample_parameters(description.parameters, seed)
    )
    cases = (defaults, *others)
    return {**vectors, VALUES: tuple(cases[state % len(cases)] for state in range(_VECTORS))}
