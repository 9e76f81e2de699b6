/* arguments.h: the arguments of a call, put in the order of a kernel's arguments. */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include "explain.h"

/* Return a name that is neither an input nor an argument of numpy's ufuncs (a borrowed reference); NULL without one. */
static PyObject *unknown_name(PyObject *others)
{
    static const char *const numpy[] = {"out", "axes", "axis", "keepdims", "casting", "order", "dtype", "subok", "sig", "signature"};
    PyObject *name, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(others, &at, &name, &value)) {
        size_t k = 0;
        while (k < sizeof numpy / sizeof *numpy && PyUnicode_CompareWithASCIIString(name, numpy[k]) != 0)
            k++;
        if (k == sizeof numpy / sizeof *numpy)
            return name;
    }
    return NULL;
}

/* Put the inputs of a call in their order, followed by arrays for results that are passed by position. Other named arguments go
 * to a dictionary. Returns the number of ordered objects, or -1 for an error. */
static Py_ssize_t bind(const Kernel *kernel, PyObject *const *args, Py_ssize_t count, PyObject *names, PyObject **bound,
                       PyObject *others)
{
    const Py_ssize_t named = names == NULL ? 0 : PyTuple_GET_SIZE(names), most = kernel->inputs + kernel->outputs + kernel->can_fail;
    if (count > most) {
        const int results = (int)most - kernel->inputs;
        PyErr_Format(PyExc_TypeError, "%s() takes %d input%s and %d array%s for results, not %zd", kernel->name, kernel->inputs,
                     kernel->inputs == 1 ? "" : "s", results, results == 1 ? "" : "s", count);
        return -1;
    }
    for (Py_ssize_t k = 0; k < most; k++)
        bound[k] = k < count ? args[k] : NULL;
    for (Py_ssize_t k = 0; k < named; k++) {
        PyObject *name = PyTuple_GET_ITEM(names, k), *value = args[count + k];
        int place = 0;
        while (place < kernel->inputs && PyUnicode_CompareWithASCIIString(name, kernel->arrays[place].name) != 0)
            place++;
        if (place == kernel->inputs) {
            if (PyDict_SetItem(others, name, value) < 0)
                return -1;
        } else if (bound[place] != NULL) {
            PyErr_Format(PyExc_TypeError, "%s() got %s by position and by name", kernel->name, kernel->arrays[place].name);
            return -1;
        } else
            bound[place] = value;
    }
    for (int k = 0; k < kernel->inputs; k++)
        if (bound[k] == NULL) {
            PyObject *unknown = unknown_name(others);
            if (unknown == NULL)
                return explain_missing(kernel, kernel->arrays[k].name);
            PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", kernel->name, unknown);
            return -1;
        }
    return count > kernel->inputs ? count : kernel->inputs;
}

/* Convert an input to an array of any type. Lazy dask arrays are rejected: numpy would compute them whole, in memory. */
static PyObject *converted(const Kernel *kernel, int place, PyObject *object)
{
    if (PyArray_Check(object))
        return Py_NewRef(object);
    PyObject *graph = PyObject_CallMethod(object, "__dask_graph__", NULL);
    if (graph == NULL)
        PyErr_Clear(); /* most objects have no such method */
    if (graph != NULL && graph != Py_None)
        PyErr_Format(PyExc_TypeError, "%s(): %s is an array of dask: use dask.array.apply_gufunc(f, \"%s\", ...)", kernel->name,
                     kernel->arrays[place].name, kernel->signature);
    Py_XDECREF(graph);
    return PyErr_Occurred() ? NULL : PyArray_FROM_O(object);
}

#endif
