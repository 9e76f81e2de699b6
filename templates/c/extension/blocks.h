/* blocks.h: many states side by side, in blocks whose copies stay in the cache. */
#ifndef BLOCKS_H
#define BLOCKS_H

#include "copies.h"

#define LEAST 8                 /* fewer states are computed one by one */
#define MOST 256                /* states of a block */
#define MULTIPLE 16             /* of which a block has a whole number: no vector has more lanes */
#define BLOCK_BYTES (6 * 1024) /* of all copies: with the next block and what the kernel spills they stay in a first-level cache */
#define FAR (512 * 1024)        /* bytes of all operands that no cache nearby is sure to hold */
#define APART ((npy_intp)(LINE / sizeof(Real))) /* between rows, which would lie in the same lines of a cache otherwise */

/* States of a block. */
static npy_intp block_of(const Kernel *kernel)
{
    const npy_intp states = BLOCK_BYTES / (kernel->total * (npy_intp)sizeof(Real)) / MULTIPLE * MULTIPLE;
    return states < MULTIPLE ? MULTIPLE : states > MOST ? MOST : states;
}

/* Whether states can be left to a kernel over lanes, which takes the same parameters for all. */
static int side_by_side(const Kernel *kernel, const Operand *operands, npy_intp count)
{
    return kernel->run_lanes && count >= LEAST && (!kernel->prepare || operands[kernel->inputs - 1].step == 0);
}

/* Where some states of the operands are, or their copies; behind the inputs of a state come prepared parameters. */
static void find_states(const Kernel *kernel, const Operand *operands, npy_intp first, int copied, const Real **in, Real **out)
{
    for (int k = 0; k < kernel->inputs + kernel->outputs; k++) {
        Real *data = copied ? operands[k].copy : (Real *)(operands[k].data + first * operands[k].step);
        if (k < kernel->inputs)
            in[k] = data;
        else
            out[k - kernel->inputs] = data;
    }
}

/* Compute states; every operand has its offsets, and room for a block in its copy. */
static void compute_blocks(const Kernel *kernel, const Operand *operands, const Statuses *statuses, npy_intp count)
{
    const int inputs = kernel->inputs - (kernel->prepare != NULL), arrays = kernel->inputs + kernel->outputs;
    const int far = count * kernel->total * (npy_intp)sizeof(Real) > FAR;
    const npy_intp block = block_of(kernel), common = common_stride(kernel, operands), stride = common ? common : block + APART;
    const Real *in[ARRAYS];
    Real *out[ARRAYS], params[PARAMS], *prepared = params;
    int status[MOST];
    if (kernel->prepare) {
        gather(&operands[inputs], 0, 1, 1);
        const Real *const values = operands[inputs].copy;
        (void)kernel->prepare(&values, &prepared);
    }
    for (npy_intp first = 0; first < count; first += block) {
        const npy_intp states = count - first < block ? count - first : block;
        find_states(kernel, operands, first, !common, in, out);
        if (kernel->prepare)
            in[inputs] = params;
        for (int k = 0; k < inputs && !common; k++)
            gather(&operands[k], first, states, stride);
        const npy_intp left = count - first - states, next = left < block ? left : block;
        for (int k = 0; k < arrays && far && !common; k++)
            fetch(&operands[k], first + states, next);
        kernel->run_lanes((size_t)states, (size_t)stride, in, out, status);
        for (int k = kernel->inputs; k < arrays && !common; k++)
            scatter(&operands[k], first, states, stride);
        for (npy_intp state = 0; kernel->can_fail && state < states; state++)
            *(int *)(statuses->data + (first + state) * statuses->step) = status[state];
    }
}

#endif
