/* kernel.h: description of a generated kernel for its ufunc. */
#ifndef KERNEL_H
#define KERNEL_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "operand.h"

#define OPERANDS 64 /* of a ufunc, at most, in numpy 2 */
#define RANK 3      /* of an array, at most */

/* An array that a kernel reads or fills, row-major; a scalar has rank 0 and size 1. */
typedef struct {
    const char *name;
    int rank;
    Py_ssize_t shape[RANK];
    Py_ssize_t size;
} Array;

/* Calls a kernel on one state; returns its status, 0 if it cannot fail. */
typedef int Run(const Real *const *in, Real *const *out);

/* A kernel and its ufunc.
 *
 *   signature  numpy's signature, as "(6),(6)->(6,6)"
 *   arrays     inputs, then outputs
 *   can_fail   whether there is a status: one more operand, without an array
 *   total      number of elements of all arrays
 *   room       number of values that `prepare` computes, at least 1
 *   run_lanes  batch kernel for many states with the same parameters; NULL without one
 *   prepare    computes the kernel's last input from run-time parameters; NULL without run-time parameters
 */
typedef struct {
    const char *name, *doc, *signature;
    const Array *arrays;
    int inputs, outputs, can_fail;
    Py_ssize_t total;
    int room;
    Run *run;
    RunLanes *run_lanes;
    Run *prepare;
    /* Set when the module is loaded: types of all operands, and numpy's ufunc object. */
    char codes[OPERANDS];
    PyObject *types, *ufunc;
    void *data;
} Kernel;

/* The entry for calls from Python. */
PyObject *call(const Kernel *kernel, PyObject *const *args, Py_ssize_t count, PyObject *names);

/* Create the module of some kernels. */
PyObject *make_module(struct PyModuleDef *definition, Kernel *kernels, size_t count);

#endif
