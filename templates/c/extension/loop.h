/* loop.h: the loop of a ufunc over states. */
#ifndef LOOP_H
#define LOOP_H

#include <fenv.h>

#include "states.h"

/* The loop that numpy calls. args: the operands, then the status; steps: their steps, then the strides of all axes. */
static void run_loop(char **args, const npy_intp *dimensions, const npy_intp *steps, void *data)
{
    const Kernel *kernel = data;
    const int arrays = kernel->inputs + kernel->outputs;
    const npy_intp count = dimensions[0], *strides = steps + arrays + kernel->can_fail;
    const Statuses statuses = {kernel->can_fail ? args[arrays] : NULL, kernel->can_fail ? steps[arrays] : 0};
    Operand operands[OPERANDS];
    for (int k = 0; k < arrays; k++)
        operands[k] = (Operand){.data = args[k], .step = steps[k]};
    const int lanes = side_by_side(kernel, operands, count);
    const size_t copy = lanes ? WIDEST : sizeof(Real);
    npy_intp *offsets = PyMem_RawMalloc((size_t)kernel->total * (sizeof(npy_intp) + copy) + WIDEST);
    if (offsets == NULL) {
        NPY_ALLOW_C_API_DEF
        NPY_ALLOW_C_API;
        PyErr_NoMemory();
        NPY_DISABLE_C_API;
        return;
    }
    Real *copies = (Real *)(((uintptr_t)(offsets + kernel->total) + WIDEST - 1) / WIDEST * WIDEST);
    place_operands(kernel, operands, strides, offsets, copies, (npy_intp)(copy / sizeof(Real)));
    if (lanes)
        compute_lanes(kernel, operands, &statuses, count);
    else
        compute_states(kernel, operands, &statuses, count);
    PyMem_RawFree(offsets);
    feclearexcept(FE_ALL_EXCEPT); /* NaN and infinity are valid results: numpy must not warn */
}

#endif
