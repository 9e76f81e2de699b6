/* copies.h: states of an operand copied to where a kernel takes them, and back. */
#ifndef COPIES_H
#define COPIES_H

#include "operands.h"

#define TILE 8 /* states of which one element after the other is copied: their lines stay in the cache, and the loop is unrolled */

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

/* Copy some states of an operand, element j of state i to [j*stride + i]. */
static void gather(const Operand *operand, npy_intp first, npy_intp count, npy_intp stride)
{
    const npy_intp step = operand->step;
    for (npy_intp done = 0; done < count; done += TILE)
        for (npy_intp element = 0; element < operand->array->size; element++) {
            const char *from = operand->data + (first + done) * step + operand->offsets[element];
            Real *to = operand->copy + element * stride + done;
            if (count - done >= TILE)
                for (int state = 0; state < TILE; state++)
                    to[state] = *(const Real *)(from + state * step);
            else
                for (npy_intp state = 0; state < count - done; state++)
                    to[state] = *(const Real *)(from + state * step);
        }
}

/* The same, back. */
static void scatter(const Operand *operand, npy_intp first, npy_intp count, npy_intp stride)
{
    const npy_intp step = operand->step;
    for (npy_intp done = 0; done < count; done += TILE)
        for (npy_intp element = 0; element < operand->array->size; element++) {
            char *to = operand->data + (first + done) * step + operand->offsets[element];
            const Real *from = operand->copy + element * stride + done;
            if (count - done >= TILE)
                for (int state = 0; state < TILE; state++)
                    *(Real *)(to + state * step) = from[state];
            else
                for (npy_intp state = 0; state < count - done; state++)
                    *(Real *)(to + state * step) = from[state];
        }
}

#endif
