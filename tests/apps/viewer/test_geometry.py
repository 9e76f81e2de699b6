"""Visual geometry of a URDF: shapes and meshes in the page of `check`."""

from __future__ import annotations

import json
import re
import struct

import numpy as np
import pytest

import dynagen
from dynagen.apps.viewer.geometry import find_mesh, read_shapes, simplify_mesh

URDF = """<robot name="arm">
  <link name="base"><visual><geometry><box size="2 4 6"/></geometry></visual></link>
  <link name="upper">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="1 0 0" rpy="0 1.5707963267948966 0"/><geometry>{shape}</geometry></visual>
  </link>
  <joint name="shoulder" type="continuous">
    <parent link="base"/><child link="upper"/><origin xyz="0 0 3"/><axis xyz="0 0 1"/>
  </joint>
</robot>"""


def write_stl(path):
    """Write a tetrahedron with edges of 1 m along the axes, in binary STL."""
    corners = np.vstack([np.zeros(3), np.eye(3)])
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    path.parent.mkdir(parents=True, exist_ok=True)
    triangles = [struct.pack("<12fH", 0, 0, 0, *corners[list(f)].ravel(), 0) for f in faces]
    path.write_bytes(bytes(80) + struct.pack("<I", len(faces)) + b"".join(triangles))


def write_robot(folder, shape):
    path = folder / "robots" / "arm.urdf"
    path.parent.mkdir(exist_ok=True)
    path.write_text(URDF.format(shape=shape))
    return path


def assert_extent(shape, low, high, tolerance=1e-9):
    np.testing.assert_allclose(shape.points.min(axis=0), low, atol=tolerance)
    np.testing.assert_allclose(shape.points.max(axis=0), high, atol=tolerance)


@pytest.mark.tools
@pytest.mark.parametrize(
    ("shape", "low", "high"),
    [
        # A rotation by 90 degrees about y leads x to -z and z to x, then 1 m along x.
        ('<cylinder radius="1" length="8"/>', [-3, -1, -1], [5, 1, 1]),
        ('<sphere radius="2"/>', [-1, -2, -2], [3, 2, 2]),
        ('<mesh filename="meshes/tetra.stl" scale="1 2 3"/>', [1, 0, -1], [4, 2, 0]),
        ('<mesh filename="package://arm_description/tetra.stl"/>', [1, 0, -1], [2, 1, 0]),
    ],
)
def test_shapes_are_in_the_frame_of_their_link(tmp_path, shape, low, high):
    write_stl(tmp_path / "robots" / "meshes" / "tetra.stl")
    write_stl(tmp_path / "arm_description" / "tetra.stl")
    shapes, notes = read_shapes(dynagen.load_robot(write_robot(tmp_path, shape)))
    assert ([shape.link for shape in shapes], notes) == (["base", "upper"], ())
    assert_extent(shapes[0], [-1, -2, -3], [1, 2, 3])
    assert_extent(
        shapes[1], low, high, tolerance=0.02
    )  # a sphere of 16 rings is lower at its equator


@pytest.mark.tools
@pytest.mark.parametrize(
    ("shape", "note"),
    [
        ('<mesh filename="../secret.txt"/>', "expected a file in .stl, .obj, .dae, .ply"),
        ('<mesh filename="package://no/such.stl"/>', "`package://no/such.stl` was not found"),
        ('<mesh filename="bad.stl"/>', "mesh bad.stl"),
        ('<mesh filename="evil.dae"/>', "mesh evil.dae has a document type"),
        ('<box size="1 nan 1"/>', "<box size>: expected 3 numbers, found `1 nan 1`"),
        ("<cone/>", "<cone>; expected <box>, <cylinder>, <sphere> or <mesh>"),
    ],
)
def test_a_shape_that_cannot_be_read_is_a_note(tmp_path, shape, note):
    path = write_robot(tmp_path, shape)
    (path.parent / "bad.stl").write_bytes(b"not a mesh")
    (path.parent / "evil.dae").write_bytes(
        b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
    )
    shapes, notes = read_shapes(dynagen.load_robot(path))
    assert [shape.link for shape in shapes] == ["base"]
    assert note in notes[0]


def test_a_package_is_found_next_to_the_folders_above_or_by_variable(tmp_path, monkeypatch):
    write_stl(tmp_path / "here" / "meshes" / "part.stl")
    write_stl(tmp_path / "ros" / "share" / "there" / "part.stl")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "ros"))
    urdf = tmp_path / "here" / "urdf" / "arm.urdf"
    assert find_mesh("package://here/meshes/part.stl", urdf).samefile(
        tmp_path / "here" / "meshes" / "part.stl"
    )
    assert find_mesh("package://there/part.stl", urdf).parent.name == "there"


def test_a_fine_mesh_becomes_coarse_and_keeps_its_size():
    angles = np.linspace(0, 2 * np.pi, 300, endpoint=False)
    circle = np.column_stack([np.cos(angles), np.sin(angles), 0 * angles])
    points = np.vstack([circle + np.array([0, 0, z]) for z in np.linspace(0, 2, 20)])
    here = np.arange(19 * 300)
    triangles = np.column_stack([here, here + 1, here + 300])
    coarse, faces = simplify_mesh(points, triangles, 500)
    assert 100 < len(faces) <= 500
    assert faces.max() == len(coarse) - 1
    np.testing.assert_allclose(np.ptp(coarse, axis=0), [2, 2, 2], atol=0.3)


@pytest.mark.slow
@pytest.mark.tools
def test_the_page_has_the_shapes(run, tmp_path):
    path = write_robot(tmp_path, '<sphere radius="2"/>')
    status, _, _ = run("check", str(path), "--html", "page.html")
    page = (tmp_path / "page.html").read_text()
    shapes = json.loads(re.search(r"const robot = (.*);\n", page)[1])["shapes"]
    assert status == 0
    assert [shape["carrier"] for shape in shapes] == [-1, 1]
    assert 'data-show="meshes"' in page
