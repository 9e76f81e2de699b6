"""Rotations of vectors, matrices and symmetric tensors, and the axis z of joints.

The columns of the matrix R of a rotation are the unit vectors of the axes after the rotation, in
the axes before the rotation. A vector with the components v in the axes after the rotation has the
components R v in the axes before the rotation. A rotation is about x, about z, or given by a
matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dynagen.dynamics.recording import Formula, Number, Quantity, Recorder, formula
from dynagen.dynamics.symbolic import Expr, Matrix


def unit_z() -> Matrix:
    """Return the unit vector along the axis of every joint, in the axes of its body."""
    return Matrix([0, 0, 1])


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
    return length * unit_z()


def make_rotation_x(cosine: Expr, sine: Expr) -> Matrix:
    """Return the matrix of a rotation about x; the columns are the rotated unit vectors."""
    return Matrix([[1, 0, 0], [0, cosine, -sine], [0, sine, cosine]])


def make_rotation_z(cosine: Expr, sine: Expr) -> Matrix:
    """Return the matrix of a rotation about z; the columns are the rotated unit vectors."""
    return Matrix([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]])


@formula
def rotate_x(cosine: Expr, sine: Expr, vector: Matrix) -> Matrix:
    """Return R v, the components of a vector in the axes before a rotation R about x.

    `cosine` and `sine` are those of the angle of R, and `vector` is v, the components in the axes
    after the rotation.
    """
    return make_rotation_x(cosine, sine) * vector


@formula
def rotate_x_back(cosine: Expr, sine: Expr, vector: Matrix) -> Matrix:
    """Return R^T v, the components of a vector in the axes after a rotation R about x.

    `cosine` and `sine` are those of the angle of R, and `vector` is v, the components in the axes
    before the rotation.
    """
    return make_rotation_x(cosine, sine).T * vector


@formula
def rotate_z(cosine: Expr, sine: Expr, vector: Matrix) -> Matrix:
    """Return R v, the components of a vector in the axes before a rotation R about z.

    `cosine` and `sine` are those of the angle of R, and `vector` is v, the components in the axes
    after the rotation.
    """
    return make_rotation_z(cosine, sine) * vector


@formula
def rotate_z_back(cosine: Expr, sine: Expr, vector: Matrix) -> Matrix:
    """Return R^T v, the components of a vector in the axes after a rotation R about z.

    `cosine` and `sine` are those of the angle of R, and `vector` is v, the components in the axes
    before the rotation.
    """
    return make_rotation_z(cosine, sine).T * vector


@formula
def rotate_tensor_z(cosine: Expr, sine: Expr, tensor: Matrix) -> Matrix:
    """Return R T R^T, the elements of a symmetric tensor in the axes before a rotation R about z.

    The tensors are given by the elements xx, yy, zz, xy, xz, yz; T is in the axes after the
    rotation. `cosine` and `sine` are those of the angle of R.
    """
    xx, yy, zz, xy, xz, yz = tensor
    # With u, five products replace eight.
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
    """Return R T R^T, the elements of a symmetric tensor in the axes before a rotation R about x.

    The tensors are given by the elements xx, yy, zz, xy, xz, yz; T is in the axes after the
    rotation. `cosine` and `sine` are those of the angle of R.
    """
    xx, yy, zz, xy, xz, yz = tensor
    # As for z, with x, y, z replaced by y, z, x.
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

    `matrix` is A, in the axes after the rotation. `cosine` and `sine` are those of the angle of R.
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

    `matrix` is A, in the axes after the rotation. `cosine` and `sine` are those of the angle of R.
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

    `rotation` is R; its columns are the unit vectors of the axes after the rotation. `vector` is v,
    the components in these axes.
    """
    return rotation * vector


@formula
def rotate_back(rotation: Matrix, vector: Matrix) -> Matrix:
    """Return R^T v, the components of a vector in the axes after a rotation.

    `rotation` is R; its columns are the unit vectors of the axes after the rotation. `vector` is v,
    the components in the axes before the rotation.
    """
    return rotation.T * vector


@formula
def rotate_matrix(rotation: Matrix, matrix: Matrix) -> Matrix:
    """Return R A R^T, the entries of a 3 x 3 matrix in the axes before a rotation.

    `rotation` is R; its columns are the unit vectors of the axes after the rotation. `matrix` is A,
    the entries in these axes.
    """
    return rotation * matrix * rotation.T


@formula
def rotate_tensor(rotation: Matrix, tensor: Matrix) -> Matrix:
    """Return R T R^T, the elements of a symmetric tensor in the axes before a rotation R.

    The tensors are given by the elements xx, yy, zz, xy, xz, yz; T is in the axes after the
    rotation. R is `rotation`.
    """
    # The result is symmetric: six of nine elements are used, and passes drop the rest.
    rotated = rotation * unpack(tensor) * rotation.T
    return Matrix([rotated[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))])


@dataclass(frozen=True)
class _Formulas:
    """The formulas of one kind of rotation: about x, about z, or by a matrix."""

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
    """One of the rotations from the axes of a body's parent to the axes of the body.

    Attributes:
        formulas: the formulas for rotations about x, about z, or by a matrix.
        values: cosine and sine of the angle, or the rotation matrix.
    """

    formulas: _Formulas
    values: tuple[Quantity, ...]

    @classmethod
    def about_x(cls, cosine: Quantity, sine: Quantity) -> Rotation:
        """Return a rotation about x by the angle with the given cosine and sine."""
        return cls(_ABOUT_X, (cosine, sine))

    @classmethod
    def about_z(cls, cosine: Quantity, sine: Quantity) -> Rotation:
        """Return a rotation about z by the angle with the given cosine and sine."""
        return cls(_ABOUT_Z, (cosine, sine))

    @classmethod
    def from_matrix(cls, matrix: Quantity) -> Rotation:
        """Return a rotation by a 3 x 3 matrix; the columns are the rotated unit vectors."""
        return cls(_BY_MATRIX, (matrix,))

    def rotate_inward(self, vector: Quantity) -> Quantity:
        """Record a vector in the axes before the rotation, from the axes after the rotation."""
        return self.formulas.rotate(*self.values, vector)

    def rotate_outward(self, vector: Quantity) -> Quantity:
        """Record a vector in the axes after the rotation, from the axes before the rotation."""
        return self.formulas.rotate_back(*self.values, vector)

    def rotate_matrix_inward(self, matrix: Quantity) -> Quantity:
        """Record a matrix in the axes before the rotation, from the axes after the rotation."""
        return self.formulas.rotate_matrix(*self.values, matrix)

    def rotate_tensor_inward(self, tensor: Quantity) -> Quantity:
        """Record a tensor in the axes before the rotation, from the axes after the rotation.

        The tensors are given by the elements xx, yy, zz, xy, xz, yz.
        """
        return self.formulas.rotate_tensor(*self.values, tensor)
