/* results.h: new arrays for the results of one state. */
#ifndef RESULTS_H
#define RESULTS_H

#include "run.h"

/* Create an array for every result, then one for the status; returns their number, or -1 for an error. */
static inline int make_results(const Kernel *kernel, PyObject **made, Real **out, int **status)
{
    const Array *outputs = kernel->arrays + kernel->inputs;
    const int results = kernel->outputs + kernel->can_fail;
    for (int k = 0; k < results; k++) {
        const Array *array = k < kernel->outputs ? &outputs[k] : NULL;
        made[k] = array ? PyArray_SimpleNew(array->rank, array->shape, REAL) : PyArray_SimpleNew(0, NULL, NPY_INT);
        if (made[k] == NULL) {
            while (k-- > 0)
                Py_DECREF(made[k]);
            return -1;
        }
        if (array)
            out[k] = PyArray_DATA((PyArrayObject *)made[k]);
        else
            *status = PyArray_DATA((PyArrayObject *)made[k]);
    }
    return results;
}

/* Return results to Python: a scalar for an array without axes, and a tuple for several results. It owns their references. */
static inline PyObject *returned(PyObject **results, int count)
{
    for (int k = 0; k < count; k++)
        if (PyArray_NDIM((PyArrayObject *)results[k]) == 0)
            results[k] = PyArray_Return((PyArrayObject *)results[k]);
    if (count == 1)
        return results[0];
    PyObject *tuple = PyTuple_New(count);
    for (int k = 0; k < count; k++)
        if (tuple == NULL || results[k] == NULL)
            Py_XDECREF(results[k]);
        else
            PyTuple_SET_ITEM(tuple, k, results[k]);
    if (PyErr_Occurred())
        Py_CLEAR(tuple);
    return tuple;
}

#endif
