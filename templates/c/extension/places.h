/* places.h: arrays of one state that a kernel can use in place. */
#ifndef PLACES_H
#define PLACES_H

#include "run.h"

/* Return the data of an array with exactly the type, shape and layout of a kernel's argument; NULL for other objects. */
static inline Real *data_of(PyObject *object, const Array *array)
{
    if (!PyArray_CheckExact(object))
        return NULL;
    PyArrayObject *given = (PyArrayObject *)object;
    if (PyArray_TYPE(given) != REAL || PyArray_NDIM(given) != array->rank || !PyArray_ISCARRAY_RO(given))
        return NULL;
    for (int axis = 0; axis < array->rank; axis++)
        if (PyArray_DIM(given, axis) != array->shape[axis])
            return NULL;
    return PyArray_DATA(given);
}

/* Return the data of an array for a result, or NULL. Kernels tolerate an output that is the same array as an input, but not a
 * partial overlap. */
static inline Real *storable(const Kernel *kernel, const Real *const *in, PyObject *object, const Array *array)
{
    Real *out = data_of(object, array);
    if (out == NULL || !PyArray_ISWRITEABLE((PyArrayObject *)object))
        return NULL;
    for (int k = 0; k < kernel->inputs; k++)
        if (out != in[k] && out < in[k] + kernel->arrays[k].size && in[k] < out + array->size)
            return NULL;
    return out;
}

#endif
