"""Visual geometry of a URDF (boxes, cylinders, spheres and mesh files) as triangles for a page.

Only the page of `dynagen check` shows the shapes of links. The shapes are read from the file again,
because a `RobotDescription` contains no geometry. trimesh reads mesh files from memory, so that a
mesh file cannot refer to other files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np
from numpy.typing import NDArray

from dynagen.errors import RobotDescriptionError, clip
from dynagen.numbers.arrays import Array
from dynagen.robot.description import RobotDescription
from dynagen.robot.formats.xml_document import XmlElement, read_xml
from dynagen.verification.kinematics import make_rotation

Mesh = tuple[Array, NDArray[np.intp]]
"""Triangle mesh: positions of the corners in m, and three corner indices for each triangle.

The arrays have the shapes (corners, 3) and (triangles, 3).
"""

_SUFFIXES = (".stl", ".obj", ".dae", ".ply")
_MAX_BYTES = 50_000_000  # of a mesh file
_MAX_TRIANGLES = 4000  # of a shape in a page; finer meshes are simplified
_AROUND = 32  # corners of a circle


@dataclass(frozen=True)
class Shape:
    """Surface that consists of triangles and is fixed to a link.

    Attributes:
        link: name of the link.
        points: positions of the corners in the link's frame in m, shape (corners, 3).
        triangles: for each triangle, the indices of its three corners, shape (triangles, 3).
    """

    link: str
    points: Array
    triangles: NDArray[np.intp]


def read_shapes(robot: RobotDescription) -> tuple[tuple[Shape, ...], tuple[str, ...]]:
    """Read the visual geometry of a robot's links from its URDF, as triangles.

    Args:
        robot: the description. Links of the file that are not part of the robot, for example beyond
            `--tip`, are omitted.

    Returns:
        The shapes, and a note for each shape that is not shown. Shapes and notes are empty if the
        robot is not a URDF or has no visual geometry.
    """
    path = Path(robot.path)
    if path.suffix != ".urdf" or not path.is_file():
        return (), ()
    try:
        document = read_xml(path.read_bytes(), robot.path)
    except (OSError, RobotDescriptionError):  # the file changed after the robot was read
        return (), (
            f"shapes are not shown, because {robot.path} has changed and cannot be read again: "
            "repeat the command",
        )
    visuals = [
        (link.attributes.get("name", ""), visual)
        for link in document.find_all("link")
        for visual in link.find_all("visual")
    ]
    known = {link.name for link in robot.links}
    visuals = [(link, visual) for link, visual in visuals if link in known]
    if not visuals:
        return (), ()
    if find_spec("trimesh") is None:
        return (), ("shapes of links are not shown: pip install 'dynagen[view]' adds trimesh",)
    shapes: list[Shape] = []
    notes: dict[str, None] = {}  # in order, each once: many links may use one mesh
    for link, visual in visuals:
        try:
            points, triangles = _read_geometry(visual, path)
        except (OSError, ValueError) as error:
            notes[f"a shape is not shown: {error}"] = None
            continue
        rotation, translation = _read_origin(visual)
        shapes.append(Shape(link, points @ rotation.T + translation, triangles))
    return tuple(shapes), tuple(notes)


def _read_geometry(visual: XmlElement, urdf: Path) -> Mesh:
    """Return corners (m) and triangles of a visual element, in the frame of the geometry.

    Raises:
        ValueError: the geometry is missing, invalid or of an unknown kind.
        OSError: the mesh file cannot be read.
    """
    from trimesh import creation

    geometry = visual.find("geometry")
    element = geometry.children[0] if geometry and geometry.children else None
    if element is None:
        raise ValueError(
            f"line {visual.line}: <geometry> has no shape; expected <box>, <cylinder>, <sphere> or "
            "<mesh>"
        )
    if element.tag == "box":
        mesh = creation.box(_read_numbers(element, "size", 3))
    elif element.tag == "cylinder":
        (radius,), (length,) = (
            _read_numbers(element, "radius", 1),
            _read_numbers(element, "length", 1),
        )
        mesh = creation.cylinder(radius, length, sections=_AROUND)
    elif element.tag == "sphere":
        mesh = creation.uv_sphere(
            _read_numbers(element, "radius", 1)[0], [_AROUND // 2 + 1, _AROUND + 1]
        )
    elif element.tag == "mesh":
        scale = _read_numbers(element, "scale", 3) if "scale" in element.attributes else 1.0
        points, triangles = _read_mesh(find_mesh(element.attributes.get("filename", ""), urdf))
        return points * scale, triangles
    else:
        raise ValueError(
            f"line {element.line}: <{clip(element.tag)}>; "
            "expected <box>, <cylinder>, <sphere> or <mesh>"
        )
    return np.asarray(mesh.vertices), np.asarray(mesh.faces)


def _read_origin(visual: XmlElement) -> tuple[Array, Array]:
    """Return rotation (3, 3) and origin (3,) in m of a visual element in the link's frame."""
    origin = visual.find("origin")
    if origin is None:
        return np.eye(3), np.zeros(3)
    # Roll, pitch, yaw about the fixed axes x, y, z.
    roll, pitch, yaw = (
        _read_numbers(origin, "rpy", 3) if "rpy" in origin.attributes else np.zeros(3)
    )
    place = _read_numbers(origin, "xyz", 3) if "xyz" in origin.attributes else np.zeros(3)
    x, y, z = np.eye(3)
    rotation = make_rotation(z, yaw) @ make_rotation(y, pitch) @ make_rotation(x, roll)
    return rotation, place


def _read_numbers(element: XmlElement, attribute: str, count: int) -> Array:
    """Return the `count` numbers in an attribute of a URDF element.

    Raises:
        ValueError: the number of entries is not `count`, or an entry is not a finite number.
    """
    text = element.attributes.get(attribute, "")
    try:
        numbers = np.array([float(word) for word in text.split()])
    except ValueError:
        numbers = np.zeros(0)
    if len(numbers) != count or not np.isfinite(numbers).all():
        raise ValueError(
            f"line {element.line}: <{element.tag} {attribute}>: "
            f"expected {count} numbers, found `{clip(text)}`"
        )
    return numbers


def find_mesh(name: str, urdf: Path) -> Path:
    """Return the path of a mesh file that a URDF names.

    Args:
        name: a path relative to the URDF, or an address `package://PACKAGE/...` or `file://...`.
            The folder of a package is searched next to and above the URDF, in ROS_PACKAGE_PATH, and
            in `share` of AMENT_PREFIX_PATH.
        urdf: path of the URDF.

    Raises:
        ValueError: the suffix is unknown, or there is no such file.
    """
    address = urlsplit(name)
    inside = unquote(address.path).lstrip("/")
    if address.scheme in ("package", "model"):
        places = [folder / inside for folder in _find_packages(address.netloc, urdf)]
    elif address.scheme == "file":
        places = [Path(unquote(address.path))]
    else:
        places = [urdf.parent / name]
    if Path(name).suffix.lower() not in _SUFFIXES:
        raise ValueError(f"mesh `{clip(name)}`: expected a file in {', '.join(_SUFFIXES)}")
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise ValueError(f"mesh `{clip(name)}` was not found")
    return found


def _find_packages(package: str, urdf: Path) -> Iterator[Path]:
    """Yield the folders that may contain a ROS package, the nearest to the URDF first."""
    for folder in urdf.resolve().parents:
        if folder.name == package:
            yield folder
        yield folder / package
    for variable, inner in (("ROS_PACKAGE_PATH", ""), ("AMENT_PREFIX_PATH", "share")):
        for entry in filter(None, os.environ.get(variable, "").split(os.pathsep)):
            yield Path(entry) / inner / package


def _read_mesh(path: Path) -> Mesh:
    """Return corners (m) and triangles of a mesh file, simplified if there are too many triangles.

    Raises:
        ValueError: the file is too large or is not a mesh.
    """
    import trimesh

    if path.stat().st_size > _MAX_BYTES:
        raise ValueError(f"mesh {path.name} is larger than {_MAX_BYTES // 10**6} MB")
    data = path.read_bytes()
    kind = path.suffix.lower().removeprefix(".")
    if kind == "dae" and b"<!" in data.replace(b"<!--", b""):
        raise ValueError(
            f"mesh {path.name} has a document type declaration, which is refused: "
            "remove the declaration"
        )
    try:
        # From memory and without a resolver: the file cannot name others, such as textures.
        scene = trimesh.load_scene(trimesh.util.wrap_as_stream(data), file_type=kind)
        mesh: Any = scene.to_mesh()
    except Exception as error:  # readers of damaged files raise errors of any kind
        raise ValueError(f"mesh {path.name} cannot be read: {clip(str(error))}") from None
    # Collada has a unit of its own, as in "0.01 * meters". Other meshes are in m, as in ROS.
    factor, _, measure = (scene.units or "").partition(" * ")
    unit = float(factor) if measure else 1.0
    points, triangles = unit * np.asarray(mesh.vertices, float), np.asarray(mesh.faces)
    if not len(triangles) or not np.isfinite(points).all():
        raise ValueError(f"mesh {path.name} has no triangles, or corners that are not numbers")
    return simplify_mesh(points, triangles, _MAX_TRIANGLES)


def simplify_mesh(points: Array, triangles: NDArray[np.intp], most: int) -> Mesh:
    """Simplify a mesh to at most `most` triangles, by merging corners in the cells of a grid.

    Args:
        points: positions of the corners in m, shape (corners, 3).
        triangles: for each triangle, the indices of its three corners, shape (triangles, 3).
        most: largest number of triangles in the result.

    Returns:
        Corners and triangles of the simplified mesh.
    """
    low, size = points.min(axis=0), float(np.ptp(points, axis=0).max()) or 1.0
    cells = 512.0  # along the longest side; fewer cells merge more corners
    while len(triangles) > most and cells >= 1:
        places = np.floor((points - low) / size * cells)
        _, first, cell = np.unique(places, axis=0, return_index=True, return_inverse=True)
        merged = first[cell.reshape(-1)][triangles]
        merged = merged[(merged != np.roll(merged, 1, axis=1)).all(axis=1)]
        merged = np.unique(merged, axis=0)
        if len(merged) <= most:
            triangles = merged
        cells *= 0.8
    used, renumbered = np.unique(triangles, return_inverse=True)
    return points[used], np.reshape(renumbered, triangles.shape)
