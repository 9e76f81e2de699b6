/* single.h: a call for one state with little overhead. */
#ifndef SINGLE_H
#define SINGLE_H

#include "places.h"
#include "results.h"

/* Run a kernel with run-time parameters on one state. A function of its own: calls of other kernels need no room for them. */
APART int run_with_parameters(const Kernel *kernel, const Real **in, Real *const *out)
{
    Real params[kernel->room];
    return run_state(kernel, in, out, params, 1);
}

/* Run a kernel on one state. Returns NULL without an exception if the arguments need conversion or broadcasting.
 *
 *   args  the inputs
 *   out   array for the only result; NULL for a new array
 */
static PyObject *call_single(const Kernel *kernel, PyObject *const *args, PyObject *out)
{
    const Real *in[OPERANDS];
    Real *stored[OPERANDS];
    PyObject *made[OPERANDS];
    int ignored, *status = &ignored, results = kernel->outputs + kernel->can_fail;
    for (int k = 0; k < kernel->inputs; k++)
        if ((in[k] = data_of(args[k], &kernel->arrays[k])) == NULL)
            return NULL;
    if (out != NULL && (results != 1 || (stored[0] = storable(kernel, in, out, &kernel->arrays[kernel->inputs])) == NULL))
        return NULL;
    if (out == NULL && (results = make_results(kernel, made, stored, &status)) < 0)
        return NULL;
    *status = kernel->prepare ? run_with_parameters(kernel, in, stored) : kernel->run(in, stored);
    return out != NULL ? Py_NewRef(out) : returned(made, results);
}

#endif
