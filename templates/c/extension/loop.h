/* loop.h: the loop of a ufunc over states. */
#ifndef LOOP_H
#define LOOP_H

#include <fenv.h>

#include "operands.h"

#define LANES 8                  /* fewer states than these are computed one by one */
#define BLOCK 256                /* states that are copied at once, at most */
#define BLOCK_BYTES (24 * 1024)  /* of all their copies: what stays in a first-level cache */

typedef struct {
    const Kernel *kernel;
    Operand operands[ARRAYS];
    char *status;
    npy_intp status_step;
} Loop;

/* Compute states one after the other, on the arrays as they lie where their elements follow each other. */
static void compute_states(const Loop *loop, npy_intp count)
{
    const Kernel *kernel = loop->kernel;
    const int inputs = kernel->inputs, arrays = inputs + kernel->outputs;
    const npy_intp step_of_values = loop->operands[inputs - 1].step;
    const Real *in[ARRAYS];
    Real *out[ARRAYS], params[PARAMS];
    for (npy_intp state = 0; state < count; state++) {
        for (int k = 0; k < arrays; k++) {
            const Operand *operand = &loop->operands[k];
            Real *data = operand->offsets ? operand->copy : (Real *)(operand->data + state * operand->step);
            if (k >= inputs)
                out[k - inputs] = data;
            else if (operand->offsets)
                gather(operand, state, 1, 1);
            in[k] = data;
        }
        const int status = run_state(kernel, in, out, params, state == 0 || step_of_values != 0);
        for (int k = inputs; k < arrays; k++)
            if (loop->operands[k].offsets)
                scatter(&loop->operands[k], state, 1, 1);
        if (kernel->can_fail)
            *(int *)(loop->status + state * loop->status_step) = status;
    }
}

/* What numpy calls: args are the operands, the status behind them; steps the same, and behind them the strides of all axes. */
static void run_loop(char **args, const npy_intp *dimensions, const npy_intp *steps, void *data)
{
    const Kernel *kernel = data;
    const int arrays = kernel->inputs + kernel->outputs;
    const npy_intp *strides = steps + arrays + kernel->can_fail;
    Loop loop;
    loop.kernel = kernel;
    loop.status = kernel->can_fail ? args[arrays] : NULL;
    loop.status_step = kernel->can_fail ? steps[arrays] : 0;
    npy_intp *room = PyMem_RawMalloc((size_t)kernel->total * (sizeof(npy_intp) + sizeof(Real)));
    if (room == NULL) {
        NPY_ALLOW_C_API_DEF
        NPY_ALLOW_C_API;
        PyErr_NoMemory();
        NPY_DISABLE_C_API;
        return;
    }
    npy_intp *offsets = room;
    Real *copy = (Real *)(room + kernel->total);
    for (int k = 0; k < arrays; k++) {
        const Array *array = &kernel->arrays[k];
        find_offsets(array, strides, offsets);
        loop.operands[k] = (Operand){array, args[k], steps[k], contiguous(array, strides) ? NULL : offsets, copy};
        strides += array->rank;
        offsets += array->size;
        copy += array->size;
    }
    compute_states(&loop, dimensions[0]);
    PyMem_RawFree(room);
    feclearexcept(FE_ALL_EXCEPT); /* NaN and infinity are results: numpy is not to warn of them */
}

#endif
