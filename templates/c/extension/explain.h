/* explain.h: error messages that name a wrong argument, instead of numpy's, which number the operands. */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include "shapes.h"

/* Report a missing input; always returns -1. */
static int explain_missing(const Kernel *kernel, const char *missing)
{
    PyObject *names = PyUnicode_FromString(kernel->arrays[0].name);
    for (int k = 1; k < kernel->inputs && names != NULL; k++)
        Py_SETREF(names, PyUnicode_FromFormat("%U, %s", names, kernel->arrays[k].name));
    if (names != NULL)
        PyErr_Format(PyExc_TypeError, "%s() takes %U: %s is missing", kernel->name, names, missing);
    Py_XDECREF(names);
    return -1;
}

/* Report an input without the shape of one state, or inputs that do not broadcast. */
static void explain_shapes(const Kernel *kernel, PyArrayObject *const *given)
{
    Text one, many, found, others;
    for (int k = 0; k < kernel->inputs; k++) {
        const Array *array = &kernel->arrays[k];
        print_shape(found, "", PyArray_NDIM(given[k]), PyArray_DIMS(given[k]));
        if (!fits(array, given[k])) {
            PyErr_Format(PyExc_ValueError, "%s(): %s must have shape %s, or %s for many states, not %s", kernel->name, array->name,
                         print_shape(one, "", array->rank, array->shape),
                         print_shape(many, array->rank ? "..., " : "...", array->rank, array->shape), found);
            return;
        }
        for (int l = 0; l < k; l++)
            if (!broadcast(array, given[k], &kernel->arrays[l], given[l])) {
                PyErr_Format(PyExc_ValueError, "%s(): the leading axes of the inputs do not broadcast: %s %s, %s %s", kernel->name,
                             kernel->arrays[l].name, print_shape(others, "", PyArray_NDIM(given[l]), PyArray_DIMS(given[l])),
                             array->name, found);
                return;
            }
    }
}

/* Report an input of a type that numpy does not convert. */
static void explain_types(const Kernel *kernel, PyArrayObject *const *given)
{
    PyArray_Descr *real = PyArray_DescrFromType(REAL);
    for (int k = 0; k < kernel->inputs; k++)
        if (!PyArray_CanCastArrayTo(given[k], real, NPY_SAME_KIND_CASTING)) {
            PyErr_Format(PyExc_TypeError, "%s(): %s must be real numbers, not %S", kernel->name, kernel->arrays[k].name,
                         (PyObject *)PyArray_DESCR(given[k]));
            break;
        }
    Py_DECREF(real);
}

/* Report wrong inputs of a call that numpy has rejected, if they are the reason. */
static void explain(const Kernel *kernel, PyObject *operands)
{
    PyArrayObject *given[OPERANDS];
    for (int k = 0; k < kernel->inputs; k++)
        given[k] = (PyArrayObject *)PyTuple_GET_ITEM(operands, k);
    if (PyErr_ExceptionMatches(PyExc_ValueError))
        explain_shapes(kernel, given);
    else if (PyErr_ExceptionMatches(PyExc_TypeError))
        explain_types(kernel, given);
}

#endif
