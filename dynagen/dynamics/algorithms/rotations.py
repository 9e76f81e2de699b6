"""Rotations of vectors, matrices and symmetric tensors, and the axis z of joints.

A rotation leads from the axes before to the axes after the rotation. The columns of its matrix R
are the unit vectors of the axes after the rotation, in the axes before the rotation. If a vector
has the components v after the rotation, its components before the rotation are R v. A rotation is
about x, about z, or given by a matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sympy import Expr, Matrix

from dynagen.dynamics.recording import Formula, Number, Quantity, Recorder, formula

Z = Matrix([0, 0, 1])
"""Unit vector along the axis of every joint, in the axes of its body."""


def unpack(tensor: Matrix) -> Matrix:
    """Return the symmetric 3 x 3 matrix with the elements xx, yy, zz, xy, xz, yz."""
    xx, yy, zz, xy, xz, yz = tensor
    return Matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def record_tensor(recorder: Recorder, matrix: Sequence[Sequence[Number]]) -> Quantity:
    """Record as constants the elements xx, yy, zz, xy, xz, yz of a symmetric 3 x 3 matrix."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = matrix
    return recorder.add_constant(xx, yy, zz, xy, xz, yz)


@formula
def along_axis(length: Expr) -> Matrix:
    """Return (0, 0, length), a vector along the joint axis z in the axes of the joint's body."""
    return length * Z


def make_rotation_x(cosine: Expr, sine: Expr) -> Matrix:
    """Return the matrix of a rotation about x: unit vectors of the rotated axes as columns."""
    return Matrix([[1, 0, 0], [0, cosine, -sine], [0, sine, cosine]])


def make_rotation_z(cosine: Expr, sine: Expr) -> Matrix:
    """Return the matrix of a rotation about z: unit vectors of the rotated axes as columns."""
    return Matrix([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]])


@formula
def rotate_x(cosine: Expr, sine: Expr, vector: Matrix) -> Matrix:
    """Return R v, the components of a vector in the axes before a rotation R about x.

    `cosine` and `sine` belong to the angle of the rotation; `vector` is v.
    """
    return make_rotation_x(cosine, sine) * vector


@formula
def rotate_x_back(cosine: Expr, sine: Expr, vector: Matrix) -> Matrix:
    """Return R^T v, the components of a vector in the axes after a rotation R about x.

    `cosine` and `sine` belong to the angle of the rotation; `vector` is v.
    """
    return make_rotation_x(cosine, sine).T * vector


@formula
def rotate_z(cosine: Expr, sine: Expr, vector: Matrix) -> Matrix:
    """Return R v, the components of a vector in the axes before a rotation R about z.

    `cosine` and `sine` belong to the angle of the rotation; `vector` is v.
    """
    return make_rotation_z(cosine, sine) * vector


@formula
def rotate_z_back(cosine: Expr, sine: Expr, vector: Matrix) -> Matrix:
    """Return R^T v, the components of a vector in the axes after a rotation R about z.

    `cosine` and `sine` belong to the angle of the rotation; `vector` is v.
    """
    return make_rotation_z(cosine, sine).T * vector


@formula
def rotate_tensor_z(cosine: Expr, sine: Expr, tensor: Matrix) -> Matrix:
    """Return the elements xx, yy, zz, xy, xz, yz of R T R^T for a rotation matrix R about z.

    `cosine` and `sine` belong to the angle of the rotation. `tensor` has the same elements of T, in
    the axes after the rotation; the result is in the axes before it. With c and s for cosine and
    sine, and u = s (xx - yy) + 2 c xy, the rotated elements xx, yy and xy are xx - s u, yy + s u
    and c u - xy: five products instead of eight.
    """
    xx, yy, zz, xy, xz, yz = tensor
    u = sine * (xx - yy) + 2 * (cosine * xy)
    return Matrix(
        [
            xx - sine * u,
            yy + sine * u,
            zz,
            cosine * u - xy,
            cosine * xz - sine * yz,
            sine * xz + cosine * yz,
        ]
    )


@formula
def rotate_tensor_x(cosine: Expr, sine: Expr, tensor: Matrix) -> Matrix:
    """Return the elements xx, yy, zz, xy, xz, yz of R T R^T for a rotation matrix R about x.

    `cosine` and `sine` belong to the angle of the rotation. `tensor` has the same elements of T, in
    the axes after the rotation; the result is in the axes before it. The formula is
    `rotate_tensor_z` with x, y, z replaced by y, z, x.
    """
    xx, yy, zz, xy, xz, yz = tensor
    u = sine * (yy - zz) + 2 * (cosine * yz)
    return Matrix(
        [
            xx,
            yy - sine * u,
            zz + sine * u,
            cosine * xy - sine * xz,
            sine * xy + cosine * xz,
            cosine * u - yz,
        ]
    )


@formula
def rotate_matrix_z(cosine: Expr, sine: Expr, matrix: Matrix) -> Matrix:
    """Return R A R^T, the entries of a 3 x 3 matrix in the axes before a rotation R about z.

    `cosine` and `sine` belong to the angle of the rotation; `matrix` is A, in the axes after it.
    """
    # As in `rotate_tensor_z`, but xy and yx differ.
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = matrix.tolist()
    u = sine * (xx - yy) + cosine * (xy + yx)
    return Matrix(
        [
            [xx - sine * u, cosine * u - yx, cosine * xz - sine * yz],
            [cosine * u - xy, yy + sine * u, sine * xz + cosine * yz],
            [cosine * zx - sine * zy, sine * zx + cosine * zy, zz],
        ]
    )


@formula
def rotate_matrix_x(cosine: Expr, sine: Expr, matrix: Matrix) -> Matrix:
    """Return R A R^T, the entries of a 3 x 3 matrix in the axes before a rotation R about x.

    `cosine` and `sine` belong to the angle of the rotation; `matrix` is A, in the axes after it.
    The formula is `rotate_matrix_z` with x, y, z replaced by y, z, x.
    """
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = matrix.tolist()
    u = sine * (yy - zz) + cosine * (yz + zy)
    return Matrix(
        [
            [xx, cosine * xy - sine * xz, sine * xy + cosine * xz],
            [cosine * yx - sine * zx, yy - sine * u, cosine * u - zy],
            [sine * yx + cosine * zx, cosine * u - yz, zz + sine * u],
        ]
    )


@formula
def rotate(rotation: Matrix, vector: Matrix) -> Matrix:
    """Return R v, the components of a vector in the axes before a rotation.

    `rotation` is the rotation matrix R: unit vectors of the axes after the rotation, as columns.
    """
    return rotation * vector


@formula
def rotate_back(rotation: Matrix, vector: Matrix) -> Matrix:
    """Return R^T v, the components of a vector in the axes after a rotation.

    `rotation` is the rotation matrix R: unit vectors of the axes after the rotation, as columns.
    """
    return rotation.T * vector


@formula
def rotate_matrix(rotation: Matrix, matrix: Matrix) -> Matrix:
    """Return R A R^T, the entries of a 3 x 3 matrix in the axes before a rotation.

    `rotation` is the rotation matrix R: unit vectors of the axes after the rotation, as columns.
    """
    return rotation * matrix * rotation.T


@formula
def rotate_tensor(rotation: Matrix, tensor: Matrix) -> Matrix:
    """Return the elements xx, yy, zz, xy, xz, yz of R T R^T, in the axes before a rotation.

    `rotation` is the rotation matrix R, and `tensor` has the same elements of the symmetric T, in
    the axes after the rotation.
    """
    # The result is symmetric: six of nine elements are used, and passes drop the rest.
    rotated = rotation * unpack(tensor) * rotation.T
    return Matrix([rotated[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))])


@dataclass(frozen=True)
class _Formulas:
    """The formulas for a rotation about x, about z, or by a matrix: for vectors and tensors."""

    rotate: Formula
    rotate_back: Formula
    rotate_matrix: Formula
    rotate_tensor: Formula


# An elementary rotation of a vector costs 4 multiplications and 2 additions, a rotation by a matrix
# 9 and 6.
_ABOUT_X = _Formulas(rotate_x, rotate_x_back, rotate_matrix_x, rotate_tensor_x)
_ABOUT_Z = _Formulas(rotate_z, rotate_z_back, rotate_matrix_z, rotate_tensor_z)
_BY_MATRIX = _Formulas(rotate, rotate_back, rotate_matrix, rotate_tensor)


@dataclass(frozen=True)
class Rotation:
    """A rotation on the way from the axes of a body's parent to the axes of the body.

    Attributes:
        formulas: the formulas for a rotation about x, about z, or by a matrix.
        values: first arguments of the formulas: cosine and sine of the angle, or the rotation
            matrix.
    """

    formulas: _Formulas
    values: tuple[Quantity, ...]

    @classmethod
    def about_x(cls, cosine: Quantity, sine: Quantity) -> Rotation:
        """Return the rotation about x by the angle with the given cosine and sine."""
        return cls(_ABOUT_X, (cosine, sine))

    @classmethod
    def about_z(cls, cosine: Quantity, sine: Quantity) -> Rotation:
        """Return the rotation about z by the angle with the given cosine and sine."""
        return cls(_ABOUT_Z, (cosine, sine))

    @classmethod
    def from_matrix(cls, matrix: Quantity) -> Rotation:
        """Return the rotation with a 3 x 3 matrix: unit vectors of the rotated axes as columns."""
        return cls(_BY_MATRIX, (matrix,))

    def rotate_inward(self, vector: Quantity) -> Quantity:
        """Record a vector's components in the axes before the rotation, from those after it."""
        return self.formulas.rotate(*self.values, vector)

    def rotate_outward(self, vector: Quantity) -> Quantity:
        """Record a vector's components in the axes after the rotation, from those before it."""
        return self.formulas.rotate_back(*self.values, vector)

    def rotate_matrix_inward(self, matrix: Quantity) -> Quantity:
        """Record a 3 x 3 matrix's entries in the axes before the rotation, from those after it."""
        return self.formulas.rotate_matrix(*self.values, matrix)

    def rotate_tensor_inward(self, tensor: Quantity) -> Quantity:
        """Record a tensor's elements in the axes before the rotation, from those after it.

        Argument and result are the elements xx, yy, zz, xy, xz, yz of a symmetric tensor.
        """
        return self.formulas.rotate_tensor(*self.values, tensor)
