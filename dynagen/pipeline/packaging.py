"""Package of a run: compiled functions, golden vectors, and facts for users of the code.

A Package contains all data that a language requires to emit code for one robot. Languages have no
access to settings and descriptions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import PurePath
from typing import Any

from dynagen.codegen.package import (
    Calls,
    Constants,
    Joint,
    Kernel,
    MimicJoint,
    Package,
    Proof,
    Rows,
)
from dynagen.codegen.partition import Partition
from dynagen.codegen.reserved_words import check_prefix
from dynagen.dynamics.algorithms.external_wrenches import (
    describe_contact_forces,
    describe_wrenches,
    extend_formula,
)
from dynagen.dynamics.function import ComposedFunction
from dynagen.ir.cost import count
from dynagen.ir.program import PARAMS, VALUES, Program
from dynagen.numbers.arrays import Array
from dynagen.numbers.exact import ONE, Exact
from dynagen.numbers.real import Real
from dynagen.optimizer.compile import CompiledFunction
from dynagen.optimizer.passes.equal_values import FACTORS
from dynagen.options import format_options, list_changed_options
from dynagen.pipeline.generation import Request
from dynagen.pipeline.inverse_states import sample_inputs
from dynagen.pipeline.provenance import iterate_constants
from dynagen.pipeline.settings import Settings
from dynagen.robot.description import TOOL, LinkDescription, RobotDescription
from dynagen.robot.model.base_parameters import list_groupings
from dynagen.robot.model.model import Body, RobotModel
from dynagen.robot.names import make_identifier
from dynagen.robot.payload import PAYLOAD, name_payload_place
from dynagen.verification.comparison import BOUNDS
from dynagen.verification.reference import list_reference_names
from dynagen.verification.sampling import sample_parameters, sample_states
from dynagen.version import __version__

_VECTORS = 6  # number of states of the golden test


def build_package(
    description: RobotDescription,
    model: RobotModel,
    request: Request,
    functions: Sequence[CompiledFunction],
    prepare: Program | None,
    partitions: Mapping[str, Partition],
) -> Package:
    """Build the package of a run.

    Args:
        description: the robot.
        model: the described robot in the generator's frames.
        request: settings of the run.
        functions: the compiled functions.
        prepare: the program of `prepare`; None without run-time parameters.
        partitions: mapping from a function's name to the division of its program among cores; empty
            for one core.

    Returns:
        The package, with all data that a language requires to emit code.
    """
    settings, rule = request.settings, BOUNDS[request.real]
    return Package(
        robot=description.name,
        prefix=check_prefix(
            make_identifier(description.name) if settings.prefix is None else settings.prefix
        ),
        source=description.source,
        gravity="({})".format(
            ", ".join(f"{float(component):g}" for component in description.gravity)
        ),
        joints=tuple(map(_describe_joint, model.coordinates)),
        mimics=tuple(_list_mimics(description)),
        input_name=PurePath(description.path).name,
        input_sha256=description.sha256,
        version=__version__,
        kernels=tuple(_build_kernels(request, functions, prepare, partitions)),
        proof=Proof(settings.states, settings.seed, rule.tolerance, rule.text)
        if settings.verify
        else None,
        vectors=_sample_vectors(description, functions, request),
        parameters=description.parameters,
        base=list_groupings(model)
        if any(function.definition.base_parameters for function in functions)
        else (),
        real=request.real,
        choices=_list_choices(description, settings),
        facts=tuple(_state_facts(description, request)),
        single_file=settings.single_file,
        batch=settings.batch,
        threads=settings.threads,
        trig=settings.trig or request.target.choose_trig(settings.batch),
        release=settings.release,
        native=settings.native,
        gpu=settings.gpu,
    )


def _build_kernels(
    request: Request,
    functions: Sequence[CompiledFunction],
    prepare: Program | None,
    partitions: Mapping[str, Partition],
) -> Iterator[Kernel]:
    """Build all kernels; `prepare` comes first."""
    if prepare is not None:
        # Its constants were hoisted out of the functions, so their formulas belong to all
        # functions.
        formulas = chain.from_iterable(function.formulas for function in functions)
        constants = _explain_constants(prepare, formulas, request.real)
        yield Kernel("params = prepare(values)", prepare, count(prepare), constants=constants)
    for function in functions:
        yield Kernel(
            _state_formula(function),
            function.program,
            function.operations,
            request=function.definition.request,
            notes=function.formulation,
            references=list_reference_names(function.definition.expected_results.subjects),
            constants=_explain_constants(function.program, function.formulas, request.real),
            partition=partitions.get(function.name),
            calls=_find_calls(function),
        )


def _find_calls(function: CompiledFunction) -> Calls | None:
    """Return the calls of a function that consists of calls of another function, else None."""
    definition = function.definition
    called = function.called
    return (
        Calls(definition.composition, called)
        if isinstance(definition, ComposedFunction) and called is not None
        else None
    )


def _describe_joint(body: Body | LinkDescription) -> Joint:
    """Return name, type and link of a joint; a joint without a name has the name of its link."""
    return Joint(body.joint.name or body.name, body.joint.type, body.name)


def _list_mimics(description: RobotDescription) -> Iterator[MimicJoint]:
    """Yield each mimicking joint, with the name of the joint that it mimics."""
    names = {link.name: link.joint_name for link in description.links}
    for link in description.links:
        if link.joint.mimics:
            yield MimicJoint(
                _describe_joint(link),
                names[link.joint.mimics],
                float(link.joint.ratio),
                float(link.joint.offset),
            )


def _state_formula(function: CompiledFunction) -> str:
    """Return a function's formula as text, with the external forces that are inputs."""
    program = function.program
    outputs = [output.argument for output in program.outputs]
    return extend_formula(function.definition.formula, program.inputs, outputs)


def _explain_constants(
    program: Program, formulas: Iterable[tuple[Exact, str]], real: Real
) -> Constants:
    """Return the constants of a program with their formulas, and count those without a formula.

    Constant factors of the equations of motion, such as 2 and 1/2, are not counted.
    """
    known: dict[Exact, list[str]] = {}
    for magnitude, formula in formulas:
        known.setdefault(magnitude, []).append(formula)
    magnitudes = {abs(Exact(number)) for number in iterate_constants(program)} - {ONE}
    listed = [
        (str(real.round(magnitude)), formula)
        for magnitude in magnitudes & known.keys()
        for formula in known[magnitude]
    ]
    unexplained = sum(magnitude not in FACTORS for magnitude in magnitudes - known.keys())
    return Constants(tuple(sorted(set(listed))), unexplained)


def _list_choices(description: RobotDescription, settings: Settings) -> dict[str, Any]:
    """Return the options (name and value) that change the emitted code and are not the defaults."""
    reading = description.reading.changes
    return {**list_changed_options(settings), **({"reading": reading} if reading else {})}


def _state_facts(description: RobotDescription, request: Request) -> Iterator[tuple[str, str]]:
    """Yield facts for users of the code, such as the payload, as pairs of heading and text.

    The target is omitted, and so are options that the target or the language always sets.
    """
    named = next(
        (frame.link for frame in description.frames if make_identifier(frame.name) == TOOL), None
    )
    *_, last = (link.name for link in description.links if link.name != PAYLOAD)
    yield (
        "Tool",
        f"the frame of link {last}" if named is None else f"frame {TOOL}, fixed to link {named}",
    )
    if description.payload:
        place = name_payload_place(description)
        is_link = place in (link.name for link in description.links)
        yield (
            "Payload",
            "mass, first moments and inertia about the origin of "
            f"{'the frame of link' if is_link else 'frame'} {place}, in its axes",
        )
    if description.external_wrenches:
        yield "Wrench", describe_wrenches(description.external_wrenches)
    if description.contact_forces:
        yield "Contact force", describe_contact_forces(description.contact_forces)
    if mimics := [str(mimic) for mimic in _list_mimics(description)]:
        yield "Mimics", "; ".join(mimics)
    if words := format_options(description.reading.changes):
        yield "Read with", words
    implied = ("target", *request.target.always, *request.language.always)
    if options := [
        name if value is True else f"{name} {value}"
        for name, value in list_changed_options(request.settings).items()
        if name not in implied
    ]:
        yield "Options", ", ".join(options)


def _sample_vectors(
    description: RobotDescription, functions: Sequence[CompiledFunction], request: Request
) -> dict[str, Rows]:
    """Return the inputs of the golden vectors, which users run to test the code on their processor.

    There are six states: one at rest, some at special poses, and random ones. Values except
    quaternions and poses are rounded to three decimals, then to the floating-point type of the
    code. In the first state, run-time parameters have their default values; the other states use
    the parameter values of the proof, one set after the other.
    """
    real, seed = request.real, request.settings.seed
    inputs = (argument for function in functions for argument in function.program.inputs)
    sizes = {argument.name: argument.size for argument in inputs if argument.name != PARAMS}
    names = tuple(sizes)
    states = dict(sample_states(description, names, _VECTORS, seed, sizes).inputs)
    fitting: dict[str, Array] = {}
    for function in functions:
        fitting |= sample_inputs(description, function, _VECTORS, seed)
    states |= fitting
    # Quaternions keep all digits: rounded, they would not have unit length. Poses do too.
    unrounded = {
        "q": {
            link.joint.idx_q + place
            for link in description.links
            for place in link.joint.type.quaternion
        },
        **{name: set(range(sizes[name])) for name in fitting},
    }
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
    defaults = tuple(float(real.round(parameter.value)) for parameter in description.parameters)
    _, *others = (
        tuple(float(real.dtype(f"{value:.3g}")) for value in case.values())
        for case in sample_parameters(description.parameters, seed)
    )
    cases = (defaults, *others)
    return {**vectors, VALUES: tuple(cases[state % len(cases)] for state in range(_VECTORS))}
