/* tiles.h: loading one state for each lane of a vector from any layout, and storing it back.
 *
 * A tile has one vector for each element. Callers pass the sizes of operands as constants, so that compilers keep small tiles in
 * registers.
 */
#ifndef TILES_H
#define TILES_H

#include <string.h>

#include "operand.h"

#define LANES ((ptrdiff_t)(sizeof(Vector) / sizeof(Real)))
#define LINE 64 /* bytes of a cache line */

#if TRANSPOSED
#include "rows.h"
#endif

/* Fill a tile with states of an input, `size` numbers each. */
INLINE void take(const Operand *operand, ptrdiff_t size, ptrdiff_t first, ptrdiff_t states, Vector *tile)
{
    const char *data = operand->data + first * operand->step;
#if TRANSPOSED
    if (in_rows(operand, size, states)) {
        take_rows(data, operand->step, size, tile);
        return;
    }
#endif
    const int in_columns = states == LANES && operand->step == (ptrdiff_t)sizeof(Real);
    if (!in_columns)
        gather(operand, first, states, LANES);
    for (ptrdiff_t k = 0; k < size; k++)
        memcpy(&tile[k], in_columns ? data + operand->offsets[k] : (const char *)(operand->copy + k * LANES), sizeof *tile);
}

/* Return the common stride of results that are all in columns, element j of state i at [j*stride + i], so that a kernel can store
 * them in place; else 0. */
APART ptrdiff_t common_stride(const Operand *results, int count)
{
    const ptrdiff_t number = (ptrdiff_t)sizeof(Real), stride = results->size > 1 ? results->offsets[1] : number;
    for (int k = 0; k < count; k++)
        for (ptrdiff_t element = 0; element < results[k].size; element++)
            if (results[k].step != number || results[k].offsets[element] != element * stride)
                return 0;
    return stride > 0 && stride % number == 0 ? stride / number : 0;
}

/* Prefetch the cache lines to which results in rows will be stored. */
INLINE void expect(const Operand *operand, ptrdiff_t size, ptrdiff_t first, ptrdiff_t states)
{
    const char *data = operand->data + first * operand->step;
    for (ptrdiff_t state = 0; state < states && operand->contiguous; state++)
        for (ptrdiff_t byte = 0; byte < size * (ptrdiff_t)sizeof(Real); byte += LINE)
            __builtin_prefetch(data + state * operand->step + byte, 1);
}

/* Store states of a result from its copy. */
INLINE void give(const Operand *operand, ptrdiff_t size, ptrdiff_t first, ptrdiff_t states)
{
    (void)size; /* unused without transposition */
#if TRANSPOSED
    if (in_rows(operand, size, states)) {
        give_rows(operand->copy, size, operand->data + first * operand->step, operand->step);
        return;
    }
#endif
    scatter(operand, first, states, LANES);
}

#endif
