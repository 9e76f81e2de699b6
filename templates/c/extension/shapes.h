/* shapes.h: comparison of given shapes with the shapes of a kernel's arguments. */
#ifndef SHAPES_H
#define SHAPES_H

#include "run.h"

typedef char Text[120]; /* room for a shape */

/* Print a shape as Python does, as "(6,)" or "(..., 6, 6)". */
static const char *print_shape(Text text, const char *before, int rank, const npy_intp *shape)
{
    int length = PyOS_snprintf(text, sizeof(Text), "(%s", before);
    for (int axis = 0; axis < rank && length < (int)sizeof(Text) - 30; axis++)
        length += PyOS_snprintf(text + length, sizeof(Text) - (size_t)length, "%s%lld", axis ? ", " : "", (long long)shape[axis]);
    PyOS_snprintf(text + length, sizeof(Text) - (size_t)length, "%s)", rank == 1 && !*before ? "," : "");
    return text;
}

/* Return whether the last axes of an array have the shape of one state. */
static int fits(const Array *array, PyArrayObject *given)
{
    const int leading = PyArray_NDIM(given) - array->rank;
    for (int axis = 0; axis < array->rank && leading >= 0; axis++)
        if (PyArray_DIM(given, leading + axis) != array->shape[axis])
            return 0;
    return leading >= 0;
}

/* Return whether the leading axes of two arrays broadcast. */
static int broadcast(const Array *one_array, PyArrayObject *one, const Array *other_array, PyArrayObject *other)
{
    int axis = PyArray_NDIM(one) - one_array->rank, other_axis = PyArray_NDIM(other) - other_array->rank;
    while (axis-- > 0 && other_axis-- > 0) {
        const npy_intp size = PyArray_DIM(one, axis), other_size = PyArray_DIM(other, other_axis);
        if (size != other_size && size != 1 && other_size != 1)
            return 0;
    }
    return 1;
}

#endif
