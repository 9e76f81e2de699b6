"""Random cases for fuzzing: a robot, how it is read, and the code that is generated for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from dynagen.codegen.languages import LANGUAGES
from dynagen.codegen.targets import TARGETS
from dynagen.dynamics.functions import FUNCTIONS
from dynagen.errors import UsageError
from dynagen.numbers.exact import ZERO, Exact
from dynagen.numbers.parametric import Parameter, ParametricNumber
from dynagen.pipeline.driver import Settings
from dynagen.robot.coordinates import number_coordinates
from dynagen.robot.description import (
    CentralInertia,
    Friction,
    LinkDescription,
    Loop,
    NamedFrame,
    RobotDescription,
)
from dynagen.robot.edits import BASE_LINK
from dynagen.robot.joints import REVOLUTE, SPHERICAL, Joint
from dynagen.robot.loading import parse_robot, write_robot
from dynagen.robot.model.model import RobotModel
from dynagen.robot.options import ReadingOptions
from dynagen.robot.payload import PAYLOAD_PARAMETERS
from dynagen.robot.pose import Displacement, Translation, make_translation_and_rpy
from hardening.cut_tree import add_loop
from tests.support.random_robots import random_description, random_floating

PROGRAM = "program"
"""Form of a case in which no code is printed, and the recorded program is evaluated."""
HAND = "hand"
_LOAD, _REACH = "load", "reach"

# Share of each form of code. Compiled forms cost more time than all the rest of a case.
_SHARES = {
    "python": 0.08,
    "c": 0.04,
    "c batch": 0.02,
    "c cores": 0.01,
    "fortran": 0.015,
    "javascript": 0.01,
}
_RARE = 0.002  # every other language and target
_DEAR = ("hessian", "derivatives", "step_euler_", "vjp", "jvp", "jacobian", "centroidal")
_MOST_MAX_BUDGET = 20


@dataclass(frozen=True)
class Case:
    """Case for fuzzing: a robot, the options for reading the robot, and the functions to generate.

    Attributes:
        seed: seed of the states and of the values of run-time parameters.
        robot: the whole robot, without payload and with loops cut open.
        payload: name of the link that carries a payload; empty for none.
        options: options for reading the robot: root, tip and locked joints.
        functions: requested functions.
        form: form of the code: `program`, a language, a layout of C, or a target.
        real: floating-point type.
        optimize: effort of the optimiser: none, default or max.
        loops: joints that close the loops.
    """

    seed: int
    robot: RobotDescription
    payload: str
    options: ReadingOptions
    functions: tuple[str, ...]
    form: str = PROGRAM
    real: str = "double"
    optimize: str = "default"
    loops: tuple[Loop, ...] = ()

    @property
    def text(self) -> str:
        """The robot in YAML, with the payload and the loops of the case."""
        text = write_robot(self.robot, Path("robot.yaml")).text
        text += f"\npayload: {self.payload}\n" if self.payload else ""
        pairs = [f"  - between: [{loop.first}, {loop.second}]\n" for loop in self.loops]
        return text + ("\nloops:\n" + "".join(pairs) if pairs else "")

    @property
    def summary(self) -> str:
        """Comment line in YAML: form of the code, number type, seed and command-line options."""
        words = [f"-f {name}" for name in self.functions]
        words += [f"--optimize {self.optimize}"] if self.optimize != "default" else []
        words += [
            f"--{key} {value}" for key, value in self.options.changes.items() if key != "lock"
        ]
        words += [f"--lock {joint}={place}" for joint, place in self.options.lock]
        return f"# {self.form}, {self.real}, seed {self.seed}: {' '.join(words)}\n"

    def read(self) -> tuple[RobotDescription, RobotDescription]:
        """Read the case's YAML text; return the whole robot, and the part that options select."""
        text = self.text
        return parse_robot(text, "robot.yaml"), parse_robot(text, "robot.yaml", self.options)

    @property
    def settings(self) -> Settings:
        """Settings for the generation of the case's code."""
        common = Settings(
            "python",
            self.functions,
            optimize=self.optimize,
            real=self.real,
            budget=_MOST_MAX_BUDGET,
            verify=False,
            single_file=False,
        )
        language, _, layout = self.form.partition(" ")
        if language in [known.name for known in LANGUAGES]:
            return replace(
                common,
                language=language,
                batch=layout == "batch",
                cores=2 if layout == "cores" else 1,
            )
        for target in TARGETS:
            if target.name == language:
                return replace(common, target=language, language=target.languages[0].name)
        return common


def list_forms() -> dict[str, float]:
    """Return the probability of each form of code: `program`, a language, layout or target."""
    others = [language.name for language in LANGUAGES if language.name not in _SHARES]
    others += [target.name for target in TARGETS[1:]]
    shares = _SHARES | dict.fromkeys(others, _RARE)
    return {PROGRAM: 1 - sum(shares.values())} | shares


def draw_case(seed: int) -> Case:
    """Draw a case; the same seed gives the same case."""
    rng = np.random.default_rng(seed)
    count = int(rng.choice([1, 2, 3, 4, 5], p=[0.15, 0.35, 0.35, 0.12, 0.03]))
    floats = rng.random() < 0.25
    build = random_floating if floats else random_description
    robot = build(
        rng,
        max(1, count - 1) if floats else count,
        branches=rng.random() < 0.6,
        origins=rng.random() < 0.5,
        helical=rng.choice([0.0, 0.3]),
        axes=rng.choice([0.0, 0.5]),
        mimics=rng.choice([0.0, 0.4]),
        right_angles=rng.choice([0.5, 1.0, 0.0]),
        fixed_links=rng.choice([0.0, 0.3]),
    )
    robot = _add_loads(_add_spherical_joints(robot, seed), rng)
    # YAML reserves the name `base`, so that the link is renamed when it is written.
    names = [link.name for link in robot.links if link.name != BASE_LINK]
    payload = str(rng.choice(names)) if rng.random() < 0.2 else ""
    options = _draw_options(robot, rng)
    forms = list_forms()
    form = str(rng.choice(list(forms), p=list(forms.values())))
    real = "float" if form != PROGRAM and rng.random() < 0.2 else "double"
    optimize = str(rng.choice(["default", "none", "max"], p=[0.85, 0.13, 0.02]))
    functions = tuple(_draw_functions(rng, len(robot.links) > 3))
    if any(word in name for word in (*_DEAR, "forward") for name in functions):
        optimize = "default" if optimize == "max" else optimize  # the search would take minutes
    case = Case(seed, robot, payload, options, functions, form, real, optimize)
    has_loop = np.random.default_rng((seed, 3)).random() < 0.2
    if has_loop and not floats and not robot.parameters:
        return _close_a_loop(case)
    try:
        case.read()
    except UsageError:  # for example, no joint moves between root and tip
        return replace(case, options=ReadingOptions())
    return case


def _close_a_loop(case: Case) -> Case:
    """Add a closed loop, and functions for robots with loops, to a case; remove reading options."""
    rng = np.random.default_rng((case.seed, 4))
    robot, loops = add_loop(case.robot, rng)
    names = [each.name for each in FUNCTIONS if each.availability.with_loops]
    functions = tuple(map(str, rng.choice(names, 2, replace=False)))
    return replace(case, robot=robot, loops=loops, functions=functions, options=ReadingOptions())


def _add_spherical_joints(robot: RobotDescription, seed: int) -> RobotDescription:
    """Replace some revolute joints of a robot by spherical joints, with a probability of 20 %."""
    rng = np.random.default_rng((seed, 2))
    if rng.random() > 0.2:
        return robot
    leaders = {link.joint.mimics for link in robot.links}

    def change(link: LinkDescription) -> LinkDescription:
        joint = link.joint
        if joint.type is not REVOLUTE or joint.mimics or link.name in leaders or rng.random() < 0.5:
            return link
        place = _draw_place(rng)
        return replace(link, before=place, joint=Joint(SPHERICAL), after=(), motor_inertia=ZERO)

    return replace(robot, links=number_coordinates([change(link) for link in robot.links]))


def _draw_place(rng: np.random.Generator) -> Displacement:
    """Return a random displacement: a translation (m) and a rotation (rad)."""
    return make_translation_and_rpy(
        tuple(Exact(int(n)) / 10 for n in rng.integers(-5, 6, 3)),
        tuple(Exact(int(n)) / 10 for n in rng.integers(-30, 31, 3)),
    )


def _add_loads(robot: RobotDescription, rng: np.random.Generator) -> RobotDescription:
    """Add a frame to a robot, and perhaps run-time parameters and an external wrench."""
    links = list(robot.links)
    place = _draw_place(rng)
    frames = (NamedFrame(HAND, links[int(rng.integers(len(links)))].name, place),)
    parameters: list[Parameter] = []
    # A mass that varies is a possible body only if inertia refers to the centre of mass.
    central = [n for n, link in enumerate(links) if isinstance(link.inertial, CentralInertia)]
    if central and rng.random() < 0.25:
        position = central[int(rng.integers(len(central)))]
        mass = Parameter(_LOAD, Exact(int(rng.integers(1, 30))) / 10, "kg")
        inertial = replace(links[position].inertial, mass=ParametricNumber(mass))
        links[position] = replace(links[position], inertial=inertial)
        parameters.append(mass)
    if rng.random() < 0.1 and (movable := [n for n, link in enumerate(links) if _has_place(link)]):
        position = movable[int(rng.integers(len(movable)))]
        reach = Parameter(_REACH, Exact(int(rng.integers(1, 9))) / 10, "m")
        step = Translation((ParametricNumber(reach), ZERO, ZERO))
        links[position] = replace(links[position], before=(step, *links[position].before))
        parameters.append(reach)
    if rng.random() < 0.15:
        links = [_add_friction(link, rng) for link in links]
    wrenches = (HAND,) if rng.random() < 0.2 else ()
    return replace(
        robot,
        links=tuple(links),
        frames=frames,
        parameters=tuple(parameters),
        external_wrenches=wrenches,
    )


def _add_friction(link: LinkDescription, rng: np.random.Generator) -> LinkDescription:
    """Return a link with random joint friction; the same link if its joint has no axis."""
    if not link.joint.type.has_axis:
        return link
    viscous, coulomb, width = (Exact(int(n)) / 10 for n in rng.integers(1, 20, 3))
    sign = ("exact", "tanh", "linear")[int(rng.integers(3))]
    friction = Friction(
        viscous, coulomb, offset=coulomb / 4, sign=sign, width=ZERO if sign == "exact" else width
    )
    return replace(link, friction=friction)


def _has_place(link: LinkDescription) -> bool:
    """Return whether a translation may be inserted before the joint of a link."""
    return not link.joint.type.is_free and not (
        link.before and isinstance(link.before[0], Translation)
    )


def _draw_options(robot: RobotDescription, rng: np.random.Generator) -> ReadingOptions:
    """Draw random reading options: root, tip and a locked joint; they may be invalid."""
    leaders = [
        link.name for link in robot.links if link.joint.type.has_axis and not link.joint.mimics
    ]
    names = [link.name for link in robot.links if link.name != BASE_LINK]
    lock: tuple[tuple[str, str], ...] = ()
    if len(leaders) > 1 and rng.random() < 0.15:
        lock = ((str(rng.choice(leaders)), str(int(rng.integers(-30, 31)) / 10)),)
    root = str(rng.choice(names)) if rng.random() < 0.08 else None
    tip = str(rng.choice(names)) if rng.random() < 0.12 else None
    return ReadingOptions(root=root, tip=tip, lock=lock)


def _draw_functions(rng: np.random.Generator, large: bool) -> Iterator[str]:
    """Yield one or two function names at random.

    Functions whose generation takes long are rare, and rarer for large robots.
    """
    for function in rng.permutation(len(FUNCTIONS))[: int(rng.integers(1, 3))]:
        definition = FUNCTIONS[int(function)]
        if any(word in definition.name for word in _DEAR) and rng.random() < (
            0.7 if large else 0.4
        ):
            continue
        if definition.availability.for_frame and rng.random() < 0.6:
            yield f"{definition.name}@{HAND}"
        else:
            yield definition.name
        if rng.random() < 0.7:
            return
    yield str(rng.choice(["inverse_dynamics", "mass_matrix", "bias_forces", "gravity_forces"]))


def select_available(case: Case, model: RobotModel) -> Case:
    """Return a case without the functions that are not available for its robot.

    If no function is left, the case requests inverse dynamics.
    """
    known = {function.name: function for function in FUNCTIONS}
    kept = []
    for request in dict.fromkeys(case.functions):
        name, _, frame = request.partition("@")
        definition = known[name]
        if frame and frame not in (each.name for each in model.frames):
            continue  # a link that --root or --tip leaves out carries the frame
        if frame and definition.availability.for_frame:
            definition = definition.availability.for_frame(frame)
        if not definition.availability.unavailable_because(model):
            kept.append(request)
    return replace(case, functions=tuple(kept) or ("inverse_dynamics",))


def draw_far_values(description: RobotDescription, seed: int) -> Mapping[str, float]:
    """Draw values of the run-time parameters far from the values that a proof samples."""
    rng = np.random.default_rng((seed, 1))
    values = {
        each.name: float(each.value) * 10 ** rng.uniform(-2, 2) for each in description.parameters
    }
    if description.payload:
        masses = 10 ** rng.uniform(-2, 2) * rng.uniform(0.3, 1, 4)
        places = 10 ** rng.uniform(-2, 0.5) * rng.uniform(-1, 1, (4, 3))
        second = places.T @ np.diag(masses) @ places
        tensor = np.trace(second) * np.eye(3) - second
        body = (
            sum(masses),
            *(masses @ places),
            *np.diag(tensor),
            tensor[0, 1],
            tensor[0, 2],
            tensor[1, 2],
        )
        values |= dict(zip(PAYLOAD_PARAMETERS, map(float, body), strict=True))
    return values
