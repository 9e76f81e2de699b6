/* states.h: computation of many states, by a batch kernel or one after the other. */
#ifndef STATES_H
#define STATES_H

#include "operands.h"

#define LEAST 8 /* fewer states are computed one by one */

/* Return whether a batch kernel can compute the states; it needs the same parameters for all. */
static int side_by_side(const Kernel *kernel, const Operand *operands, npy_intp count)
{
    return kernel->run_lanes && count >= LEAST && (!kernel->prepare || operands[kernel->inputs - 1].step == 0);
}

/* Compute states side by side. */
static void compute_lanes(const Kernel *kernel, const Operand *operands, const Statuses *statuses, npy_intp count)
{
    Real params[kernel->room], *prepared = params;
    if (kernel->prepare) {
        const Operand *const parameters = &operands[kernel->inputs - 1];
        const Real *const values = parameters->copy;
        gather(parameters, 0, 1, 1);
        (void)kernel->prepare(&values, &prepared);
    }
    kernel->run_lanes(count, operands, params, statuses);
}

/* Compute states one after the other, in place if their elements are contiguous, else in copies. */
static void compute_states(const Kernel *kernel, const Operand *operands, const Statuses *statuses, npy_intp count)
{
    const int inputs = kernel->inputs, arrays = inputs + kernel->outputs;
    const npy_intp step_of_values = operands[inputs - 1].step;
    const Real *in[OPERANDS];
    Real *out[OPERANDS], params[kernel->room];
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

#endif
