/* rows.h: operands with contiguous elements, state after state, numpy's default layout. */
#ifndef ROWS_H
#define ROWS_H

#include "operand.h"
#include "transpose.h"

#define PIECE ((ptrdiff_t)sizeof(Piece))

/* Return the position of a square. The last square may overlap the one before it; both have the same numbers there. */
INLINE ptrdiff_t square_at(ptrdiff_t element, ptrdiff_t size)
{
    return element + SIDE <= size ? element : size - SIDE;
}

/* Fill a tile with one state for each lane of a vector. */
INLINE void take_rows(const char *data, ptrdiff_t step, ptrdiff_t size, Vector *tile)
{
    for (ptrdiff_t element = 0; element < size; element += SIDE) {
        const ptrdiff_t at = square_at(element, size);
        for (ptrdiff_t k = 0; k < SIDE; k++)
            tile[at + k] = join_pieces(data + at * (ptrdiff_t)sizeof(Real) + k * step, SIDE * step);
        transpose(&tile[at]);
    }
}

/* Store the states of a tile in memory. */
INLINE void give_rows(const Real *tile, ptrdiff_t size, char *data, ptrdiff_t step)
{
    for (ptrdiff_t element = 0; element < size; element += SIDE) {
        const ptrdiff_t at = square_at(element, size);
        Vector square[SIDE];
        for (ptrdiff_t k = 0; k < SIDE; k++)
            memcpy(&square[k], tile + (at + k) * LANES, sizeof *square);
        transpose(square);
        char *to = data + at * (ptrdiff_t)sizeof(Real);
        for (ptrdiff_t state = 0; state < LANES; state++)
            memcpy(to + state * step, (const char *)&square[state % SIDE] + state / SIDE * PIECE, PIECE);
    }
}

/* Return whether these functions can load and store a number of states. */
INLINE int in_rows(const Operand *operand, ptrdiff_t size, ptrdiff_t states)
{
    return states == LANES && operand->contiguous && size >= SIDE;
}

#endif
