/* loop.h: the loop of a ufunc over states. */
#ifndef LOOP_H
#define LOOP_H

#include <fenv.h>

#include "blocks.h"

/* Compute states one after the other; those whose elements follow each other as they lie, others in copies. */
static void compute_states(const Kernel *kernel, const Operand *operands, const Statuses *statuses, npy_intp count)
{
    const int inputs = kernel->inputs, arrays = inputs + kernel->outputs;
    const npy_intp step_of_values = operands[inputs - 1].step;
    const Real *in[ARRAYS];
    Real *out[ARRAYS], params[PARAMS];
    for (npy_intp state = 0; state < count; state++) {
        for (int k = 0; k < arrays; k++) {
            const Operand *operand = &operands[k];
            Real *data = operand->contiguous ? (Real *)(operand->data + state * operand->step) : operand->copy;
            if (k < inputs)
                in[k] = data;
            else
                out[k - inputs] = data;
            if (k < inputs && !operand->contiguous)
                gather(operand, state, 1, 1);
        }
        const int status = run_state(kernel, in, out, params, state == 0 || step_of_values != 0);
        for (int k = inputs; k < arrays; k++)
            if (!operands[k].contiguous)
                scatter(&operands[k], state, 1, 1);
        if (kernel->can_fail)
            *(int *)(statuses->data + state * statuses->step) = status;
    }
}

/* What numpy calls: args are the operands, the status behind them; steps the same, and behind them the strides of all axes. */
static void run_loop(char **args, const npy_intp *dimensions, const npy_intp *steps, void *data)
{
    const Kernel *kernel = data;
    const int arrays = kernel->inputs + kernel->outputs;
    const npy_intp count = dimensions[0], *strides = steps + arrays + kernel->can_fail;
    const Statuses statuses = {kernel->can_fail ? args[arrays] : NULL, kernel->can_fail ? steps[arrays] : 0};
    Operand operands[ARRAYS];
    for (int k = 0; k < arrays; k++)
        operands[k] = (Operand){&kernel->arrays[k], args[k], steps[k], 0, NULL, NULL};
    const int blocks = side_by_side(kernel, operands, count);
    const npy_intp rows = blocks ? block_of(kernel) + APART : 1;
    npy_intp *offsets = PyMem_RawMalloc((size_t)kernel->total * (sizeof(npy_intp) + (size_t)rows * sizeof(Real)));
    if (offsets == NULL) {
        NPY_ALLOW_C_API_DEF
        NPY_ALLOW_C_API;
        PyErr_NoMemory();
        NPY_DISABLE_C_API;
        return;
    }
    place_operands(kernel, operands, strides, offsets, (Real *)(offsets + kernel->total), rows);
    if (blocks)
        compute_blocks(kernel, operands, &statuses, count);
    else
        compute_states(kernel, operands, &statuses, count);
    PyMem_RawFree(offsets);
    feclearexcept(FE_ALL_EXCEPT); /* NaN and infinity are results: numpy is not to warn of them */
}

#endif
