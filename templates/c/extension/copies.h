/* copies.h: states of an operand copied to where a kernel takes them, and back. */
#ifndef COPIES_H
#define COPIES_H

#include "operands.h"
#include "transpose.h"

#define LINE 64 /* bytes that a cache fetches at once */

/* The stride of operands that all lie as kernels over lanes take them, element j of state i at [j*stride + i], so that nothing
 * is copied; 0 where they do not. Values of run-time parameters are the same for all states. */
static npy_intp common_stride(const Kernel *kernel, const Operand *operands)
{
    const npy_intp size = (npy_intp)sizeof(Real);
    npy_intp stride = 0;
    for (int k = 0; k < kernel->inputs + kernel->outputs; k++)
        for (npy_intp element = 0; element < operands[k].array->size && !(kernel->prepare && k == kernel->inputs - 1); element++) {
            if (stride == 0 && element == 1)
                stride = operands[k].offsets[1];
            if (operands[k].step != size || operands[k].offsets[element] != element * stride)
                return 0;
        }
    return stride > 0 && stride % size == 0 ? stride / size : 0;
}

/* Have some states of an operand brought to the cache, while others are computed. */
static void fetch(const Operand *operand, npy_intp first, npy_intp count)
{
    const char *data = operand->data + first * operand->step;
    const npy_intp bytes = operand->array->size * (npy_intp)sizeof(Real);
    for (npy_intp state = 0; state < count && operand->contiguous; state++)
        for (npy_intp line = 0; line < bytes; line += LINE)
            __builtin_prefetch(data + state * operand->step + line);
}

/* Copy some states of an operand, element j of state i to [j*stride + i]. */
static void gather(const Operand *operand, npy_intp first, npy_intp count, npy_intp stride)
{
    const npy_intp size = operand->array->size, step = operand->step;
    const char *data = operand->data + first * step;
    if (operand->contiguous && size >= SIDE && count >= SIDE) {
        transpose(data, step, count, size, (char *)operand->copy, stride * (npy_intp)sizeof(Real));
        return;
    }
    for (npy_intp element = 0; element < size; element++)
        for (npy_intp state = 0; state < count; state++)
            operand->copy[element * stride + state] = *(const Real *)(data + operand->offsets[element] + state * step);
}

/* The same, back. */
static void scatter(const Operand *operand, npy_intp first, npy_intp count, npy_intp stride)
{
    const npy_intp size = operand->array->size, step = operand->step;
    char *data = operand->data + first * step;
    if (operand->contiguous && size >= SIDE && count >= SIDE) {
        transpose((const char *)operand->copy, stride * (npy_intp)sizeof(Real), size, count, data, step);
        return;
    }
    for (npy_intp element = 0; element < size; element++)
        for (npy_intp state = 0; state < count; state++)
            *(Real *)(data + operand->offsets[element] + state * step) = operand->copy[element * stride + state];
}

#endif
