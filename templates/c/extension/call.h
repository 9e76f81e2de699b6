/* call.h: a call of a ufunc from Python. */
#ifndef CALL_H
#define CALL_H

#include "arguments.h"
#include "single.h"

/* Let numpy execute a call: it converts, broadcasts and allocates, and calls the loop. */
static PyObject *call_ufunc(const Kernel *kernel, PyObject *const *bound, Py_ssize_t count, PyObject *others)
{
    PyObject *result = NULL, *operands = PyTuple_New(count);
    for (int k = 0; k < count && operands != NULL; k++) {
        PyObject *operand = k < kernel->inputs ? converted(kernel, k, bound[k]) : Py_NewRef(bound[k]);
        if (operand == NULL)
            Py_CLEAR(operands);
        else
            PyTuple_SET_ITEM(operands, k, operand);
    }
    /* With explicit types, numpy rounds doubles for a kernel in float instead of rejecting them. */
    const int told = PyDict_GetItemString(others, "dtype") || PyDict_GetItemString(others, "signature");
    if (operands != NULL && (told || PyDict_SetItemString(others, "signature", kernel->types) == 0)) {
        result = PyObject_Call(kernel->ufunc, operands, others);
        if (result == NULL)
            explain(kernel, operands);
    }
    Py_XDECREF(operands);
    return result;
}

PyObject *call(const Kernel *kernel, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *bound[OPERANDS], *others = NULL, *out = NULL, *result = NULL;
    const int only_out = names != NULL && PyTuple_GET_SIZE(names) == 1
                         && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "out") == 0;
    if (count == kernel->inputs && (names == NULL || only_out)) {
        result = call_single(kernel, args, only_out ? args[count] : NULL);
        if (result != NULL || PyErr_Occurred())
            return result;
    }
    if ((others = PyDict_New()) == NULL || (count = bind(kernel, args, count, names, bound, others)) < 0)
        goto done;
    if (PyDict_GET_SIZE(others) == 1)
        out = PyDict_GetItemString(others, "out");
    if (count == kernel->inputs && (out != NULL || PyDict_GET_SIZE(others) == 0))
        result = call_single(kernel, bound, out);
    if (result == NULL && !PyErr_Occurred())
        result = call_ufunc(kernel, bound, count, others);
done:
    Py_XDECREF(others);
    return result;
}

#endif
